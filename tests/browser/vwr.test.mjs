// The page before an event's page, /vwr/{id}.
import test from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { texts } from "./server.mjs";
import { ahead, aheadIs, noteShown, shown, stateIs } from "./browser.mjs";
import { answerFor, asked, newLine, open, refusal, server, stored, text, textIs, visitLine, world } from "./tiers.mjs";

test("tier 1: a visitor takes a place and sees it; the session is stored as it always was", async t => {
  const event = await newLine(3);
  const page = await visitLine(t, event);
  await stateIs(page, "waiting");
  assert.equal(await ahead(page), "3");
  assert.equal(await text(page, "number"), "4");
  assert.equal(await text(page, "eta"), texts.en.eta_soon);
  assert.equal(await page.title(), "3 ahead · Waiting room");
  assert.equal(await page.locator("#leave").isVisible(), false);
  const visitor = await stored(page, "urr-anon-id");
  assert.match(visitor, /^anon-[0-9a-z]+-[0-9a-f]{8}$/);
  assert.deepEqual(asked("POST", "/assign/").at(-1).body, { userId: visitor });
  const session = JSON.parse(await stored(page, `urr-vwr-${event.id}`));
  assert.deepEqual(Object.keys(session), ["requestId", "position"]);
  assert.equal(session.position, 4);
  await page.waitForResponse(response => response.url().endsWith(`/vwr-api/vwr/check/${event.id}/${session.requestId}?userId=${visitor}`));
  assert.deepEqual(page.faults, []);
});

test("tier 1: the number falls, and who is admitted arrives at the event with a cookie that scripts do not see", async t => {
  const event = await newLine(3);
  const page = await open(t);
  await noteShown(page);
  await page.goto(event.vwrPage);
  await aheadIs(page, "3");
  await event.advance(2);
  await aheadIs(page, "1");
  assert.equal(await page.locator("#progress").getAttribute("aria-valuenow"), "67");
  await event.advance(1);
  await aheadIs(page, texts.en.next);
  await event.advance(1);
  await page.waitForURL(`**/events/${event.id}`);
  assert.equal((await shown(page)).at(-1).state, "active");
  assert.equal(await stored(page, `urr-vwr-${event.id}`), null);
  assert.ok(await stored(page, "urr-anon-id"));
  assert.equal(await page.evaluate(() => document.cookie), "");
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.name, cookie.httpOnly], ["urr-vwr-token", true]);
  assert.equal(await page.evaluate(() => history.length), 2);   // The blank page and this one.
});

test("tier 1: a reload keeps the place", async t => {
  const event = await newLine(2);
  const page = await visitLine(t, event);
  await stateIs(page, "waiting");
  await event.crowd(5);
  world.seen.length = 0;
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "3");
  assert.equal(await ahead(page), "2");
  assert.equal(await text(page, "behind"), "5");
  assert.equal(asked("POST", "/assign/").length, 0);
});

test("tier 1: a session of the page that was here before is continued", async t => {
  const event = await newLine(1), visitor = "anon-1x2y-ab12cd34";
  const { requestId, position } = await event.assign(visitor);
  await event.crowd(3);
  world.seen.length = 0;
  const page = await open(t);
  await page.addInitScript(([id, session]) => {
    localStorage.setItem("urr-anon-id", "anon-1x2y-ab12cd34");
    localStorage.setItem(`urr-vwr-${id}`, session);
  }, [event.id, JSON.stringify({ requestId, position })]);
  await page.goto(event.vwrPage);
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "2");
  const queries = asked("GET", "/check/").map(request => request.query);   // By now it may have asked again.
  assert.deepEqual([...new Set(queries)], [`?userId=${visitor}`]);
  assert.equal(asked("POST", "/assign/").length, 0);
});

for (const broken of ["not JSON", "null", "{}", '"text"', '{"position":7}']) {
  test(`tier 1: a session that is none is not one: ${broken}`, async t => {
    const event = await newLine();
    const page = await open(t);
    await page.addInitScript(([id, session]) => { if (!window.name) localStorage.setItem(`urr-vwr-${id}`, session); }, [event.id, broken]);
    await page.goto(event.vwrPage);
    await stateIs(page, "waiting");
    assert.equal(await ahead(page), texts.en.next);
    assert.deepEqual(page.faults, []);
  });
}

test("tier 1: without a store there is a place all the same", async t => {
  const event = await newLine(1);
  const page = await open(t);
  await page.addInitScript(() => { for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new Error("no store"); } }); });
  await page.goto(event.vwrPage);
  await aheadIs(page, "1");
  await event.advance(2);
  await page.waitForURL(`**/events/${event.id}`);
  assert.deepEqual(page.faults, []);
});

test("tier 1: no line before the event leads to the event", async t => {
  const event = server.event(randomUUID());
  const page = await visitLine(t, event);
  await page.waitForURL(`**/events/${event.id}`);
});

test("tier 1: a place that the server does not know is taken anew, and the visitor is told", async t => {
  const event = await newLine(1);
  const page = await visitLine(t, event);
  await stateIs(page, "waiting");
  world.event(event.id).places.clear();
  await textIs(page, "notice", texts.en.new_place);
  assert.equal(await text(page, "number"), "3");
  assert.equal(JSON.parse(await stored(page, `urr-vwr-${event.id}`)).position, 3);
});

test("tier 1: places that are never known are not asked for in a tight loop", async t => {
  const event = await newLine();
  const page = await open(t);
  await page.clock.install();
  answerFor("/check/", () => refusal(404));
  await page.goto(event.vwrPage);
  for (let second = 0; second < 120; second++) {
    await page.clock.runFor(1000);
    await page.waitForFunction(() => !running);
  }
  const times = asked("POST", "/assign/").length;
  assert.ok(times >= 3 && times <= 10, `${times} times in two minutes`);
});

for (const status of [429, 503]) {
  test(`tier 1: Retry-After of ${status} is honoured`, async t => {
    const event = await newLine(1);
    const page = await visitLine(t, event);
    await stateIs(page, "waiting");
    let refused = 0;
    answerFor("/check/", () => { refused = Date.now(); return refusal(status, {}, { "Retry-After": "3" }); });
    await textIs(page, "notice", texts.en.busy);
    world.answer = () => null;
    await page.waitForSelector("#notice", { state: "hidden" });
    const next = asked("GET", "/check/").find(request => request.at > refused);
    assert.ok(next.at - refused > 2_500, `${next.at - refused} ms`);
  });
}

test("tier 1: after any other failure it is asked again, but not before about five seconds", async t => {
  const event = await newLine(1);
  const page = await visitLine(t, event);
  await stateIs(page, "waiting");
  await page.waitForResponse(response => response.url().includes("/check/"));
  let failed = 0;
  answerFor("/check/", () => { failed = Date.now(); return { status: 500, body: "<h1>Oops</h1>" }; });
  await page.waitForResponse(response => response.status() === 500);
  world.answer = () => null;
  await page.waitForResponse(response => response.url().includes("/check/") && response.ok());
  const next = asked("GET", "/check/").find(request => request.at > failed);
  assert.ok(next.at - failed > 3_300, `${next.at - failed} ms`);
  assert.equal(await ahead(page), "1");
});

test("tier 1: a return to the network asks at once", async t => {
  const event = await newLine(2);
  const page = await visitLine(t, event);
  await aheadIs(page, "2");
  await page.context().setOffline(true);
  await textIs(page, "notice", texts.en.lost);
  await event.advance(1);
  await page.context().setOffline(false);
  await aheadIs(page, "1");
  await page.waitForSelector("#notice", { state: "hidden" });
});

test("tier 1: an event that sends its visitor back is not gone to for ever", async t => {
  const event = await newLine();
  await event.assign("anon-0-00000000");
  await event.advance(1);
  const page = await open(t);
  let arrivals = 0;
  await page.context().route("**/events/**", route => { arrivals++; return route.fulfill({ status: 302, headers: { Location: `/vwr/${event.id}` } }); });
  await page.addInitScript(() => localStorage.setItem("urr-anon-id", "anon-0-00000000"));
  await page.goto(event.vwrPage);
  await textIs(page, "lead", texts.en.active_lead);
  assert.equal(await text(page, "go"), texts.en.enter);
  assert.equal(arrivals, 1);
  await page.click("#go");
  await page.waitForURL(event.vwrPage);
});

test("tier 1: an admission without a token is none", async t => {
  const event = await newLine();
  const page = await open(t);
  answerFor("/check/", () => ({ body: { admitted: true, position: 1, servingCounter: 1, ahead: 0 } }));
  await page.goto(event.vwrPage);
  await page.waitForResponse(response => response.url().includes("/check/"));
  await stateIs(page, "waiting");
  assert.equal(await ahead(page), texts.en.next);
});
