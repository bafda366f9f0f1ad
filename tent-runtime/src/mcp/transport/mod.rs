//! How messages arrive and leave: HTTP, event streams, and connections such as stdin and stdout.
//! Must not know what a message means.

pub(crate) mod sse;
pub(crate) mod http;
pub(crate) mod frame;
pub(crate) mod connection;
pub(crate) mod connection_loop;
pub(crate) mod stdio;
