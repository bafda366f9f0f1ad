//! What a function can ask of the client that calls it, with [`Cx::input`](crate::cx::Cx::input): a form or
//! an address for its person, a message of its model, the folders that it works in.
//!
//! Makes the question and reads the answer; how they travel is an envelope's.

mod declared;
mod form;
mod format;
pub(crate) mod input_request;
mod restricted;
mod sampling;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use form::{Field, Form};
pub use input_request::{InputRequest, Kind};
pub use sampling::{Sampling, SamplingContent, SamplingResult, Tool, ToolChoice};

pub use crate::content::Role;

use self::format::Format;
use crate::error::{Error, Result};

/// Something that can be asked of a client.
pub trait IntoInputRequest: Send {
    /// The type of the response.
    type Response: Send + 'static;

    /// The question, and how its answer is read.
    ///
    /// # Errors
    /// T0012 where it cannot be asked as it stands.
    #[doc(hidden)]
    fn into_input_request(self) -> Result<TypedInputRequest<Self::Response>>;
}

/// A question, and how its answer is read.
pub struct TypedInputRequest<R> {
    kind: Kind,
    read: Arc<dyn Fn(Value) -> Result<R, String> + Send + Sync>,
}

impl<R: 'static> TypedInputRequest<R> {
    fn new(kind: Kind, read: impl Fn(Value) -> Result<R, String> + Send + Sync + 'static) -> Self {
        TypedInputRequest {
            kind,
            read: Arc::new(read),
        }
    }

    pub(crate) fn request(&self) -> InputRequest {
        let read = self.read.clone();
        let fits = move |answer: &Value| read(answer.clone()).map(|_| ());
        InputRequest::new(self.kind.clone(), Arc::new(fits))
    }

    pub(super) fn read(&self, answer: Value) -> Result<R, String> {
        (self.read)(answer)
    }
}

/// What a person did with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<T> {
    /// Answered it, with this.
    Accepted(T),
    /// Said no.
    Declined,
    /// Put it away without an answer.
    Cancelled,
}

impl<T> Reply<T> {
    /// What was answered, if it was.
    pub fn accepted(self) -> Option<T> {
        match self {
            Reply::Accepted(answer) => Some(answer),
            Reply::Declined | Reply::Cancelled => None,
        }
    }
}

/// A form with the fields of `T`, a flat struct: texts, numbers, yes or no, and enums of unit variants, one
/// (`Colour`) or several (`Vec<Colour>`). A field that is an `Option`, or has a default, may be left out. Doc comments
/// are the descriptions; `#[schemars(title = "…")]` is a title, on a field as on a variant.
///
/// A form is no place for passwords, keys or cards: ask for those with [`url`].
///
/// ```
/// use tent_runtime::cx::{Cx, input};
/// use tent_runtime::error::Result;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Address {
///     street: String,
///     floor: Option<u8>,
/// }
///
/// async fn send(cx: &Cx) -> Result<String> {
///     let request = input::form::<Address>("Where should it go?");
///     Ok(match cx.input("address", request).await? {
///         input::Reply::Accepted(address) => format!("Sent to {}.", address.street),
///         input::Reply::Declined | input::Reply::Cancelled => "Not sent.".to_owned(),
///     })
/// }
/// ```
pub fn form<T: JsonSchema + DeserializeOwned + Send + 'static>(
    message: impl Into<String>,
) -> Form<T> {
    Form::from_type(message.into())
}

/// An address for the person to open. That it is accepted says that the person agreed to open it, not that
/// what is to be done there is done.
///
/// Whoever opens it need not be the caller: the page has to find out itself. The address must hold nothing
/// secret, and let nobody in.
///
/// ```
/// # use tent_runtime::cx::{Cx, input};
/// # async fn pay(cx: &Cx) -> tent_runtime::error::Result<()> {
/// let request = input::url("Pay the order", "https://shop.example/pay/7");
/// if cx.input("payment", request).await?.accepted().is_some() { /* look whether it was paid */ }
/// # Ok(())
/// # }
/// ```
pub fn url(message: impl Into<String>, url: impl Into<String>) -> Url {
    Url {
        message: message.into(),
        url: url.into(),
    }
}

/// A message of the client's model, which may have `max_tokens` tokens, in answer to this text of a user.
///
/// ```
/// # use tent_runtime::cx::{Cx, input};
/// # async fn name(cx: &Cx) -> tent_runtime::error::Result<String> {
/// let request = input::sampling("Name a colour.", 20).system("Answer with one word.");
/// let said = cx.input("colour", request).await?;
/// # Ok(said.text())
/// # }
/// ```
pub fn sampling(text: impl Into<String>, max_tokens: u32) -> Sampling {
    Sampling::new(max_tokens).message(Role::User, [SamplingContent::text(text)])
}

/// The folders that the client works in.
///
/// ```
/// # use tent_runtime::cx::{Cx, input};
/// # async fn folders(cx: &Cx) -> tent_runtime::error::Result<usize> {
/// Ok(cx.input("folders", input::roots()).await?.len())
/// # }
/// ```
pub fn roots() -> Roots {
    Roots(())
}

/// See [`url`].
#[derive(Clone, Debug)]
pub struct Url {
    message: String,
    url: String,
}

impl IntoInputRequest for Url {
    type Response = Reply<()>;

    fn into_input_request(self) -> Result<TypedInputRequest<Reply<()>>> {
        if !is_url(&self.url) {
            // Without the address, which may be the person's own.
            let why = "an address to open is no URL with a scheme and a host";
            return Err(Error::unexpected(why));
        }
        let kind = Kind::Url {
            message: self.message,
            url: self.url,
        };
        Ok(TypedInputRequest::new(kind, |answer| {
            person(answer, |_| Ok(()))
        }))
    }
}

/// Whether this is a whole URL, which the standard wants it to be (client/elicitation, URL Mode).
fn is_url(text: &str) -> bool {
    let uri = text.parse::<http::Uri>().ok();
    let uri = uri.filter(|uri| uri.scheme().is_some() && text.is_ascii() && Format::Uri.has(text));
    uri.is_some_and(|uri| uri.host().is_some_and(|host| !host.is_empty()))
}

/// See [`roots`].
#[derive(Clone, Debug)]
pub struct Roots(());

/// A folder that a client works in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Its address, `file://…`. The client's word, so what is done with it has to be checked.
    pub uri: String,
    /// Its name, for people.
    #[serde(default)]
    pub name: Option<String>,
}

impl IntoInputRequest for Roots {
    type Response = Vec<Root>;

    fn into_input_request(self) -> Result<TypedInputRequest<Vec<Root>>> {
        #[derive(Deserialize)]
        struct Answer {
            roots: Vec<Root>,
        }
        Ok(TypedInputRequest::new(Kind::Roots, |answer| {
            let answer: Answer = serde_json::from_value(answer)
                .map_err(|why| format!("is no list of roots: {why}"))?;
            Ok(answer.roots)
        }))
    }
}

/// Reads what a person did; `content` what was filled in.
fn person<T>(
    answer: Value,
    content: impl FnOnce(Map<String, Value>) -> Result<T, String>,
) -> Result<Reply<T>, String> {
    let Value::Object(mut answer) = answer else {
        return Err("is no object".to_owned());
    };
    match answer.get("action").and_then(Value::as_str) {
        Some("decline") => Ok(Reply::Declined),
        Some("cancel") => Ok(Reply::Cancelled),
        Some("accept") => match answer.remove("content") {
            Some(Value::Object(filled)) => content(filled).map(Reply::Accepted),
            None | Some(Value::Null) => content(Map::new()).map(Reply::Accepted),
            Some(_) => Err("has a content that is no object".to_owned()),
        },
        _ => Err("has no action of accept, decline and cancel".to_owned()),
    }
}
