//! The string formats that forms may have: `email`, `uri`, `date` and `date-time`. Checks the syntax alone.
//! Must accept everything that the format's specification allows.

/// A string format of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Format {
    /// The format with this name.
    pub(in crate::schema) fn find(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Format::Email),
            "uri" => Some(Format::Uri),
            "date" => Some(Format::Date),
            "date-time" => Some(Format::DateTime),
            _ => None,
        }
    }

    pub(in crate::schema) fn matches(self, text: &str) -> bool {
        match self {
            Format::Email => is_email(text),
            Format::Uri => is_uri(text),
            Format::Date => is_date(text),
            Format::DateTime => is_date_time(text),
        }
    }

    /// The format as the end of "must be".
    pub(super) fn description(self) -> &'static str {
        match self {
            Format::Email => "an email address",
            Format::Uri => "a URI with a scheme, such as https://example.com",
            Format::Date => "a date, such as 2026-05-28",
            Format::DateTime => "a date and time with an offset, such as 2026-05-28T20:26:40Z",
        }
    }
}

/// A mailbox (RFC 5321, 4.1.2; with other than ASCII, RFC 6531). Whether a domain can be is not asked.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_domain = match domain
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(address) => !address.is_empty() && !address.contains(is_no_text),
        None => is_dotted(domain, is_no_text_of_mail),
    };
    let quoted = local
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    is_domain
        && match quoted {
            Some(quoted) => is_quoted(quoted),
            None => is_dotted(local, is_no_text_of_mail),
        }
}

/// Parts with a dot between each two, and none of them empty.
fn is_dotted(text: &str, strange: impl Fn(char) -> bool + Copy) -> bool {
    let mut parts = text.split('.');
    parts.all(|part| !part.is_empty() && !part.contains(strange))
}

/// The inside of a quoted text, where a backslash stands before what means something else.
fn is_quoted(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let fits = match character {
            '\\' => characters.next().is_some_and(|next| !next.is_control()),
            '"' => false,
            other => !other.is_control(),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_no_text(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

fn is_no_text_of_mail(character: char) -> bool {
    is_no_text(character) || r#"()<>[]:;@\,""#.contains(character)
}

/// A scheme and what it names (RFC 3986, 3). Other than ASCII is let pass, since people and browsers write it.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut scheme = scheme.bytes();
    let is_scheme = scheme
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && scheme.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let strange = |character: char| is_no_text(character) || r#""<>\^`{|}"#.contains(character);
    let mut escaped = rest.split('%').skip(1);
    let is_escaped = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    is_scheme && !rest.contains(strange) && escaped.all(is_escaped)
}

/// A number of so many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// `full_validator-date` of RFC 3339, 5.6.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut next = |count| digits(parts.next()?, count);
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `date-time` of RFC 3339, 5.6.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else {
        return false;
    };
    is_date(date) && is_time(time).is_some()
}

/// `full_validator-time` of RFC 3339, 5.6: a time of a day, and its offset from UTC.
fn is_time(text: &str) -> Option<()> {
    const DAY: u32 = 24 * 60;
    let (time, offset) = match text.strip_suffix(['Z', 'z']) {
        Some(time) => (time, 0),
        None => {
            let (time, offset) = text.split_at(text.rfind(['+', '-'])?);
            let is_ahead = offset.starts_with('+');
            let (hours, minutes) = offset.trim_start_matches(['+', '-']).split_once(':')?;
            let hours = digits(hours, 2).filter(|hours| *hours < 24)?;
            let minutes = digits(minutes, 2).filter(|minutes| *minutes < 60)?;
            let offset = hours * 60 + minutes;
            // As what is added to come to UTC.
            (time, if is_ahead { DAY - offset } else { offset })
        }
    };
    let (time, fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, Some(fraction)),
        None => (time, None),
    };
    let is_fraction =
        |fraction: &str| !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = time.splitn(3, ':');
    let mut next = || digits(parts.next()?, 2);
    let hours = next().filter(|hours| *hours < 24)?;
    let minutes = next().filter(|minutes| *minutes < 60)?;
    let seconds = next()?;
    let in_utc = (hours * 60 + minutes + offset) % DAY;
    // A leap second is the last of a day in UTC.
    let max = if in_utc == DAY - 1 { 60 } else { 59 };
    (seconds <= max && fraction.is_none_or(is_fraction)).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(format.matches(text), "{format:?} {text:?}");
        }
        for text in bad {
            assert!(!format.matches(text), "{format:?} {text:?}");
        }
    }

    #[test]
    fn an_email_address_is_a_mailbox() {
        let good = [
            "ada@example.com",
            "a@b",
            "ada.lovelace+tent@mail.example.co.uk",
            "!#$%&'*+/=?^_`{|}~-@example.com",
            r#""ada lovelace"@example.com"#,
            r#""a\"b@c"@example.com"#,
            "ada@[192.0.2.1]",
            "ada@[IPv6:2001:db8::1]",
            "jürgen@bücher.example",
        ];
        let bad = [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@@example.com",
            "ada lovelace@example.com",
            "ada@exam ple.com",
            ".ada@example.com",
            "ada.@example.com",
            "a..b@example.com",
            "ada@example..com",
            "ada@.example.com",
            "Ada <ada@example.com>",
            "ada@example.com, b@example.com",
            "ada@example.com\n",
            "ada@[]",
            r#""a"b"@example.com"#,
            r#""a\"@example.com"#,
            "\"@example.com",
        ];
        check(Format::Email, &good, &bad);
    }

    #[test]
    fn a_uri_has_a_scheme_and_no_character_that_has_to_be_escaped() {
        let good = [
            "https://example.com",
            "https://ada:pw@[::1]:8080/a/b?c=d&e=%20#f",
            "mailto:ada@example.com",
            "urn:isbn:0451450523",
            "file:///etc/hosts",
            "data:,a",
            "a+b-c.1:",
            "https://bücher.example/ä",
        ];
        let bad = [
            "",
            "example.com",
            "/a/b",
            "//example.com",
            "://example.com",
            "1a:b",
            "ä:b",
            "https://exam ple.com",
            "https://example.com/\n",
            "https://example.com/<a>",
            "https://example.com/{id}",
            "https://example.com/%",
            "https://example.com/%2",
            "https://example.com/%zz",
            "https://example.com/%ä",
        ];
        check(Format::Uri, &good, &bad);
    }

    #[test]
    fn a_date_is_a_day_that_there_is() {
        let good = [
            "2026-05-28",
            "0000-01-01",
            "9999-12-31",
            "2024-02-29",
            "2000-02-29",
            "2026-04-30",
        ];
        let bad = [
            "",
            "2026-5-28",
            "26-05-28",
            "2026-00-01",
            "2026-13-01",
            "2026-05-00",
            "2026-05-32",
            "2026-04-31",
            "2026-02-29",
            "1900-02-29",
            "2026-05-28Z",
            "2026-05",
            "+026-05-28",
            "2026-+5-28",
            "28.05.2026",
            "２０２６-05-28",
            " 2026-05-28",
        ];
        check(Format::Date, &good, &bad);
    }

    #[test]
    fn a_date_and_a_time_have_an_offset() {
        let good = [
            "2026-05-28T20:26:40Z",
            "2026-05-28t20:26:40z",
            "2026-05-28T20:26:40.123456789012+02:00",
            "2026-05-28T00:00:00-00:00",
            "2026-05-28T23:59:59+23:59",
            "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1991-01-01T00:59:60.5+01:00",
        ];
        let bad = [
            "",
            "2026-05-28",
            "20:26:40Z",
            "2026-05-28T20:26:40",
            "2026-05-28T20:26Z",
            "2026-05-28T24:00:00Z",
            "2026-05-28T20:60:40Z",
            "2026-05-28T20:26:60Z",
            "2026-05-28T23:59:61Z",
            "2026-05-28T20:26:40.Z",
            "2026-05-28T20:26:40,5Z",
            "2026-05-28T20:26:40+2:00",
            "2026-05-28T20:26:40+02",
            "2026-05-28T20:26:40+24:00",
            "2026-05-28T20:26:40+02:60",
            "2026-02-30T20:26:40Z",
            "2026-05-28T20:26:40Zz",
            "2026-05-28T20:26:40é",
        ];
        check(Format::DateTime, &good, &bad);
    }
}
