//! What the person at the terminal sees.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::Duration;

/// One line, to stay. A closed pipe is not an error worth dying for.
pub(crate) fn say(line: &str) {
    erase();
    let _ = writeln!(stdout().lock(), "{line}");
}

/// What is going on right now: overwritten by the next line on a terminal, not shown elsewhere.
pub(crate) fn flash(line: &str) {
    if stderr().is_terminal() {
        let short: String = line.chars().take(76).collect();
        let _ = write!(stderr().lock(), "\r\x1b[K{short}");
    }
}

/// True where [`flash`] is seen; elsewhere a long wait is told in lines of its own.
pub(crate) fn flashes() -> bool {
    stderr().is_terminal()
}

fn erase() {
    if stderr().is_terminal() {
        let _ = write!(stderr().lock(), "\r\x1b[K");
    }
}

/// A time as people say it: `0.4 s`, `34 s`, `5 min 12 s`.
pub(crate) fn spoken(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..100 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_spoken_in_the_unit_that_fits() {
        assert_eq!(spoken(Duration::from_millis(449)), "0.4 s");
        assert_eq!(spoken(Duration::from_secs(34)), "34 s");
        assert_eq!(spoken(Duration::from_secs(312)), "5 min 12 s");
    }
}
