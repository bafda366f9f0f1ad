//! Failures of every shape: structs and enums, named, numbered and empty, generic, none at all.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

use tent::Failure;

/// One kind.
#[derive(Debug, Failure)]
#[failure(code = "A0001", message = "Order {0} is gone")]
pub struct Gone(pub u32);

/// One kind without a field.
#[derive(Debug, Failure)]
#[failure(code = "A0002", status = 503, message = "The shop is closed", fix = "Come back at {{9}}")]
pub struct Closed;

/// Passes on.
#[derive(Debug, Failure)]
#[failure(transparent)]
pub struct Passed(#[from] pub tent::Error);

/// Raw words.
#[derive(Debug, Failure)]
pub enum Raw {
    /// One.
    #[failure(code = "A0001", message = "{type} of {self_}")]
    r#Type {
        /// A raw field.
        r#type: u32,
        /// Another.
        self_: u32,
    },
    /// Old.
    #[deprecated]
    #[failure(code = "A0002", message = "old {0}")]
    Old(u32),
}

/// Cannot be.
#[derive(Debug, Failure)]
pub enum Never {}

/// Borrows, so it goes through no `?`, and is a failure all the same.
#[derive(Debug, Failure)]
#[failure(code = "A0003", message = "no `{word}`")]
pub struct Borrowing<'a> {
    /// What there is not.
    pub word: &'a str,
}

/// Shows something beside its message, of whatever is a list of content.
#[derive(Debug, Failure)]
pub enum Showing<T> {
    /// A list.
    #[failure(code = "A0004", message = "It stopped at {step}")]
    Stopped {
        /// Where.
        step: u32,
        /// What was seen.
        #[failure(content)]
        shots: Vec<tent::Content>,
        /// Perhaps the end of the log.
        #[failure(content)]
        log: Option<tent::Content>,
    },
    /// Anything.
    #[failure(code = "A0005", message = "any")]
    Any(#[failure(content)] T),
}

/// Through a macro.
macro_rules! failure {
    ($name:ident, $code:literal, $message:expr, $status:expr, $($field:ident: $ty:ty),*) => {
        /// Made by a macro.
        #[derive(Debug, Failure)]
        pub enum $name {
            /// Its only kind.
            #[failure(code = $code, message = $message, status = $status)]
            Only {
                $(
                    /// A field.
                    $field: $ty,
                )*
            },
        }
    };
}
failure!(Made, "A0042", "{a} and {b:?}", 410, a: u32, b: Vec<u32>);

fn main() {
    let made = Made::Only { a: 1, b: vec![2] };
    let error = tent::Error::from(made);
    assert_eq!((error.status(), error.message()), (410, "1 and [2]"));
    assert_eq!(Borrowing { word: "x" }.to_string(), "no `x`");
    let raw = tent::Error::from(Raw::Type { r#type: 1, self_: 2 });
    assert_eq!((raw.name(), &raw.fields()["type"]), ("type", &tent::serde_json::json!(1)));
    let text = tent::Content::text;
    let stopped: Showing<Vec<tent::Content>> = Showing::Stopped {
        step: 3,
        shots: vec![text("a"), text("b")],
        log: Some(text("c")),
    };
    let error = tent::Error::from(stopped);
    assert_eq!(error.content(), ["a", "b", "c"].map(text));
    assert_eq!(error.fields().len(), 1);
    let error = tent::Error::from(Showing::Any([text("d")]));
    assert_eq!(error.content(), [text("d")]);
    assert_eq!(tent::Error::from(Closed).fix(), "Come back at {9}");
}
