// Apply, what is copied and saved, new runs: what takes a real clipboard, real downloads, a real canvas.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import { commandLine, launch, open, stated, watched } from "./site.mjs";

const axe = createRequire(join(stated("SHARDMEM_PLAYWRIGHT"), "x")).resolve("axe-core/axe.min.js");

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const shownPeak = (page) => page.getAttribute("[data-testid=peak]", "data-bytes");
const yamlOf = (page) => page.inputValue("[data-testid=yaml]");

/** Sets two controls, one of which is a name. */
async function change(page) {
  await page.fill("[data-control=tp] input[type=number]", "2");
  await page.waitForSelector("[data-control=tp][data-value='2']");
  await page.selectOption("[data-control=recompute] select", "selective");
  await page.waitForSelector("[data-control=recompute][data-value=selective]");
}

/** Opens the menu and takes one of its entries. */
async function take(page, name) {
  await page.click("[data-testid=take]");
  await page.click(`[data-take=${name}]`);
}

/** Copies an entry: what the clipboard holds then. */
async function copied(page, name) {
  await page.evaluate(() => navigator.clipboard.writeText("before"));
  await take(page, name);
  await page.waitForSelector("[data-testid=notice]");
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await page.click("[data-testid=notice-dismiss]");
  return text;
}

/** Saves an entry: the file's name and bytes. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), take(page, name)]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

describe("taking away", () => {
  let browser;
  let folder;
  before(async () => {
    browser = await launch();
    folder = await mkdtemp(join(tmpdir(), "shardmem-"));
  });
  after(async () => {
    await browser?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  /** What the command says of these files. */
  function asked(...words) {
    return spawnSync(commandLine(), words, { cwd: folder, encoding: "utf8" });
  }

  it("applies by the smallest edit, keeps the figures and the place, and takes all of it back", async () => {
    const { page, troubles } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    const before = await yamlOf(page);
    await change(page);
    const peak = await shownPeak(page);
    await page.$eval("[data-testid=yaml]", (area) => {
      area.closest(".editor").scrollTop = 120;
      const at = area.value.indexOf("max_seq_len");
      area.setSelectionRange(at, at + 3);
    });
    await page.click("[data-testid=preview]");
    await page.waitForSelector("[data-testid=pending] [data-key]");
    const keys = await page.$$eval("[data-testid=pending] [data-key]", (rows) => rows.map((row) => row.dataset.key));
    assert.ok(keys.includes("accelerator.tp_size"), keys.join());
    await page.click("[data-testid=apply]");
    await page.waitForSelector("[data-testid=notice]");
    const after = await yamlOf(page);
    const [old, lines] = [before.split("\n"), after.split("\n")];
    assert.equal(lines.length, old.length);
    const changed = lines.filter((line, at) => line !== old[at]);
    assert.equal(changed.length, keys.length);
    assert.equal(await shownPeak(page), peak);
    assert.equal(await page.locator("[data-testid=reset-all]").isVisible(), false);
    const place = await page.$eval("[data-testid=yaml]", (area) => [
      area.value.slice(area.selectionStart, area.selectionEnd),
      area.closest(".editor").scrollTop,
    ]);
    assert.deepEqual(place, ["max", 120]);
    await page.click("[data-testid=notice-undo]");
    await page.waitForSelector("[data-testid=apply][aria-disabled=false]");
    assert.equal(await yamlOf(page), before);
    assert.equal(await shownPeak(page), peak);
    await page.$eval("[data-testid=yaml]", (area) => (area.closest(".editor").scrollTop = 1e6));
    await page.click("[data-testid=apply]");
    await page.waitForFunction(() => {
      const area = document.querySelector("[data-testid=yaml]");
      const lines = area.value.split("\n");
      const at = (lines.findIndex((line) => line.includes("tp_size")) + 0.5) * (area.clientHeight / lines.length);
      const { scrollTop, clientHeight } = area.closest(".editor");
      return at > scrollTop && at < scrollTop + clientHeight;
    });
    assert.deepEqual(troubles, []);
  });

  it("copies what it says, and the command line agrees", async () => {
    const { page, troubles } = await watched(browser, CLIPBOARD);
    await open(page);
    await writeFile(join(folder, "train.yaml"), await yamlOf(page));
    await change(page);
    const peak = await shownPeak(page);
    await page.click("[data-testid=take]");
    await page.waitForSelector("[data-take]");
    const names = await page.$$eval("[data-take]", (entries) => entries.map((entry) => entry.dataset.take));
    await page.keyboard.press("Escape");
    assert.deepEqual(names, ["yaml", "markdown", "json", "csv", "command", "save-yaml", "save-svg", "save-png"]);

    const yaml = await copied(page, "yaml");
    assert.match(yaml, /tp_size: 2/);
    await writeFile(join(folder, "applied.yaml"), yaml);
    const applied = JSON.parse(asked("estimate", "applied.yaml", "--format", "json").stdout);
    assert.equal(String(applied.peak.bytes), peak);

    const command = (await copied(page, "command")).trim();
    assert.match(command, /^shardmem estimate train\.yaml --set /);
    const words = spawnSync("sh", ["-c", `shardmem() { printf '%s\\n' "$@"; }\n${command}`], { encoding: "utf8" });
    const json = asked(...words.stdout.trim().split("\n"), "--format", "json").stdout;
    assert.equal(await copied(page, "json"), json);
    assert.equal(String(JSON.parse(json).peak.bytes), peak);

    const markdown = await copied(page, "markdown");
    assert.match(markdown, /^\*\*DeepSeek-V3 · 512 devices/);
    assert.match(await copied(page, "csv"), /^stage,layers,instant,category,item,certainty,bytes\r?\n/);
    assert.deepEqual(troubles, []);
  });

  it("saves the text and the chart, as SVG and in pixels", async () => {
    const { page, troubles } = await watched(browser, { locale: "zh-CN" });
    await open(page);
    await change(page);
    const yaml = await saved(page, "save-yaml");
    assert.equal(yaml.name, "train.yaml");
    assert.match(yaml.bytes.toString(), /tp_size: 2/);
    const svg = await saved(page, "save-svg");
    assert.equal(svg.name, "shardmem-stages.svg");
    const drawn = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      return [parsed.querySelector("parsererror") === null, parsed.documentElement.getAttribute("width"), parsed.title];
    }, svg.bytes.toString());
    assert.deepEqual(drawn.slice(0, 2), [true, "960"]);
    assert.match(svg.bytes.toString(), /512 台设备/);
    const png = await saved(page, "save-png");
    assert.equal(png.name, "shardmem-stages.png");
    assert.deepEqual([...png.bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    assert.equal(png.bytes.readUInt32BE(16), 1920);
    // Not blank: light ground, and more than one colour.
    const address = `data:image/png;base64,${png.bytes.toString("base64")}`;
    const colours = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4000) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`);
      return [`${data[0]},${data[1]},${data[2]},${data[3]}`, seen.size];
    }, address);
    assert.equal(colours[0], "255,255,255,255");
    assert.ok(colours[1] > 4, `${colours[1]} colours`);
    assert.deepEqual(troubles, []);
  });

  it("leads out where the browser keeps its clipboard", async () => {
    const { page, troubles } = await watched(browser);
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await open(page);
    await take(page, "command");
    await page.waitForSelector("[data-testid=by-hand]:focus");
    const selected = await page.$eval("[data-testid=by-hand]", (area) =>
      area.value.slice(area.selectionStart, area.selectionEnd),
    );
    assert.match(selected, /^shardmem estimate train\.yaml\n$/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("[data-testid=by-hand]", { state: "detached" });
    await page.waitForSelector("[data-testid=take]:focus");
    assert.deepEqual(troubles, []);
  });

  it("begins a new run that prices, from an empty page too", async () => {
    const { page, troubles } = await watched(browser, { viewport: { width: 390, height: 844 } });
    await open(page);
    const before = await yamlOf(page);
    await page.fill("[data-testid=yaml]", "");
    await page.click("[data-testid=new-run-empty]");
    await page.waitForSelector("[data-field=model]:focus");
    await page.selectOption("[data-field=model]", "Qwen/Qwen3-235B-A22B");
    await page.fill("[data-field=devices]", "64");
    await page.selectOption("[data-field=device]", "nvidia-h100-80gb");
    await page.fill("[data-field=sequence]", "8192");
    await page.press("[data-field=sequence]", "Enter");
    await page.waitForSelector("[data-testid=new-run-form]", { state: "detached" });
    const text = await yamlOf(page);
    await writeFile(join(folder, "new.yaml"), text);
    const priced = asked("estimate", "new.yaml", "--format", "json");
    assert.equal(priced.status, 0, priced.stderr);
    assert.equal(String(JSON.parse(priced.stdout).peak.bytes), await shownPeak(page));
    await page.click("[data-testid=notice-undo]");
    assert.equal(await yamlOf(page), "");
    await page.click("[data-testid=undo]");
    assert.equal(await yamlOf(page), before);
    assert.deepEqual(troubles, []);
  });

  it("opens nothing that axe finds fault with, nor anything too small to hit or off the page", async () => {
    const source = await readFile(axe, "utf8");
    for (const [colorScheme, locale, width] of [["light", "en", 360], ["dark", "zh-CN", 1024], ["light", "zh-CN", 1440]]) {
      const { context, page } = await watched(browser, { colorScheme, locale, viewport: { width, height: 800 } });
      await open(page);
      await page.evaluate(source);
      const check = async (what) => {
        const found = await page.evaluate(async () => {
          const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
          return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
        });
        assert.deepEqual(found, [], `${what}, ${locale}, ${width}`);
        const small = await page.$$eval(":is(.popover, .run > .heading, .controls > .heading, .takeaway) :is(button, input, select, textarea)", (targets) =>
          targets
            .filter((target) => target.checkVisibility({ visibilityProperty: true }) && target.type !== "file")
            .map((target) => [target.outerHTML.slice(0, 120), target.getBoundingClientRect()])
            .filter(([, box]) => box.width < 23.5 || box.height < 23.5 || box.left < 0 || box.right > innerWidth)
            .map(([html]) => html),
        );
        assert.deepEqual(small, [], `${what}, ${locale}, ${width}`);
      };
      await change(page);
      await page.click("[data-act=ranges-edit]");
      await page.click("[data-testid=preview]");
      await page.waitForSelector("[data-testid=pending]");
      await page.click("[data-testid=take]");
      await page.waitForSelector("[data-take]:focus");
      await check("menu");
      await page.keyboard.press("Escape");
      await page.click("[data-testid=new-run]");
      await page.fill("[data-field=devices]", "none");
      await page.press("[data-field=devices]", "Enter");
      await page.waitForSelector(".new-run-wrong:not(:empty)");
      await check("new run");
      await context.close();
    }
  });
});
