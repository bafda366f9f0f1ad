//! Input requests: what a function can request from the client of its call with [`Cx::input`](crate::cx::Cx::input).
//! Builds typed requests and checks typed responses; must not know how a protocol writes them.
//!
//! A request is a [`form`], a [`url`], a [`sampling`] message or the client's [`roots`]. Each of these types implements
//! [`IntoInputRequest`]: it becomes an [`InputRequest`] for the endpoint, together with the function that turns the
//! [`InputResponse`] into the type that the caller of [`Cx::input`](crate::cx::Cx::input) gets.

mod choices;
mod field;
mod form;
mod form_schema;
mod request;
mod sampling;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use field::Field;
pub use form::Form;
pub use request::{InputRequest, InputResponse, Kind};
pub use sampling::{Sampling, SamplingContent, SamplingMessage, SamplingResult, Tool, ToolChoice};

pub use crate::content::Role;
use crate::error::{Error, Result};
use crate::schema::is_uri;

/// A type that [`Cx::input`](crate::cx::Cx::input) accepts: a form, a URL, a sampling request or the request for roots.
pub trait IntoInputRequest: Send {
    /// The type of the response.
    type Response: Send + 'static;

    /// The request, and how its response is read.
    ///
    /// # Errors
    /// T0012 if the request is not valid, such as a form with a nested object.
    #[doc(hidden)]
    fn into_input_request(self) -> Result<TypedInputRequest<Self::Response>>;
}

/// An input request whose response becomes an `R`.
pub struct TypedInputRequest<R> {
    kind: Kind,
    read: Arc<dyn Fn(InputResponse) -> Result<R, String> + Send + Sync>,
}

impl<R: 'static> TypedInputRequest<R> {
    fn new(
        kind: Kind,
        read: impl Fn(InputResponse) -> Result<R, String> + Send + Sync + 'static,
    ) -> Self {
        TypedInputRequest {
            kind,
            read: Arc::new(read),
        }
    }

    pub(crate) fn request(&self) -> InputRequest {
        let read = self.read.clone();
        let validate = move |response: &InputResponse| read(response.clone()).map(|_| ());
        InputRequest::new(self.kind.clone(), Arc::new(validate))
    }

    pub(super) fn read(&self, response: InputResponse) -> Result<R, String> {
        (self.read)(response)
    }
}

/// The error for a response of another kind than the request's.
const OTHER_KIND: &str = "is a response to another kind of request";

/// A user's reply to a form or a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply<T> {
    /// The user accepted, with this content.
    Accepted(T),
    /// The user declined.
    Declined,
    /// The user dismissed the request without a choice.
    Cancelled,
}

impl<T> Reply<T> {
    /// The content, if the user accepted.
    pub fn accepted(self) -> Option<T> {
        match self {
            Reply::Accepted(content) => Some(content),
            Reply::Declined | Reply::Cancelled => None,
        }
    }

    fn try_map<U>(self, convert: impl FnOnce(T) -> Result<U, String>) -> Result<Reply<U>, String> {
        Ok(match self {
            Reply::Accepted(content) => Reply::Accepted(convert(content)?),
            Reply::Declined => Reply::Declined,
            Reply::Cancelled => Reply::Cancelled,
        })
    }
}

/// A form with the fields of `T`, a flat struct of strings, numbers, booleans, enums of unit variants (`Colour`) and
/// lists of such enums (`Vec<Colour>`). A field that is an `Option` or has a default is optional. Doc comments become
/// descriptions; `#[schemars(title = "…")]` sets the title of a field or a variant.
///
/// Never request passwords, keys or card numbers with a form. Use [`url`] for those.
///
/// ```
/// use tent::{Cx, input};
/// use tent::Result;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Address {
///     street: String,
///     floor: Option<u8>,
/// }
///
/// async fn send(cx: &Cx) -> Result<String> {
///     let form = input::form::<Address>("Where should it go?");
///     Ok(match cx.input("address", form).await? {
///         input::Reply::Accepted(address) => format!("Sent to {}.", address.street),
///         _ => "Not sent.".to_owned(),
///     })
/// }
/// ```
pub fn form<T: JsonSchema + DeserializeOwned + Send + 'static>(
    message: impl Into<String>,
) -> Form<T> {
    Form::from_type(message.into())
}

/// A URL that the user opens. [`Reply::Accepted`] means that the user agreed to open it, not that the user completed
/// the step that it leads to.
///
/// The person who opens the URL may be someone other than the caller, so the page must authenticate its visitor. The URL
/// must not contain secrets and must not grant access.
///
/// ```
/// # use tent::{Cx, input};
/// # async fn pay(cx: &Cx) -> tent::Result<()> {
/// let page = input::url("Pay the order", "https://shop.example/pay/7");
/// if cx.input("payment", page).await?.accepted().is_some() { /* check that the payment arrived */ }
/// # Ok(())
/// # }
/// ```
pub fn url(message: impl Into<String>, url: impl Into<String>) -> Url {
    Url {
        message: message.into(),
        url: url.into(),
    }
}

/// A request for a message of the client's model with at most `max_tokens` tokens. `text` is the user's message.
///
/// ```
/// # use tent::{Cx, input};
/// # async fn name(cx: &Cx) -> tent::Result<String> {
/// let request = input::sampling("Name a colour.", 20).system("Answer with one word.");
/// let result = cx.input("colour", request).await?;
/// # Ok(result.text())
/// # }
/// ```
pub fn sampling(text: impl Into<String>, max_tokens: u32) -> Sampling {
    Sampling::new(max_tokens).message(Role::User, [SamplingContent::text(text)])
}

/// A request for the client's roots: the folders that the client works in.
///
/// ```
/// # use tent::{Cx, input};
/// # async fn folders(cx: &Cx) -> tent::Result<usize> {
/// Ok(cx.input("folders", input::roots()).await?.len())
/// # }
/// ```
pub fn roots() -> Roots {
    Roots(())
}

/// A request to open a URL. See [`url`].
#[derive(Clone, Debug)]
pub struct Url {
    message: String,
    url: String,
}

impl IntoInputRequest for Url {
    type Response = Reply<()>;

    fn into_input_request(self) -> Result<TypedInputRequest<Reply<()>>> {
        if !is_absolute_url(&self.url) {
            // The URL may contain the user's own data, so the error leaves it out.
            let why = "an input request has a URL that is not valid: write a scheme and a host";
            return Err(Error::unexpected(why));
        }
        let kind = Kind::Url {
            message: self.message,
            url: self.url,
        };
        Ok(TypedInputRequest::new(kind, |response| match response {
            InputResponse::Elicitation(reply) => reply.try_map(|_| Ok(())),
            _ => Err(OTHER_KIND.to_owned()),
        }))
    }
}

/// Whether `text` is a valid URL, as MCP demands (client/elicitation, URL Mode Elicitation Requests).
fn is_absolute_url(text: &str) -> bool {
    let uri = text.parse::<http::Uri>().ok();
    let uri = uri.filter(|uri| uri.scheme().is_some() && text.is_ascii() && is_uri(text));
    uri.is_some_and(|uri| uri.host().is_some_and(|host| !host.is_empty()))
}

/// A request for the client's roots. See [`roots`].
#[derive(Clone, Debug)]
pub struct Roots(());

/// A folder that a client works in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// The URI, `file://…`. The client chooses it: check it before you use it as a path.
    pub uri: String,
    /// A name to show to people.
    #[serde(default)]
    pub name: Option<String>,
}

impl IntoInputRequest for Roots {
    type Response = Vec<Root>;

    fn into_input_request(self) -> Result<TypedInputRequest<Vec<Root>>> {
        Ok(TypedInputRequest::new(
            Kind::Roots,
            |response| match response {
                InputResponse::Roots(roots) => Ok(roots),
                _ => Err(OTHER_KIND.to_owned()),
            },
        ))
    }
}
