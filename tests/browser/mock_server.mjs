// A waiting room of a few lines, in memory, that speaks the visitor's side of /v1 and the admin
// routes that the tests use. It stands in for the server where a test needs a fault that a sound
// server does not have, and where no binary was built.
import http from "node:http";
import { randomUUID } from "node:crypto";

export async function startMock({ page, template, texts, rules, policy, timer, adminToken }) {
  const world = new Map();
  // { status, code, retryAfter } instead of an answer; mute: no stream gets a pulse.
  const faults = { events: null, all: null, mute: null };
  const server = http.createServer((request, response) => handle(request, response).catch(error => {
    response.writeHead(500).end(String(error));
  }));
  let beat = 0;

  async function handle(request, response) {
    const url = new URL(request.url, "http://mock");
    const [, first, ...rest] = url.pathname.split("/");
    if (first === "wait") {
      if (rest[1] === "leave" || url.searchParams.get("plain")) return plainPage(request, response, rest[0], rest[1] === "leave");
      if (rest[1] === "timer.js") return send(response, 200, timer, "text/javascript");
      return send(response, 200, page, "text/html; charset=utf-8", { "Content-Security-Policy": policy });
    }
    if (first === "demo") return send(response, 200, "<!doctype html><title>Shop</title><h1>Welcome in</h1>", "text/html");
    if (first !== "v1") return refuse(response, 404, "not_found");
    const body = await readBody(request);
    if (rest[0] === "admin") return admin(request, response, rest.slice(2), body);
    if (faults.all) {
      faults.refusedAt = Date.now();
      return refuse(response, faults.all.status, faults.all.code, faults.all.retryAfter);
    }
    const room = world.get(rest[1]);
    if (!room) return refuse(response, 404, "room_not_found");
    return visitor(request, response, url, room, rest.slice(2).join("/"), body);
  }

  function visitor(request, response, url, room, path, body) {
    const route = `${request.method} ${path}`;
    if (route === "GET pulse") return json(response, 200, pulseOf(room));
    if (route === "POST tickets") return takePlace(request, response, room, body);
    const place = room.places.get(bearer(request) || cookies(request)[`anteroom-${room.id}`] || url.searchParams.get("ticket"));
    if (!place) return refuse(response, 401, "ticket_invalid");
    if (route === "GET events") {
      if (faults.events) return refuse(response, faults.events.status, faults.events.code);
      return openEvents(request, response, room, place);
    }
    if (route === "GET ticket") { touch(room, place); return json(response, 200, standingOf(room, place)); }
    if (route === "POST ticket/claim") {
      if (place.state !== "called" && place.state !== "active") return refuse(response, 409, "not_called");
      place.state = "active";
      return json(response, 200, standingOf(room, place));
    }
    if (route === "POST ticket/finish") { place.state = "finished"; return send(response, 204, ""); }
    if (route === "DELETE ticket") {
      place.state = "leaving";
      return send(response, 204, "");
    }
    return refuse(response, 404, "not_found");
  }

  function plainPage(request, response, id, leaving) {
    const asked = (request.headers["accept-language"] ?? "").slice(0, 2), lang = texts[asked] ? asked : "en";
    const room = world.get(id), words = texts[lang];
    const visitor = cookies(request)["anteroom-visitor"] || randomUUID();
    const values = { lang, dir: "ltr", room: id, state: "not_found", title: words.title, head: words.not_found_head, lead: words.not_found_lead };
    let headers = {};
    if (room) {
      const place = placeOf(room, visitor) || newPlace(room, visitor);
      headers = setCookies(room, place);
      touch(room, place);
      if (leaving) place.state = "left";
      const standing = standingOf(room, place);
      const { key, n } = rules.spanInWords(standing.idle_seconds), time = words[key].replace("{n}", n);
      Object.assign(values, { state: standing.state, head: words[`${standing.state}_head`], lead: words[`${standing.state}_lead`].replace("{time}", time), message: standing.message });
      if (standing.state === "waiting") Object.assign(values, { ahead: standing.ahead || words.next, ahead_label: words.ahead, estimate: words.eta_unknown, number: standing.number, behind: standing.behind, leave: "yes", refresh: 2 });
      if (standing.state === "active") Object.assign(values, { enter: room.target });
      if (standing.state === "left") values.rejoin = words.rejoin;
    }
    return send(response, room ? 200 : 404, fillIn(template, values, words), "text/html; charset=utf-8", headers);
  }

  const placeOf = (room, visitor) => [...room.places.values()].find(other => other.visitor === visitor && !ended(other));

  function newPlace(room, visitor) {
    const place = { ticket: randomUUID(), visitor, number: ++room.issued, state: "waiting", joined: Date.now() };
    room.places.set(place.ticket, place);
    letIn(room);
    return place;
  }

  function takePlace(request, response, room, body) {
    const visitor = body.visitor || cookies(request)["anteroom-visitor"] || randomUUID();
    let place = placeOf(room, visitor);
    if (place) { touch(room, place); return json(response, 200, standingOf(room, place), setCookies(room, place)); }
    if (room.state === "draining" || room.state === "closed") return refuse(response, 409, `room_${room.state}`);
    if (line(room).length >= (room.waiting_max ?? Infinity)) return refuse(response, 503, "room_full", 5);
    place = newPlace(room, visitor);
    return json(response, 201, standingOf(room, place), setCookies(room, place));
  }

  function openEvents(request, response, room, place) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    const listener = { response, place };
    room.listeners.add(listener);
    response.on("close", () => room.listeners.delete(listener));
    response.write("retry: 500\n\n");
    event(response, "standing", standingOf(room, place));
    event(response, "pulse", pulseOf(room));
  }

  function event(response, name, data) {
    response.write(`id: ${++beat}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  function admin(request, response, [id, verb], body) {
    if (bearer(request) !== adminToken) return refuse(response, 401, "unauthorized");
    if (request.method === "PUT") {
      if (world.has(id)) Object.assign(world.get(id), body); else world.set(id, newRoom(id, body));
    }
    const room = world.get(id);
    if (!room) return refuse(response, 404, "room_not_found");
    const states = { open: "open", resume: "open", pause: "paused", drain: "draining", close: "closed" };
    if (states[verb]) room.state = states[verb];
    letIn(room);
    tick(room);
    return json(response, 200, { room: id, state: room.state });
  }

  function letIn(room) {
    const inside = [...room.places.values()].filter(place => place.state === "called" || place.state === "active").length;
    if (room.state !== "open" && room.state !== "draining") return;
    for (const place of line(room).slice(0, Math.max(0, room.capacity - inside))) {
      place.state = "called";
      room.serving = place.number;
      for (const listener of room.listeners)
        if (listener.place === place) event(listener.response, "called", standingOf(room, place));
    }
  }

  function tick(room) { if (!faults.mute) for (const listener of room.listeners) event(listener.response, "pulse", pulseOf(room)); }
  const ticker = setInterval(() => world.forEach(tick), 1000);

  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    faults,
    // The streams of a room as they are when a phone slept and its network forgot them: open, and for ever silent.
    silence(id) { world.get(id).listeners.clear(); },
    async stop() {
      clearInterval(ticker);
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

// {{name}} is a value, {{text:name}} a text, {{#name}}…{{/name}} stays where the value is not empty.
function fillIn(page, values, words) {
  const escaped = text => String(text ?? "").replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
  return page.replace(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, name, inner) => (values[name] ?? "") === "" ? "" : inner)
    .replace(/\{\{text:(\w+)\}\}/g, (_, name) => escaped(words[name]))
    .replace(/\{\{(\w+)\}\}/g, (_, name) => escaped(values[name]));
}

const newRoom = (id, settings) => ({ id, state: "open", message: null, target: null, capacity: 0, poll_after_seconds: 2, issued: 0, serving: 0, places: new Map(), listeners: new Set(), ...settings });
const ended = place => ["finished", "left", "expired"].includes(place.state);
const line = room => [...room.places.values()].filter(place => place.state === "waiting" || place.state === "leaving");

function secondsOf(span) {
  const [, count, unit] = span.match(/^(\d+)([smh])$/);
  return count * { s: 1, m: 60, h: 3600 }[unit];
}

function touch(room, place) {
  if (place.state === "leaving") place.state = "waiting";
  if (place.state === "called") place.state = "active";
}

function standingOf(room, place) {
  const ahead = line(room).filter(other => other.number < place.number).length;
  const per = room.seconds_per_person;
  return {
    room: room.id, state: place.state, number: place.number, ahead,
    behind: line(room).filter(other => other.number > place.number).length,
    eta_seconds: per ? { p50: ahead * per, p90: ahead * per * 1.5 } : null,
    poll_after_seconds: room.poll_after_seconds, idle_seconds: secondsOf(room.idle ?? "10m"), line: 1, order: place.number,
    joined_at: place.joined, message: room.message, target: room.target, room_state: room.state, ticket: place.ticket,
    ...(place.state === "called" || place.state === "active" ? { pass: "pass", pass_expires_in: 600, lease_expires_in: 600 } : {}),
  };
}

function pulseOf(room) {
  const orders = line(room).map(place => place.number), runs = [];
  orders.forEach((order, i) => {
    const gap = i === 0 ? 0 : order - orders[i - 1] - 1;
    if (i === 0 || gap > 0) runs.push(...(i === 0 ? [1] : [gap, 1])); else runs[runs.length - 1]++;
  });
  const per = room.seconds_per_person;
  return {
    v: 1, room: room.id, state: room.state, at: Date.now(), serving: room.serving, issued: room.issued,
    waiting: orders.length, active: 0, capacity: room.capacity, rate_per_second: per ? 1 / per : null, message: room.message,
    wait: per ? [[0, 0, 0], [10_000, 10_000 * per, 15_000 * per]] : [],
    poll: room.poll ?? [[1000, 2], [5000, 5], [20000, 10], [null, 20]],
    lines: orders.length ? [{ line: 1, count: orders.length, first: orders[0], runs, marks: [] }] : [],
  };
}

function setCookies(room, place) {
  return { "Set-Cookie": [`anteroom-visitor=${place.visitor}; Path=/; HttpOnly; SameSite=Lax`, `anteroom-${room.id}=${place.ticket}; Path=/; HttpOnly; SameSite=Lax`] };
}
const cookies = request => Object.fromEntries((request.headers.cookie ?? "").split("; ").filter(Boolean).map(pair => pair.split(/=(.*)/s)));
const bearer = request => (request.headers.authorization ?? "").replace(/^Bearer /, "") || null;

async function readBody(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : {};
}

function send(response, status, body, type, headers = {}) {
  response.writeHead(status, { ...(type ? { "Content-Type": type } : {}), "Cache-Control": "no-store", ...headers }).end(body);
}
const json = (response, status, value, headers) => send(response, status, JSON.stringify(value), "application/json", headers);
function refuse(response, status, code, retryAfter) {
  send(response, status, JSON.stringify({ type: "about:blank", title: code, status, detail: code, code, request_id: "mock" }),
       "application/problem+json", retryAfter ? { "Retry-After": String(retryAfter) } : {});
}
