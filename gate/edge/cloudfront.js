// CloudFront: a viewer-request function of Lambda@Edge. Such functions have no environment, so what is asked for by
// name is also looked up in secrets.json beside this file: { "NAME": "value", … }.

const crypto = require("node:crypto");

let bundled;
function variable(name) {
  if (process.env[name] !== undefined) return process.env[name];
  if (bundled === undefined) {
    try {
      bundled = require("./secrets.json");
    } catch {
      bundled = {};
    }
  }
  return bundled[name];
}

const platform = {
  variable,
  sign: (secret, text) => crypto.createHmac("sha256", secret).update(text).digest(),
  hs256(secret, text, signature) {
    const right = platform.sign(secret, text);
    return signature.length === right.length && crypto.timingSafeEqual(signature, right);
  },
  ed25519(x, text, signature) {
    const key = crypto.createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return crypto.verify(null, Buffer.from(text), key, signature);
  },
};

function questionOf(request) {
  const headers = name => (request.headers[name] ?? []).map(({ value }) => value);
  return { method: request.method, host: headers("host")[0] ?? "", target: request.uri, query: request.querystring, headers };
}

exports.decide = request => decide(GATE, questionOf(request), factsOf(GATE, platform));

exports.handler = async event => {
  const { request } = event.Records[0].cf;
  let decision = await exports.decide(request);
  if (decision.verdict === "pass") {
    for (const name of Object.keys(request.headers)) if (RESERVED.test(name)) delete request.headers[name];
    const stamp = await stampOf(GATE, questionOf(request), platform);
    if (stamp) request.headers[STAMP.toLowerCase()] = [{ key: STAMP, value: stamp }];
    if (stamp !== null) return request;
    decision = UNSIGNED;
  }
  const headers = { "cache-control": [{ key: "Cache-Control", value: NO_STORE }] };
  if (decision.verdict === "redirect") {
    headers.location = [{ key: "Location", value: decision.location }];
    return { status: "302", statusDescription: "Found", headers };
  }
  headers["content-type"] = [{ key: "Content-Type", value: "application/json" }];
  const statusDescription = { 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden" }[decision.status];
  return { status: String(decision.status), statusDescription, headers, body: JSON.stringify(decision.body) };
};
