//! Decides what a list shows to its caller: `visible`, the second step of dispatch for lists.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};

use super::blocking::BlockingThreads;
use super::guard::is_over;
use super::{Dispatcher, Endpoint, Requester, access};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::function::{Access, Function};
use crate::registry::Registry;
use tent_core::codes;

/// How many access rules of one list run at the same time: enough that a slow rule leaves time for the others, and few
/// enough that one request does not start all of them.
const MAX_CONCURRENT_RULES: usize = 16;

impl Endpoint {
    /// Everything that the registry holds for this endpoint, whether or not it offers it.
    fn all(self, registry: &Registry) -> Box<dyn Iterator<Item = &Arc<Function>> + Send + '_> {
        match self {
            Endpoint::Api | Endpoint::Mcp | Endpoint::Cli | Endpoint::App | Endpoint::Method => {
                Box::new(registry.functions().iter())
            }
            Endpoint::Resource => Box::new(registry.resources().iter().map(|one| &one.function)),
            Endpoint::Prompt => Box::new(registry.prompts().iter()),
        }
    }
}

/// What a list shows to its caller.
#[derive(Clone, Debug)]
pub(crate) struct Visible {
    /// The snapshot that the positions are of.
    pub registry: Arc<Registry>,
    /// Sorted positions in the list of the endpoint: functions, resources or prompts.
    pub positions: Vec<usize>,
}

impl Dispatcher {
    /// Which functions of an endpoint the caller may use, its scopes included: sorted positions in
    /// [`Registry::functions`], [`Registry::resources`] or [`Registry::prompts`]. A function whose access rule does not
    /// return in time is left out.
    ///
    /// # Errors
    /// T0010 if the deadline passes before every rule has started: the caller would take a shortened list for the
    /// whole.
    pub(crate) async fn visible(
        &self,
        requester: Requester<'_>,
        endpoint: Endpoint,
    ) -> Result<Visible> {
        let registry = self.registry();
        let positions = self.visible_in(&registry, requester, endpoint).await?;
        Ok(Visible {
            registry,
            positions,
        })
    }

    async fn visible_in(
        &self,
        registry: &Registry,
        requester: Requester<'_>,
        endpoint: Endpoint,
    ) -> Result<Vec<usize>> {
        let caller = requester.admitted.caller();
        let mut visible = Vec::new();
        let mut undecided: Vec<(usize, &Access)> = Vec::new();
        for (position, function) in endpoint.all(registry).enumerate() {
            if !endpoint.offers(function) || !caller.holds(&function.scope) {
                continue;
            }
            let access = &function.access;
            match access::without_rules(access, caller) {
                Some(true) => visible.push(position),
                Some(false) => {}
                None => undecided.push((position, access)),
            }
        }
        if undecided.is_empty() {
            return Ok(visible);
        }
        let cx = self.rule_cx(requester);
        let decisions = undecided.into_iter().map(|(position, access)| {
            let decision: BoxFuture<'_, _> = Box::pin(decide(position, access, &cx, &self.threads));
            decision
        });
        let decisions: Vec<_> = decisions.collect();
        let mut decisions = stream::iter(decisions).buffer_unordered(MAX_CONCURRENT_RULES);
        while let Some(decision) = decisions.next().await {
            if let (position, true) = decision? {
                visible.push(position);
            }
        }
        visible.sort_unstable();
        Ok(visible)
    }
}

/// Whether the function at this position is visible; T0010 if its rule cannot start before the deadline.
async fn decide(
    position: usize,
    access: &Access,
    cx: &Cx,
    threads: &BlockingThreads,
) -> Result<(usize, bool)> {
    if is_over(cx.deadline()) {
        return Err(Error::new(codes::TIMEOUT));
    }
    let is_accepted = access::by_rules(access, cx, cx.deadline(), threads).await;
    Ok((position, is_accepted))
}
