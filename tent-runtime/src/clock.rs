//! [`Time`], a point in time, and [`Clock`], which gives the current one.
//!
//! Code whose result depends on the time (keys that expire, sessions that end) takes a `Clock`, so that tests can set it.
//! Nothing here waits or measures durations.

use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use regex::Regex;

/// A point in time: milliseconds since 1970-01-01 00:00 UTC. `Display` gives RFC 3339 in UTC, in whole seconds.
///
/// ```
/// use tent::Time;
/// assert_eq!(Time::from_millis(1_780_000_000_000).to_string(), "2026-05-28T20:26:40Z");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// Makes a time from milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Time(millis)
    }

    /// The milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The time `after` this one, or the last representable time.
    #[must_use]
    pub fn plus(self, after: Duration) -> Self {
        Time(
            self.0
                .saturating_add(i64::try_from(after.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The duration since `earlier`; `None` if this time is before `earlier`, which happens when a clock is set back.
    pub fn since(self, earlier: Time) -> Option<Duration> {
        let millis = self.0.checked_sub(earlier.0)?;
        u64::try_from(millis).ok().map(Duration::from_millis)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A time beyond the years of jiff is written as its last one.
        let seconds = self.0.div_euclid(1000);
        let (first, last) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        match Timestamp::from_second(seconds.clamp(first, last)) {
            Ok(time) => fmt::Display::fmt(&time, f),
            Err(_) => Err(fmt::Error),
        }
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The shape of a `date-time` of RFC 3339, 5.6: date, hours and minutes, seconds, offset. jiff also reads other forms of
/// ISO 8601, and at most nine digits of a fraction.
static DATE_TIME: LazyLock<Regex> = LazyLock::new(|| {
    let shape = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}):([0-9]{2})(?:\.[0-9]+)?([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$";
    Regex::new(shape).expect("the pattern is valid")
});

/// Whether a text is a `full-date` of RFC 3339.
pub(crate) fn is_date(text: &str) -> bool {
    // jiff also reads years with a sign and dates without hyphens.
    text.len() == "2026-05-28".len() && text.as_bytes()[4] == b'-' && text.parse::<Date>().is_ok()
}

/// Whether a text is a `date-time` of RFC 3339.
pub(crate) fn is_date_time(text: &str) -> bool {
    let Some((_, [date, minute, second, offset])) =
        DATE_TIME.captures(text).map(|parts| parts.extract())
    else {
        return false;
    };
    match second {
        // A leap second is the last second of a day in UTC. jiff reads it as second 59.
        "60" => format!("{date}T{minute}:60{offset}")
            .parse::<Timestamp>()
            .is_ok_and(|time| time.as_second().rem_euclid(86_400) == 86_399),
        _ => format!("{date}T{minute}:{second}")
            .parse::<DateTime>()
            .is_ok(),
    }
}

/// Whether a text is a `date-time` of RFC 3339 that parsers of ISO 8601 accept too: in upper case, without a leap second.
pub(crate) fn is_common_date_time(text: &str) -> bool {
    is_date_time(text) && !text.contains(['t', 'z']) && text.get(17..19) != Some("60")
}

/// Gives the current time.
pub(crate) trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Time;
}

/// The clock of the operating system. It can be set back, so a later call can return an earlier time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let millis = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |m| -m),
        };
        Time(millis)
    }
}

/// A clock that only tests advance.
#[cfg(test)]
pub(crate) struct StillClock(std::sync::atomic::AtomicI64);

#[cfg(test)]
impl StillClock {
    pub(crate) fn at(millis: i64) -> std::sync::Arc<Self> {
        std::sync::Arc::new(StillClock(millis.into()))
    }

    pub(crate) fn go_on(&self, millis: i64) {
        self.0
            .fetch_add(millis, std::sync::atomic::Ordering::SeqCst);
    }
}

#[cfg(test)]
impl Clock for StillClock {
    fn now(&self) -> Time {
        Time(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_displays_as_rfc_3339() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
        ] {
            assert_eq!(Time::from_millis(seconds * 1000).to_string(), shown);
        }
    }

    #[test]
    fn the_first_and_last_time_do_not_overflow() {
        for millis in [i64::MIN, i64::MAX] {
            assert!(Time::from_millis(millis).to_string().ends_with('Z'));
        }
        let last = Time::from_millis(i64::MAX);
        assert_eq!(last.plus(Duration::MAX), last);
        assert_eq!(last.since(Time::from_millis(i64::MIN)), None);
        assert_eq!(Time::from_millis(5).since(Time::from_millis(6)), None);
    }
    #[test]
    fn accepts_exactly_the_times_of_rfc_3339() {
        for time in [
            "2025-01-12T15:00:58Z",
            "2025-01-12T15:00:58.1234567890Z",
            "2024-02-29T00:00:00+14:00",
            "2000-02-29T23:59:59-23:59",
            "0000-12-31T00:00:00.0+00:00",
        ] {
            assert!(is_common_date_time(time), "{time}");
        }
        for other in [
            "",
            "yesterday",
            "T",
            "TZ",
            "2025-01-12",
            "2025-01-12T15:00:58",
            "2025-01-12T15:00Z",
            "2025-01-12 15:00:58Z",
            "2025-01-12t15:00:58z",
            "2025-1-12T15:00:58Z",
            "+025-01-12T15:00:58Z",
            "12025-01-12T15:00:58Z",
            "2025-13-12T15:00:58Z",
            "2025-00-12T15:00:58Z",
            "2025-02-29T15:00:58Z",
            "1900-02-29T15:00:58Z",
            "2025-04-31T15:00:58Z",
            "2025-01-00T15:00:58Z",
            "2025-01-12T24:00:00Z",
            "2025-01-12T15:60:00Z",
            "2025-01-12T15:00:60Z",
            "2025-01-12T15:00:58.Z",
            "2025-01-12T15:00:58,5Z",
            "2025-01-12T15:00:58+24:00",
            "2025-01-12T15:00:58+01",
            "2025-01-12T15:00:58+0100",
            "2025-01-12T15:00:58ZZ",
            "2025-01-12T15:00:58Z+01:00",
            "2025-01-12T15:00:5\u{665}Z",
        ] {
            assert!(!is_common_date_time(other), "{other}");
        }
    }
}
