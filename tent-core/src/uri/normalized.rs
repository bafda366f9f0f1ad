//! The form that equal URIs share. Must not know templates.

use std::borrow::Cow;

/// A URI in the form that all URIs of the same resource have (RFC 3986, section 6.2.2): the scheme in lowercase, the hex
/// digits of percent-escapes in uppercase, and no escape of a letter, a digit, `-`, `.`, `_` or `~`.
///
/// Dot segments stay, and so does the case of a host: many schemes have neither.
///
/// ```
/// use tent_core::uri::normalized;
/// assert_eq!(normalized("Notes://%c3%a9%2f%7e%41"), "notes://%C3%A9%2F~A");
/// assert_eq!(normalized("notes://Home/%2561%zz%"), "notes://Home/%2561%zz%");
/// ```
pub fn normalized(uri: &str) -> Cow<'_, str> {
    let escapes = normalized_escapes(uri);
    match escapes.split_once(':') {
        Some((scheme, rest)) if scheme.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            Cow::Owned(format!("{}:{rest}", scheme.to_ascii_lowercase()))
        }
        _ => escapes,
    }
}

/// The same of a part of a URI without its scheme.
pub(super) fn normalized_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let digits = after.get(..2);
        let byte = digits.and_then(|digits| {
            let are_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            u8::from_str_radix(digits, 16).ok().filter(|_| are_hex)
        });
        let Some(byte) = byte else {
            out.push('%');
            rest = after;
            continue;
        };
        match byte {
            b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        rest = &after[2..];
    }
    out.push_str(rest);
    out.into()
}
