//! Which of the resources of a subscription its caller may not read any more: a role can be removed, or a rule decide
//! otherwise. Must not end a subscription.

use tent_core::codes;

use crate::cx::Client;
use crate::dispatch::{Admitted, Dispatcher, Requester};

/// Which of these resources the caller may not read any more.
pub(crate) async fn lost(
    dispatcher: &Dispatcher,
    admitted: &Admitted,
    client: &Client,
    mut uris: Vec<String>,
) -> Vec<String> {
    if uris.is_empty() {
        return uris;
    }
    let requester = Requester {
        admitted,
        client,
        meta: None,
    };
    let mut readable = dispatcher.readable(requester);
    let mut lost = Vec::new();
    for uri in uris.drain(..) {
        tokio::task::consume_budget().await;
        match readable.find(&uri).await {
            Ok(resource) if resource.options.subscribe => {}
            // A rule or a store that fails once takes nothing away.
            Err(error) if !error.is(codes::NOT_FOUND) && !error.is(codes::NOT_ALLOWED) => {}
            Ok(_) | Err(_) => lost.push(uri),
        }
    }
    lost
}
