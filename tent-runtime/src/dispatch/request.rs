//! What the door asks beside calls: what a caller is shown, which resources a template has, how an argument
//! goes on, and whether a caller may read a URI. Each is the app's own code, and is held to the access rule,
//! the deadline and the guard that a call is.
//!
//! One request has one deadline, however much of that code it leads to: nothing here gives it another.

use std::collections::HashMap;
use std::future::Future;

use futures_util::stream::{self, StreamExt as _};
use serde_json::{Map, Value};
use tent_core::codes;
use tokio::time::Instant;

use super::guard::{Guarded, earlier, guarded, is_over, with_reference};
use super::{Dispatcher, Endpoint, access};
use crate::caller::Caller;
use crate::cx::{Client, Cx, CxParts};
use crate::error::{Error, Result};
use crate::function::{Access, BoxFuture, Function, ResourceInfo};
use crate::registry::Resource;
use crate::schema::InputEncoding;

/// So many access rules of one list are asked at once: one that does not end leaves time for the others, and one
/// request does not set all of them to work.
const MOST_AT_ONCE: usize = 16;

/// Who asks, and by which request.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext<'a> {
    /// Who.
    pub caller: &'a Caller,
    /// What the client says of itself.
    pub client: &'a Client,
    /// The id of the request.
    pub trace: &'a str,
    /// When the request has to be answered ([`Dispatcher::deadline`]); `None` where it may take as long as it likes.
    pub deadline: Option<Instant>,
}

impl Dispatcher {
    /// When a request that came now has to be answered: `limits.call_timeout` from now. `None` for a time without end.
    pub fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.settings.limits.call_timeout)
    }

    /// A `Cx` for asking [`find`](Self::find) by this request, outside of a call.
    pub fn cx_by(&self, asking: RequestContext<'_>) -> Cx {
        self.cx_until(asking, asking.deadline)
    }

    /// Which functions this caller may call at this door, its scopes included: positions in [`Registry::functions`](crate::registry::Registry::functions),
    /// or in [`Registry::resources`](crate::registry::Registry::resources) and [`Registry::prompts`](crate::registry::Registry::prompts) where it is theirs. A function whose rule does not
    /// end in time is not among them.
    ///
    /// # Errors
    /// T0010 where the request's time is over before every rule was asked: what is left out would be taken for
    /// what there is not.
    pub async fn visible(&self, asking: RequestContext<'_>, at: Endpoint) -> Result<Vec<usize>> {
        let cx = self.cx_by(asking);
        let mut visible = Vec::new();
        let mut unknown: Vec<BoxFuture<'_, Result<(usize, bool)>>> = Vec::new();
        for (position, function) in at.all(&self.registry).enumerate() {
            if !at.offers(function) || !asking.caller.holds(&function.scope) {
                continue;
            }
            let access = &function.access;
            match access::at_once(access, &cx) {
                Some(true) => visible.push(position),
                Some(false) => {}
                None => unknown.push(Box::pin(rules_of(position, access, &cx))),
            }
        }
        if unknown.is_empty() {
            return Ok(visible);
        }
        let mut asked = stream::iter(unknown).buffer_unordered(MOST_AT_ONCE);
        while let Some(answer) = asked.next().await {
            if let (position, true) = answer? {
                visible.push(position);
            }
        }
        visible.sort_unstable();
        Ok(visible)
    }

    /// The resources that this one lists, for a caller who may read it: none where nothing lists them.
    ///
    /// # Errors
    /// T0010 where the request's time is over, T0010 and T0012 for how the function that lists them ended, and
    /// what it states.
    pub async fn listed(
        &self,
        resource: &Resource,
        asking: RequestContext<'_>,
    ) -> Result<Vec<ResourceInfo>> {
        let Some(list) = resource.stated.list else {
            return Ok(Vec::new());
        };
        // It is one of many in the same list, so its own time does not go beyond that of the request.
        let own = self.until(&resource.function, asking);
        let cx = self.cx_until(asking, earlier(own, asking.deadline));
        self.ask(list.path, &cx, async { (list.ask)(&cx).await })
            .await
    }

    /// How an argument of this resource or prompt goes on from what was typed; none where nothing completes it.
    ///
    /// # Errors
    /// What [`find`](Self::find) says; T0003 for an argument that there is not; T0010 and T0012 for how the
    /// function that completes it ended, and what it states.
    pub async fn completed(
        &self,
        name: &str,
        at: Endpoint,
        argument: &str,
        typed: String,
        so_far: Map<String, Value>,
        asking: RequestContext<'_>,
    ) -> Result<Vec<String>> {
        let cx = self.cx_by(asking);
        let function = self.find(name, at, &cx).await?;
        let known = function.input.published().get("properties");
        if known.and_then(|fields| fields.get(argument)).is_none() {
            let message = format!("{} has no argument {argument:?}.", function.name);
            return Err(Error::new(codes::INVALID_INPUT).with_message(message));
        }
        let mut completes = function.completes.iter();
        let Some(complete) = completes.find(|one| one.argument == argument) else {
            return Ok(Vec::new());
        };
        let cx = self.cx_until(asking, self.until(function, asking));
        self.ask(complete.path, &cx, async {
            (complete.ask)(&cx, typed, so_far).await
        })
        .await
    }

    /// What this request may read.
    pub fn readable(&self, asking: RequestContext<'_>) -> ReadableResources<'_> {
        ReadableResources {
            dispatcher: self,
            cx: self.cx_by(asking),
            known: HashMap::new(),
        }
    }

    fn cx_until(&self, asking: RequestContext<'_>, deadline: Option<Instant>) -> Cx {
        Cx::new(CxParts {
            caller: asking.caller.clone(),
            states: self.states.clone(),
            client: asking.client.clone(),
            trace: asking.trace.to_owned(),
            deadline,
            ..CxParts::default()
        })
    }

    /// How long what belongs to this function may take that begins now: its own time, where it states one.
    fn until(&self, function: &Function, asking: RequestContext<'_>) -> Option<Instant> {
        match function.timeout {
            Some(own) => Instant::now().checked_add(own),
            None => asking.deadline,
        }
    }

    /// Runs a function of the app's own that is at no door. `path` is how it was written.
    async fn ask<T>(
        &self,
        path: &'static str,
        cx: &Cx,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        if self.is_closing() {
            return Err(Error::new(codes::SHUTTING_DOWN));
        }
        if is_over(cx.deadline()) {
            return Err(Error::new(codes::TIMEOUT));
        }
        let ended = match guarded(cx.deadline(), work).await {
            Guarded::Returned(ended) => ended,
            Guarded::TimedOut => {
                tracing::warn!(function = path, "took too long and was ended");
                Err(Error::new(codes::TIMEOUT))
            }
            Guarded::Panicked(error) => Err(error),
        };
        ended.map_err(|error| with_reference(error, path, &cx.caller().to_string(), cx.trace()))
    }
}

/// What one request may read. The rule of a resource is asked once, however many URIs the request names: it sees
/// the caller and never the input.
pub struct ReadableResources<'a> {
    dispatcher: &'a Dispatcher,
    cx: Cx,
    /// What was found of the resources that were asked for, by name.
    known: HashMap<&'a str, Result<()>>,
}

impl<'a> ReadableResources<'a> {
    /// Whether the caller may read this URI: the resource that it then is, and the values of its variables.
    ///
    /// # Errors
    /// What [`find`](Dispatcher::find) says of the most exact resource that has this URI and lets the caller in; T0001
    /// too where its variables do not fit.
    pub async fn find(&mut self, uri: &str) -> Result<(&'a Resource, Map<String, Value>)> {
        let mut refusal = None;
        // What this caller may not know of is as if it were not there: the next best is then meant.
        for (resource, values) in self.dispatcher.registry.matching(uri) {
            let function = &resource.function;
            match self.may(function).await {
                Err(error) if error.is(codes::NOT_ALLOWED) => return Err(error),
                Err(error) => refusal = refusal.or(Some(error)),
                Ok(()) => {
                    if function
                        .input
                        .validate(&mut values.clone(), InputEncoding::Strings)
                        .is_ok()
                    {
                        return Ok((resource, values));
                    }
                }
            }
        }
        let nobody = !self.cx.caller().is_known();
        Err(refusal.unwrap_or_else(|| {
            Error::new(if nobody {
                codes::SIGN_IN
            } else {
                codes::NOT_FOUND
            })
        }))
    }

    async fn may(&mut self, function: &'a Function) -> Result<()> {
        if let Some(known) = self.known.get(&*function.name) {
            return known.clone();
        }
        let found = self
            .dispatcher
            .find(&function.name, Endpoint::Resource, &self.cx)
            .await;
        let found = found.map(|_| ());
        self.known.insert(&function.name, found.clone());
        found
    }
}

/// Whether `access` lets the caller of `cx`, for the function at this position; T0010 where there is no time to ask.
async fn rules_of(position: usize, access: &Access, cx: &Cx) -> Result<(usize, bool)> {
    if is_over(cx.deadline()) {
        return Err(Error::new(codes::TIMEOUT));
    }
    Ok((position, access::allows(access, cx, cx.deadline()).await))
}

impl std::fmt::Debug for ReadableResources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readable").finish_non_exhaustive()
    }
}
