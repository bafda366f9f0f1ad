//! The rules for the signature of a function (T7005), and for a second attribute of tent on it (T7008). Part of
//! `model`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Type};

use crate::diagnostic::Diagnostics;
use crate::syntax::{Function, attribute_name, is_of_tent};
use tent_core::codes;

/// A rule of the table: when it is broken and where, the problem, the fix.
struct Rule {
    when: fn(&Function) -> Option<Span>,
    problem: &'static str,
    help: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        when: |function| function.constness,
        problem: "the function is `const`",
        help: "remove `const`: tent calls the function at run time",
    },
    Rule {
        when: |function| function.unsafety,
        problem: "the function is `unsafe`",
        help: "remove `unsafe`: a remote caller cannot uphold its contract",
    },
    Rule {
        when: |function| function.foreign,
        problem: "the function has a foreign ABI",
        help: "remove `extern`",
    },
    Rule {
        when: |function| {
            let parameters = &function.generics.params;
            parameters.first().map(|_| parameters.span())
        },
        problem: "the function is generic",
        help: "use concrete types and owned inputs: a remote caller supplies neither types nor lifetimes",
    },
    Rule {
        when: |function| function.constraints.as_ref().map(|_| function.name.span()),
        problem: "the function has a `where` clause",
        help: "remove the `where` clause: the function is not generic",
    },
    Rule {
        when: |function| function.bodiless.then(|| function.name.span()),
        problem: "the function has no body",
        help: "put the attribute on a free function",
    },
    Rule {
        when: |function| match &function.returns {
            Some(never @ Type::Never(_)) => Some(never.span()),
            _ => None,
        },
        problem: "the return type is `!`",
        help: "return `()` or a `Result`",
    },
    Rule {
        when: |function| function.returns.as_ref().and_then(impl_trait),
        problem: "the return type is an `impl Trait`, which has no schema",
        help: "name the type; for images and other content, return `tent::Content`",
    },
];

/// Checks the signature, and that no second attribute of tent is on the function.
pub(super) fn check(function: &Function, diagnostics: &mut Diagnostics) {
    for rule in RULES {
        if let Some(span) = (rule.when)(function) {
            diagnostics.add(codes::UNSUPPORTED_SIGNATURE, span, rule.problem, rule.help);
        }
    }
    for attribute in &function.attributes {
        if is_kind(attribute) {
            let problem = "the function has two attributes of tent; it is one of a query, a change, an action, a resource and a prompt";
            let place = attribute_name(attribute);
            diagnostics.add(
                codes::CONFLICTING_OPTIONS,
                place,
                problem,
                "remove one attribute",
            );
        }
    }
}

/// Whether an attribute declares a function, a resource or a prompt.
pub(crate) fn is_kind(attribute: &Attribute) -> bool {
    let kinds = ["query", "change", "action", "resource", "prompt"];
    kinds.iter().any(|kind| is_of_tent(attribute.path(), kind))
}

/// The place of `impl` in a type.
pub(super) fn impl_trait(kind: &Type) -> Option<Span> {
    fn find(tokens: TokenStream) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Ident(word) if word == "impl" => Some(word.span()),
            TokenTree::Group(group) => find(group.stream()),
            _ => None,
        })
    }
    find(kind.to_token_stream())
}
