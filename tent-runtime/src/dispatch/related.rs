//! Runs the functions of the app that belong to a resource or a prompt: the function that lists the resources of a
//! template, and the function that completes an argument. They run like a call, under the deadline and with panics
//! caught.
//!
//! The request has one deadline, however many of these functions it runs.

use std::sync::Weak;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::blocking::ready;
use super::guard::{Guarded, earlier, guarded, is_over, until, with_reference};
use super::resolve::own_deadline;
use super::{Admitted, Dispatcher, Requester, Resolved};
use crate::cx::{Client, Cx, CxParts, NestedCalls, Nesting};
use crate::error::{Error, Result};
use crate::function::{BoxFuture, ResourceInfo};
use crate::registry::Resource;
use tent_core::codes;

impl Dispatcher {
    /// The resources that the `list` function of a resource returns; none without such a function. The caller must be
    /// allowed to read the resource ([`visible`](Self::visible)).
    ///
    /// # Errors
    /// T0010 at the deadline, T0012 for an internal error, and those of the function.
    pub(crate) async fn listed(
        &self,
        resource: &Resource,
        requester: Requester<'_>,
    ) -> Result<Vec<ResourceInfo>> {
        let Some(list) = resource.options.list else {
            return Ok(Vec::new());
        };
        // It contributes to one list with others, so its own timeout does not exceed the deadline of the request.
        let request = requester.admitted.deadline();
        let deadline = earlier(own_deadline(&resource.function, request), request);
        let cx = self.related_cx(requester.admitted, requester.client, deadline);
        let is_plain = (list.run)(None).is_plain();
        self.run_related(list.path, &cx, is_plain, move |cx| {
            (list.run)(Some(cx)).result()
        })
        .await
    }

    /// The completions of an argument of a prompt or a resource, for the text that the user typed; none without a
    /// function that completes it.
    ///
    /// # Errors
    /// T0003 for an argument that does not exist, T0010 at the deadline, T0012 for an internal error, and those of the
    /// function.
    pub(crate) async fn complete(
        &self,
        resolved: &Resolved,
        argument: &str,
        typed: String,
        other_arguments: Map<String, Value>,
        client: &Client,
    ) -> Result<Vec<String>> {
        let function = resolved.function();
        let fields = function.input.published().get("properties");
        if fields.and_then(|fields| fields.get(argument)).is_none() {
            let message = format!("{} has no argument {argument:?}.", function.name);
            return Err(Error::new(codes::INVALID_INPUT).with_message(message));
        }
        let mut completes = function.completes.iter();
        let Some(complete) = completes.find(|one| one.argument == argument) else {
            return Ok(Vec::new());
        };
        let cx = self.related_cx(resolved.admitted(), client, resolved.deadline());
        let run = complete.run;
        let is_plain = run(None, String::new(), Map::new()).is_plain();
        self.run_related(complete.path, &cx, is_plain, move |cx| {
            run(Some(cx), typed, other_arguments).result()
        })
        .await
    }

    fn related_cx(&self, admitted: &Admitted, client: &Client, deadline: Option<Instant>) -> Cx {
        let app: Weak<dyn NestedCalls> = self.weak.clone();
        Cx::new(CxParts {
            caller: admitted.caller().clone(),
            client_address: admitted.client_address(),
            states: self.states.clone(),
            client: client.clone(),
            trace: admitted.trace(),
            deadline,
            app: Some(app),
            nesting: Nesting {
                only_queries: true,
                ..Nesting::default()
            },
            ..CxParts::default()
        })
    }

    /// `path` is the function as the declaration spells it.
    async fn run_related<T: Send + 'static>(
        &self,
        path: &'static str,
        cx: &Cx,
        is_plain: bool,
        run: impl for<'a> FnOnce(&'a Cx) -> BoxFuture<'a, Result<T>> + Send + 'static,
    ) -> Result<T> {
        if is_over(cx.deadline()) {
            return Err(Error::new(codes::TIMEOUT));
        }
        let work = async {
            match is_plain {
                true => {
                    let returned = self.threads.run(cx, move |cx| ready(run(cx)));
                    returned.await.flatten()
                }
                false => run(cx).await,
            }
        };
        let returned = match guarded(until(cx.deadline()), work).await {
            Guarded::Returned(returned) => returned,
            Guarded::TimedOut => {
                tracing::warn!(function = path, "the function was stopped at its deadline");
                Err(Error::new(codes::TIMEOUT))
            }
            Guarded::Panicked(error) => Err(error),
        };
        returned.map_err(|error| with_reference(error, path, &cx.caller().to_string(), cx.trace()))
    }
}
