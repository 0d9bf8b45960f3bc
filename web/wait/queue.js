// The line of an event (tier 2), for people whom the site knows: its cookie or its proxy says who asks.
const API = "/api/v1/queue";
const own = (method, verb) => call(method, `${API}/${verb}/${room}`);

let about = {}, users = null, limit = null;
let tookAgain = false;   // The place was gone, and no answer has shown the new one yet.
let tooMany = 0;         // Refusals for asking too often, one after the other.

const adapter = {
  lead: "keep_open_lead",
  hasPresence: true,

  take: async () => standingOf(await own("POST", "check")),

  async ask() {
    const answer = await own("GET", "status");
    if (answer.status !== "not_in_queue") {
      tookAgain = false;
      return standingOf(answer);
    }
    if (tookAgain) { standing.state = "expired"; return null; }
    const next = await adapter.take();
    store.set(lasting, "start", null);
    tookAgain = newPlace = true;
    return next;
  },

  pause() {
    const seconds = standing.poll_after_seconds;
    if (store.get(ofTab, "beacon") === null) return seconds;
    // The beacon of the page before a reload may arrive after this one's first question.
    store.set(ofTab, "beacon", null);
    return Math.min(3, seconds);
  },

  leave: () => own("POST", "leave"),

  onFault({ status, answer }) {
    if (status === 401) return without("login", null);
    if (status === 400 || status === 404) return without("room_not_found", 30);
    if (status === 429 && tooMany < 2) { reach = "busy"; return [++tooMany, 0.1]; }
    const target = status === 403 && safeTarget(answer.redirectTo);
    if (!target || new URL(target, location).pathname === location.pathname) return;
    going = true;
    location.replace(target);
    return [null, 0];
  },
  retryIn: fault => fault.retryAfter || 5,

  heading: () => [about.title, about.artist].filter(word => word && word !== "Unknown").join(" · ") || t("title"),
  draw(inLine) {
    const known = inLine && Number.isFinite(users) && Number.isFinite(limit);
    show("users-box", known);
    put("users", known ? t("inside_of", { n: number(users), max: number(limit) }) : "");
  },
};

function without(why, seconds) {
  standing = null;
  problem = why;
  return [seconds, 0.1];
}

function standingOf(answer) {
  tooMany = 0;
  about = answer.eventInfo || about;
  users = answer.currentUsers;
  limit = answer.threshold ?? limit;
  // There is no ticket but the visitor's name; the mark tells the other tabs of a leave.
  const common = { ticket: "here", place: "here", poll_after_seconds: pollAfter(answer.nextPoll, 3, 60) };
  if (answer.status === "active") return { ...common, state: "active", target: safeTarget(answer.redirectTo) || `${base}/events/${room}/seats` };
  if (answer.status !== "queued") throw new Error(`status ${answer.status}`);
  return {
    ...common, state: "waiting", number: answer.position, ahead: answer.peopleAhead, behind: answer.peopleBehind,
    eta_seconds: waitOf(answer.estimatedWait),
  };
}

// Who closes the page gives the place away; a reload or a return within the grace period has it back.
window.addEventListener("pagehide", () => {
  if (going || !standing || standing.state !== "waiting") return;
  store.set(ofTab, "beacon", "sent");
  navigator.sendBeacon(`${base}${API}/leave/${room}`);
});

$("number").previousSibling.dataset.text = "position";
$("facts").classList.add("three");
$("facts").insertAdjacentHTML("beforeend", '<div id="users-box" hidden><dt class="label" data-text="inside"></dt><dd id="users"></dd></div>');
