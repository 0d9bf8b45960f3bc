// The picture of `anteroom plan`: readable, light and dark, with nothing fetched. ANTEROOM_SCREENSHOTS=1 also makes those of
// docs/plan.md.
import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { assertAccessible, launchBrowser } from "./browser.mjs";

const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const plan = ["--crowd", "200000", "--arrive", "2m", "--batch", "4000", "--interval", "10s", "--capacity", "100000", "--stay", "5m"];

test("the picture of a plan", { skip: !process.env.ANTEROOM_BIN && "ANTEROOM_BIN is not set" }, async t => {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-plan-"));
  const browser = await launchBrowser();
  t.after(async () => { await browser.close(); rmSync(folder, { recursive: true }); });
  const draw = name => execFileSync(process.env.ANTEROOM_BIN, ["plan", ...plan, "--chart", join(folder, name)], { stdio: ["ignore", "ignore", "ignore"] });
  draw("plan.html");
  draw("plan.svg");
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1040, 360]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      const asked = [];
      page.on("request", request => asked.push(request.url()));
      await page.goto(pathToFileURL(join(folder, "plan.html")).href);
      assert.equal(asked.length, 1, "nothing else is fetched");
      await assertAccessible(page, `${colorScheme} ${width}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no sideways scrolling");
      // No two texts of the picture lie on each other, and none sticks out of it.
      const clashes = await page.evaluate(() => {
        const frame = document.querySelector("svg").getBoundingClientRect();
        const boxes = [...document.querySelectorAll("svg text")].filter(one => one.textContent).map(one => [one.textContent, one.getBoundingClientRect()]);
        const found = [];
        for (const [i, [name, a]] of boxes.entries()) {
          if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push(`${name} sticks out`);
          for (const [other, b] of boxes.slice(i + 1))
            if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push(`${name} on ${other}`);
        }
        return found;
      });
      assert.deepEqual(clashes, []);
      const paper = await page.evaluate(() => getComputedStyle(document.querySelector(".paper")).fill);
      assert.equal(paper, colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 23, 29)");
      if (process.env.ANTEROOM_SCREENSHOTS === "1" && width === 1040)
        await page.screenshot({ path: `${images}plan-${colorScheme}.png` });
      await context.close();
    }
  }
  // The picture alone.
  const page = await (await browser.newContext({ colorScheme: "dark" })).newPage();
  await page.goto(pathToFileURL(join(folder, "plan.svg")).href);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".paper")).fill), "rgb(20, 23, 29)");
  assert.equal(await page.evaluate(() => document.querySelectorAll("path.line").length), 2);
});
