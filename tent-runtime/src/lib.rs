//! The runtime of tent: the registry of functions, the dispatch that calls them, and the two endpoints
//! (`/api` and `/mcp`) that translate requests into calls. Apps name the crate `tent`, which re-exports the public
//! items below.
//!
//! Each module imports only modules above it in this list, which a test enforces.

mod text;
mod bounded;
mod clock;
mod content;
mod error;
mod json;
mod quota;
mod race;
mod random;
mod schema;
mod caller;
// Public as a module: its sections have common names, such as `Web` and `Store`.
pub mod settings;
mod in_flight;
mod seal;
mod store;
mod keys;
mod cx;
mod function;
mod registry;
mod dispatch;
mod web;
mod api;
mod mcp;
mod server;
mod cli;

/// The types of HTTP requests, in the version that `identify` receives.
pub use http;

// Errors.
pub use error::{AppCode, BoxError, Code, Error, Failure, Result, StartError, codes};

// Callers and their API keys.
pub use caller::{Caller, Key, User};
pub use clock::Time;
pub use keys::{KeyRecord, Keys, MadeKey, NewKey};

// The call that a function serves. `input` is a module: its types have common names, such as `Form` and `Field`.
pub use cx::{Capabilities, Client, Cx, Era, Level, Shared, State, input};

// The output of a function.
pub use function::{
    Annotations, Content, Icon, Icons, Meta, Output, PromptMessage, PromptResult, ResourceInfo,
    Role, Theme, WithContent,
};

// Functions and their registry.
pub use function::{
    Access, Declaration, Diagnostic, Diagnostics, Execution, Function, FunctionBuilder, Handled,
    Handler, HandlerCall, Kind, Location, Rule, ToolAnnotations,
};
pub use registry::{Registry, Resource};

// The traits that bound a closure of the app: its parameters and what it returns. Apps do not name them.
pub use function::{IntoDecision, IntoError, IntoOutput, Owned};

// The app.
pub use server::{App, Functions, Notifier, Tent};
pub use settings::Settings;

/// Items for generated code and for tent's own tests. They are not for apps, and can change in any version.
#[doc(hidden)]
pub mod __private {
    pub use crate::cx::{State, States};
    pub use crate::error::{
        AppCode, DerivedFailure, Error, Failure, FieldValue, SourceField, TransparentField,
        UnserializableField, format_text, provide_failure, source_kinds, with_field_value,
    };
    pub use crate::function::expansion::*;
    pub use crate::schema::Flattened;

    use crate::caller::Caller;
    use crate::cx::TraceId;
    use crate::dispatch::{Admitted, Call, Endpoint};
    use crate::function::Diagnostics;
    use crate::registry::Registry;
    use crate::server::Tent;

    /// The registry of these declarations alone.
    ///
    /// # Errors
    /// Every problem of the declarations.
    pub fn registry_of(
        declarations: &[&'static Declaration],
    ) -> core::result::Result<Registry, Diagnostics> {
        Registry::of(declarations)
    }

    /// The caller of a request with these parts.
    ///
    /// # Errors
    /// Those of the credentials.
    pub async fn caller_of(tent: &Tent, parts: &http::request::Parts) -> Result<Caller> {
        let trace = TraceId::default();
        tent.dispatcher().identify(parts, &trace).await
    }

    /// The state of this type.
    pub fn state<T: State>(tent: &Tent) -> Option<&T> {
        tent.dispatcher().states().find()
    }

    /// Calls a function as the app, as the command line does.
    ///
    /// # Errors
    /// Those of the call.
    pub async fn call_as_app(tent: &Tent, name: &str, input: Object) -> Result<Output> {
        let admitted = Admitted::internal(Caller::App, TraceId::default());
        let call = Call {
            input,
            ..Call::default()
        };
        tent.dispatcher()
            .call_as(Endpoint::Cli, admitted, name, call)
            .await
    }
}
