//! The rules for request headers: the media types that a client accepts, and the headers that repeat parts of the body.
//! Must not know methods or eras.

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

/// A header that a request may have once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SingleHeader<'a> {
    Absent,
    Valid(&'a str),
    /// The header is repeated, or its value is not visible ASCII.
    Malformed,
}

impl<'a> SingleHeader<'a> {
    pub(crate) fn of(headers: &'a HeaderMap, name: &HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next().map(HeaderValue::to_str), values.next()) {
            (None, _) => SingleHeader::Absent,
            (Some(Ok(value)), None) => SingleHeader::Valid(value),
            _ => SingleHeader::Malformed,
        }
    }
}

/// The media types that a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// Whether the client accepts JSON or event streams (RFC 9110, section 12.5.1): it accepts everything without
    /// `Accept`, the most specific range decides, and a weight of 0 excludes.
    pub(crate) any: bool,
    /// Whether the client names event streams. A range such as `*/*` is not enough: tools that read a single JSON text
    /// send it.
    pub(crate) events: bool,
}

/// The value that clients of MCP send.
const BOTH: &str = "application/json, text/event-stream";

/// Reads `Accept`.
pub(crate) fn accepted(headers: &HeaderMap) -> Accepted {
    if matches!(
        SingleHeader::of(headers, &ACCEPT),
        SingleHeader::Valid(BOTH)
    ) {
        return Accepted {
            any: true,
            events: true,
        };
    }
    let mut has_range = false;
    let mut events = false;
    // For JSON and for event streams: how specific the most specific range is, and whether it accepts the type.
    let mut best = [(0, false); 2];
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
        has_range = true;
        let is_accepted = !parts.any(is_weight_zero);
        events |= is_accepted && media.eq_ignore_ascii_case("text/event-stream");
        for (best, (kind, full)) in best.iter_mut().zip([
            ("application/*", "application/json"),
            ("text/*", "text/event-stream"),
        ]) {
            // A lone asterisk is sent by old HTTP stacks and means every type.
            let specificity = match media {
                _ if media.eq_ignore_ascii_case(full) => 3,
                _ if media.eq_ignore_ascii_case(kind) => 2,
                "*/*" | "*" => 1,
                _ => continue,
            };
            if specificity > best.0 {
                *best = (specificity, is_accepted);
            } else if specificity == best.0 {
                best.1 |= is_accepted;
            }
        }
    }
    Accepted {
        any: !has_range || best.iter().any(|&(_, is_accepted)| is_accepted),
        events,
    }
}

/// Whether this parameter of a range is the weight 0, which excludes the range.
fn is_weight_zero(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0)
    })
}

/// Checks that `Mcp-Method` is the method of the body.
pub(crate) fn method(headers: &HeaderMap, method: &str, is_required: bool) -> Result<(), RpcError> {
    match SingleHeader::of(headers, &METHOD) {
        SingleHeader::Absent if !is_required => Ok(()),
        SingleHeader::Valid(value) if value == method => Ok(()),
        found => Err(mismatch("Mcp-Method", found, "method")),
    }
}

/// Checks that `Mcp-Name` is the name or the URI in the body.
pub(crate) fn name(headers: &HeaderMap, name: &str, is_required: bool) -> Result<(), RpcError> {
    match SingleHeader::of(headers, &NAME) {
        SingleHeader::Absent if !is_required => Ok(()),
        SingleHeader::Valid(value) if decoded(value).is_some_and(|value| value == name) => Ok(()),
        found => Err(mismatch("Mcp-Name", found, "name")),
    }
}

fn mismatch(header: &str, found: SingleHeader<'_>, member: &str) -> RpcError {
    match found {
        SingleHeader::Absent => RpcError::mismatch(format_args!("the header {header} is missing.")),
        SingleHeader::Malformed => RpcError::mismatch(format_args!(
            "the header {header} stands twice or has characters that no header may have."
        )),
        SingleHeader::Valid(value) => RpcError::mismatch(format_args!(
            "the header {header} says '{value}', the body's {member} says otherwise."
        )),
    }
}

/// The text of a header value, which may be encoded as `=?base64?…?=`; `None` for an invalid encoding.
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

/// An input field that a header repeats.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MirroredField {
    header: HeaderName,
    /// The keys from the input's root to the field.
    path: Vec<String>,
    /// Whether errors must not show its value.
    secret: bool,
}

impl MirroredField {
    /// Every field of an input whose schema has `x-mcp-header`. Only `properties` lead to such fields: a schema with any
    /// other is rejected when the server starts.
    pub(crate) fn all(input: &InputSchema) -> Vec<MirroredField> {
        let mut found = Vec::new();
        collect(input, input.published(), &mut Vec::new(), &mut found);
        found
    }

    /// Checks that the header has the value of the field. If `is_required`, a field of the input must have its header.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        input: &Map<String, Value>,
        is_required: bool,
    ) -> Result<(), RpcError> {
        let found = SingleHeader::of(headers, &self.header);
        let value = self.value(input);
        let agrees = match (&found, value) {
            (SingleHeader::Absent, None | Some(Value::Null)) => true,
            (SingleHeader::Absent, Some(_)) => !is_required,
            (SingleHeader::Malformed, _) | (_, None | Some(Value::Null)) => false,
            // The validation of the input reports the invalid type in more detail.
            (_, Some(Value::Array(_) | Value::Object(_))) => true,
            (SingleHeader::Valid(text), Some(value)) => {
                decoded(text).is_some_and(|text| has_same_value(&text, value))
            }
        };
        if agrees {
            return Ok(());
        }
        let (header, path) = (self.header.as_str(), self.path.join("."));
        Err(match found {
            SingleHeader::Valid(_) if self.secret => RpcError::mismatch(format_args!(
                "the header {header} does not say what the body's {path} says."
            )),
            found => mismatch(header, found, &path),
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

fn has_same_value(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => text == value,
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        Value::Number(value) => same_number(text, value),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Compares as numbers, so that `42.0` is 42. Integers are compared exactly: two large ones can be the same `f64`.
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
