//! The revision and the client capabilities that a request is served by.
//! Must not read headers: the endpoint finds the session, this module holds its values.

use crate::clock::Time;
use crate::cx::{Client, Era};
use crate::mcp::protocol::capabilities::ClientCapabilities;
use crate::mcp::protocol::extensions::KnownExtensions;
use crate::mcp::protocol::message::Unreadable;
use crate::mcp::protocol::params::{ClientInfo, Text};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;

/// What a request is served by. A modern request carries it; a legacy client negotiates it once.
#[derive(Clone, Debug)]
pub(crate) struct Negotiated {
    pub(crate) revision: Revision,
    pub(crate) client: Client,
    /// Identifies the session or the connection that the request is part of.
    pub(crate) nonce: Option<[u8; 16]>,
    /// When that session expires.
    pub(crate) ends: Option<Time>,
}

impl Negotiated {
    /// What applies to a legacy request without a handshake.
    pub(crate) fn without_handshake(revision: Revision) -> Self {
        Negotiated {
            revision,
            client: Client {
                era: Era::Legacy,
                ..Client::default()
            },
            nonce: None,
            ends: None,
        }
    }
}

/// Reads what a client declares about itself.
///
/// # Errors
/// −32600 for extension settings that are not valid JSON for tent.
pub(crate) fn client(
    known: &KnownExtensions,
    era: Era,
    info: &ClientInfo<'_>,
    capabilities: Option<ClientCapabilities<'_>>,
) -> Result<Client, RpcError> {
    let owned = |text: &Text<'_>| text.get().map(str::to_owned);
    let capabilities = capabilities.unwrap_or_default();
    let extensions = known.read(capabilities.extensions);
    Ok(Client {
        era,
        name: owned(&info.name),
        version: owned(&info.version),
        capabilities: capabilities.declared,
        extensions: extensions.map_err(|why| Unreadable::Data(why.to_string()))?,
    })
}
