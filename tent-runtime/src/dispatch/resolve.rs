//! `resolve`, the second step of dispatch: finds what a request names, and decides whether its caller may know of it
//! and use it. One lookup, and one run of the access rule.
//!
//! | the caller | and the function | gets |
//! |---|---|---|
//! | anonymous | does not accept it, or does not exist | T0004, whatever the name |
//! | known | does not accept it, or does not exist | T0001, the same for both |
//! | known | accepts it, and its key lacks the scope | T0005 |
//!
//! It never reads the input.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::guard::earlier;
use super::{Admitted, Dispatcher, access};
use crate::caller::Caller;
use crate::cx::{Client, Cx, CxParts};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::in_flight::Reservation;
use crate::registry::Resource;
use tent_core::codes;

/// The surface on which the functions of an app are offered, each to its own kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// `/api`.
    Api,
    /// MCP tools: the functions with `offer = "mcp"`.
    Mcp,
    /// The command line of the app: every function.
    Cli,
    /// The app itself, with [`Cx::call`](crate::cx::Cx::call): every function.
    App,
    /// MCP resources.
    Resource,
    /// MCP prompts.
    Prompt,
    /// The MCP methods that functions answer with `on`.
    Method,
}

impl Endpoint {
    /// Whether it offers this function.
    pub(super) fn offers(self, function: &Function) -> bool {
        match self {
            Endpoint::Api => function.api && function.on.is_none(),
            Endpoint::Mcp => function.mcp && function.on.is_none(),
            Endpoint::Cli | Endpoint::App | Endpoint::Resource | Endpoint::Prompt => true,
            Endpoint::Method => function.on.is_some(),
        }
    }
}

/// What a request names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// A function by its name, if this endpoint offers it.
    Function(Endpoint, &'a str),
    /// The most exact resource that has this URI and accepts the caller.
    Resource(&'a str),
    /// A resource by its URI or its template as it is declared, or else as [`Resource`](Self::Resource): what a
    /// completion names.
    Template(&'a str),
    /// A prompt by its name.
    Prompt(&'a str),
    /// The function that answers this MCP method.
    Method(&'a str),
}

/// The sender of a request, as an access rule sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requester<'a> {
    /// The admitted request.
    pub admitted: &'a Admitted,
    /// What the client says about itself.
    pub client: &'a Client,
    /// The `_meta` of a call. A list has none.
    pub meta: Option<&'a Map<String, Value>>,
}

/// A function that the caller of a request may use. It owns what it holds, so that a new snapshot of the registry does
/// not affect a call that is running.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(super) function: Arc<Function>,
    /// The resource, for a target that is one.
    pub(super) resource: Option<Arc<Resource>>,
    /// The index of the function in its list of the registry.
    pub(super) position: usize,
    pub(super) endpoint: Endpoint,
    pub(super) admitted: Admitted,
    /// When its call must be answered: after its own `timeout`, else at the deadline of the request.
    pub(super) deadline: Option<Instant>,
    /// The variables of a resource's URI.
    pub(super) variables: Map<String, Value>,
}

impl Resolved {
    /// The function.
    pub(crate) fn function(&self) -> &Arc<Function> {
        &self.function
    }

    /// The resource, for a target that is one.
    pub(crate) fn resource(&self) -> Option<&Resource> {
        self.resource.as_deref()
    }

    /// The index of the function in its list of the registry.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Takes the variables of a resource's URI: the input of its function.
    pub(crate) fn take_variables(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.variables)
    }

    /// The endpoint that offers it.
    pub(crate) fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// The admitted request.
    pub(crate) fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// When its call must be answered; `None` for no limit.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// As [`Admitted::uploaded`].
    pub(crate) fn uploaded(&mut self, took: Duration, body: Option<Arc<Reservation>>) {
        self.deadline = self.deadline.and_then(|at| at.checked_add(took));
        self.admitted.uploaded(took, body);
    }

    /// Moves the deadline earlier, to that of the call around this one.
    pub(super) fn within(&mut self, outer: Option<Instant>) {
        self.deadline = earlier(self.deadline, outer);
    }
}

impl Dispatcher {
    /// Resolves the target of a request for its caller.
    ///
    /// # Errors
    /// T0001, T0004 and T0005 as the table of this module says.
    pub(crate) async fn resolve(
        &self,
        requester: Requester<'_>,
        target: Target<'_>,
    ) -> Result<Resolved> {
        let (found, endpoint) = match target {
            Target::Resource(uri) => {
                let mut readable = self.readable(requester);
                let (position, variables) = readable.position(uri).await?;
                return Ok(readable.resolved(position, variables));
            }
            Target::Template(uri) => {
                let mut readable = self.readable(requester);
                let position = readable.template(uri).await?;
                return Ok(readable.resolved(position, Map::new()));
            }
            Target::Function(endpoint, name) => (self.function(name), endpoint),
            Target::Method(method) => (self.method(method), Endpoint::Method),
            Target::Prompt(name) => (self.prompt(name), Endpoint::Prompt),
        };
        let found = found.filter(|(_, found)| endpoint.offers(found));
        let Some((position, function)) = found else {
            return Err(absent(requester.admitted.caller()));
        };
        // The function's own time starts here, so that it bounds the access rule too.
        let deadline = own_deadline(&function, requester.admitted.deadline());
        self.check_access(requester, &function, &mut None, deadline)
            .await?;
        Ok(Resolved {
            function,
            resource: None,
            position,
            endpoint,
            admitted: requester.admitted.clone(),
            deadline,
            variables: Map::new(),
        })
    }

    /// The function of this name, with its position. The snapshot is not held: the call keeps its function alone.
    fn function(&self, name: &str) -> Option<(usize, Arc<Function>)> {
        let registry = self.registry.load();
        let position = registry.position(name)?;
        Some((position, registry.functions()[position].clone()))
    }

    fn method(&self, method: &str) -> Option<(usize, Arc<Function>)> {
        let registry = self.registry.load();
        let mut functions = registry.functions().iter().enumerate();
        let found = functions.find(|(_, function)| function.on.as_deref() == Some(method));
        found.map(|(position, function)| (position, function.clone()))
    }

    fn prompt(&self, name: &str) -> Option<(usize, Arc<Function>)> {
        let registry = self.registry.load();
        let prompts = registry.prompts();
        let position = prompts.binary_search_by(|prompt| prompt.name.as_str().cmp(name));
        let position = position.ok()?;
        Some((position, prompts[position].clone()))
    }

    /// Checks the access rule and the scope of one function. `rule_cx` is made for the first rule of a request and
    /// used for all; a rule has until `deadline` and never longer than the request.
    pub(super) async fn check_access(
        &self,
        requester: Requester<'_>,
        function: &Function,
        rule_cx: &mut Option<Cx>,
        deadline: Option<Instant>,
    ) -> Result<()> {
        let caller = requester.admitted.caller();
        let access = &function.access;
        let is_accepted = match access::without_rules(access, caller) {
            Some(is_accepted) => is_accepted,
            None => {
                let cx = rule_cx.get_or_insert_with(|| self.rule_cx(requester));
                access::by_rules(access, cx, deadline, &self.threads).await
            }
        };
        if !is_accepted {
            return Err(absent(caller));
        }
        if !caller.holds(&function.scope) {
            return Err(Error::new(codes::NOT_ALLOWED)
                .with_message(format!("The key lacks the scope {}.", function.scope))
                .with_field("scopes", vec![&*function.scope]));
        }
        Ok(())
    }

    /// The call as an access rule sees it. It has no client to ask, and calls no other function.
    pub(super) fn rule_cx(&self, requester: Requester<'_>) -> Cx {
        let Requester {
            admitted,
            client,
            meta,
        } = requester;
        Cx::new(CxParts {
            caller: admitted.caller().clone(),
            client_address: admitted.client_address(),
            states: self.states.clone(),
            client: client.clone(),
            meta: meta.cloned().unwrap_or_default(),
            trace: admitted.trace(),
            deadline: admitted.deadline(),
            ..CxParts::default()
        })
    }
}

/// When a call that starts now must be answered: after the function's own `timeout`, else at the deadline of the
/// request.
pub(super) fn own_deadline(function: &Function, request: Option<Instant>) -> Option<Instant> {
    match function.timeout {
        Some(own) => Instant::now().checked_add(own),
        None => request,
    }
}

/// The error for a function that does not exist, or that this caller may not know of.
pub(super) fn absent(caller: &Caller) -> Error {
    Error::new(match caller.is_known() {
        true => codes::NOT_FOUND,
        false => codes::SIGN_IN,
    })
}
