//! The fuzz targets: what each sends to tent, and which rules must hold for every input.

mod json;
mod mcp;
mod sealed;
mod sse;
mod uri;
mod validator;

use crate::engine::Target;

/// Makes a target.
type Make = fn() -> Box<dyn Target>;

/// Every target by its name, which is also that of its corpus.
pub(crate) const TARGETS: [(&str, Make); 6] = [
    ("json", || Box::new(json::Json::new())),
    ("mcp", || Box::new(mcp::Mcp::new())),
    ("validator", || Box::new(validator::Validator::new())),
    ("sealed", || Box::new(sealed::Sealed::new())),
    ("uri", || Box::new(uri::Uri)),
    ("sse", || Box::new(sse::Sse::new())),
];
