// The built JavaScript API, in its example page, against the built command line.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";

import { address, commandLine, launch, watched } from "./site.mjs";

/** What the command line prints, whether or not the input was refused. */
function printed(yaml) {
  try {
    return execFileSync(commandLine(), ["estimate", "-", "--format", "json"], { input: yaml, stdio: "pipe" }).toString();
  } catch (error) {
    return error.stdout.toString();
  }
}

describe("JavaScript API", () => {
  let browser;
  let cases;
  before(async () => {
    browser = await launch();
    const all = JSON.parse(await readFile(new URL("../api/cases.json", import.meta.url), "utf8"));
    cases = all.filter(({ options }) => Object.keys(options ?? {}).length === 0);
  });
  after(() => browser?.close());

  it("answers with what the command line prints", async () => {
    const { page, troubles } = await watched(browser);
    await page.goto(`${address}api/example.html`);
    assert.ok(cases.length > 0);
    for (const { name, yaml } of cases) {
      const answer = await page.evaluate(async (text) => {
        const { default: start, estimate } = await import("./shardmem.js");
        await start();
        return JSON.stringify(estimate(text));
      }, yaml);
      assert.equal(answer, printed(yaml).trimEnd(), name);
    }
    // Ten lines of documentation have no icon.
    assert.deepEqual(troubles.filter((trouble) => !trouble.endsWith("/favicon.ico")), []);
  });

  it("works in the example page as it is documented", async () => {
    const { page } = await watched(browser);
    await page.goto(`${address}api/example.html`);
    const [{ yaml }] = cases;
    await page.waitForFunction(() => document.querySelector("#yaml").oninput);
    await page.fill("#yaml", yaml);
    const shown = JSON.parse(await page.innerText("#answer"));
    assert.deepEqual(shown.peak, JSON.parse(printed(yaml)).peak);
  });
});
