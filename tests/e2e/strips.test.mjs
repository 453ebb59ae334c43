// The future, in the built page: cells and previews, what would make the run fit, how far one can go.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { launch, open, watched } from "./site.mjs";

const peak = (page) => page.getAttribute("[data-testid=peak]", "data-bytes");
const fits = (page) => page.getAttribute("[data-testid=verdict]", "data-fits");
const known = (page) => page.waitForSelector("[data-testid=fixes][data-current=true]");
const cells = (page, control) =>
  page.$$eval(`[data-control=${control}] .control-step`, (steps) => steps.map((step) => step.dataset.cell));
const note = (page, control) => page.textContent(`#control-${control}-note`);

/** The middle of a value's cell on a control's track. */
async function middle(page, control, at) {
  const track = page.locator(`[data-control=${control}] .control-track`);
  await track.scrollIntoViewIfNeeded();
  const box = await track.boundingBox();
  const count = await page.locator(`[data-control=${control}] .control-step`).count();
  return [box.x + (box.width * (at + 0.5)) / count, box.y + 8];
}

async function opened(browser, viewport = { width: 1440, height: 900 }) {
  const { page, troubles } = await watched(browser, { viewport });
  await open(page);
  await known(page);
  return { page, troubles };
}

describe("strips", () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  it("colours a value as the verdict is when the control stands there", async () => {
    const { page, troubles } = await opened(browser);
    for (const control of ["tp", "ep", "dp-shard", "sequence-length", "micro-batch"]) {
      const told = await cells(page, control);
      assert.ok(told.some((cell) => cell === "fits" || cell === "exceeds"), `${control}: ${told}`);
      for (const [at, cell] of told.entries()) {
        if (cell === "refused") continue;
        await page.locator(`[data-control=${control}] input[type=range]`).fill(String(at));
        const verdict = await fits(page);
        if (cell.endsWith("fits")) assert.equal(verdict, "true", `${control} ${at}`);
        if (cell.endsWith("exceeds")) assert.equal(verdict, "false", `${control} ${at}`);
      }
      await page.click("[data-testid=reset-all]");
      await known(page);
    }
    assert.deepEqual(troubles, []);
  });

  it("previews the value under the pointer in a place that stays", async () => {
    const { page, troubles } = await opened(browser);
    const places = () =>
      page.$$eval(".control, .chart, .ways", (elements) =>
        elements.map((element) => Object.values(element.getBoundingClientRect().toJSON()).join()),
      );
    const told = await cells(page, "ep");
    const at = told.indexOf("fits");
    const [x, y] = await middle(page, "ep", at);
    const before = await places();
    await page.mouse.move(x, y);
    await page.waitForSelector("[data-control=ep] .control-preview");
    assert.match(await note(page, "ep"), /^EP 16: fits, peak 39\.0\sGiB \(−26\.9\)/);
    assert.deepEqual(await places(), before);
    const [there, same] = await middle(page, "ep", at - 1);
    await page.mouse.move(there, same);
    await page.waitForSelector("[data-control=ep] .control-preview", { state: "detached" });
    const refused = (await cells(page, "pp")).indexOf("refused");
    const [beyond, high] = await middle(page, "pp", refused);
    await page.mouse.move(beyond, high);
    await page.waitForSelector("[data-control=pp] .control-preview");
    assert.match(await note(page, "pp"), /not possible: /);
    await page.mouse.move(5, 5);
    await page.waitForSelector(".control-preview", { state: "detached" });
    assert.deepEqual(troubles, []);
  });

  it("tells a keyboard what the next values do, and what all options do", async () => {
    const { page } = await opened(browser);
    await page.focus("[data-control=ep] input[type=range]");
    await page.waitForSelector("[data-control=ep] .control-preview");
    assert.match(await note(page, "ep"), /← 4 exceeds, .* → 16 fits, 39\.0/);
    await page.focus("[data-control=recompute] select");
    await page.waitForSelector("[data-control=recompute] .control-preview");
    assert.match(await note(page, "recompute"), /selective exceeds/);
  });

  it("mends the sample by one step, which undo takes back", async () => {
    const { page, troubles } = await opened(browser);
    const before = await peak(page);
    const fixes = await page.$$eval("[data-testid=fix]", (fixes) => fixes.map((fix) => ({ ...fix.dataset })));
    const gib = (bytes) => (Number(bytes) / 2 ** 30).toFixed(1);
    const told = fixes.map(({ moves, to, bytes }) => `${moves} ${to}: ${gib(bytes)}`);
    for (const expected of ["dp-shard 8: 63.9", "ep 16: 39.0", "tp 2: 58.6"]) assert.ok(told.includes(expected), `${told}`);
    for (const { moves, bytes } of fixes) {
      await page.click(`[data-testid=fix][data-moves="${moves}"]`);
      assert.equal(await fits(page), "true", moves);
      assert.equal(await peak(page), bytes, moves);
      await page.click("[data-testid=undo]");
      assert.equal(await peak(page), before, moves);
      await known(page);
    }
    await page.click("[data-testid=fixes-more]");
    assert.ok((await page.locator("[data-testid=fix]:visible").count()) > 4);
    assert.deepEqual(troubles, []);
  });

  it("keeps its height whether the run fits or not", async () => {
    for (const width of [390, 1024, 1440]) {
      const { page } = await opened(browser, { width, height: 900 });
      const height = async () => (await page.locator("[data-testid=fixes]").boundingBox()).height;
      const before = await height();
      await page.click("[data-testid=fix][data-moves=ep]");
      assert.equal(await height(), before, `${width}, asked`);
      await page.waitForSelector("[data-testid=fixes][data-kind=room]");
      assert.equal(await height(), before, `${width}, fits`);
    }
  });

  it("answers how far one can go, and the next value does not fit", async () => {
    const { page, troubles } = await opened(browser);
    await page.click("[data-testid=fix][data-moves=ep]");
    await known(page);
    for (const [question, control, step] of [
      ["limit-sequence", "sequence-length", 128],
      ["limit-micro-batch", "micro-batch", 0],
    ]) {
      await page.click(`[data-testid=${question}]`);
      await page.waitForSelector("[data-testid=limit-answer][data-settled=true]");
      const said = await page.textContent("[data-testid=limit-answer]");
      assert.match(said, /would need/);
      const take = page.locator("[data-testid=limit-take]");
      if (await take.count()) await take.click();
      assert.equal(await fits(page), "true", question);
      const shown = (Number(await peak(page)) / 2 ** 30).toFixed(1);
      assert.ok(said.includes(`: ${shown}`), `${said} ${shown}`);
      const value = Number(await page.getAttribute(`[data-control=${control}]`, "data-value"));
      if (step) {
        await page.locator(`[data-control=${control}] input[type=number]`).fill(String(value + step));
        assert.equal(await fits(page), "false", `${control} ${value + step}`);
        await page.click("[data-testid=undo]");
      }
      await known(page);
      await page.click("[data-testid=undo]");
      await known(page);
      await page.click(`[data-testid=${question}]`);
    }
    assert.deepEqual(troubles, []);
  });

  it("finds the fewest recomputed layers", async () => {
    const { page, troubles } = await opened(browser);
    await page.click("[data-testid=fix][data-moves=ep]");
    await known(page);
    await page.click("[data-testid=limit-recompute]");
    await page.waitForSelector("[data-testid=limit-answer][data-settled=true]");
    const said = await page.textContent("[data-testid=limit-answer]");
    await page.click("[data-testid=limit-take]");
    assert.equal(await fits(page), "true");
    const shown = (Number(await peak(page)) / 2 ** 30).toFixed(1);
    assert.ok(said.includes(`: ${shown}`), `${said} ${shown}`);
    await page.click("[data-testid=undo]");
    assert.deepEqual(troubles, []);
  });

  it("says plainly where nothing mends the run", async () => {
    const { page } = await opened(browser);
    await page.locator("[data-control=device-memory] input").fill("2GB");
    await page.waitForFunction(() => /nor do two/.test(document.querySelector(".ways-instead")?.textContent ?? ""));
    assert.match(await page.textContent(".ways-instead"), /nearest: /i);
    await page.click("[data-testid=limit-sequence]");
    await page.waitForSelector("[data-testid=limit-answer][data-settled=true]");
    assert.match(await page.textContent("[data-testid=limit-answer]"), /No length fits/);
    assert.equal(await page.locator("[data-testid=limit-take]").count(), 0);
  });
});
