//! The rules of `#[arg(…)]` that need no type (T7017): bounds that contradict each other, a default or an example that the
//! field would reject, a pattern that is not a regular expression. Part of `model`.
//!
//! What depends on the type of the field, the compiler checks where it knows the type, see `expand`; everything else is
//! checked at start.

use std::cmp::Ordering;

use proc_macro2::Span;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Token};

use super::parameters::Parameter;
use crate::diagnostic::Diagnostics;
use crate::options::tables::ArgOptions;
use crate::options::{Number, Spanned, number, ungrouped};
use tent_core::codes;
use tent_core::pattern::{Engine, translate};

/// Checks the rules of every argument.
pub(super) fn check(parameters: &[Parameter<'_>], diagnostics: &mut Diagnostics) {
    for argument in parameters.iter().filter_map(Parameter::argument) {
        let options = &argument.options;
        bounds(options, diagnostics);
        values(options, diagnostics);
        if let Some(pattern) = &options.pattern {
            check_pattern(&pattern.value, pattern.span, diagnostics);
        }
    }
}

/// `min` is at most `max`, and `min_len` at most `max_len`.
fn bounds(options: &ArgOptions, diagnostics: &mut Diagnostics) {
    if let (Some(min), Some(max)) = (&options.min, &options.max)
        && compare(min.value, max.value) == Some(Ordering::Greater)
    {
        let problem = "`min` is greater than `max`, so that no value is valid";
        let help = format!("write `min = {}, max = {}`", max.value, min.value);
        diagnostics.add(codes::INVALID_RULE, min.span, problem, &help);
    }
    if let (Some(min), Some(max)) = (&options.min_len, &options.max_len)
        && min.value > max.value
    {
        let problem = "`min_len` is greater than `max_len`, so that no value is valid";
        let help = format!("write `min_len = {}, max_len = {}`", max.value, min.value);
        diagnostics.add(codes::INVALID_RULE, min.span, problem, &help);
    }
}

/// The order of two numbers; `None` where a double cannot tell.
pub(crate) fn compare(a: Number, b: Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
        (a, b) => a.as_f64().partial_cmp(&b.as_f64()),
    }
}

/// A default and an example are valid for the rules beside them, where they are literals.
fn values(options: &ArgOptions, diagnostics: &mut Diagnostics) {
    for (name, value) in [("default", &options.default), ("example", &options.example)] {
        let Some(Spanned { value, span }) = value else {
            continue;
        };
        match literal(value) {
            Some(Literal::Number(number)) => {
                in_bounds(name, number, *span, options, diagnostics);
            }
            Some(Literal::Text(text)) => {
                let length = text.chars().count() as u64;
                in_lengths(name, length, "characters", *span, options, diagnostics);
            }
            Some(Literal::List(items)) => {
                in_lengths(name, items as u64, "items", *span, options, diagnostics);
            }
            None => {}
        }
    }
}

fn in_bounds(
    name: &str,
    number: Number,
    span: Span,
    options: &ArgOptions,
    diagnostics: &mut Diagnostics,
) {
    let rules = [
        ("min", &options.min, Ordering::Less, "less"),
        ("max", &options.max, Ordering::Greater, "greater"),
    ];
    for (rule, bound, wrong, word) in rules {
        if let Some(bound) = bound
            && compare(number, bound.value) == Some(wrong)
        {
            let bound = bound.value;
            let problem = format!("the {name} {number} is {word} than `{rule} = {bound}`");
            let help = format!("write `{name} = {bound}`, or `{rule} = {number}`");
            diagnostics.add(codes::INVALID_RULE, span, &problem, &help);
        }
    }
}

fn in_lengths(
    name: &str,
    length: u64,
    unit: &str,
    span: Span,
    options: &ArgOptions,
    diagnostics: &mut Diagnostics,
) {
    let rules = [
        ("min_len", &options.min_len, Ordering::Less),
        ("max_len", &options.max_len, Ordering::Greater),
    ];
    for (rule, bound, wrong) in rules {
        if let Some(bound) = bound
            && length.cmp(&bound.value) == wrong
        {
            let problem = format!(
                "the {name} has {length} {unit}, and `{rule}` is {}",
                bound.value
            );
            let help = format!("write `{rule} = {length}`, or another {name}");
            diagnostics.add(codes::INVALID_RULE, span, &problem, &help);
        }
    }
}

/// A value that the macro knows.
pub(crate) enum Literal {
    Number(Number),
    Text(String),
    /// A list with this number of items.
    List(usize),
}

/// The value of an expression that is a literal, perhaps in `Some(…)` or converted to an owned type.
pub(crate) fn literal(value: &Expr) -> Option<Literal> {
    let value = ungrouped(value);
    if let Some(number) = number(value) {
        return Some(Literal::Number(number));
    }
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(Literal::Text(text.value())),
        Expr::Paren(inside) => literal(&inside.expr),
        Expr::Array(list) => Some(Literal::List(list.elems.len())),
        Expr::Macro(call) if call.mac.path.is_ident("vec") => {
            let items = Punctuated::<Expr, Token![,]>::parse_terminated
                .parse2(call.mac.tokens.clone())
                .ok()?;
            Some(Literal::List(items.len()))
        }
        Expr::MethodCall(call) if call.args.is_empty() => {
            let owns = ["into", "to_owned", "to_string", "to_vec"];
            owns.iter()
                .any(|name| call.method == name)
                .then(|| literal(&call.receiver))?
        }
        Expr::Call(call) => {
            let Expr::Path(path) = ungrouped(&call.func) else {
                return None;
            };
            let last = path.path.segments.last()?;
            let wraps = last.ident == "Some" || last.ident == "from";
            match call.args.first() {
                Some(inside) if wraps && call.args.len() == 1 => literal(inside),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A pattern is a regular expression that clients read in the same way. Whether it is too large is checked at start.
pub(crate) fn check_pattern(pattern: &str, span: Span, diagnostics: &mut Diagnostics) {
    if let Err(error) = translate(pattern, Engine::Linear) {
        let problem = format!("the pattern is not supported: {}", error.problem);
        diagnostics.add(codes::INVALID_RULE, span, &problem, &error.fix);
    }
}
