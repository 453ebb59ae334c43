// One history, a kept run, two languages, long texts: what takes a real browser.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { launch, open, watched } from "./site.mjs";

const shownPeak = (page) => page.getAttribute("[data-testid=peak]", "data-bytes");
const yamlOf = (page) => page.inputValue("[data-testid=yaml]");

describe("session", () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  it("takes typing, a drag and a keyboard step back one by one, from anywhere", async () => {
    const { page, troubles } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    const [yaml, peak] = [await yamlOf(page), await shownPeak(page)];
    await page.click("[data-testid=yaml]");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# one burst");
    const typed = await yamlOf(page);
    const slider = await page.locator("[data-control=ep] input[type=range]").boundingBox();
    const y = slider.y + slider.height / 2;
    await page.mouse.move(slider.x + slider.width / 3, y);
    await page.mouse.down();
    for (let step = 0; step < 12; step += 1) await page.mouse.move(slider.x + (slider.width * (step + 4)) / 16, y);
    await page.mouse.up();
    const dragged = await shownPeak(page);
    assert.notEqual(dragged, peak);
    await page.focus("[data-control=tp] input[type=range]");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("[data-control=tp][data-value='2']");
    // The focus stays in a slider: undo is heard anywhere.
    await page.keyboard.press("Control+z");
    await page.waitForSelector("[data-control=tp][data-value='1']");
    assert.equal(await shownPeak(page), dragged);
    await page.keyboard.press("Control+z");
    assert.equal(await shownPeak(page), peak);
    assert.equal(await yamlOf(page), typed);
    await page.keyboard.press("Control+z");
    assert.equal(await yamlOf(page), yaml);
    assert.equal(await page.getAttribute("[data-testid=undo]", "aria-disabled"), "true");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("Control+Shift+Z");
    await page.waitForSelector("[data-control=tp][data-value='2']");
    assert.equal(await yamlOf(page), typed);
    assert.deepEqual(troubles, []);
  });

  it("gives the caret back where undo leads, in the editor itself", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.fill("[data-testid=yaml]", "model:\n  a: 1\n");
    await page.$eval("[data-testid=yaml]", (area) => area.setSelectionRange(9, 9));
    await page.keyboard.type("xyz");
    await page.keyboard.press("Control+z");
    const caret = () => page.$eval("[data-testid=yaml]", (area) => [area.value, area.selectionStart, area.selectionEnd]);
    assert.deepEqual(await caret(), ["model:\n  a: 1\n", 9, 9]);
    await page.keyboard.press("Control+y");
    assert.deepEqual(await caret(), ["model:\n  xyza: 1\n", 12, 12]);
  });

  it("finds the run and its baseline again after a reload", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await page.fill("[data-control=tp] input[type=number]", "2");
    await page.click("[data-testid=pin]");
    await page.fill("[data-control=ep] input[type=number]", "16");
    await page.click("[data-act=ranges-edit]");
    const [peak, change] = [await shownPeak(page), await page.innerText("[data-testid=change]")];
    await page.reload();
    await page.waitForSelector("[data-testid=verdict]");
    assert.equal(await shownPeak(page), peak);
    assert.equal(await page.innerText("[data-testid=change]"), change);
    assert.equal(await page.locator("[data-range]").count(), 1);
    assert.deepEqual(troubles, []);
  });

  it("opens with its sample where storage is blocked, full or corrupt", async () => {
    const plain = await watched(browser);
    await open(plain.page);
    const expected = await shownPeak(plain.page);
    const hostile = {
      blocked: () =>
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new DOMException("blocked", "SecurityError");
          },
        }),
      full: () => {
        Storage.prototype.setItem = () => {
          throw new DOMException("full", "QuotaExceededError");
        };
      },
      corrupt: () => {
        for (const name of ["run", "theme", "unit", "language"]) localStorage.setItem(`shardmem.${name}`, "text 99\nx\u0000");
      },
    };
    for (const [name, spoil] of Object.entries(hostile)) {
      const { page, troubles } = await watched(browser);
      await page.addInitScript(spoil);
      await open(page);
      assert.equal(await shownPeak(page), expected, name);
      await page.click("[data-testid=pin]");
      await page.fill("[data-control=tp] input[type=number]", "2");
      await page.waitForTimeout(400);
      assert.deepEqual(troubles, [], name);
    }
  });

  it("speaks the browser's language at first and the chosen one from then on", async () => {
    const { page } = await watched(browser, { locale: "zh-TW" });
    await open(page);
    assert.equal(await page.getAttribute("html", "lang"), "zh-CN");
    assert.match(await page.innerText(".verdict-headline"), /超出/);
    const peak = await shownPeak(page);
    await page.selectOption("[data-testid=language]", "en");
    assert.equal(await page.getAttribute("html", "lang"), "en");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "language");
    await page.reload();
    await page.waitForSelector("[data-testid=verdict]");
    assert.match(await page.innerText(".verdict-headline"), /Exceeds/);
    assert.equal(await shownPeak(page), peak);
  });

  /** Where the painted text of a caret's line stands, against where the textarea has it. */
  const aligned = (page, needle) =>
    page.evaluate((needle) => {
      const area = document.querySelector("[data-testid=yaml]");
      const lines = [...document.querySelectorAll(".editor-paint .editor-line:not(.editor-underline)")];
      const line = lines.find((line) => line.textContent.includes(needle));
      if (!line) return null;
      const index = area.value.slice(0, area.value.indexOf(needle)).split("\n").length - 1;
      const height = Number.parseFloat(getComputedStyle(area).lineHeight);
      return { off: line.getBoundingClientRect().top - area.getBoundingClientRect().top - index * height };
    }, needle);

  it("keeps a text of 8,000 lines smooth and aligned", async () => {
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    const yaml = await yamlOf(page);
    const long = `${yaml}\nextra:\n${Array.from({ length: 8000 }, (_, line) => `  key_${line}: ${line}`).join("\n")}\n`;
    // Playwright's fill takes the browser a minute for as many lines.
    await page.$eval(
      "[data-testid=yaml]",
      (area, text) => {
        area.value = text;
        area.dispatchEvent(new Event("input", { bubbles: true }));
      },
      long,
    );
    await page.waitForTimeout(300);
    assert.ok((await page.locator(".editor-paint .editor-line").count()) < 260);
    await page.click("[data-testid=yaml]");
    await page.$eval("[data-testid=yaml]", (area) => area.closest(".editor").scrollTo(0, 90000));
    await page.waitForTimeout(100);
    const seen = await page.$$eval(".editor-paint .editor-line", (lines) => lines[100].textContent);
    assert.match(seen, /key_\d{4}/);
    const { off } = await aligned(page, seen.trim());
    assert.ok(Math.abs(off) < 1, `the paint is ${off} pixels off`);
    const numbers = await page.innerText(".editor-numbers");
    assert.ok(numbers.includes("4500"), numbers.slice(0, 80));
    const time = await page.evaluate(async () => {
      const area = document.querySelector("[data-testid=yaml]");
      area.focus();
      area.setSelectionRange(0, 0);
      const times = [];
      for (let key = 0; key < 10; key += 1) {
        const start = performance.now();
        document.execCommand("insertText", false, "#");
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        times.push(performance.now() - start);
      }
      return times.sort((one, other) => one - other)[5];
    });
    assert.ok(time < 250, `a key takes ${time} ms`);
  });

  it("keeps a line of a megabyte smooth and aligned", async () => {
    const { page } = await watched(browser, { viewport: { width: 1440, height: 900 } });
    await open(page);
    const line = `# ${"0123456789".repeat(100_000)}`;
    await page.evaluate((text) => {
      const area = document.querySelector("[data-testid=yaml]");
      area.value = `${area.value}\n${text}\n`;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }, line);
    await page.waitForTimeout(300);
    const place = await page.$eval("[data-testid=yaml]", (area) => {
      const editor = area.closest(".editor");
      editor.scrollTo(2_000_000, editor.scrollHeight);
      return editor.scrollLeft;
    });
    assert.equal(place, 2_000_000);
    await page.waitForTimeout(200);
    const painted = await page.evaluate(() => {
      const area = document.querySelector("[data-testid=yaml]");
      const lines = [...document.querySelectorAll(".editor-paint .editor-line")];
      const line = lines.find((line) => line.textContent.length > 500);
      const letter = line.getBoundingClientRect().width / line.textContent.length;
      const first = Math.round(Number.parseFloat(line.style.left));
      const whole = area.value.split("\n").find((line) => line.length > 1000);
      return {
        text: line.textContent,
        expected: whole.slice(first, first + line.textContent.length),
        off: line.getBoundingClientRect().left - area.getBoundingClientRect().left - first * letter,
        covers: line.getBoundingClientRect().left <= 0 + area.closest(".editor").getBoundingClientRect().left && line.getBoundingClientRect().right >= area.closest(".editor").getBoundingClientRect().right,
        width: area.getBoundingClientRect().width - whole.length * letter,
      };
    });
    assert.ok(painted.text.length < 2000);
    assert.equal(painted.text, painted.expected);
    assert.ok(Math.abs(painted.off) < 2, `the paint is ${painted.off} pixels off`);
    assert.ok(painted.covers);
    assert.ok(painted.width >= 0, `the textarea is ${painted.width} pixels too narrow`);
  });

  it("puts a config.json where it belongs, however it comes, and takes it back", async () => {
    const { context, page, troubles } = await watched(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await open(page);
    const yaml = await yamlOf(page);
    const peak = await shownPeak(page);
    const config = { model_type: "qwen3", hidden_size: 1024, num_hidden_layers: 4, num_attention_heads: 16, num_key_value_heads: 8, intermediate_size: 3072, vocab_size: 151936 };
    await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(config));
    await page.click("[data-testid=yaml]");
    await page.keyboard.press("Control+v");
    await page.waitForSelector("[data-testid=notice]");
    assert.equal(await yamlOf(page), yaml);
    assert.equal(await page.inputValue("[data-testid=config-json]"), JSON.stringify(config));
    assert.equal(await page.isVisible("[data-testid=config-json]"), true);
    assert.notEqual(await shownPeak(page), peak);
    await page.click("[data-testid=notice-undo]");
    assert.equal(await shownPeak(page), peak);
    assert.deepEqual(troubles, []);
    await context.close();
  });

  it("leaves settings behind when another run is pasted over all of it, says so and takes it back", async () => {
    const { page } = await watched(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await open(page);
    const yaml = await yamlOf(page);
    await page.fill("[data-control=tp] input[type=number]", "2");
    const peak = await shownPeak(page);
    await page.evaluate((text) => navigator.clipboard.writeText(text), yaml.replace("ep_size: 8 ", "ep_size: 16"));
    await page.click("[data-testid=yaml]");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+v");
    await page.waitForSelector("[data-testid=notice]");
    assert.equal(await page.getAttribute("[data-control=tp]", "data-value"), "1");
    await page.click("[data-testid=notice-undo]");
    assert.equal(await page.getAttribute("[data-control=tp]", "data-value"), "2");
    assert.equal(await shownPeak(page), peak);
    assert.equal(await yamlOf(page), yaml);
  });

  it("offers a way on for a model that nobody knows", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.fill("[data-testid=yaml]", (await yamlOf(page)).replace("deepseek-ai/DeepSeek-V3", "ours/secret-1"));
    const finding = page.locator("[data-testid=diagnostic][data-severity=error]");
    await finding.locator("[data-way=config]").click();
    await page.waitForFunction(() => document.activeElement.dataset.testid === "config-json");
    await finding.locator("[data-way=model]").click();
    await page.waitForFunction(() => document.activeElement.dataset.testid === "model");
    await page.keyboard.type("DeepSeek-V2");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-testid=stale]", { state: "hidden" });
  });
});
