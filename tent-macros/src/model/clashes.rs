//! The rules about options that contradict each other or do not go with the kind (T7008), as a table of when a
//! rule is broken, the problem, and the fix. Part of `model`.

use proc_macro2::Span;
use tent_core::uri::Template;

use super::{Declared, Kind};
use crate::diagnostic::Diagnostics;
use crate::options::{Access, Spanned};
use crate::syntax::Function;
use tent_core::codes;

/// A rule of the table.
struct Rule {
    /// The place of the option that breaks the rule, if one does.
    when: fn(&Context<'_>) -> Option<Span>,
    /// The problem; `{kind}` stands for the word of the attribute.
    problem: &'static str,
    /// What to write.
    help: &'static str,
}

/// What the rules look at.
struct Context<'a> {
    kind: Kind,
    function: &'a Function,
    declared: &'a Declared,
}

/// Adds a diagnostic for each rule that the declaration breaks.
pub(super) fn check(
    kind: Kind,
    function: &Function,
    declared: &Declared,
    diagnostics: &mut Diagnostics,
) {
    let context = Context {
        kind,
        function,
        declared,
    };
    for rule in RULES {
        if let Some(span) = (rule.when)(&context) {
            let problem = rule.problem.replace("{kind}", kind.word());
            diagnostics.add(codes::CONFLICTING_OPTIONS, span, &problem, rule.help);
        }
    }
}

const RULES: &[Rule] = &[
    Rule {
        when: |c| c.on_query(&c.declared.function.danger),
        problem: "`danger` on a query: a query only reads, so it needs no approval",
        help: "make it a change or an action, or remove `danger`",
    },
    Rule {
        when: |c| place(&c.declared.function.danger).filter(|_| c.accepts_anyone()),
        problem: "`danger` requires a known caller, and `access = \"anyone\"` accepts anonymous callers",
        help: "restrict `access`, or remove `danger`",
    },
    Rule {
        when: |c| place(&c.declared.function.asks).filter(|_| c.declared.function.danger.is_none()),
        problem: "`asks` declares where approval is requested, and there is no `danger`",
        help: "add `danger = \"ask\"`, or remove `asks`",
    },
    Rule {
        when: |c| c.on_query(&c.declared.function.writes),
        problem: "`writes` on a query: a query only reads",
        help: "make it a change, or remove `writes`",
    },
    Rule {
        when: |c| {
            place(&c.declared.function.writes).filter(|_| c.declared.function.danger.is_some())
        },
        problem: "`writes = \"adds\"` declares that no data is lost, and `danger` that data may be lost",
        help: "remove one of the two",
    },
    Rule {
        when: |c| {
            let reads = is_false(&c.declared.function.changes);
            place(&c.declared.function.writes).filter(|_| reads.is_some())
        },
        problem: "`changes = false` declares that nothing is written, and `writes` that something is",
        help: "remove one of the two",
    },
    Rule {
        when: |c| place(&c.declared.function.changes).filter(|_| c.kind != Kind::Action),
        problem: "`changes` on a {kind}: only an action declares it, for the other kinds it is fixed",
        help: "remove `changes`, or make it an action",
    },
    Rule {
        when: |c| is_true(&c.declared.function.sends).filter(|_| c.kind == Kind::Query),
        problem: "`sends` on a query: a query only reads",
        help: "make it an action, or remove `sends`",
    },
    Rule {
        when: |c| is_true(&c.declared.function.retry).filter(|_| c.kind == Kind::Query),
        problem: "`retry` on a query: a query can always be repeated",
        help: "remove `retry`",
    },
    Rule {
        when: |c| place(&c.declared.function.structured).filter(|_| !c.offers_mcp()),
        problem: "`structured` declares how a tool returns its value, and the function is not a tool",
        help: "add `offer = \"mcp\"`, or remove `structured`",
    },
    Rule {
        when: |c| is_true(&c.declared.common.blocking).filter(|_| c.function.asyncness.is_some()),
        problem: "`blocking` is for functions that are not async",
        help: "remove `async` or `blocking`",
    },
    Rule {
        when: |c| place(&c.declared.function.offer).filter(|_| c.offers_mcp() && c.only_app()),
        problem: "`access = \"app\"` excludes all clients, and a tool is for clients",
        help: "remove `offer`, or add other callers to `access`",
    },
    Rule {
        when: |c| is_true(&c.declared.function.api).filter(|_| c.only_app()),
        problem: "`access = \"app\"` keeps the function off /api",
        help: "remove `api`, or add other callers to `access`",
    },
    Rule {
        when: |c| {
            place(&c.declared.common.access).filter(|_| c.only_app() && !c.kind.is_function())
        },
        problem: "`access = \"app\"` excludes all clients, and a {kind} is for clients",
        help: "add other callers to `access`, or write a plain function",
    },
    Rule {
        when: |c| place(&c.declared.resource.list).filter(|_| c.is_one_resource() == Some(true)),
        problem: "`list` lists the resources of a template, and this URI is one resource, which is always listed",
        help: "remove `list`, or add a variable to the URI",
    },
    Rule {
        when: |c| place(&c.declared.resource.size).filter(|_| c.is_one_resource() == Some(false)),
        problem: "`size` is the size of one resource, and this URI is a template",
        help: "remove `size`; the `list` function gives each resource its size with `ResourceInfo::size`",
    },
    Rule {
        when: |c| place(&c.declared.common.icons).filter(|_| c.is_not_listed()),
        problem: "`icons` are for MCP clients, and the function is not offered to MCP",
        help: "add `offer = \"mcp\"`, or remove `icons`",
    },
    Rule {
        when: |c| place(&c.declared.common.meta).filter(|_| c.is_not_listed()),
        problem: "`meta` is for MCP clients, and the function is not offered to MCP",
        help: "add `offer = \"mcp\"`, or remove `meta`",
    },
    Rule {
        when: |c| place(&c.declared.function.on).filter(|_| c.offers_mcp()),
        problem: "a function that answers a method by `on` is not a tool",
        help: "remove `offer` or `on`",
    },
    Rule {
        when: |c| {
            place(&c.declared.function.on).filter(|_| is_true(&c.declared.function.api).is_some())
        },
        problem: "a function that answers a method by `on` is not at /api",
        help: "remove `api` or `on`",
    },
    Rule {
        when: |c| place(&c.declared.function.on).filter(|_| c.declared.function.danger.is_some()),
        problem: "a method that a function answers by `on` cannot request approval",
        help: "remove `danger` or `on`",
    },
];

/// The place of an option that is set.
fn place<T>(option: &Option<Spanned<T>>) -> Option<Span> {
    option.as_ref().map(|option| option.span)
}

/// The place of a flag that is set to `true`.
fn is_true(flag: &Option<Spanned<bool>>) -> Option<Span> {
    flag.as_ref()
        .filter(|flag| flag.value)
        .map(|flag| flag.span)
}

/// The place of a flag that is set to `false`.
fn is_false(flag: &Option<Spanned<bool>>) -> Option<Span> {
    flag.as_ref()
        .filter(|flag| !flag.value)
        .map(|flag| flag.span)
}

impl Context<'_> {
    fn on_query<T>(&self, option: &Option<Spanned<T>>) -> Option<Span> {
        place(option).filter(|_| self.kind == Kind::Query)
    }

    fn access(&self) -> Option<&Access> {
        self.declared
            .common
            .access
            .as_ref()
            .map(|access| &access.value)
    }

    /// Whether only the app itself may call it.
    fn only_app(&self) -> bool {
        matches!(self.access(), Some(Access::App))
    }

    fn accepts_anyone(&self) -> bool {
        let access = self.access();
        access.is_some_and(|access| access.any(|one| matches!(one, Access::Anyone)))
    }

    fn offers_mcp(&self) -> bool {
        self.declared.offers_mcp()
    }

    /// Whether MCP lists neither a tool, a resource nor a prompt for it.
    fn is_not_listed(&self) -> bool {
        self.kind.is_function() && !self.offers_mcp()
    }

    /// Whether the URI is that of one resource rather than a template; `None` without a URI. An invalid
    /// template counts as a template.
    fn is_one_resource(&self) -> Option<bool> {
        let uri = self.declared.resource.uri.as_ref()?;
        Some(Template::parse(&uri.value).is_ok_and(|template| template.is_literal()))
    }
}
