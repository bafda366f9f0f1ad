//! Which era a request is of. Its own metadata tells, or else its header; what a session negotiated on is
//! [`legacy`](crate::mcp::methods::legacy)'s.
//!
//! Reads and compares, and serves nothing.

use http::HeaderMap;

use crate::mcp::protocol::headers::{self, SingleHeader};
use crate::mcp::protocol::params::{Meta, Text};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;

/// How a request is served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EraChoice {
    Modern,
    /// The handshake: its body says what is negotiated, whatever the headers say.
    Initialize,
    /// With the revision of its header, which counts where there is no session.
    Legacy(Option<Revision>),
}

/// Chooses the era of a request. That its metadata names a revision makes it modern; so does its header.
pub(crate) fn of(
    headers: &HeaderMap,
    method: &str,
    meta: &Meta<'_>,
) -> Result<EraChoice, RpcError> {
    let said = match &meta.version {
        Text::Absent if method == "initialize" => return Ok(EraChoice::Initialize),
        Text::Absent => {
            return Ok(match named(headers)? {
                // The metadata is found missing there, in the order that its rules have.
                Some(revision) if revision.is_modern() => EraChoice::Modern,
                named => EraChoice::Legacy(named),
            });
        }
        Text::Other => return Ok(EraChoice::Modern),
        Text::Is(said) => said,
    };
    match SingleHeader::of(headers, &headers::VERSION) {
        SingleHeader::Is(named) if named == said => match Revision::find(said) {
            Some(revision) if revision.is_modern() => Ok(EraChoice::Modern),
            // A legacy revision is negotiated on by a handshake, and not by metadata.
            _ => Err(RpcError::version(said)),
        },
        SingleHeader::Is(named) => Err(RpcError::mismatch(format_args!(
            "the header MCP-Protocol-Version says '{named}', the body's metadata '{said}'."
        ))),
        SingleHeader::Absent => Err(RpcError::mismatch(
            "the header MCP-Protocol-Version is missing.",
        )),
        SingleHeader::Malformed => Err(malformed_version()),
    }
}

/// Chooses the era of a request that has no headers: its metadata tells, and its method where one era alone has
/// it. What the metadata lacks is found missing there, in the order that its rules have.
pub(crate) fn on_a_line(method: &str, meta: &Meta<'_>) -> Result<EraChoice, RpcError> {
    match &meta.version {
        Text::Absent if meta.has_abilities => Ok(EraChoice::Modern),
        Text::Absent => Ok(match method {
            "initialize" => EraChoice::Initialize,
            "server/discover" | "subscriptions/listen" => EraChoice::Modern,
            _ => EraChoice::Legacy(None),
        }),
        Text::Other => Ok(EraChoice::Modern),
        Text::Is(said) if Revision::find(said).is_some_and(Revision::is_modern) => {
            Ok(EraChoice::Modern)
        }
        Text::Is(said) => Err(RpcError::version(said)),
    }
}

/// The revision that the header names, if it is there.
pub(crate) fn named(headers: &HeaderMap) -> Result<Option<Revision>, RpcError> {
    match SingleHeader::of(headers, &headers::VERSION) {
        SingleHeader::Absent => Ok(None),
        SingleHeader::Is(name) => match Revision::find(name) {
            Some(revision) => Ok(Some(revision)),
            None => Err(RpcError::version(name)),
        },
        SingleHeader::Malformed => Err(malformed_version()),
    }
}

fn malformed_version() -> RpcError {
    RpcError::mismatch(
        "the header MCP-Protocol-Version stands twice or has characters that no header may have.",
    )
}

/// Whether the header names a revision of the modern era.
pub(crate) fn is_modern(headers: &HeaderMap) -> bool {
    matches!(named(headers), Ok(Some(revision)) if revision.is_modern())
}
