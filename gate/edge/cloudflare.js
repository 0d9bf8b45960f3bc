// Cloudflare: a Worker in front of the origin. Secrets are bindings of the Worker.

const HMAC = { name: "HMAC", hash: "SHA-256" };

async function verify(kind, format, material, usage, text, signature) {
  const key = await crypto.subtle.importKey(format, material, kind, false, ["verify"]);
  return crypto.subtle.verify(usage, key, signature, utf8.encode(text));
}

async function sign(secret, text) {
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8.encode(text)));
}

function platformOf(bindings) {
  return {
    variable: name => bindings[name],
    sign,
    hs256: (secret, text, signature) => verify(HMAC, "raw", secret, "HMAC", text, signature),
    ed25519: (x, text, signature) => verify(
      { name: "Ed25519" }, "jwk", { kty: "OKP", crv: "Ed25519", x }, "Ed25519", text, signature),
  };
}

// The path as it stands in the URL: the URL class would repair what must be refused.
function questionOf(request) {
  const [, host, target] = /^[a-z]+:\/\/([^/?#]*)([^#]*)$/i.exec(request.url) ?? ["", "", "unreadable"];
  const headers = name => (request.headers.has(name) ? [request.headers.get(name)] : []);
  const [path, query = ""] = target.split(/\?(.*)/s);
  return { method: request.method, host, target: path === "" ? "/" : path, query, headers };
}

const decideFor = (request, bindings) => decide(GATE, questionOf(request), factsOf(GATE, platformOf(bindings)));

export default {
  decide: decideFor,
  async fetch(request, bindings) {
    let decision = await decideFor(request, bindings);
    if (decision.verdict === "pass") {
      const headers = new Headers(request.headers);
      for (const name of [...headers.keys()]) if (RESERVED.test(name)) headers.delete(name);
      const stamp = await stampOf(GATE, questionOf(request), platformOf(bindings));
      if (stamp) headers.set(STAMP, stamp);
      if (stamp !== null) return fetch(new Request(request, { headers, redirect: "manual" }));
      decision = UNSIGNED;
    }
    const headers = { "Cache-Control": NO_STORE };
    if (decision.verdict === "redirect") return new Response(null, { status: 302, headers: { ...headers, Location: decision.location } });
    return new Response(JSON.stringify(decision.body), {
      status: decision.status, headers: { ...headers, "Content-Type": "application/json" },
    });
  },
};
