//! The messages of MCP: revisions, envelopes, parameters, results, errors, and how each revision writes them.
//! Must not run a function, and keeps nothing from one message to the next.

pub(crate) mod revision;
pub(crate) mod params;
pub(crate) mod message;
pub(crate) mod json_rpc;
pub(crate) mod results;
pub(crate) mod tool;
pub(crate) mod response;
pub(crate) mod rpc_error;
pub(crate) mod request_meta;
pub(crate) mod notification;
pub(crate) mod request_id;
pub(crate) mod headers;
pub(crate) mod era;
pub(crate) mod content;
pub(crate) mod server_info;
pub(crate) mod capabilities;
pub(crate) mod extensions;
pub(crate) mod required_capabilities;
pub(crate) mod sampling;
pub(crate) mod input_request;
pub(crate) mod input_response;
