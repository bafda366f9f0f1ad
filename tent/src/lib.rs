#![doc = include_str!("../docs/guide.md")]
// This crate holds no logic: `tent-macros` has the macros, and `tent-runtime` the rest.

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

#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/clients.md")]
pub mod clients {
    // For the links of the page.
    #[allow(unused_imports)]
    use super::*;
}

pub mod prelude;

/// JSON Schema of Rust types, in the version that tent uses.
pub use schemars;
/// Serialization, in the version that tent uses.
pub use serde;
/// JSON values, in the version that tent uses.
pub use serde_json;

// The public items of the runtime. Each is documented where it is defined.
pub use tent_runtime::{
    Access, Annotations, App, AppCode, BoxError, Caller, Capabilities, Client, Code, Content, Cx,
    Declaration, Diagnostic, Diagnostics, Era, Error, Execution, Function, FunctionBuilder,
    Functions, Handled, Handler, HandlerCall, Icon, Icons, Key, KeyRecord, Keys, Kind, Level,
    Location, MadeKey, Meta, NewKey, Notifier, Output, PromptMessage, PromptResult, Registry,
    Resource, ResourceInfo, Result, Role, Rule, Settings, Shared, StartError, Tent, Theme, Time,
    ToolAnnotations, User, WithContent, code, codes, http, input, settings,
};

/// A JSON object. A function that completes an argument gets the other arguments as one.
pub type Map = serde_json::Map<String, serde_json::Value>;

/// Derives what the type of an input or an output needs: serde's `Serialize` and `Deserialize` and schemars'
/// `JsonSchema`, through tent's own re-exports, so that the app depends on no crate but tent.
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
/// `#[serde(…)]` and `#[schemars(…)]` have their usual meaning, and go below `#[data]`. Doc comments are the
/// descriptions that callers read. Derive `Debug`, `Clone` and other traits yourself.
///
/// | option | meaning |
/// |---|---|
/// | `#[tent(secret)]` on a field | the value never appears in an error or in a log |
/// | `#[data(crate = path)]` | the path of tent, for a crate that re-exports it |
///
/// What the client wrote is what the type reads:
///
/// - `#[serde(alias = "q")]` on a field or a variant: the other name is accepted too, and not published. Both names of a field
///   at once are T0003.
/// - `Option<Option<T>>` with `deserialize_with` or `with`: `null` reaches the function of the author, and is published.
/// - An untagged enum whose earlier variant would read the values of a later one, without some of their fields, is an error at
///   start, since serde takes the first variant that it can read. Put the variant with more fields first, or write
///   `#[serde(deny_unknown_fields)]`.
/// - A map with integer keys below `#[serde(flatten)]`, or in an enum that is untagged or has a tag, is an error at start: serde
///   cannot read it there.
///
/// The plain derives work too. With them, mark a secret with `#[schemars(extend("x-tent-secret" = true))]`, and the other names
/// of a field with `#[schemars(extend("x-tent-aliases" = ["q"]))]`. schemars tells nothing of an alias or of a flattened field, so
/// without the mark an alias is an unknown field.
pub use tent_macros::data;

/// Derives [`trait@State`] for a state of the app, which functions take by reference.
///
/// The trait has no items. The type must be `Send`, `Sync` and `'static`. [`Shared`] carries a type of another crate.
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
/// `#[state(crate = path)]` sets the path of tent, for a crate that re-exports it.
pub use tent_macros::State;
#[doc(no_inline)]
pub use tent_runtime::State;

/// Derives [`trait@Failure`] for an error type, with a code, a status, a message, a fix and fields for each failure.
///
/// The derive also implements `Display` (the message), `std::error::Error`, and `From` for each `#[from]`. The type
/// must implement `Debug`: derive it too.
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
/// | `code = "A0001"` | required: `A` and four digits, unique in the enum. Callers distinguish failures by the code, so do not change it later |
/// | `message = "…"` | required: the message for the caller. `{id}` is a field, `{0}` a field of a tuple, and `{id:>5}` and `{id:?}` work as in `format!`; `{{` is a brace |
/// | `status = 409` | the HTTP status, 400 to 599; the default is 422 |
/// | `fix = "…"` | what the caller can do, with fields as in the message |
/// | `name = "…"` | the name of the failure, in words joined by hyphens; the default comes from the variant: `already-paid` for `AlreadyPaid` |
/// | `transparent` | the one field is the error: an [`Error`] or another failure keeps its code, any other error is unexpected (T0012) |
///
/// | on a field | meaning |
/// |---|---|
/// | `#[from]` | `?` converts this type to the failure; the field is also the source |
/// | `#[source]` | the cause of the failure, which only the log shows |
/// | `#[failure(hidden)]` | the caller does not get the field |
/// | `#[failure(content)]` | a list or an `Option` of [`Content`] that a tool's result shows beside the message; see [`Error::with_content`] |
///
/// The caller gets each named field whose type implements `Serialize`, under the name of the field. Sources, the fields
/// of tuples and other types stay private. `#[failure(crate = path)]` on the type sets the path of tent, for a crate
/// that re-exports it.
///
/// All errors of a declaration are reported at once, each at its place: T7020 for a code, message or status that is
/// missing or not valid, T7014 for an unknown option, T7008 for two options that clash.
pub use tent_macros::Failure;
#[doc(no_inline)]
pub use tent_runtime::Failure;

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

/// Lists the declarations of functions: `functions![open_orders, shop::mark_paid]` is a
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
/// Use it for an app with selected functions: in tests, or if one binary holds several apps. Every other app has all
/// linked functions.
///
/// The attributes add a hidden constant beside each function, with the visibility of the function. If the compiler does
/// not find `__tent_function_open_orders`, then `open_orders` has no attribute or is not visible here.
pub use tent_macros::functions;

/// Links a crate that only declares functions, and requires that it declares at least one: otherwise the app does not
/// start (T7018).
///
/// Rust does not link a crate that the program never names, even if `Cargo.toml` has it, and its functions would be
/// missing silently. `use the_crate as _;` links it too, without the check.
///
/// ```
/// # extern crate tent as shop_functions;
/// # mod app {
/// tent::link!(shop_functions);
/// # }
/// ```
///
/// For a dependency that `Cargo.toml` renames, give that name `as` the crate's own name:
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

/// Creates an [`App`] with the name and the version of the package that calls the macro.
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

/// Items for generated code. They are not for apps, and can change in any version.
#[doc(hidden)]
pub mod __private {
    pub use tent_runtime::__private::*;

    pub use ::core;
    pub use ::schemars;
    pub use ::serde;

    /// What the code of derives takes from the standard prelude.
    pub mod prelude {
        pub use std::convert::{From, Into};
        pub use std::default::Default;
        pub use std::iter::{IntoIterator, Iterator};
        pub use std::string::ToString;

        pub mod some {
            pub use std::option::Option::Some;
        }

        pub mod none {
            pub use std::option::Option::None;
        }
    }
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
