// The edge files against the same table as the server (decisions_test.cpp): their decision, and what their platform
// sends. The clock stands still and nothing leaves the process.
import test from "node:test";
import assert from "node:assert/strict";
import crypto from "node:crypto";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.env.ANTEROOM_EDGE_FOLDER;
const table = JSON.parse(readFileSync(process.env.ANTEROOM_DECISIONS, "utf8"));
const stamps = JSON.parse(readFileSync(process.env.ANTEROOM_STAMPS, "utf8"));
const secrets = {
  VWR_TOKEN_SECRET: table.secrets.outer, QUEUE_ENTRY_TOKEN_SECRET: table.secrets.entry, JWT_SECRET: table.secrets.access,
  ANTEROOM_EDGE_KEY: stamps.keys[0],
};
const activeUrl = "https://gate.example/v1/edge/active";

// --- The world of an edge file: a clock, a network, an environment.

const world = { seconds: table.now, active: [], down: false, asked: 0, forwarded: null };
globalThis.crypto ??= crypto.webcrypto; // Every edge has it as a global; Node 18, Debian's, has not.
const never = () => assert.fail("nothing else may be fetched");
Date.now = () => world.seconds * 1000;
globalThis.fetch = async input => {
  if (input instanceof Request) {
    world.forwarded = input;
    return new Response("the origin");
  }
  if (input !== activeUrl) never();
  world.asked++;
  if (world.down) throw new Error("no route");
  return typeof world.active === "string" ? new Response(world.active) : Response.json({ active: world.active });
};
Object.assign(process.env, secrets);

// A file anew each time: it remembers which lines are active.
const require = createRequire(import.meta.url);
let copies = 0;
const platforms = {
  async cloudfront(name) {
    const path = `${folder}/${name}.cloudfront.cjs`;
    delete require.cache[path];
    return require(path);
  },
  async cloudflare(name) {
    return (await import(`${pathToFileURL(`${folder}/${name}.cloudflare.mjs`)}?copy=${++copies}`)).default;
  },
};

// --- Tokens as the table describes them.

const base64url = bytes => Buffer.from(bytes).toString("base64url");
const hmac = (key, text) => crypto.createHmac("sha256", key).update(text).digest();
const privateKey = seed => crypto.createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(seed)]), format: "der", type: "pkcs8",
});
const publicPoint = seed => Buffer.from(crypto.createPublicKey(privateKey(seed)).export({ format: "jwk" }).x, "base64url");

function signature(text, key, keys) {
  if (key === "public") return hmac(publicPoint(table.ed25519.entry), text);
  if (keys === "ed25519" && key in table.ed25519) return crypto.sign(null, Buffer.from(text), privateKey(table.ed25519[key]));
  return hmac(table.secrets[key], text);
}

function claims({ claims, sub, uid, tier, exp = 600, extra = "" }) {
  if (claims !== undefined) return claims;
  const made = JSON.stringify({ sub, uid, ...(typeof tier === "number" && { tier }), iat: table.now, exp: table.now + exp });
  return made.slice(0, -1) + extra + "}";
}

function token(how, keys) {
  if (typeof how === "string") return how;
  const header = how.header ?? (how.key === "outer" ? '{"alg":"HS256","typ":"JWT"}' : '{"alg":"HS256"}');
  const text = `${base64url(header)}.${base64url(claims(how))}`;
  let made = `${text}.${how.signature ?? base64url(signature(text, how.key, keys))}`;
  made = made.slice(0, made.length - (how.cut ?? 0));
  if (how.respell) made = made.slice(0, -1) + String.fromCharCode(made.charCodeAt(made.length - 1) + 1);
  return (how.prepend ?? "") + made + (how.append ?? "");
}

function headersOf(row) {
  const each = pairs => (pairs ?? []).map(([name, value]) => [name, token(value, row.keys)]);
  const headers = each(row.headers);
  const cookies = each(row.cookies).map(pair => pair.join("="));
  if (cookies.length > 0) headers.push(["Cookie", cookies.join("; ")]);
  if (row.user !== undefined) {
    const login = { userId: row.user, role: row.role ?? "", type: "access", iat: 1700000000, exp: 1700001800 };
    headers.push(["Authorization", `Bearer ${token({ key: "access", claims: JSON.stringify(login) })}`]);
  }
  return headers;
}

// --- Requests as the platforms give them.

function frontRequest(row) {
  const headers = { host: [{ key: "Host", value: row.host ?? "shop.example" }] };
  for (const [key, value] of headersOf(row)) (headers[key.toLowerCase()] ??= []).push({ key, value });
  const [uri, querystring = ""] = row.target.split(/\?(.*)/s);
  return { method: row.method, uri, querystring, headers };
}

// The Request class repairs paths and refuses methods, so the row's own are put on top.
function flareRequest(row) {
  const headers = new Headers();
  for (const [name, value] of headersOf(row)) headers.append(name, value);
  const request = new Request("https://shop.example/", { headers });
  Object.defineProperty(request, "url", { value: `https://${row.host ?? "shop.example"}${row.target}` });
  Object.defineProperty(request, "method", { value: row.method });
  return request;
}

const asked = {
  cloudfront: { request: frontRequest, decide: (file, request) => file.decide(request) },
  cloudflare: { request: flareRequest, decide: (file, request) => file.decide(request, secrets) },
};

// What goes out, the same shape for both: status, location, body, or the request that goes on.
const sent = {
  async cloudfront(file, row) {
    const request = frontRequest(row);
    const result = await file.handler({ Records: [{ cf: { request } }] });
    if (result === request)
      return { status: 200, forwarded: Object.keys(request.headers), stamps: (request.headers["x-cloudfront-verified"] ?? []).map(({ value }) => value) };
    const header = name => result.headers[name]?.[0].value;
    return { status: Number(result.status), location: header("location"), cache: header("cache-control"), body: result.body && JSON.parse(result.body) };
  },
  async cloudflare(file, row) {
    world.forwarded = null;
    const response = await file.fetch(flareRequest(row), secrets);
    if (world.forwarded) {
      const { headers } = world.forwarded, stamp = headers.get("x-cloudfront-verified");
      return { status: 200, forwarded: [...headers.keys()], stamps: stamp === null ? [] : [stamp] };
    }
    const text = await response.text();
    return {
      status: response.status, location: response.headers.get("location") ?? undefined,
      cache: response.headers.get("cache-control"), body: text === "" ? undefined : JSON.parse(text),
    };
  },
};

const reset = row => Object.assign(world, { seconds: table.now, active: row?.active ?? [], down: false, asked: 0 });
// Two rows have a target that is no path, which no URL can have.
const rowsOf = platform => table.rows.filter(({ target }) => platform === "cloudfront" || target.startsWith("/"));
// An edge sees no body, and lets pass what only its body is wrong with: the gate behind it looks.
const expected = row => (row.body !== undefined && row.cookies ? { verdict: "pass", status: 200, rule: row.expect.rule } : row.expect);
const fileOf = row => (row.keys === "ed25519" ? "ed25519" : row.logins ?? row.rules ?? "default");

for (const [platform, load] of Object.entries(platforms)) {
  test(`${platform}: decides as the table says`, async () => {
    assert.ok(table.rows.length >= 350);
    for (const row of rowsOf(platform)) {
      reset(row);
      const file = await load(fileOf(row));
      const expect = expected(row);
      const decision = await asked[platform].decide(file, asked[platform].request(row));
      assert.deepEqual(
        { verdict: decision.verdict, status: decision.status, rule: decision.rule, location: decision.location },
        { verdict: expect.verdict, status: expect.status, rule: expect.rule, location: expect.location ?? "" }, row.name);
      if (expect.error) assert.equal(decision.body?.error, expect.error, row.name);
    }
  });

  test(`${platform}: answers as the table says`, async () => {
    for (const row of rowsOf(platform)) {
      reset(row);
      const file = await load(fileOf(row));
      const expect = expected(row);
      const out = await sent[platform](file, row);
      assert.equal(out.status, expect.status, row.name);
      if (expect.verdict === "pass") {
        for (const name of out.forwarded) assert.doesNotMatch(name, /^x-(user-|cloudfront-verified|anteroom-)/i, row.name);
        continue;
      }
      assert.equal(out.cache, "no-store, no-cache, must-revalidate", row.name);
      if (expect.verdict === "redirect") assert.equal(out.location, expect.location, row.name);
      else assert.deepEqual(out.body, expect.location ? { error: expect.error, redirectTo: expect.location } : { error: expect.error }, row.name);
    }
  });

  const page = table.rows.find(row => row.name === "default: an event page without a pass");
  const verdict = async file => (await asked[platform].decide(file, asked[platform].request(page))).verdict;

  test(`${platform}: claims of who is calling are not passed on`, async () => {
    reset();
    const row = { method: "GET", target: "/", headers: [["X-User-Id", "a"], ["X-User-Role", "admin"], ["X-CloudFront-Verified", "1"], ["X-Anteroom-User", "a"], ["X-Other", "b"]] };
    const { forwarded } = await sent[platform](await load("default"), row);
    assert.deepEqual(forwarded.filter(name => name.startsWith("x-")), ["x-other"]);
  });

  for (const name of ["stamped", "inlined"])
    test(`${platform}: what is let through is stamped as the table says, whatever stamp came: ${name}`, async () => {
      for (const { stamp, seconds, ...row } of stamps.stamps) {
        reset();
        world.seconds = seconds ?? stamps.now;
        const file = await load(name);
        const forged = [["X-CloudFront-Verified", "v1.1.x"], ["x-cloudfront-VERIFIED", stamp]];
        assert.deepEqual((await sent[platform](file, { ...row, headers: forged })).stamps, [stamp], row.name);
      }
    });

  test(`${platform}: a file that stamps and has no key lets nobody through`, async () => {
    reset();
    const file = await load("stamped");
    const row = { method: "GET", target: "/shop" };
    for (const weak of [undefined, "", "secret", "a".repeat(40)]) {
      const right = secrets.ANTEROOM_EDGE_KEY;
      delete process.env.ANTEROOM_EDGE_KEY;
      delete secrets.ANTEROOM_EDGE_KEY;
      if (weak !== undefined) process.env.ANTEROOM_EDGE_KEY = secrets.ANTEROOM_EDGE_KEY = weak;
      const out = await sent[platform](file, row);
      process.env.ANTEROOM_EDGE_KEY = secrets.ANTEROOM_EDGE_KEY = right;
      assert.deepEqual([out.status, out.body], [403, { error: "Edge signature required" }]);
    }
    assert.equal((await sent[platform](file, row)).stamps.length, 1);
  });

  test(`${platform}: which lines are active is asked once in five seconds`, async () => {
    reset(page);
    const file = await load("default");
    assert.equal(await verdict(file), "redirect");
    world.active = [];
    world.seconds += 4;
    assert.equal(await verdict(file), "redirect");
    assert.equal(world.asked, 1);
    world.seconds += 1;
    assert.equal(await verdict(file), "pass");
    assert.equal(world.asked, 2);
  });

  test(`${platform}: a server that does not answer is believed for a minute, then the gate is closed`, async () => {
    reset();
    const file = await load("default");
    assert.equal(await verdict(file), "pass");
    world.down = true;
    world.seconds += 59;
    assert.equal(await verdict(file), "pass");
    world.seconds += 6;
    assert.equal(await verdict(file), "redirect");
    assert.equal(await verdict(file), "redirect");
    assert.equal(world.asked, 3, "a failure is remembered, too");
    world.down = false;
    world.seconds += 5;
    assert.equal(await verdict(file), "pass");
  });

  for (const answer of ["", "{}", "[]", '{"active":"all"}', '{"active":[1]}', "<html>"])
    test(`${platform}: an answer that is no list closes the gate: ${answer}`, async () => {
      reset();
      world.active = answer;
      assert.equal(await verdict(await load("default")), "redirect");
    });

  test(`${platform}: a file made to fail open lets pass instead, and its secrets are in it`, async () => {
    reset();
    world.down = true;
    const file = await load("inlined");
    assert.equal(await verdict(file), "pass");
    const row = { ...table.rows.find(({ name }) => name === "default: a pass in the cookie") };
    const request = asked[platform].request(row);
    for (const name of Object.keys(secrets)) delete process.env[name];
    const decision = await (platform === "cloudfront" ? file.decide(request) : file.decide(request, {}));
    Object.assign(process.env, secrets);
    assert.equal(decision.verdict, "pass");
  });

  test(`${platform}: without its secrets the gate lets nobody through`, async () => {
    reset();
    const file = await load("default");
    const row = table.rows.find(({ name }) => name === "default: a pass in the cookie");
    for (const weak of [undefined, "", "secret", "a".repeat(40)]) {
      const environment = Object.fromEntries(Object.keys(secrets).map(name => [name, weak]));
      for (const [name, value] of Object.entries(environment)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      const request = asked[platform].request(row);
      const decision = await (platform === "cloudfront" ? file.decide(request) : file.decide(request, environment));
      Object.assign(process.env, secrets);
      assert.equal(decision.verdict, "refuse");
    }
  });

  test(`${platform}: every bit of a pass counts`, async () => {
    reset();
    const file = await load("default");
    const row = table.rows.find(({ name }) => name === "default: a pass in the cookie");
    const pass = token(row.cookies[0][1]);
    for (let at = 0; at < pass.length; at++)
      for (const bit of [1, 2, 4, 8, 16]) {
        const c = String.fromCharCode(pass.charCodeAt(at) ^ bit);
        if (!/[\w.-]/.test(c)) continue;
        const spoilt = { ...row, cookies: [["urr-entry-token", pass.slice(0, at) + c + pass.slice(at + 1)]] };
        const decision = await asked[platform].decide(file, asked[platform].request(spoilt));
        assert.equal(decision.verdict, "refuse", `bit ${bit} at ${at}`);
      }
  });
}
