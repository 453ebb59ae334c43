// Times the built page and the core in rounds of fresh profiles and notes the milliseconds:
// { load: [round…], slider: [round…], estimate: [round…] }.

import { readFile, writeFile } from "node:fs/promises";

import { address, launch, stated, watched } from "./site.mjs";

const ROUNDS = Number(stated("SHARDMEM_ROUNDS"));
const LOADS = 4;
const MOVES = 100;
const SAMPLES = 50;
// The browser's clock ticks every 0.1 ms; so many estimates take a hundred ticks.
const TURNS = 1000;

/** From the start of the navigation until the first figure stands in the page. */
async function load(browser) {
  const { context, page } = await watched(browser);
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector("[data-testid=peak][data-bytes]")) return;
      watch.disconnect();
      window.usable = performance.now();
    });
    watch.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-bytes"] });
  });
  await page.goto(address);
  const usable = await page.waitForFunction(() => window.usable);
  const time = await usable.jsonValue();
  await context.close();
  return time;
}

/** From the input event of a slider until verdict, bars and table have changed for the last time. */
async function slider(browser) {
  const { context, page } = await watched(browser);
  await page.goto(address);
  await page.waitForSelector("[data-testid=peak][data-bytes]");
  const times = await page.evaluate(async (moves) => {
    const range = document.querySelector("[data-control=tp] input[type=range]");
    const times = [];
    let changed = 0;
    const watch = new MutationObserver(() => (changed = performance.now()));
    watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-bytes", "data-fits"] });
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    for (let move = 0; move < moves; move += 1) {
      changed = 0;
      range.value = String(Number(range.min) + (move % 2 ? 0 : 1));
      const start = performance.now();
      range.dispatchEvent(new Event("input", { bubbles: true }));
      await frame();
      // The first move may go to the value that is already there.
      if (changed) times.push(changed - start);
      // Idle work of the page must not run into the next move.
      await new Promise((done) => setTimeout(done, 60));
    }
    return times;
  }, MOVES);
  await context.close();
  if (times.length < MOVES - 2) throw new Error(`only ${times.length} of ${MOVES} moves changed a figure`);
  return times;
}

/** One estimate of the opening sample: derived, placed and accounted for with all items, many of them from one call. */
async function estimate(browser) {
  const sample = await readFile(new URL("../../data/samples/deepseek-v3-512.yaml", import.meta.url), "utf8");
  const { context, page } = await watched(browser);
  await page.goto(stated("SHARDMEM_MEASURED"));
  const measure = async ({ yaml, samples, turns }) => {
    const { default: start, Measured } = await import("./shardmem.js");
    await start();
    const run = Measured.read(yaml);
    // Until the compiler of the second tier has taken over.
    run.estimates(20 * turns);
    return Array.from({ length: samples }, () => {
      const start = performance.now();
      if (!(run.estimates(turns) > 0)) throw new Error("nothing was estimated");
      return (performance.now() - start) / turns;
    });
  };
  const times = await page.evaluate(measure, { yaml: sample, samples: SAMPLES, turns: TURNS });
  await context.close();
  return times;
}

async function repeat(times, work) {
  const results = [];
  for (let turn = 0; turn < times; turn += 1) results.push(await work());
  return results;
}

const browser = await launch();
try {
  const measures = { load: [], slider: [], estimate: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    measures.load.push(await repeat(LOADS, () => load(browser)));
    measures.slider.push(await slider(browser));
    measures.estimate.push(await estimate(browser));
  }
  await writeFile(stated("SHARDMEM_MEASURES"), JSON.stringify(measures));
} finally {
  await browser.close();
}
