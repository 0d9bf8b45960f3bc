// Debian's Chromium, driven by playwright-core.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export function launchBrowser() {
  const executablePath = execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
  return chromium.launch({ executablePath, headless: true, args: flags });
}

export const phone = { viewport: { width: 360, height: 740 }, locale: "en-US" };

// The page's own word for what it shows.
export const stateIs = (page, state) => page.waitForSelector(`html[data-state="${state}"]`, { state: "attached" });
export const ahead = page => page.locator("#big").textContent();
export const aheadIs = (page, text) => page.waitForFunction(wanted => document.getElementById("big").textContent === wanted, text);

export async function assertAccessible(page, what) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  assert.deepEqual(found.violations.map(v => `${v.id}: ${v.nodes.map(n => n.html + " " + n.failureSummary).join(" | ")}`), [], what);
}
