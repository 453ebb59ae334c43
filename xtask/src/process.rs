//! Running other programs: quiet while all is well, everything they said when it is not.

use std::io::{BufRead, BufReader, Read, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{env, thread};

use crate::Outcome;
use crate::console::{flash, flashes, say, spoken};

/// After this long without a line, one that says that work goes on.
const SILENCE: Duration = Duration::from_secs(20);

static EVERYTHING: AtomicBool = AtomicBool::new(false);

/// From now on every line of every program is shown (`--verbose`).
pub(crate) fn show_everything() {
    EVERYTHING.store(true, Ordering::Relaxed);
}

/// What of a line is worth showing while all is well.
pub(crate) type Keep = fn(&str) -> Option<String>;

/// Runs to the end, showing only what `keep` wants; on failure, everything.
pub(crate) fn run(command: &mut Command, keep: Keep) -> Outcome {
    let name = shown(command);
    let (reader, writer) = pipe().map_err(|error| format!("no pipe for `{name}`: {error}"))?;
    let second = writer.try_clone().map_err(|error| format!("no pipe for `{name}`: {error}"))?;
    let spawned = command.stdin(Stdio::null()).stdout(writer).stderr(second).spawn();
    let mut child = spawned.map_err(|error| format!("cannot start `{name}`: {error}"))?;
    // The command keeps the writing ends; the pipe closes only when they are dropped too.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let said = follow(&lines(reader), keep);
    let status = child.wait().map_err(|error| format!("lost `{name}`: {error}"))?;
    if status.success() {
        return Ok(());
    }
    if !EVERYTHING.load(Ordering::Relaxed) {
        let telling: Vec<&str> = said.iter().map(String::as_str).filter(|line| !is_progress(line)).collect();
        say(&format!("\n{}", telling.join("\n")));
    }
    Err(format!("`{name}` failed ({status}); what it said stands above"))
}

/// What a program prints on standard output, where it can be run at all.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first of `names` that stands in a folder of the PATH.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

/// For [`run`]: nothing is worth showing while all is well.
pub(crate) fn nothing(_: &str) -> Option<String> {
    None
}

/// The lines by which cargo shows that it is alive.
fn is_progress(line: &str) -> bool {
    let verb = line.trim_start().split(' ').next().unwrap_or("");
    line.starts_with(' ') && ["Compiling", "Checking", "Downloaded", "Downloading", "Fresh"].contains(&verb)
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn lines(reader: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Collects lines until the program closes its end, with a sign of life on the way.
fn follow(lines: &Receiver<String>, keep: Keep) -> Vec<String> {
    let (start, mut quiet_since, mut said) = (Instant::now(), Instant::now(), Vec::<String>::new());
    loop {
        match lines.recv_timeout(Duration::from_millis(250)) {
            Ok(line) => {
                if let Some(kept) = if EVERYTHING.load(Ordering::Relaxed) { Some(line.clone()) } else { keep(&line) } {
                    say(&format!("        {kept}"));
                    quiet_since = Instant::now();
                }
                said.push(line);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return said,
        }
        if flashes() {
            flash(&sign_of_life(start, &said));
        } else if quiet_since.elapsed() > SILENCE {
            say(&sign_of_life(start, &said));
            quiet_since = Instant::now();
        }
    }
}

/// The time so far and the last line: with cargo the last that shows progress, and how many there were.
fn sign_of_life(start: Instant, said: &[String]) -> String {
    let number = said.iter().filter(|line| is_progress(line)).count();
    let so_far = if number > 1 { format!(" ({number} so far)") } else { String::new() };
    let telling = |line: &&String| if number > 0 { is_progress(line) } else { !line.trim().is_empty() };
    let last = said.iter().rev().find(telling).map_or("", |line| line.trim());
    format!("        {:>12}  {last}{so_far}", spoken(start.elapsed()))
}
