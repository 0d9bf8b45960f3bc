// What all waiting pages are: one chain of questions, one picture. How a place is taken, asked for
// and left is the adapter's, the script after this one:
//   take()       a standing: the place that there is, or a new one
//   ask()        a standing, or null where it has seen to the news itself
//   pause()      the seconds until the next question of somebody who waits
//   leave()      gives the place back; without it there is no button
//   onFault(f)   what a refusal means: [seconds, jitter], or nothing where it is like any other
//   retryIn(f)   the seconds after any other failure
//   heading()    what stands above; also, where needed: follow, isLive, wake, finish, depart, draw
//   hasPresence  the server passes over who is silent: a hidden tab keeps asking in time
const TEXTS = JSON.parse(document.getElementById("texts").textContent);
const [, base, kind, room] = location.pathname.match(/^(.*)\/(wait|vwr|queue)\/([^/]+)/) || [, "", "", ""];
const $ = id => document.getElementById(id);
const TURN_ICON = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='7' fill='%23e08a00'/></svg>";
const ENDED = ["finished", "left", "expired"];
const ASK_AGAIN = { room_not_found: 30, room_full: 15, room_paused: 15, room_draining: 30, room_closed: 60 };
const GRACE_MS = 9000;          // The server restores a place for 10 s.
const SLEPT_MS = 20000;         // Timers that come so late did not run in between.
const AWAY_NOTE_MS = 30000;

// ---- What is remembered beyond this page -----------------------------------------------------
function recall(area, name) { try { return area().getItem(name); } catch { return null; } }
function remember(area, name, value) {
  try { value === null ? area().removeItem(name) : area().setItem(name, value); } catch { /* Private mode. */ }
}
const store = {
  name: key => `anteroom-${key}-${kind === "wait" ? "" : `${kind}-`}${room}`,
  get: (area, key) => recall(area, store.name(key)),
  set: (area, key, value) => remember(area, store.name(key), value),
};
const lasting = () => localStorage, ofTab = () => sessionStorage;

// ---- State -----------------------------------------------------------------------------------
let standing = null;      // The last known own standing.
let problem = null;       // Why there is none: a code of the server.
let reach = "ok";         // ok | lost | busy
let ticket = store.get(lasting, "ticket");   // Where there is a way to leave.
let kept = ticket !== null;   // The ticket is in the store: when it vanishes, another tab has left.
let newPlace = false;
let returning = false, wantsOut = false;
let leftAt = history.state && history.state.left ? -Infinity : null;
let ahead = 0, behind = 0, wait = null, shownWait = null, shownWaitAt = 0, startAhead = 0;
let going = false;
// The target sent the visitor back a moment ago: going there again by itself could go on for ever.
const sentBack = kind !== "wait" && Date.now() - store.get(ofTab, "went") < 15000;

// ---- Asking: one chain of turns, however many events ask for one ------------------------------
class Refusal extends Error {
  constructor(status, answer, retryAfter) {
    super(status);
    Object.assign(this, { status, answer, code: answer.code || "", retryAfter: retryAfter || answer.retryAfter || 0 });
  }
}

async function call(method, path, options = {}) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), 10000);
  try {
    const headers = { ...options.headers };
    if (options.body) headers["Content-Type"] = "application/json";
    const answer = await fetch(base + path, {
      method, headers, body: options.body, signal: limit.signal,
      credentials: options.shared ? "omit" : "same-origin", cache: options.shared ? "default" : "no-store",
    });
    const text = await answer.text();
    if (answer.ok) return text ? JSON.parse(text) : null;
    let why = null;
    try { why = JSON.parse(text); } catch { /* Not ours: a proxy on the way. */ }
    throw new Refusal(answer.status, why || {}, Number(answer.headers.get("Retry-After")));
  } finally {
    clearTimeout(timer);
  }
}

let timer = 0, dueAt = Infinity, running = false, askedAgain = false, failures = 0;
let statusDue = 0;   // When the own standing is asked for again; in between, an adapter may ask for less.

const jitter = (seconds, share) => seconds * (1 - share + 2 * share * Math.random());

function schedule(seconds, share = 0.1) {
  clearTimeout(timer);
  const delay = 1000 * jitter(seconds, share);
  timer = setTimeout(turn, delay);
  dueAt = Date.now() + delay;
  keepTime();
}

// Browsers let timers of a hidden tab fire once a minute: too late to stay present without a stream.
// Those of a worker fire in time. Without one, the page's own timer is left.
let clock = null;
function keepTime() {
  if (document.hidden && dueAt < Infinity) clock?.postMessage(Math.max(0, dueAt - Date.now()));
}

function startClock() {
  if (clock || !adapter.hasPresence) return;
  try { clock = new Worker(`${base}/${kind}/${room}/timer.js`); } catch { return; /* No workers here. */ }
  clock.onmessage = () => { if (Date.now() >= dueAt) turn(); else keepTime(); };
  clock.onerror = () => { clock = null; };
}

function askNow() { statusDue = 0; turn(); }

async function turn() {
  if (running) { askedAgain = true; return; }
  running = true;
  clearTimeout(timer);
  dueAt = Infinity;
  let delay, share = 0.1;
  try {
    delay = await step();
    failures = 0;
    reach = "ok";
  } catch (fault) {
    [delay, share] = onFault(fault);
  }
  running = false;
  render();
  if (askedAgain) { askedAgain = false; delay = 0; }
  if (delay !== null) schedule(delay, share);
}

// One request. Returns the seconds until the next one, null for never.
async function step() {
  if (leftAt !== null) return null;
  if (wantsOut) { await leaveNow(); return null; }
  if (!standing) {
    accept(await adapter.take());
    returning = false;
    return pause();
  }
  if (kept && store.get(lasting, "ticket") === null) { leaveHere(); return null; }
  if (ENDED.includes(standing.state)) return null;
  const next = await adapter.ask();
  if (next) accept(next);
  return pause();
}

function pause() {
  if (!standing || ENDED.includes(standing.state)) return null;
  if (standing.state === "called") return 0;
  if (standing.state === "active") return safeTarget(standing.target) ? null : standing.poll_after_seconds || 5;
  return adapter.pause();
}

function onFault(fault) {
  const code = fault.code, reachBefore = reach;
  reach = "ok";
  const next = fault instanceof Refusal && adapter.onFault(fault);
  if (next) return next;
  if (ASK_AGAIN[code] && !standing) { problem = code; return [fault.retryAfter || ASK_AGAIN[code], 0.1]; }
  failures++;
  statusDue = 0;
  reach = fault.status === 429 || fault.status === 503 ? "busy" : failures > 1 || !navigator.onLine ? "lost" : reachBefore;
  // Everybody who lost the server lost it in the same instant: come back spread out.
  return [adapter.retryIn(fault), fault.retryAfter ? 0.1 : 0.3];
}

// ---- Presence: who sleeps is passed over, and called as soon as they are back -----------------
let presentUntil = Infinity;     // Without a further sign of life the server then counts the visitor as absent.
let storedUntil = 0;
let slept = null;                // The place that was slept with; the next standing tells whether it is still there.
let backAt = -Infinity, acceptedAt = 0, tickedAt = Date.now();

const placeOf = next => String(next.place || next.number);
const isBack = () => Date.now() - backAt < AWAY_NOTE_MS;

// The server heard from this page a moment ago.
function notePresence() {
  if (!adapter.hasPresence || standing?.state !== "waiting") return;
  noteSleep(document.hidden || Date.now() - tickedAt > SLEPT_MS);
  presentUntil = Date.now() + 1000 * presenceOf(standing.poll_after_seconds);
  if (standing.place || presentUntil - storedUntil < 5000) return;
  // For the next page, where the browser drops this one; also another tab's.
  storedUntil = presentUntil;
  store.set(lasting, "present", `${placeOf(standing)}:${storedUntil + 5000}`);
}

// A server that does not answer is no sleep of this page.
function noteSleep(isAsleep) {
  if (!isAsleep || standing?.state !== "waiting" || Date.now() <= presentUntil) return;
  const [place, until] = (store.get(lasting, "present") || "").split(":");
  if (place !== placeOf(standing) || Date.now() > until) slept = placeOf(standing);
}

function noteReturn() {
  if (slept === null || standing.state !== "waiting") return;
  if (slept === placeOf(standing)) { backAt = Date.now(); setTimeout(render, AWAY_NOTE_MS + 100); }
  slept = null;
}

// Shown again, awake again: ask at once. The chain itself sees to it that one asks.
function wake() {
  noteSleep(true);
  adapter.wake?.();
  askNow();
}

function watchSleep() {
  if (document.hidden) startClock();
  const [place, until] = (store.get(lasting, "present") || "").split(":");
  if (place && Date.now() > until) slept = place;   // The page before this one.
  setInterval(() => {
    const gap = Date.now() - tickedAt;
    if (gap > SLEPT_MS) wake();
    tickedAt = Date.now();
  }, 5000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return wake();
    startClock();
    keepTime();
  });
  window.addEventListener("pageshow", event => { if (event.persisted) wake(); });
  document.addEventListener("resume", wake);
  // With a click into the page, too: not after what was asked just now.
  window.addEventListener("focus", () => { if (!running && (standing || problem) && Date.now() - acceptedAt > 1000) wake(); });
}

// ---- What the answers mean -------------------------------------------------------------------
function accept(next) {
  if (leftAt !== null) return;
  const before = standing;
  const samePlace = before && before.order === next.order && before.number === next.number;
  standing = { ...next };
  if (standing.state === "leaving") standing.state = "waiting";   // Asking was the return.
  problem = null;
  acceptedAt = Date.now();
  notePresence();
  noteReturn();
  statusDue = acceptedAt + 1000 * jitter(next.poll_after_seconds || 5, 0.1);
  if (next.ticket) keep(next.ticket);
  if (history.state && history.state.left) history.replaceState(null, "");
  // Behind the first thousand the frame is a percent off: do not let the number waver upwards.
  ahead = samePlace && next.ahead > ahead && next.ahead <= ahead * 1.02 && ahead > 1000 ? ahead : next.ahead || 0;
  behind = next.behind || 0;
  setWait(next.eta_seconds || null);
  rememberStart(next);
  adapter.follow?.(standing.state === "waiting");
  if (standing.state === "active" || standing.state === "called") onTurn(before);
}

// A shorter wait is shown at once; a longer one only when it has lasted, so that it does not flicker.
function setWait(next) {
  wait = next;
  const now = Date.now();
  if (next && shownWait && next.p90 > shownWait.p90 && now - shownWaitAt < 10000) return;
  shownWait = next;
  shownWaitAt = now;
}

function rememberStart(next) {
  const place = placeOf(next);
  const [of, start] = (store.get(lasting, "start") || "").split(":");
  startAhead = of === place && start >= ahead ? Number(start) : ahead;
  store.set(lasting, "start", `${place}:${startAhead}`);
}

function keep(next) {
  ticket = next;
  if (store.get(lasting, "ticket") !== next) store.set(lasting, "ticket", next);
  kept = store.get(lasting, "ticket") !== null;
}

function forget() {
  ticket = null;
  kept = false;
}

// ---- The turn --------------------------------------------------------------------------------
function onTurn(before) {
  const waited = before && before.state === "waiting", target = safeTarget(standing.target);
  if (waited) tellTurn();
  // A hidden tab asks again and goes when it is looked at, perhaps by a click on the notification.
  if (standing.state !== "active" || !target || going || document.hidden || (sentBack && !waited)) return;
  going = true;
  setTimeout(() => go(target), before ? 1500 : 300);   // A moment to hear and read it.
}

function go(target) {
  going = true;
  adapter.depart?.();
  store.set(ofTab, "went", Date.now());
  location.replace(target);
}

let tells = store.get(ofTab, "tell") === "1", sound = null;

function beep(notes) {
  try {
    sound = sound || new AudioContext();
    sound.resume();
    notes.forEach((hertz, i) => {
      const tone = sound.createOscillator(), volume = sound.createGain(), at = sound.currentTime + i * 0.22;
      tone.frequency.value = hertz;
      volume.gain.setValueAtTime(0.0001, at);
      volume.gain.exponentialRampToValueAtTime(0.25, at + 0.03);
      volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
      tone.connect(volume).connect(sound.destination);
      tone.start(at);
      tone.stop(at + 0.55);
    });
  } catch { /* No sound here. */ }
}

function tellTurn() {
  if (!tells) return;
  beep([523, 659, 784]);
  if (navigator.vibrate) navigator.vibrate([200, 100, 200]);
  try {
    const note = new Notification(t("called_head"), { body: t("notification"), tag: `anteroom-${room}`, requireInteraction: true });
    note.onclick = () => { window.focus(); note.close(); };
  } catch { /* Some phones allow it only to installed pages. */ }
}

async function toggleTell() {
  tells = !tells;
  store.set(ofTab, "tell", tells ? "1" : null);
  if (tells) {
    beep([659]);
    try { if (Notification.permission === "default") await Notification.requestPermission(); } catch { /* Sound only. */ }
  }
  render();
}

// ---- Leaving and coming back -----------------------------------------------------------------
// Within the chain, so that no question on the way can undo it: asking is a sign of life.
function leave() {
  $("ask").close();
  adapter.follow?.(false);
  wantsOut = true;
  turn();
}

async function leaveNow() {
  try {
    await adapter.leave();
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.status >= 429) throw fault;   // Tried again; else there is no place.
  }
  wantsOut = false;
  leaveHere();
  store.set(lasting, "ticket", null);
  $("head").focus();
}

function leaveHere() {
  leftAt = Date.now();
  kept = false;
  clearTimeout(timer);
  adapter.follow?.(false);
  if (standing) standing.state = "left";
  history.replaceState({ left: true }, "");
  setTimeout(render, GRACE_MS + 100);
}

function comeBack() {
  leftAt = null;
  standing = null;
  problem = null;
  newPlace = false;
  returning = true;
  render();
  turn();
}

// ---- Showing ---------------------------------------------------------------------------------
let language = chooseLanguage(Object.keys(TEXTS), [new URLSearchParams(location.search).get("lang"), ...(navigator.languages || [])]);
const number = n => new Intl.NumberFormat(language).format(n);
function t(key, values = {}) { return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]); }
function put(id, text) { if ($(id).textContent !== text) $(id).textContent = text; }
function show(id, on) { $(id).toggleAttribute("hidden", !on); }

// The one word for what the page shows; also html[data-state].
function view() {
  if (leftAt !== null) return "left";
  if (standing) return standing.state === "waiting" && standing.room_state === "closed" ? "closed" : standing.state;
  if (problem === "room_not_found") return "not_found";
  return problem ? problem.replace("room_", "") : "connecting";
}

const isGrace = () => Date.now() - leftAt < GRACE_MS;
const isPaused = () => standing.room_state === "paused";
const hasDoor = state => state === "active" && safeTarget(standing.target) !== null;

function render() {
  const state = view(), inLine = state === "waiting", turnCame = state === "called" || state === "active";
  const root = document.documentElement;
  put("room", adapter.heading());
  const shown = state + (inLine ? standing.room_state + isBack() : "");
  root.dataset.state = state;
  root.toggleAttribute("data-quiet", !inLine && !turnCame);
  renderWords(state, inLine, turnCame);
  renderDoor(inLine, turnCame);
  renderNotes(state, inLine);
  renderButtons(state, inLine);
  adapter.draw?.(inLine);
  const eta = $("eta").textContent, ofLine = t("announce", { n: number(ahead), eta });
  const news = inLine && isBack() ? $("notice").textContent : $("head").textContent + ".";
  speak(shown, inLine, `${news} ${inLine ? ofLine : $("lead").textContent}`);
}

function renderWords(state, inLine, turnCame) {
  put("head", t(`${inLine && isPaused() ? "paused" : state}_head`));
  put("lead", t(leadKey(state, inLine), { time: keptFor() }));
  let notice = "";
  if (reach === "lost") notice = standing ? "lost" : "lost_join";
  else if (reach === "busy" && standing) notice = "busy";
  else if (newPlace && inLine) notice = "new_place";
  else if (isBack() && inLine) notice = ahead ? "away" : "away_next";
  show("notice", notice && state !== "left");
  show("lead", !notice.startsWith("away"));   // It says the same of the next time.
  put("notice", notice && t(notice));
  const line = ahead ? t("title_ahead", { n: number(ahead) }) : t("title_next");
  document.title = turnCame ? t("title_turn") : inLine ? line : t("title");
  const icon = turnCame ? TURN_ICON : "data:,";
  if ($("icon").href !== icon) $("icon").href = icon;   // Tabs show it where they have no room for the title.
}

function keptFor() {
  const { key, n } = spanInWords(standing?.idle_seconds || 0);
  return t(key, { n: number(n) });
}

function leadKey(state, inLine) {
  if (inLine && isPaused()) return "paused_lead";
  if (inLine && standing.room_state === "draining") return "draining_lead";
  if (state === "left") return isGrace() ? "left_lead" : "left_late_lead";
  if (state === "paused" || state === "draining") return "join_later_lead";
  if (state === "active" && going) return "called_lead";
  if (inLine && adapter.lead) return adapter.lead;
  return `${state}_lead`;
}

function renderDoor(inLine, turnCame) {
  show("inside", inLine || turnCame);
  show("facts", inLine);
  show("eta-box", inLine);
  show("tick", turnCame);
  const big = !inLine ? "" : ahead ? number(ahead) : t("next");
  put("big", big);
  $("big").classList.toggle("word", ahead === 0);
  $("big").style.setProperty("--chars", Math.max(3, big.length));
  put("of", inLine && ahead ? t(ahead === 1 ? "ahead_one" : "ahead") : "");
  if (inLine) {
    const { key, low = 0, high = 0 } = waitInWords(isPaused() ? null : shownWait);
    put("eta", t(key, { low: number(low), high: number(high) }));
    put("number", number(standing.number));
    put("behind", number(behind));
  }
  const part = startAhead > 0 ? Math.round(100 * (1 - ahead / startAhead)) : 100;
  const done = turnCame ? 100 : inLine ? part : 0;
  $("walked").style.strokeDasharray = `${done} 100`;
  $("walked").style.opacity = done > 0 ? 1 : 0;
  const attributes = { "aria-hidden": !inLine, "aria-valuenow": done, "aria-label": t("progress") };
  for (const name in attributes) $("progress").setAttribute(name, attributes[name]);
}

function renderNotes(state, inLine) {
  const message = standing && !ENDED.includes(state) && standing.message;
  show("message", message);
  put("message-text", message || "");
  show("live", inLine && reach === "ok");
  const lives = Boolean(adapter.isLive?.());
  put("live", t(lives ? "live" : "polling"));
  $("live").toggleAttribute("data-on", lives);
}

function renderButtons(state, inLine) {
  const go = buttonFor(state);
  show("go", go);
  put("go", go && t(go));
  show("tell", inLine);
  $("tell").setAttribute("aria-pressed", tells);
  show("tell-note", inLine && tells);
  const notifies = typeof Notification !== "undefined" && Notification.permission === "granted";
  put("tell-note", tells ? t(notifies ? "tell_on" : "tell_sound") : "");
  show("finish", state === "active" && !hasDoor(state));
  show("leave", inLine && adapter.leave);
  if (!inLine && $("ask").open) $("ask").close();
}

function buttonFor(state) {
  if (state === "left") return isGrace() ? "restore" : "rejoin";
  if (state === "expired" || state === "finished") return "rejoin";
  if (state === "login") return "login";
  if (state === "not_found" || (state === "closed" && !standing)) return "retry";
  return hasDoor(state) ? "enter" : "";
}

// For those who listen: a new state at once, a new number at most every 15 seconds.
let spokenAt = 0, spokenOf = "";
function speak(shown, inLine, text) {
  const now = Date.now();
  if (shown === spokenOf && (!inLine || now - spokenAt < 15000)) return;
  if (shown === spokenOf && $("spoken").textContent === text) return;
  spokenOf = shown;
  spokenAt = now;
  put("spoken", text);
}

function speakLanguage(next) {
  language = next;
  document.documentElement.lang = language;
  document.documentElement.dir = TEXTS[language].dir;
  document.querySelectorAll("[data-text]").forEach(element => { element.textContent = t(element.dataset.text); });
  $("languages").setAttribute("aria-label", t("language"));
  for (const button of $("languages").children) button.toggleAttribute("aria-current", button.lang === language);
  render();
}

// ---- Beginning -------------------------------------------------------------------------------
function begin() {
  for (const [tag, texts] of Object.entries(TEXTS)) {
    const button = document.createElement("button");
    button.lang = tag;
    button.textContent = texts.name;
    button.onclick = () => {
      const address = new URL(location.href);
      address.searchParams.set("lang", tag);
      history.replaceState(history.state, "", address);
      speakLanguage(tag);
    };
    $("languages").append(button);
  }
  speakLanguage(language);

  $("tell").onclick = toggleTell;
  $("leave").onclick = () => $("ask").showModal();
  $("stay").onclick = () => $("ask").close();
  $("leave-yes").onclick = leave;
  $("finish").onclick = async () => {
    try { await adapter.finish(); standing.state = "finished"; clearTimeout(timer); } catch { reach = "lost"; }
    render();
  };
  $("go").onclick = () => {
    const state = view();
    if (state === "login") location.assign(`${base}/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    else if (hasDoor(state)) go(safeTarget(standing.target));
    else comeBack();
  };

  watchSleep();
  window.addEventListener("online", () => { adapter.wake?.(); askNow(); });
  window.addEventListener("offline", () => { reach = "lost"; adapter.follow?.(false); render(); });
  // Another tab left, or came back: this one is the same visitor.
  window.addEventListener("storage", event => {
    if (event.key !== store.name("ticket")) return;
    if (event.newValue === null) {
      if (standing && standing.state === "waiting") { leaveHere(); render(); }
    } else if (leftAt !== null || event.newValue !== ticket) {
      leftAt = null;
      standing = null;
      keep(event.newValue);
      askNow();
    }
  });
  turn();
}
