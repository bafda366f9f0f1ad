//! The rules for request headers: which types are accepted, and that what headers repeat of the body is
//! what the body says.
//!
//! Reads headers and compares; knows no method and no era beyond what it is handed.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Number, Value};

use super::reply::Refusal;
use crate::schema::InputSchema;

pub(super) static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");

/// A header that may stand once.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Once<'a> {
    Absent,
    Is(&'a str),
    /// It stands several times, or has bytes that no value may have.
    Malformed,
}

impl<'a> Once<'a> {
    pub(super) fn of(headers: &'a HeaderMap, name: &HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next().map(HeaderValue::to_str), values.next()) {
            (None, _) => Once::Absent,
            (Some(Ok(value)), None) => Once::Is(value),
            _ => Once::Malformed,
        }
    }
}

/// Whether the client takes one of the two types that there can be, by RFC 9110, 12.5.1: without an
/// `Accept` it takes all, the nearest range decides, and a weight of 0 excludes.
pub(super) fn accepts(headers: &HeaderMap) -> bool {
    let mut any = false;
    // For JSON and for event streams: how near the nearest range was, and whether it took the type.
    let mut nearest = [(0, false); 2];
    for range in headers
        .get_all(ACCEPT)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("?").split(','))
    {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        if media.is_empty() {
            continue;
        }
        any = true;
        let taken = !parts.any(is_refusal);
        for (best, (kind, full)) in nearest.iter_mut().zip([
            ("application/*", "application/json"),
            ("text/*", "text/event-stream"),
        ]) {
            // A lone asterisk is sent by old HTTP stacks and means every type.
            let near = match media {
                _ if media.eq_ignore_ascii_case(full) => 3,
                _ if media.eq_ignore_ascii_case(kind) => 2,
                "*/*" | "*" => 1,
                _ => continue,
            };
            if near > best.0 {
                *best = (near, taken);
            } else if near == best.0 {
                best.1 |= taken;
            }
        }
    }
    !any || nearest.iter().any(|&(_, taken)| taken)
}

/// Whether the client names event streams among what it takes. A range that holds every type is not
/// enough: it comes from tools that read one text.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    let ranges = headers.get_all(ACCEPT).iter();
    let ranges = ranges.flat_map(|value| value.to_str().unwrap_or("?").split(','));
    let mut taken = false;
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        if parts
            .next()
            .is_some_and(|media| media.eq_ignore_ascii_case("text/event-stream"))
        {
            taken |= !parts.any(is_refusal);
        }
    }
    taken
}

/// Whether a parameter of a range is the weight 0.
fn is_refusal(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
    })
}

/// Checks `Mcp-Method`. `wanted`: it has to be there.
pub(super) fn method(headers: &HeaderMap, method: &str, wanted: bool) -> Result<(), Refusal> {
    match Once::of(headers, &METHOD) {
        Once::Absent if !wanted => Ok(()),
        Once::Is(value) if value == method => Ok(()),
        found => Err(disagrees("Mcp-Method", found, "method")),
    }
}

/// Checks `Mcp-Name` against what the body names, decoded. `wanted`: it has to be there.
pub(super) fn name(headers: &HeaderMap, name: &str, wanted: bool) -> Result<(), Refusal> {
    match Once::of(headers, &NAME) {
        Once::Absent if !wanted => Ok(()),
        Once::Is(value) if decoded(value).is_some_and(|value| value == name) => Ok(()),
        found => Err(disagrees("Mcp-Name", found, "name")),
    }
}

fn disagrees(header: &str, found: Once<'_>, member: &str) -> Refusal {
    match found {
        Once::Absent => Refusal::mismatch(format_args!("the header {header} is missing.")),
        Once::Malformed => Refusal::mismatch(format_args!(
            "the header {header} stands twice or has characters that no header may have."
        )),
        Once::Is(value) => Refusal::mismatch(format_args!(
            "the header {header} says '{value}', the body's {member} says otherwise."
        )),
    }
}

/// The text that a header carries: itself, or what its sentinel form encodes. `None` where that does not
/// decode.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        None => Some(Cow::Borrowed(value)),
        Some(encoded) => {
            let bytes = STANDARD.decode(encoded).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

/// A field of an input that a header repeats.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mirror {
    header: HeaderName,
    /// The keys from the input's root to the field.
    path: Vec<String>,
    /// Whether no text may show what was sent of it.
    secret: bool,
}

impl Mirror {
    /// Every field of an input that states `x-mcp-header`. Only what `properties` alone lead to has one: any
    /// other is refused with its schema, at start.
    pub(super) fn all(input: &InputSchema) -> Vec<Mirror> {
        let mut found = Vec::new();
        collect(input, input.published(), &mut Vec::new(), &mut found);
        found
    }

    /// Checks the header against the input. `wanted`: it has to be there where the input has the field.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        input: &Map<String, Value>,
        wanted: bool,
    ) -> Result<(), Refusal> {
        let found = Once::of(headers, &self.header);
        let value = self.value(input);
        let agrees = match (&found, value) {
            (Once::Absent, None | Some(Value::Null)) => true,
            (Once::Absent, Some(_)) => !wanted,
            (Once::Malformed, _) | (_, None | Some(Value::Null)) => false,
            // The input's own check names the type that is wrong, which says more.
            (_, Some(Value::Array(_) | Value::Object(_))) => true,
            (Once::Is(text), Some(value)) => {
                decoded(text).is_some_and(|text| says_same(&text, value))
            }
        };
        if agrees {
            return Ok(());
        }
        let (header, path) = (self.header.as_str(), self.path.join("."));
        Err(match found {
            Once::Is(_) if self.secret => Refusal::mismatch(format_args!(
                "the header {header} does not say what the body's {path} says."
            )),
            found => disagrees(header, found, &path),
        })
    }

    fn value<'a>(&self, input: &'a Map<String, Value>) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        let first = input.get(first)?;
        rest.iter().try_fold(first, |value, key| value.get(key))
    }
}

fn collect(input: &InputSchema, schema: &Value, path: &mut Vec<String>, found: &mut Vec<Mirror>) {
    if let Some(header) = schema.get("x-mcp-header").and_then(Value::as_str)
        && let Ok(header) = HeaderName::try_from(format!("mcp-param-{header}"))
    {
        found.push(Mirror {
            header,
            path: path.clone(),
            secret: input.is_secret(&path.join(".")),
        });
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, schema) in properties.into_iter().flatten() {
        path.push(key.clone());
        collect(input, schema, path, found);
        path.pop();
    }
}

fn says_same(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => text == value,
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        Value::Number(value) => same_number(text, value),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Integers are compared as numbers, so that `42.0` is 42; exactly, so that two neighbours beyond what a
/// double holds are not the same.
fn same_number(text: &str, value: &Number) -> bool {
    match (text.parse::<i128>(), value.as_i128()) {
        (Ok(text), Some(value)) => text == value,
        _ => text
            .parse::<f64>()
            .is_ok_and(|text| Some(text) == value.as_f64()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde_json::json;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        lines
            .iter()
            .map(|&(name, value)| {
                let value = HeaderValue::from_str(value).expect("a header's value");
                (HeaderName::from_static(name), value)
            })
            .collect()
    }

    #[test]
    fn accept_is_read_by_the_rfc() {
        for lines in [
            &[][..],
            &["*/*"],
            &["*"],
            &[""],
            &["application/*"],
            &["text/*"],
            &["APPLICATION/JSON"],
            &["text/event-stream;q=0.5, application/json"],
            &["application/json", "text/event-stream"],
            &["image/png", "*/*;q=0.1"],
            &["application/json;q=0, */*"],
            &["text/html, application/xhtml+xml, */*;q=0.8"],
        ] {
            let lines: Vec<_> = lines.iter().map(|&line| ("accept", line)).collect();
            assert!(accepts(&headers(&lines)), "{lines:?}");
        }
        for line in [
            "image/png",
            "text/html",
            "*/*;q=0",
            "application/json;q=0.0, text/*; Q=0",
            "application/jsonp",
            "?",
        ] {
            assert!(!accepts(&headers(&[("accept", line)])), "{line}");
        }
    }

    #[test]
    fn method_and_name_have_to_agree_and_may_be_left_out_only_where_they_may() {
        let sent = headers(&[
            ("mcp-method", "tools/call"),
            ("mcp-name", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        ]);
        assert!(method(&sent, "tools/call", true).is_ok());
        assert!(
            method(&sent, "Tools/call", true).is_err(),
            "values have capitals"
        );
        assert!(name(&sent, "Hello, 世界", true).is_ok());
        assert!(
            name(&sent, "=?base64?SGVsbG8sIOS4lueVjA==?=", true).is_err(),
            "it is decoded"
        );
        let none = HeaderMap::new();
        assert!(method(&none, "x", false).is_ok() && method(&none, "x", true).is_err());
        assert!(name(&none, "x", false).is_ok() && name(&none, "x", true).is_err());
        let twice = headers(&[("mcp-name", "a"), ("mcp-name", "a")]);
        assert!(
            name(&twice, "a", false).is_err(),
            "a proxy may read the other one"
        );
        for broken in ["=?base64?!?=", "=?base64?/w==?="] {
            assert!(
                name(&headers(&[("mcp-name", broken)]), broken, true).is_err(),
                "{broken}"
            );
        }
    }

    /// The mirrors of an input with this schema.
    fn mirrors(stated: Value) -> Vec<Mirror> {
        Mirror::all(&InputSchema::of_stated(stated).expect("a schema"))
    }

    #[test]
    fn mirrors_are_found_along_properties() {
        let mut found = mirrors(json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "at": {"type": "object", "properties": {
                "row": {"type": "integer", "x-mcp-header": "Row"}
            }},
            "list": {"type": "array", "items": {"type": "string"}},
        }}));
        found.sort_by(|a, b| a.path.cmp(&b.path));
        let found = found.iter().map(|m| (m.header.as_str(), m.path.join(".")));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                ("mcp-param-row", "at.row".to_owned()),
                ("mcp-param-region", "region".to_owned()),
            ]
        );
    }

    #[test]
    fn what_was_sent_of_a_secret_is_never_shown() {
        let found = mirrors(json!({"type": "object", "properties": {
            "pin": {"type": "string", "x-mcp-header": "Pin", "x-tent-secret": true},
            "card": {"type": "object", "x-tent-secret": true, "properties": {
                "number": {"type": "string", "x-mcp-header": "Card"}
            }},
            "plain": {"type": "string", "x-mcp-header": "Plain"},
        }}));
        let input = json!({
            "pin": "in the body", "card": {"number": "in the body"}, "plain": "in the body"
        });
        let Value::Object(input) = input else {
            panic!("an object")
        };
        let refused: BTreeMap<String, String> = found
            .iter()
            .map(|mirror| {
                let mut sent = HeaderMap::new();
                let value = HeaderValue::from_static("in the header");
                sent.insert(mirror.header.clone(), value);
                let refusal = mirror.check(&sent, &input, true).expect_err("they differ");
                let said = String::from_utf8(refusal.write(None)).expect("a text");
                (mirror.path.join("."), said)
            })
            .collect();
        assert_eq!(refused.len(), 3);
        for path in ["pin", "card.number"] {
            let said = &refused[path];
            assert!(!said.contains("in the"), "{said}");
            assert!(said.contains(&format!("the body's {path} says")), "{said}");
        }
        assert!(refused["plain"].contains("says 'in the header'"));
    }

    #[test]
    fn a_mirrored_field_is_compared_by_its_type() {
        let mirror = Mirror {
            header: HeaderName::from_static("mcp-param-x"),
            path: vec!["x".to_owned()],
            secret: false,
        };
        let check = |header: Option<&str>, input: Value, wanted| {
            let sent = headers(
                &header
                    .map(|h| ("mcp-param-x", h))
                    .into_iter()
                    .collect::<Vec<_>>(),
            );
            let Value::Object(input) = input else {
                panic!("an object")
            };
            mirror.check(&sent, &input, wanted).is_ok()
        };
        for (header, value) in [
            ("us", json!("us")),
            ("=?base64?IHBhZGRlZCA=?=", json!(" padded ")),
            ("42", json!(42)),
            ("42.0", json!(42)),
            ("42", json!(42.0)),
            ("-7", json!(-7)),
            ("true", json!(true)),
            ("whatever", json!([1])),
        ] {
            assert!(
                check(Some(header), json!({"x": value}), true),
                "{header} {value}"
            );
        }
        for (header, value) in [
            ("US", json!("us")),
            ("43", json!(42)),
            ("9007199254740993", json!(9_007_199_254_740_992_u64)),
            ("True", json!(true)),
            ("us", json!(null)),
        ] {
            assert!(
                !check(Some(header), json!({"x": value}), false),
                "{header} {value}"
            );
        }
        assert!(
            !check(Some("us"), json!({}), false),
            "a header without its field"
        );
        assert!(check(None, json!({}), true) && check(None, json!({"x": null}), true));
        assert!(
            !check(None, json!({"x": "us"}), true),
            "required in the modern era"
        );
        assert!(check(None, json!({"x": "us"}), false));
    }
}
