//! The resources that one request names by their URIs: which of them its caller may read, decided once for each.
//! Must not read a resource.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tent_core::codes;
use tokio::time::Instant;

use super::Dispatcher;
use super::resolve::{Endpoint, Requester, Resolved, absent};
use crate::cx::Cx;
use crate::error::Result;
use crate::registry::{Registry, Resource};
use crate::schema::InputEncoding;

impl Dispatcher {
    /// Resolves the URIs of a request, each access rule at most once.
    pub(crate) fn readable<'a>(&'a self, requester: Requester<'a>) -> ReadableResources<'a> {
        ReadableResources {
            dispatcher: self,
            registry: self.registry(),
            requester,
            started: Instant::now(),
            rule_cx: None,
            decided: HashMap::new(),
        }
    }
}

/// The resources that the sender of one request may read. The access rule of a resource runs once, however many URIs
/// the request names: it sees the caller, never the URI.
pub(crate) struct ReadableResources<'a> {
    dispatcher: &'a Dispatcher,
    /// One snapshot for all URIs of the request.
    registry: Arc<Registry>,
    requester: Requester<'a>,
    /// When the time of a resource with its own `timeout` starts. It bounds the access rule too.
    started: Instant,
    rule_cx: Option<Cx>,
    /// What was decided for each resource so far, by its position.
    decided: HashMap<usize, Result<()>>,
}

impl<'a> ReadableResources<'a> {
    /// Finds the most exact resource that has this URI, accepts the caller, and can read the variables of the URI.
    ///
    /// # Errors
    /// T0001, T0004 and T0005 as [`resolve`](Dispatcher::resolve).
    pub(crate) async fn find(&mut self, uri: &str) -> Result<Arc<Resource>> {
        let (position, _) = self.position(uri).await?;
        Ok(self.registry.resources()[position].clone())
    }

    /// The position of that resource, and the variables of the URI.
    pub(super) async fn position(&mut self, uri: &str) -> Result<(usize, Map<String, Value>)> {
        let mut refusal = None;
        let registry = self.registry.clone();
        // A resource that this caller may not know of counts as absent: the next best one is meant then.
        for (resource, variables) in registry.matching(uri) {
            let position = position_of(&registry, resource);
            match self.check(position, resource).await {
                Err(error) if error.is(codes::NOT_ALLOWED) => return Err(error),
                Err(error) => refusal = refusal.or(Some(error)),
                Ok(()) => {
                    let input = &resource.function.input;
                    if input
                        .validate(&mut variables.clone(), InputEncoding::Strings)
                        .is_ok()
                    {
                        return Ok((position, variables));
                    }
                }
            }
        }
        Err(refusal.unwrap_or_else(|| absent(self.requester.admitted.caller())))
    }

    /// The position of the resource that a completion names.
    pub(super) async fn template(&mut self, uri: &str) -> Result<usize> {
        let registry = self.registry.clone();
        let matching = registry.matching(uri).map(|(resource, _)| resource);
        for resource in registry.resource_at(uri).into_iter().chain(matching) {
            let position = position_of(&registry, resource);
            match self.check(position, resource).await {
                Ok(()) => return Ok(position),
                Err(error) if error.is(codes::NOT_FOUND) || error.is(codes::SIGN_IN) => {}
                Err(error) => return Err(error),
            }
        }
        Err(absent(self.requester.admitted.caller()))
    }

    pub(super) fn resolved(&self, position: usize, variables: Map<String, Value>) -> Resolved {
        let resource = &self.registry.resources()[position];
        Resolved {
            deadline: self.deadline(resource),
            function: resource.function().clone(),
            resource: Some(resource.clone()),
            position,
            endpoint: Endpoint::Resource,
            admitted: self.requester.admitted.clone(),
            variables,
        }
    }

    /// When a call of the resource must be answered.
    fn deadline(&self, resource: &Resource) -> Option<Instant> {
        match resource.function().timeout {
            Some(own) => self.started.checked_add(own),
            None => self.requester.admitted.deadline(),
        }
    }

    async fn check(&mut self, position: usize, resource: &Resource) -> Result<()> {
        if let Some(decided) = self.decided.get(&position) {
            return decided.clone();
        }
        let function = &resource.function;
        let deadline = self.deadline(resource);
        let decided = self
            .dispatcher
            .check_access(self.requester, function, &mut self.rule_cx, deadline)
            .await;
        self.decided.insert(position, decided.clone());
        decided
    }
}

/// The position of a resource in its registry, where resources are sorted by URI.
fn position_of(registry: &Registry, resource: &Resource) -> usize {
    let (resources, uri) = (registry.resources(), resource.options.uri);
    let found = resources.binary_search_by(|one| one.options.uri.cmp(uri));
    found.unwrap_or_else(|position| position)
}
