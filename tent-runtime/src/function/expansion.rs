//! Everything that generated code names: `tent::__private` is this module. It is not a public API, and has no
//! stability between versions.

pub use super::access_rule::{NotARule, OfTheCall, RuleProbe};
pub use super::field::{DefaultValue, NotSerializable, example, field};
pub use super::from_app::from_app;
pub use super::input::{Arguments, InputProbe, OtherInput, ReadInput, mirrored};
pub use super::into_result::{
    CompleteProbe, ListProbe, NotAComplete, NotAList, OfAList, OfAnArgument,
};
pub use super::return_type::{NotResult, ReturnProbe, failed, reject_unit};
pub use super::started::Started;
pub use super::type_kind::{TypeProbe, UnknownType, require};
pub use super::{
    AccessDeclaration as Access, Annotations, Body, BoxFuture, Complete, Content, Declaration,
    Entry, Input, Kind, Link, Lister, Location, Output, OutputDeclaration, Primitive, Resource,
    ResourceInfo, RuleDeclaration as Rule, StateRequirement,
};
pub use crate::content::icons;
pub use crate::cx::Cx;
pub use crate::error::Result;
pub use crate::schema::{Bound, Field, Rules};

pub use core::convert::{From, Into};
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, str};
pub use core::result::Result::{Err, Ok};
pub use core::time::Duration;
pub use core::{concat, file, line, module_path};
pub use inventory;
pub use serde_json::{Map, Value};
pub use std::borrow::Cow;
pub use std::string::String;
pub use std::vec::Vec;

/// A validated input.
pub type Object = Map<String, Value>;

/// The declaration of a function with compile errors. It exists so that `functions![f]` adds no second error, and no
/// program that contains it compiles.
pub const STUB: &Declaration = &Declaration::new(
    Kind::Query,
    "",
    Location {
        module: "",
        file: "",
        line: 0,
    },
    Access::App,
    OutputDeclaration::Nothing,
    Body::Sync(|_, _| Ok(Output::default())),
);
