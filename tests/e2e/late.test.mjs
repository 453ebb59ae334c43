// The late part: nothing of the first load, fetched once when something first asks for it, and no harm where it does not come.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { address, launch, open, watched } from "./site.mjs";

/** Asks for something late, and waits until it is there. */
const ask = (page) => page.click(".breakdown [data-explain='total']");
const shown = (page) => page.waitForSelector("[data-testid=explain][data-item='total']");
/** Takes it away again. */
const close = (page) => page.keyboard.press("Escape");

const FILE = "**/shardmem-late-*.wasm";
const fetched = (requests) => requests.filter((url) => url.includes("/shardmem-late-"));

describe("the late part", () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  it("is fetched when it is first asked for, and once", async () => {
    const { page, troubles, requests } = await watched(browser);
    await open(page);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(fetched(requests), []);
    await ask(page);
    await shown(page);
    await close(page);
    await ask(page);
    await shown(page);
    assert.equal(fetched(requests).length, 1);
    const [url] = fetched(requests);
    assert.ok(url.startsWith(address) && !/[?#]/.test(url), `it carries nothing: ${url}`);
    assert.deepEqual(troubles, []);
  });

  it("may stay away: the page says so, goes on, and asks again", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.route(FILE, (route) => route.abort());
    await ask(page);
    await page.getByText("could not be loaded").waitFor();
    assert.equal(await page.isVisible("[data-testid=notice-undo]"), false);
    const before = await page.getAttribute("[data-testid=peak]", "data-bytes");
    await page.fill("[data-control=tp] input[type=number]", "2");
    await page.waitForFunction(
      (before) => document.querySelector("[data-testid=peak]").dataset.bytes !== before,
      before,
    );
    await page.unroute(FILE);
    await ask(page);
    await shown(page);
  });

  it("says the same after a redeploy, when its file is gone", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.route(FILE, (route) => route.fulfill({ status: 404, body: "" }));
    await ask(page);
    await page.getByText("could not be loaded").waitFor();
  });
});
