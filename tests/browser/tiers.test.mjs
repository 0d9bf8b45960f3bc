// Both pages of events with two tiers: languages, layout, accessibility, and the whole way through them.
import test from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { binary, startEvents, texts } from "./server.mjs";
import { aheadIs, assertAccessible, fits, stateIs } from "./browser.mjs";
import { answerFor, newLine, newQueue, open, server, text, visitLine, visitQueue } from "./tiers.mjs";

for (const [language, locale] of [["ko", "ko-KR"], ["en", "en-GB"], ["ja", "ja-JP"], ["es", "es-MX"]]) {
  test(`both pages speak ${texts[language].name}`, async t => {
    const words = texts[language];
    const line = await visitLine(t, await newLine(2), { locale });
    await stateIs(line, "waiting");
    assert.equal(await text(line, "head"), words.waiting_head);
    assert.equal(await text(line, "lead"), words.kept_lead);
    assert.equal(await text(line, "room"), words.title);
    assert.equal(await line.title(), words.title_ahead.replace("{n}", "2"));
    assert.ok(await fits(line), "no sideways scrolling");
    const queue = await visitQueue(t, await newQueue(2), { locale });
    await stateIs(queue, "waiting");
    assert.equal(await text(queue, "lead"), words.keep_open_lead);
    assert.equal(await queue.locator("#facts dt").last().textContent(), words.inside);
    assert.equal(await text(queue, "users"), words.inside_of.replace("{n}", "1").replace("{max}", "1"));
    assert.ok(await fits(queue), "no sideways scrolling");
    const stranger = await visitQueue(t, await newQueue(), { locale, extraHTTPHeaders: {} });
    await stateIs(stranger, "login");
    assert.equal(await text(stranger, "head"), words.login_head);
    assert.equal(await text(stranger, "go"), words.login);
  });
}

test("the queue's page is sound from right to left, and with long numbers", async t => {
  for (const viewport of [{ width: 320, height: 640 }, { width: 1280, height: 800 }]) {
    const event = await newQueue(1, { info: { title: "حفلة الربيع", artist: "الفرقة" } });
    answerFor("/check/", () => ({ body: { status: "queued", queued: true, position: 1234568, peopleAhead: 1234567, peopleBehind: 7654321, estimatedWait: 86400, nextPoll: 60, threshold: 100000, currentUsers: 100000 } }));
    const page = await visitQueue(t, event, { viewport });
    await stateIs(page, "waiting");
    await page.evaluate(() => { document.documentElement.dir = "rtl"; render(); });
    assert.ok(await fits(page), `no sideways scrolling, ${viewport.width}`);
    assert.equal(await text(page, "users"), "100,000 of 100,000");
  }
});

test("no accessibility violations on both pages, light and dark", async t => {
  const event = await newLine(2);
  const line = await visitLine(t, event);
  await stateIs(line, "waiting");
  await assertAccessible(line, "tier 1, waiting");
  await line.evaluate(() => { document.dispatchEvent(new Event("visibilitychange")); going = true; });   // Stay to be looked at.
  await event.advance(3);
  await stateIs(line, "active");
  await assertAccessible(line, "tier 1, admitted");
  const queue = await visitQueue(t, await newQueue(2, { info: { title: "Spring Concert", artist: "Band" } }));
  await stateIs(queue, "waiting");
  await assertAccessible(queue, "tier 2, waiting");
  await queue.click("#leave");
  await assertAccessible(queue, "tier 2, asking before leaving");
  await queue.click("#leave-yes");
  await stateIs(queue, "left");
  await assertAccessible(queue, "tier 2, left");
  const stranger = await visitQueue(t, await newQueue(), { extraHTTPHeaders: {} });
  await stateIs(stranger, "login");
  await assertAccessible(stranger, "tier 2, not logged in");
});

test("without JavaScript both pages say what they need, in every language", async t => {
  for (const visit of [visitLine, visitQueue]) {
    const page = await visit(t, await newLine(), { javaScriptEnabled: false });
    assert.deepEqual(await page.locator("noscript p").allTextContents().then(all => all.sort()), Object.values(texts).map(words => words.noscript).sort());
  }
});

test("both pages are the same bytes for everybody", async () => {
  for (const kind of ["vwr", "queue"]) {
    const [one, two] = await Promise.all(["a", "b"].map(async id => (await fetch(`${server.url}/${kind}/${id}`)).text()));
    assert.equal(one, two);
  }
});

// ---- The whole way ----
async function wholeWay(t, server) {
  const event = server.event(randomUUID()), user = randomUUID();
  await event.threshold(1);
  await event.check(randomUUID());   // One is inside.
  await event.configure({ outer_interval: "1h" });   // Nobody is released by itself.
  await event.activate();
  const crowd = await event.crowd(3);
  const page = await open(t, { extraHTTPHeaders: { "X-User-Id": user } });
  const arrive = route => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Arrived</title><h1>Arrived</h1>" });
  const left = [];
  page.on("request", request => { if (request.url().includes("/queue/leave/")) left.push(request.url()); });

  await page.route("**/events/**", arrive);
  await page.goto(`${server.url}/events/${event.id}`);
  await page.goto(event.vwrPage);
  await aheadIs(page, "3");
  assert.equal(await text(page, "number"), "4");
  await event.advance(2);
  await aheadIs(page, "1");
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "4");
  await event.advance(2);
  await page.waitForURL(`**/events/${event.id}`);
  const pass = (await page.context().cookies()).find(cookie => cookie.name === "urr-vwr-token");
  assert.equal(pass?.httpOnly, true);

  await page.unroute("**/events/**");   // Beacons get lost where requests are intercepted.
  await event.check(randomUUID(), await event.pass(crowd[0]));   // One with an earlier number is next.
  await page.goto(event.queuePage);
  await aheadIs(page, "1");
  assert.equal(await text(page, "number"), "2");
  assert.equal(await text(page, "users"), "1 of 1");
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "2");
  await event.threshold(2);
  await aheadIs(page, texts.en.next);
  left.length = 0;
  await page.route("**/events/**", arrive);
  await event.threshold(3);
  await page.waitForURL(`**/events/${event.id}/seats`);
  assert.deepEqual(left, []);
  assert.equal((await event.status(user)).status, "active");
  assert.deepEqual(page.faults, []);
}

test("from the event through both lines to the seats", t => wholeWay(t, server));

test("from the event through both lines to the seats, with the server", { skip: !binary && "ANTEROOM_BIN is not set" }, async t => {
  const real = await startEvents();
  t.after(() => real.stop());
  const answer = await fetch(`${real.url}/api/v1/queue/status/${randomUUID()}`, { headers: { "X-User-Id": randomUUID() } });
  if (answer.status === 404) return t.skip("the server has no /api/v1/queue/status/{id}");
  await wholeWay(t, real);
});
