//! The door behind the app under test.

use std::sync::Arc;

use crate::door::{About, Door};
use crate::function::Declaration;
use crate::registry::Registry;
use crate::settings::Settings;

pub(super) fn made(functions: &[&'static Declaration], most_bytes: usize) -> Arc<Door> {
    let about = About {
        name: "shop".to_owned(),
        version: "1.2.3".to_owned(),
        title: Some("The shop".to_owned()),
        instructions: Some("Orders are named A1, A2 and so on.".to_owned()),
    };
    let mut settings = Settings::default();
    settings.limits.body = most_bytes;
    let registry = Registry::of(functions).expect("the functions are good");
    Door::new(registry, about, settings)
}
