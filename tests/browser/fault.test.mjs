// Faults that a sound server does not have: always against the mock.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { startServer, texts } from "./server.mjs";
import { aheadIs, launchBrowser, phone, stateIs } from "./browser.mjs";

let server, browser, page, asked;
before(async () => {
  server = await startServer({ mock: true });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function visit(t, id, settings) {
  const room = server.room(id);
  await room.configure({ capacity: 0, ...settings });
  await room.crowd(2);
  const context = await browser.newContext(phone);
  t.after(async () => { server.faults.all = server.faults.events = server.faults.mute = null; await context.close(); });
  page = await context.newPage();
  asked = [];
  page.on("request", request => asked.push({ at: Date.now(), route: `${request.method()} ${new URL(request.url()).pathname.replace(/.*\/rooms\/[^/]+/, "")}` }));
  await page.goto(room.page);
  return room;
}
const times = route => asked.filter(request => request.route === route).length;

test("without a stream the page asks for the pulse and, less often, for itself", async t => {
  server.faults.events = { status: 503, code: "unavailable" };
  const room = await visit(t, "polling", { poll_after_seconds: 4, poll: [[null, 1]], target: null });
  await aheadIs(page, "2");
  await page.waitForResponse(response => response.url().endsWith("/pulse"));
  await room.configure({ capacity: 1 });
  await aheadIs(page, "1");
  await page.waitForResponse(response => response.url().endsWith("/ticket"));
  // A page that slept for long asks for itself at once: then it takes some more pulses.
  for (let more = 0; more < 20 && times("GET /pulse") <= times("GET /ticket"); more++) await page.waitForResponse(response => response.url().endsWith("/pulse"));
  assert.ok(times("GET /pulse") > times("GET /ticket"), JSON.stringify(asked));
  assert.equal(await page.locator("#live").textContent(), texts.en.polling);
  await room.configure({ capacity: 3 });
  await stateIs(page, "active");
});

test("Retry-After is honoured", async t => {
  const room = await visit(t, "busy", { poll_after_seconds: 1 });
  await stateIs(page, "waiting");
  server.faults.events = server.faults.all = { status: 503, code: "unavailable", retryAfter: 3 };
  await page.evaluate(() => { closeStream(); askNow(); });
  await page.waitForFunction(text => document.getElementById("notice").textContent === text, texts.en.busy);
  server.faults.all = null;
  await page.waitForSelector("#notice", { state: "hidden" });
  assert.ok(Date.now() - server.faults.refusedAt > 2_500, "came back too early");
  await room.configure({ capacity: 0 });
});

test("however many events ask for it, one chain asks", async t => {
  await visit(t, "chain", { poll_after_seconds: 2 });
  await stateIs(page, "waiting");
  await page.waitForSelector("#live[data-on]");
  asked.length = 0;
  const begun = Date.now();
  await page.evaluate(() => {
    for (let i = 0; i < 20; i++) {
      window.dispatchEvent(new Event("online"));
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      document.dispatchEvent(new Event("visibilitychange"));
    }
  });
  await page.waitForResponse(response => response.url().endsWith("/ticket"));
  // A second chain would ask again within the poll interval: two more pulses of the stream are longer.
  const seen = await page.evaluate(() => streamAt);
  await page.waitForFunction(since => streamAt - since > 2200, seen);
  const regular = Math.floor((Date.now() - begun) / 1_800);   // Every two seconds, a tenth more or less.
  assert.ok(times("GET /ticket") <= 1 + Math.max(1, regular), JSON.stringify(asked));
});

test("a stream that says nothing because nothing changes stays live", async t => {
  await visit(t, "quiet");
  await page.waitForSelector("#live[data-on]");
  server.faults.mute = true;
  for (let minute = 0; minute < 3; minute++) {
    await page.evaluate(() => { streamAt -= 60000; askNow(); });
    await page.waitForFunction(() => Date.now() - streamAt < 20000);
    assert.equal(await page.locator("#live").textContent(), texts.en.live);
  }
  assert.equal(times("GET /events"), 1, JSON.stringify(asked));
  assert.equal(times("GET /pulse"), 0, "it asks for no pulse beside the stream");
});

test("a stream that did not say what changed is opened anew", async t => {
  const room = await visit(t, "deaf");
  await page.waitForSelector("#live[data-on]");
  server.faults.mute = true;
  await room.configure({ capacity: 1 });
  await page.evaluate(() => { streamAt -= 60000; askNow(); });
  await aheadIs(page, "1");
  await page.waitForSelector("#live[data-on]");
  assert.equal(times("GET /events"), 2, JSON.stringify(asked));
});

test("an address that is no web address is never gone to", async t => {
  const room = await visit(t, "evil", { target: "javascript:document.title='gone'" });
  await stateIs(page, "waiting");
  await room.configure({ capacity: 3 });
  await stateIs(page, "active");
  assert.equal(await page.locator("#go").isVisible(), false);
  assert.equal(await page.title(), texts.en.title_turn);
});

test("an older frame from a cache does not make the number grow", async t => {
  const room = await visit(t, "cache");
  await aheadIs(page, "2");
  const old = await page.evaluate(() => JSON.stringify(pulse));
  await room.configure({ capacity: 1 });
  await aheadIs(page, "1");
  await page.evaluate(text => { onPulse(JSON.parse(text)); render(); }, old);
  assert.equal(await page.locator("#big").textContent(), "1");
});

test("a frame from before the visitor joined does not make the number smaller", async t => {
  await visit(t, "early");
  await aheadIs(page, "2");
  await page.evaluate(() => {
    const early = { ...pulse, at: standing.joined_at - 1, lines: [{ line: 1, count: 1, first: 1, runs: [1], marks: [] }] };
    pulse = null;
    onPulse(early);
    render();
  });
  assert.equal(await page.locator("#big").textContent(), "2");
});
