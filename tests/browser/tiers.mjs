// What the tests of events with two tiers share: one mock and one browser for each file of tests, and the ways to a page.
import { after, before, beforeEach } from "node:test";
import { randomUUID } from "node:crypto";
import { startEvents } from "./server.mjs";
import { launchBrowser, phone } from "./browser.mjs";

export let server, world;
let browser;
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

export async function open(t, options = {}) {
  const context = await browser.newContext({ ...phone, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", fault => page.faults.push(fault.stack));
  return page;
}

export const text = (page, id) => page.locator(`#${id}`).textContent();
export const textIs = (page, id, wanted) => page.waitForFunction(([where, what]) => document.getElementById(where).textContent === what, [id, wanted]);
export const asked = (method, part) => world.seen.filter(request => request.method === method && request.path.includes(part));
export const stored = (page, key) => page.evaluate(name => localStorage.getItem(name), key);
export const answerFor = (part, answer) => { world.answer = request => request.path.includes(part) ? answer(request) : null; };
export const refusal = (status, more = {}, headers = {}) => ({ status, body: { error: "No", ...more }, headers });

// Tier 1: `others` are in line before.
export async function newLine(others = 0) {
  const event = server.event(randomUUID());
  await event.activate();
  await event.crowd(others);
  return event;
}

export async function visitLine(t, event, options) {
  const page = await open(t, options);
  await page.goto(event.vwrPage);
  return page;
}

// Tier 2: one is inside and `others` are in line before.
export async function newQueue(others = 0, about = {}) {
  const event = server.event(randomUUID());
  await event.threshold(1);
  for (let i = 0; i <= others; i++) await event.check(`other-${i}`);
  Object.assign(world.event(event.id), about);
  return event;
}

export async function visitQueue(t, event, options) {
  const page = await open(t, { extraHTTPHeaders: { "X-User-Id": "me" }, ...options });
  await page.goto(event.queuePage);
  return page;
}
