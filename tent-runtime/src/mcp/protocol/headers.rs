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

use crate::mcp::protocol::rpc_error::RpcError;
use crate::schema::InputSchema;

pub(crate) static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");

/// A header that may stand once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SingleHeader<'a> {
    Absent,
    Is(&'a str),
    /// It stands several times, or has bytes that no value may have.
    Malformed,
}

impl<'a> SingleHeader<'a> {
    pub(crate) fn of(headers: &'a HeaderMap, name: &HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next().map(HeaderValue::to_str), values.next()) {
            (None, _) => SingleHeader::Absent,
            (Some(Ok(value)), None) => SingleHeader::Is(value),
            _ => SingleHeader::Malformed,
        }
    }
}

/// What a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// One of the two types that there can be, by RFC 9110, 12.5.1: without an `Accept` it takes all, the nearest
    /// range decides, and a weight of 0 excludes.
    pub(crate) one: bool,
    /// Event streams, by their name. A range that holds every type is not enough: it comes from tools that read
    /// one text.
    pub(crate) events: bool,
}

/// What the clients of MCP send.
const BOTH: &str = "application/json, text/event-stream";

/// What this client takes.
pub(crate) fn accepted(headers: &HeaderMap) -> Accepted {
    if matches!(SingleHeader::of(headers, &ACCEPT), SingleHeader::Is(BOTH)) {
        return Accepted {
            one: true,
            events: true,
        };
    }
    let mut any = false;
    let mut events = false;
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
        events |= taken && media.eq_ignore_ascii_case("text/event-stream");
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
    Accepted {
        one: !any || nearest.iter().any(|&(_, taken)| taken),
        events,
    }
}

/// Whether a parameter of a range is the weight 0.
fn is_refusal(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
    })
}

/// Checks `Mcp-Method`. `wanted`: it has to be there.
pub(crate) fn method(headers: &HeaderMap, method: &str, wanted: bool) -> Result<(), RpcError> {
    match SingleHeader::of(headers, &METHOD) {
        SingleHeader::Absent if !wanted => Ok(()),
        SingleHeader::Is(value) if value == method => Ok(()),
        found => Err(disagrees("Mcp-Method", found, "method")),
    }
}

/// Checks `Mcp-Name` against what the body names, decoded. `wanted`: it has to be there.
pub(crate) fn name(headers: &HeaderMap, name: &str, wanted: bool) -> Result<(), RpcError> {
    match SingleHeader::of(headers, &NAME) {
        SingleHeader::Absent if !wanted => Ok(()),
        SingleHeader::Is(value) if decoded(value).is_some_and(|value| value == name) => Ok(()),
        found => Err(disagrees("Mcp-Name", found, "name")),
    }
}

fn disagrees(header: &str, found: SingleHeader<'_>, member: &str) -> RpcError {
    match found {
        SingleHeader::Absent => RpcError::mismatch(format_args!("the header {header} is missing.")),
        SingleHeader::Malformed => RpcError::mismatch(format_args!(
            "the header {header} stands twice or has characters that no header may have."
        )),
        SingleHeader::Is(value) => RpcError::mismatch(format_args!(
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
pub(crate) struct MirroredField {
    header: HeaderName,
    /// The keys from the input's root to the field.
    path: Vec<String>,
    /// Whether no text may show what was sent of it.
    secret: bool,
}

impl MirroredField {
    /// Every field of an input that states `x-mcp-header`. Only what `properties` alone lead to has one: any
    /// other is refused with its schema, at start.
    pub(crate) fn all(input: &InputSchema) -> Vec<MirroredField> {
        let mut found = Vec::new();
        collect(input, input.published(), &mut Vec::new(), &mut found);
        found
    }

    /// Checks the header against the input. `wanted`: it has to be there where the input has the field.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        input: &Map<String, Value>,
        wanted: bool,
    ) -> Result<(), RpcError> {
        let found = SingleHeader::of(headers, &self.header);
        let value = self.value(input);
        let agrees = match (&found, value) {
            (SingleHeader::Absent, None | Some(Value::Null)) => true,
            (SingleHeader::Absent, Some(_)) => !wanted,
            (SingleHeader::Malformed, _) | (_, None | Some(Value::Null)) => false,
            // The input's own check names the type that is wrong, which says more.
            (_, Some(Value::Array(_) | Value::Object(_))) => true,
            (SingleHeader::Is(text), Some(value)) => {
                decoded(text).is_some_and(|text| says_same(&text, value))
            }
        };
        if agrees {
            return Ok(());
        }
        let (header, path) = (self.header.as_str(), self.path.join("."));
        Err(match found {
            SingleHeader::Is(_) if self.secret => RpcError::mismatch(format_args!(
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

fn collect(
    input: &InputSchema,
    schema: &Value,
    path: &mut Vec<String>,
    found: &mut Vec<MirroredField>,
) {
    if let Some(header) = schema.get("x-mcp-header").and_then(Value::as_str)
        && let Ok(header) = HeaderName::try_from(format!("mcp-param-{header}"))
    {
        found.push(MirroredField {
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
mod tests;
