//! The era of a request, from its metadata or else its header. The revision that a session negotiated is in
//! [`legacy`](crate::mcp::methods::legacy).
//! Must not serve a request.

use http::HeaderMap;

use crate::mcp::protocol::headers::{self, SingleHeader};
use crate::mcp::protocol::params::{Meta, Text};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;

/// How a request is served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EraChoice {
    Modern,
    /// The handshake, whose body names the revision. Headers do not matter.
    Initialize,
    /// With the revision of the header, which counts if there is no session.
    Legacy(Option<Revision>),
}

/// The era of an HTTP request. A request is modern if its metadata or its header names a modern revision.
///
/// # Errors
/// −32020 if the header and the metadata differ, −32022 for an unknown revision.
pub(crate) fn of(
    headers: &HeaderMap,
    method: &str,
    meta: &Meta<'_>,
) -> Result<EraChoice, RpcError> {
    let version = match &meta.version {
        Text::Absent if method == "initialize" => return Ok(EraChoice::Initialize),
        Text::Absent => {
            return Ok(match of_header(headers)? {
                // The modern era reports the missing metadata, in the order of its rules.
                Some(revision) if revision.is_modern() => EraChoice::Modern,
                revision => EraChoice::Legacy(revision),
            });
        }
        Text::Invalid => return Ok(EraChoice::Modern),
        Text::Valid(version) => version,
    };
    match SingleHeader::of(headers, &headers::VERSION) {
        SingleHeader::Valid(header) if header == version => match Revision::find(version) {
            Some(revision) if revision.is_modern() => Ok(EraChoice::Modern),
            // A legacy revision is negotiated by a handshake, not by metadata.
            _ => Err(RpcError::version(version)),
        },
        SingleHeader::Valid(header) => Err(RpcError::mismatch(format_args!(
            "the header MCP-Protocol-Version says '{header}', the body's metadata '{version}'."
        ))),
        SingleHeader::Absent => Err(RpcError::mismatch(
            "the header MCP-Protocol-Version is missing.",
        )),
        SingleHeader::Malformed => Err(malformed_version()),
    }
}

/// The era of a request on a connection, which has no headers: from its metadata, or else from its method if only one era
/// has it.
///
/// # Errors
/// −32022 for an unknown revision.
pub(crate) fn on_connection(method: &str, meta: &Meta<'_>) -> Result<EraChoice, RpcError> {
    match &meta.version {
        Text::Absent if meta.has_capabilities => Ok(EraChoice::Modern),
        Text::Absent => Ok(match method {
            "initialize" => EraChoice::Initialize,
            "server/discover" | "subscriptions/listen" => EraChoice::Modern,
            _ => EraChoice::Legacy(None),
        }),
        Text::Invalid => Ok(EraChoice::Modern),
        Text::Valid(version) if Revision::find(version).is_some_and(Revision::is_modern) => {
            Ok(EraChoice::Modern)
        }
        Text::Valid(version) => Err(RpcError::version(version)),
    }
}

/// The revision that the header `MCP-Protocol-Version` names; `None` without the header.
pub(crate) fn of_header(headers: &HeaderMap) -> Result<Option<Revision>, RpcError> {
    match SingleHeader::of(headers, &headers::VERSION) {
        SingleHeader::Absent => Ok(None),
        SingleHeader::Valid(name) => match Revision::find(name) {
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

/// Whether the header names a modern revision.
pub(crate) fn is_modern(headers: &HeaderMap) -> bool {
    matches!(of_header(headers), Ok(Some(revision)) if revision.is_modern())
}
