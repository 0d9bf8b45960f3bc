// The picture of `anteroom plan`: readable, light and dark, with nothing fetched. ANTEROOM_SCREENSHOTS=1 also makes those of
// docs/plan.md.
import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { assertAccessible, fits, launchBrowser } from "./browser.mjs";

const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const plans = {
  sale: ["--crowd", "200000", "--arrive", "2m", "--batch", "4000", "--interval", "10s", "--capacity", "100000", "--stay", "5m"],
  endless: ["--crowd", "4294967295", "--rate", "200"],
};
// The reader's font is not known: also with letters half as wide again as those of DejaVu Sans everything has its room.
const fonts = { usual: "* {}", ...!process.env.ANTEROOM_FONTS && { wide: "* { letter-spacing: .3em !important; }" } };

// No two texts of the picture lie on each other, and none sticks out of it.
const clashes = page => page.evaluate(() => {
  const frame = document.querySelector("svg").getBoundingClientRect();
  const boxes = [...document.querySelectorAll("svg text")].filter(one => one.textContent).map(one => [one.textContent, one.getBoundingClientRect()]);
  const found = [];
  for (const [i, [name, a]] of boxes.entries()) {
    if (a.left < frame.left || a.right > frame.right) found.push(`${name} sticks out`);
    for (const [other, b] of boxes.slice(i + 1))
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push(`${name} on ${other}`);
  }
  return found;
});
const boxesThatSpill = page => page.evaluate(() => [...document.querySelectorAll("dd, td, h1")].filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent));

test("the picture of a plan", { skip: !process.env.ANTEROOM_BIN && "ANTEROOM_BIN is not set" }, async t => {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-plan-"));
  const browser = await launchBrowser();
  t.after(async () => { await browser.close(); rmSync(folder, { recursive: true }); });
  const draw = (plan, name) => execFileSync(process.env.ANTEROOM_BIN, ["plan", ...plans[plan], "--chart", join(folder, name)], { stdio: ["ignore", "ignore", "ignore"] });
  for (const plan in plans) draw(plan, `${plan}.html`);
  draw("sale", "plan.svg");
  for (const width of [1040, 360]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const asked = [];
    page.on("request", request => asked.push(request.url()));
    await page.goto(pathToFileURL(join(folder, "sale.html")).href);
    assert.equal(asked.length, 1, "nothing else is fetched");
    await assertAccessible(page, String(width));
    for (const [colorScheme, paper] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(20, 23, 29)"]]) {
      await page.emulateMedia({ colorScheme });
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".paper")).fill), paper);
      if (process.env.ANTEROOM_SCREENSHOTS === "1" && width === 1040)
        await page.screenshot({ path: `${images}plan-${colorScheme}.png` });
    }
    await page.close();
  }
  for (const width of [1040, 360]) {
    for (const plan in plans) {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      await page.goto(pathToFileURL(join(folder, `${plan}.html`)).href);
      for (const [font, content] of Object.entries(fonts)) {
        await page.addStyleTag({ content });
        const what = `${plan}, ${width}, ${font}`;
        assert.ok(await fits(page), `no sideways scrolling: ${what}`);
        assert.deepEqual(await clashes(page), [], what);
        assert.deepEqual(await boxesThatSpill(page), [], what);
      }
      await page.close();
    }
  }
  // The picture alone.
  const page = await (await browser.newContext({ colorScheme: "dark" })).newPage();
  await page.goto(pathToFileURL(join(folder, "plan.svg")).href);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".paper")).fill), "rgb(20, 23, 29)");
  assert.equal(await page.evaluate(() => document.querySelectorAll("path.line").length), 2);
});
