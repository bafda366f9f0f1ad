//! The parameters of a request, as far as the protocol itself reads them, in the same one pass as their
//! envelope (see [`wire`](crate::mcp::protocol::message)). Judges nothing: what is missing or of a wrong type is kept as
//! that. What is not kept here a method reads again ([`Request::input`](crate::mcp::protocol::message::Request::input)).

use std::borrow::Cow;

use serde::de::MapAccess;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::cx::Capabilities;
use crate::json::{self, Key, Keys, Skip, Strict, Take, Taking};

/// A member that should be a string.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Text<'a> {
    /// It is not there.
    #[default]
    Absent,
    /// It is one.
    Is(Cow<'a, str>),
    /// It is something else.
    Other,
}

impl Text<'_> {
    pub(crate) fn get(&self) -> Option<&str> {
        match self {
            Text::Is(text) => Some(text),
            Text::Absent | Text::Other => None,
        }
    }
}

/// The type of a member that should be an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ObjectShape {
    #[default]
    Absent,
    Object,
    Other,
}

/// The members of `params` that more than one method has, or that are read while a message is sorted out.
#[derive(Debug, Default)]
pub(crate) struct Params<'a> {
    pub(crate) shape: ObjectShape,
    pub(crate) name: Text<'a>,
    pub(crate) cursor: Text<'a>,
    /// Of `resources/read` and the like.
    pub(crate) uri: Text<'a>,
    pub(crate) arguments: Arguments,
    /// What the client answers to what was asked in an earlier round.
    pub(crate) responses: Arguments,
    /// What came with what was asked, to be given back.
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
    pub(crate) abilities: Option<ClientCapabilities<'a>>,
    /// Of `initialize`.
    pub(crate) client: ClientInfo<'a>,
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(crate) enum Arguments {
    /// None, or `null`: no fields.
    #[default]
    Absent,
    Object(Map<String, Value>),
    Other,
}

/// The members of `_meta` that the protocol itself reads; all others are an extension's or an app's.
#[derive(Debug, Default)]
pub(crate) struct Meta<'a> {
    pub(crate) shape: ObjectShape,
    /// `io.modelcontextprotocol/protocolVersion`. That it is there at all tells the modern era.
    pub(crate) version: Text<'a>,
    /// `io.modelcontextprotocol/clientCapabilities`, where it is an object.
    pub(crate) abilities: Option<ClientCapabilities<'a>>,
    /// Whether those are there at all, whatever they are.
    pub(crate) has_abilities: bool,
    /// `io.modelcontextprotocol/clientInfo`, as far as it could be read.
    pub(crate) client: ClientInfo<'a>,
    /// `progressToken`, as it was sent, so that an echo is the same bytes.
    pub(crate) progress_token: Option<&'a RawValue>,
    /// `io.modelcontextprotocol/logLevel`.
    pub(crate) log_level: Text<'a>,
    /// Every other member but tent's own: for the function. None costs nothing.
    pub(crate) rest: Map<String, Value>,
}

/// What a client says it can do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClientCapabilities<'a> {
    pub(crate) said: Capabilities,
    /// `extensions`, as it was sent: which of them count is not known here.
    pub(crate) extensions: Option<&'a RawValue>,
}

/// What a client says of itself: for display and logs, so a wrong type is no failure.
#[derive(Debug, Default)]
pub(crate) struct ClientInfo<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) version: Text<'a>,
}

/// Reads the members of an object: `member` takes those it knows and tells so, the rest is skipped. A
/// key that stands twice is refused either way.
pub(crate) fn members<'de, A, F>(mut object: A, mut member: F) -> Result<(), A::Error>
where
    A: MapAccess<'de>,
    F: FnMut(&str, &mut A) -> Result<bool, A::Error>,
{
    let mut keys = Keys::default();
    while let Some(key) = object.next_key_seed(Key)? {
        if !member(&key, &mut object)? {
            object.next_value_seed(Taking(Skip))?;
        }
        keys.note(key)?;
    }
    Ok(())
}

pub(crate) struct AText;

impl<'de> Take<'de> for AText {
    type Out = Text<'de>;

    fn other(self) -> Text<'de> {
        Text::Other
    }

    fn text(self, text: Cow<'de, str>) -> Text<'de> {
        Text::Is(text)
    }
}

/// A string that may be left out by `null`.
struct TextOrNull;

impl<'de> Take<'de> for TextOrNull {
    type Out = Text<'de>;

    fn other(self) -> Text<'de> {
        Text::Other
    }

    fn null(self) -> Text<'de> {
        Text::Absent
    }

    fn text(self, text: Cow<'de, str>) -> Text<'de> {
        Text::Is(text)
    }
}

pub(crate) struct TheParams;

impl<'de> Take<'de> for TheParams {
    type Out = Params<'de>;

    fn other(self) -> Params<'de> {
        Params {
            shape: ObjectShape::Other,
            ..Params::default()
        }
    }

    fn null(self) -> Params<'de> {
        Params::default()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Params<'de>, A::Error> {
        let mut params = Params {
            shape: ObjectShape::Object,
            ..Params::default()
        };
        members(object, |key, object| {
            match key {
                "name" => params.name = object.next_value_seed(Taking(AText))?,
                "arguments" => params.arguments = object.next_value_seed(Taking(TheArguments))?,
                "inputResponses" => {
                    params.responses = object.next_value_seed(Taking(TheArguments))?;
                }
                "requestState" => params.state = object.next_value_seed(Taking(TextOrNull))?,
                "cursor" => params.cursor = object.next_value_seed(Taking(TextOrNull))?,
                "level" => params.level = object.next_value_seed(Taking(AText))?,
                "requestId" => params.request_id = Some(object.next_value()?),
                "reason" => params.reason = object.next_value_seed(Taking(AText))?,
                "_meta" => params.meta = object.next_value_seed(Taking(TheMeta))?,
                "protocolVersion" => params.version = object.next_value_seed(Taking(AText))?,
                "capabilities" => {
                    params.abilities = object.next_value_seed(Taking(TheAbilities))?
                }
                "clientInfo" => params.client = object.next_value_seed(Taking(TheClient))?,
                "uri" => params.uri = object.next_value_seed(Taking(AText))?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(params)
    }
}

struct TheArguments;

impl<'de> Take<'de> for TheArguments {
    type Out = Arguments;

    fn other(self) -> Arguments {
        Arguments::Other
    }

    fn null(self) -> Arguments {
        Arguments::Absent
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Arguments, A::Error> {
        json::strict_object(object).map(Arguments::Object)
    }
}

struct TheMeta;

impl<'de> Take<'de> for TheMeta {
    type Out = Meta<'de>;

    fn other(self) -> Meta<'de> {
        Meta {
            shape: ObjectShape::Other,
            ..Meta::default()
        }
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Meta<'de>, A::Error> {
        let mut meta = Meta {
            shape: ObjectShape::Object,
            ..Meta::default()
        };
        members(object, |key, object| {
            match key {
                "io.modelcontextprotocol/protocolVersion" => {
                    meta.version = object.next_value_seed(Taking(AText))?;
                }
                "io.modelcontextprotocol/clientCapabilities" => {
                    meta.has_abilities = true;
                    meta.abilities = object.next_value_seed(Taking(TheAbilities))?;
                }
                "io.modelcontextprotocol/clientInfo" => {
                    meta.client = object.next_value_seed(Taking(TheClient))?;
                }
                "io.modelcontextprotocol/logLevel" => {
                    meta.log_level = object.next_value_seed(Taking(TextOrNull))?;
                }
                "progressToken" => meta.progress_token = object.next_value()?,
                _ if key.starts_with("tent.") => return Ok(false),
                _ => {
                    let value = object.next_value_seed(Strict)?;
                    meta.rest.insert(key.to_owned(), value);
                }
            }
            Ok(true)
        })?;
        Ok(meta)
    }
}

struct TheClient;

impl<'de> Take<'de> for TheClient {
    type Out = ClientInfo<'de>;

    fn other(self) -> ClientInfo<'de> {
        ClientInfo::default()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<ClientInfo<'de>, A::Error> {
        let mut client = ClientInfo::default();
        members(object, |key, object| {
            match key {
                "name" => client.name = object.next_value_seed(Taking(AText))?,
                "version" => client.version = object.next_value_seed(Taking(AText))?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(client)
    }
}

/// The capabilities of a client: `None` where they are no object.
struct TheAbilities;

impl<'de> Take<'de> for TheAbilities {
    type Out = Option<ClientCapabilities<'de>>;

    fn other(self) -> Self::Out {
        None
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        let mut said = Capabilities::default();
        let mut extensions = None;
        members(object, |key, object| {
            match key {
                "roots" => said.roots = object.next_value_seed(Taking(Parts([])))?.is_some(),
                "sampling" => {
                    let parts = object.next_value_seed(Taking(Parts(["tools", "context"])))?;
                    said.sampling = parts.is_some();
                    [said.sampling_tools, said.sampling_context] = parts.unwrap_or_default();
                }
                "elicitation" => {
                    let parts = object.next_value_seed(Taking(Parts(["form", "url"])))?;
                    // An empty object means forms: they were there before the modes had names.
                    said.form = parts.is_some_and(|[form, url]| form || !url);
                    said.url = parts.is_some_and(|[_, url]| url);
                }
                "extensions" => extensions = object.next_value()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Some(ClientCapabilities { said, extensions }))
    }
}

/// Which of these parts a capability has; `None` where it is no object, which counts as not said. A part that
/// is no object counts as not said either.
struct Parts<const N: usize>([&'static str; N]);

impl<'de, const N: usize> Take<'de> for Parts<N> {
    type Out = Option<[bool; N]>;

    fn other(self) -> Self::Out {
        None
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        let mut has = [false; N];
        members(object, |key, object| {
            let Some(at) = self.0.iter().position(|part| *part == key) else {
                return Ok(false);
            };
            has[at] = object.next_value_seed(Taking(Parts([])))?.is_some();
            Ok(true)
        })?;
        Ok(Some(has))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_capabilities_of_a_client() {
        const ALL: [&str; 6] = [
            "elicitation.form",
            "elicitation.url",
            "sampling",
            "sampling.tools",
            "sampling.context",
            "roots",
        ];
        for (text, expected) in [
            ("{}", &[][..]),
            (r#"{"elicitation":{}}"#, &ALL[..1]),
            (r#"{"elicitation":{"form":{}}}"#, &ALL[..1]),
            (r#"{"elicitation":{"url":{}}}"#, &ALL[1..2]),
            (r#"{"elicitation":{"form":{},"url":{}}}"#, &ALL[..2]),
            (r#"{"elicitation":{"url":true}}"#, &ALL[..1]),
            (r#"{"elicitation":true,"sampling":[],"roots":1}"#, &[]),
            (
                r#"{"sampling":{},"roots":{"listChanged":true}}"#,
                &["sampling", "roots"],
            ),
            (r#"{"sampling":{"tools":{},"context":{}}}"#, &ALL[2..5]),
            (r#"{"sampling":{"tools":null,"other":{}}}"#, &ALL[2..3]),
        ] {
            let read = json::read(text, Taking(TheAbilities)).expect("it is read");
            let read = read.expect("it is an object").said;
            let declared: Vec<_> = ALL.into_iter().filter(|name| read.has(name)).collect();
            assert_eq!(declared, expected, "{text}");
        }
        let none = json::read("[]", Taking(TheAbilities)).expect("it is read");
        assert!(none.is_none());
    }
}
