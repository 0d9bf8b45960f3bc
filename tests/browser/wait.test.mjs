// What a visitor meets on the waiting page, from joining to going in.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { serverPersists, startServer, texts } from "./server.mjs";
import { ahead, aheadIs, assertAccessible, fits, launchBrowser, noteShown, phone, shown, stateIs } from "./browser.mjs";

let server, browser;
let count = 0;

before(async () => {
  server = await startServer();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

// A room of its own for every test, with `others` in line before.
async function newRoom({ others = 0, ...settings } = {}) {
  const room = server.room(`room-${++count}`);
  await room.configure({ capacity: 0, target: "/demo/target", ...settings });
  await room.crowd(others);
  return room;
}

async function visit(t, room, options = {}) {
  const context = await browser.newContext({ ...phone, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", error => page.faults.push(error.stack));
  await noteShown(page);
  await page.goto(room.page);
  return page;
}

const numberOf = page => page.locator("#number").textContent();

test("a visitor joins and sees the number, the people ahead and the tab title", async t => {
  const room = await newRoom({ others: 3 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  assert.equal(await ahead(page), "3");
  assert.equal(await numberOf(page), "4");
  assert.equal(await page.locator("#behind").textContent(), "0");
  assert.equal(await page.title(), "3 ahead · Waiting room");
  assert.equal(await page.locator("#eta").textContent(), texts.en.eta_unknown);
  assert.deepEqual(page.faults, []);
});

test("the number falls as people are let in, and the door frame fills", async t => {
  const room = await newRoom({ others: 4 });
  const page = await visit(t, room);
  await aheadIs(page, "4");
  await room.configure({ capacity: 2 });
  await aheadIs(page, "2");
  await page.waitForFunction(() => document.title.startsWith("2 ahead"));
  assert.equal(await page.locator("#progress").getAttribute("aria-valuenow"), "50");
  await room.configure({ capacity: 4 });
  await aheadIs(page, texts.en.next);
});

test("a reload keeps the place", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await room.crowd(3);
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await numberOf(page), "3");
  assert.equal(await ahead(page), "2");
});

test("without cookies the stored ticket keeps the place", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await page.context().clearCookies();
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await numberOf(page), "3");
});

test("without the store the cookie keeps the place", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await page.evaluate(() => localStorage.clear());
  await page.goto("about:blank");
  await page.goto(room.page);
  await stateIs(page, "waiting");
  assert.equal(await numberOf(page), "3");
});

test("network loss is told calmly, and the place is there when it is back", async t => {
  const room = await newRoom({ others: 2 });
  const page = await visit(t, room);
  await aheadIs(page, "2");
  await page.context().setOffline(true);
  await page.waitForSelector("#notice:not([hidden])");
  assert.equal(await page.locator("#notice").textContent(), texts.en.lost);
  assert.equal(await ahead(page), "2");
  await room.configure({ capacity: 1 });
  await page.context().setOffline(false);
  await page.waitForSelector("#notice", { state: "hidden" });
  await aheadIs(page, "1");
  assert.equal(await numberOf(page), "3");
});

test("a server restart keeps the place", { skip: !serverPersists && "ANTEROOM_BIN is not set" }, async t => {
  const own = await startServer();
  t.after(() => own.stop());
  const room = own.room("restart");
  await room.configure({ capacity: 0 });
  await room.crowd(2);
  const page = await visit(t, room);
  await aheadIs(page, "2");
  await own.halt();
  await page.waitForSelector("#notice:not([hidden])");
  await own.resume();
  await page.waitForSelector("#notice", { state: "hidden" });
  await stateIs(page, "waiting");
  assert.equal(await numberOf(page), "3");
  await room.configure({ capacity: 1 });
  await aheadIs(page, "1");
});

test("a second tab shows the same place, and leaving in one is leaving in both", async t => {
  const room = await newRoom({ others: 1, leave_grace: "1h" });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  const second = await page.context().newPage();
  await second.goto(room.page);
  await stateIs(second, "waiting");
  assert.equal(await numberOf(second), await numberOf(page));
  await page.bringToFront();
  await leave(page);
  await stateIs(second, "left");
  await page.click("#go");
  await stateIs(page, "waiting");
  await stateIs(second, "waiting");
  assert.equal(await numberOf(second), "2");
});

async function leave(page) {
  await page.click("#leave");
  await page.click("#leave-yes");
  await stateIs(page, "left");
}

test("leaving asks first, and a return within the grace period restores the place", async t => {
  const room = await newRoom({ others: 2, leave_grace: "1h" });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await page.click("#leave");
  await page.click("#stay");
  await stateIs(page, "waiting");
  await room.crowd(2);
  await leave(page);
  assert.equal(await page.locator("#head").textContent(), texts.en.left_head);
  await page.reload();
  await stateIs(page, "left");   // Looking is not joining.
  await page.click("#go");
  await stateIs(page, "waiting");
  assert.equal(await numberOf(page), "3");
  assert.equal(await ahead(page), "2");
});

test("a paused room says so, with the operator's words, and goes on", async t => {
  const room = await newRoom({ others: 1 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await room.configure({ message: "Back at 20:00 <b>sharp</b>" });
  await room.pause();
  await page.waitForFunction(text => document.getElementById("head").textContent === text, texts.en.paused_head);
  await page.waitForSelector("#message:not([hidden])");
  assert.equal(await page.locator("#message-text").textContent(), "Back at 20:00 <b>sharp</b>");
  assert.equal(await numberOf(page), "2");
  await room.resume();
  await page.waitForFunction(text => document.getElementById("head").textContent === text, texts.en.waiting_head);
});

test("a draining room keeps those who wait and says so to those who come", async t => {
  const room = await newRoom({ others: 1 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await room.drain();
  await page.waitForFunction(text => document.getElementById("lead").textContent === text, texts.en.draining_lead);
  const late = await visit(t, room);
  await stateIs(late, "draining");
  assert.equal(await late.locator("#lead").textContent(), texts.en.join_later_lead);
});

test("a closed room says so", async t => {
  const room = await newRoom();
  await room.close();
  const page = await visit(t, room);
  await stateIs(page, "closed");
  assert.equal(await page.locator("#head").textContent(), texts.en.closed_head);
});

test("a full room says so", async t => {
  const room = await newRoom({ waiting_max: 1, others: 1 });
  const page = await visit(t, room);
  await stateIs(page, "full");
  assert.equal(await page.locator("#head").textContent(), texts.en.full_head);
});

test("an unknown room says so", async t => {
  const page = await visit(t, { page: `${server.url}/wait/no-such-room` });
  await stateIs(page, "not_found");
  assert.equal(await page.locator("#head").textContent(), texts.en.not_found_head);
});

test("who is called arrives at the target, and Back does not lead into the line again", async t => {
  const room = await newRoom({ others: 1 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await room.configure({ capacity: 2 });
  await page.waitForURL("**/demo/target");
  assert.deepEqual((await shown(page)).at(-1), { state: "active", title: texts.en.title_turn });
  assert.equal(await page.evaluate(() => history.length), 2);   // The blank page and this one.
});

test("a room without a target says that the turn has come, and can be finished", async t => {
  const room = await newRoom({ target: "" });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await room.configure({ capacity: 1 });
  await stateIs(page, "active");
  await page.click("#finish");
  await stateIs(page, "finished");
});

test("sound and notification only by consent", async t => {
  const room = await newRoom();
  const spy = () => {
    window.told = [];
    window.Notification = class { constructor(title) { window.told.push(title); } close() {} };
    window.Notification.permission = "default";
    window.Notification.requestPermission = async () => { window.told.push("asked"); return window.Notification.permission = "granted"; };
    const replace = window.AudioContext.prototype.createOscillator;
    window.AudioContext.prototype.createOscillator = function () { window.told.push("tone"); return replace.call(this); };
  };
  const context = await browser.newContext(phone);
  t.after(() => context.close());
  await context.addInitScript(spy);
  const page = await context.newPage();
  await page.goto(room.page);
  await stateIs(page, "waiting");
  assert.equal(await page.locator("#tell").getAttribute("aria-pressed"), "false");
  assert.deepEqual(await page.evaluate(() => window.told), []);
  await page.click("#tell");
  await page.waitForSelector('#tell[aria-pressed="true"]');
  await page.waitForSelector("#tell-note:not([hidden])");
  assert.equal(await page.locator("#tell-note").textContent(), texts.en.tell_on);
  assert.deepEqual(await page.evaluate(() => window.told), ["tone", "asked"]);
  await room.configure({ target: "", capacity: 1 });
  await stateIs(page, "active");
  assert.ok((await page.evaluate(() => window.told)).includes(texts.en.called_head));
});

for (const [language, locale] of [["ko", "ko-KR"], ["en", "en-GB"], ["ja", "ja-JP"], ["es", "es-MX"]]) {
  test(`the page speaks ${texts[language].name}`, async t => {
    const room = await newRoom({ others: 2 });
    const page = await visit(t, room, { locale });
    await stateIs(page, "waiting");
    assert.equal(await page.locator("html").getAttribute("lang"), language);
    assert.equal(await page.locator("#head").textContent(), texts[language].waiting_head);
    assert.equal(await page.title(), texts[language].title_ahead.replace("{n}", "2"));
    assert.ok(await fits(page), "no sideways scrolling");
  });
}

test("the language can be changed by hand", async t => {
  const page = await visit(t, await newRoom());
  await stateIs(page, "waiting");
  await page.click('#languages button[lang="ko"]');
  assert.equal(await page.locator("#head").textContent(), texts.ko.waiting_head);
  await page.reload();
  await stateIs(page, "waiting");
  assert.equal(await page.locator("html").getAttribute("lang"), "ko");
});

test("the page is sound from right to left, and with a number of seven digits", async t => {
  for (const viewport of [{ width: 320, height: 640 }, { width: 1280, height: 800 }]) {
    const page = await visit(t, await newRoom({ message: "مرحبا بكم" }), { viewport });
    await stateIs(page, "waiting");
    await page.evaluate(() => { document.documentElement.dir = "rtl"; ahead = startAhead = 1234567; render(); });
    assert.ok(await fits(page), "no sideways scrolling");
    const [number, door] = await Promise.all(["#big", ".door"].map(selector => page.locator(selector).boundingBox()));
    assert.ok(number.x >= door.x && number.x + number.width <= door.x + door.width, "the number is inside the door");
    const mark = await page.locator("header > span").first().boundingBox();
    assert.ok(mark.x + mark.width > viewport.width / 2, "the page begins at the right");
  }
});

test("no accessibility violations, light and dark", async t => {
  const room = await newRoom({ others: 2, target: "", message: "Welcome" });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  await assertAccessible(page, "waiting");
  await page.click("#tell");
  await page.click("#leave");
  await assertAccessible(page, "asking before leaving");
  await page.click("#stay");
  await page.context().setOffline(true);
  await page.waitForSelector("#notice:not([hidden])");
  await assertAccessible(page, "offline");
  await page.context().setOffline(false);
  await room.configure({ capacity: 3 });
  await stateIs(page, "active");
  await assertAccessible(page, "called");
  const lost = await visit(t, { page: `${server.url}/wait/no-such-room` });
  await stateIs(lost, "not_found");
  await assertAccessible(lost, "unknown room");
});

test("screen readers hear a new state at once, but not every number", async t => {
  const room = await newRoom({ others: 3 });
  const page = await visit(t, room);
  await stateIs(page, "waiting");
  const first = await page.locator("#spoken").textContent();
  assert.match(first, /^You are in line\. 3 people ahead/);
  await page.evaluate(() => { spokenAt = Infinity; });   // However slow the machine: it was spoken just now.
  await room.configure({ capacity: 1 });
  await aheadIs(page, "2");
  assert.equal(await page.locator("#spoken").textContent(), first);
  await room.pause();
  await page.waitForFunction(text => document.getElementById("spoken").textContent.startsWith(text), texts.en.paused_head);
});
