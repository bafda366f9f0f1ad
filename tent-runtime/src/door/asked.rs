//! What the door asks beside calls: which resources a template has, how an argument goes on, and whether a
//! caller may read a URI. Each is the app's own code, and is held to the access rule, the deadline and the
//! guard that a call is.

use std::future::Future;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::guard::{Ended, guarded, referenced};
use super::{At, Door};
use crate::caller::Caller;
use crate::cx::{Client, Cx, CxParts};
use crate::error::{Error, Result};
use crate::function::Listed;
use crate::registry::{Function, Resource};
use crate::schema::Wire;

/// Who asks, and by which request.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// Who.
    pub caller: &'a Caller,
    /// What the client says of itself.
    pub client: &'a Client,
    /// The id of the request.
    pub trace: &'a str,
}

impl Door {
    /// The resources that the resource at this position in [`Registry::resources`](crate::registry::Registry::resources)
    /// lists, for a caller who may read it: none where nothing lists them.
    ///
    /// # Errors
    /// T0010 and T0012 for how the function that lists them ended, and what it states.
    pub async fn listed(&self, position: usize, asking: Asking<'_>) -> Result<Vec<Listed>> {
        let resource = self.registry.resources().get(position);
        let Some((resource, list)) = resource.and_then(|one| Some((one, one.stated.list?))) else {
            return Ok(Vec::new());
        };
        let cx = self.cx_for(&resource.function, asking);
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
        at: At,
        argument: &str,
        typed: String,
        so_far: Map<String, Value>,
        asking: Asking<'_>,
    ) -> Result<Vec<String>> {
        let cx = self.cx_of(asking.caller, asking.client);
        let function = self.find(name, at, &cx).await?;
        let known = function.input.published().get("properties");
        if known.and_then(|fields| fields.get(argument)).is_none() {
            let message = format!("{} has no argument {argument:?}.", function.name);
            return Err(Error::of("T0003").with_message(message));
        }
        let mut completes = function.declaration.completes.iter();
        let Some(complete) = completes.find(|one| one.argument == argument) else {
            return Ok(Vec::new());
        };
        let cx = self.cx_for(function, asking);
        self.ask(complete.path, &cx, async {
            (complete.ask)(&cx, typed, so_far).await
        })
        .await
    }

    /// Whether this caller may read this URI: the resource that it then is, and the values of its variables.
    ///
    /// # Errors
    /// What [`find`](Self::find) says of the most exact resource that has this URI and lets the caller in; T0001
    /// too where its variables do not fit.
    pub async fn may_read<'a>(
        &'a self,
        uri: &str,
        asking: Asking<'_>,
    ) -> Result<(&'a Resource, Map<String, Value>)> {
        let cx = self.cx_of(asking.caller, asking.client);
        let mut refusal = None;
        // What this caller may not know of is as if it were not there: the next best is then meant.
        for (resource, values) in self.registry.matching(uri) {
            let function = &resource.function;
            match self.find(&function.name, At::Resource, &cx).await {
                Err(error) if error.code() == "T0005" => return Err(error),
                Err(error) => refusal = refusal.or(Some(error)),
                Ok(_) => {
                    if function
                        .input
                        .accept(&mut values.clone(), Wire::Strings)
                        .is_ok()
                    {
                        return Ok((resource, values));
                    }
                }
            }
        }
        let nobody = !asking.caller.is_known();
        Err(refusal.unwrap_or_else(|| Error::of(if nobody { "T0004" } else { "T0001" })))
    }

    fn cx_for(&self, function: &Function, asking: Asking<'_>) -> Cx {
        let time = function.declaration.timeout;
        let time = time.unwrap_or(self.settings.limits.call_time);
        Cx::new(CxParts {
            caller: asking.caller.clone(),
            states: self.states.clone(),
            client: asking.client.clone(),
            trace: asking.trace.to_owned(),
            deadline: Instant::now().checked_add(time),
            ..CxParts::default()
        })
    }

    /// Runs a function of the app's own that is at no door. `path` is how it was written.
    async fn ask<T>(
        &self,
        path: &'static str,
        cx: &Cx,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        if self.is_closing() {
            return Err(Error::of("T0013"));
        }
        let ended = match guarded(cx.deadline(), work).await {
            Ended::Returned(ended) => ended,
            Ended::TooLate => {
                tracing::warn!(function = path, "took too long and was ended");
                Err(Error::of("T0010"))
            }
            Ended::Panicked(error) => Err(error),
        };
        ended.map_err(|error| referenced(error, path, &cx.caller().to_string(), cx.trace()))
    }
}
