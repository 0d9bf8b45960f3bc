// The pure rules of the page: what it computes from the frame that is the same for everybody.
import test from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { builtPage, pageRules, texts } from "./server.mjs";

const rules = pageRules();
const vectors = JSON.parse(readFileSync(new URL("pulse_vectors.json", import.meta.url), "utf8"));

test("the page reads the pulse as the engine does", () => {
  assert.ok(vectors.length > 50);
  for (const { pulse, line, order, ahead } of vectors)
    assert.equal(rules.aheadFrom(pulse, line, order), ahead, `line ${line}, order ${order}`);
});

test("ahead never falls from one order to the next", () => {
  for (const { pulse } of vectors.slice(-7))
    for (const { line } of pulse.lines)
      for (let order = 1, before = 0; order < 61_000; order += 13) {
        const ahead = rules.aheadFrom(pulse, line, order);
        assert.ok(ahead >= before, `line ${line}, order ${order}`);
        before = ahead;
      }
});

test("who stands before the first of the line is not in it any more", () => {
  const pulse = { lines: [{ line: 1, count: 2, first: 10, runs: [1, 3, 1], marks: [] }] };
  assert.equal(rules.isInLine(pulse, 1, 9), false);
  assert.equal(rules.isInLine(pulse, 1, 10), true);
  assert.equal(rules.isInLine(pulse, 0, 10), false);
});

test("waits are interpolated between samples, grow behind the last, and may be unknown", () => {
  const points = [[0, 0, 10], [100, 50, 110], [200, 250, 310]];
  assert.deepEqual(rules.waitFrom(points, 0), { p50: 0, p90: 10 });
  assert.deepEqual(rules.waitFrom(points, 50), { p50: 25, p90: 60 });
  assert.deepEqual(rules.waitFrom(points, 150), { p50: 150, p90: 210 });
  assert.deepEqual(rules.waitFrom(points, 400), { p50: 500, p90: 620 });
  assert.equal(rules.waitFrom([], 5), null);
  assert.equal(rules.waitFrom([[0, 1, 2]], 5), null);
});

test("a wait is told in words that people use", () => {
  const words = (p50, p90) => rules.waitInWords({ p50, p90 });
  assert.deepEqual(rules.waitInWords(null), { key: "eta_unknown" });
  assert.deepEqual(words(5, 59), { key: "eta_soon" });
  assert.deepEqual(words(40, 60), { key: "eta_minute", high: 1 });
  assert.deepEqual(words(52, 80), { key: "eta_minutes_range", low: 1, high: 2 });
  assert.deepEqual(words(170, 180), { key: "eta_minutes", high: 3 });
  assert.deepEqual(words(900, 1500), { key: "eta_minutes_range", low: 15, high: 25 });
  assert.deepEqual(words(3600, 5400), { key: "eta_minutes_range", low: 60, high: 90 });
  assert.deepEqual(words(3600, 9000), { key: "eta_hours_range", low: 1, high: 2.5 });
  assert.deepEqual(words(9000, 9000), { key: "eta_hours", high: 2.5 });
});

test("a promised time is told in whole units, and never longer than it is", () => {
  const words = seconds => { const { key, n } = rules.spanInWords(seconds); return [key, n]; };
  assert.deepEqual(words(1), ["span_second", 1]);
  assert.deepEqual(words(59), ["span_seconds", 59]);
  assert.deepEqual(words(60), ["span_minute", 1]);
  assert.deepEqual(words(119), ["span_seconds", 119]);
  assert.deepEqual(words(120), ["span_minutes", 2]);
  assert.deepEqual(words(179), ["span_minutes", 2]);
  assert.deepEqual(words(600), ["span_minutes", 10]);
  assert.deepEqual(words(7199), ["span_minutes", 119]);
  assert.deepEqual(words(7200), ["span_hours", 2]);
  assert.deepEqual(words(86399), ["span_hours", 23]);
});

test("who was told to ask again in a while is present for three times as long, at least ten seconds", () => {
  assert.deepEqual([undefined, 1, 3, 4, 20].map(rules.presenceOf), [10, 10, 10, 12, 60]);
});

test("the page goes to web addresses and to paths of its own site, nowhere else", () => {
  for (const good of ["/demo/target", "https://shop.example/a?b", "http://shop.example/"]) assert.equal(rules.safeTarget(good), good);
  for (const bad of ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "//evil.example", "/\\evil.example", "", null, 7])
    assert.equal(rules.safeTarget(bad), null, String(bad));
});

test("the poll policy is a table of how far one stands", () => {
  const policy = [[1000, 2], [5000, 5], [null, 20]];
  assert.deepEqual([0, 1000, 1001, 9999].map(ahead => rules.pollFrom(policy, ahead)), [2, 2, 5, 20]);
});

test("advice on when to ask again is kept within bounds", () => {
  const advised = value => rules.pollAfter(value, 3, 60);
  assert.deepEqual([1, 30, 0.2, 600, "5"].map(advised), [1, 30, 1, 60, 5]);
  assert.deepEqual([undefined, null, 0, -1, NaN, "soon"].map(advised), [3, 3, 3, 3, 3, 3]);
  assert.deepEqual([0, 14, null, undefined, "14"].map(rules.waitOf), [{ p50: 0, p90: 0 }, { p50: 14, p90: 14 }, null, null, null]);
});

test("the first language that both sides speak is taken", () => {
  const choose = wanted => rules.chooseLanguage(Object.keys(texts), wanted);
  assert.equal(choose([null, "ja-JP", "en"]), "ja");
  assert.equal(choose(["de-CH", "es-419", "en"]), "es");
  assert.equal(choose(["xx"]), "en");
});

test("every language says everything, with the same placeholders", () => {
  const holes = text => (text.match(/\{\w+\}/g) ?? []).sort().join();
  for (const [language, words] of Object.entries(texts)) {
    assert.deepEqual(Object.keys(words).sort(), Object.keys(texts.en).sort(), language);
    for (const [key, text] of Object.entries(words)) assert.equal(holes(text), holes(texts.en[key]), `${language}.${key}`);
  }
});

for (const adapter of ["native", "vwr", "queue"]) {
  test(`the served page is one small file that needs nothing else: ${adapter}`, () => {
    const page = builtPage(adapter);
    assert.ok(Buffer.byteLength(page) < 49_000, `${Buffer.byteLength(page)} bytes`);
    assert.doesNotMatch(page, /(src|href)="(?!data:,)|@import|url\((?!#)/);
    assert.doesNotMatch(page, /<!--|[/][*]\w/, "a marker is left");
    const said = JSON.parse(page.match(/id="texts">(.*)<\/script>/)[1]);
    const asked = [...page.matchAll(/(?:data-text="|\bt\(")(\w+)"/g)].map(match => match[1]);
    assert.ok(asked.length > 20);
    for (const [language, words] of Object.entries(said)) {
      for (const [key, text] of Object.entries(words)) assert.equal(text, texts[language][key]);
      for (const key of asked) assert.ok(words[key], `${language}.${key}`);
      assert.equal(page.includes(texts[language].noscript), adapter !== "native");
    }
    assert.deepEqual(Object.keys(said), Object.keys(texts));
  });
}
