// The pages of events with two tiers: /vwr/{id} before the event's page, /queue/{id} for those who are logged in.
import test, { after, before, beforeEach } from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { binary, startEvents, texts } from "./server.mjs";
import { ahead, aheadIs, assertAccessible, launchBrowser, noteShown, phone, shown, stateIs } from "./browser.mjs";

let server, world, browser;
before(async () => {
  server = await startEvents({ mock: true });
  world = server.world;
  browser = await launchBrowser();
});
beforeEach(() => { world.answer = () => null; world.seen.length = 0; world.graceMs = 3_600_000; });
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(t, options = {}) {
  const context = await browser.newContext({ ...phone, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", fault => page.faults.push(fault.stack));
  return page;
}

const text = (page, id) => page.locator(`#${id}`).textContent();
const textIs = (page, id, wanted) => page.waitForFunction(([where, what]) => document.getElementById(where).textContent === what, [id, wanted]);
const asked = (method, part) => world.seen.filter(request => request.method === method && request.path.includes(part));
const stored = (page, key) => page.evaluate(name => localStorage.getItem(name), key);
const fits = page => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
const answerFor = (part, answer) => { world.answer = request => request.path.includes(part) ? answer(request) : null; };
const refusal = (status, more = {}, headers = {}) => ({ status, body: { error: "No", ...more }, headers });

// ---- Tier 1 ----------------------------------------------------------------------------------
async function newLine(others = 0) {
  const event = server.event(randomUUID());
  await event.activate();
  await event.crowd(others);
  return event;
}

async function visitLine(t, event, options) {
  const page = await open(t, options);
  await page.goto(event.vwrPage);
  return page;
}

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

// ---- Tier 2 ----------------------------------------------------------------------------------
// One is inside and `others` are in line before.
async function newQueue(others = 0, about = {}) {
  const event = server.event(randomUUID());
  await event.threshold(1);
  for (let i = 0; i <= others; i++) await event.check(`other-${i}`);
  Object.assign(world.event(event.id), about);
  return event;
}

async function visitQueue(t, event, options) {
  const page = await open(t, { extraHTTPHeaders: { "X-User-Id": "me" }, ...options });
  await page.goto(event.queuePage);
  return page;
}

test("tier 2: position, people ahead and behind, who is inside, the wait and the event are shown", async t => {
  const event = await newQueue(3, { info: { title: "Spring Concert", artist: "The <b>Band</b>", venue: "Hall" }, wait: 150 });
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  await event.check("late");
  await textIs(page, "behind", "1");
  assert.equal(await ahead(page), "3");
  assert.equal(await text(page, "number"), "4");
  assert.equal(await page.locator("#facts dt").first().textContent(), texts.en.position);
  assert.equal(await text(page, "users"), "1 of 1");
  assert.equal(await text(page, "eta"), "about 3 minutes");
  assert.equal(await text(page, "room"), "Spring Concert · The <b>Band</b>");
  assert.equal(await text(page, "lead"), texts.en.keep_open_lead);
  assert.equal(await page.title(), "3 ahead · Waiting room");
  assert.deepEqual(page.faults, []);
});

test("tier 2: an unknown event has no name", async t => {
  const page = await visitQueue(t, await newQueue(1, { info: { title: "Unknown", artist: "Unknown" } }));
  await stateIs(page, "waiting");
  assert.equal(await text(page, "room"), texts.en.title);
});

test("tier 2: who is called goes to the seats, without giving the place away", async t => {
  const event = await newQueue(2);
  const page = await visitQueue(t, event);
  await aheadIs(page, "2");
  await event.threshold(2);
  await aheadIs(page, "1");
  assert.equal(await page.locator("#progress").getAttribute("aria-valuenow"), "50");
  await event.threshold(4);
  await page.waitForURL(`**/events/${event.id}/seats`);
  assert.equal(asked("POST", `/leave/${event.id}`).length, 0);
  assert.equal((await event.status("me")).status, "active");
  assert.equal(await page.evaluate(() => document.cookie), "");
});

test("tier 2: where there is room the visitor goes in at once, to where the answer says", async t => {
  const event = server.event(randomUUID());
  answerFor("/check/", () => ({ body: { queued: false, status: "active", redirectTo: `/events/${event.id}/book`, entryToken: "t", extra: { new: true } } }));
  const page = await visitQueue(t, event);
  await page.waitForURL(`**/events/${event.id}/book`);
  assert.equal(asked("GET", "/status/").length, 0);
});

test("tier 2: an address that is no web address is never gone to", async t => {
  const event = server.event(randomUUID());
  answerFor("/check/", () => ({ body: { queued: false, status: "active", redirectTo: "javascript:document.title='gone'" } }));
  const page = await visitQueue(t, event);
  await page.waitForURL(`**/events/${event.id}/seats`);
});

test("tier 2: a reload within the grace period keeps the place", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  await event.check("late");
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "2");
  // Whichever of the two came first: the question soon after has the place back.
  await page.waitForResponse(response => response.url().includes("/status/"));
  assert.deepEqual(asked("POST", `/leave/${event.id}`).map(request => request.user), ["me"]);
  assert.equal(world.event(event.id).leaving.size, 0);
  assert.equal(await text(page, "number"), "2");
});

test("tier 2: closing the page gives the place away", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  await page.close({ runBeforeUnload: false });
  const other = await visitQueue(t, event, { extraHTTPHeaders: { "X-User-Id": "other-1" } });
  await stateIs(other, "waiting");
  world.graceMs = 0;
  await other.evaluate(() => askNow());
  await textIs(other, "behind", "0");
  assert.deepEqual(world.event(event.id).queue, ["other-1"]);
});

test("tier 2: leaving asks first, ends the questions, and can be taken back", async t => {
  const event = await newQueue(2);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  await event.check("late");
  await page.click("#leave");
  await page.click("#leave-yes");
  await stateIs(page, "left");
  assert.equal(await text(page, "head"), texts.en.left_head);
  world.seen.length = 0;
  await page.evaluate(() => turn());
  await page.reload();
  await stateIs(page, "left");   // Looking is not joining, and who has left sends no beacon.
  await page.evaluate(() => turn());
  assert.deepEqual(world.seen.filter(request => request.path.startsWith("/api/")), []);
  await page.click("#go");
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "3");
});

test("tier 2: leaving in one tab is leaving in both", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  const second = await page.context().newPage();
  await second.goto(event.queuePage);
  await stateIs(second, "waiting");
  await page.bringToFront();
  await page.click("#leave");
  await page.click("#leave-yes");
  await stateIs(page, "left");
  await stateIs(second, "left");
  await page.click("#go");
  await stateIs(second, "waiting");
});

test("tier 2: a place that is gone is taken anew, and the visitor is told", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  await event.check("late");
  const { queue } = world.event(event.id);
  queue.splice(queue.indexOf("me"), 1);
  await textIs(page, "notice", texts.en.new_place);
  assert.equal(await text(page, "number"), "3");
  assert.equal(asked("POST", "/check/").filter(request => request.user === "me").length, 2);
});

test("tier 2: a place that is gone again and again is not taken for ever", async t => {
  const event = await newQueue(1);
  answerFor("/status/", () => ({ body: { status: "not_in_queue", queued: false, nextPoll: 1 } }));
  const page = await visitQueue(t, event);
  await stateIs(page, "expired");
  assert.equal(asked("POST", "/check/").filter(request => request.user === "me").length, 2);
  await page.evaluate(() => turn());
  assert.equal(asked("GET", "/status/").length, 2);
  world.answer = () => null;
  await page.click("#go");
  await stateIs(page, "waiting");
});

test("tier 2: who is not logged in is told so, and nothing goes round in circles", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event, { extraHTTPHeaders: {} });
  await stateIs(page, "login");
  assert.equal(await text(page, "head"), texts.en.login_head);
  assert.equal(asked("POST", "/check/").filter(request => !request.user).length, 1);
  assert.equal(await page.evaluate(() => timer), await page.evaluate(() => { turn(); return timer; }));
  await page.click("#go");
  await page.waitForURL(url => url.pathname === "/login" && url.searchParams.get("next") === `/queue/${event.id}`);
  assert.equal(asked("POST", `/leave/${event.id}`).length, 0);
});

test("tier 2: a log-in in another tab is noticed when the page is looked at again", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event, { extraHTTPHeaders: {} });
  await stateIs(page, "login");
  await page.context().setExtraHTTPHeaders({ "X-User-Id": "me" });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await stateIs(page, "waiting");
});

test("tier 2: who has to pass tier 1 first is sent there", async t => {
  const event = await newQueue(1);
  answerFor("/api/v1/queue/check/", () => refusal(403, { redirectTo: `/vwr/${event.id}` }));
  const page = await visitQueue(t, event);
  await page.waitForURL(`**/vwr/${event.id}`);
});

test("tier 2: a page that is sent to itself stays and asks again later", async t => {
  const event = await newQueue(1);
  answerFor("/check/", () => refusal(403, { redirectTo: `/queue/${event.id}?again` }));
  const page = await visitQueue(t, event);
  await page.waitForFunction(() => failures > 0 && !running);
  world.answer = () => null;
  await page.evaluate(() => askNow());
  await stateIs(page, "waiting");
  assert.equal(asked("GET", `/queue/${event.id}`).length, 1);
});

test("tier 2: too many questions are asked again after one and two seconds, then as late as the server says", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  answerFor("/status/", () => refusal(429, { error: "Rate limit exceeded", retryAfter: 60 }));
  await page.waitForFunction(() => failures === 1 && !running);   // The third refusal; the first two are none.
  assert.equal(await text(page, "notice"), texts.en.busy);
  const times = asked("GET", "/status/").slice(-3).map(request => request.at);
  assert.ok(times[1] - times[0] > 800, `${times[1] - times[0]} ms`);
  assert.ok(times[2] - times[1] > 1_700, `${times[2] - times[1]} ms`);
  world.answer = () => null;
  await page.evaluate(() => askNow());
  await page.waitForSelector("#notice", { state: "hidden" });
  assert.equal(await text(page, "number"), "2");
});

for (const status of [400, 404]) {
  test(`tier 2: no such event (${status})`, async t => {
    answerFor("/check/", () => refusal(status));
    const page = await visitQueue(t, server.event("no-such-event"));
    await stateIs(page, "not_found");
    assert.equal(await text(page, "go"), texts.en.retry);
  });
}
test("tier 2: an answer that nobody understands changes nothing", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  answerFor("/status/", () => ({ body: { status: "dancing" } }));
  await page.waitForFunction(() => failures > 0);
  await stateIs(page, "waiting");
  assert.equal(await text(page, "number"), "2");
  assert.deepEqual(page.faults, []);
});

// ---- Both ------------------------------------------------------------------------------------
for (const [language, locale] of [["ko", "ko-KR"], ["en", "en-GB"], ["ja", "ja-JP"], ["es", "es-MX"]]) {
  test(`both pages speak ${texts[language].name}`, async t => {
    const words = texts[language];
    const line = await visitLine(t, await newLine(2), { locale });
    await stateIs(line, "waiting");
    assert.equal(await text(line, "head"), words.waiting_head);
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

for (const colorScheme of ["light", "dark"]) {
  test(`no accessibility violations on both pages, ${colorScheme}`, async t => {
    const event = await newLine(2);
    const line = await visitLine(t, event, { colorScheme });
    await stateIs(line, "waiting");
    await assertAccessible(line, "tier 1, waiting");
    await line.evaluate(() => { document.dispatchEvent(new Event("visibilitychange")); going = true; });   // Stay to be looked at.
    await event.advance(3);
    await stateIs(line, "active");
    await assertAccessible(line, "tier 1, admitted");
    const queue = await visitQueue(t, await newQueue(2, { info: { title: "Spring Concert", artist: "Band" } }), { colorScheme });
    await stateIs(queue, "waiting");
    await assertAccessible(queue, "tier 2, waiting");
    await queue.click("#leave");
    await assertAccessible(queue, "tier 2, asking before leaving");
    await queue.click("#leave-yes");
    await stateIs(queue, "left");
    await assertAccessible(queue, "tier 2, left");
    const stranger = await visitQueue(t, await newQueue(), { colorScheme, extraHTTPHeaders: {} });
    await stateIs(stranger, "login");
    await assertAccessible(stranger, "tier 2, not logged in");
  });
}

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

// ---- The whole way ---------------------------------------------------------------------------
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
