//! Lighthouse's four scores of the built page, served compressed, and what each lost point went to.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::console::say;
use crate::server::{self, Site};
use crate::tools::{Tool, Toolbox};
use crate::{Outcome, build, process};

/// What it runs on.
pub(super) const TOOLS: [Tool; 2] = [Tool::Chromium, Tool::Lighthouse];

const SCRIPT: &str = "tests/lighthouse/scores.mjs";
const CATEGORIES: [&str; 4] = ["performance", "accessibility", "best-practices", "seo"];

/// The page as one kind of visitor meets it.
#[derive(Clone)]
pub(super) struct Judged {
    visitor: &'static str,
    /// Of 100, in the order of [`CATEGORIES`].
    scores: [u64; 4],
    /// A line for each audit that cost points.
    lost: Vec<String>,
    /// Whether less than 100 of 100 fails: the slow phone is told, not demanded, since the page is for desks.
    is_binding: bool,
}

/// Visits the page in `dist/` as from a desk, then as from a slow phone.
pub(super) fn run(toolbox: &Toolbox) -> Outcome<Vec<Judged>> {
    build::release(toolbox)?;
    let site = Site::new(build::DIST, "/").compressing()?;
    let listener = server::listen(0)?;
    let folder = toolbox.place(Tool::Lighthouse);
    // Node looks for packages beside the script.
    let script = folder.join("scores.mjs");
    std::fs::copy(Path::new(SCRIPT), &script).map_err(|error| format!("cannot copy {SCRIPT}: {error}"))?;
    let mut command = Command::new("node");
    command.arg(script).env("SHARDMEM_URL", server::address(&listener, &site)?);
    command.env("SHARDMEM_CHROMIUM", toolbox.place(Tool::Chromium));
    server::start(listener, site);
    let notes = build::target_folder()?.join("scores.json");
    process::run(command.env("SHARDMEM_SCORES", &notes), process::nothing)?;
    let said = super::json(&notes)?;
    [("desk", "a desk", true), ("phone", "a slow phone", false)]
        .into_iter()
        .map(|(name, visitor, is_binding)| judged(&said[name], visitor, is_binding))
        .collect()
}

fn judged(said: &Value, visitor: &'static str, is_binding: bool) -> Outcome<Judged> {
    let mut scores = [0; 4];
    for (score, category) in scores.iter_mut().zip(CATEGORIES) {
        *score = said["scores"][category].as_u64().ok_or_else(|| format!("Lighthouse gave no score for {category}"))?;
    }
    let lost = said["lost"].as_array().into_iter().flatten();
    let text = |audit: &Value, key: &str| audit[key].as_str().unwrap_or_default().to_owned();
    let line = |audit: &Value| {
        let score = audit["score"].as_f64().unwrap_or(0.0) * 100.0;
        let (category, title, value) = (text(audit, "category"), text(audit, "title"), text(audit, "value"));
        format!("{category}: {title} {value}, {score:.0} of 100 at weight {}", audit["weight"])
    };
    Ok(Judged { visitor, scores, lost: lost.map(line).collect(), is_binding })
}

/// Prints the scores and what lost points; fails where a desk's are not 100, but for performance, which a machine's noise
/// moves by a point or two.
pub(super) fn judge(all: &[Judged]) -> Outcome {
    let mut low = Vec::new();
    for Judged { visitor, scores, lost, is_binding } in all {
        let row: Vec<String> = CATEGORIES.iter().zip(scores).map(|(name, score)| format!("{name} {score}")).collect();
        say(&format!("\n  Lighthouse, from {visitor}: {}", row.join(", ")));
        for line in lost {
            say(&format!("    {line}"));
        }
        let limits = CATEGORIES.map(|name| if name == "performance" { 97 } else { 100 });
        let is_low = scores.iter().zip(limits).any(|(score, limit)| *score < limit);
        if *is_binding && is_low {
            low.push(format!("Lighthouse, from {visitor}"));
        }
    }
    if low.is_empty() { Ok(()) } else { Err(format!("below its limit: {}", low.join("; "))) }
}
