//! Generates constants that the compiler evaluates to check the rules of a field against its type (T7017). A type that the
//! runtime does not know at compile time passes them all, and is checked at start.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::relocated;
use crate::diagnostic;
use crate::model::{Argument, Literal, Parameter, literal};
use crate::options::{Number, Spanned};
use tent_core::codes;

/// The constants for one field.
pub(super) fn checks(
    parameter: &Parameter<'_>,
    argument: &Argument,
    private: &TokenStream,
) -> TokenStream {
    let (kind, cfgs, name) = (parameter.kind, &parameter.cfgs, &argument.name);
    let options = &argument.options;
    let mut checks = TokenStream::new();
    let mut require = |span: Span, holds: TokenStream, problem: &str, help: &str| {
        let private = relocated(private, span);
        let message = diagnostic::text(codes::INVALID_RULE, problem, help);
        checks.extend(quote_spanned! {span=>
            #(#cfgs)*
            const _: () = #private::require(#private::TypeProbe::<#kind>::KIND.#holds, #message);
        });
    };

    for (rule, bound) in [("min", &options.min), ("max", &options.max)] {
        let Some(Spanned { value, span }) = *bound else {
            continue;
        };
        let problem = format!("`{rule}` is for numbers, and `{name}` is not a number");
        let help = match value {
            Number::Integer(value) => format!(
                "remove `{rule}`, or write `{rule}_len = {value}` for the length of a text or a list"
            ),
            Number::Float(_) => format!("remove `{rule}`"),
        };
        require(span, quote_spanned!(span=> has_bounds()), &problem, &help);
        match value {
            Number::Float(value) => {
                let problem =
                    format!("`{rule} = {value}` has a fraction, and `{name}` is an integer");
                let whole = if rule == "min" {
                    value.ceil()
                } else {
                    value.floor()
                };
                let help = format!("write `{rule} = {whole}`");
                require(
                    span,
                    quote_spanned!(span=> has_fractions()),
                    &problem,
                    &help,
                );
            }
            Number::Integer(value) if rule == "min" => {
                let problem =
                    format!("`min = {value}` is above every value of the type of `{name}`");
                let help = "write a lower `min`, or use a wider type such as `i64`";
                require(span, quote_spanned!(span=> reaches(#value)), &problem, help);
            }
            Number::Integer(value) => {
                let problem =
                    format!("`max = {value}` is below every value of the type of `{name}`");
                let help = "write a higher `max`, or use a signed type such as `i64`";
                require(
                    span,
                    quote_spanned!(span=> descends_to(#value)),
                    &problem,
                    help,
                );
            }
        }
    }
    for (rule, bound) in [("min_len", &options.min_len), ("max_len", &options.max_len)] {
        if let Some(Spanned { value, span }) = *bound {
            let problem = format!("`{rule}` is for texts and lists, and `{name}` is neither");
            let number = rule.trim_end_matches("_len");
            let help = format!("remove `{rule}`, or write `{number} = {value}` for a number");
            require(span, quote_spanned!(span=> has_length()), &problem, &help);
        }
    }
    if let Some(pattern) = &options.pattern {
        let span = pattern.span;
        let problem = format!("`pattern` is for texts, and `{name}` is not a text");
        require(
            span,
            quote_spanned!(span=> has_pattern()),
            &problem,
            "remove `pattern`",
        );
    }
    // A default has the type of the field anyway.
    if let Some(Spanned { value, span }) = &options.example
        && let Some(literal) = literal(value)
    {
        let span = *span;
        let holds = match literal {
            Literal::Number(Number::Integer(value)) => quote_spanned!(span=> has_integer(#value)),
            Literal::Number(Number::Float(_)) => quote_spanned!(span=> has_number()),
            Literal::Text(_) => quote_spanned!(span=> has_text()),
            Literal::List(_) => quote_spanned!(span=> has_items()),
        };
        let problem = format!("the example is not a value of the type of `{name}`");
        require(
            span,
            holds,
            &problem,
            "write an example of this type, or remove `example`",
        );
    }
    checks
}
