//! The messages of MCP: revisions, envelopes, parameters, results, errors, and how each revision writes them.
//! Must not call dispatch or keep anything between two messages.

pub(crate) mod content;
pub(crate) mod era;
pub(crate) mod extensions;
pub(crate) mod headers;
pub(crate) mod input_request;
pub(crate) mod message;
pub(crate) mod params;
pub(crate) mod request_id;
pub(crate) mod response;
pub(crate) mod revision;
pub(crate) mod server_info;
