//! The JSON-RPC envelopes that the server writes, as types that read and write.
//! Must not know any method.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Error codes of JSON-RPC, and those that MCP adds.
pub(crate) mod code {
    pub(crate) const PARSE: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;
    /// Legacy revisions only.
    pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    pub(crate) const MISSING_CAPABILITY: i64 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
}

/// The member `jsonrpc`, which is always "2.0".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonRpc;

impl Serialize for JsonRpc {
    fn serialize<S: Serializer>(&self, json: S) -> Result<S::Ok, S::Error> {
        json.serialize_str("2.0")
    }
}

impl<'de> Deserialize<'de> for JsonRpc {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        match &*Cow::<str>::deserialize(json)? {
            "2.0" => Ok(JsonRpc),
            _ => Err(de::Error::custom("jsonrpc is \"2.0\"")),
        }
    }
}

/// A response with a result, as [`write_result`] writes it.
#[cfg(test)]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ResultMessage<'a, R> {
    pub(crate) jsonrpc: JsonRpc,
    /// As the client sent it, so that the echo has the same bytes.
    #[serde(borrow)]
    pub(crate) id: &'a RawValue,
    pub(crate) result: R,
}

/// A response with an error.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ErrorMessage<'a> {
    pub(crate) jsonrpc: JsonRpc,
    /// `None` where the id of the request could not be read.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) error: ErrorObject<'a>,
}

/// The member `error` of a response.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ErrorObject<'a> {
    pub(crate) code: i64,
    #[serde(borrow)]
    pub(crate) message: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) data: Cow<'a, Map<String, Value>>,
}

/// Writes a value as JSON.
pub(crate) fn write(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("texts and JSON values are written to memory");
}

/// Writes a response with a result. `capacity` is about the size of the result, so that one allocation is enough.
///
/// The members around the result are written as bytes: they are the same for every response, and each text that serde_json
/// writes is searched for characters to escape. A test reads what this writes as a [`ResultMessage`].
pub(crate) fn write_result(id: &RawValue, capacity: usize, result: &impl Serialize) -> Vec<u8> {
    const START: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
    const MIDDLE: &[u8] = br#","result":"#;
    const END: &[u8] = b"}";
    let id = id.get().as_bytes();
    let mut out = Vec::with_capacity(START.len() + id.len() + MIDDLE.len() + capacity + END.len());
    out.extend_from_slice(START);
    out.extend_from_slice(id);
    out.extend_from_slice(MIDDLE);
    write(&mut out, result);
    out.extend_from_slice(END);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_result_reads_as_a_result_message() {
        let id = RawValue::from_string("\"a\\u0301\"".to_owned()).expect("JSON");
        let written = write_result(&id, 0, &serde_json::json!({"text": "\u{7}"}));
        let read: ResultMessage<Value> = serde_json::from_slice(&written).expect("a response");
        assert_eq!(read.id.get(), id.get());
        assert_eq!(read.result, serde_json::json!({"text": "\u{7}"}));
        assert_eq!(serde_json::to_vec(&read).expect("JSON"), written);
    }
}
