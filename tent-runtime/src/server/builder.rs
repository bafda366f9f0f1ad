//! [`App`]: everything that a program states before it is served.

use std::any::TypeId;
use std::collections::HashSet;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;
use serde_json::Value;
use tent_core::codes;

use super::{Notifier, Tent};
use crate::caller::User;
use crate::cx::{Cx, State, States};
use crate::dispatch::{AppInfo, Dispatcher, DispatcherParts, IdentityHooks};
use crate::error::{Error, Result};
use crate::function::{BoxFuture, Declaration, Function, Icons};
use crate::registry::{Diagnostics, Registry};
use crate::settings::{self, Settings};
use crate::store::{self, Store};

/// Opens one state when the app is built.
type Opener = Box<dyn FnOnce(Settings) -> BoxFuture<'static, Result<Opened>> + Send>;

/// Puts the state that was opened where it belongs.
type Opened = Box<dyn FnOnce(&mut States) + Send>;

/// An app: its functions are found at link time, and what they need is stated here. `tent::app!()` makes
/// one with the name and the version of the app's `Cargo.toml`.
///
/// [`run`](Self::run) gives it a command line; [`build`](Self::build) a router to mount.
#[must_use = "an app does nothing until it is run, served or built"]
pub struct App {
    about: AppInfo,
    functions: Option<Vec<&'static Declaration>>,
    built: Vec<Arc<Function>>,
    states: States,
    handed: HashSet<TypeId>,
    openers: Vec<Opener>,
    hooks: IdentityHooks,
    set: settings::Builder,
    pub(crate) notes: Notifier,
}

impl App {
    /// An app of this name and version, which clients are told.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let notes = Notifier::default();
        let app = App {
            about: AppInfo {
                name: name.into(),
                version: version.into(),
                ..AppInfo::default()
            },
            functions: None,
            built: Vec::new(),
            states: States::default(),
            handed: HashSet::new(),
            openers: Vec::new(),
            hooks: IdentityHooks::default(),
            set: Settings::builder(),
            notes: notes.clone(),
        };
        app.state(notes)
    }

    /// The name that people are shown.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// What the app does, in words that people read beside its title. Told in revisions from 2025-11-25 on.
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about.about = Some(about.into());
        self
    }

    /// Where people read more of the app, an `https:` or `http:` address. Told in revisions from 2025-11-25 on.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.about.website = Some(url.into());
        self
    }

    /// The pictures that the app is shown by, in place of any before. Told in revisions from 2025-11-25 on, when
    /// a client makes itself known, and not again with each answer.
    ///
    /// ```
    /// use tent_runtime::{function::Icon, server::App};
    /// let app = App::new("orders", "1.0.0").icons(Icon::new("https://shop.example/icon.png").sizes(["48x48"]));
    /// # let _ = app;
    /// ```
    pub fn icons(mut self, icons: impl Icons) -> Self {
        self.about.icons = icons.icons();
        self
    }

    /// Declares that the app has an extension of MCP, with these settings: a JSON object, `{}` where there is
    /// nothing to set. The identifier is that of the extension's own page, such as `io.modelcontextprotocol/ui`. What
    /// the extension asks of the app is the app's to do.
    ///
    /// Whether a client has it too is told by [`Client::extension`](crate::cx::Client::extension); `needs` refuses a client that
    /// lacks it. Every revision is told it: the newest has `extensions` among its capabilities, and those
    /// before have capabilities that are no closed set.
    ///
    /// ```
    /// use serde_json::json;
    /// use tent_runtime::server::App;
    /// let app = App::new("orders", "1.0.0").extension("io.modelcontextprotocol/ui", json!({}));
    /// # let _ = app;
    /// ```
    pub fn extension(mut self, id: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.about.extensions.insert(id.into(), settings.into());
        self
    }

    /// Declares something that the app can do and that no standard has, with these settings: a JSON object.
    pub fn experimental(mut self, name: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.about.experimental.insert(name.into(), settings.into());
        self
    }

    /// How a model uses this app well: MCP clients may hand it to theirs.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.about.instructions = Some(instructions.into());
        self
    }

    /// These functions alone, in place of every one that is linked: `tent::functions![a, m::b]`. Called
    /// again it adds more.
    pub fn functions(mut self, functions: &[&'static Declaration]) -> Self {
        let named = self.functions.get_or_insert_default();
        named.extend_from_slice(functions);
        self
    }

    /// Adds a function that [`Function::builder`] made, beside those that are linked or named.
    pub fn function(mut self, function: Function) -> Self {
        self.built.push(Arc::new(function));
        self
    }

    /// A state that is at hand. One of the same type before it is replaced.
    pub fn state<T: State>(mut self, state: T) -> Self {
        self.handed.insert(TypeId::of::<T>());
        self.states.put(state);
        self
    }

    /// A state that must be opened first. It is opened for what runs functions (`serve`, `mcp`, `call`), not for
    /// what only reads their declarations (`check`, `list`, `explain`, `keys`).
    ///
    /// ```
    /// use tent_runtime::{cx::State, server::App};
    /// struct Shop(String);
    /// impl State for Shop {}
    /// let app = App::new("orders", "1.0.0").state_with(async |settings| {
    ///     Ok::<_, tent_runtime::error::Error>(Shop(settings.get("shop.db")?))
    /// });
    /// # let _ = app;
    /// ```
    pub fn state_with<T, E, F>(mut self, open: impl FnOnce(Settings) -> F + Send + 'static) -> Self
    where
        T: State,
        E: Into<Error>,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.handed.insert(TypeId::of::<T>());
        self.openers.push(Box::new(|settings| {
            let opening = open(settings);
            Box::pin(async move {
                let state = opening.await.map_err(|error| unopened::<T>(error.into()))?;
                Ok(Box::new(|states: &mut States| states.put(state)) as Opened)
            })
        }));
        self
    }

    /// Who a person is: turns an id, such as the owner of a key, into the person with the roles that
    /// `access = "role:…"` asks for. `None` refuses the caller. What it says is kept for a second.
    ///
    /// Without it every owner of a key is a person without roles.
    ///
    /// ```
    /// use tent_runtime::{caller::User, error::Result, server::App};
    /// async fn person(id: String) -> Result<Option<User>> {
    ///     Ok((id == "ada").then(|| User::new(id).with_role("staff")))
    /// }
    /// let app = App::new("orders", "1.0.0").users(async |id| person(id).await);
    /// # let _ = app;
    /// ```
    ///
    /// An `async |id|` closure cannot borrow what is around it, for its future may outlive the call. What
    /// it looks people up in is a state of the app ([`users_with`](Self::users_with)), or cloned for each
    /// call: `move |id| { let shop = shop.clone(); async move { shop.person(id).await } }`.
    pub fn users<E, F>(self, find: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        self.users_with(move |_, id| find(id))
    }

    /// As [`users`](Self::users), where the states of the app are needed to find somebody: they are in the
    /// [`Cx`], whose caller is the app itself.
    ///
    /// ```
    /// use tent_runtime::{caller::User, cx::State, error::Result, server::App};
    /// struct Shop;
    /// impl State for Shop {}
    /// impl Shop {
    ///     async fn person(&self, id: String) -> Result<Option<User>> {
    ///         Ok(Some(User::new(id)))
    ///     }
    /// }
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
        self
    }

    /// Which of the app's own signed-in people sent a request, told from its head. `None` is nobody. It is
    /// not asked where the request presents a key.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tent_runtime::{caller::User, error::Result, http::request::Parts, server::App};
    /// async fn session_user(parts: Arc<Parts>) -> Result<Option<User>> {
    ///     let session = parts.headers.get("x-session");
    ///     Ok(session.is_some_and(|session| session == "ada's").then(|| User::new("ada")))
    /// }
    /// let app = App::new("orders", "1.0.0").identify(session_user);
    /// # let _ = app;
    /// ```
    pub fn identify<E, F>(self, tell: impl Fn(Arc<Parts>) -> F + Send + Sync + 'static) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        self.identify_with(move |_, parts| tell(parts))
    }

    /// As [`identify`](Self::identify), with the states of the app in the [`Cx`].
    pub fn identify_with<E, F>(
        mut self,
        tell: impl Fn(Cx, Arc<Parts>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        E: Into<Error>,
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
    {
        self.hooks.identify = Some(IdentityHooks::boxed(tell));
        self
    }

    /// Tells MCP clients that something has changed, once the app is served. For what is not a function of the
    /// app, such as a task of its own: a function takes it as `&Notifier`, a state that every app has.
    pub fn mcp(&self) -> Notifier {
        self.notes.clone()
    }

    /// Sets one setting in code, such as `limits.body` to `8MiB`. It wins over the `TENT_…` variables.
    /// What is wrong with it is said when the app is run or built.
    pub fn set(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.set = self.set.set(key, value);
        self
    }

    /// As [`set`](Self::set), by a flag of the command line, which wins over both.
    pub(crate) fn flag(mut self, flag: &str, key: &str, value: impl Into<String>) -> Self {
        self.set = self.set.flag(flag, key, value);
        self
    }

    /// Checks the functions, opens the states and the store.
    ///
    /// # Errors
    /// T7019 for settings, everything that [`Registry::linked`] finds, T7011 for a state that a function takes
    /// and nobody handed over, and whatever opening a state or the store ends in.
    pub async fn build(self) -> Result<Tent> {
        let (prepared, registry) = self.prepare()?.checked()?;
        let notes = prepared.app.notes.clone();
        let dispatcher = prepared.open(registry).await?;
        Ok(Tent::new(dispatcher, notes))
    }

    /// Builds the app and serves it on `addr`, whatever `web.addr` says, until the process is told to end
    /// (SIGINT, SIGTERM). Reads no command line and sets up no log.
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and T7019 where the address cannot be listened on.
    ///
    /// ```no_run
    /// # async fn run() -> tent_runtime::error::Result<()> {
    /// let app = tent_runtime::server::App::new("orders", "1.0.0");
    /// app.serve(([127, 0, 0, 1], 3000).into()).await
    /// # }
    /// ```
    pub async fn serve(self, addr: SocketAddr) -> Result<()> {
        // As a setting, so that the address is among the hosts that are served.
        let app = self.flag("serve", "web.addr", addr.to_string());
        app.build().await?.serve(addr).await
    }

    /// Reads the settings. Nothing is opened yet.
    pub(crate) fn prepare(mut self) -> Result<Prepared> {
        let settings = std::mem::take(&mut self.set).env().build()?;
        Ok(Prepared {
            app: self,
            settings,
        })
    }

    /// What clients are told of the app.
    pub(crate) fn told(&self) -> &AppInfo {
        &self.about
    }
}

/// What is said of a state that did not open. A failure that its author stated says it already.
fn unopened<T>(error: Error) -> Error {
    if !error.is(codes::INTERNAL) {
        return error;
    }
    let state = std::any::type_name::<T>();
    error
        .with_message(format!("The state {state} cannot be opened."))
        .with_fix("Mend what it says, and start the app again.")
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}

/// An app whose settings are known.
pub(crate) struct Prepared {
    pub(crate) app: App,
    pub(crate) settings: Settings,
}

impl Prepared {
    /// The functions, with every problem that they have together with this app.
    pub(crate) fn registry(&self) -> Result<Registry, Diagnostics> {
        let functions = self.app.functions.as_deref();
        let registry = Registry::for_app(functions, self.app.built.clone(), Some(&self.app.handed));
        self.app.about.beside(registry)
    }

    fn checked(self) -> Result<(Self, Registry)> {
        let registry = self.registry().map_err(|problems| {
            let code = problems
                .0
                .first()
                .map_or(codes::NO_FUNCTIONS, |first| first.code);
            Error::new(code)
                .with_message(problems.to_string())
                .with_fix("")
        })?;
        Ok((self, registry))
    }

    /// The store that the settings name.
    pub(crate) async fn store(&self) -> Result<Arc<dyn Store>> {
        store::open(&self.settings.store.url).await
    }

    /// Opens the store and the states, and puts the door together.
    pub(crate) async fn open(self, registry: Registry) -> Result<Arc<Dispatcher>> {
        // Taken apart first: a reference to the app, held over an await, would keep this from being `Send`.
        let Prepared { app, settings } = self;
        let store = store::open(&settings.store.url).await?;
        let sealer = store::sealer(&*store, &settings.secrets).await?;
        let mut states = app.states;
        for open in app.openers {
            open(settings.clone()).await?(&mut states);
        }
        if cfg!(panic = "abort") {
            tracing::warn!(
                "built with panic = \"abort\": a panic in a function ends the process, for every caller"
            );
        }
        Ok(Dispatcher::new(DispatcherParts {
            registry,
            states,
            about: app.about,
            settings,
            hooks: app.hooks,
            store,
            sealer,
        }))
    }
}
