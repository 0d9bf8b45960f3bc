// The page of an event's line for those who are logged in, /queue/{id}.
import test from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { texts } from "./server.mjs";
import { ahead, aheadIs, allowHiding, setHidden, stateIs } from "./browser.mjs";
import { answerFor, asked, newQueue, open, refusal, server, text, textIs, visitQueue, world } from "./tiers.mjs";

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

test("tier 2: a hidden tab keeps asking, though its timers stand still, and says when it was away all the same", async t => {
  const event = await newQueue(1);
  const page = await open(t, { extraHTTPHeaders: { "X-User-Id": "me" } });
  await allowHiding(page);
  await page.goto(event.queuePage);
  await stateIs(page, "waiting");
  world.seen.length = 0;
  await setHidden(page, true);
  for (let more = 0; more < 3; more++) await page.waitForResponse(response => response.url().includes("/status/"));
  assert.equal(asked("GET", "/timer.js").length, 1);
  await setHidden(page, false);
  assert.equal(await page.locator("#notice").isVisible(), false);
  await page.evaluate(() => { presentUntil = Date.now() - 1; wake(); });   // What a long sleep looks like.
  await textIs(page, "notice", texts.en.away);
  assert.deepEqual(page.faults, []);
});

test("tier 2: closing the page gives the place away", async t => {
  const event = await newQueue(1);
  const page = await visitQueue(t, event);
  await stateIs(page, "waiting");
  await page.close({ runBeforeUnload: true });
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
