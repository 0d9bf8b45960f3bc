// Pictures for the documentation, made only when ANTEROOM_SCREENSHOTS=1.
import test from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startEvents, startServer } from "./server.mjs";
import { aheadIs, launchBrowser, phone, stateIs } from "./browser.mjs";

const folder = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const desktop = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };
const pictures = [
  ["wait-phone.png", { ...phone, locale: "en-GB" }],
  ["wait-desktop.png", desktop],
  ["wait-dark.png", { ...desktop, colorScheme: "dark", locale: "ko-KR" }],
];

const options = { skip: process.env.ANTEROOM_SCREENSHOTS !== "1" && "ANTEROOM_SCREENSHOTS is not 1" };

test("pictures of the waiting page", options, async t => {
  const server = await startServer({ mock: true });
  const browser = await launchBrowser();
  t.after(async () => { await browser.close(); await server.stop(); });
  mkdirSync(folder, { recursive: true });
  const room = server.room("spring-concert");
  await room.configure({ capacity: 0, seconds_per_person: 3.1, message: "Doors open at 20:00. There is a seat for everybody who is in line now." });
  await room.crowd(412);
  const pages = [];
  for (const [name, options] of pictures) {
    const page = await (await browser.newContext({ ...options, reducedMotion: "reduce" })).newPage();
    await page.goto(room.page);
    await stateIs(page, "waiting");
    pages.push([name, page]);
  }
  await room.crowd(958);
  await room.configure({ capacity: 130 });
  for (const [i, [name, page]] of pages.entries()) {
    await aheadIs(page, String(282 + i));
    await page.waitForSelector("#live[data-on]");
    await page.screenshot({ path: folder + name });
    assert.ok(statSync(folder + name).size < 150_000, name);
  }
});

test("pictures of the pages of events with two tiers", options, async t => {
  const server = await startEvents({ mock: true });
  const browser = await launchBrowser();
  t.after(async () => { await browser.close(); await server.stop(); });
  const event = server.event("0f8fad5b-d9cb-469f-a165-70867728950e");
  await event.activate();
  await event.crowd(700);
  await event.threshold(20);
  for (let i = 0; i < 150; i++) await event.check(`other-${i}`);
  const large = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, reducedMotion: "reduce", extraHTTPHeaders: { "X-User-Id": "me" } };
  for (const [name, address, ahead, options] of [
    ["urr-vwr.png", event.vwrPage, "700", { locale: "en-GB" }],
    ["urr-queue.png", event.queuePage, "130", { locale: "ko-KR", colorScheme: "dark" }],
  ]) {
    const page = await (await browser.newContext({ ...large, ...options })).newPage();
    await page.goto(address);
    await aheadIs(page, ahead);
    await page.screenshot({ path: folder + name });
    assert.ok(statSync(folder + name).size < 150_000, name);
  }
});
