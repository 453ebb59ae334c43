// What every end-to-end test needs: the address of the built page, a browser, and a page that is watched.
//
// `cargo xtask test e2e` and `cargo xtask measure` serve `dist/` and say by environment where everything is.

import { createRequire } from "node:module";
import { join } from "node:path";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What xtask says by environment. */
export function stated(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run \`cargo xtask test page api e2e\` or \`cargo xtask measure\``);
  return value;
}

/** Where the page is served. */
export const address = stated("SHARDMEM_URL");

/** The `shardmem` command built from the same source. */
export const commandLine = () => stated("SHARDMEM_CLI");

const { chromium } = createRequire(join(stated("SHARDMEM_PLAYWRIGHT"), "x"))("playwright-core");

/** A Chromium that talks to nobody by itself. */
export function launch() {
  return chromium.launch({ executablePath: stated("SHARDMEM_CHROMIUM"), headless: true, args: FLAGS });
}

/**
 * A page of a fresh profile, with a record of what must not happen: `troubles` lists console errors and warnings,
 * uncaught errors, failed requests, error statuses and requests that leave the origin; `requests` what was asked for.
 */
export async function watched(browser, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles = [];
  const requests = [];
  const origin = new URL(address).origin;
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    troubles.push(`console ${message.type()}: ${message.text()} at ${message.location().url}`);
  });
  page.on("pageerror", (error) => troubles.push(`uncaught: ${error.message}`));
  context.on("requestfailed", (request) => troubles.push(`failed: ${request.url()} ${request.failure()?.errorText}`));
  context.on("response", (response) => {
    if (response.status() >= 400) troubles.push(`status ${response.status()}: ${response.url()}`);
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol === "data:" || url.protocol === "blob:") return;
    requests.push(request.url());
    if (url.origin !== origin) troubles.push(`left the origin: ${request.url()}`);
  });
  return { context, page, troubles, requests };
}

/** Opens the page and waits until it is mounted. */
export async function open(page, fragment = "") {
  await page.goto(address + fragment);
  await page.waitForSelector("#boot", { state: "detached" });
}
