//! [`Error`]: what a caller is told of a failure, and beside it what only the log may hold.
//!
//! Knows no HTTP headers and no JSON-RPC: the envelopes turn an `Error` into their own form. Its
//! `Display` never repeats its source.

mod app_code;
mod derived;

pub use app_code::AppCode;
pub use derived::{Cause, Told, Transparent, Untold, causes, tell, text};

use std::borrow::Cow;
use std::cell::RefCell;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
pub use tent_core::codes::{self, Code};

use crate::content::Content;

/// Any error, owned: what an unexpected failure is made from.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A result whose error is [`Error`] unless another is named.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of a call: a code with its status, a message and a fix for the caller, and a source
/// that only the log sees.
///
/// `?` turns any `std::error::Error`, and any `anyhow::Error`, into an **unexpected** failure (T0012):
/// its text goes to the log alone. A type that derives `Failure` is a **stated** one and keeps its
/// own code, message and fields through `?`.
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
#[derive(Clone)]
pub struct Error(Arc<Inner>);

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
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// So that an [`Error`] can be the source of another, though it is no `std::error::Error` itself.
impl StdError for Inner {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
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

    /// An unexpected failure (T0012): the caller is told that it broke, the log what it was.
    pub fn unexpected(source: impl Into<BoxError>) -> Self {
        Error::new(codes::INTERNAL)
            .with_message("The function broke.")
            .with_source(source)
    }

    fn change(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The same failure with another message.
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {
        self.change(|inner| inner.message = message.into())
    }

    /// The same failure with another fix: what the caller can do about it.
    pub fn with_fix(self, fix: impl Into<Cow<'static, str>>) -> Self {
        self.change(|inner| inner.fix = fix.into())
    }

    /// The same failure with another name: the words that a failure's kind has beside its code.
    pub fn with_name(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.change(|inner| inner.name = name.into())
    }

    /// The same failure with one more field. Callers see it.
    pub fn with_field(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.change(|inner| {
            inner.fields.insert(name.into(), value.into());
        })
    }

    /// The same failure with a source, which only the log shows.
    pub fn with_source(self, source: impl Into<BoxError>) -> Self {
        self.change(|inner| inner.source = Some(Arc::from(source.into())))
    }

    /// The same failure with the time after which the call may be sent again.
    pub fn with_retry_after(self, wait: Duration) -> Self {
        self.change(|inner| inner.retry_after = Some(wait))
    }

    /// The same failure with content beside its text, behind any that it has: a screenshot, the end of a log, a link.
    ///
    /// A tool's result over MCP shows it, to the model and the person. No other answer has a place for it: `/api`
    /// answers with a problem document, and what a resource or a prompt fails with is an error of the protocol. Content
    /// of more than `limits.max_response` is left out, and the log says so.
    ///
    /// ```
    /// use tent::Error;
    /// use tent::Content;
    /// let error = Error::declared(tent::code!("A0008"), 502, "The page did not load")
    ///     .with_content([Content::image(vec![0x89, b'P', b'N', b'G'], "image/png")]);
    /// assert_eq!(error.content().len(), 1);
    /// ```
    ///
    /// A failure that is derived has it by a field: `#[failure(content)]`.
    pub fn with_content(self, content: impl IntoIterator<Item = Content>) -> Self {
        self.change(|inner| inner.content.extend(content))
    }

    /// The same failure without what is shown beside its text.
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

    /// The name of the code, in words joined by hyphens.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The HTTP status, 400 to 599.
    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// What the caller is told.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the caller can do about it; empty where nothing is known.
    pub fn fix(&self) -> &str {
        &self.0.fix
    }

    /// What is known of the failure beyond its message. In T0003 each key is the path of an input's
    /// field and each value says what is wrong with it.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0.fields
    }

    /// What is shown beside its text, in order.
    pub fn content(&self) -> &[Content] {
        &self.0.content
    }

    /// After what time the call may be sent again, where that is known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The source, for the log.
    pub fn source(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }

    /// The messages of the source and of all that lie under it, the outermost first.
    pub fn chain(&self) -> Vec<String> {
        let first = self
            .source()
            .map(|source| source as &(dyn StdError + 'static));
        std::iter::successors(first, |&error| error.source())
            .map(ToString::to_string)
            .collect()
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

impl<E: Into<BoxError>> From<E> for Error {
    fn from(error: E) -> Self {
        let error = error.into();
        match stated(&*error) {
            None => Error::unexpected(error),
            // What caused a stated failure is for the log; its own message is told already.
            Some(failure) if failure.source().is_none() && error.source().is_some() => {
                failure.with_source(derived::Beneath(error))
            }
            Some(failure) => failure,
        }
    }
}

/// So that `?` works where any error is given, as by a `main` or a test.
///
/// There is none for [`BoxError`], out of which `?` would make another [`Error`]: a failure would lose its
/// code on the way through.
impl From<Error> for Box<dyn StdError> {
    fn from(error: Error) -> Self {
        Box::new(Arc::unwrap_or_clone(error.0))
    }
}

/// A failure that its author states: with a code, a status, a message and a fix of its own.
/// `#[derive(Failure)]` implements it, together with `Display` and `std::error::Error`.
pub trait Failure: StdError {
    /// What a caller is told.
    fn failure(&self) -> Error;
}

thread_local! {
    /// Where a derived `source()` leaves its failure while [`stated`] asks for one.
    static ASKED: RefCell<Option<Option<Error>>> = const { RefCell::new(None) };
}

/// The stated failure that `error` is, if its type derives `Failure`.
///
/// `From` cannot ask whether a type implements a trait, and an error that went through `anyhow` has no
/// type to ask. So a derived `source()` also offers its failure (see [`offer`]), and this asks for
/// it. Only `error` itself is asked, not what lies under it: a failure that somebody wrapped in an
/// error of another kind was meant for the log.
fn stated(error: &(dyn StdError + 'static)) -> Option<Error> {
    let before = ASKED.replace(Some(None));
    let _ = error.source();
    ASKED.replace(before).flatten()
}

/// Called by a derived `source()`: gives the failure to who asks for it, if anyone does.
#[doc(hidden)]
pub fn offer(failure: impl FnOnce() -> Error) {
    let asked = ASKED.with_borrow(|asked| matches!(asked, Some(None)));
    if asked {
        let failure = failure();
        ASKED.with_borrow_mut(|asked| {
            if let Some(slot) = asked {
                slot.get_or_insert(failure);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Paid(u32);
    impl fmt::Display for Paid {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "Order {} is already paid", self.0)
        }
    }
    impl StdError for Paid {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            offer(|| Failure::failure(self));
            None
        }
    }
    impl Failure for Paid {
        fn failure(&self) -> Error {
            Error::declared(crate::code!("A0001"), 409, self.to_string()).with_field("id", self.0)
        }
    }

    #[derive(Debug)]
    struct Wrapped(Paid);
    impl fmt::Display for Wrapped {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("wrapped")
        }
    }
    impl StdError for Wrapped {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_stated_failure_keeps_its_code_through_the_question_mark() {
        fn pay() -> Result<()> {
            Err(Paid(7))?;
            Ok(())
        }
        let error = pay().expect_err("it is paid");
        assert_eq!((error.code(), error.status()), ("A0001", 409));
        assert_eq!(error.to_string(), "Order 7 is already paid");
        assert_eq!(error.fields()["id"], 7);
    }

    #[test]
    fn a_failure_inside_another_error_is_for_the_log() {
        let error = Error::from(Wrapped(Paid(7)));
        assert_eq!(error.code(), "T0012");
        assert_eq!(error.chain(), ["wrapped", "Order 7 is already paid"]);
        assert!(!error.to_string().contains("paid"));
    }

    #[test]
    fn a_main_that_gives_any_error_takes_one() {
        fn main() -> std::result::Result<(), Box<dyn StdError>> {
            Err(Error::from(Wrapped(Paid(7))))?
        }
        let error = main().expect_err("it failed");
        assert_eq!(error.to_string(), "The function broke.");
        let under = error.source().map(ToString::to_string);
        assert_eq!(under.as_deref(), Some("wrapped"));
    }

    #[test]
    fn every_code_that_a_caller_can_meet_makes_an_error() {
        for code in codes::all().filter(|code| code.when() == codes::When::Call) {
            let error = Error::new(code);
            assert_eq!((error.status(), error.name()), (code.status(), code.name()));
        }
    }
}
