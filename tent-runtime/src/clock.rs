//! [`Time`], a point in time, and [`Clock`], which gives the current one.
//!
//! Code whose result depends on the time (keys that expire, sessions that end) takes a `Clock`, so that tests can set it.
//! Nothing here waits or measures durations.

use std::fmt;
use std::time::{Duration, SystemTime};

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
        let seconds = self.0.div_euclid(1000);
        let (year, month, day) = date(seconds.div_euclid(86_400));
        let second = seconds.rem_euclid(86_400);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The Gregorian date of a day, counted from 1970-01-01. Years start in March, so that the leap day is the last day of the
/// year and the months before it always start on the same day.
fn date(days_since_1970: i64) -> (i64, i64, i64) {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    const FROM_MARCH_OF_YEAR_0_TO_1970: i64 = 719_468;
    let days = days_since_1970.saturating_add(FROM_MARCH_OF_YEAR_0_TO_1970);
    let (cycle, day) = (
        days.div_euclid(DAYS_IN_400_YEARS),
        days.rem_euclid(DAYS_IN_400_YEARS),
    );
    // A leap day ends every 1,461 days, except every 36,524 days, except every 146,097 days.
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    // Any five consecutive months from March on have 153 days.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = cycle * 400 + year + i64::from(month <= 2);
    (year, month, day_of_month)
}

/// Whether a text is a time of RFC 3339 in upper case, with seconds and an offset. Clients that expect ISO 8601 accept this
/// form.
pub(crate) fn is_rfc3339(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else {
        return false;
    };
    let (time, offset) = match time.strip_suffix('Z') {
        Some(time) => (time, None),
        None => match time.rfind(['+', '-']) {
            Some(at) => (&time[..at], Some(&time[at + 1..])),
            None => return false,
        },
    };
    let (time, fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, Some(fraction)),
        None => (time, None),
    };
    let (Some([year, month, day]), Some([hour, minute, second])) =
        (numbers(date, '-', [4, 2, 2]), numbers(time, ':', [2, 2, 2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u16::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    let of_day = |hour, minute| hour < 24 && minute < 60;
    (1..=days).contains(&day)
        && of_day(hour, minute)
        // Many parsers reject leap seconds.
        && second < 60
        && fraction.is_none_or(|digits| {
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        })
        && offset.is_none_or(|offset| {
            numbers(offset, ':', [2, 2]).is_some_and(|[hour, minute]| of_day(hour, minute))
        })
}

/// Parses numbers with these counts of digits, separated by `between`.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[u16; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        *number = part
            .bytes()
            .all(|digit| digit.is_ascii_digit())
            .then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(found)
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
            assert!(is_rfc3339(time), "{time}");
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
            assert!(!is_rfc3339(other), "{other}");
        }
    }
}
