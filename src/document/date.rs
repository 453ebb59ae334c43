//! Dates and times as YAML 1.1 spells them: whether they exist, and how Python prints them.

use std::fmt::Write;

/// A date, with a time of day where one is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    year: u32,
    month: u32,
    day: u32,
    time: Option<Time>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Time {
    hour: u32,
    minute: u32,
    second: u32,
    microsecond: u32,
    /// Minutes east of Greenwich.
    zone: Option<i32>,
}

impl Date {
    /// Reads a date of the calendar; nothing for another spelling and for a day or time that does not exist.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = Rest(text);
        let year = rest.number(4, 4)?;
        let month = rest.symbol("-").and_then(|()| rest.number(1, 2))?;
        let day = rest.symbol("-").and_then(|()| rest.number(1, 2))?;
        let time = if rest.0.is_empty() { None } else { Some(rest.time()?) };
        let date = Self { year, month, day, time };
        (rest.0.is_empty() && date.exists()).then_some(date)
    }

    fn exists(&self) -> bool {
        let leap = self.year.is_multiple_of(4) && !self.year.is_multiple_of(100) || self.year.is_multiple_of(400);
        let days = match self.month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return false,
        };
        let day_exists = self.year >= 1 && (1..=days).contains(&self.day);
        day_exists && self.time.is_none_or(Time::exists)
    }

    /// Python's `str()` of the date or datetime.
    pub(super) fn to_python_text(self) -> String {
        let mut text = format!("{:04}-{:02}-{:02}", self.year, self.month, self.day);
        if let Some(time) = self.time {
            time.append(&mut text);
        }
        text
    }
}

impl Time {
    /// Python takes offsets below a day.
    fn exists(self) -> bool {
        let zone_exists = self.zone.is_none_or(|minutes| minutes.abs() < 24 * 60);
        self.hour < 24 && self.minute < 60 && self.second < 60 && zone_exists
    }

    fn append(self, text: &mut String) {
        let _ = write!(text, " {:02}:{:02}:{:02}", self.hour, self.minute, self.second);
        if self.microsecond > 0 {
            let _ = write!(text, ".{:06}", self.microsecond);
        }
        if let Some(minutes) = self.zone {
            let sign = if minutes < 0 { '-' } else { '+' };
            let _ = write!(text, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
        }
    }
}

/// What is still to be read.
struct Rest<'t>(&'t str);

impl Rest<'_> {
    fn symbol(&mut self, symbol: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(symbol)?;
        Some(())
    }

    fn number(&mut self, at_least: usize, at_most: usize) -> Option<u32> {
        let digits = self.0.bytes().take(at_most).take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        if digits < at_least { None } else { number.parse().ok() }
    }

    fn blanks(&mut self) -> usize {
        let trimmed = self.0.trim_start_matches([' ', '\t']);
        let count = self.0.len() - trimmed.len();
        self.0 = trimmed;
        count
    }

    fn time(&mut self) -> Option<Time> {
        if self.symbol("T").or_else(|| self.symbol("t")).is_none() && self.blanks() == 0 {
            return None;
        }
        let hour = self.number(1, 2)?;
        let minute = self.symbol(":").and_then(|()| self.number(2, 2))?;
        let second = self.symbol(":").and_then(|()| self.number(2, 2))?;
        let microsecond = if self.symbol(".").is_some() { self.microseconds() } else { 0 };
        let zone = if self.0.is_empty() { None } else { Some(self.zone()?) };
        Some(Time { hour, minute, second, microsecond, zone })
    }

    /// Six digits count, whatever their number.
    fn microseconds(&mut self) -> u32 {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let (fraction, rest) = self.0.split_at(digits);
        self.0 = rest;
        format!("{:0<6}", &fraction[..digits.min(6)]).parse().unwrap_or(0)
    }

    /// Minutes east of Greenwich.
    fn zone(&mut self) -> Option<i32> {
        self.blanks();
        if self.symbol("Z").is_some() {
            return Some(0);
        }
        let sign = if self.symbol("-").is_some() { -1 } else { self.symbol("+").map(|()| 1)? };
        let hours = self.number(1, 2)?;
        let minutes = if self.symbol(":").is_some() { self.number(2, 2)? } else { 0 };
        i32::try_from(hours * 60 + minutes).ok().map(|minutes| sign * minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn prints_dates_as_python_does() {
        for (spelling, printed) in [
            ("2025-01-01", "2025-01-01"),
            ("2024-02-29", "2024-02-29"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.100000-05:00"),
            ("2001-12-14 21:59:43.1 -5", "2001-12-14 21:59:43.100000-05:00"),
            ("2001-12-15T02:59:43.1234567Z", "2001-12-15 02:59:43.123456+00:00"),
            ("2001-1-5 2:59:43", "2001-01-05 02:59:43"),
            ("2001-12-14 21:59:43. +0:30", "2001-12-14 21:59:43+00:30"),
        ] {
            assert_eq!(Date::parse(spelling).map(Date::to_python_text).as_deref(), Some(printed), "{spelling}");
        }
    }

    #[test]
    fn refuses_days_and_times_that_do_not_exist() {
        for spelling in ["2025-02-29", "2025-13-01", "0000-01-01", "2025-01-00", "2025-01-01 24:00:00"] {
            assert_eq!(Date::parse(spelling), None, "{spelling}");
        }
        for spelling in ["2025-01-01 10:00:60", "2025-01-01 10:00:00+24:00", "2025-01-01 10:00:00 x", "1900-02-29"] {
            assert_eq!(Date::parse(spelling), None, "{spelling}");
        }
    }
}
