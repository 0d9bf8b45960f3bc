// System P's event stream as a browser's own EventSource sees it: no Authorization, reconnecting, Last-Event-ID.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import http from "node:http";
import { binary, startQueues } from "./server.mjs";
import { launchBrowser } from "./browser.mjs";

const options = { skip: !binary && "needs the server itself" };
let server, relay, browser;
before(async () => {
  if (!binary) return;
  server = await startQueues();
  relay = await startRelay(server.url);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await relay?.stop();
  await server?.stop();
});

// Between browser and server: a page of its own, every request noted, and a cut on demand.
async function startRelay(target) {
  const requests = [];
  const open = new Set();
  const relay = http.createServer((request, response) => {
    if (request.url === "/page") return response.end("<!doctype html><title>queue</title>");
    requests.push({ url: request.url, headers: request.headers, get status() { return response.statusCode; } });
    const onward = http.request(target + request.url, { headers: { ...request.headers, host: new URL(target).host } }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      answer.on("aborted", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => { onward.destroy(); open.delete(response); });
    open.add(response);
    onward.end();
  });
  await new Promise(done => relay.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${relay.address().port}`;
  return { url, requests, cut: () => open.forEach(response => response.destroy()), stop: () => new Promise(done => { relay.closeAllConnections(); relay.close(done); }) };
}

async function subscribe(t, queue, token) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${relay.url}/page`);
  await page.evaluate(path => {
    window.heard = [];
    window.source = new EventSource(path);
    window.opened = 0;
    source.onopen = () => opened++;
    for (const name of ["queue-status", "queue-entered"])
      source.addEventListener(name, event => heard.push({ name, opened, id: event.lastEventId, ...JSON.parse(event.data) }));
  }, `/queue/${queue.type}/${queue.id}/subscribe/${token}`);
  return page;
}
const heard = (page, wanted) => page.waitForFunction(wanted).then(() => page.evaluate(() => heard));
const lastIs = (page, name) => page.waitForFunction(wanted => heard.at(-1)?.name === wanted, name);

test("an EventSource hears its place, then that it may go in, and stays away afterwards", options, async t => {
  const queue = await server.queue("TIMEDEAL", 1);
  const { entryToken } = await queue.enter("ann");
  const page = await subscribe(t, queue, entryToken);
  const [first] = await heard(page, () => heard.length > 0);
  assert.equal(first.name, "queue-status");
  assert.equal(first.status, "WAITING");
  assert.equal(first.position, 1);
  assert.equal(first.data.entryToken, entryToken);
  assert.match(first.message, /^현재 1번째 대기 중입니다\./);
  assert.equal(relay.requests.at(-1).headers.authorization, undefined);
  await queue.process();
  await lastIs(page, "queue-entered");
  const all = await page.evaluate(() => heard);
  assert.equal(all.at(-2).name, "queue-status");
  assert.equal(all.at(-2).status, "ENTERED");
  assert.equal(all.at(-1).status, "ENTERED");
  // It comes back once with the last id and is told to stay away.
  await page.waitForFunction(() => source.readyState === EventSource.CLOSED);
  assert.equal(relay.requests.at(-1).status, 204);
  assert.equal(relay.requests.at(-1).headers["last-event-id"], all.at(-1).id);
});

test("an EventSource that is cut off comes back where it was", options, async t => {
  const queue = await server.queue("TIMEDEAL", 2);
  const { entryToken } = await queue.enter("ann");
  const page = await subscribe(t, queue, entryToken);
  const before = (await heard(page, () => heard.length > 0)).at(-1);
  relay.cut();
  await page.waitForFunction(once => heard.at(-1).opened > once, before.opened);
  const later = await page.evaluate(() => heard);
  assert.ok(relay.requests.at(-1).headers["last-event-id"], "the browser tells where it was");
  assert.ok(Number(later.at(-1).id) > Number(before.id), "ids go on");
  assert.equal(later.at(-1).status, "WAITING");
});

test("of two tabs the newer one hears, and they do not fight", options, async t => {
  const queue = await server.queue("TIMEDEAL", 3);
  const { entryToken } = await queue.enter("ann");
  const older = await subscribe(t, queue, entryToken);
  await heard(older, () => heard.length > 0);
  const newer = await subscribe(t, queue, entryToken);
  await heard(newer, () => heard.length > 0);
  await older.waitForFunction(() => source.readyState === EventSource.CLOSED);
  assert.equal(await newer.evaluate(() => source.readyState), 1);
  await queue.process();
  await lastIs(newer, "queue-entered");
});
