// The decision, as the server makes it (gate/path.h, gate/pattern.h, gate/decide.h).

const PATH_BYTES_MAX = 2048;
const SEGMENT_BYTES_MAX = 255;
const SEGMENTS_MAX = 64;
const STALE_SECONDS = 60;
const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const NO_STORE = "no-store, no-cache, must-revalidate";
const STAMP = "X-CloudFront-Verified";
// Only who stands behind the gate may say these.
const RESERVED = /^(x-user-(id|email|role)|x-cloudfront-verified|x-anteroom-.*)$/i;

const lower = text => text.replace(/[A-Z]/g, c => c.toLowerCase());
// Also the letters of other alphabets that become ASCII when a program changes their case.
const fold = text => lower(text).replace(/\u017f/g, "s").replace(/\u212a/g, "k").replace(/[\u0130\u0131]/g, "i");
const trim = text => text.replace(/^[ \t]+|[ \t]+$/g, "");

function decodePath(path) {
  if (path.length > PATH_BYTES_MAX || path[0] !== "/") return null;
  const bytes = [];
  for (let at = 0; at < path.length; at++) {
    let byte = path.charCodeAt(at);
    if (path[at] === "%") {
      const digits = path.slice(at + 1, at + 3);
      if (!/^[0-9a-fA-F]{2}$/.test(digits)) return null;
      byte = parseInt(digits, 16);
      if (byte < 0x20 || byte === 0x7f || "/\\;".includes(String.fromCharCode(byte))) return null;
      at += 2;
    } else if (byte <= 0x20 || byte >= 0x7f || '"<>#\\;'.includes(path[at])) {
      return null;
    }
    bytes.push(byte);
  }
  const text = fromUtf8(Uint8Array.from(bytes));
  return text === null || /%[0-9a-fA-F]{2}/.test(text) ? null : text;
}

// The segments, or null when the path can be read in two ways.
function cleanPath(target) {
  const text = decodePath(target.split("?", 1)[0]);
  if (text === null || text.includes("//")) return null;
  const segments = text.split("/").slice(1);
  if (segments[segments.length - 1] === "") segments.pop();
  if (segments.length > SEGMENTS_MAX) return null;
  for (const segment of segments)
    if (segment === "." || segment === ".." || utf8.encode(segment).length > SEGMENT_BYTES_MAX) return null;
  if (isApi(segments)) while (segments.length > 1 && fold(segments[1]) === "v1") segments.splice(1, 1);
  return segments;
}

const isApi = segments => segments.length > 0 && fold(segments[0]) === "api";

// The captured event or "", or null when the path does not fit.
function matchPath(pieces, segments, exactly) {
  const open = pieces[pieces.length - 1] === "**";
  const fixed = pieces.length - (open ? 1 : 0);
  if (open ? segments.length < fixed : segments.length !== fixed) return null;
  let event = "";
  for (let at = 0; at < fixed; at++) {
    const piece = pieces[at], segment = segments[at];
    if (piece[0] === "=") {
      const text = piece.slice(1);
      if (exactly ? text !== segment : lower(text) !== fold(segment)) return null;
    } else if (piece === "{event:uuid}" && !UUID.test(segment)) {
      return null;
    }
    if (piece[0] === "{") event = UUID.test(segment) ? lower(segment) : segment;
  }
  return event;
}

function matchHost(wanted, host) {
  host = lower(host.replace(/^(\[[^\]]*\]|[^:\]]*).*$/, "$1").replace(/\.$/, ""));
  return wanted.startsWith("*.") ? host.length > wanted.length - 1 && host.endsWith(wanted.slice(1)) : host === wanted;
}

// The first cookie of that name with a proper value, or null.
function cookieOf(request, name) {
  for (const header of request.headers("cookie"))
    for (const pair of header.split(";").map(trim)) {
      const equals = pair.indexOf("=");
      if (equals < 0 || pair.slice(0, equals) !== name) continue;
      let value = pair.slice(equals + 1);
      if (value.length >= 2 && value[0] === '"' && value.endsWith('"')) value = value.slice(1, -1);
      if (/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value)) return value;
    }
  return null;
}

// A header that comes twice is a text that is no token.
function onlyHeader(request, name) {
  const values = request.headers(name);
  return values.length > 1 ? "," : trim(values[0] ?? "");
}

const outerToken = request => onlyHeader(request, "x-vwr-token") || cookieOf(request, "urr-vwr-token") || "";
const entryToken = request => onlyHeader(request, "x-queue-entry-token") || cookieOf(request, "urr-entry-token") ||
  cookieOf(request, "tiketi-entry-token") || "";
function accessToken(request) {
  const shown = onlyHeader(request, "authorization");
  if (shown === ",") return shown;
  const bearer = /^bearer [ \t]*(.+)$/i.exec(shown);
  return bearer ? bearer[1] : cookieOf(request, "access_token") ?? "";
}

function findRule(gate, request, segments) {
  for (const rule of gate.rules) {
    if (rule.methods.length > 0 && !rule.methods.includes(request.method)) continue;
    if (rule.hosts.length > 0 && !rule.hosts.some(host => matchHost(host, request.host))) continue;
    const exactly = rule.needs.length === 0 && !rule.deny;
    let event = null;
    for (const path of rule.paths) if ((event = matchPath(path, segments, exactly)) !== null) break;
    if (event === null) continue;
    const holds = ({ where, name, present }) =>
      (where === "header" ? request.headers(name).length > 0 : cookieOf(request, name) !== null) === present;
    if (rule.conditions.every(holds)) return { rule, event };
  }
  throw new Error("the last rule fits everything");
}

// What the caller lacks, or null.
const lacking = {
  async outer(gate, request, event, facts) {
    if (!await facts.active(event)) return null;
    const token = outerToken(request);
    return token !== "" && await facts.pass(token, "outer", event) ? null : [403, "Waiting room pass required"];
  },
  async entry(gate, request, event, facts) {
    const no = [403, "Queue entry token required"];
    const token = entryToken(request);
    if (token === "") return no;
    const pass = await facts.pass(token, "entry", event === "" ? null : event);
    if (!pass) return no;
    const user = await facts.user(request);
    return user ? (user.id === pass.visitor ? null : no) : gate.anonymousEntry ? null : no;
  },
  async user(gate, request, event, facts) {
    return await facts.user(request) ? null : [401, "Authentication required"];
  },
  async admin(gate, request, event, facts) {
    const user = await facts.user(request);
    if (!user) return [401, "Authentication required"];
    return lower(user.role) === "admin" ? null : [403, "Admin role required"];
  },
};

function expand(redirect, event) {
  const encoded = encodeURIComponent(event).replace(/[!'()*]/g, c => "%" + c.charCodeAt(0).toString(16).toUpperCase());
  return redirect.split("{event}").join(encoded);
}

function refusal(gate, rule, segments, event, [status, error], redirect) {
  const page = gate.redirectApi || (rule.kind ? rule.kind === "page" : !isApi(segments));
  const location = expand(redirect ?? "", event);
  if (page && location !== "") return { verdict: "redirect", status: 302, rule: rule.name, location };
  return { verdict: "refuse", status, rule: rule.name, location, body: location === "" ? { error } : { error, redirectTo: location } };
}

// request: { method, host, target, query, headers(name) → values }. facts: what the server's witness knows.
async function decide(gate, request, facts) {
  const segments = cleanPath(request.target);
  if (segments === null) return { verdict: "bad_request", status: 400, rule: "", location: "", body: { error: "Bad request" } };
  const { rule, event } = findRule(gate, request, segments);
  if (rule.deny) return refusal(gate, rule, segments, event, [403, "Forbidden"], rule.denyRedirect);
  for (const need of rule.needs) {
    const unmet = await lacking[need](gate, request, event, facts);
    if (unmet) return refusal(gate, rule, segments, event, unmet, rule.redirects[need]);
  }
  return { verdict: "pass", status: 200, rule: rule.name, location: "" };
}

const UNSIGNED = { verdict: "refuse", status: 403, rule: "", location: "", body: { error: "Edge signature required" } };

// What tells the gate behind us that this request has come through here, and when (gate/edge_stamp.h). Undefined: the
// gate does not ask for it. Null: it does, and there is no key here.
async function stampOf(gate, request, platform) {
  const key = gate.keys.edge;
  if (key === undefined) return undefined;
  const secret = secretBytes(key.value ?? platform.variable(key.variable), key.form);
  if (secret === null) return null;
  const seconds = Math.floor(Date.now() / 1000);
  const target = request.target + (request.query ? "?" + request.query : "");
  const text = ["v1", seconds, request.method, lower(request.host), target].join("\n");
  return `v1.${seconds}.${toBase64Url(await platform.sign(secret, text))}`;
}

// Which outer lines are active, asked of the server every few seconds. When it does not answer, what it said last
// holds for a minute; after that all lines are active (closed) or none (open). Requests share the answer and not the
// question: a Worker may not wait for what another request has asked.
const activeList = { events: null, saidAt: -Infinity, askedAt: -Infinity, asking: 0 };

async function askActive(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
  const { active } = answer.ok ? await answer.json() : {};
  if (!Array.isArray(active) || active.some(id => typeof id !== "string")) throw new Error("no list of events");
  return new Set(active);
}

async function isActive(gate, event, url) {
  const now = Date.now() / 1000;
  const known = () => now - activeList.saidAt < STALE_SECONDS;
  const due = now - activeList.askedAt >= gate.activeSeconds || now < activeList.askedAt;
  if (due || (activeList.asking > 0 && !known())) {
    activeList.askedAt = now;
    activeList.asking++;
    try {
      activeList.events = await askActive(url);
      activeList.saidAt = now;
    } catch {
      // What it said last holds.
    }
    activeList.asking--;
  }
  return known() ? activeList.events.has(event) : gate.fail === "closed";
}

// platform: { variable(name), sign(secret, text), hs256(secret, text, signature), ed25519(x, text, signature) }.
function factsOf(gate, platform) {
  const now = Math.floor(Date.now() / 1000);
  const holds = (key, text, signature) => {
    if (key.x !== undefined) return platform.ed25519(key.x, text, signature);
    const secret = secretBytes(key.value ?? platform.variable(key.variable), key.form);
    return secret !== null && platform.hs256(secret, text, signature);
  };
  const orNobody = async reading => {
    try {
      return await reading;
    } catch (refused) {
      if (refused instanceof Refused) return null;
      throw refused;
    }
  };
  return {
    active: event => isActive(gate, event, gate.activeUrl || platform.variable("ANTEROOM_ACTIVE_URL")),
    pass: (token, tier, event) => orNobody(readPass(token, tier, event, gate.keys[tier], now, holds)),
    user: request => {
      const token = accessToken(request);
      return token === "" ? null : orNobody(readUser(token, gate.keys.access, now, holds, gate));
    },
  };
}
