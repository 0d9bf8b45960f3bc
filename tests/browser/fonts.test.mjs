// Layout is measured by the fonts that the tests bring along, whatever the machine has.
import test from "node:test";
import assert from "node:assert/strict";
import { texts } from "./server.mjs";
import { launchBrowser } from "./browser.mjs";
import { families } from "./fonts.mjs";

const options = { skip: (process.env.ANTEROOM_FONTS || process.env.ANTEROOM_SCREENSHOTS === "1") && "other fonts are wanted" };

// The families in which Chromium really draws the text.
async function familiesOf(page, family, text) {
  await page.setContent(`<!doctype html><p style="font-family: ${family}">${text}</p>`);
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument");
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "p" });
  const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
  return fonts.map(font => font.familyName).sort();
}

test("every text is drawn in a font of the tests", options, async t => {
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  for (const generic of ["system-ui", "sans-serif", "Roboto, sans-serif"])
    assert.deepEqual(await familiesOf(page, generic, "Waiting 0123456789"), [families.latin], generic);
  assert.deepEqual(await familiesOf(page, "system-ui", texts.ko.name), [families.korean]);
  assert.deepEqual(await familiesOf(page, "system-ui", "ありがとう"), [families.japanese]);
  const known = Object.values(families);
  for (const [language, words] of Object.entries(texts)) {
    const strangers = (await familiesOf(page, "system-ui", Object.values(words).join(" "))).filter(name => !known.includes(name));
    assert.deepEqual(strangers, [], language);
  }
});
