//! Resources for the tests of subscriptions.

use super::served::reads;
use crate::function::{Declaration, Output, Resource};
use crate::schema::Field;

const ID: &[Field] = &[Field::new::<u32>("id")];

/// A resource without subscriptions, and a template with them.
pub(super) static RESOURCES: &[&Declaration] = &[
    &reads("manual", "shop://manual", &[], |_, _| Ok(Output::default())),
    &reads("order", "orders://{id}", ID, |_, _| Ok(Output::default()))
        .resource(Resource::new("orders://{id}").subscribe(true)),
];
