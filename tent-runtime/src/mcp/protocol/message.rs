//! The JSON-RPC envelope of the messages that a client sends.
//! Must not know eras or headers.
//!
//! A body is parsed once, and header rules, access rules, limits and the function all see that result, so that no two of
//! them can read different values from one body. Strings borrow from the body; only the arguments of a call are copied. A
//! member of an unexpected type does not fail the parse, because its meaning, and the id that an error needs, are known
//! only with the rest of the message. The few methods that need other parameters parse the message again
//! ([`Request::input`]), so that other calls do not pay for them.

use std::borrow::Cow;
use tent_core::codes;

use serde::de::{Error as _, MapAccess, SeqAccess};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::json::{self, Strict, Take, Taking, members};
use crate::mcp::protocol::json_rpc::code;
use crate::mcp::protocol::params::{Params, ParamsSeed, Text, TextSeed};
use crate::mcp::protocol::rpc_error::RpcError;
use crate::text;
use http::StatusCode;

/// The most messages of a batch. Each may be a call, so more would exceed every limit on requests.
const MAX_BATCH: usize = 64;

/// A whole body.
#[derive(Debug)]
pub(crate) enum Payload<'a> {
    One(Message<'a>),
    Batch(Vec<Message<'a>>),
}

/// Why a body is not a message.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It is not JSON: −32700.
    Syntax(String),
    /// It is JSON that cannot be a message, or has a duplicate key: −32600.
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
    // One check of the whole body is cheaper than one of each string.
    let body = text::without_bom(body);
    let text = std::str::from_utf8(body).map_err(|error| Unreadable::Syntax(error.to_string()))?;
    if !text.trim_start_matches(WHITESPACE).starts_with('[') {
        return one(text)
            .map(Payload::One)
            .map_err(|error| unreadable(&error, None));
    }
    // Each message keeps its own bytes, which `Request::input` reads again.
    let texts = json::read(text, Taking(BatchSeed)).map_err(|error| unreadable(&error, None))?;
    let messages = texts
        .into_iter()
        .enumerate()
        .map(|(at, text)| one(text.get()).map_err(|error| unreadable(&error, Some(at + 1))));
    messages.collect::<Result<_, _>>().map(Payload::Batch)
}

/// The whitespace of JSON.
const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn one(text: &str) -> Result<Message<'_>, serde_json::Error> {
    let message = json::read(text, Taking(MessageSeed))?;
    Ok(Message { text, ..message })
}

/// `number` is the position of the message in its batch, from 1.
fn unreadable(error: &serde_json::Error, number: Option<usize>) -> Unreadable {
    let why = match number {
        Some(number) => format!("in message {number}, {error}"),
        None => error.to_string(),
    };
    if error.is_data() {
        Unreadable::Data(why)
    } else {
        Unreadable::Syntax(why)
    }
}

/// One message, before it is known what it is.
#[derive(Debug, Default)]
pub(crate) struct Message<'a> {
    text: &'a str,
    is_object: bool,
    /// Whether `jsonrpc` is "2.0".
    is_version_2: bool,
    id: Option<&'a RawValue>,
    method: Text<'a>,
    /// The `result` or the `error`.
    response: Option<ClientResponse>,
    /// Boxed, since it is large and moves with the message.
    params: Box<Params<'a>>,
}

/// The kinds of messages.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    Request(Request<'a>),
    Notification(Request<'a>),
    /// A response to the request of the server with this id.
    Response(&'a str, ClientResponse),
    /// None of these, and why. With the id if it could be read.
    Invalid(Option<&'a RawValue>, &'static str),
}

/// A request, or a notification, whose id is `null`.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The whole message.
    text: &'a str,
    /// As the client sent it: the response echoes its bytes.
    pub(crate) id: &'a RawValue,
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: Box<Params<'a>>,
}

impl Request<'_> {
    /// The params without `_meta`; empty if they are not an object. Parses the message again, as strictly as the first
    /// time.
    ///
    /// # Errors
    /// A duplicate key within `requestId`, which the first parse does not read.
    pub(crate) fn input(&self) -> Result<Map<String, Value>, Unreadable> {
        let mut input =
            json::read(self.text, Taking(InputSeed)).map_err(|error| unreadable(&error, None))?;
        input.remove("_meta");
        Ok(input)
    }
}

impl<'a> Message<'a> {
    /// What the message is.
    pub(crate) fn kind(self) -> Kind<'a> {
        if !self.is_object {
            return Kind::Invalid(None, "A message is a JSON object.");
        }
        let is_response = self.response.is_some() && self.method == Text::Absent;
        let id = match self.id {
            Some(id) if is_id(id.get()) => Some(id),
            // `null` if the client could not read the id of the request (JSON-RPC 2.0, section 5). A response never gets an
            // error as its response, whatever its id is.
            Some(_) if is_response => None,
            Some(_) => {
                return Kind::Invalid(
                    None,
                    "An id is a string or an integer, of at most 1024 bytes.",
                );
            }
            None => None,
        };
        if !self.is_version_2 {
            return Kind::Invalid(id, "A message has \"jsonrpc\": \"2.0\".");
        }
        match (self.method, id, self.response) {
            (Text::Valid(_), _, Some(_)) => {
                Kind::Invalid(id, "A message is a request or a response, not both.")
            }
            (Text::Valid(method), Some(id), None) => Kind::Request(Request {
                text: self.text,
                id,
                method,
                params: self.params,
            }),
            (Text::Valid(method), None, None) => Kind::Notification(Request {
                text: self.text,
                id: RawValue::NULL,
                method,
                params: self.params,
            }),
            (Text::Absent, id, Some(response)) => {
                Kind::Response(id.map_or("", RawValue::get), response)
            }
            (Text::Absent, _, None) => Kind::Invalid(id, "A request names a method."),
            (Text::Invalid, _, _) => Kind::Invalid(id, "A method is a string."),
        }
    }
}

/// The most bytes of an id, quotes and escapes included. Each message of a subscription repeats its id, and each
/// progress notification its token.
pub(crate) const MAX_ID: usize = 1024;

/// Whether this JSON is an id or a token of MCP: a string or an integer. `1.0` and `1e2` are refused, since a client may
/// not recognise its own id in another form.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_one = text.starts_with('"') || digits.bytes().all(|byte| byte.is_ascii_digit());
    is_one && text.len() <= MAX_ID
}

/// The messages of a batch, each as its own text.
#[derive(Clone)]
struct BatchSeed;

impl<'de> Take<'de> for BatchSeed {
    type Out = Vec<&'de RawValue>;

    fn other(self) -> Self::Out {
        Vec::new()
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Out, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = list.next_element()? {
            if messages.len() == MAX_BATCH {
                return Err(A::Error::custom(format_args!(
                    "an array holds at most {MAX_BATCH} messages"
                )));
            }
            messages.push(message);
        }
        Ok(messages)
    }
}

/// The params of a message as a map.
#[derive(Clone)]
struct InputSeed;

impl<'de> Take<'de> for InputSeed {
    type Out = Map<String, Value>;

    fn other(self) -> Self::Out {
        Map::new()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        let mut input = Map::new();
        members(object, &mut |key, object| {
            let is_params = key == "params";
            if is_params {
                input = object.next_value_seed(Taking(ObjectSeed))?;
            }
            Ok(is_params)
        })?;
        Ok(input)
    }
}

/// Every member of an object; none of another type.
struct ObjectSeed;

impl<'de> Take<'de> for ObjectSeed {
    type Out = Map<String, Value>;

    fn other(self) -> Self::Out {
        Map::new()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        json::strict_object(object)
    }
}

#[derive(Clone)]
struct MessageSeed;

impl<'de> Take<'de> for MessageSeed {
    type Out = Message<'de>;

    fn other(self) -> Message<'de> {
        Message::default()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Message<'de>, A::Error> {
        let mut message = Message {
            is_object: true,
            ..Message::default()
        };
        members(object, &mut |key, object| {
            match key {
                "jsonrpc" => {
                    let version = object.next_value_seed(Taking(TextSeed))?;
                    message.is_version_2 = version.get() == Some("2.0");
                }
                "id" => message.id = Some(object.next_value()?),
                "method" => message.method = object.next_value_seed(Taking(TextSeed))?,
                "params" => {
                    object.next_value_seed(Taking(ParamsSeed(&mut message.params)))?;
                }
                "result" if message.response.is_none() => {
                    let result = json::in_range(object.next_value_seed(Strict)?)?;
                    message.response = Some(Ok(result));
                }
                "error" => {
                    let error = json::in_range(object.next_value_seed(Strict)?)?;
                    message.response = Some(Err(error));
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests;
