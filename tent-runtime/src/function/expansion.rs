//! All that generated code names, in one place: `tent::__private` is this module. Nothing here is
//! for people, and nothing of it is kept from one version to the next.

pub use super::field::{Shown, Unshown, example, field};
pub use super::gives::{Otherwise, Probe, failed, gives_something};
pub use super::input::{Arguments, mirrored, schema_of};
pub use super::parts::{needs, part};
pub use super::promised::result_future;
pub use super::rule::decision;
pub use super::{
    AccessDeclaration as Access, Annotations, Body, BoxFuture, Complete, Content, Declaration,
    Entry, Input, Kind, Link, Lister, Location, Output, Primitive, Resource, ResourceInfo,
    RuleDeclaration as Rule, StateRequirement,
};
pub use crate::content::icons;
pub use crate::cx::Cx;
pub use crate::error::Result;
pub use crate::schema::{Bound, Field};

pub use core::convert::{From, Into};
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, str};
pub use core::result::Result::{Err, Ok};
pub use core::time::Duration;
pub use core::{concat, file, line, module_path};
pub use inventory;
pub use serde_json::{Map, Value};
pub use std::string::String;
pub use std::vec::Vec;

/// What a checked input is.
pub type Object = Map<String, Value>;
