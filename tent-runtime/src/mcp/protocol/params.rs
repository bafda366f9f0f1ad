//! The parameters of a request that the protocol itself reads, in the same pass as their
//! [envelope](crate::mcp::protocol::message).
//! Must not reject anything: a missing member is `Absent`, and a member of another type is `Invalid`. A method that needs
//! other parameters reads them again ([`Request::input`](crate::mcp::protocol::message::Request::input)).

use std::borrow::Cow;

use serde::de::MapAccess;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json::{self, Strict, Take, Taking, members};
use crate::mcp::protocol::capabilities::{CapabilitiesSeed, ClientCapabilities};

/// A member that should be a string.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Text<'a> {
    #[default]
    Absent,
    Valid(Cow<'a, str>),
    /// Another type.
    Invalid,
}

impl Text<'_> {
    pub(crate) fn get(&self) -> Option<&str> {
        match self {
            Text::Valid(text) => Some(text),
            Text::Absent | Text::Invalid => None,
        }
    }
}

/// The type of a member that should be an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ObjectShape {
    #[default]
    Absent,
    Object,
    Invalid,
}

/// The members of `params` that more than one method has, or that decide how a message is served.
#[derive(Debug, Default)]
pub(crate) struct Params<'a> {
    pub(crate) shape: ObjectShape,
    pub(crate) name: Text<'a>,
    pub(crate) cursor: Text<'a>,
    /// Of `resources/read` and the like.
    pub(crate) uri: Text<'a>,
    pub(crate) arguments: Arguments,
    /// `inputResponses`.
    pub(crate) responses: Arguments,
    /// `requestState`.
    pub(crate) state: Text<'a>,
    pub(crate) meta: Meta<'a>,
    /// Of `logging/setLevel`.
    pub(crate) level: Text<'a>,
    /// Of `notifications/cancelled`.
    pub(crate) request_id: Option<&'a RawValue>,
    /// Of `notifications/cancelled`.
    pub(crate) reason: Text<'a>,
    /// Of `initialize`.
    pub(crate) version: Text<'a>,
    /// Of `initialize`.
    pub(crate) capabilities: Option<ClientCapabilities<'a>>,
    /// Of `initialize`.
    pub(crate) client: ClientInfo<'a>,
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(crate) enum Arguments {
    /// Missing, or `null`.
    #[default]
    Absent,
    Object(Map<String, Value>),
    Invalid,
}

/// The members of `_meta` that the protocol itself reads, and those of extensions and the app.
#[derive(Debug, Default)]
pub(crate) struct Meta<'a> {
    pub(crate) shape: ObjectShape,
    /// `io.modelcontextprotocol/protocolVersion`, which only modern requests have.
    pub(crate) version: Text<'a>,
    /// `io.modelcontextprotocol/clientCapabilities`, if it is an object.
    pub(crate) capabilities: Option<ClientCapabilities<'a>>,
    /// Whether `io.modelcontextprotocol/clientCapabilities` is there, of any type.
    pub(crate) has_capabilities: bool,
    /// `io.modelcontextprotocol/clientInfo`.
    pub(crate) client: ClientInfo<'a>,
    /// `progressToken`, as the client sent it, so that the echo has the same bytes.
    pub(crate) progress_token: Option<&'a RawValue>,
    /// `io.modelcontextprotocol/logLevel`.
    pub(crate) log_level: Text<'a>,
    /// The other members, for the function, except those that are reserved for tent. Empty without an allocation.
    pub(crate) rest: Map<String, Value>,
}

/// The client's `Implementation`. It is for display and logs, so an invalid one is not an error.
#[derive(Debug, Default)]
pub(crate) struct ClientInfo<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) version: Text<'a>,
}

pub(crate) struct TextSeed;

impl<'de> Take<'de> for TextSeed {
    type Out = Text<'de>;

    fn other(self) -> Text<'de> {
        Text::Invalid
    }

    fn text(self, text: Cow<'de, str>) -> Text<'de> {
        Text::Valid(text)
    }
}

/// A string, or `null` for none.
struct OptionalTextSeed;

impl<'de> Take<'de> for OptionalTextSeed {
    type Out = Text<'de>;

    fn other(self) -> Text<'de> {
        Text::Invalid
    }

    fn null(self) -> Text<'de> {
        Text::Absent
    }

    fn text(self, text: Cow<'de, str>) -> Text<'de> {
        Text::Valid(text)
    }
}

/// Reads into params that exist already, since they are large: a result would be copied at each level of the parser.
pub(crate) struct ParamsSeed<'p, 'de>(pub(crate) &'p mut Params<'de>);

impl<'de> Take<'de> for ParamsSeed<'_, 'de> {
    type Out = ();

    fn other(self) {
        self.0.shape = ObjectShape::Invalid;
    }

    fn null(self) {}

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        let params = self.0;
        params.shape = ObjectShape::Object;
        members(object, &mut |key, object| {
            match key {
                "name" => params.name = object.next_value_seed(Taking(TextSeed))?,
                "arguments" => params.arguments = object.next_value_seed(Taking(ArgumentsSeed))?,
                "inputResponses" => {
                    params.responses = object.next_value_seed(Taking(ArgumentsSeed))?;
                }
                "requestState" => {
                    params.state = object.next_value_seed(Taking(OptionalTextSeed))?
                }
                "cursor" => params.cursor = object.next_value_seed(Taking(OptionalTextSeed))?,
                "level" => params.level = object.next_value_seed(Taking(TextSeed))?,
                "requestId" => params.request_id = Some(object.next_value()?),
                "reason" => params.reason = object.next_value_seed(Taking(TextSeed))?,
                "_meta" => object.next_value_seed(Taking(MetaSeed(&mut params.meta)))?,
                "protocolVersion" => params.version = object.next_value_seed(Taking(TextSeed))?,
                "capabilities" => {
                    params.capabilities = object.next_value_seed(Taking(CapabilitiesSeed))?
                }
                "clientInfo" => params.client = object.next_value_seed(Taking(ClientInfoSeed))?,
                "uri" => params.uri = object.next_value_seed(Taking(TextSeed))?,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

struct ArgumentsSeed;

impl<'de> Take<'de> for ArgumentsSeed {
    type Out = Arguments;

    fn other(self) -> Arguments {
        Arguments::Invalid
    }

    fn null(self) -> Arguments {
        Arguments::Absent
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Arguments, A::Error> {
        json::strict_object(object).map(Arguments::Object)
    }
}

/// Reads into metadata that exists already, as [`ParamsSeed`] does.
struct MetaSeed<'p, 'de>(&'p mut Meta<'de>);

impl<'de> Take<'de> for MetaSeed<'_, 'de> {
    type Out = ();

    fn other(self) {
        self.0.shape = ObjectShape::Invalid;
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        let meta = self.0;
        meta.shape = ObjectShape::Object;
        members(object, &mut |key, object| {
            match key {
                "io.modelcontextprotocol/protocolVersion" => {
                    meta.version = object.next_value_seed(Taking(TextSeed))?;
                }
                "io.modelcontextprotocol/clientCapabilities" => {
                    meta.has_capabilities = true;
                    meta.capabilities = object.next_value_seed(Taking(CapabilitiesSeed))?;
                }
                "io.modelcontextprotocol/clientInfo" => {
                    meta.client = object.next_value_seed(Taking(ClientInfoSeed))?;
                }
                "io.modelcontextprotocol/logLevel" => {
                    meta.log_level = object.next_value_seed(Taking(OptionalTextSeed))?;
                }
                "progressToken" => meta.progress_token = object.next_value()?,
                _ if key.starts_with("tent.") => return Ok(false),
                _ => {
                    let value = json::in_range(object.next_value_seed(Strict)?)?;
                    meta.rest.insert(key.to_owned(), value);
                }
            }
            Ok(true)
        })
    }
}

struct ClientInfoSeed;

impl<'de> Take<'de> for ClientInfoSeed {
    type Out = ClientInfo<'de>;

    fn other(self) -> ClientInfo<'de> {
        ClientInfo::default()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<ClientInfo<'de>, A::Error> {
        let mut client = ClientInfo::default();
        members(object, &mut |key, object| {
            match key {
                "name" => client.name = object.next_value_seed(Taking(TextSeed))?,
                "version" => client.version = object.next_value_seed(Taking(TextSeed))?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(client)
    }
}
