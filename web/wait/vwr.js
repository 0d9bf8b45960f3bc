// The line before an event's page (tier 1). A place is a request id that this browser remembers, under
// the names of the page that was here before: who waits with that one keeps the place.
const API = "/vwr-api/vwr";
const EVENT = `${base}/events/${room}`;
const SESSION = `urr-vwr-${room}`;

const visitor = recall(lasting, "urr-anon-id") || newVisitor();
let session = storedSession();
let lost = 0;   // Places that the server did not know, one after the other.

function newVisitor() {
  const traits = [screen.width, screen.height, screen.colorDepth, new Date().getTimezoneOffset(), navigator.language, navigator.hardwareConcurrency || 0];
  let hash = 0x811c9dc5;   // FNV-1a.
  for (const byte of new TextEncoder().encode(traits.join())) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const [chance] = crypto.getRandomValues(new Uint32Array(1));
  const id = `anon-${hash.toString(36)}-${chance.toString(16).padStart(8, "0")}`;
  remember(lasting, "urr-anon-id", id);
  return id;
}

function storedSession() {
  try {
    const { requestId, position } = JSON.parse(recall(lasting, SESSION));
    return requestId ? { requestId, position } : null;
  } catch { return null; }
}

function keepSession(next) {
  session = next;
  remember(lasting, SESSION, next && JSON.stringify(next));
}

const adapter = {
  lead: "kept_lead",   // A counter releases this line: nobody has to be present.

  async take() {
    if (!room) throw new Refusal(404, { code: "room_not_found" });
    if (session) return adapter.ask();
    const given = await call("POST", `${API}/assign/${room}`, { body: JSON.stringify({ userId: visitor }) });
    keepSession({ requestId: given.requestId, position: given.position });
    // This answer knows nobody behind and gives no advice: the first question comes soon.
    return { ...standingOf(given), state: given.position > given.servingCounter ? "waiting" : "called", poll_after_seconds: 2 };
  },

  async ask() {
    const seen = await call("GET", `${API}/check/${room}/${encodeURIComponent(session.requestId)}?userId=${encodeURIComponent(visitor)}`);
    lost = 0;
    return standingOf(seen);
  },

  pause: () => standing.poll_after_seconds,

  onFault({ status }) {
    if (status !== 404 || !room) return;
    if (!session) { accept({ state: "active", target: EVENT }); return [null, 0]; }   // No line before this event.
    keepSession(null);
    standing = null;
    newPlace = true;
    return [lost++ ? Math.min(60, 5 * lost) : 0.1, 0.1];
  },
  retryIn: fault => fault.retryAfter || 5,

  depart() { remember(lasting, SESSION, null); },
  heading: () => t("title"),
};

// The token itself comes as a cookie that scripts neither see nor need.
function standingOf(answer) {
  const { position, servingCounter = 0, totalInQueue = 0 } = answer;
  const upTo = answer.ahead ?? position - servingCounter;   // Counts the visitor, too.
  return {
    state: answer.admitted && answer.token ? "active" : "waiting", target: EVENT, number: position,
    ahead: Math.max(0, upTo - 1), behind: Math.max(0, totalInQueue - position),
    eta_seconds: waitOf(answer.estimatedWait), poll_after_seconds: pollAfter(answer.nextPoll, 5, 300),
  };
}
