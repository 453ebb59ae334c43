//! Numbered steps with their times.

use std::time::{Duration, Instant};

use crate::Outcome;
use crate::console::{say, spoken};

/// A row of steps, of which the total is known beforehand.
pub(crate) struct Steps {
    total: usize,
    done: Vec<(String, Duration)>,
    start: Instant,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: Vec::new(), start: Instant::now() }
    }

    /// Does one step, telling its number, its title and how long it took.
    pub(crate) fn step<T>(&mut self, title: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let number = self.done.len() + 1;
        say(&format!("[{number:>2}/{}] {title}", self.total));
        let start = Instant::now();
        let value = work().map_err(|failure| format!("{title}: {failure}"))?;
        say(&format!("        done in {}", spoken(start.elapsed())));
        self.done.push((title.to_owned(), start.elapsed()));
        Ok(value)
    }

    /// The closing table.
    pub(crate) fn summary(&self) {
        say("");
        let width = self.done.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
        for (title, time) in &self.done {
            say(&format!("  {title:<width$}  {:>12}", spoken(*time)));
        }
        say(&format!("  {:<width$}  {:>12}", "in all", spoken(self.start.elapsed())));
    }
}
