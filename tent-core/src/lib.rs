//! What tent's macros and its runtime must agree on, and nothing else: the [catalogue of
//! codes](codes), the [rules for names](names) with the titles made from them, [URI templates](uri), and the
//! [identifiers of extensions](extension).
//!
//! This crate has no dependencies, knows no wire format and reads no environment. A rule that only
//! one side needs does not belong here.

pub mod codes;
pub mod extension;
pub mod names;
pub mod uri;
