// A figure opens its explanation, which leads to the lines of the file and follows the sliders.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";

import { commandLine, launch, open, watched } from "./site.mjs";

const PANE = "[data-testid=explain]";
const sample = new URL("../../data/samples/deepseek-v3-512.yaml", import.meta.url);

const bytes = (page) => page.getAttribute(PANE, "data-bytes");
const shows = (page, value) => page.waitForSelector(`${PANE}[data-bytes='${value}']`);

/** Opens the explanation of an item of the selected stage. */
async function explain(page, category, item) {
  const fold = page.locator(`[data-row='${category}'] .breakdown-open`);
  if ((await fold.getAttribute("aria-expanded")) === "false") await fold.click();
  await page.click(`[data-testid=item] [data-explain='${item}']`);
  await page.waitForSelector(`${PANE}[data-item='${item}']`);
}

/** What is selected in the editor. */
const selected = (page) =>
  page.$eval("[data-testid=yaml]", (area) => area.value.slice(area.selectionStart, area.selectionEnd));

describe("explain", () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  it("explains an item, and an origin selects its line", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const item = "optimizer-states-routed-experts";
    await explain(page, "optimizer-states", item);
    assert.equal(await bytes(page), await page.getAttribute(`[data-item='${item}'][data-testid=item]`, "data-bytes"));
    await page.click("[data-explain-fold]");
    await page.click("[data-origin=key][data-path='accelerator.ep_size']");
    const line = (await readFile(sample, "utf8")).split("\n").find((text) => text.includes("ep_size"));
    assert.equal(await selected(page), line);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "yaml");
    assert.deepEqual(troubles, []);
  });

  it("says for every item of every stage what the command line says", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    for (const stage of ["0", "15"]) {
      await page.click(`[data-testid=stage][data-stage='${stage}']`);
      for (const item of ["total", "parameters", "activations"]) {
        await page.click(`.breakdown [data-explain='${item}']`);
        await page.waitForSelector(`${PANE}[data-item='${item}'][data-stage='${stage}']`);
        const command = ["explain", sample.pathname, "--item", item, "--stage", stage, "--format", "json"];
        const printed = execFileSync(commandLine(), command, { stdio: "pipe" }).toString();
        assert.equal(await bytes(page), printed.match(/"bytes":\s*([-\d.]+)/)[1], `${item} of stage ${stage}`);
      }
    }
    assert.deepEqual(troubles, []);
  });

  it("follows a slider, and an override names its control", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await page.click("[data-testid=peak] button");
    await page.waitForSelector(PANE);
    const before = await bytes(page);
    await page.click("[data-explain-fold='static.total']");
    await page.click("[data-explain-fold='static.total>layer_parameters_held']");
    await page.locator("[data-control=ep] input[type=range]").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("[data-control=ep][data-value='16']");
    const peak = await page.getAttribute("[data-testid=peak]", "data-bytes");
    await shows(page, peak);
    assert.notEqual(peak, before);
    await page.click("[data-origin=override][data-path=ep]");
    await page.waitForFunction(() => document.activeElement.closest("[data-control=ep]"));
    assert.deepEqual(troubles, []);
  });

  it("opens and closes by keyboard, and the focus comes back", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await page.locator("[data-testid=peak] button").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.matches("[data-testid=explain] h2"));
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement.matches("[data-testid=peak] button"));
    assert.equal(await page.locator(PANE).count(), 0);
    await page.locator("[data-testid=stage][data-stage='1']").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector(`${PANE}[data-stage='2'][data-item=total]`);
    await page.click("[data-testid=explain-close]");
    await page.waitForFunction(() => document.activeElement.dataset.stage === "2");
    assert.deepEqual(troubles, []);
  });

  it("copies the lines of the command line", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, troubles } = await watched(browser, { permissions });
    await open(page);
    await page.click("[data-testid=peak] button");
    await page.waitForSelector(PANE);
    await page.click("[data-testid=explain-copy]");
    await page.waitForSelector("[data-testid=explain-copy][data-copied=true]");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const command = ["explain", "-", "--item", "total", "--stage", "1"];
    const printed = execFileSync(commandLine(), command, { input: await readFile(sample), stdio: "pipe" }).toString();
    assert.equal(copied, printed.replaceAll("[-:", "[train.yaml:"));
    assert.deepEqual(troubles, []);
  });

  it("stays inside the page at every width", async () => {
    for (const [width, height] of [[1440, 900], [1024, 768], [390, 844], [360, 640]]) {
      const { page, context } = await watched(browser, { viewport: { width, height } });
      await open(page);
      await page.click("[data-testid=peak] button");
      await page.waitForSelector(PANE);
      for (const path of ["static.total", "static.total>layer_parameters_held"]) {
        await page.click(`[data-explain-fold='${path}']`);
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, `${width} px`);
      const over = await page.$eval(".explain-body", (body) => body.scrollWidth - body.clientWidth);
      assert.equal(over, 0, `the pane at ${width} px`);
      await context.close();
    }
  });
});
