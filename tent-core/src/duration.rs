//! Parses durations: the one syntax of `timeout = "5s"` in attributes and of settings such as `limits.call_timeout`.

use std::fmt;
use std::time::Duration;

/// The units, as errors list them. `min` may be written `m`, and `d` may be written `day`.
pub const UNITS: &str = "ms, s, min, h, d";

/// How to write a duration, for the fix of an error.
pub const EXAMPLES: &str = "500ms, 30s, 5min or 24h";

/// Why a text is not a valid duration. `Display` gives the end of a sentence about the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidDuration {
    /// The text does not start with a whole number.
    NoNumber,
    /// The number has no unit.
    NoUnit,
    /// The unit is not one of [`UNITS`].
    UnknownUnit,
    /// The duration is over 64 bits of milliseconds.
    TooLong,
    /// The duration is zero, where zero is not allowed.
    Zero,
}

impl fmt::Display for InvalidDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidDuration::NoNumber => f.write_str("does not start with a whole number"),
            InvalidDuration::NoUnit => write!(f, "has no unit ({UNITS})"),
            InvalidDuration::UnknownUnit => {
                write!(f, "has an unknown unit (the units are {UNITS})")
            }
            InvalidDuration::TooLong => f.write_str("is too long"),
            InvalidDuration::Zero => f.write_str("must be greater than zero"),
        }
    }
}

impl std::error::Error for InvalidDuration {}

/// Parses a whole number and a unit. Spaces around both are allowed, and so is zero.
///
/// ```
/// use std::time::Duration;
/// use tent_core::duration::{InvalidDuration, parse};
/// assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
/// assert_eq!(parse("5m"), parse("5 min"));
/// assert_eq!(parse("30"), Err(InvalidDuration::NoUnit));
/// ```
///
/// # Errors
/// Every [`InvalidDuration`] except `Zero`.
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() {
        return Err(InvalidDuration::NoNumber);
    }
    let unit = match unit.trim_start() {
        "" => return Err(InvalidDuration::NoUnit),
        unit => unit_millis(unit).ok_or(InvalidDuration::UnknownUnit)?,
    };
    let number = number.parse::<u64>().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .map(Duration::from_millis)
        .ok_or(InvalidDuration::TooLong)
}

/// Parses a duration that must be greater than zero.
///
/// ```
/// use tent_core::duration::{InvalidDuration, parse_positive};
/// assert_eq!(parse_positive("0s"), Err(InvalidDuration::Zero));
/// ```
///
/// # Errors
/// Every [`InvalidDuration`].
pub fn parse_positive(text: &str) -> Result<Duration, InvalidDuration> {
    match parse(text)? {
        Duration::ZERO => Err(InvalidDuration::Zero),
        duration => Ok(duration),
    }
}

/// The milliseconds of a unit. Rates use the same units.
pub(crate) fn unit_millis(unit: &str) -> Option<u64> {
    Some(match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" | "day" => 86_400_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_its_length() {
        for (text, millis) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("5min", 300_000),
            ("5m", 300_000),
            (" 5 m ", 300_000),
            ("24h", 86_400_000),
            ("90d", 7_776_000_000),
            ("1 day", 86_400_000),
            ("0s", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn an_invalid_duration_says_what_is_wrong() {
        for (text, wrong) in [
            ("", InvalidDuration::NoNumber),
            ("s", InvalidDuration::NoNumber),
            ("-1s", InvalidDuration::NoNumber),
            ("30", InvalidDuration::NoUnit),
            ("1.5s", InvalidDuration::UnknownUnit),
            ("5 weeks", InvalidDuration::UnknownUnit),
            ("18446744073709551615d", InvalidDuration::TooLong),
            ("99999999999999999999s", InvalidDuration::TooLong),
            ("0h", InvalidDuration::Zero),
        ] {
            assert_eq!(parse_positive(text), Err(wrong), "{text}");
        }
    }
}
