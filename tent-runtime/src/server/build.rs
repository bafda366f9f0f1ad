//! Builds an app: reads its settings, checks its functions, opens its store and its states.
//!
//! The steps are apart because the commands need different ones: `check` and `list` open nothing.

use std::any::{TypeId, type_name};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use tent_core::codes;

use super::{App, Tent};
use crate::cx::{State, States};
use crate::dispatch::{Dispatcher, DispatcherParts};
use crate::error::{Error, Result, StartError};
use crate::function::BoxFuture;
use crate::registry::{Diagnostics, Registry};
use crate::settings::Settings;
use crate::store;

/// Opens a state when the app is built.
type Opener = Box<dyn FnOnce(Settings) -> BoxFuture<'static, Result<Opened>> + Send>;

/// Puts an opened state into the states of the app.
type Opened = Box<dyn FnOnce(&mut States) + Send>;

/// The states of an app, those that exist and those that must be opened. There is one of each type: the last one that
/// the app sets.
#[derive(Default)]
pub(super) struct StateSources {
    ready: States,
    /// In the order of the app, which may open one state with the help of another.
    openers: Vec<(TypeId, Opener)>,
    provided: HashSet<TypeId>,
}

impl StateSources {
    /// Sets a state that exists.
    pub(super) fn put<T: State>(&mut self, state: T) {
        let id = TypeId::of::<T>();
        self.openers.retain(|(other, _)| *other != id);
        self.provided.insert(id);
        self.ready.put(state);
    }

    /// Sets a state that `open` opens.
    pub(super) fn open<T, E, F>(&mut self, open: impl FnOnce(Settings) -> F + Send + 'static)
    where
        T: State,
        E: Into<Error>,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let id = TypeId::of::<T>();
        self.openers.retain(|(other, _)| *other != id);
        self.provided.insert(id);
        let opener: Opener = Box::new(|settings| {
            let opening = open(settings);
            Box::pin(async move {
                let state = opening.await.map_err(|error| unopened::<T>(error.into()))?;
                Ok(Box::new(|states: &mut States| states.put(state)) as Opened)
            })
        });
        self.openers.push((id, opener));
    }

    /// Opens the states that must be opened.
    async fn opened(self, settings: &Settings) -> Result<States> {
        let mut states = self.ready;
        for (_, open) in self.openers {
            open(settings.clone()).await?(&mut states);
        }
        Ok(states)
    }
}

/// The error for a state that did not open. A declared failure explains itself.
fn unopened<T>(error: Error) -> Error {
    if !error.is(codes::INTERNAL) {
        return error;
    }
    error
        .with_message(format!("The state {} cannot be opened.", type_name::<T>()))
        .with_fix("Fix the cause that the message names, and start the app again.")
}

impl App {
    /// Checks the functions, and opens the states and the store.
    ///
    /// # Errors
    /// T7019 for settings; every problem of the functions, as `check` reports them; T7011 for a state that a function
    /// takes and that the app does not have; and the errors of opening a state or the store.
    pub async fn build(self) -> Result<Tent, StartError> {
        let prepared = self.prepare()?;
        let registry = prepared.registry().map_err(refused)?;
        let notifier = prepared.app.notifier.clone();
        let dispatcher = prepared.open(registry).await?;
        Ok(Tent::new(dispatcher, notifier))
    }

    /// Builds the app and serves it on `addr`, whatever `web.addr` is, until the process gets SIGINT or SIGTERM. Reads no
    /// command line and sets up no log.
    ///
    /// # Errors
    /// As [`build`](Self::build), and T7019 if the server cannot listen on the address.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), tent::StartError> {
    /// let app = tent::App::new("orders", "1.0.0");
    /// app.serve(([127, 0, 0, 1], 3000).into()).await
    /// # }
    /// ```
    pub async fn serve(self, addr: SocketAddr) -> Result<(), StartError> {
        // As a setting too, so that it takes the place of the default.
        let app = self.flag("serve", "web.addr", addr.to_string());
        app.build().await?.serve(addr).await
    }

    /// Reads the settings. Opens nothing.
    pub(crate) fn prepare(mut self) -> Result<Prepared> {
        let settings = std::mem::take(&mut self.settings).env().build()?;
        Ok(Prepared {
            app: self,
            settings,
        })
    }
}

/// The error for an app with problems.
fn refused(problems: Diagnostics) -> Error {
    let first = problems.iter().next();
    let code = first.map_or(codes::NO_FUNCTIONS, |first| first.code);
    Error::new(code)
        .with_message(problems.to_string())
        .with_fix("")
}

/// An app with its settings.
pub(crate) struct Prepared {
    pub(crate) app: App,
    pub(crate) settings: Settings,
}

impl Prepared {
    /// The functions of the app.
    ///
    /// # Errors
    /// Every problem of the functions and of what the app says about itself.
    pub(crate) fn registry(&self) -> Result<Registry, Diagnostics> {
        let App {
            functions,
            built,
            states,
            ..
        } = &self.app;
        let registry = Registry::for_app(
            functions.as_deref(),
            built.clone(),
            Some(Arc::new(states.provided.clone())),
        );
        self.app.info.beside(registry)
    }

    /// Checks that the app knows the user who shall own an API key. Opens the states only where the function that finds users
    /// takes them, and reads no function: a key can be made whatever is wrong with those.
    ///
    /// # Errors
    /// T0004 for an unknown user, and those of opening a state and of the function.
    pub(crate) async fn check_owner(self, id: &str) -> Result<()> {
        let Prepared { app, settings } = self;
        if app.hooks.users.is_none() {
            return Ok(());
        }
        let states = match app.hooks.users_take_states {
            true => app.states.opened(&settings).await?,
            false => States::default(),
        };
        let store = Arc::new(store::Memory::default());
        let dispatcher = Dispatcher::new(DispatcherParts {
            registry: Registry::empty(),
            states,
            about: app.info,
            sealer: store::sealer(&*store, &settings.secrets).await?,
            settings,
            hooks: app.hooks,
            store,
        });
        dispatcher.user(id).await.map(|_| ())
    }

    /// Opens the store and the states, and makes the dispatcher.
    pub(crate) async fn open(self, registry: Registry) -> Result<Arc<Dispatcher>> {
        // In parts: a reference to the app over an await would make this future not `Send`.
        let Prepared { app, settings } = self;
        let store = store::open(&settings.store.url).await?;
        let sealer = store::sealer(&*store, &settings.secrets).await?;
        let states = app.states.opened(&settings).await?;
        if cfg!(panic = "abort") {
            tracing::warn!(
                "built with panic = \"abort\": a panic in a function ends the process, for every caller"
            );
        }
        Ok(Dispatcher::new(DispatcherParts {
            registry,
            states,
            about: app.info,
            settings,
            hooks: app.hooks,
            store,
            sealer,
        }))
    }
}
