//! The JSON-RPC envelope, read once from the bytes of a body.
//!
//! Header rules, access, limits and the function all see what this one parse gave. The texts borrow from
//! the body; only the arguments of a call become a value of their own. A member of an unexpected type
//! is kept as such instead of failing the parse, because what it means (and whether it has an id to
//! answer) is known only when the method is. What this parse does not keep is read again from the same
//! bytes by the few methods that want it ([`Request::input`]), so that a call does not pay for it. Nothing
//! here knows eras, headers or statuses.

use std::borrow::Cow;
use tent_core::codes;

use serde::de::{Error as _, MapAccess, SeqAccess};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::json::{self, Strict, Take, Taking};
use crate::mcp::protocol::json_rpc::code;
use crate::mcp::protocol::params::{AText, Params, Text, TheParams, members};
use crate::mcp::protocol::rpc_error::RpcError;
use http::StatusCode;

/// The most messages of one array; each may be a call, so more would pass by every limit on requests.
const MOST_IN_A_BATCH: usize = 64;

/// A whole body.
#[derive(Debug)]
pub(crate) enum Payload<'a> {
    /// One message.
    One(Message<'a>),
    /// An array of messages.
    Batch(Vec<Message<'a>>),
}

/// Why a body is no message.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It is no JSON text: −32700.
    Syntax(String),
    /// It is JSON that cannot be a message, or holds a key twice: −32600.
    Data(String),
}

impl From<Unreadable> for RpcError {
    fn from(why: Unreadable) -> Self {
        let (code, why) = match why {
            Unreadable::Syntax(why) => (code::PARSE, why),
            Unreadable::Data(why) => (code::INVALID_REQUEST, why),
        };
        let message = format!("The body cannot be read: {why}.");
        RpcError::new(StatusCode::BAD_REQUEST, code, message)
            .with_code(&Error::new(codes::INVALID_JSON))
    }
}

/// The response of a client to a request of the server: its result, or its JSON-RPC error.
pub(crate) type ClientResponse = Result<Value, Value>;

/// Reads a body.
pub(crate) fn read(body: &[u8]) -> Result<Payload<'_>, Unreadable> {
    // One check of the whole text is cheaper than one for each string, and makes every borrowed part valid.
    let text = std::str::from_utf8(body).map_err(|error| Unreadable::Syntax(error.to_string()))?;
    if !text.trim_start_matches(WHITESPACE).starts_with('[') {
        return one(text)
            .map(Payload::One)
            .map_err(|error| unreadable(&error, None));
    }
    // Each element by its own bytes, from which it can be read again.
    let texts = json::read(text, Taking(Elements)).map_err(|error| unreadable(&error, None))?;
    let messages = texts
        .into_iter()
        .enumerate()
        .map(|(at, text)| one(text.get()).map_err(|error| unreadable(&error, Some(at + 1))));
    messages.collect::<Result<_, _>>().map(Payload::Batch)
}

/// What may stand between two tokens of JSON.
const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn one(text: &str) -> Result<Message<'_>, serde_json::Error> {
    let message = json::read(text, Taking(OneMessage))?;
    Ok(Message { text, ..message })
}

/// `of`: the message of an array in which it was met, counted from 1.
fn unreadable(error: &serde_json::Error, of: Option<usize>) -> Unreadable {
    let why = match of {
        Some(of) => format!("in message {of}, {error}"),
        None => error.to_string(),
    };
    if error.is_data() {
        Unreadable::Data(why)
    } else {
        Unreadable::Syntax(why)
    }
}

/// One message, as it came.
#[derive(Debug, Default)]
pub(crate) struct Message<'a> {
    /// The whole of it.
    text: &'a str,
    /// Whether it is an object at all.
    is_object: bool,
    /// Whether `jsonrpc` is "2.0".
    is_two: bool,
    id: Option<&'a RawValue>,
    method: Text<'a>,
    /// Its `result` or its `error`.
    answer: Option<ClientResponse>,
    /// Large, and handed on from one to the next.
    params: Box<Params<'a>>,
}

/// What a message is.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    /// It wants an answer under this id, which is echoed byte for byte.
    Request(Request<'a>),
    /// It wants none.
    Notification(Request<'a>),
    /// It answers a question of the server's, by its id.
    Response(&'a str, ClientResponse),
    /// It is none of these. The id is there where it could be read.
    Invalid(Option<&'a RawValue>, &'static str),
}

/// A request, or a notification, whose id is `null`.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The whole message.
    text: &'a str,
    pub(crate) id: &'a RawValue,
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: Box<Params<'a>>,
}

impl Request<'_> {
    /// Its params as they were sent, but for `_meta`; none where they are no object. Read from the message's
    /// bytes once more, as strictly as the first time.
    ///
    /// # Errors
    /// What the first reading took as it stands, and this one does not: a key twice within a `requestId`.
    pub(crate) fn input(&self) -> Result<Map<String, Value>, Unreadable> {
        let mut input =
            json::read(self.text, Taking(InputOf)).map_err(|error| unreadable(&error, None))?;
        input.remove("_meta");
        Ok(input)
    }
}

impl<'a> Message<'a> {
    /// Sorts out what it is.
    pub(crate) fn kind(self) -> Kind<'a> {
        if !self.is_object {
            return Kind::Invalid(None, "A message is a JSON object.");
        }
        let is_answer = self.answer.is_some() && self.method == Text::Absent;
        let id = match self.id {
            Some(id) if is_id(id.get()) => Some(id),
            // `null` where the other side could not read what it answers (JSON-RPC 2.0, 5). Whatever its id is, an
            // answer is not answered.
            Some(_) if is_answer => None,
            Some(_) => {
                return Kind::Invalid(
                    None,
                    "An id is a string or an integer, of at most 1024 bytes.",
                );
            }
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
                text: self.text,
                id,
                method,
                params: self.params,
            }),
            (Text::Is(method), None, None) => Kind::Notification(Request {
                text: self.text,
                id: RawValue::NULL,
                method,
                params: self.params,
            }),
            // An answer to what could not be read has no id.
            (Text::Absent, id, Some(answer)) => {
                Kind::Response(id.map_or("", RawValue::get), answer)
            }
            (Text::Absent, _, None) => Kind::Invalid(id, "A request names a method."),
            (Text::Other, _, _) => Kind::Invalid(id, "A method is a string."),
        }
    }
}

/// The most bytes of an id, quotes and escapes among them. It is repeated in each message of a subscription, as a
/// progress token is in each of a call.
pub(crate) const MOST_ID: usize = 1024;

/// MCP's ids and tokens are strings and integers. `1.0` and `1e2` are refused rather than taken for integers,
/// since an echo could then differ from what was sent.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_one = text.starts_with('"') || digits.bytes().all(|byte| byte.is_ascii_digit());
    is_one && text.len() <= MOST_ID
}

/// The messages of an array, unread.
struct Elements;

impl<'de> Take<'de> for Elements {
    type Out = Vec<&'de RawValue>;

    fn other(self) -> Self::Out {
        Vec::new()
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Out, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = list.next_element()? {
            if messages.len() == MOST_IN_A_BATCH {
                return Err(A::Error::custom(format_args!(
                    "an array holds at most {MOST_IN_A_BATCH} messages"
                )));
            }
            messages.push(message);
        }
        Ok(messages)
    }
}

/// The params of a message, as a function takes them.
struct InputOf;

impl<'de> Take<'de> for InputOf {
    type Out = Map<String, Value>;

    fn other(self) -> Self::Out {
        Map::new()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        let mut input = Map::new();
        members(object, |key, object| {
            let is_params = key == "params";
            if is_params {
                input = object.next_value_seed(Taking(Everything))?;
            }
            Ok(is_params)
        })?;
        Ok(input)
    }
}

/// Every member of an object.
struct Everything;

impl<'de> Take<'de> for Everything {
    type Out = Map<String, Value>;

    fn other(self) -> Self::Out {
        Map::new()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        json::strict_object(object)
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
                "params" => *message.params = object.next_value_seed(Taking(TheParams))?,
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
mod tests;
