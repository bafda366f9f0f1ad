//! The members of a request's `_meta` that select notifications: the progress token and the log level.
//! Must not send anything.

use crate::cx::Level;
use crate::mcp::protocol::message::is_id;
use crate::mcp::protocol::params::{Meta, Text};
use crate::mcp::protocol::rpc_error::RpcError;

impl<'a> Meta<'a> {
    /// Checks both members. A method that sends no notifications checks them too, so that an invalid value
    /// gets the same error everywhere.
    pub(crate) fn check(&self) -> Result<(), RpcError> {
        self.progress_token()?;
        self.log_level().map(drop)
    }

    /// The progress token, as the client sent it.
    pub(crate) fn progress_token(&self) -> Result<Option<&'a str>, RpcError> {
        match self.progress_token.map(|token| token.get()) {
            Some(token) if !is_id(token) => Err(RpcError::params(
                "A progressToken is a string or an integer, of at most 1024 bytes.",
            )),
            token => Ok(token),
        }
    }

    /// The least level of the log messages that the client wants for this request.
    pub(crate) fn log_level(&self) -> Result<Option<Level>, RpcError> {
        level(&self.log_level)
    }
}

/// Reads a log level, if there is one.
pub(crate) fn level(text: &Text<'_>) -> Result<Option<Level>, RpcError> {
    if *text == Text::Absent {
        return Ok(None);
    }
    match text.get().and_then(Level::find) {
        Some(level) => Ok(Some(level)),
        None => Err(RpcError::params(format!(
            "A level is one of {}.",
            Level::ALL.map(Level::name).join(", ")
        ))),
    }
}
