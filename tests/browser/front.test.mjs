// The page at "/" of a demo server: it leads to the rooms and the API, and no room or phone is too wide for it.
import test, { after, before } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { binary } from "./server.mjs";
import { assertAccessible, launchBrowser, phone } from "./browser.mjs";

const skip = !binary && "ANTEROOM_BIN is not set";
const longName = "an-event-with-a-very-long-name-".repeat(4);
let folder, child, url, browser;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(path.join(tmpdir(), "anteroom-front-"));
  const settings = { SERVER_LISTEN: "127.0.0.1:0", SERVER_THREADS: "1", STORE_URL: `embedded:${folder}/data` };
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("ANTEROOM_"));
  const ours = Object.entries(settings).map(([name, value]) => [`ANTEROOM_${name}`, value]);
  child = spawn(binary, ["serve", "--demo"], { stdio: ["ignore", "pipe", "inherit"], env: Object.fromEntries([...others, ...ours]) });
  const ended = new Promise((_, reject) => child.once("exit", code => reject(new Error(`the server ended with ${code}`))));
  const said = new Promise(resolve => readline.createInterface({ input: child.stdout })
    .on("line", line => { const found = line.match(/^front page (http:\S+)/); if (found) resolve(found[1]); }));
  url = await Promise.race([said, ended]);
  ended.catch(() => {});
  const token = readFileSync(`${folder}/data/admin-token`, "utf8").trim();
  for (const [id, verb] of [[longName, ""], ["resting", ""], ["resting", "/pause"]]) {
    const answer = await fetch(`${url}v1/admin/rooms/${id}${verb}`, { method: verb ? "POST" : "PUT", headers: { Authorization: `Bearer ${token}` }, body: "{}" });
    assert.ok(answer.ok, `${id}${verb}: ${answer.status}`);
  }
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  if (!child) return;
  const gone = new Promise(resolve => child.exitCode === null ? child.once("exit", resolve) : resolve());
  child.kill("SIGTERM");
  await gone;
  rmSync(folder, { recursive: true, force: true });
});

test("without JavaScript the front page leads to the waiting page", { skip }, async t => {
  const context = await browser.newContext({ ...phone, javaScriptEnabled: false });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  assert.equal(await page.locator("h1").textContent(), "Anteroom");
  assert.match(await page.locator("li", { hasText: "resting" }).textContent(), /paused/);
  assert.match(await page.locator("pre").textContent(), /curl .*\/data\/admin-token/);
  await page.click("a:text-is('demo')");
  await page.waitForURL("**/wait/demo?plain=1");
});

test("every address on the front page answers, and the browser complains of nothing", { skip }, async t => {
  const page = await browser.newPage(phone);
  t.after(() => page.close());
  const complaints = [];
  page.on("console", message => complaints.push(message.text()));
  page.on("requestfailed", request => complaints.push(request.url()));
  await page.goto(url);
  const links = await page.locator("a").evaluateAll(all => all.map(link => link.href));
  assert.ok(links.length >= 7, `${links}`);
  for (const link of links) assert.equal((await fetch(link)).status, 200, link);
  assert.deepEqual(complaints, []);
});

test("the front page is accessible, light and dark, and fits a phone", { skip }, async t => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ ...phone, colorScheme });
    t.after(() => page.close());
    await page.goto(url);
    const policy = (await fetch(url)).headers.get("content-security-policy");
    assert.match(policy, /default-src 'none'/);
    const [wide, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= shown, `${wide} wide on a screen of ${shown}`);
    await assertAccessible(page, colorScheme);
  }
});
