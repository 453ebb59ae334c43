//! The `shardmem` command: reads files, asks the core, prints. Everything it says is computed in `shardmem`.

mod arguments;
mod output;
mod run;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            complain(&format!("shardmem: {error}\nshardmem --help lists the commands and options\n"));
            return run::Exit::Usage.into();
        }
    };
    let (text, exit) = run::run(&command);
    // A reader that closed the pipe (`| head`) has seen what it wanted.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    exit.into()
}

/// Writes to standard error; nothing is left to be done where that fails.
fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
