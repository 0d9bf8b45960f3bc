// Phones that sleep and tabs that nobody looks at: what the page says of it, how it stays present, how it comes back.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { binary, startServer, texts } from "./server.mjs";
import { aheadIs, allowHiding, assertAccessible, fits, launchBrowser, phone, setHidden, stateIs } from "./browser.mjs";

let server, real, browser, count = 0;
before(async () => {
  server = await startServer({ mock: true });
  real = binary ? await startServer() : server;
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (real !== server) await real?.stop();
});

async function newRoom({ on = server, others = 0, ...settings } = {}) {
  const id = `away-${++count}`, room = on.room(id);
  await room.configure({ capacity: 0, target: "/demo/target", ...settings });
  await room.crowd(others);
  return { ...room, id };
}

// prepare(page) comes before the first page: a clock, hiding, routes.
async function visit(t, room, { prepare, ...options } = {}) {
  const context = await browser.newContext({ ...phone, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.asked = [];
  page.faults = [];
  page.on("request", request => page.asked.push({ at: Date.now(), route: `${request.method()} ${new URL(request.url()).pathname.replace(/.*\/rooms\/[^/]+/, "")}` }));
  page.on("pageerror", fault => page.faults.push(fault.stack));
  await prepare?.(page);
  await page.goto(room.page);
  await stateIs(page, "waiting");
  return page;
}

const live = page => page.waitForSelector("#live[data-on]");
const times = (page, route) => page.asked.filter(request => request.route === route).length;
const answered = (page, end) => page.waitForResponse(response => new URL(response.url()).pathname.endsWith(end));
const noticeIs = (page, text) => page.waitForFunction(wanted => document.getElementById("notice").textContent === wanted, text);
const withoutStream = async page => { await allowHiding(page); await page.route("**/events*", route => route.abort()); };
const withClock = page => page.clock.install();

// ---- What it says ----
const promises = {
  en: { locale: "en-GB", "10m": "your place is kept for 10 minutes.", "1m": "your place is kept for 1 minute.", "90s": "your place is kept for 90 seconds." },
  ko: { locale: "ko-KR", "10m": "순서는 10분 동안 유지됩니다.", "1m": "순서는 1분 동안 유지됩니다.", "90s": "순서는 90초 동안 유지됩니다." },
  ja: { locale: "ja-JP", "10m": "順番は10分間保たれます。", "1m": "順番は1分間保たれます。", "90s": "順番は90秒間保たれます。" },
  es: { locale: "es-MX", "10m": "se conserva durante 10 minutos.", "1m": "se conserva durante 1 minuto.", "90s": "se conserva durante 90 segundos." },
};

for (const [language, { locale, ...spans }] of Object.entries(promises)) {
  test(`how long a sleeping phone keeps its place is told in ${texts[language].name}, in sight at once`, async t => {
    let page = null;
    for (const [idle, words] of Object.entries(spans)) {
      const room = await newRoom({ on: real, others: 1, idle, message: "Doors open at 20:00. There is a seat for everybody." });
      if (page) await page.goto(room.page); else page = await visit(t, room, { locale, viewport: { width: 320, height: 568 } });
      await stateIs(page, "waiting");
      const lead = page.locator("#lead");
      assert.ok((await lead.textContent()).includes(words), await lead.textContent());
      assert.doesNotMatch(await lead.textContent(), /[{}]|undefined|NaN/);
      const box = await lead.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 568, "seen without scrolling on a small phone");
      assert.ok(await fits(page), "no sideways scrolling");
      const plain = await fetch(`${room.page}?plain=1`, { headers: { "Accept-Language": locale } });
      assert.ok((await plain.text()).includes(words), `the page without scripts, ${idle}`);
    }
  });
}

// ---- Hidden ----
test("a hidden tab without a stream keeps asking in time, though its timers stand still", async t => {
  const page = await visit(t, await newRoom({ on: real, others: 2 }), { prepare: withoutStream });
  await setHidden(page, true);
  await page.evaluate(() => { window.late = 0; setTimeout(() => { window.late++; }, 0); });
  page.asked.length = 0;
  for (let more = 0; more < 3; more++) await answered(page, "/ticket");
  const own = page.asked.filter(request => request.route === "GET /ticket").map(request => request.at);
  for (let i = 1; i < own.length; i++) assert.ok(own[i] - own[i - 1] < 10_000, "silent for longer than the server waits");
  assert.equal(times(page, "GET /pulse"), 0, "the shared frame is no sign of life");
  assert.equal(await page.evaluate(() => window.late), 0, "a timer of the page fired: this was no hidden tab");
  assert.deepEqual(page.faults, []);
});

test("a hidden tab without a worker asks again when it is shown", async t => {
  const page = await visit(t, await newRoom({ others: 2, poll_after_seconds: 1 }), {
    prepare: async page => { await withoutStream(page); await page.addInitScript(() => { window.Worker = class { constructor() { throw new Error("no workers"); } }; }); },
  });
  await setHidden(page, true);
  await page.waitForFunction(() => !running);
  page.asked.length = 0;
  const shown = answered(page, "/ticket");
  await setHidden(page, false);
  await shown;
  assert.deepEqual(page.faults, []);
});

test("a hidden tab holds its stream", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room, { prepare: withClock });
  await live(page);
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  for (let i = 0; i < 8; i++) {
    await page.clock.runFor(15_000);
    const before = await page.evaluate(() => streamAt);
    await room.configure({});   // Brings a pulse.
    await page.waitForFunction(at => streamAt > at, before);
  }
  assert.equal(times(page, "GET /events"), 1);
  assert.ok(await page.evaluate(() => streamLives()));
});

for (const [how, prepare] of [["by its stream", allowHiding], ["by asking", withoutStream]]) {
  test(`a hidden tab that is called ${how} says so in its title and its icon, claims, and goes in when it is looked at`, async t => {
    const room = await newRoom({ on: real, others: 1 });
    const page = await visit(t, room, { prepare });
    if (prepare === allowHiding) await live(page);
    const icon = () => page.evaluate(() => document.querySelector("link[rel=icon]").href);
    assert.equal(await icon(), "data:,");
    await setHidden(page, true);
    await room.configure({ capacity: 2 });
    await stateIs(page, "active");
    assert.equal(await page.title(), texts.en.title_turn);
    assert.match(await icon(), /^data:image\/svg/);
    assert.equal(page.url(), room.page);
    await setHidden(page, false);
    await page.waitForURL("**/demo/target");
  });
}

// ---- Waking ----
const wakings = {
  "shown again": () => document.dispatchEvent(new Event("visibilitychange")),
  "taken out of the browser's cache": () => window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
  "online again": () => window.dispatchEvent(new Event("online")),
  "looked at again": () => window.dispatchEvent(new Event("focus")),
  "thawed": () => document.dispatchEvent(new Event("resume")),
};
test(`a page asks at once when it is ${Object.keys(wakings).join(", ")}`, async t => {
  const page = await visit(t, await newRoom({ others: 1 }));
  await live(page);
  for (const [how, waking] of Object.entries(wakings)) {
    await page.waitForFunction(() => !running);
    page.asked.length = 0;
    const asked = answered(page, "/ticket");
    await page.evaluate(() => { acceptedAt -= 2000; });   // A focus so soon after an answer asks nothing.
    await page.evaluate(waking);
    await asked;
    assert.ok(times(page, "GET /ticket") <= 2, `${how}: ${JSON.stringify(page.asked)}`);   // A heartbeat may have been due.
  }
});

test("after a long sleep the page asks at once, has its stream anew, and says that it was away", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room, { prepare: withClock });
  await live(page);
  server.silence(room.id);
  await room.configure({ capacity: 1 });   // Meanwhile the line goes on.
  page.asked.length = 0;
  await page.clock.fastForward("08:00");
  await aheadIs(page, "1");
  await noticeIs(page, texts.en.away);
  await page.waitForFunction(() => streamLives());
  assert.equal(times(page, "GET /events"), 1);
  assert.ok((await page.locator("#spoken").textContent()).startsWith(texts.en.away));
  await assertAccessible(page, "back");
  await room.configure({ capacity: 2 });
  await noticeIs(page, texts.en.away_next);
  await page.clock.runFor(35_000);
  await page.waitForSelector("#notice", { state: "hidden" });
  assert.deepEqual(page.faults, []);
});

test("a stream that is silent while the line moves is opened anew, without a word", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room, { prepare: withClock });
  await live(page);
  server.silence(room.id);
  await room.configure({ capacity: 1 });
  page.asked.length = 0;
  for (let second = 0; second < 65 && !times(page, "GET /events"); second += 5) {
    await page.clock.runFor(5_000);
    await page.waitForFunction(() => !running);
  }
  await page.waitForFunction(() => streamLives());
  assert.equal(times(page, "GET /events"), 1);
  assert.equal(await page.locator("#notice").isVisible(), false);
});

test("a stream that hangs, or waits before it is tried again, is opened at once when the page wakes", async t => {
  let hung = 0;
  const page = await visit(t, await newRoom({ others: 2 }), { prepare: page => page.route("**/events*", route => { if (hung++) return route.continue(); }) });
  await page.waitForFunction(() => stream !== null && !running);
  assert.equal(await page.evaluate(() => stream.readyState), 0);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await live(page);
  await page.evaluate(() => {
    closeStream();
    streamTimer = setTimeout(() => {}, 3_600_000);
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.waitForFunction(() => streamLives());
  assert.equal(hung, 3);
});

test("a short look away is no absence", async t => {
  const page = await visit(t, await newRoom({ others: 2 }), { prepare: withClock });
  await live(page);
  const asked = answered(page, "/ticket");
  await page.clock.fastForward(8_000);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await asked;
  await page.waitForFunction(() => !running);
  assert.equal(await page.locator("#notice").isVisible(), false);
});

test("a server that was away is no absence of the visitor", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room, { prepare: withClock });
  await live(page);
  t.after(() => { server.faults.all = null; });
  server.faults.all = { status: 503, code: "unavailable" };
  server.silence(room.id);
  for (let second = 0; second < 120; second += 5) {
    await page.clock.runFor(5_000);
    await page.waitForFunction(() => !running);
  }
  assert.equal(await page.locator("#notice").textContent(), texts.en.busy);
  server.faults.all = null;
  await page.evaluate(() => askNow());
  await page.waitForSelector("#notice", { state: "hidden" });
});

test("a page that the browser dropped says on its return that it was away, if it is the same place", async t => {
  const room = await newRoom({ others: 1 });
  const page = await visit(t, room);
  const stored = () => page.evaluate(() => store.get(lasting, "present"));
  const [place, until] = (await stored()).split(":");
  assert.equal(place, "2");
  assert.ok(until > Date.now() + 10_000);
  const reload = async present => {
    await page.goto("about:blank");
    await page.context().addInitScript(([key, value]) => { if (location.pathname !== "blank") localStorage.setItem(key, value); }, [`anteroom-present-${room.id}`, present]);
    await page.goto(room.page);
    await stateIs(page, "waiting");
  };
  await reload("7:1000");
  assert.equal(await page.locator("#notice").isVisible(), false);
  await reload("2:1000");
  await noticeIs(page, texts.en.away);
  await room.configure({ capacity: 1 });
  await noticeIs(page, texts.en.away_next);
});

test("a tab that slept beside one that was awake was not away", async t => {
  const page = await visit(t, await newRoom({ others: 1 }), { prepare: allowHiding });
  await live(page);
  const asked = answered(page, "/ticket");
  await page.evaluate(() => {
    presentUntil = Date.now() - 1;
    store.set(lasting, "present", `2:${Date.now() + 60_000}`);   // The other tab.
    window.setHidden(false);
  });
  await asked;
  await page.waitForFunction(() => !running);
  assert.equal(await page.locator("#notice").isVisible(), false);
});
