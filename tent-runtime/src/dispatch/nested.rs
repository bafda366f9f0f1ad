//! Runs a function of the app for another one ([`Cx::call`]), and calls without a request behind them.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Admitted, Call, Dispatcher, Endpoint, Requester, Resolved, Target};
use crate::caller::Caller;
use crate::cx::{Cx, CxParts, NestedCalls, Nesting};
use crate::error::{Error, Result};
use crate::function::{Kind, Output};

/// How deep calls nest at most: a function that calls itself without end fails instead of exhausting memory.
const MAX_DEPTH: u8 = 8;

impl Dispatcher {
    /// Calls a function by its name without a request behind the call: for the command line, and for tests of an app.
    /// It passes every step but `admit`, under the deadline that a request has.
    ///
    /// # Errors
    /// As a call at an endpoint.
    pub(crate) async fn call_as(
        self: &Arc<Self>,
        endpoint: Endpoint,
        admitted: Admitted,
        name: &str,
        call: Call,
    ) -> Result<Output> {
        let admitted = admitted.with_deadline(self.deadline());
        let requester = Requester {
            admitted: &admitted,
            client: &call.client,
            meta: Some(&call.meta),
        };
        let target = Target::Function(endpoint, name);
        let resolved = self.resolve(requester, target).await?;
        self.call(resolved, call).await.into_result()
    }

    async fn call_nested(
        &self,
        outer: &Cx,
        name: &str,
        input: Map<String, Value>,
    ) -> Result<Option<Box<RawValue>>> {
        let depth = outer.parts().nesting.depth;
        if depth >= MAX_DEPTH {
            return Err(Error::unexpected(format!(
                "`{name}` is called inside {MAX_DEPTH} other calls, which is the limit"
            )));
        }
        let (caller, trace) = (outer.caller().clone(), outer.parts().trace);
        let deadline = outer.parts().deadline;
        let admitted = Admitted::internal(caller, trace)
            .with_deadline(deadline)
            .with_client_address(outer.parts().client_address);
        let requester = Requester {
            admitted: &admitted,
            client: outer.client(),
            meta: None,
        };
        let target = Target::Function(Endpoint::App, name);
        let mut resolved = self.resolve(requester, target).await?;
        resolved.within(deadline);
        let kind = resolved.function().kind;
        if outer.parts().nesting.only_queries && kind != Kind::Query {
            return Err(Error::unexpected(format!(
                "a query calls `{name}`, which is a {kind}: a query may call only queries",
                kind = kind.word(),
            )));
        }
        let cx = self.nested_cx(outer, &resolved);
        let outcome = self.run_nested(cx, resolved, input).await;
        Ok(outcome.into_result()?.value)
    }

    /// The call of a nested function. It has the client of the call around it, whose names it prefixes, and neither
    /// its `_meta` nor its cancellation: it is dropped with the function around it.
    fn nested_cx(&self, outer: &Cx, resolved: &Resolved) -> Cx {
        let function = resolved.function();
        let parts = outer.parts();
        let caller = outer.caller().clone();
        Cx::new(CxParts {
            client_address: parts.client_address,
            states: self.states.clone(),
            client: parts.client.clone(),
            trace: parts.trace,
            deadline: resolved.deadline(),
            reporter: parts.reporter.clone(),
            elicitor: parts.elicitor.clone(),
            journal: parts.journal.clone(),
            app: parts.app.clone(),
            nesting: Nesting {
                depth: parts.nesting.depth + 1,
                only_queries: function.kind == Kind::Query,
                approved: parts.nesting.approved || matches!(caller, Caller::App),
                prefix: parts.nesting.next_prefix(&function.name),
                ..Nesting::default()
            },
            outer: Some(outer.clone()),
            caller,
            ..CxParts::default()
        })
    }
}

impl NestedCalls for Dispatcher {
    fn call<'a>(
        self: Arc<Self>,
        outer: &'a Cx,
        name: &'a str,
        input: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Option<Box<RawValue>>>> {
        Box::pin(async move { self.call_nested(outer, name, input).await })
    }
}
