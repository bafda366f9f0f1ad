//! `mcp`: the MCP server on stdin and stdout, for a client that starts the app itself.

use std::process::ExitCode;

use tent_core::codes;

use crate::caller::Caller;
use crate::dispatch::Identity;
use crate::error::{Error, Result};
use crate::mcp::stdio;
use crate::server::{Prepared, Tent, shutdown_signal};

use super::list::refuse;

/// The variable with the caller's key. It is not a setting, because it identifies the caller and does not configure the server.
const KEY: &str = "TENT_KEY";

pub(super) async fn mcp(prepared: Prepared, person: Option<String>) -> Result<ExitCode> {
    // Before the app opens: what it prints must not mix with messages, and what it reads must not be one.
    let output = stdio::take_stdout()?;
    let input = stdio::take_stdin()?;
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    for warning in prepared.settings.warnings() {
        tracing::warn!("{warning}");
    }
    let notifier = prepared.app.notifier.clone();
    let tent = Tent::new(prepared.open(registry).await?, notifier);
    // An empty variable counts as unset; one that is not Unicode is an invalid key.
    let key = std::env::var_os(KEY).filter(|key| !key.is_empty());
    let (who, fix) = match (person, key) {
        (Some(id), _) => (Identity::User(id), "Use the id of a user of the app."),
        (None, Some(key)) => (
            Identity::Key(key.to_string_lossy().into_owned()),
            "Set TENT_KEY to a valid key: see `keys list`.",
        ),
        (None, None) => {
            tracing::warn!(
                "the caller is anonymous: only functions with access = \"anyone\" are available; identify the caller with {KEY} or --as USER"
            );
            (Identity::Caller(Caller::Anonymous), "")
        }
    };
    let signal = shutdown_signal();
    let served = stdio::serve(tent.mcp_server().clone(), who, input, output, async {
        signal.await;
        tent.shutdown();
    });
    let with_fix = |error: Error| match error.tent_code() {
        Some(codes::SIGN_IN) => error.with_fix(fix),
        _ => error,
    };
    served.await.map_err(with_fix)?;
    Ok(ExitCode::SUCCESS)
}
