// Tokens, read as strictly as the server reads them (token/jwt.h, token/json_object.h, token/pass.h).

const TOKEN_BYTES_MAX = 2048;
const SIGNATURE_BYTES_MAX = 512;
const MEMBERS_MAX = 32;
const DEPTH_MAX = 8;
const SKEW_SECONDS_MAX = 60;
const SECONDS_MAX = 253402300799;
const SECRET_BYTES_MIN = 32;
const SECRET_BYTES_MAX = 512;
const DIFFERENT_BYTES_MIN = 8;
const AUDIENCES_MAX = 16;

const URL_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const STANDARD_DIGITS = URL_DIGITS.slice(0, 62) + "+/";

class Refused extends Error {}
const refuse = reason => { throw new Refused(reason); };

// Null when the text is not canonical: no padding, no white space, unused bits zero.
function fromBase64(text, digits) {
  if (text.length % 4 === 1) return null;
  const bytes = [];
  let bits = 0, held = 0;
  for (const c of text) {
    const digit = digits.indexOf(c);
    if (digit < 0) return null;
    bits = (bits << 6 | digit) & 0xffff;
    held += 6;
    if (held >= 8) bytes.push(bits >> (held -= 8) & 255);
  }
  if (bits & ((1 << held) - 1)) return null;
  return Uint8Array.from(bytes);
}

function toBase64Url(bytes) {
  let text = "", bits = 0, held = 0;
  for (const byte of bytes) {
    bits = (bits << 8 | byte) & 0xffff;
    for (held += 8; held >= 6;) text += URL_DIGITS[bits >> (held -= 6) & 63];
  }
  return held > 0 ? text + URL_DIGITS[bits << (6 - held) & 63] : text;
}

const utf8 = new TextEncoder();
function fromUtf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

// The bytes of a secret, by what its text is; null when it is too weak to be one.
function secretBytes(text, form) {
  if (typeof text !== "string") return null;
  let bytes = form === "base64url" ? fromBase64(text, URL_DIGITS) : utf8.encode(text);
  if (form === "base64 or text") {
    const padded = text.length % 4 === 0 && text.endsWith("=");
    const decoded = fromBase64(padded ? text.replace(/={1,2}$/, "") : text, STANDARD_DIGITS);
    if (decoded && decoded.length >= SECRET_BYTES_MIN) bytes = decoded;
  }
  if (!bytes || bytes.length < SECRET_BYTES_MIN || bytes.length > SECRET_BYTES_MAX) return null;
  return new Set(bytes).size < DIFFERENT_BYTES_MIN ? null : bytes;
}

// One JSON object as a Map: no member twice, limited depth, whole numbers apart from others. A value is a string,
// a boolean, null, a whole number, or an Other that no claim may be.
class Other {
  constructor(kind, list) { this.kind = kind; this.list = list; }
}

class Json {
  constructor(text) { this.text = text; this.at = 0; }

  static object(bytes, otherwise) {
    const text = fromUtf8(bytes);
    if (text === null) refuse(otherwise);
    const json = new Json(text);
    json.otherwise = otherwise;
    json.space();
    const members = json.members(1, true);
    json.space();
    if (json.at !== text.length) refuse(otherwise);
    return members;
  }

  space() { while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at++; }
  take(c) {
    if (this.text[this.at] !== c) return false;
    this.at++;
    return true;
  }
  need(truth) { if (!truth) refuse(this.otherwise); }

  members(depth, outermost) {
    this.need(this.take("{"));
    const found = new Map();
    this.space();
    if (this.take("}")) return found;
    for (;;) {
      this.space();
      const name = this.string();
      this.space();
      this.need(this.take(":"));
      const value = this.value(depth);
      if (outermost) {
        if (found.has(name)) refuse("duplicate_member");
        this.need(found.size < MEMBERS_MAX);
        found.set(name, value);
      }
      this.space();
      if (this.take("}")) return found;
      this.need(this.take(","));
    }
  }

  elements(depth) {
    this.need(this.take("["));
    const list = [];
    this.space();
    if (this.take("]")) return list;
    for (;;) {
      list.push(this.value(depth));
      this.space();
      if (this.take("]")) return list;
      this.need(this.take(","));
    }
  }

  value(depth) {
    this.space();
    const c = this.text[this.at];
    if (c === '"') return this.string();
    if (c === "{" || c === "[") {
      this.need(depth < DEPTH_MAX);
      if (c === "[") return new Other("array", this.elements(depth + 1));
      this.members(depth + 1, false);
      return new Other("object");
    }
    for (const [word, value] of [["true", true], ["false", false], ["null", null]])
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    return this.number();
  }

  number() {
    const match = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/.exec(this.text.slice(this.at));
    this.need(match);
    this.at += match[0].length;
    const whole = match[1] === undefined && match[2] === undefined && match[0] !== "-0";
    if (!whole) return new Other("number");
    const value = Number(match[0]);
    if (Number.isSafeInteger(value)) return value;
    // No claim of ours is so large, but some site's user numbers are.
    const large = BigInt(match[0]);
    return BigInt.asIntN(64, large) === large ? large : new Other("number");
  }

  string() {
    this.need(this.take('"'));
    let out = "";
    for (;;) {
      const c = this.text[this.at++];
      this.need(c !== undefined && c >= " ");
      if (c === '"') return out;
      out += c === "\\" ? this.escape() : c;
    }
  }

  escape() {
    const c = this.text[this.at++];
    const plain = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[c];
    if (plain !== undefined) return plain;
    this.need(c === "u");
    const high = this.hex();
    this.need(high < 0xdc00 || high > 0xdfff);
    if (high < 0xd800 || high > 0xdbff) return String.fromCharCode(high);
    this.need(this.take("\\") && this.take("u"));
    const low = this.hex();
    this.need(low >= 0xdc00 && low <= 0xdfff);
    return String.fromCharCode(high, low);
  }

  hex() {
    const digits = this.text.slice(this.at, this.at + 4);
    this.need(/^[0-9a-fA-F]{4}$/.test(digits));
    this.at += 4;
    return parseInt(digits, 16);
  }
}

function splitToken(token) {
  if (token.length > TOKEN_BYTES_MAX) refuse("oversized");
  const parts = token.split(".");
  if (parts.length !== 3) refuse("malformed");
  const [header, claims, signature] = parts.map(part => fromBase64(part, URL_DIGITS));
  return { header, claims, signature, signedText: parts[0] + "." + parts[1] };
}

function checkHeader(header) {
  for (const [name, value] of header) {
    if (name === "crit") refuse("critical_header");
    if (name !== "alg" && name !== "typ" && name !== "kid") refuse("unexpected_header");
    if (typeof value !== "string") refuse("bad_header");
    if (name === "typ" && value !== "JWT") refuse("wrong_token_type");
  }
}

// Of several keys the one that came closest says why.
async function checkSignature(parts, header, keys, now, anyName, holds) {
  if (!parts.signature || parts.signature.length > SIGNATURE_BYTES_MAX) refuse("bad_encoding");
  let reason = "unknown_key";
  for (const key of keys) {
    if (!anyName && header.has("kid") && header.get("kid") !== key.kid) continue;
    if (header.get("alg") !== key.alg) {
      if (reason === "unknown_key") reason = "wrong_algorithm";
      continue;
    }
    reason = "bad_signature";
    if (!await holds(key, parts.signedText, parts.signature)) continue;
    if (key.retired !== undefined && now >= key.retired) refuse("retired_key");
    return;
  }
  refuse(reason);
}

function checkTimes(claims, now) {
  const sane = name => !claims.has(name) ||
    (typeof claims.get(name) === "number" && claims.get(name) >= 0 && claims.get(name) <= SECONDS_MAX);
  if (!claims.has("exp") || !sane("exp") || !sane("iat") || !sane("nbf")) refuse("bad_time");
  if (claims.has("iat") && claims.get("iat") > claims.get("exp")) refuse("bad_time");
  if (claims.get("exp") <= now) refuse("expired");
  for (const name of ["iat", "nbf"])
    if (claims.has(name) && claims.get(name) > now + SKEW_SECONDS_MAX) refuse("not_yet_valid");
}

// The claims of a token that one of the keys has signed. Throws Refused.
async function readToken(token, keys, now, anyName, holds) {
  const parts = splitToken(token);
  if (!parts.header) refuse("bad_encoding");
  const header = Json.object(parts.header, "bad_header");
  checkHeader(header);
  await checkSignature(parts, header, keys, now, anyName, holds);
  if (!parts.claims) refuse("bad_encoding");
  const claims = Json.object(parts.claims, "bad_claims");
  checkTimes(claims, now);
  return claims;
}

// A pass of the event, or of any when there is none: { event, visitor }. Throws Refused.
async function readPass(token, tier, event, keys, now, holds) {
  const claims = await readToken(token, keys, now, false, holds);
  if (tier === "outer" ? claims.get("tier") !== 1 : claims.has("tier")) refuse("wrong_tier");
  if (claims.has("aud")) refuse("wrong_audience");
  if (claims.has("iss")) refuse("wrong_issuer");
  for (const name of ["sub", "uid", "rid", "jti"])
    if (claims.has(name) && typeof claims.get(name) !== "string") refuse("bad_claims");
  const position = claims.get("position");
  if (claims.has("position") && !(typeof position === "number" && position >= 0 && position <= 0xffffffff))
    refuse("bad_claims");
  const pass = { event: claims.get("sub") ?? "", visitor: claims.get("uid") ?? "" };
  if (pass.event === "" || (event !== null && pass.event !== event)) refuse("wrong_room");
  if (pass.visitor === "") refuse("wrong_visitor");
  return pass;
}

// RFC 7519, 4.1.3: one text, or a list of them.
function isMeantForUs(audience, ours) {
  if (!(audience instanceof Other)) return (audience ?? "") === ours;
  const { list } = audience;
  if (list === undefined || ours === "" || list.length > AUDIENCES_MAX) return false;
  return list.every(one => typeof one === "string") && list.includes(ours);
}

// Whom the site's login names: { id, role }. rules: { issuer, audience }, each may be empty. Throws Refused.
async function readUser(token, keys, now, holds, rules) {
  const claims = await readToken(token, keys, now, true, holds);
  const text = name => {
    const value = claims.get(name) ?? "";
    if (typeof value !== "string") refuse("bad_claims");
    return value;
  };
  const id = name => {
    const value = claims.get(name);
    return (typeof value === "number" || typeof value === "bigint") && value >= 0 ? String(value) : text(name);
  };
  const [type, role, user, subject] = [text("type"), text("role"), id("userId"), id("sub")];
  const issuer = text("iss");
  text("email");
  if (rules.issuer !== "" && issuer !== rules.issuer) refuse("wrong_issuer");
  if (!isMeantForUs(claims.get("aud"), rules.audience)) refuse("wrong_audience");
  if (type !== "access") refuse("wrong_token_type");
  if (claims.has("tier")) refuse("wrong_tier");
  if (user === "" && subject === "") refuse("wrong_visitor");
  return { id: user === "" ? subject : user, role };
}
