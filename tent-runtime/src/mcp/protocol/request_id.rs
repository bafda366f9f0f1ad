//! Reads the id alone of a message that tent rejects, so that the client that waits for a response gets one.
//! Must not decide anything else: duplicate keys, depth and size do not matter here.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::mcp::protocol::message::is_id;
use crate::text;

/// The id of a rejected message. `None` for text that is not JSON (JSON-RPC 2.0, section 5), and for a response: its
/// sender would take an error under that id for the response to one of the requests that it sent.
pub(crate) fn of(message: &[u8]) -> Option<&RawValue> {
    let mut members = Members::default();
    let mut reader = serde_json::Deserializer::from_slice(text::without_bom(message));
    members.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    members
        .id()
        .filter(|_| members.has_method || !members.has_result_or_error)
}

/// The id of a message of which only the beginning is known, when it stands there.
pub(crate) fn of_beginning(message: &[u8]) -> Option<&RawValue> {
    let mut members = Members::default();
    let mut reader = serde_json::Deserializer::from_slice(text::without_bom(message));
    match members.deserialize(&mut reader) {
        // What follows is unknown, so only a method tells a request from a response, and a number that ends the
        // beginning may have more digits.
        Err(error) if error.is_eof() => members.id().filter(|id| {
            let id = id.get();
            let is_cut = !id.starts_with('"') && message.ends_with(id.as_bytes());
            members.has_method && !is_cut
        }),
        Err(_) => None,
        Ok(()) => of(message),
    }
}

/// The members that tell requests and responses apart.
#[derive(Default)]
struct Members<'a> {
    /// `None` inside where the message has two.
    id: Option<Option<&'a RawValue>>,
    has_method: bool,
    has_result_or_error: bool,
}

impl<'a> Members<'a> {
    fn id(&self) -> Option<&'a RawValue> {
        self.id.flatten().filter(|id| is_id(id.get()))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Members<'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Members<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            match &*key {
                "id" => {
                    let id = members.next_value()?;
                    // A message with two ids has none that a client could wait for.
                    self.id = Some(self.id.is_none().then_some(id));
                    continue;
                }
                "method" => self.has_method = true,
                "result" | "error" => self.has_result_or_error = true,
                _ => {}
            }
            // It skips a value of any depth without recursion.
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::protocol::message::MAX_ID;

    #[test]
    fn reads_the_id_of_a_message_that_a_rule_rejects() {
        let deep = format!(
            r#"{{"method":"m","params":{}{},"id":1}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        for (text, id) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}}"#,
                "1",
            ),
            (
                r#"{"method":"m","params":{"id":2,"a":[{"id":3}]},"jsonrpc":"2.0","id":-1}"#,
                "-1",
            ),
            (
                r#" {"params":{"t":"}\",\"id\":5,\\"},"id" : "a\"b" ,"method":"m"}"#,
                r#""a\"b""#,
            ),
            (r#"{"\u0069d":"x","a":1,"a":2}"#, r#""x""#),
            (r#"{"id":1,"method":"m","method":"n"}"#, "1"),
            (r#"{"id":1,"method":"m","result":{}}"#, "1"),
            (&deep, "1"),
        ] {
            assert_eq!(
                of(text.as_bytes()).map(RawValue::get),
                Some(id),
                "{text:.80}"
            );
        }
    }

    #[test]
    fn reads_no_id_of_a_response_of_two_ids_or_of_text_that_is_not_json() {
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(MAX_ID));
        for text in [
            "",
            "7",
            r#"[{"id":1}]"#,
            "{}",
            r#"{"params":{"id":1}}"#,
            r#"{"id":1,"id":1,"method":"m"}"#,
            r#"{"id":1,"\u0069d":2,"method":"m"}"#,
            r#"{"id":null,"id":2,"method":"m"}"#,
            r#"{"id":1.0,"a":1}"#,
            r#"{"id":1e3}"#,
            r#"{"id":null}"#,
            r#"{"id":[1]}"#,
            r#"{"id":{"id":1}}"#,
            r#"{"id":1,"result":{"a":1,"a":2}}"#,
            r#"{"result":{"a":1,"a":2},"id":1}"#,
            r#"{"id":1,"error":{}}"#,
            r#"{"id":7,"method":"m""#,
            r#"{"id":7,"method":"m"} {}"#,
            r#"{"id":7,"method":nul}"#,
            &long,
        ] {
            assert!(of(text.as_bytes()).is_none(), "{text:.80}");
        }
    }

    #[test]
    fn reads_the_id_of_a_beginning_that_names_a_method() {
        for (text, id) in [
            (r#"{"id":7,"method":"m","params":{"a":"x"#, Some("7")),
            (r#"{"method":"m","id":"7","params":["#, Some(r#""7""#)),
            (r#"{"id":7,"params":{"a":"x"#, None),
            (r#"{"id":7,"result":{"a":"x"#, None),
            (r#"{"method":"m","id":7"#, None),
            (r#"{"method":"m","params":{"id":7,"#, None),
            (r#"{"id":7,"method":"m"]"#, None),
        ] {
            assert_eq!(
                of_beginning(text.as_bytes()).map(RawValue::get),
                id,
                "{text}"
            );
        }
    }
}
