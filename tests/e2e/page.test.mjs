// The built page under its policy: what mounted components cannot show.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";

import { commandLine, launch, open, watched } from "./site.mjs";

const near = (path) => readFile(new URL(path, import.meta.url), "utf8");

/** The digits of the peak as the command line prints them. */
function printedPeak(yaml, ...options) {
  const command = ["estimate", "-", "--format", "json", ...options];
  const json = execFileSync(commandLine(), command, { input: yaml, stdio: "pipe" }).toString();
  return json.match(/"peak":\s*\{[^}]*"bytes":\s*([-\d.]+)/)[1];
}

const shownPeak = (page) => page.getAttribute("[data-testid=peak]", "data-bytes");
const codes = (page) => page.$$eval("[data-testid=diagnostic]", (rows) => rows.map((row) => row.dataset.code));

describe("page", () => {
  let browser;
  let recipe;
  before(async () => {
    browser = await launch();
    recipe = await near("../yamls/qwen3_moe_recipe.yaml");
  });
  after(() => browser?.close());

  it("gives the pasted recipe its golden peak", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const { cases } = JSON.parse(await near("../goldens/yamls.json"));
    const golden = cases.find(({ file }) => file === "qwen3_moe_recipe.yaml");
    await page.fill("[data-testid=yaml]", recipe);
    assert.equal(await shownPeak(page), String(golden.stages[0].total));
    assert.equal(await page.getAttribute("[data-testid=verdict]", "data-fits"), "true");
    assert.deepEqual(troubles, []);
  });

  it("moves tensor parallel by keyboard and states what the command line states, to the last digit", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await page.fill("[data-testid=yaml]", recipe);
    const control = page.locator("[data-control=tp]");
    await control.locator("input[type=range]").focus();
    assert.equal(await control.getAttribute("data-value"), "1");
    for (const degree of ["2", "4", "8"]) {
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector(`[data-control=tp][data-value='${degree}']`);
      const expected = printedPeak(recipe, "--set", `accelerator.tp_size=${degree}`, "--pin-devices");
      assert.equal(await shownPeak(page), expected, `TP ${degree}`);
      assert.equal((await codes(page)).includes("kv_heads_not_divided"), degree === "8", `TP ${degree}`);
    }
    assert.deepEqual(troubles, []);
  });

  it("opens with its sample, fitting or not by one figure", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const yaml = await page.inputValue("[data-testid=yaml]");
    assert.equal(await shownPeak(page), printedPeak(yaml));
    assert.equal(await page.getAttribute("[data-testid=verdict]", "data-fits"), "false");
    assert.deepEqual(troubles, []);
  });

  it("keeps the last good figures while the text is broken, typed key by key", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const before = await shownPeak(page);
    await page.focus("[data-testid=yaml]");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("[");
    await page.waitForSelector("[data-testid=stale]:not([hidden])");
    assert.equal(await shownPeak(page), before);
    await page.keyboard.press("Control+z");
    await page.waitForSelector("[data-testid=stale]", { state: "hidden" });
    assert.deepEqual(troubles, []);
  });

  it("brings a finding far down into sight", async () => {
    const { page } = await watched(browser);
    await open(page);
    const yaml = await page.inputValue("[data-testid=yaml]");
    await page.fill("[data-testid=yaml]", `${yaml}${"# far\n".repeat(600)}foo: [\n`);
    const scrolled = () => page.$eval("[data-testid=yaml]", (area) => area.closest(".editor").scrollTop);
    await page.$eval("[data-testid=yaml]", (area) => (area.closest(".editor").scrollTop = 0));
    await page.click("[data-testid=diagnostic][data-code=yaml_syntax] .diagnostic-place");
    assert.ok((await scrolled()) > 5000, `scrolled by ${await scrolled()}`);
    // What is in sight is painted with the next frame.
    await page.waitForFunction(() => {
      const [mark, editor] = [".editor-underline mark", ".editor"].map((name) => document.querySelector(name)?.getBoundingClientRect());
      return mark && mark.top > editor.top && mark.bottom < editor.bottom;
    });
  });

  it("picks a model with the mouse", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const yaml = await page.inputValue("[data-testid=yaml]");
    await page.click("[data-testid=model]");
    const model = "deepseek-ai/DeepSeek-V2";
    await page.click(`[role=option][data-model='${model}']`);
    assert.equal(await page.inputValue("[data-testid=model]"), model);
    assert.equal(await shownPeak(page), printedPeak(yaml, "--model", model));
    assert.deepEqual(troubles, []);
  });

  it("takes a dropped file and a dropped config", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const drop = (name, text) =>
      page.evaluate(
        ([name, text]) => {
          const files = new DataTransfer();
          files.items.add(new File([text], name));
          const event = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
          document.querySelector("[data-testid=yaml]").dispatchEvent(event);
        },
        [name, text],
      );
    await drop("train.yaml", recipe.replaceAll("\n", "\r\n"));
    await page.waitForFunction(() => document.querySelector("[data-testid=yaml]").value.startsWith("model:"));
    assert.equal(await shownPeak(page), printedPeak(recipe));
    const config = { model_type: "qwen3", hidden_size: 1024, num_hidden_layers: 4, num_attention_heads: 16 };
    const whole = { ...config, num_key_value_heads: 8, intermediate_size: 3072, vocab_size: 151936 };
    await drop("config.json", JSON.stringify(whole));
    await page.waitForFunction((text) => document.querySelector("[data-testid=config-json]").value === text, JSON.stringify(whole));
    assert.notEqual(await shownPeak(page), printedPeak(recipe));
    assert.deepEqual(troubles, []);
  });

  it("opens a file that is chosen", async () => {
    const { page } = await watched(browser);
    await open(page);
    const chosen = { name: "run.yml", mimeType: "text/yaml", buffer: Buffer.from(recipe) };
    await page.setInputFiles("input[type=file]", chosen);
    await page.waitForFunction(() => document.querySelector("[data-testid=yaml]").value.startsWith("model:"));
    assert.equal(await shownPeak(page), printedPeak(recipe));
  });

  it("remembers the theme and works where storage is blocked", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await page.selectOption("[data-testid=theme]", "dark");
    await page.reload();
    await page.waitForSelector("html[data-theme=dark]");
    assert.equal(await page.inputValue("[data-testid=theme]"), "dark");
    assert.deepEqual(troubles, []);

    const blocked = await watched(browser);
    await blocked.page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("blocked", "SecurityError"); } });
    });
    await open(blocked.page);
    await blocked.page.selectOption("[data-testid=theme]", "dark");
    await blocked.page.waitForSelector("html[data-theme=dark]");
    assert.deepEqual(blocked.troubles, []);
  });

  it("fits every width without scrolling sideways, whatever is shown", async () => {
    for (const width of [320, 360, 390, 720, 832, 1024, 1200, 1440, 2560]) {
      const { context, page } = await watched(browser, { viewport: { width, height: 800 } });
      await open(page);
      for (const sample of ["deepseek-v3-512", "llama-3.1-8b-8"]) {
        await page.selectOption("[data-testid=sample]", sample);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${sample} at ${width}: ${over} pixels too wide`);
      }
      await context.close();
    }
  });

  it("meets the panes in the order they are seen", async () => {
    const order = (page) =>
      page.$$eval("main > section", (panes) => panes.map((pane) => [...pane.classList].find((name) => name !== "pane")));
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    assert.deepEqual(await order(page), ["run", "controls", "answer"]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.querySelector("main > section").classList.contains("answer"));
    assert.deepEqual(await order(page), ["answer", "controls", "run"]);
    assert.equal(await shownPeak(page), printedPeak(await page.inputValue("[data-testid=yaml]")));
  });

  it("moves nothing but bars and figures while a slider moves", async () => {
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    // What would make it fit has its room always, and its words once it is known.
    await page.waitForSelector("[data-testid=fixes][data-current=true]");
    const places = () =>
      page.$$eval(".pane h2, .control, .breakdown tr, .chart, .legend, .editor", (elements) =>
        elements.filter((element) => element.offsetParent || element.getClientRects().length).map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [element.className || element.tagName, x, y, width, height].join(" ");
        }),
      );
    const before = await places();
    assert.ok(before.length > 40, `only ${before.length} places are watched`);
    const slider = page.locator("[data-control=ep] input[type=range]");
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("[data-testid=verdict][data-fits=true]");
    const strip = (places) => places.map((place) => place.replace(" changed", ""));
    assert.deepEqual(strip(await places()), strip(before));
  });

  it("labels never lie on one another", async () => {
    for (const width of [360, 1024, 1440]) {
      const { context, page } = await watched(browser, { viewport: { width, height: 900 } });
      await open(page);
      const yaml = await page.inputValue("[data-testid=yaml]");
      const deep = yaml.replace("pp_size: 16", "pp_size: 61").replace("device_num: 512", "device_num: 1952");
      for (const text of [yaml, deep]) {
        await page.fill("[data-testid=yaml]", text);
        const written = await page.locator(".stage-total:visible").count();
        assert.ok(written > 1, `${written} labels at ${width}`);
        const overlaps = await page.$$eval(".stage", (stages) => {
          const found = [];
          for (const selector of [".stage-total", ".stage-number"]) {
            const boxes = stages
              .map((stage) => stage.querySelector(selector))
              .filter((label) => getComputedStyle(label).display !== "none")
              .map((label) => label.getBoundingClientRect());
            boxes.forEach((box, at) => {
              const next = boxes[at + 1];
              if (next && box.right > next.left && box.bottom > next.top && box.top < next.bottom) found.push([selector, at]);
            });
          }
          return found;
        });
        assert.deepEqual(overlaps, [], `at ${width}`);
      }
      await context.close();
    }
  });
});
