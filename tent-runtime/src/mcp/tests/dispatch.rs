//! The door behind the app under test, and keys to come in by.

use std::collections::HashMap;
use std::slice;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;

use crate::caller::User;
use crate::cx::{Cx, States};
use crate::dispatch::{AppInfo, Dispatcher, DispatcherParts, IdentityHooks};
use crate::error::Error;
use crate::function::Declaration;
use crate::keys::NewKey;
use crate::registry::Registry;
use crate::seal::Sealer;
use crate::settings::{Secret, Settings};
use crate::store::{Memory, Store};

/// Keys by whose they are.
pub(super) type Keys = HashMap<&'static str, String>;

/// What the app under test says of itself.
pub(super) fn about() -> AppInfo {
    AppInfo {
        name: "shop".to_owned(),
        version: "1.2.3".to_owned(),
        title: Some("The shop".to_owned()),
        instructions: Some("Orders are named A1, A2 and so on.".to_owned()),
        ..AppInfo::default()
    }
}

/// What the processes of one app share.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) store: Arc<dyn Store>,
    pub(super) secret: Secret,
    /// Made by the first of them.
    pub(super) keys: Arc<OnceLock<Keys>>,
}

impl Default for Place {
    fn default() -> Self {
        Place {
            store: Arc::new(Memory::default()),
            secret: Secret::random(),
            keys: Arc::default(),
        }
    }
}

pub(super) fn made(
    place: &Place,
    functions: &[&'static Declaration],
    about: AppInfo,
    set: impl FnOnce(&mut Settings),
) -> (Arc<Dispatcher>, Keys) {
    let mut settings = Settings::default();
    set(&mut settings);
    let person = |_: Cx, id: String| async move {
        let user = User::new(&*id);
        Ok::<_, Error>(Some(if id == "grace" {
            user.role("staff")
        } else {
            user
        }))
    };
    let dispatcher = Dispatcher::new(DispatcherParts {
        registry: Registry::of(functions).expect("the functions are good"),
        states: States::default(),
        about,
        settings,
        hooks: IdentityHooks {
            users: Some(IdentityHooks::boxed(person)),
            ..IdentityHooks::default()
        },
        store: place.store.clone(),
        sealer: Sealer::new(slice::from_ref(&place.secret)).expect("one secret"),
    });
    // In memory, whatever the rest is kept in, since what is at hand needs no wait.
    let key = |owner: &str, scopes: &[&str]| {
        let new = NewKey::new(scopes.iter().copied()).owner(owner);
        let made = dispatcher
            .keys()
            .create(new)
            .now_or_never()
            .expect("keys are in memory");
        made.expect("the key is good").text().to_owned()
    };
    let keys = place.keys.get_or_init(|| {
        HashMap::from([
            ("staff", key("grace", &["*"])),
            ("ada", key("ada", &["read", "write"])),
            ("reader", key("ada", &["read"])),
        ])
    });
    (dispatcher.clone(), keys.clone())
}
