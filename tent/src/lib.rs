#![doc = include_str!("../docs/guide.md")]
// This crate holds no logic: the macros are in `tent-macros`, what they lean on in `tent-runtime`.

#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/errors.md")]
#[doc = include_str!("../docs/codes.md")]
pub mod errors {
    // For the links of the page.
    #[allow(unused_imports)]
    use super::*;
}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/words.md")]
pub mod words {
    // For the links of the page.
    #[allow(unused_imports)]
    use super::*;
}

pub mod prelude;

/// JSON Schema of Rust types, in the version that tent takes.
pub use schemars;
/// Serialising, in the version that tent takes.
pub use serde;
/// JSON values, in the version that tent takes.
pub use serde_json;

pub use tent_runtime::caller::{Caller, User};
pub use tent_runtime::code;
pub use tent_runtime::cx::{Capabilities, Client, Cx, Era, Level, Shared, input};
pub use tent_runtime::error::{AppCode, BoxError, Code, Error, Result, StartError, codes};
pub use tent_runtime::function::{
    Access, Annotations, Content, Declaration, Diagnostic, Diagnostics, Execution, Function,
    FunctionBuilder, Handled, Handler, HandlerCall, Icon, Icons, Kind, Location, Output,
    OutputShape, PromptMessage, PromptResult, ResourceInfo, Role, Rule, Theme, ToolAnnotations,
    WithContent,
};
pub use tent_runtime::registry::Registry;
pub use tent_runtime::server::{App, Functions, Notifier, Tent};
pub use tent_runtime::settings::Settings;
pub use tent_runtime::{http, keys, registry, settings};

/// A JSON object: what a function that completes an argument is told of the others.
pub type Map = serde_json::Map<String, serde_json::Value>;

/// A type that goes over the wire, as an input or an answer or within one: derives serde's `Serialize` and
/// `Deserialize` and schemars' `JsonSchema`, by tent's own re-exports, so that the app needs no crate
/// but tent.
///
/// ```
/// use tent::prelude::*;
///
/// #[data]
/// #[derive(Debug, PartialEq)]
/// #[serde(rename_all = "camelCase")]
/// struct Payment {
///     order_id: u32,
///     /// The number of the card.
///     #[tent(secret)]
///     card: String,
/// }
///
/// let sent = r#"{"orderId": 7, "card": "4242"}"#;
/// let payment: Payment = tent::serde_json::from_str(sent)?;
/// assert_eq!(payment, Payment { order_id: 7, card: "4242".into() });
/// # Ok::<(), tent::serde_json::Error>(())
/// ```
///
/// `#[serde(…)]` and `#[schemars(…)]` mean what they mean there, and stand below `#[data]`. Doc comments
/// are the descriptions that callers read. It derives nothing else: `Debug` or `Clone` are the author's to add.
///
/// | option | meaning |
/// |---|---|
/// | `#[tent(secret)]` on a field | its value is never shown: not in a failure that names the field, not in a log |
/// | `#[data(crate = path)]` | where tent lives, for a crate that re-exports it |
///
/// The plain derives do as well. With them a secret is marked `#[schemars(extend("x-tent-secret" = true))]`.
pub use tent_macros::data;

/// A state of the app: what its functions may take by reference.
///
/// The trait has no items. It is derived, for a type that is `Send`, `Sync` and owns what it holds; a type of
/// another crate is carried by [`Shared`].
///
/// ```
/// use tent::prelude::*;
///
/// #[derive(State)]
/// struct Shop {
///     name: String,
/// }
/// # fn takes<T: State>(_: T) {}
/// # takes(Shop { name: "Corner".into() });
/// ```
///
/// `#[state(crate = path)]` says where tent lives, for a crate that re-exports it.
pub use tent_macros::State;
#[doc(no_inline)]
pub use tent_runtime::cx::State;

/// A failure that its author states: with a code, a status, a message and a fix of its own, and with its
/// fields as data beside them.
///
/// The derive implements `Display` (the message), `std::error::Error`, [`trait@Failure`], and `From` for each
/// `#[from]`. `Debug` has to be there: derive it too.
///
/// ```
/// use tent::prelude::*;
///
/// #[derive(Debug, Failure)]
/// enum OrderError {
///     #[failure(
///         code = "A0001",
///         status = 409,
///         message = "Order {id} is already paid",
///         fix = "Call open_orders to see what is open"
///     )]
///     AlreadyPaid { id: u32 },
///
///     #[failure(code = "A0002", status = 503, message = "The bank does not answer")]
///     Bank(#[source] std::io::Error),
///
///     #[failure(transparent)]
///     Other(#[from] tent::Error),
/// }
///
/// let error = tent::Error::from(OrderError::AlreadyPaid { id: 7 });
/// assert_eq!((error.code(), error.name(), error.status()), ("A0001", "already-paid", 409));
/// assert_eq!(error.message(), "Order 7 is already paid");
/// assert_eq!(error.fix(), "Call open_orders to see what is open");
/// assert_eq!(error.fields()["id"], 7);
/// ```
///
/// | on a variant, or on a struct | meaning |
/// |---|---|
/// | `code = "A0001"` | needed: `A` and four digits, each once in an enum. Callers tell failures apart by it, so it is kept for good |
/// | `message = "…"` | needed: what the caller is told. `{id}` is a field, `{0}` one of a tuple, and `{id:>5}` or `{id:?}` as in `format!`; `{{` is a brace |
/// | `status = 409` | the HTTP status, 400 to 599; 422 where none is stated |
/// | `fix = "…"` | what the caller can do about it, with fields as in the message |
/// | `name = "…"` | its kind in words joined by hyphens; else the variant's own name, `already-paid` of `AlreadyPaid` |
/// | `transparent` | it passes on its one field: a [`Error`] or another failure with its own code, any other error as an unexpected failure (T0012) |
///
/// | on a field | meaning |
/// |---|---|
/// | `#[from]` | `?` makes the failure of this type; it is the source too |
/// | `#[source]` | what caused the failure, for the log alone |
/// | `#[failure(hidden)]` | the caller is not told it |
/// | `#[failure(content)]` | a list or an `Option` of [`Content`] that a tool's result shows beside the message; see [`Error::with_content`] |
///
/// A named field that serialises is told to the caller beside the message, under its own name; sources, tuples'
/// fields, and those whose type has no `Serialize` are not. `#[failure(crate = path)]` on the type says where
/// tent lives, for a crate that re-exports it.
///
/// What is wrong with a declaration is reported all at once, each at its word: T7020 for a code, message or status
/// that is missing or cannot be, T7014 for an option that there is not, T7008 for two that clash.
pub use tent_macros::Failure;
#[doc(no_inline)]
pub use tent_runtime::error::Failure;

#[doc = include_str!("../docs/action.md")]
pub use tent_macros::action;
#[doc = include_str!("../docs/change.md")]
pub use tent_macros::change;
#[doc = include_str!("../docs/prompt.md")]
pub use tent_macros::prompt;
#[doc = include_str!("../docs/query.md")]
pub use tent_macros::query;
#[doc = include_str!("../docs/resource.md")]
pub use tent_macros::resource;

/// The declarations of the functions that are named: `functions![open_orders, shop::mark_paid]` is a
/// `&'static [&'static Declaration]`, also in a constant.
///
/// ```
/// use tent::prelude::*;
///
/// mod shop {
///     use tent::prelude::*;
///
///     /// When the shop is open.
///     #[query(access = "anyone")]
///     pub fn hours() -> String {
///         "9 to 5".to_owned()
///     }
/// }
///
/// assert_eq!(tent::functions![shop::hours][0].name, "hours");
/// assert_eq!(shop::hours(), "9 to 5");
/// ```
///
/// For a registry of chosen functions: in tests, or where one binary holds several apps. Every other app takes all
/// functions that are linked.
///
/// The attributes leave a hidden constant beside each function, as visible as the function itself, and this names it:
/// where the compiler finds no `__tent_function_open_orders`, `open_orders` has no attribute or cannot be seen from here.
pub use tent_macros::functions;

/// Makes sure that a crate which only declares functions is part of the program, and that it does declare
/// some: the app does not start where it gave none (T7018).
///
/// A crate that nothing names is not linked, whatever `Cargo.toml` says, and its functions are missing without a
/// word. `use the_crate as _;` links it too, but promises nothing.
///
/// ```
/// # extern crate tent as shop_functions;
/// # mod app {
/// tent::link!(shop_functions);
/// # }
/// ```
///
/// A dependency that `Cargo.toml` renames is called by the name it has there `as` the one it has at home:
/// `tent::link!(shop as shop_functions)`.
#[macro_export]
macro_rules! link {
    ($krate:ident) => {
        $crate::link!($krate as $krate);
    };
    ($krate:ident as $name:ident) => {
        const _: () = {
            use ::$krate as _;
            $crate::__private::inventory::submit! {
                $crate::__private::Link {
                    krate: $crate::__private::core::stringify!($name),
                    location: $crate::__private::Location {
                        module: $crate::__private::core::module_path!(),
                        file: $crate::__private::core::file!(),
                        line: $crate::__private::core::line!(),
                    },
                }
            }
        };
    };
}

/// An [`App`] with the name and the version of the package that it stands in.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     tent::app!().run()
/// }
/// ```
#[macro_export]
macro_rules! app {
    () => {
        $crate::App::new(
            $crate::__private::core::env!("CARGO_PKG_NAME"),
            $crate::__private::core::env!("CARGO_PKG_VERSION"),
        )
    };
}

/// What the macros' code names. Nothing here is for apps, and anything may change in any version.
#[doc(hidden)]
pub mod __private {
    pub use tent_runtime::function::expansion::*;

    pub use ::core;
    pub use ::schemars;
    pub use ::serde;

    pub use tent_runtime::cx::State;
    pub use tent_runtime::error::AppCode;
    pub use tent_runtime::error::DerivedFailure;
    pub use tent_runtime::error::Error;
    pub use tent_runtime::error::{
        Failure, FieldValue, SourceField, TransparentField, UnserializableField, format_text,
        provide_failure, source_kinds, with_field_value,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
