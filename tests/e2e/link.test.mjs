// Links: what the address says is seen, what is seen the address says, and nobody's own work is lost by it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";

import { address, launch, open, watched } from "./site.mjs";

const OPENED = "[data-testid=verdict]";
const LONGEST = 8000;

const peakOf = (page) => page.getAttribute("[data-testid=peak]", "data-bytes");
const yamlOf = (page) => page.inputValue("[data-testid=yaml]");
const hashOf = (page) => page.evaluate(() => location.hash);
const valueOf = (page, control) => page.getAttribute(`[data-control=${control}]`, "data-value");
const set = (page, control, value) => page.fill(`[data-control=${control}] input[type=number]`, String(value));
const told = (page, name) => page.waitForSelector(`[data-told=${name}]`);
const stored = (page, name) => page.evaluate((name) => localStorage.getItem(`shardmem.${name}`), name);

/** The page with a fragment, in a tab that may have another one already. */
async function visit(page, fragment = "") {
  await page.goto("about:blank");
  await page.goto(address + fragment);
  await page.waitForSelector(OPENED);
}

/** Waits until the address has another fragment than this. */
async function changed(page, before = "") {
  await page.waitForFunction((before) => location.hash !== before, before);
  return hashOf(page);
}

/** Sets a control and goes at once, before the address can follow: loaded again, or elsewhere. */
async function setAndGo(page, control, value, again) {
  const gone = page.waitForNavigation();
  await page.evaluate(
    ([control, value, again]) => {
      const box = document.querySelector(`[data-control=${control}] input[type=number]`);
      box.value = value;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      again ? location.reload() : location.assign("about:blank");
    },
    [control, String(value), again],
  );
  await gone;
}

/** Everything that a link carries, as the page shows it. */
const shown = async (page) => ({
  peak: await peakOf(page),
  yaml: await yamlOf(page),
  controls: await page.$$eval("[data-control]", (all) => all.map((row) => [row.dataset.control, row.dataset.value])),
  stages: await page.$$eval("[data-testid=stage]", (all) => all.map((stage) => stage.dataset.bytes)),
  change: await page.locator("[data-testid=change]").allInnerTexts(),
  keys: await page.locator("[data-testid=key-changes] li").allTextContents(),
  ranges: await page.locator("[data-range]").count(),
  unit: await page.$eval("[data-testid=unit] input:checked", (input) => input.value),
});

const long = (yaml) => {
  // What deflate finds nothing in.
  let seed = 1;
  const noise = Array.from({ length: 9000 }, () => {
    seed = (seed * 48271) % 2147483647;
    return String.fromCharCode(33 + (seed % 90));
  });
  return `${yaml}\n# ${noise.join("")}\n`;
};

describe("links", () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  it("leaves the address of an untouched page alone, writes it at rest and clears it again", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    const entries = await page.evaluate(() => history.length);
    await page.click("[data-testid=stage][data-stage='3']");
    await changed(page);
    await page.reload();
    await page.waitForSelector(OPENED);
    assert.equal(await page.getAttribute("[data-testid=stage][data-stage='3']", "aria-selected"), "true");
    await visit(page);
    await set(page, "tp", 2);
    const first = await changed(page);
    await set(page, "ep", 16);
    const second = await changed(page, first);
    assert.match(second, /^#A[\w-]{40,}$/);
    await page.click("[data-testid=undo]");
    await page.waitForFunction((first) => location.hash === first, first);
    await page.click("[data-testid=undo]");
    await page.waitForFunction(() => location.hash === "" && !location.href.endsWith("#"));
    assert.equal(await page.evaluate(() => history.length), entries + 2, "visits are entries, changes are none");
    assert.deepEqual(troubles, []);
  });

  it("opens elsewhere as it was seen here", async () => {
    const here = await watched(browser);
    await open(here.page);
    await set(here.page, "tp", 2);
    await here.page.click("[data-testid=pin]");
    await set(here.page, "ep", 16);
    await here.page.uncheck("[data-testid=pin-devices]");
    await set(here.page, "pp", 8);
    await here.page.fill("[data-testid=yaml]", `${await yamlOf(here.page)}# 并行 😀\n`);
    await here.page.click("[data-act=ranges-edit]");
    await here.page.click("[data-testid=unit] label:has([value=GB])");
    await here.page.click("[data-testid=stage][data-stage='2']");
    const hash = await changed(here.page, await hashOf(here.page));
    await here.page.waitForTimeout(600);
    const [seen, fragment] = [await shown(here.page), await hashOf(here.page)];
    assert.ok(fragment.length >= hash.length / 2);
    const there = await watched(browser, { locale: "zh-CN" });
    await visit(there.page, fragment);
    const found = await shown(there.page);
    const spoken = ({ change, ...rest }) => rest;
    assert.deepEqual(spoken(found), spoken(seen));
    assert.equal(found.change.length, 1);
    assert.equal(await there.page.getAttribute("html", "lang"), "zh-CN");
    assert.equal(await there.page.getAttribute("[data-testid=stage][data-stage='2']", "aria-selected"), "true");
    assert.equal(await there.page.locator("[data-told]").count(), 0, "who has no own run has nothing to come back to");
    assert.equal(await stored(there.page, "run"), null, "who only looks has no run yet");
    assert.equal(await stored(there.page, "unit"), null);
    await there.page.click("[data-testid=undo]");
    await there.page.waitForFunction((hash) => location.hash !== hash, fragment);
    assert.equal(await valueOf(there.page, "pp"), "16");
    assert.deepEqual([...here.troubles, ...there.troubles], []);
  });

  it("copies the link of this very moment and says so", async () => {
    const { page, context, troubles } = await watched(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await open(page);
    await page.click("[data-testid=copy-link]");
    await told(page, "copied");
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const untouched = await copied();
    assert.match(untouched, /#A[\w-]+$/, "the sample as it stands, not whatever is kept where it is opened");
    await set(page, "tp", 4);
    await page.click("[data-testid=copy-link]");
    await page.waitForFunction(async (last) => (await navigator.clipboard.readText()) !== last, untouched);
    const [link, peak] = [await copied(), await peakOf(page)];
    assert.equal(await page.locator("[role=status] [data-told=copied]").innerText().then((text) => text.startsWith("Link copied")), true);
    await page.click("[data-told=copied] [data-act=dismiss]");
    await page.waitForSelector("[data-told=copied]", { state: "detached" });
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector(OPENED);
    assert.equal(await peakOf(page), peak);
    assert.deepEqual(troubles, []);
    await context.close();
  });

  it("gives the link to be copied by hand where the browser refuses", async () => {
    const { page, troubles } = await watched(browser);
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await open(page);
    await page.click("[data-testid=copy-link]");
    await page.waitForFunction(() => document.activeElement.dataset.testid === "link-text");
    const selected = await page.evaluate(() => {
      const field = document.activeElement;
      return field.value.slice(field.selectionStart, field.selectionEnd);
    });
    assert.match(selected, /^http.*#A[\w-]+$/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("[data-testid=link-text]", { state: "detached" });
    await page.waitForFunction(() => document.activeElement.dataset.testid === "copy-link");
    assert.deepEqual(troubles, []);
  });

  it("keeps the reader's own run when a link is opened, changed and left", async () => {
    const { page, context, troubles } = await watched(browser);
    await open(page);
    await set(page, "ep", 16);
    const ownHash = await changed(page);
    const own = await peakOf(page);
    await set(page, "tp", 4);
    const other = await changed(page, ownHash);
    const linked = await peakOf(page);
    await page.click("[data-testid=undo]");
    await page.waitForFunction((hash) => location.hash === hash, ownHash);
    assert.equal(await peakOf(page), own);
    const kept = await stored(page, "run");

    await visit(page, other);
    assert.equal(await peakOf(page), linked);
    await told(page, "own");
    assert.equal(await stored(page, "run"), kept);
    await page.click("[data-act=own]");
    await page.waitForSelector("[data-told=own]", { state: "detached" });
    assert.equal(await peakOf(page), own);
    await page.waitForFunction((hash) => location.hash === hash, ownHash);
    const back = await stored(page, "run");
    await page.click("[data-testid=undo]");
    assert.equal(await peakOf(page), linked);
    await told(page, "own");
    await page.waitForFunction((hash) => location.hash === hash, other);

    // What is changed in it is kept beside the own run, and found again.
    await set(page, "pp", 8);
    const further = await changed(page, other);
    const changedPeak = await peakOf(page);
    assert.equal(await stored(page, "run"), back);
    await page.reload();
    await page.waitForSelector(OPENED);
    assert.equal(await peakOf(page), changedPeak);
    assert.equal(await hashOf(page), further);
    await told(page, "own");
    await visit(page);
    assert.equal(await peakOf(page), own);
    await told(page, "other");
    await page.click("[data-act=other]");
    await told(page, "own");
    assert.equal(await peakOf(page), changedPeak);
    await page.click("[data-act=own]");
    assert.equal(await peakOf(page), own);
    await visit(page);
    await page.click("[data-act=forget]");
    await page.waitForSelector("[data-told]", { state: "detached" });
    assert.equal(await stored(page, "beside"), null);
    assert.deepEqual(troubles, []);
    await context.close();
  });

  it("goes on with what the address did not say yet where it is loaded again, and the address follows", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await set(page, "tp", 2);
    const hash = await changed(page);
    await setAndGo(page, "tp", 4, true);
    await page.waitForSelector("[data-control=tp][data-value='4']");
    const peak = await peakOf(page);
    const newer = await changed(page, hash);
    const there = await watched(browser);
    await visit(there.page, newer);
    assert.equal(await peakOf(there.page), peak);
    assert.deepEqual([...troubles, ...there.troubles], []);
  });

  it("opens a link to its own figures, whatever was left there", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await set(page, "tp", 2);
    const [hash, peak] = [await changed(page), await peakOf(page)];
    await setAndGo(page, "tp", 4, false);
    for (let times = 0; times < 2; times += 1) {
      if (times === 0) await visit(page, hash);
      else await page.reload();
      await page.waitForSelector("[data-control=tp][data-value='2']");
      await told(page, "own");
      assert.deepEqual([await peakOf(page), await hashOf(page)], [peak, hash]);
    }
    await page.click("[data-act=own]");
    await page.waitForSelector("[data-control=tp][data-value='4']");
    await changed(page, hash);
    assert.deepEqual(troubles, []);
  });

  it("counts in the unit of the address also when it is loaded again", async () => {
    const sender = await watched(browser);
    await open(sender.page);
    await set(sender.page, "tp", 2);
    const inGib = await changed(sender.page);
    await sender.page.click("[data-testid=unit] label:has([value=GB])");
    const hash = await changed(sender.page, inGib);
    const { page, troubles } = await watched(browser);
    await visit(page, hash);
    await set(page, "pp", 8);
    const further = await changed(page, hash);
    const seen = await shown(page);
    assert.equal(seen.unit, "GB");
    await page.reload();
    await page.waitForSelector(OPENED);
    assert.deepEqual(await shown(page), seen);
    await page.waitForTimeout(600);
    assert.equal(await hashOf(page), further);
    assert.deepEqual(troubles, []);
  });

  it("shows the reader's own run again when the browser goes back to the bare address", async () => {
    const sender = await watched(browser);
    await open(sender.page);
    await set(sender.page, "tp", 2);
    const [hash, linked] = [await changed(sender.page), await peakOf(sender.page)];
    const { page, troubles } = await watched(browser);
    const follow = async () => {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, hash);
      await page.waitForSelector("[data-control=tp][data-value='2']");
      assert.equal(await peakOf(page), linked);
    };
    await open(page);
    const sample = await peakOf(page);
    await follow();
    await page.goBack();
    await page.waitForSelector("[data-control=tp][data-value='1']");
    assert.deepEqual([await peakOf(page), await hashOf(page)], [sample, ""]);
    await page.goForward();
    await page.waitForSelector("[data-control=tp][data-value='2']");
    // With a run of the reader's own.
    await visit(page);
    await set(page, "ep", 16);
    await changed(page);
    const own = await peakOf(page);
    await visit(page);
    await follow();
    await page.goBack();
    await page.waitForSelector("[data-control=ep][data-value='16']");
    assert.equal(await peakOf(page), own);
    await page.waitForSelector("[data-told]", { state: "detached" });
    assert.deepEqual(troubles, []);
  });

  it("takes what becomes of a link for the reader's own where there is none", async () => {
    const sender = await watched(browser);
    await open(sender.page);
    await set(sender.page, "tp", 2);
    const hash = await changed(sender.page);
    const { page } = await watched(browser);
    await visit(page, hash);
    assert.equal(await stored(page, "run"), null);
    await set(page, "pp", 8);
    await changed(page, hash);
    const peak = await peakOf(page);
    await visit(page);
    assert.equal(await peakOf(page), peak);
    assert.equal(await page.locator("[data-told]").count(), 0);
  });

  it("opens what the address bar of an open page is given, as one step", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await set(page, "tp", 2);
    const [hash, peak] = [await changed(page), await peakOf(page)];
    await set(page, "ep", 16);
    const [present, now] = [await changed(page, hash), await peakOf(page)];
    await page.evaluate((hash) => {
      location.hash = hash;
    }, hash);
    await told(page, "own");
    assert.equal(await peakOf(page), peak);
    await page.click("[data-testid=undo]");
    assert.equal(await peakOf(page), now);
    await page.waitForFunction((hash) => location.hash === hash, present);
    await page.waitForSelector("[data-told=own]", { state: "detached" });
    await page.click("[data-testid=redo]");
    assert.equal(await peakOf(page), peak);
    assert.deepEqual(troubles, []);
  });

  it("says what is wrong with a broken link, and works", async () => {
    const { page, context, troubles } = await watched(browser);
    await open(page);
    await set(page, "tp", 2);
    const [hash, peak] = [await changed(page), await peakOf(page)];
    const reasons = new Set();
    for (const broken of ["#section-2", `${hash.slice(0, 20)}${hash[20] === "A" ? "B" : "A"}${hash.slice(21)}`, `#Ag${hash.slice(3)}`, "#%E4%B8%AD"]) {
      await visit(page, broken);
      const line = await (await told(page, "broken")).innerText();
      reasons.add(line);
      assert.equal(await peakOf(page), peak, broken);
    }
    assert.equal(reasons.size, 3, [...reasons].join("\n"));
    await page.click("[data-told=broken] [data-act=dismiss]");
    await set(page, "tp", 4);
    await page.waitForFunction(() => /^#A[\w-]{40,}$/.test(location.hash));
    await page.evaluate(() => {
      location.hash = "nothing";
    });
    await told(page, "broken");
    assert.equal(await valueOf(page, "tp"), "4");
    assert.deepEqual(troubles, []);
    await context.close();
  });

  it("gives a file for what is too long for a link, and opens it when it is dropped or picked", async () => {
    const { page, troubles } = await watched(browser, { acceptDownloads: true });
    await open(page);
    await set(page, "tp", 2);
    const hash = await changed(page);
    await page.fill("[data-testid=yaml]", long(await yamlOf(page)));
    assert.equal(await changed(page, hash), "", "an old fragment would say something else");
    const [yaml, peak] = [await yamlOf(page), await peakOf(page)];
    await page.click("[data-testid=copy-link]");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-testid=link-save]")]);
    assert.equal(download.suggestedFilename(), "DeepSeek-V3.shardmem.json");
    const file = await readFile(await download.path(), "utf8");
    assert.ok(file.length > LONGEST);
    await page.reload();
    await page.waitForSelector(OPENED);
    assert.equal(await yamlOf(page), yaml);

    const fresh = await watched(browser);
    await open(fresh.page);
    const before = await peakOf(fresh.page);
    const dropped = await fresh.page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "renamed.txt"));
      return transfer;
    }, file);
    await fresh.page.dispatchEvent("[data-testid=app]", "drop", { dataTransfer: dropped });
    await fresh.page.waitForSelector("[data-control=tp][data-value='2']");
    assert.equal(await yamlOf(fresh.page), yaml);
    assert.equal(await peakOf(fresh.page), peak);
    await fresh.page.click("[data-testid=undo]");
    assert.equal(await peakOf(fresh.page), before);
    const picked = { name: "a.shardmem.json", mimeType: "application/json", buffer: Buffer.from(file) };
    await fresh.page.setInputFiles(".file-open input", picked);
    await fresh.page.waitForSelector("[data-control=tp][data-value='2']");
    await fresh.page.setInputFiles(".file-open input", { ...picked, buffer: Buffer.from("{}") });
    assert.match(await (await told(fresh.page, "broken")).innerText(), /file/);
    assert.equal(await yamlOf(fresh.page), yaml);
    assert.deepEqual([...troubles, ...fresh.troubles], []);
  });

  it("tells what this page has no place for", async () => {
    const { page } = await watched(browser);
    await open(page);
    const file = JSON.stringify({
      shardmem: 1,
      text: await yamlOf(page),
      overrides: { "accelerator.ep_size": "16" },
      policies: { logits: "fp32" },
    });
    await page.setInputFiles(".file-open input", { name: "a.shardmem.json", mimeType: "application/json", buffer: Buffer.from(file) });
    const line = await (await told(page, "differs")).innerText();
    assert.match(line, /written into it/);
    assert.match(line, /logits=fp32/);
    assert.match(await yamlOf(page), /ep_size: 16 {2,}#/);
  });

  it("keeps the runs of two tabs, whoever writes last", async () => {
    const { page: first, context } = await watched(browser);
    await open(first);
    await set(first, "tp", 2);
    await changed(first);
    const second = await context.newPage();
    await second.goto(address);
    await second.waitForSelector(OPENED);
    await set(second, "ep", 16);
    await changed(second);
    const secondPeak = await peakOf(second);
    await set(first, "pp", 8);
    await told(first, "tab");
    const firstPeak = await peakOf(first);
    await visit(second);
    assert.equal(await peakOf(second), secondPeak);
    await second.click("[data-act=other]");
    assert.equal(await peakOf(second), firstPeak);
    await context.close();
  });

  it("shows a fragment inside another page, leaves it there and carries what is seen to the full page", async () => {
    const { page, troubles } = await watched(browser);
    await open(page);
    await set(page, "tp", 2);
    const [hash, peak] = [await changed(page), await peakOf(page)];
    const kept = await stored(page, "run");
    await visit(page, `?embed${hash}`);
    assert.equal(await peakOf(page), peak);
    const target = () =>
      page.$eval("[data-testid=full-page]", (link) => {
        link.dispatchEvent(new Event("pointerdown", { bubbles: true }));
        return link.href;
      });
    assert.equal(await target(), address + hash);
    await set(page, "ep", 16);
    await page.waitForFunction(
      (href) => {
        const link = document.querySelector("[data-testid=full-page]");
        link.dispatchEvent(new Event("pointerdown", { bubbles: true }));
        return link.href !== href;
      },
      address + hash,
    );
    const [changedPeak, href] = [await peakOf(page), await target()];
    await page.waitForTimeout(500);
    assert.equal(await hashOf(page), hash, "the page around it named this one");
    assert.equal(await stored(page, "run"), kept);
    await page.goto("about:blank");
    await page.goto(href);
    await page.waitForSelector(OPENED);
    assert.equal(await peakOf(page), changedPeak);
    assert.deepEqual(troubles, []);
  });
});
