// Events with two tiers, in memory, as small as their pages need them: /vwr-api/vwr, /api/v1/queue and
// the admin routes that the tests use. `answer` may put any answer in place of the right one.
import http from "node:http";
import { randomUUID } from "node:crypto";

export async function startUrrMock({ pages, policy, timer, adminToken }) {
  const world = {
    events: new Map(), seen: [], graceMs: 10_000,
    answer: () => null,   // ({ method, path, body, user }) → { status, body, headers } or nothing.
    event(id) {
      if (!world.events.has(id)) world.events.set(id, { isActive: false, next: 0, serving: 0, places: new Map(), threshold: 1000, inside: new Set(), queue: [], leaving: new Map() });
      return world.events.get(id);
    },
  };
  const server = http.createServer((request, response) => handle(request, response).catch(error => response.writeHead(500).end(String(error))));

  async function handle(request, response) {
    const url = new URL(request.url, "http://mock"), method = request.method, path = url.pathname;
    const body = await readBody(request), user = request.headers["x-user-id"];
    const send = ({ status = 200, body: answer = {}, headers = {} }) => {
      const html = typeof answer === "string";
      response.writeHead(status, { "Content-Type": html ? "text/html; charset=utf-8" : "application/json", "Cache-Control": "no-store", ...headers });
      response.end(html ? answer : JSON.stringify(answer));
    };
    world.seen.push({ method, path, query: url.search, body, user, at: Date.now() });
    const other = world.answer({ method, path, body, user });
    if (other) return send(other);
    const [, first, ...rest] = path.split("/");
    if (pages[first] && rest.length === 1) return send({ body: pages[first], headers: { "Content-Security-Policy": policy } });
    if (first === "queue" && rest[1] === "timer.js") return send({ body: timer, headers: { "Content-Type": "text/javascript" } });
    if (first === "events" || first === "login") return send({ body: "<!doctype html><title>Arrived</title><h1>Arrived</h1>" });
    if (path.startsWith("/vwr-api/vwr/")) return send(tierOne(rest.slice(1), body));
    if (path.startsWith("/api/v1/queue/")) return send(user ? tierTwo(method, rest.slice(2), user) : error(401, "Authentication required"));
    if (request.headers.authorization === `Bearer ${adminToken}`) return send(admin(rest, url, body));
    return send(error(404, "Not found"));
  }

  function tierOne([verb, id, requestId], { userId = "anonymous" }) {
    const event = world.event(id);
    if (verb === "assign") {
      if (!event.isActive) return error(404, "VWR is not active for this event");
      let place = [...event.places.values()].find(other => other.userId === userId);
      if (!place) {
        place = { requestId: randomUUID(), userId, position: ++event.next };
        event.places.set(place.requestId, place);
      }
      return { body: { requestId: place.requestId, position: place.position, estimatedWait: Math.max(0, Math.ceil((place.position - event.serving) / 50)), servingCounter: event.serving } };
    }
    const place = event.places.get(requestId);
    if (!place) return error(404, "Position not found. Request a new position.");
    const { position } = place, servingCounter = event.serving, ahead = position - servingCounter;
    if (event.isActive && ahead > 0) return { body: { admitted: false, position, servingCounter, totalInQueue: event.next, ahead, estimatedWait: Math.ceil(ahead / 50), nextPoll: ahead <= 500 ? 2 : 5 } };
    const cookie = `urr-vwr-token=mock.token.${id}; Path=/; Max-Age=600; HttpOnly; SameSite=Strict`;
    return { body: { admitted: true, token: "mock.token", position, servingCounter, totalInQueue: event.next, ahead: 0 }, headers: { "Set-Cookie": cookie } };
  }

  function tierTwo(method, [verb, id], user) {
    const event = world.event(id);
    if (method === "POST" && verb === "leave") {
      if (event.queue.includes(user)) event.leaving.set(user, Date.now());
      event.inside.delete(user);
      return { body: { message: "Left queue" } };
    }
    settle(event, user);
    if (verb === "check" && !event.queue.includes(user) && !event.inside.has(user)) {
      if (event.queue.length || event.inside.size >= event.threshold) event.queue.push(user); else event.inside.add(user);
    }
    const currentUsers = event.inside.size, info = verb === "check" ? { threshold: event.threshold, eventInfo: event.info ?? { title: "Unknown" } } : {};
    const rank = event.queue.indexOf(user);
    if (rank >= 0) return { body: { status: "queued", queued: true, currentUsers, position: rank + 1, peopleAhead: rank, peopleBehind: event.queue.length - rank - 1, estimatedWait: event.wait ?? 5, nextPoll: 1, ...info } };
    if (event.inside.has(user)) return { body: { status: "active", queued: false, currentUsers, nextPoll: 3, entryToken: "mock.token", ...info }, headers: { "Set-Cookie": `urr-entry-token=mock.token.${id}; Path=/; Max-Age=600; HttpOnly; SameSite=Strict` } };
    return { body: { status: "not_in_queue", queued: false, currentUsers, nextPoll: 3, message: "Not in queue" } };
  }

  // Who asks within the grace period is back; the others are gone; free places are filled.
  function settle(event, user) {
    for (const [other, since] of event.leaving) {
      if (other === user && Date.now() - since < world.graceMs) event.leaving.delete(other);
      else if (Date.now() - since >= world.graceMs) { event.leaving.delete(other); event.queue = event.queue.filter(one => one !== other); }
    }
    while (event.inside.size < event.threshold && event.queue.length) event.inside.add(event.queue.shift());
  }

  function admin([, verb, action, id], url, body) {
    if (verb === "admin" && action === "threshold") {
      world.event(id).threshold = Number(url.searchParams.get("threshold"));
      return { body: { eventId: id, threshold: world.event(id).threshold } };
    }
    const event = world.event(id);
    if (action === "activate") Object.assign(event, { isActive: true, next: 0, serving: 0 });
    if (action === "advance") event.serving = Math.min(event.next, event.serving + body.batchSize);
    return { body: { eventId: id, servingCounter: event.serving } };
  }

  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    world,
    async stop() { server.closeAllConnections(); await new Promise(resolve => server.close(resolve)); },
  };
}

const error = (status, text, more = {}, headers = {}) => ({ status, body: { error: text, ...more }, headers });

async function readBody(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : {};
}
