// A room of this server: its stream, else the shared frame and, less often, the own standing.
const ROOM = `/v1/rooms/${room}`;
const HEARTBEAT_MS = 60000;     // Beside a live stream.
const LOOK_SECONDS = 20;        // How often the page looks whether the stream is still alive.
const STREAM_SILENT_MS = 90000; // Where nothing changes nothing is said; the question beside it shows that it lives.
const STREAM_LATE_MS = 20000;   // News are never so late.

// The ticket is also in an HttpOnly cookie; either of them keeps the place.
const own = (method, path, body) => call(method, ROOM + path, { body, headers: ticket ? { Authorization: `Bearer ${ticket}` } : {} });

const adapter = {
  hasPresence: true,

  async take() {
    if (ticket && !returning) {
      const found = await own("GET", "/ticket");
      if (!ENDED.includes(found.state)) return found;
      newPlace = found.state === "expired";
      forget();
    }
    return own("POST", "/tickets", "{}");
  },

  async ask() {
    if (standing.state === "called") return own("POST", "/ticket/claim");
    const waits = standing.state === "waiting";
    if (streamLives()) return waits && !isStatusDue() ? null : askBeside(streamAt);
    if (!waits || isStale() || document.hidden || isStatusDue()) return own("GET", "/ticket");
    onPulse(await call("GET", `${ROOM}/pulse`, { shared: true }));
    return null;
  },

  pause() {
    const now = Date.now();
    if (streamLives()) {
      statusDue = Math.max(statusDue, acceptedAt + HEARTBEAT_MS);
      return Math.min(LOOK_SECONDS, Math.max(0.2, (statusDue - now) / 1000));
    }
    // The shared frame in between, where the own status is asked less often.
    const until = Math.max(0.2, (statusDue - now) / 1000), shared = pollFrom(pulse && pulse.poll, ahead);
    return document.hidden || until < 1.25 * shared ? until : shared;
  },

  leave: () => own("DELETE", "/ticket"),
  finish: () => own("POST", "/ticket/finish"),

  onFault({ code }) {
    if (code === "ticket_expired" && standing) { standing.state = "expired"; closeStream(); return [null, 0]; }
    if (["ticket_invalid", "ticket_expired", "unauthorized"].includes(code) && (ticket || standing)) {
      newPlace = code === "ticket_expired";
      standing = null;
      forget();
      return [0.1, 0.1];
    }
    if (code === "not_called") { standing.state = "waiting"; statusDue = 0; return [0.5, 0.1]; }
    if (code === "room_not_found") { standing = null; closeStream(); }   // It may come back, and the ticket is kept.
  },
  retryIn: fault => Math.max(fault.retryAfter || 0, Math.min(30, 2 ** (failures - 1))),

  follow(waits) { if (waits) openStream(); else closeStream(); },
  isLive: () => streamLives(),
  // A stream that slept may be dead without knowing it; one that could not be opened is tried again.
  wake() {
    clearTimeout(streamTimer);
    streamTimer = 0;
    if (!streamLives()) closeStream();
  },
  heading() { try { return decodeURIComponent(room); } catch { return room; } },
};

// Early by the jitter, or the pulse would be asked for a moment before.
const isStatusDue = () => Date.now() >= statusDue - 150 * standing.poll_after_seconds;

let pulse = null;
function onPulse(next) {
  if (pulse && next.at < pulse.at && next.at > pulse.at - 30000) return;   // An older copy from a cache.
  pulse = next;
  if (!standing || standing.state !== "waiting") return;
  standing.message = next.message;
  standing.room_state = next.state;
  const { line, order } = standing;
  // A frame a little older than the place lacks those who joined just before; much older: another server's clock is wrong.
  const early = standing.joined_at - next.at;
  if (order === undefined || (early > 0 && early < 30000)) return;
  if (!isInLine(next, line, order)) {          // Called, or out: the server knows.
    if (Date.now() - lastMissed > 3000) { lastMissed = Date.now(); askNow(); }
    return;
  }
  ahead = Math.min(ahead, aheadFrom(next, line, order));
  behind = Math.max(0, next.lines.reduce((sum, other) => sum + other.count, 0) - ahead - 1);
  setWait(waitFrom(next.wait, ahead));
}
let lastMissed = 0;

// ---- The stream: makes the chain slower and the page faster ----------------------------------
let stream = null, streamAt = 0, streamFaults = 0, streamTimer = 0;

const streamLives = () => stream !== null && stream.readyState === EventSource.OPEN && Date.now() - streamAt < STREAM_SILENT_MS;
const isStale = () => stream !== null && streamAt > 0 && !streamLives();

// A stream that did not say what the answer says is dead, whatever the browser thinks.
async function askBeside(heardAt) {
  const found = await own("GET", "/ticket");
  if (streamAt !== heardAt) return found;
  if (found.state === standing.state && found.ahead >= ahead) streamAt = Date.now();
  else if (Date.now() - heardAt > STREAM_LATE_MS) closeStream();
  return found;
}

// Also in a hidden tab: browsers slow down its timers, but not its stream.
function openStream() {
  if (isStale()) closeStream();
  if (stream || wantsOut || streamTimer || typeof EventSource === "undefined") return;
  // The cookie carries the ticket; where it did not, the address does.
  const byAddress = ticket && (!navigator.cookieEnabled || streamFaults % 2 === 1);
  const source = new EventSource(`${base}${ROOM}/events${byAddress ? `?ticket=${encodeURIComponent(ticket)}` : ""}`);
  stream = source;
  const on = (name, act) => source.addEventListener(name, event => {
    if (stream !== source) return;
    const first = !streamLives();
    streamAt = Date.now();
    notePresence();
    streamFaults = failures = 0;
    reach = "ok";
    act(event.data ? JSON.parse(event.data) : null);
    render();
    if (first && stream) { const next = pause(); if (next !== null) schedule(next); }
  });
  const onOwn = next => {
    accept({ ...next, ticket: next.ticket || ticket });
    if (standing.state === "called") askNow();
  };
  on("standing", onOwn);
  on("called", onOwn);
  on("ended", onOwn);
  on("pulse", onPulse);
  on("bye", () => { streamAt = 0; schedule(3, 0.6); });   // The browser comes back after `retry`.
  source.onerror = () => {
    if (stream !== source) return;
    const lived = streamAt > 0;
    streamAt = 0;
    if (source.readyState === EventSource.CLOSED || ++streamFaults > 3) {
      closeStream();
      streamFaults += lived ? 0 : 1;
      streamTimer = setTimeout(() => { streamTimer = 0; if (standing && standing.state === "waiting") openStream(); },
                               1000 * jitter(Math.min(60, 2 ** streamFaults), 0.3));
    }
    if (lived && standing && standing.state === "waiting") { statusDue = 0; schedule(1, 0.5); }
  };
}

function closeStream() {
  if (stream) stream.close();
  stream = null;
  streamAt = 0;
}
