//! [`Error`]: the error of a call, with what the caller gets and, separately, what only the log gets.
//!
//! Knows no HTTP headers and no JSON-RPC: the endpoints translate an `Error` into their own format. Its `Display` never
//! repeats its source.

mod app_code;
mod chain;
mod convert;
mod derive_support;
mod failure;

pub use app_code::AppCode;
pub use convert::StartError;
pub use derive_support::{
    FieldValue, SourceField, TransparentField, UnserializableField, format_text, source_kinds,
    with_field_value,
};
pub use failure::{DerivedFailure, Failure, provide_failure};
pub use tent_core::codes::{self, Code};

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::bounded;
use crate::content::Content;
use crate::text::{LOGGED_ERROR, abridged};

/// Any owned error that threads can share.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A result whose error type is [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of a call: a code with its status, a message and a fix for the caller, and a source that only the log gets.
///
/// `?` turns any `std::error::Error`, and any `anyhow::Error`, into an **unexpected** error (T0012) whose text goes only
/// to the log. A type that derives `Failure` is a **declared** error and keeps its code, message and fields through `?`.
///
/// ```
/// use tent::{Error, Result};
/// fn read() -> Result<String> {
///     Ok(std::fs::read_to_string("/no/such/file")?)
/// }
/// let error = read().unwrap_err();
/// assert_eq!(error.code(), "T0012");
/// assert!(!error.to_string().contains("No such file"));
/// assert!(error.source().is_some());
/// ```
///
/// `?` also turns it into a `Box<dyn std::error::Error>` and, with the feature `anyhow` (on by default), into an
/// `anyhow::Error`. For other error types use [`into_boxed`](Self::into_boxed).
#[derive(Clone)]
pub struct Error(Arc<Inner>);

/// The message of an unexpected error, which names no cause.
const INTERNAL_MESSAGE: &str = "Internal error.";

/// The code of an error: one of the catalogue, or one of the app.
#[derive(Clone, Copy, Debug)]
enum AnyCode {
    Tent(Code),
    App(AppCode),
}

#[derive(Clone, Debug)]
struct Inner {
    code: AnyCode,
    name: Cow<'static, str>,
    status: u16,
    message: Cow<'static, str>,
    fix: Cow<'static, str>,
    fields: Map<String, Value>,
    retry_after: Option<Duration>,
    content: Vec<Content>,
    source: Option<chain::Source>,
}

/// [`Error`] cannot implement `std::error::Error` (see [`convert`]). This is the form of it that does, as the source of
/// another error and in a box.
impl StdError for Inner {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // A conversion back into an `Error` gets the same error, also through `anyhow`.
        provide_failure(|| Error(Arc::new(self.clone())));
        self.source.as_ref().map(|source| source.get() as _)
    }
}

impl fmt::Display for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error {
    /// Makes an error of tent's own code, with the text of the catalogue.
    pub(crate) fn new(code: Code) -> Self {
        Error(Arc::new(Inner {
            code: AnyCode::Tent(code),
            name: code.name().into(),
            status: match code.status() {
                0 => 500,
                status => status,
            },
            message: code.meaning().into(),
            fix: code.fix().into(),
            fields: Map::new(),
            retry_after: None,
            content: Vec::new(),
            source: None,
        }))
    }

    /// Makes an error with a code of the app, an HTTP status from 400 to 599 (others become 500) and a message. For
    /// several errors, derive `Failure` instead.
    ///
    /// ```
    /// let error = tent::Error::declared(tent::code!("A0007"), 409, "The shop is closed")
    ///     .with_fix("Come back tomorrow")
    ///     .with_field("opens", "09:00");
    /// assert_eq!((error.code(), error.status()), ("A0007", 409));
    /// ```
    pub fn declared(code: AppCode, status: u16, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Arc::new(Inner {
            code: AnyCode::App(code),
            name: Cow::Borrowed("failure"),
            status: if (400..600).contains(&status) {
                status
            } else {
                500
            },
            message: message.into(),
            fix: Cow::Borrowed(""),
            fields: Map::new(),
            retry_after: None,
            content: Vec::new(),
            source: None,
        }))
    }

    /// Makes an unexpected error (T0012). The caller gets a general message, the log gets `source`.
    pub fn unexpected(source: impl Into<BoxError>) -> Self {
        Error::new(codes::INTERNAL)
            .with_message(INTERNAL_MESSAGE)
            .with_source(source)
    }

    fn change(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Replaces the message.
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {
        self.change(|inner| inner.message = message.into())
    }

    /// Replaces the fix: what the caller can do about the error.
    pub fn with_fix(self, fix: impl Into<Cow<'static, str>>) -> Self {
        self.change(|inner| inner.fix = fix.into())
    }

    /// Sets the HTTP status, for a code that has more than one.
    pub(crate) fn with_status(self, status: u16) -> Self {
        self.change(|inner| inner.status = status)
    }

    /// Replaces the name: the kind of error, in words joined by hyphens.
    pub fn with_name(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.change(|inner| inner.name = name.into())
    }

    /// Adds a field, which callers see. The error becomes an unexpected one (T0012) if the value nests deeper than 100
    /// levels.
    pub fn with_field(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let name = name.into();
        match bounded::check(value.into()) {
            Ok(value) => self.change(|inner| {
                inner.fields.insert(name, value);
            }),
            Err(why) => self.without_field(&name, why),
        }
    }

    /// Makes an unexpected error of an error whose field cannot be written.
    pub(super) fn without_field(&self, name: &str, why: impl fmt::Display) -> Self {
        Error::unexpected(format!(
            "the field `{name}` of an error {} cannot be sent: {why}",
            self.code()
        ))
    }

    /// Sets the source, which only the log shows.
    pub fn with_source(self, source: impl Into<BoxError>) -> Self {
        self.change(|inner| inner.source = Some(chain::Source::new(source.into())))
    }

    /// Sets the time after which the caller may send the call again.
    pub fn with_retry_after(self, wait: Duration) -> Self {
        self.change(|inner| inner.retry_after = Some(wait))
    }

    /// Appends content to show beside the message: a screenshot, the end of a log, a link.
    ///
    /// Only the result of a tool over MCP has a place for it: `/api` sends a problem document, and resources and prompts
    /// fail with a protocol error. Content larger than `limits.max_response` is dropped with a log line.
    ///
    /// ```
    /// use tent::Error;
    /// use tent::Content;
    /// let error = Error::declared(tent::code!("A0008"), 502, "The page did not load")
    ///     .with_content([Content::image(vec![0x89, b'P', b'N', b'G'], "image/png")]);
    /// assert_eq!(error.content().len(), 1);
    /// ```
    ///
    /// In a derived failure, mark a field `#[failure(content)]`.
    pub fn with_content(self, content: impl IntoIterator<Item = Content>) -> Self {
        self.change(|inner| inner.content.extend(content))
    }

    /// Removes the content.
    pub(crate) fn without_content(self) -> Self {
        self.change(|inner| inner.content.clear())
    }

    /// The code: `T` and four digits, or `A` and four digits for a code of the app.
    pub fn code(&self) -> &'static str {
        match self.0.code {
            AnyCode::Tent(code) => code.as_str(),
            AnyCode::App(code) => code.as_str(),
        }
    }

    /// Whether this is an error with the given code of tent.
    ///
    /// ```
    /// use tent::{Error, codes};
    /// assert!(Error::unexpected("the disk is full").is(codes::INTERNAL));
    /// ```
    pub fn is(&self, code: Code) -> bool {
        self.tent_code() == Some(code)
    }

    /// The code, if it is one of tent's.
    pub fn tent_code(&self) -> Option<Code> {
        match self.0.code {
            AnyCode::Tent(code) => Some(code),
            AnyCode::App(_) => None,
        }
    }

    /// The kind of error, in words joined by hyphens.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The HTTP status, 400 to 599.
    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// The message for the caller.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the caller can do about the error; empty if unknown.
    pub fn fix(&self) -> &str {
        &self.0.fix
    }

    /// The data of the error. In T0003 each key is the path of an invalid field of the input, and each value is the problem
    /// of that field.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0.fields
    }

    /// The content to show beside the message, in order.
    pub fn content(&self) -> &[Content] {
        &self.0.content
    }

    /// The time after which the caller may send the call again, if known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The source, for the log.
    pub fn source(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_ref().map(chain::Source::get)
    }

    /// The messages of the source and of its sources, outermost first: at most 32, each cut to 4 KiB. A panic in the code
    /// of a source is caught, and ends the list with a message about it.
    pub fn chain(&self) -> Vec<String> {
        let first = self
            .source()
            .map(|source| source as &(dyn StdError + 'static));
        chain::of(first)
    }

    /// The [`chain`](Self::chain) for a log line: its first messages, each cut.
    pub(crate) fn logged_chain(&self) -> Vec<String> {
        let mut chain = self.chain();
        chain.truncate(20);
        for message in &mut chain {
            if let Cow::Owned(cut) = abridged(message, LOGGED_ERROR) {
                *message = cut;
            }
        }
        chain
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code())
            .field("message", &self.0.message)
            .field("fields", &self.0.fields)
            .field("chain", &self.chain())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_a_call_makes_an_error() {
        for code in codes::all().filter(|code| code.when() == codes::When::Call) {
            let error = Error::new(code);
            assert_eq!((error.status(), error.name()), (code.status(), code.name()));
        }
    }
}
