// Cloudflare: a Worker in front of the origin. Secrets are bindings of the Worker.

async function verify(kind, format, material, usage, text, signature) {
  const key = await crypto.subtle.importKey(format, material, kind, false, ["verify"]);
  return crypto.subtle.verify(usage, key, signature, utf8.encode(text));
}

function platformOf(bindings) {
  return {
    variable: name => bindings[name],
    hs256: (secret, text, signature) =>
      verify({ name: "HMAC", hash: "SHA-256" }, "raw", secret, "HMAC", text, signature),
    ed25519: (x, text, signature) => verify(
      { name: "Ed25519" }, "jwk", { kty: "OKP", crv: "Ed25519", x }, "Ed25519", text, signature),
  };
}

// The path as it stands in the URL: the URL class would repair what must be refused.
function questionOf(request) {
  const [, host, target] = /^[a-z]+:\/\/([^/?#]*)([^#]*)$/i.exec(request.url) ?? ["", "", "unreadable"];
  const headers = name => (request.headers.has(name) ? [request.headers.get(name)] : []);
  return { method: request.method, host, target: /^(\?|$)/.test(target) ? "/" + target : target, headers };
}

const decideFor = (request, bindings) => decide(GATE, questionOf(request), factsOf(GATE, platformOf(bindings)));

export default {
  decide: decideFor,
  async fetch(request, bindings) {
    const decision = await decideFor(request, bindings);
    if (decision.verdict === "pass") {
      const headers = new Headers(request.headers);
      for (const name of [...headers.keys()]) if (RESERVED.test(name)) headers.delete(name);
      return fetch(new Request(request, { headers, redirect: "manual" }));
    }
    const headers = { "Cache-Control": NO_STORE };
    if (decision.verdict === "redirect") return new Response(null, { status: 302, headers: { ...headers, Location: decision.location } });
    return new Response(JSON.stringify(decision.body), {
      status: decision.status, headers: { ...headers, "Content-Type": "application/json" },
    });
  },
};
