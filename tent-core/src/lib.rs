//! The rules that tent's macros and its runtime share: the [catalogue of codes](codes), the [rules for names](names),
//! [counts](count), [durations](duration), [rates](rate), [scopes](scope), [client capabilities](capability), [URI templates](uri), the
//! [methods](method) that functions answer, [patterns](pattern) and the [identifiers of extensions](extension).
//!
//! This crate has no dependencies, knows no wire format and reads no environment. A rule that only one side needs does
//! not belong here.

pub mod capability;
pub mod codes;
pub mod count;
pub mod duration;
pub mod extension;
pub mod method;
pub mod names;
pub mod pattern;
pub mod rate;
pub mod scope;
pub mod uri;
