//! Builds a function: applies the rules that the macros apply at compile time, then those of every function.

use std::time::Duration;

use tent_core::{capability, codes, method, names, scope};

use super::{FunctionBuilder, Handled};
use crate::function::definition::{Draft, OutputSource};
use crate::function::tool_annotations::Effects;
use crate::function::{Access, Diagnostic, Diagnostics, Function, Kind, Primitive};

impl FunctionBuilder<Handled> {
    /// Checks the function and makes its schemas.
    ///
    /// # Errors
    /// Every problem: T7001 without an access rule; T7009 for a tool without a description; T7008 for options that
    /// contradict each other; T7014 for a scope, a capability, a method, a timeout or a limit that is not valid; T1009,
    /// T1014 and T1015 for the name; T7033 for `_meta`; T7034 for icons; T7007, T7012, T7016 and T7017 for the schemas.
    pub fn build(self) -> Result<Function, Diagnostics> {
        let mut problems = self.problems();
        let only_app = matches!(self.access, Some(Access::App));
        let Handled {
            handler,
            input,
            output,
        } = self.handler;
        let draft = Draft {
            name: self.name,
            name_rules: Some(names::Origin::Explicit),
            title: self.title,
            about: self.about,
            kind: self.kind,
            // Without a rule the function is not made: see `problems`.
            access: self.access.unwrap_or(Access::App),
            location: Some(self.location),
            input: self.input.unwrap_or(input),
            output: self.output.unwrap_or(OutputSource::Type(output)),
            structured: self.structured,
            scope: self.scope,
            effects: self.effects,
            icons: self.icons,
            meta: self.meta,
            mcp: self.mcp,
            api: self.api.unwrap_or(!only_app),
            retry: self.retry,
            timeout: self.timeout,
            limit: self.limit,
            needs: self.needs,
            on: self.on,
            primitive: Primitive::Function,
            completes: &[],
            states: self.states,
            handler: handler(self.blocking),
        };
        match draft.check() {
            Ok(function) if problems.is_empty() => Ok(function),
            Ok(_) => Err(Diagnostics(problems)),
            Err(more) => {
                problems.extend(more.0);
                Err(Diagnostics(problems))
            }
        }
    }

    /// The problems that the macros find at compile time in what they declare.
    fn problems(&self) -> Vec<Diagnostic> {
        let Effects {
            needs_approval,
            additive,
            read_only,
            sends,
            ..
        } = self.effects;
        let query = self.kind == Kind::Query;
        let (anyone, app) = match &self.access {
            Some(access) => (
                access.contains(|one| matches!(one, Access::Anyone)),
                matches!(access, Access::App),
            ),
            None => (false, false),
        };
        let rules = [
            (
                self.access.is_none(),
                codes::MISSING_ACCESS,
                "`access` is not set",
            ),
            (
                self.mcp && self.about.trim().is_empty(),
                codes::MISSING_DESCRIPTION,
                "the function is offered to MCP but has no description",
            ),
            (
                needs_approval && query,
                codes::CONFLICTING_OPTIONS,
                "`needs_approval` is set on a query, which only reads",
            ),
            (
                needs_approval && anyone,
                codes::CONFLICTING_OPTIONS,
                "`needs_approval` is set, and anonymous callers have access",
            ),
            (
                additive && query,
                codes::CONFLICTING_OPTIONS,
                "`additive` is set on a query, which only reads",
            ),
            (
                additive && needs_approval,
                codes::CONFLICTING_OPTIONS,
                "`additive` and `needs_approval` are set",
            ),
            (
                additive && read_only,
                codes::CONFLICTING_OPTIONS,
                "`additive` and `read_only` are set",
            ),
            (
                read_only && self.kind != Kind::Action,
                codes::CONFLICTING_OPTIONS,
                "`read_only` is set on a function that is not an action",
            ),
            (
                sends && query,
                codes::CONFLICTING_OPTIONS,
                "`sends` is set on a query, which only reads",
            ),
            (
                !self.structured && !self.mcp,
                codes::CONFLICTING_OPTIONS,
                "`structured(false)` is set, and the function is not a tool",
            ),
            (
                self.retry && query,
                codes::CONFLICTING_OPTIONS,
                "`retry` is set on a query, which may always run again",
            ),
            (
                self.mcp && app,
                codes::CONFLICTING_OPTIONS,
                "the function is offered to MCP, and only the app has access",
            ),
            (
                self.api == Some(true) && app,
                codes::CONFLICTING_OPTIONS,
                "`api` is true, and only the app has access",
            ),
            (
                !self.icons.is_empty() && !self.mcp,
                codes::CONFLICTING_OPTIONS,
                "`icons` is set on a function that is not offered to MCP",
            ),
            (
                self.meta.is_some() && !self.mcp,
                codes::CONFLICTING_OPTIONS,
                "`meta` is set on a function that is not offered to MCP",
            ),
            (
                self.mcp && self.on.is_some(),
                codes::CONFLICTING_OPTIONS,
                "`on` is set on a function that is offered to MCP as a tool",
            ),
            (
                self.api == Some(true) && self.on.is_some(),
                codes::CONFLICTING_OPTIONS,
                "`on` is set, and `api` is true",
            ),
            (
                needs_approval && self.on.is_some(),
                codes::CONFLICTING_OPTIONS,
                "`on` and `needs_approval` are set",
            ),
            (
                self.timeout == Some(Duration::ZERO),
                codes::INVALID_OPTION,
                "`timeout` is zero",
            ),
            (
                self.limit
                    .is_some_and(|(calls, period)| calls == 0 || period.is_zero()),
                codes::INVALID_OPTION,
                "`limit` is zero",
            ),
        ];
        let broken = rules.into_iter().filter(|(holds, ..)| *holds);
        let broken = broken.map(|(_, code, what)| (code, what.to_owned()));
        let invalid = self.invalid_names();
        let invalid = invalid.map(|what| (codes::INVALID_OPTION, what));
        broken
            .chain(invalid)
            .map(|(code, what)| {
                Diagnostic::new(code, format!("`{}`: {what}", self.name), [self.location])
            })
            .collect()
    }

    /// The names of scopes, capabilities and methods that are not valid.
    fn invalid_names(&self) -> impl Iterator<Item = String> {
        let scope = self.scope.iter().filter(|scope| !scope::is_valid(scope));
        let scope = scope.map(|scope| format!("{scope:?} is not a valid scope: {}", scope::HELP));
        let needs = self.needs.iter();
        let needs = needs.filter(|name| capability::check(name).is_err());
        let needs = needs.map(|name| format!("{name:?} is not a client capability"));
        let method = self.on.iter().filter_map(|on| {
            let (problem, _) = method::problem(on)?;
            Some(format!("{on:?} {problem}"))
        });
        scope.chain(needs).chain(method)
    }
}
