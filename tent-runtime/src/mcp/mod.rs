//! `/mcp`: the Model Context Protocol, both eras, over HTTP and over connections.
//! Must not run a function: dispatch decides who may call, and runs it.
//!
//! Each folder imports only folders above it:
//!
//! | folder | holds |
//! |---|---|
//! | `protocol` | messages, and how each revision writes them |
//! | `session` | what tent keeps of a client between requests |
//! | `client` | the client of a call: notifications, input requests, response streams |
//! | `subscriptions` | streams for messages outside a call, and the `Notifier` |
//! | `methods` | the methods of both eras, and the route to them |
//! | `transport` | HTTP, event streams, connections, stdin and stdout |

mod protocol;
mod session;
mod client;
mod subscriptions;
mod methods;
mod transport;

pub(crate) use self::methods::server::Mcp;
pub use self::subscriptions::notifier::Notifier;
pub(crate) use self::transport::connection::Connection;
pub(crate) use self::transport::http::serve;
pub(crate) use self::transport::{connection_loop, stdio};
