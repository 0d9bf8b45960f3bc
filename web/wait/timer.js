// A timer in a worker: browsers slow down those of hidden pages. Takes milliseconds, answers when they have passed.
let timer = 0;
onmessage = ({ data }) => {
  clearTimeout(timer);
  timer = setTimeout(() => postMessage(null), data);
};
