//! Stand-in of the door, replaced at the merge.
use crate::caller::{Caller, Key, User};
use crate::cx::{Client, Cx, CxParts};
use crate::error::{Error, Result};
use crate::function::{Access, Answer, Body};
use crate::registry::{Function, Registry};
use crate::schema::Wire;
use crate::seal::Sealer;
use crate::settings::{Secret, Settings};
use crate::store::{Memory, Store};
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Mcp,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    pub input: Map<String, Value>,
    pub wire: Wire,
    pub caller: Caller,
    pub client: Client,
    pub trace: String,
    pub at: At,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub name: String,
    pub version: String,
    pub title: Option<String>,
    pub instructions: Option<String>,
}

pub struct Door {
    registry: Registry,
    about: About,
    settings: Settings,
    store: Arc<dyn Store>,
    sealer: Sealer,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Door")
    }
}

impl Door {
    pub fn new(registry: Registry, about: About, settings: Settings) -> Arc<Self> {
        Arc::new(Door {
            registry,
            about,
            settings,
            store: Arc::new(Memory::default()),
            sealer: Sealer::new(&[Secret::random()]).expect("stand-in"),
        })
    }
    pub fn registry(&self) -> &Registry {
        &self.registry
    }
    pub fn about(&self) -> &About {
        &self.about
    }
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }
    pub fn check_host(&self, parts: &http::request::Parts) -> Result<()> {
        let host = parts.headers.get("host").and_then(|h| h.to_str().ok());
        match host.is_some_and(|h| h.starts_with("127.0.0.1")) {
            true => Ok(()),
            false => Err(Error::of("T0014")),
        }
    }
    pub async fn identify(&self, parts: &http::request::Parts) -> Result<Caller> {
        let text = parts
            .headers
            .get("authorization")
            .and_then(|h| h.to_str().ok());
        let key = |id: &str, scopes: &[&str], user| {
            Caller::Key(Arc::new(Key {
                id: id.to_owned(),
                scopes: scopes.iter().map(|s| (*s).to_owned()).collect(),
                user,
            }))
        };
        match text {
            None => Ok(Caller::Nobody),
            Some("Bearer staff") => Ok(key(
                "s",
                &["*"],
                Some(User::new("grace").with_role("staff")),
            )),
            Some("Bearer ada") => Ok(key("a", &["read", "write"], Some(User::new("ada")))),
            Some("Bearer reader") => Ok(key("r", &["read"], Some(User::new("ada")))),
            Some(_) => Err(Error::of("T0004")),
        }
    }
    fn lets(access: &Access, caller: &Caller) -> bool {
        match access {
            Access::Anyone => true,
            Access::SignedIn => caller.is_known(),
            Access::Role(role) => caller.has_role(role),
            _ => false,
        }
    }
    pub async fn visible(&self, caller: &Caller, _: &Client, _: At) -> Vec<usize> {
        let functions = self.registry.functions().iter().enumerate();
        functions
            .filter(|(_, f)| {
                f.declaration.mcp
                    && caller.holds(f.scope)
                    && Self::lets(&f.declaration.access, caller)
            })
            .map(|(at, _)| at)
            .collect()
    }
    fn find(&self, name: &str, caller: &Caller) -> Result<&Function> {
        let function = self.registry.find(name).filter(|f| f.declaration.mcp);
        let function = match function {
            Some(function) if Self::lets(&function.declaration.access, caller) => function,
            _ if !caller.is_known() => return Err(Error::of("T0004")),
            _ => return Err(Error::of("T0001")),
        };
        if !caller.holds(function.scope) {
            return Err(Error::of("T0005").with_field("scopes", vec![function.scope]));
        }
        Ok(function)
    }
    pub async fn call(self: &Arc<Self>, call: Call) -> Result<Answer> {
        let Call {
            name,
            mut input,
            wire,
            caller,
            client,
            trace,
            ..
        } = call;
        let function = self.find(&name, &caller)?;
        function.input.accept(&mut input, wire)?;
        if function.declaration.asks {
            return Err(Error::of("T7120"));
        }
        let cx = Cx::new(CxParts {
            caller,
            client,
            trace,
            ..CxParts::default()
        });
        match function.declaration.body {
            Body::Async(body) => body(&cx, input).await,
            Body::Sync(body) => body(&cx, input),
        }
    }
}
