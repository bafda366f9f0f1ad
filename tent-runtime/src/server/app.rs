//! [`App`]: the options of an app, collected before it is built.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use http::request::Parts;
use serde_json::Value;

use super::Notifier;
use super::build::StateSources;
use crate::caller::User;
use crate::cx::{Cx, State};
use crate::dispatch::{AppInfo, IdentityHooks};
use crate::error::{Error, Result};
use crate::function::{Declaration, Function, Icons};
use crate::settings::{self, Settings};

/// An app: its functions, its states and its description. Functions are found at link time. `tent::app!()` starts an app
/// with the name and the version of the package.
///
/// [`run`](Self::run) gives it a command line; [`build`](Self::build) makes a router to mount.
///
/// Each method sets one option and is named after it. A method whose name ends in `_with` takes a function that makes
/// the value.
#[must_use = "an app does nothing until it is run, served or built"]
pub struct App {
    pub(super) info: AppInfo,
    pub(super) functions: Option<Vec<&'static Declaration>>,
    pub(super) built: Vec<Arc<Function>>,
    pub(super) states: StateSources,
    pub(super) hooks: IdentityHooks,
    pub(super) settings: settings::Builder,
    pub(crate) notifier: Notifier,
}

impl App {
    /// Starts an app with this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let notifier = Notifier::default();
        let app = App {
            info: AppInfo {
                name: name.into(),
                version: version.into(),
                ..AppInfo::default()
            },
            functions: None,
            built: Vec::new(),
            states: StateSources::default(),
            hooks: IdentityHooks::default(),
            settings: Settings::builder(),
            notifier: notifier.clone(),
        };
        app.state(notifier)
    }

    /// Sets the title that people see.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Sets the description that people read beside the title. MCP clients get it from revision 2025-11-25 on.
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.info.about = Some(about.into());
        self
    }

    /// Sets the website of the app, an `https:` or `http:` address. MCP clients get it from revision 2025-11-25 on.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.info.website = Some(url.into());
        self
    }

    /// Sets the icons of the app. MCP clients get them from revision 2025-11-25 on, in the response to `initialize` or
    /// `server/discover`.
    ///
    /// ```
    /// use tent::{App, Icon};
    /// let app = App::new("orders", "1.0.0").icons(Icon::new("https://shop.example/icon.png").sizes(["48x48"]));
    /// # let _ = app;
    /// ```
    pub fn icons(mut self, icons: impl Icons) -> Self {
        self.info.icons = icons.icons();
        self
    }

    /// Declares that the app implements an MCP extension, with these settings: a JSON object, `{}` for none. The
    /// identifier is the one of the extension's specification, such as `io.modelcontextprotocol/ui`. The app implements
    /// the extension itself.
    ///
    /// [`Client::extension`](crate::cx::Client::extension) shows whether a client has it too; the option `needs` rejects
    /// the calls of a client without it. Clients of every revision get the declaration: the newest revision has
    /// `extensions` among its capabilities, and the capabilities of the others are open.
    ///
    /// ```
    /// use tent::App;
    /// use tent::serde_json::json;
    /// let app = App::new("orders", "1.0.0").extension("io.modelcontextprotocol/ui", json!({}));
    /// # let _ = app;
    /// ```
    pub fn extension(mut self, id: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.info.extensions.insert(id.into(), settings.into());
        self
    }

    /// Declares an experimental MCP capability, with these settings: a JSON object.
    pub fn experimental(mut self, name: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.info.experimental.insert(name.into(), settings.into());
        self
    }

    /// Sets the instructions for models that use the app. MCP clients may pass them on to their model.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.info.instructions = Some(instructions.into());
        self
    }

    /// Takes these functions in place of all that are linked: `tent::functions![a, m::b]`. A second call adds more.
    pub fn functions(mut self, functions: &[&'static Declaration]) -> Self {
        let named = self.functions.get_or_insert_default();
        named.extend_from_slice(functions);
        self
    }

    /// Adds a function that [`Function::builder`] made, besides those that are linked or named.
    pub fn function(mut self, function: Function) -> Self {
        self.built.push(Arc::new(function));
        self
    }

    /// Sets a state that exists. There is one state of each type: the last call of `state` or
    /// [`state_with`](Self::state_with) wins.
    pub fn state<T: State>(mut self, state: T) -> Self {
        self.states.put(state);
        self
    }

    /// Sets a state that must be opened first. Commands that run functions open it (`serve`, `mcp`, `call`). Commands
    /// that only read declarations do not (`check`, `list`, `explain`, `keys`), except `keys create --owner` in an app with
    /// [`users_with`](Self::users_with). There is one state of each type: the last call of [`state`](Self::state) or `state_with` wins, and the function of an earlier one does not run.
    ///
    /// ```
    /// use tent::{App, State};
    ///
    /// #[derive(State)]
    /// struct Shop(String);
    ///
    /// let app = App::new("orders", "1.0.0").state_with(async |settings| {
    ///     Ok::<_, tent::Error>(Shop(settings.get("shop.db")?))
    /// });
    /// # let _ = app;
    /// ```
    pub fn state_with<T, E, F>(mut self, open: impl FnOnce(Settings) -> F + Send + 'static) -> Self
    where
        T: State,
        E: Into<Error>,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.states.open(open);
        self
    }

    /// Sets the function that finds a user by id, such as the owner of an API key, with the roles that
    /// `access = "role:…"` requires. `None` rejects the caller. tent caches the result for one second.
    ///
    /// Without it, every owner of an API key is a user without roles.
    ///
    /// ```
    /// use tent::{App, Result, User};
    /// async fn person(id: String) -> Result<Option<User>> {
    ///     Ok((id == "ada").then(|| User::new(id).role("staff")))
    /// }
    /// let app = App::new("orders", "1.0.0").users(async |id| person(id).await);
    /// # let _ = app;
    /// ```
    ///
    /// An `async |id|` closure cannot borrow what it captures, because its future may outlive the call. Take the
    /// database from a state of the app ([`users_with`](Self::users_with)), or clone it for each call:
    /// `move |id| { let shop = shop.clone(); async move { shop.person(id).await } }`.
    pub fn users<E, F>(self, find: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        let mut app = self.users_with(move |_, id| find(id));
        app.hooks.users_take_states = false;
        app
    }

    /// Sets the function that finds a user by id, as [`users`](Self::users), with the states of the app in a [`Cx`] whose
    /// caller is the app itself.
    ///
    /// ```
    /// use tent::{App, Result, State, User};
    ///
    /// #[derive(State)]
    /// struct Shop;
    ///
    /// impl Shop {
    ///     async fn person(&self, id: String) -> Result<Option<User>> {
    ///         Ok(Some(User::new(id)))
    ///     }
    /// }
    ///
    /// let app = App::new("orders", "1.0.0")
    ///     .state(Shop)
    ///     .users_with(async |cx, id| cx.state::<Shop>()?.person(id).await);
    /// # let _ = app;
    /// ```
    pub fn users_with<E, F>(
        mut self,
        find: impl Fn(Cx, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        self.hooks.users = Some(IdentityHooks::boxed(find));
        self.hooks.users_take_states = true;
        self
    }

    /// Sets the function that identifies the app's own signed-in user from the head of a request. `None` is an anonymous
    /// caller. It does not run for a request with an API key.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tent::http::request::Parts;
    /// use tent::{App, Result, User};
    /// async fn session_user(parts: Arc<Parts>) -> Result<Option<User>> {
    ///     let session = parts.headers.get("x-session");
    ///     Ok(session.is_some_and(|session| session == "ada's").then(|| User::new("ada")))
    /// }
    /// let app = App::new("orders", "1.0.0").identify(session_user);
    /// # let _ = app;
    /// ```
    pub fn identify<E, F>(self, identify: impl Fn(Arc<Parts>) -> F + Send + Sync + 'static) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        self.identify_with(move |_, parts| identify(parts))
    }

    /// Sets the function that identifies a user, as [`identify`](Self::identify), with the states of the app in the
    /// [`Cx`].
    pub fn identify_with<E, F>(
        mut self,
        identify: impl Fn(Cx, Arc<Parts>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        self.hooks.identify = Some(IdentityHooks::boxed(identify));
        self
    }

    /// Returns the sender of notifications and requests to MCP clients, for the app's own tasks. A function takes it as
    /// `&Notifier`, a state that every app has.
    pub fn mcp(&self) -> Notifier {
        self.notifier.clone()
    }

    /// Sets a setting, such as `limits.max_body` to `8MiB`. It overrides `tent.toml` and the `TENT_…` variables. A wrong value
    /// is an error when the app is run or built.
    pub fn set(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings = self.settings.set(key, value);
        self
    }

    /// Sets a setting by a flag of the command line, which overrides everything else.
    pub(crate) fn flag(mut self, flag: &str, key: &str, value: impl Into<String>) -> Self {
        self.settings = self.settings.flag(flag, key, value);
        self
    }

    /// The description of the app.
    pub(crate) fn info(&self) -> &AppInfo {
        &self.info
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
