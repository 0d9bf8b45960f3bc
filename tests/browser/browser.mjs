// Debian's Chromium, driven by playwright-core, in surroundings of its own: nothing that the machine or the caller has set
// (fonts, language, time zone, home) reaches the pages.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { writeFontConfig } from "./fonts.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// Until something that is waited for counts as never coming: only a hang takes so long.
const patienceMs = 120_000;

// The headless shell is the same engine without the windows around it: a page costs a fifth of the time.
function chromiumPath() {
  try {
    return execFileSync("sh", ["-c", "command -v chromium-headless-shell || command -v chromium"], { encoding: "utf8" }).trim();
  } catch {
    throw new Error("neither chromium-headless-shell nor chromium is installed");
  }
}

// Pictures for the documentation are made with the fonts of the machine, or of ANTEROOM_FONTS.
function surroundings(folder) {
  const { PATH, TMPDIR } = process.env;
  const own = { PATH, ...TMPDIR && { TMPDIR }, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, LANG: "C.UTF-8", TZ: "UTC" };
  return process.env.ANTEROOM_SCREENSHOTS === "1" && !process.env.ANTEROOM_FONTS ? own : { ...own, FONTCONFIG_FILE: writeFontConfig(folder) };
}

export async function launchBrowser() {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-chromium-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const browser = await chromium.launch({ executablePath: chromiumPath(), headless: true, args: flags, env: surroundings(folder), timeout: patienceMs });
  const newContext = browser.newContext.bind(browser);   // That of newPage, too.
  browser.newContext = async options => {
    const context = await newContext(options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  return browser;
}

export const phone = { viewport: { width: 360, height: 740 }, locale: "en-US" };

// The page's own word for what it shows.
export const stateIs = (page, state) => page.waitForSelector(`html[data-state="${state}"]`, { state: "attached" });
// From the next page on, every state with its title is noted, also one that is shown only for a moment before the page goes
// elsewhere. REQUIRES: elsewhere is the same origin, and there is a store.
export const noteShown = page => page.addInitScript(() => {
  const shown = JSON.parse(sessionStorage.getItem("test-shown") || "[]");
  new MutationObserver(() => {
    const { state } = document.documentElement.dataset, { title } = document, last = shown.at(-1);
    if (!state || (last?.state === state && last.title === title)) return;
    shown.push({ state, title });
    sessionStorage.setItem("test-shown", JSON.stringify(shown));
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
});
export const shown = page => page.evaluate(() => JSON.parse(sessionStorage.getItem("test-shown")));

// From the next page on, setHidden(true) makes it a hidden tab of the strictest kind: not a single timer of the page fires until it
// is shown again. Headless browsers have no such tabs. Workers and streams are as they are.
export const allowHiding = page => page.addInitScript(() => {
  const { setTimeout, setInterval, clearTimeout } = window, parked = new Map();
  let hidden = false;
  Object.defineProperties(document, { hidden: { get: () => hidden }, visibilityState: { get: () => hidden ? "hidden" : "visible" } });
  window.setTimeout = (act, delay) => {
    const id = setTimeout(() => { if (hidden) parked.set(id, act); else act(); }, delay);
    return id;
  };
  window.clearTimeout = id => { clearTimeout(id); parked.delete(id); };
  window.setInterval = (act, delay) => setInterval(() => { if (!hidden) act(); }, delay);
  window.setHidden = on => {
    hidden = on;
    document.dispatchEvent(new Event("visibilitychange"));
    if (on) return;
    for (const act of parked.values()) act();
    parked.clear();
  };
});
export const setHidden = (page, on) => page.evaluate(hidden => window.setHidden(hidden), on);

export const ahead = page => page.locator("#big").textContent();
export const aheadIs = (page, text) => page.waitForFunction(wanted => document.getElementById("big").textContent === wanted, text);

export const fits = page => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);   // No sideways scrolling.

// In both colour schemes.
export async function assertAccessible(page, what) {
  await page.evaluate(axeSource);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    assert.deepEqual(found.violations.map(v => `${v.id}: ${v.nodes.map(n => n.html + " " + n.failureSummary).join(" | ")}`), [], `${what}, ${colorScheme}`);
  }
}
