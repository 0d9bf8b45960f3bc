// The server under test, behind one door: the binary named by ANTEROOM_BIN, or the mock without it.
// Both are driven only through HTTP: the visitor's routes and the admin routes of /v1.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { startMock } from "./mock_server.mjs";
import { startUrrMock } from "./mock_urr.mjs";

const adminToken = "browser-tests-admin-token";
const web = fileURLToPath(new URL("../../web/", import.meta.url));
export const binary = process.env.ANTEROOM_BIN;
// Whether places survive a restart: not those of the mock.
export const serverPersists = Boolean(binary);

// A page as it is served: the same step as in the build. adapter: native, vwr or queue.
export function builtPage(adapter = "native") {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-page-"));
  const out = path.join(folder, "page.html");
  execFileSync("cmake", ["-D", `ADAPTER=${adapter}`, "-D", `OUT=${out}`, "-P", `${web}embed.cmake`]);
  const page = readFileSync(out, "utf8");
  rmSync(folder, { recursive: true });
  return page;
}

// The pure rules of the page, without the page.
export function pageRules() {
  const script = builtPage().match(/<script id="rules">([\s\S]*?)<\/script>/)[1];
  return new Function(`${script}; return { aheadFrom, nextMark, isInLine, waitFrom, waitInWords, spanInWords, presenceOf, pollFrom, pollAfter, waitOf, safeTarget, chooseLanguage };`)();
}

// What the server tells browsers of its pages, and the worker that keeps time for them.
const policy = readFileSync(new URL("../../desk/page.h", import.meta.url), "utf8").match(/page_policy =((?:\s*"[^"\n]*")+)/)[1].replace(/"\s*"|^\s*"|"$/g, "");
const timer = readFileSync(`${web}wait/timer.js`, "utf8");

export const texts = JSON.parse(readFileSync(`${web}wait/texts.json`, "utf8"));

// rooms: { id: settings }. Returns { url, room(id), stop() }, of the binary also halt() and resume(), of the mock also faults.
export async function startServer({ rooms = {}, mock = !binary } = {}) {
  const running = mock ? await startMock({ page: builtPage(), template: readFileSync(`${web}wait/plain.html`, "utf8"), texts, rules: pageRules(), policy, timer, adminToken }) : await startBinary();
  const server = { ...running, room: id => roomOf(server, id) };
  // Nobody is let in before a test says so by raising the capacity.
  for (const [id, settings] of Object.entries(rooms)) await server.room(id).configure({ capacity: 0, ...settings });
  return server;
}

// The same for events with two tiers. Returns { url, event(id), stop() }, of the mock also its world.
export async function startEvents({ mock = !binary } = {}) {
  const running = mock ? await startUrrMock({ pages: { vwr: builtPage("vwr"), queue: builtPage("queue") }, policy, timer, adminToken }) : await startBinary();
  const server = { ...running, event: id => eventOf(server, id) };
  return server;
}

// Queues of system P: there is no mock of them. queue(type, id) is active, one slot is taken, and nobody else is let in by itself.
export async function startQueues() {
  const server = await startBinary();
  const send = async (method, path, headers, body) => {
    const answer = await fetch(server.url + path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()).data;
  };
  const admin = { Authorization: `Bearer ${adminToken}` };
  const queue = async (type, id) => {
    await send("POST", `/api/v1/seller/queue/${type}/${id}/activate`, admin, { maxCapacity: 1000, entryBatchSize: 1, entryIntervalSeconds: 3600 });
    const enter = user => send("POST", `/queue/${type}/${id}/enter`, { "X-User-Id": user });
    await enter("first");
    while ((await send("GET", `/queue/${type}/${id}/status`, { "X-User-Id": "first" })).status !== "ENTERED");
    return { type, id, enter, process: () => send("POST", `/admin/queue/${type}/${id}/process`, admin) };
  };
  return { ...server, queue };
}

let visitors = 0;

function eventOf(server, id) {
  const send = async (method, path, headers, body) => {
    const answer = await fetch(server.url + path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const admin = { Authorization: `Bearer ${adminToken}` };
  return {
    id,
    vwrPage: `${server.url}/vwr/${id}`,
    queuePage: `${server.url}/queue/${id}`,
    activate: () => send("POST", `/api/admin/vwr/activate/${id}`, admin),
    advance: batchSize => send("POST", `/api/admin/vwr/advance/${id}`, admin, { batchSize }),
    configure: settings => send("PUT", `/v1/admin/rooms/${id}`, admin, settings),
    threshold: count => send("PUT", `/api/queue/admin/threshold/${id}?threshold=${count}`, admin),
    assign: userId => send("POST", `/vwr-api/vwr/assign/${id}`, {}, { userId }),
    pass: async requestId => (await send("GET", `/vwr-api/vwr/check/${id}/${requestId}`)).token,
    check: (user, pass) => send("POST", `/api/v1/queue/check/${id}`, { "X-User-Id": user, ...pass && { "X-Vwr-Token": pass } }),
    status: user => send("GET", `/api/v1/queue/status/${id}`, { "X-User-Id": user }),
    async crowd(count) {
      const ids = [];
      for (let i = 0; i < count; i++) ids.push((await this.assign(`anon-crowd-${String(++visitors).padStart(8, "0")}`)).requestId);
      return ids;
    },
  };
}

function roomOf(server, id) {
  const admin = async (method, verb, body = {}) => {
    const answer = await fetch(`${server.url}/v1/admin/rooms/${id}${verb}`, {
      method, headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${id}${verb}: ${answer.status} ${await answer.text()}`);
  };
  return {
    page: `${server.url}/wait/${id}`,
    configure: settings => admin("PUT", "", settings),
    pause: () => admin("POST", "/pause"),
    resume: () => admin("POST", "/resume"),
    drain: () => admin("POST", "/drain"),
    close: () => admin("POST", "/close"),
    // Others take their places, as visitors of a trusted backend: it is not limited per address.
    async crowd(count) {
      for (let i = 0; i < count; i++) {
        const answer = await fetch(`${server.url}/v1/rooms/${id}/tickets`, {
          method: "POST", headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
          body: JSON.stringify({ visitor: `crowd-${++visitors}` }),
        });
        if (!answer.ok) throw new Error(`join: ${answer.status} ${await answer.text()}`);
      }
    },
  };
}

async function startBinary() {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-browser-"));
  const server = { url: "", process: null, faults: null };
  const start = async listen => {
    const config = path.join(folder, "anteroom.toml");
    writeFileSync(config, [
      "[server]", `listen = "${listen}"`, "threads = 1",
      "[store]", `url = "embedded:${path.join(folder, "data")}"`,
      "[auth]", `admin_token = "${adminToken}"`,
      "[rooms]", 'create = "admin"', "",
    ].join("\n"));
    // ANTEROOM_* are settings to the server: those of the tests are not for it.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ANTEROOM_")));
    const child = spawn(binary, ["serve", "--config", config], { stdio: ["ignore", "pipe", "inherit"], env });
    server.process = child;
    server.url = await listening(child);
  };
  const end = () => new Promise(resolve => {
    if (server.process.exitCode !== null) return resolve();
    server.process.once("exit", resolve);
    server.process.kill("SIGTERM");
  });
  await start("127.0.0.1:0");
  return {
    url: server.url,
    faults: null,
    // The same address and the same data: what visitors see of a restart.
    halt: end,
    resume: () => start(new URL(server.url).host),
    async stop() { await end(); rmSync(folder, { recursive: true, force: true }); },
  };
}

function listening(child) {
  return new Promise((resolve, reject) => {
    const lines = readline.createInterface({ input: child.stdout });
    child.once("exit", code => reject(new Error(`the server ended with ${code} before it listened`)));
    child.once("error", reject);
    lines.on("line", line => {
      const found = line.match(/listening (http:\/\/\S+)/);
      if (found) resolve(found[1]);
    });
  });
}
