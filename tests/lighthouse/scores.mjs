// Lighthouse's four scores of the served page, once as on a desk and once as on a slow phone, and what lost points. Notes
// one JSON object: { desk: { scores: { id: score }, lost: [{ category, title, weight, score, value }] }, phone: … }.

import { writeFile } from "node:fs/promises";

import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

/** The scores, of 100, and the audits that keep a category below it. */
function judged({ categories, audits }) {
  const scores = {};
  const lost = [];
  for (const { id, score, auditRefs } of Object.values(categories)) {
    scores[id] = Math.round(score * 100);
    for (const { id: name, weight } of auditRefs) {
      const { score, title, displayValue = "" } = audits[name];
      // What has no weight is advice.
      if (weight > 0 && score !== null && score < 1) lost.push({ category: id, title, weight, score, value: displayValue });
    }
  }
  return { scores, lost };
}

const browser = await launch({
  chromePath: process.env.SHARDMEM_CHROMIUM,
  chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  const results = {};
  for (const [name, config] of [["desk", desktopConfig], ["phone", undefined]]) {
    const { lhr } = await lighthouse(process.env.SHARDMEM_URL, { port: browser.port, logLevel: "error" }, config);
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
    results[name] = judged(lhr);
  }
  await writeFile(process.env.SHARDMEM_SCORES, JSON.stringify(results));
} finally {
  await browser.kill();
}
