//! The string formats whose syntax is checked: those that forms may have (`email`, `uri`, `date` and `date-time`), and others
//! that explain why a type rejects a text.
//! Must accept everything that the format's specification allows.

use crate::clock;

/// A string format of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum Format {
    Email,
    Uri,
    Date,
    DateTime,
    Uuid,
    Ipv4,
    Ipv6,
}

impl Format {
    /// The format with this name.
    pub(in crate::schema) fn find(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Format::Email),
            "uri" => Some(Format::Uri),
            "date" => Some(Format::Date),
            "date-time" => Some(Format::DateTime),
            "uuid" => Some(Format::Uuid),
            "ipv4" => Some(Format::Ipv4),
            "ipv6" => Some(Format::Ipv6),
            _ => None,
        }
    }

    /// Whether a form may have it (client/elicitation, Requested Schema).
    pub(in crate::schema) fn is_of_forms(self) -> bool {
        matches!(
            self,
            Format::Email | Format::Uri | Format::Date | Format::DateTime
        )
    }

    pub(in crate::schema) fn matches(self, text: &str) -> bool {
        match self {
            Format::Email => is_email(text),
            Format::Uri => is_uri(text),
            Format::Date => clock::is_date(text),
            Format::DateTime => clock::is_date_time(text),
            Format::Uuid => is_uuid(text),
            Format::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<std::net::Ipv6Addr>().is_ok(),
        }
    }

    /// The format as the end of "must be".
    pub(super) fn description(self) -> &'static str {
        match self {
            Format::Email => "an email address",
            Format::Uri => "a URI with a scheme, such as https://example.com",
            Format::Date => "a date, such as 2026-05-28",
            Format::DateTime => "a date and time with an offset, such as 2026-05-28T20:26:40Z",
            Format::Uuid => "a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8",
            Format::Ipv4 => "an IPv4 address, such as 192.0.2.1",
            Format::Ipv6 => "an IPv6 address, such as 2001:db8::1",
        }
    }
}

/// Whether a text is a UUID (RFC 9562, section 4).
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    lengths.eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Whether a text is a mailbox (RFC 5321, 4.1.2; characters beyond ASCII, RFC 6531). The domain need not exist.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_domain = match domain
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(address) => !address.is_empty() && !address.contains(is_space_or_control),
        None => is_dotted(domain, is_outside_atom),
    };
    let quoted = local
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    is_domain
        && match quoted {
            Some(quoted) => is_quoted(quoted),
            None => is_dotted(local, is_outside_atom),
        }
}

/// Whether a text is a list of parts that are separated by dots, none of them empty.
fn is_dotted(text: &str, invalid: impl Fn(char) -> bool + Copy) -> bool {
    let mut parts = text.split('.');
    parts.all(|part| !part.is_empty() && !part.contains(invalid))
}

/// Whether a text can stand between quotes: a backslash escapes the character after it.
fn is_quoted(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let is_valid = match character {
            '\\' => characters.next().is_some_and(|next| !next.is_control()),
            '"' => false,
            other => !other.is_control(),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

fn is_space_or_control(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

fn is_outside_atom(character: char) -> bool {
    is_space_or_control(character) || r#"()<>[]:;@\,""#.contains(character)
}

/// Whether a text is a URI with a scheme (RFC 3986, 3). Characters beyond ASCII are valid, since people and browsers write
/// them.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut scheme = scheme.bytes();
    let is_scheme = scheme
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && scheme.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_invalid =
        |character: char| is_space_or_control(character) || r#""<>\^`{|}"#.contains(character);
    let mut escaped = rest.split('%').skip(1);
    let is_escaped = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    is_scheme && !rest.contains(is_invalid) && escaped.all(is_escaped)
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
