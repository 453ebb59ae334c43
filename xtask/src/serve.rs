//! `cargo xtask serve`: from nothing to the page.

use std::io::{IsTerminal, stdin};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use crate::console::say;
use crate::server::{self, Site};
use crate::{Outcome, build, no_more, take_flag};

const FIRST_PORT: u16 = 8080;
const PORTS_TRIED: u16 = 20;

/// Builds the page, unless told not to, and serves it until stopped.
pub(crate) fn serve(mut arguments: Vec<String>) -> Outcome {
    let build = !take_flag(&mut arguments, "--no-build");
    let port = take_port(&mut arguments)?;
    no_more(&arguments)?;
    if build {
        build::page()?;
    } else if !Path::new(build::DIST).join("index.html").is_file() {
        return Err("nothing is built yet: leave out --no-build".to_owned());
    }
    let listener = listener(port)?;
    let site = Site::new(build::DIST, "/");
    let address = server::address(&listener, &site)?;
    server::start(listener, site);
    say(&format!("\nShardMem is at {address}"));
    if stdin().is_terminal() { rebuild_on_enter() } else { stay() }
}

/// The stated port, or the first free one from 8080 on.
fn listener(port: Option<u16>) -> Outcome<TcpListener> {
    match port {
        Some(port) => server::listen(port),
        None => (FIRST_PORT..FIRST_PORT + PORTS_TRIED)
            .find_map(|port| server::listen(port).ok())
            .map_or_else(|| server::listen(0), Ok),
    }
}

fn take_port(arguments: &mut Vec<String>) -> Outcome<Option<u16>> {
    let Some(at) = arguments.iter().position(|argument| argument == "--port") else {
        return Ok(None);
    };
    let value = arguments.get(at + 1).and_then(|value| value.parse().ok());
    let port = value.ok_or("--port takes a number from 0 (any free port) to 65535")?;
    arguments.drain(at..at + 2);
    Ok(Some(port))
}

fn rebuild_on_enter() -> Outcome {
    say("Enter builds it again, Ctrl+C stops.");
    loop {
        let mut line = String::new();
        if stdin().read_line(&mut line).map_err(|error| format!("the terminal is gone: {error}"))? == 0 {
            stay();
        }
        // A mistake in the source is no reason to stop serving the last good page.
        match build::page() {
            Ok(()) => say("\nbuilt; reload the page"),
            Err(failure) => say(&format!("\nerror: {failure}")),
        }
    }
}

fn stay() -> ! {
    loop {
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_port_is_taken_from_the_arguments() {
        let mut arguments = words("--port 9000 rest");
        assert_eq!(take_port(&mut arguments), Ok(Some(9000)));
        assert_eq!(arguments, ["rest"]);
        assert_eq!(take_port(&mut arguments), Ok(None));
        assert!(take_port(&mut words("--port 70000")).is_err());
    }
}
