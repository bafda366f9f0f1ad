//! The methods of MCP, in both eras: tools, resources, prompts, completion, and methods that the app implements.
//! Must not read or write bytes of a transport.

pub(crate) mod common;
pub(crate) mod lists;
pub(crate) mod tools_call;
pub(crate) mod resources;
pub(crate) mod prompts;
pub(crate) mod completion;
pub(crate) mod custom;
pub(crate) mod modern;
pub(crate) mod legacy;
pub(crate) mod batch;
pub(crate) mod server;
pub(crate) mod router;
