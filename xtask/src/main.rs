//! `cargo xtask`: builds, serves, tests and measures ShardMem, with tools of its own choosing.

mod accuracy;
mod api;
mod build;
mod catalogue;
mod console;
mod docs;
mod end_to_end;
mod goldens;
mod measure;
mod pack;
mod process;
mod serve;
mod server;
mod sizes;
mod steps;
mod test;
mod tools;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use console::say;

/// What every command comes to; the text says what to do next.
type Outcome<T = ()> = Result<T, String>;

const USAGE: &str = "\
cargo xtask COMMAND

  serve    [--port N] [--no-build]   build the page and serve it on this machine
  build                              build the page into dist/ and weigh it
  test     [CHECK…]                 run every check, or the named ones
  measure  [PART…]                   time everything that has a budget, five rounds
  api                                build the JavaScript API into dist/api/
  catalogue [--from DIR] [--check]   write data/catalogue.jsonl, or see that it is current
  docs     [--check]                 write the generated documents of docs/, or see that they are current
  accuracy [--truth DIR] [--check]   hold both memory models against measured peaks, and write docs/accuracy.md

`--verbose` after any of them shows all that the tools print.";

fn main() -> ExitCode {
    match run(env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("\nerror: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Vec<String>) -> Outcome {
    env::set_current_dir(root()).map_err(|error| format!("cannot enter {}: {error}", root().display()))?;
    if take_flag(&mut arguments, "--verbose") {
        process::show_everything();
    }
    if arguments.is_empty() {
        return Err(format!("a command is missing\n\n{USAGE}"));
    }
    let command = arguments.remove(0);
    match command.as_str() {
        "serve" => serve::serve(arguments),
        "build" => no_more(&arguments).and_then(|()| build::build()),
        "test" => test::test(&arguments),
        "measure" => measure::measure(&arguments),
        "api" => no_more(&arguments).and_then(|()| api::api()),
        "catalogue" => catalogue::catalogue(arguments),
        "docs" => docs::docs(arguments),
        "accuracy" => accuracy::accuracy(arguments),
        "help" | "--help" | "-h" => {
            say(USAGE);
            Ok(())
        }
        other => Err(format!("there is no command `{other}`\n\n{USAGE}")),
    }
}

/// The folder of the workspace: the one above this package.
fn root() -> PathBuf {
    let package =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// Removes `flag` and says whether it was there.
fn take_flag(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != flag);
    arguments.len() < before
}

fn no_more(arguments: &[String]) -> Outcome {
    match arguments.first() {
        Some(argument) => Err(format!("`{argument}` is not an option here\n\n{USAGE}")),
        None => Ok(()),
    }
}
