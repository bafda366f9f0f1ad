//! [`StreamGuard`]: one open stream, for the task that serves it.

use super::{State, StreamKind};
use crate::mcp::subscriptions::notifier::Notifier;
use crate::mcp::subscriptions::uris::{SubscribedUris, cost_of};

/// Keeps a stream open. Dropping it removes the stream.
#[derive(Debug)]
pub(crate) struct StreamGuard {
    notifier: Notifier,
    id: u64,
}

impl StreamGuard {
    pub(super) fn new(notifier: Notifier, id: u64) -> Self {
        StreamGuard { notifier, id }
    }

    /// The resources whose updates the stream gets.
    pub(crate) fn subscribed(&self) -> Vec<String> {
        let streams = self.notifier.streams();
        let session = {
            let state = streams.lock();
            match state.streams.get(&self.id).map(|stream| &stream.kind) {
                Some(StreamKind::Session(key, ..)) => key.clone(),
                Some(StreamKind::Subscription { filter, .. }) => {
                    let uris = filter.updates.iter().flat_map(SubscribedUris::iter);
                    return uris.map(str::to_owned).collect();
                }
                None => return Vec::new(),
            }
        };
        streams.subscribed(&session)
    }

    /// Removes resources from those.
    pub(crate) fn forget(&self, uris: &[String]) {
        let streams = self.notifier.streams();
        let session = {
            let mut state = streams.lock();
            let State { streams, bytes, .. } = &mut *state;
            let Some(stream) = streams.get_mut(&self.id) else {
                return;
            };
            match &mut stream.kind {
                StreamKind::Session(key, ..) => key.clone(),
                StreamKind::Subscription { filter, .. } => {
                    for uri in uris {
                        let removed = filter.updates.as_mut().and_then(|all| all.remove(uri));
                        if let Some(removed) = removed {
                            bytes.give_back(&stream.quota_key, cost_of(&removed));
                        }
                    }
                    return;
                }
            }
        };
        for uri in uris {
            streams.unsubscribe(&session, uri);
        }
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        self.notifier.streams().lock().remove(self.id);
    }
}
