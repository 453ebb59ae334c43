// The built page for everyone: axe finds nothing, everything is large enough to hit and has a name, whatever the width,
// the theme and the language.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { launch, open, stated, watched } from "./site.mjs";

const axe = createRequire(join(stated("SHARDMEM_PLAYWRIGHT"), "x")).resolve("axe-core/axe.min.js");
const WIDTHS = [360, 1024, 1440];
const VIEWS = ["light", "dark"].flatMap((colorScheme) => ["en", "zh-CN"].map((locale) => ({ colorScheme, locale })));

/** What only shows after some acts: a baseline with changed keys, ranges with an error, findings, an open category. */
async function everything(page) {
  await page.click("[data-testid=pin]");
  await page.fill("[data-control=tp] input[type=number]", "8");
  await page.fill("[data-control=device-memory] .control-typed", "much");
  await page.fill("[data-control=device-memory] .control-typed", "64GB");
  await page.click("[data-act=ranges-edit]");
  await page.click("[data-act=range-add]");
  await page.selectOption("[data-range='1'] select", "by-op");
  await page.click(".compare-keys summary");
  await page.click(".breakdown-open");
  await page.click(".config-json summary");
  await page.fill("[data-range='0'] [data-field=count]", "none");
}

describe("everyone", () => {
  let browser;
  let source;
  before(async () => {
    browser = await launch();
    source = await readFile(axe, "utf8");
  });
  after(() => browser?.close());

  for (const { colorScheme, locale } of VIEWS) {
    for (const width of WIDTHS) {
      it(`has nothing that axe finds: ${colorScheme}, ${locale}, ${width} pixels`, async () => {
        const { context, page } = await watched(browser, { colorScheme, locale, viewport: { width, height: 900 } });
        await open(page);
        await page.evaluate(source);
        const violations = () =>
          page.evaluate(async () => {
            const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
            return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
          });
        assert.deepEqual(await violations(), []);
        await everything(page);
        assert.deepEqual(await violations(), []);
        await context.close();
      });
    }
  }

  it("has no target smaller than 24 pixels, and none without a name", async () => {
    for (const width of [360, 1440]) {
      const { context, page } = await watched(browser, { viewport: { width, height: 900 } });
      await open(page);
      await everything(page);
      const small = await page.$$eval("button, select, input, summary, a[href], textarea", (targets) =>
        targets
          .filter((target) => target.checkVisibility({ visibilityProperty: true }))
          .map((target) => {
            // A radio or a file input is as large as the label around it.
            const shown = ["radio", "file"].includes(target.type) ? target.closest("label") : target;
            const { width, height } = shown.getBoundingClientRect();
            return { html: target.outerHTML.slice(0, 120), width, height };
          })
          .filter(({ width, height }) => width < 23.5 || height < 23.5),
      );
      // A line of the list of findings is a target as a whole.
      assert.deepEqual(small.filter(({ html }) => !html.includes("diagnostic-place")), [], `at ${width}`);
      await context.close();
    }
  });

  it("is reached by Tab from end to end, the editor included, and left by it", async () => {
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    const met = new Set();
    for (let step = 0; step < 120; step += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return "";
        return element.dataset.testid ?? element.closest("[data-control]")?.dataset.control ?? element.className.baseVal ?? element.className;
      });
      met.add(focused);
    }
    const expected = ["undo", "redo", "language", "theme", "sample", "yaml", "model", "tp", "recompute", "device-memory", "pin-devices", "pin", "stage"];
    for (const name of expected) assert.ok(met.has(name), `${name} is not reached: ${[...met]}`);
    // Typing makes Tab indent; Escape gives it back.
    await page.focus("[data-testid=yaml]");
    await page.keyboard.type("# ");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "yaml");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.notEqual(await page.evaluate(() => document.activeElement.dataset.testid), "yaml");
  });

  it("speaks the verdict once things have come to rest, not at every step", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.waitForFunction(() => document.querySelector("[data-testid=spoken]").textContent !== "");
    const changes = await page.evaluate(async () => {
      let changes = 0;
      const spoken = document.querySelector("[data-testid=spoken]");
      new MutationObserver(() => (changes += 1)).observe(spoken, { childList: true, characterData: true, subtree: true });
      const range = document.querySelector("[data-control=tp] input[type=range]");
      for (let step = 0; step < 20; step += 1) {
        range.value = String(step % 4);
        range.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((done) => setTimeout(done, 16));
      }
      const during = changes;
      await new Promise((done) => setTimeout(done, 700));
      return { during, after: changes, live: document.querySelectorAll("[aria-live], [role=alert]").length };
    });
    assert.deepEqual(changes, { during: 0, after: 1, live: 1 });
  });

  it("fits every width without scrolling sideways in both languages, and at 200 % zoom", async () => {
    for (const locale of ["en", "zh-CN"]) {
      for (const width of [320, 360, 390, 720, 832, 1024, 1200, 1440, 2560, 3840]) {
        const { context, page } = await watched(browser, { locale, viewport: { width, height: 800 } });
        await open(page);
        await everything(page);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${locale} at ${width}: ${over} pixels too wide`);
        await context.close();
      }
    }
  });

  it("shows the controls and the answer where it is embedded, with a way to all of it", async () => {
    const { page, troubles } = await watched(browser, { viewport: { width: 900, height: 600 } });
    await open(page, "?embed");
    assert.equal(await page.isVisible("[data-testid=yaml]"), false);
    assert.equal(await page.isVisible("[data-testid=verdict]"), true);
    assert.equal(await page.isVisible("[data-control=tp]"), true);
    const link = page.locator("[data-testid=full-page]");
    assert.equal(await link.isVisible(), true);
    await link.focus();
    const href = await link.evaluate((link) => link.href);
    assert.ok(href.endsWith("/") && !href.includes("embed"), href);
    const own = () => page.evaluate(() => localStorage.getItem("shardmem.run"));
    await page.fill("[data-control=tp] input[type=number]", "2");
    await page.waitForTimeout(400);
    assert.equal(await own(), null, "the reader's own work is not touched");
    await open(page);
    assert.equal(await link.isVisible(), false);
    await page.fill("[data-control=tp] input[type=number]", "2");
    await page.waitForTimeout(400);
    assert.notEqual(await own(), null);
    assert.deepEqual(troubles, []);
  });

  it("prints the answer and the whole text, and nothing to click", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.isVisible("[data-testid=verdict]"), true);
    for (const gone of [".top-tools", "[data-testid=pin]", ".control-track", ".notice-bar"]) {
      assert.equal(await page.isVisible(gone), false, gone);
    }
    const color = await page.$eval("[data-testid=yaml]", (area) => getComputedStyle(area).color);
    assert.notEqual(color, "rgba(0, 0, 0, 0)");
  });

  it("stays readable in forced colours", async () => {
    const { page } = await watched(browser, { forcedColors: "active" });
    await open(page);
    await page.evaluate(source);
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map(({ id }) => id));
    assert.deepEqual(found, []);
    const fill = await page.$eval(".piece", (piece) => getComputedStyle(piece).fill);
    assert.match(fill, /url/);
  });

  it("moves nothing under reduced motion", async () => {
    const { page } = await watched(browser, { reducedMotion: "reduce" });
    await open(page);
    const moving = await page.$$eval("*", (elements) =>
      elements.filter((element) => Number.parseFloat(getComputedStyle(element).transitionDuration) > 0).map((element) => element.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(moving, []);
  });
});
