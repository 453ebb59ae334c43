//! Numbered steps with their times, and work that is asked for by name.

use std::time::{Duration, Instant};

use crate::Outcome;
use crate::console::{say, spoken};
use crate::tools::{self, Tool, Toolbox};

/// Something to do: its name on the command line, what it is, what it needs, how it is done.
pub(crate) struct Task<T> {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) tools: &'static [&'static [Tool]],
    pub(crate) work: fn(&Toolbox) -> Outcome<T>,
}

/// The named ones of `all`, or all of them, in their order.
pub(crate) fn chosen<'a, T>(all: &'a [Task<T>], names: &[String]) -> Outcome<Vec<&'a Task<T>>> {
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|task| task.name != name.as_str())) {
        let known: Vec<&str> = all.iter().map(|task| task.name).collect();
        return Err(format!("there is no `{unknown}`; there are {}", known.join(", ")));
    }
    Ok(all.iter().filter(|task| names.is_empty() || names.iter().any(|name| name == task.name)).collect())
}

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

    /// Makes the tools of all tasks ready, then does each; a step for the tools and one a task.
    pub(crate) fn work<T>(tasks: &[&Task<T>]) -> Outcome<(Self, Vec<T>)> {
        let tools: Vec<Tool> = tasks.iter().flat_map(|task| task.tools.concat()).collect();
        let mut steps = Self::new(tasks.len() + 1);
        let toolbox = steps.step("tools", || tools::ensure(&tools))?;
        let done = tasks.iter().map(|task| steps.step(task.title, || (task.work)(&toolbox))).collect::<Outcome<_>>()?;
        Ok((steps, done))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_keep_their_order() {
        let task = |name| Task { name, title: "", tools: &[], work: |_| Ok(()) };
        let all = [task("first"), task("second"), task("third")];
        let names = |asked: &[&str]| -> Outcome<Vec<&str>> {
            let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
            Ok(chosen(&all, &asked)?.iter().map(|task| task.name).collect())
        };
        assert_eq!(names(&["third", "first"]), Ok(vec!["first", "third"]));
        assert_eq!(names(&[]), Ok(vec!["first", "second", "third"]));
        assert_eq!(names(&["other"]), Err("there is no `other`; there are first, second, third".to_owned()));
    }
}
