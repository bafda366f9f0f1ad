//! Parses rate limits such as `10/min`: the one syntax of `limit = "…"` in attributes and of settings.

use std::fmt;
use std::time::Duration;

use crate::duration::unit_millis;

/// The units, as errors list them: those of durations, without milliseconds.
pub const UNITS: &str = "s, min, h, d";

/// How to write a rate, for the fix of an error.
pub const EXAMPLES: &str = "5/s, 10/min, 100/h or 1000/d";

/// A number of calls in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The number of calls, at least 1.
    pub calls: u32,
    /// The period: one unit of time.
    pub period: Duration,
}

/// Why a text is not a valid rate. `Display` gives the end of a sentence about the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidRate {
    /// The text has no `/`.
    NoSlash,
    /// The text does not start with a whole number.
    NoNumber,
    /// The unit is not one of [`UNITS`].
    UnknownUnit,
    /// The number is over 32 bits.
    TooLarge,
    /// The number is zero.
    Zero,
}

impl fmt::Display for InvalidRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidRate::NoSlash => f.write_str("has no `/`"),
            InvalidRate::NoNumber => f.write_str("does not start with a whole number"),
            InvalidRate::UnknownUnit => write!(f, "has an unknown unit (the units are {UNITS})"),
            InvalidRate::TooLarge => f.write_str("is too large"),
            InvalidRate::Zero => f.write_str("must be greater than zero"),
        }
    }
}

impl std::error::Error for InvalidRate {}

/// Parses a whole number, a `/` and a unit of time.
///
/// ```
/// use std::time::Duration;
/// use tent_core::rate::{InvalidRate, Rate, parse};
/// assert_eq!(parse("10/min"), Ok(Rate { calls: 10, period: Duration::from_secs(60) }));
/// assert_eq!(parse("0/s"), Err(InvalidRate::Zero));
/// ```
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn parse(text: &str) -> Result<Rate, InvalidRate> {
    let (number, unit) = text.split_once('/').ok_or(InvalidRate::NoSlash)?;
    let period = match unit.trim() {
        "ms" => None,
        unit => unit_millis(unit).map(Duration::from_millis),
    };
    let period = period.ok_or(InvalidRate::UnknownUnit)?;
    let number = number.trim();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidRate::NoNumber);
    }
    match number.parse() {
        Ok(0) => Err(InvalidRate::Zero),
        Ok(calls) => Ok(Rate { calls, period }),
        Err(_) => Err(InvalidRate::TooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_rate_says_what_is_wrong() {
        for (text, wrong) in [
            ("10", InvalidRate::NoSlash),
            ("/s", InvalidRate::NoNumber),
            ("-1/s", InvalidRate::NoNumber),
            ("10/ms", InvalidRate::UnknownUnit),
            ("10/week", InvalidRate::UnknownUnit),
            ("10/", InvalidRate::UnknownUnit),
            ("99999999999/s", InvalidRate::TooLarge),
            ("0/day", InvalidRate::Zero),
        ] {
            assert_eq!(parse(text), Err(wrong), "{text}");
        }
        for text in ["10/m", "10 / min"] {
            assert_eq!(parse(text), parse("10/min"), "{text}");
        }
    }
}
