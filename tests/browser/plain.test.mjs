// The waiting page without JavaScript: rendered by the server, refreshed by the browser.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { startServer, texts } from "./server.mjs";
import { assertAccessible, launchBrowser, phone } from "./browser.mjs";

let server, browser;
before(async () => {
  server = await startServer({ rooms: { plain: { target: "/demo/target", message: "Fish & <chips>" } } });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test("without JavaScript a visitor joins, waits, leaves, comes back and goes in", async t => {
  const room = server.room("plain");
  await room.crowd(2);
  const context = await browser.newContext({ ...phone, javaScriptEnabled: false });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(room.page);
  await page.waitForURL("**/wait/plain?plain=1");
  await page.waitForSelector('html[data-state="waiting"]', { state: "attached" });
  assert.equal(await page.locator(".big").textContent(), "2");
  assert.equal(await page.locator("#number").textContent(), "3");
  assert.equal(await page.locator("section p").textContent(), "Fish & <chips>");
  await page.click("#leave");
  await page.waitForSelector("h1:text-is('" + texts.en.left_head + "')");
  await page.click("form button");
  await page.waitForSelector('html[data-state="waiting"]', { state: "attached" });
  await room.configure({ capacity: 9 });
  await page.waitForSelector('html[data-state="active"]', { state: "attached" });
  assert.equal(await page.locator("h1").textContent(), texts.en.called_head);
  await page.click(".enter");
  await page.waitForURL("**/demo/target");
});

test("the plain page is accessible, light and dark", async t => {
  const room = server.room("plain-quiet");
  await room.configure({ capacity: 0, message: "Welcome" });
  const html = await (await fetch(`${room.page}?plain=1`)).text();
  const page = await browser.newPage(phone);
  t.after(() => page.close());
  await page.setContent(html.replace(/<meta http-equiv="refresh"[^>]*>/, ""));   // Or it leaves in the middle of it.
  await assertAccessible(page, "plain");
});

test("an unknown room has a plain page too", async () => {
  const answer = await fetch(`${server.url}/wait/no-such-room?plain=1`);
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), new RegExp(texts.en.not_found_head));
});
