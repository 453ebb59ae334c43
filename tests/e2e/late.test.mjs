// The late part: nothing of the first load, fetched once when something first asks for it, and no harm where it does not come.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { address, launch, open, watched } from "./site.mjs";

/** Asks for something late, and waits until it is there. */
const ask = (page) => page.click(".breakdown [data-explain='total']");
const shown = (page) => page.waitForSelector("[data-testid=explain][data-item='total']");
/** Takes it away again. */
const close = (page) => page.keyboard.press("Escape");

const FILES = { code: "**/shardmem-late-*.wasm", styles: "**/shardmem-late-*.css" };
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
    const endings = fetched(requests).map((url) => url.split(".").at(-1));
    assert.deepEqual(endings.sort(), ["css", "wasm"]);
    for (const url of fetched(requests)) {
      assert.ok(url.startsWith(address) && !/[?#]/.test(url), `it carries nothing: ${url}`);
    }
    const style = await page.$eval(".explain-head", (head) => getComputedStyle(head).display);
    assert.equal(style, "flex", "it is dressed");
    assert.deepEqual(troubles, []);
  });

  for (const [what, files] of Object.entries(FILES)) {
    it(`may stay away (${what}): the page says so, goes on, and asks again`, async () => {
      const { page } = await watched(browser);
      await open(page);
      await page.route(files, (route) => route.abort());
      await ask(page);
      await page.getByText("could not be loaded").waitFor();
      assert.equal(await page.isVisible("[data-testid=notice-undo]"), false);
      const before = await page.getAttribute("[data-testid=peak]", "data-bytes");
      await page.fill("[data-control=tp] input[type=number]", "2");
      await page.waitForFunction(
        (before) => document.querySelector("[data-testid=peak]").dataset.bytes !== before,
        before,
      );
      await page.unroute(files);
      await ask(page);
      await shown(page);
      const sheets = await page.locator("link[rel=stylesheet]").count();
      assert.equal(sheets, 2, "styles come once");
    });
  }

  it("may stay away unnoticed by who did not ask for it: the address waits", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.route(FILES.code, (route) => route.abort());
    const asked = () => page.waitForRequest(FILES.code);
    for (const degree of [2, 4]) {
      const [request] = await Promise.all([asked(), page.fill("[data-control=tp] input[type=number]", String(degree))]);
      await page.waitForTimeout(300);
      assert.ok(request.failure());
      assert.equal(await page.getByText("could not be loaded").count(), 0);
    }
    await page.unroute(FILES.code);
    await page.fill("[data-control=tp] input[type=number]", "2");
    await page.waitForFunction(() => location.hash !== "");
  });

  it("says the same after a redeploy, when its file is gone", async () => {
    const { page } = await watched(browser);
    await open(page);
    await page.route(FILES.code, (route) => route.fulfill({ status: 404, body: "" }));
    await ask(page);
    await page.getByText("could not be loaded").waitFor();
  });

  describe("on its way", () => {
    /** A page whose late part waits until it is let go. */
    async function slow() {
      const { page } = await watched(browser);
      await open(page);
      let go;
      const gone = new Promise((resolve) => (go = resolve));
      await page.route(FILES.code, async (route) => {
        await gone;
        await route.continue();
      });
      const arrived = page.waitForResponse(FILES.code);
      return { page, let_go: async () => (go(), await arrived) };
    }
    const yaml = "[data-testid=yaml]";

    it("applies to the run as it then is: nothing written meanwhile is lost", async () => {
      const { page, let_go } = await slow();
      await page.fill("[data-control=ep] input[type=number]", "16");
      await page.click("[data-testid=apply]");
      const text = await page.inputValue(yaml);
      await page.fill(yaml, `${text}# mine\n`);
      await let_go();
      await page.getByText("written into train.yaml").waitFor();
      const expected = text.replace(/ep_size: 8 /, "ep_size: 16");
      const now = await page.inputValue(yaml);
      assert.ok(now.endsWith("# mine\n") && now.includes("ep_size: 16"), now);
      assert.equal(now.split("\n").length, expected.split("\n").length + 1);
    });

    it("opens nothing under the hands of who went on", async () => {
      const { page, let_go } = await slow();
      await page.click("[data-testid=new-run]");
      await page.click(yaml);
      await let_go();
      // What was asked for later is answered later: by then the form would have been there.
      await page.click("[data-testid=pin]");
      await ask(page);
      await shown(page);
      assert.equal(await page.isVisible(".new-run-form"), false);
    });
  });
});
