// The pictures of the built page: labels that never lie on one another, from 1 to 64 stages, what the other instant says,
// the table sorted and copied, layers on stages, and all of it in print, forced colours and Chinese.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { launch, open, watched } from "./site.mjs";

const RECIPE = (pp, { layers = "meta-llama/Meta-Llama-3.1-405B", memory = "64GB", micro = 128, extra = "" } = {}) =>
  [
    `model: {pretrained_model_name_or_path: ${layers}, torch_dtype: bfloat16}`,
    `accelerator: {tp_size: 8, pp_size: ${pp}${extra}}`,
    `training: {micro_batch_size: 1, micro_batch_num: ${micro}}`,
    "fsdp_config: {dp_shard_size: 1}",
    "dataset: {data_transform: {max_seq_len: 4096}}",
    `context: {max_device_memory: ${memory}}`,
    "",
  ].join("\n");

const stages = (page) => page.locator("[data-testid=stage]");

async function fill(page, yaml, count) {
  await page.fill("[data-testid=yaml]", yaml);
  await page.waitForFunction((count) => document.querySelectorAll("[data-testid=stage]").length === count, count);
}

/** Labels of the chart that lie on one another, or outside the picture. */
const faults = (page) =>
  page.evaluate(() => {
    const picture = document.querySelector(".chart-picture");
    const room = picture.getBoundingClientRect();
    const labels = [...picture.querySelectorAll("text")].filter(
      (label) => label.textContent && getComputedStyle(label).display !== "none",
    );
    const boxes = labels.map((label) => ({ text: `${label.getAttribute("class")} ${label.textContent}`, box: label.getBoundingClientRect() }));
    const found = [];
    boxes.forEach(({ text, box }, at) => {
      if (box.left < room.left - 1 || box.right > room.right + 1) found.push(`${text} is outside`);
      for (const other of boxes.slice(0, at)) {
        // Letters, not their line's room: ascenders and descenders have air of their own.
        const lower = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        if (lower > 3 && wide > 0.5) found.push(`${text} lies on ${other.text}`);
      }
    });
    return found;
  });

describe("pictures", () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  it("labels its bars without one lying on another, from 1 to 64 stages, at every width", async () => {
    for (const width of [320, 360, 768, 1024, 1440, 2560]) {
      const { context, page } = await watched(browser, { viewport: { width, height: 900 } });
      await open(page);
      for (const [pp, options] of [
        [1, {}],
        [2, {}],
        [3, {}],
        [16, {}],
        [42, {}],
        [63, {}],
        [16, { memory: "2GB" }],
        [2, { memory: "4000GB" }],
        [16, { micro: 2 }],
      ]) {
        await fill(page, RECIPE(pp, options), pp);
        assert.deepEqual(await faults(page), [], `${pp} stages at ${width}, ${JSON.stringify(options)}`);
        const selected = page.locator(".stage.selected .stage-total");
        assert.ok(await selected.isVisible(), `the selected of ${pp} stages has no label at ${width}`);
      }
      await page.click("[data-testid=unit] label:has(input[value=GB])");
      assert.deepEqual(await faults(page), [], `GB at ${width}`);
      await context.close();
    }
  });

  it("ends a bar with negative items at its total, and says so", async () => {
    const { page, troubles } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    await fill(page, RECIPE(16, { micro: 1 }), 16);
    const notch = await page.getAttribute(".notch", "d");
    assert.equal(notch.match(/M/g).length, 16);
    assert.deepEqual(troubles, []);
  });

  it("marks the other instant and says how far it is", async () => {
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    assert.match(await page.innerText("[data-testid=peak-said]"), /^Peak at the end of the backward; the end of the warm-up is [\d.]+\sGiB lower$/);
    const marks = await page.getAttribute(".others", "d");
    assert.equal(marks.match(/M/g).length, await stages(page).count());
    assert.ok(await page.isVisible(".legend li:has(.others)"));
  });

  it("sorts the table and copies it, ids and exact bytes", async () => {
    const { context, page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page);
    await page.click("[data-sort=bytes]");
    assert.equal(await page.getAttribute("th:has([data-sort=bytes])", "aria-sort"), "descending");
    await page.click("[data-testid=copy-table]");
    await page.waitForFunction(() => document.querySelector(".copied").textContent === "Copied");
    const copied = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const read = async (kind) => (await item.getType(kind)).text();
      return { plain: await read("text/plain"), html: await read("text/html") };
    });
    const rows = copied.plain.trim().split("\n").map((line) => line.split("\t"));
    assert.deepEqual(rows[0], ["stage", "category", "item", "certainty", "bytes"]);
    const items = await page.$$eval("[data-testid=item]", (items) => items.map(({ dataset }) => [dataset.item, dataset.bytes]));
    const copiedItems = rows.slice(1, -1).map((row) => [row[2], row[4]]);
    assert.deepEqual(copiedItems, items);
    assert.equal(rows.at(-1)[4], await page.getAttribute("[data-testid=peak]", "data-bytes"));
    assert.match(copied.html, /<table>/);
    assert.equal(copied.html.match(/<tr>/g).length, rows.length);
  });

  it("draws the layers of every stage when it is asked for, and picks stages there", async () => {
    const { page, troubles } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    await page.click("[data-testid=layer-map] summary");
    await page.waitForSelector(".layer-map");
    assert.equal(await page.locator(".layer-map tbody tr").count(), 16);
    const nodes = await page.locator(".layer-map .layer-cell").count();
    assert.ok(nodes >= 61 + 2, `${nodes} cells`);
    await page.click(".layer-map [data-pick='5']");
    assert.equal(await page.textContent(".stage-detail h2"), "Stage 5");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.textContent(".stage-detail h2"), "Stage 6");
    await page.click("[data-testid=stage-table] summary");
    await page.waitForSelector(".stage-table");
    assert.equal(await page.locator(".stage-table tbody tr").count(), 16);
    assert.deepEqual(troubles, []);
  });

  it("keeps the chunks of a stage apart", async () => {
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    await fill(page, RECIPE(4, { layers: "Qwen/Qwen3-8B", extra: ", pp_interleave_num: 3" }), 4);
    await page.click("[data-testid=layer-map] summary");
    await page.waitForSelector(".layer-map");
    assert.equal(await page.locator(".layer-chunk").count(), 12);
    assert.match(await page.innerText(".layer-map tbody tr:first-child .in-flight"), /\+/);
  });

  it("speaks Chinese, prints what is open, and keeps its marks in forced colours", async () => {
    const { context, page } = await watched(browser, { locale: "zh-CN", viewport: { width: 360, height: 800 } });
    await open(page);
    assert.match(await page.innerText("[data-testid=peak-said]"), /^峰值在反向结束时；预热结束时低/);
    assert.deepEqual(await faults(page), []);
    await page.click("[data-testid=layer-map] summary");
    await page.waitForSelector(".layer-map");
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(over <= 0, `${over} pixels too wide`);
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.isVisible(".layer-map"));
    assert.ok(!(await page.isVisible("[data-testid=stage-table]")));
    await page.emulateMedia({ media: "screen", forcedColors: "active" });
    const border = await page.$eval(".layer-map .layer-cell[data-layer=F]", (cell) => getComputedStyle(cell).borderStyle);
    assert.equal(border, "dashed");
    await context.close();
  });
});
