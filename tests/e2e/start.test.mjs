// The built page starts under its policy, from a sub-path, and says so when it cannot.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";

import { address, launch, open, stated, watched } from "./site.mjs";

describe("start", () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  it("mounts without an error and asks for nothing outside its own folder", async () => {
    const { page, troubles, requests } = await watched(browser);
    await open(page);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(troubles, []);
    assert.ok(requests.length >= 4, `page, start-up script, glue and module were expected, got ${requests}`);
    const paths = [...new Set(requests)].map((url) => {
      assert.ok(url.startsWith(address), `outside the sub-path: ${url}`);
      return url.slice(address.length).split(/[?#]/)[0] || "index.html";
    });
    // The check `size` weighs what is noted here.
    await writeFile(stated("SHARDMEM_FIRST_LOAD"), JSON.stringify(paths));
  });

  it("is held by its policy, as header and in the file", async () => {
    const { page } = await watched(browser);
    const response = await page.goto(address);
    const header = response.headers()["content-security-policy"];
    const meta = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content");
    assert.equal(header, meta);
    assert.match(meta, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
    assert.doesNotMatch(meta, /unsafe-inline|'unsafe-eval'|https?:|\*/);
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.inlineRan = true";
      document.body.append(script);
      return window.inlineRan === true;
    });
    assert.equal(ran, false);
  });

  it("has a language, a title and a description", async () => {
    const { page } = await watched(browser);
    await open(page);
    assert.match(await page.getAttribute("html", "lang"), /^(en|zh-CN)$/);
    assert.match(await page.title(), /ShardMem/);
    assert.ok((await page.getAttribute('meta[name="description"]', "content")).length > 50);
  });

  it("says so when the module does not come", async () => {
    const { page } = await watched(browser);
    await page.route("**/*.wasm", (route) => route.abort());
    await page.goto(address);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.innerText(), /could not start/);
  });

  it("says so when the browser has no WebAssembly", async () => {
    const { page } = await watched(browser);
    await page.addInitScript(() => {
      delete globalThis.WebAssembly;
    });
    await page.goto(address);
    await page.getByRole("alert").waitFor();
  });

  it("says so when scripts are off", async () => {
    const { page } = await watched(browser, { javaScriptEnabled: false });
    await page.goto(address);
    assert.match(await page.innerText("body"), /needs JavaScript/);
  });
});
