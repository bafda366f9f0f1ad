//! The JSON-RPC envelope, read once from the bytes of a body.
//!
//! Header rules, access, limits and the function all see what this one parse gave. The texts borrow from
//! the body; only the arguments of a call become a value of their own. A member of an unexpected type
//! is kept as such instead of failing the parse, because what it means (and whether it has an id to
//! answer) is known only when the method is. Nothing here knows eras, headers or statuses.

use std::borrow::Cow;

use serde::de::{Error as _, MapAccess, SeqAccess};
use serde_json::value::RawValue;

use super::params::{AText, Params, Text, TheParams, members};
use super::questions::Answered;
use crate::json::{self, Strict, Take, Taking};

/// The most messages of one array; each may be a call, so more would pass by every limit on requests.
const MOST_IN_A_BATCH: usize = 64;

/// A whole body.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack of one request; a box would be one more allocation for each"
)]
pub(super) enum Posted<'a> {
    /// One message.
    One(Message<'a>),
    /// An array of messages.
    Batch(Vec<Message<'a>>),
}

/// Why a body is no message.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// It is no JSON text: −32700.
    Syntax(String),
    /// It is JSON that cannot be a message, or holds a key twice: −32600.
    Data(String),
}

/// Reads a body.
pub(super) fn read(body: &[u8]) -> Result<Posted<'_>, Unreadable> {
    // One check of the whole text is cheaper than one for each string, and makes every borrowed part valid.
    let text = std::str::from_utf8(body).map_err(|error| Unreadable::Syntax(error.to_string()))?;
    json::read(text, Taking(Whole)).map_err(|error| {
        let why = error.to_string();
        if error.is_data() {
            Unreadable::Data(why)
        } else {
            Unreadable::Syntax(why)
        }
    })
}

/// One message, as it came.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    /// Whether it is an object at all.
    is_object: bool,
    /// Whether `jsonrpc` is "2.0".
    is_two: bool,
    id: Option<&'a RawValue>,
    method: Text<'a>,
    /// Its `result` or its `error`.
    answer: Option<Answered>,
    params: Params<'a>,
}

/// What a message is.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// It wants an answer under this id, which is echoed byte for byte.
    Request(Request<'a>),
    /// It wants none.
    Notification(Request<'a>),
    /// It answers a question of the server's, by its id.
    Response(&'a str, Answered),
    /// It is none of these. The id is there where it could be read.
    Invalid(Option<&'a str>, &'static str),
}

/// A message that names a method. Where it wants no answer its id is empty.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) id: &'a str,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Params<'a>,
}

impl<'a> Message<'a> {
    /// Sorts out what it is.
    pub(super) fn kind(self) -> Kind<'a> {
        if !self.is_object {
            return Kind::Invalid(None, "A message is a JSON object.");
        }
        let id = match self.id.map(RawValue::get) {
            Some(id) if is_id(id) => Some(id),
            Some(_) => return Kind::Invalid(None, "An id is a string or an integer."),
            None => None,
        };
        if !self.is_two {
            return Kind::Invalid(id, "A message has \"jsonrpc\": \"2.0\".");
        }
        match (self.method, id, self.answer) {
            (Text::Is(_), _, Some(_)) => {
                Kind::Invalid(id, "A message is a request or an answer, not both.")
            }
            (Text::Is(method), Some(id), None) => Kind::Request(Request {
                id,
                method,
                params: self.params,
            }),
            (Text::Is(method), None, None) => Kind::Notification(Request {
                id: "",
                method,
                params: self.params,
            }),
            // An answer to what could not be read has no id.
            (Text::Absent, id, Some(answer)) => Kind::Response(id.unwrap_or_default(), answer),
            (Text::Absent, _, None) => Kind::Invalid(id, "A request names a method."),
            (Text::Other, _, _) => Kind::Invalid(id, "A method is a string."),
        }
    }
}

/// MCP's ids are strings and integers. `1.0` and `1e2` are refused rather than taken for integers,
/// since an echo could then differ from what was sent.
fn is_id(text: &str) -> bool {
    text.starts_with('"')
        || text
            .strip_prefix('-')
            .unwrap_or(text)
            .bytes()
            .all(|byte| byte.is_ascii_digit())
}

struct Whole;

impl<'de> Take<'de> for Whole {
    type Out = Posted<'de>;

    fn other(self) -> Posted<'de> {
        Posted::One(Message::default())
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Posted<'de>, A::Error> {
        OneMessage.object(object).map(Posted::One)
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Posted<'de>, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = list.next_element_seed(Taking(OneMessage))? {
            if messages.len() == MOST_IN_A_BATCH {
                return Err(A::Error::custom(format_args!(
                    "an array holds at most {MOST_IN_A_BATCH} messages"
                )));
            }
            messages.push(message);
        }
        Ok(Posted::Batch(messages))
    }
}

struct OneMessage;

impl<'de> Take<'de> for OneMessage {
    type Out = Message<'de>;

    fn other(self) -> Message<'de> {
        Message::default()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Message<'de>, A::Error> {
        let mut message = Message {
            is_object: true,
            ..Message::default()
        };
        members(object, |key, object| {
            match key {
                "jsonrpc" => {
                    let version = object.next_value_seed(Taking(AText))?;
                    message.is_two = version.get() == Some("2.0");
                }
                "id" => message.id = Some(object.next_value()?),
                "method" => message.method = object.next_value_seed(Taking(AText))?,
                "params" => message.params = object.next_value_seed(Taking(TheParams))?,
                "result" if message.answer.is_none() => {
                    message.answer = Some(Ok(object.next_value_seed(Strict)?));
                }
                "error" => message.answer = Some(Err(object.next_value_seed(Strict)?)),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cx::Capabilities;
    use crate::mcp::params::Arguments;

    fn one(text: &str) -> Message<'_> {
        match read(text.as_bytes()) {
            Ok(Posted::One(message)) => message,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_request_is_read_whatever_the_order_of_its_members() {
        let text = r#"{"params":{"arguments":{"a":[1]},"_meta":{"x":{},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}},"roots":{}},"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"f"},"method":"tools/call","id":"\u0041","jsonrpc":"2.0","more":[{}]}"#;
        let Kind::Request(request) = one(text).kind() else {
            panic!("it is a request");
        };
        assert_eq!(
            (request.id, &*request.method),
            (r#""\u0041""#, "tools/call")
        );
        assert_eq!(request.params.name, Text::Is("f".into()));
        assert_eq!(request.params.meta.version.get(), Some("2026-07-28"));
        assert_eq!(
            request.params.meta.abilities.map(|one| one.said),
            Some(Capabilities {
                roots: true,
                url: true,
                ..Capabilities::default()
            })
        );
        assert!(matches!(request.params.arguments, Arguments::Object(map) if map.len() == 1));
    }

    #[test]
    fn texts_borrow_from_the_body() {
        let message = one(r#"{"method":"ping","params":{"name":"f\n"}}"#);
        assert!(matches!(message.method, Text::Is(Cow::Borrowed("ping"))));
        assert!(
            matches!(message.params.name, Text::Is(Cow::Owned(_))),
            "an escape needs a copy"
        );
    }

    #[test]
    fn ids_are_strings_and_integers() {
        for id in [
            "0",
            "-1",
            "9007199254740993",
            r#""""#,
            r#""7""#,
            "123456789012345678901234567890",
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
            assert!(
                matches!(one(&text).kind(), Kind::Request(request) if request.id == id),
                "{id}"
            );
        }
        for id in ["null", "true", "1.0", "1.5", "1e3", "[]", "{}", r#"["a"]"#] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
            assert!(matches!(one(&text).kind(), Kind::Invalid(None, _)), "{id}");
        }
    }

    #[test]
    fn what_is_no_message_keeps_its_id_where_it_has_one() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
            r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#,
            r#"{"id":1,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#,
        ] {
            assert!(
                matches!(one(text).kind(), Kind::Invalid(Some("1"), _)),
                "{text}"
            );
        }
        for text in ["7", "\"x\"", "null", "true"] {
            assert!(matches!(one(text).kind(), Kind::Invalid(None, _)), "{text}");
        }
        assert!(matches!(
            one(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#).kind(),
            Kind::Response("1", Err(_))
        ));
        assert!(matches!(
            one(r#"{"jsonrpc":"2.0","method":"m"}"#).kind(),
            Kind::Notification(_)
        ));
    }

    #[test]
    fn a_key_twice_is_data_and_no_json_is_syntax() {
        for text in [
            r#"{"id":1,"id":1}"#,
            r#"{"method":"a","method":"b"}"#,
            r#"{"params":{"name":"a","name":"b"}}"#,
            r#"{"params":{"_meta":{},"_meta":{}}}"#,
            r#"{"params":{"_meta":{"x":{"y":1,"y":2}}}}"#,
            r#"{"params":{"arguments":{"a":{"b":1,"b":1}}}}"#,
            r#"{"extra":{"b":1,"b":1}}"#,
        ] {
            assert!(
                matches!(read(text.as_bytes()), Err(Unreadable::Data(_))),
                "{text}"
            );
        }
        for body in [
            &b""[..],
            b"{",
            b"{} {}",
            b"\xef\xbb\xbf{}",
            b"{\"a\":\"\xff\"}",
            b"nul",
        ] {
            assert!(matches!(read(body), Err(Unreadable::Syntax(_))), "{body:?}");
        }
    }

    #[test]
    fn a_batch_is_bounded() {
        let batch = |n: usize| format!("[{}]", vec!["{}"; n].join(","));
        assert!(matches!(read(batch(64).as_bytes()), Ok(Posted::Batch(all)) if all.len() == 64));
        assert!(matches!(
            read(batch(65).as_bytes()),
            Err(Unreadable::Data(_))
        ));
    }
}
