//! The options of an attribute as they are written: `name = value`, `name`, one after another. A
//! mistake in one hides no other. Knows no option by name; `model` does.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, Token, UnOp};

use crate::docs::peeled;
use crate::fault::{choose, fault, usual};

/// A value and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// One option.
pub(crate) struct Written {
    pub(crate) name: Ident,
    /// Its value; `None` of a bare word.
    pub(crate) value: Option<Expr>,
}

/// The options in these tokens, and what is wrong with their form.
pub(crate) fn read(tokens: TokenStream, known: &[&str]) -> (Vec<Written>, Vec<darling::Error>) {
    let mut faults = Vec::new();
    let written = (|input: ParseStream<'_>| Ok(read_all(input, known, &mut faults)))
        .parse2(tokens)
        .unwrap_or_default();
    (written, faults)
}

fn read_all(
    input: ParseStream<'_>,
    known: &[&str],
    faults: &mut Vec<darling::Error>,
) -> Vec<Written> {
    let mut written: Vec<Written> = Vec::new();
    while !input.is_empty() {
        match read_one(input) {
            Ok(one) => {
                let name = one.name.unraw().to_string();
                if !known.contains(&name.as_str()) {
                    let what = format!("there is no option `{name}` here");
                    faults.push(fault(
                        "T7014",
                        one.name.span(),
                        &what,
                        &choose(&name, known),
                    ));
                } else if written.iter().any(|before| before.name == one.name) {
                    let what = format!("`{name}` stands twice");
                    faults.push(fault(
                        "T7014",
                        one.name.span(),
                        &what,
                        "keep one of the two",
                    ));
                } else {
                    written.push(one);
                }
            }
            Err(error) => {
                faults.push(form(&error, known));
                skip(input);
            }
        }
        if input.is_empty() || input.parse::<Token![,]>().is_ok() {
            continue;
        }
        let what = "a comma is missing before this";
        faults.push(fault(
            "T7014",
            input.span(),
            what,
            "write `,` between two options",
        ));
        if !input.peek(syn::Ident::peek_any) {
            skip(input);
            let _ = input.parse::<Token![,]>();
        }
    }
    written
}

fn form(error: &syn::Error, known: &[&str]) -> darling::Error {
    let help = format!("write `name = value`; there are: {}", known.join(", "));
    let what = format!("this is no option: {error}");
    fault("T7014", error.span(), &what, &help)
}

fn read_one(input: ParseStream<'_>) -> syn::Result<Written> {
    let name =
        Ident::parse_any(input).map_err(|_| input.error("expected the name of an option"))?;
    if !input.peek(Token![=]) {
        return Ok(Written { name, value: None });
    }
    let equals = input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        let text = format!("`{name}` has no value");
        return Err(syn::Error::new(equals.span, text));
    }
    let value = Some(input.parse()?);
    Ok(Written { name, value })
}

/// On to the next comma.
fn skip(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

impl Written {
    fn span(&self) -> Span {
        self.value
            .as_ref()
            .map_or(self.name.span(), |value| value.span())
    }

    /// A text that is written as a literal (T7015).
    pub(crate) fn text(&self) -> darling::Result<At<String>> {
        self.value.as_ref().and_then(literal).ok_or_else(|| {
            let what = format!("`{}` takes a string literal", self.name);
            usual("T7015", self.span(), &what)
        })
    }

    /// One of these words, as a string literal.
    pub(crate) fn one_of(&self, known: &[&str]) -> darling::Result<At<String>> {
        let text = self.text()?;
        if known.contains(&text.value.as_str()) {
            return Ok(text);
        }
        let what = format!("`{}` takes no {:?}", self.name, text.value);
        let help = choose(&text.value, known);
        Err(fault("T7014", text.span, &what, &help))
    }

    /// A string literal, or a list of some.
    pub(crate) fn texts(&self) -> darling::Result<Vec<At<String>>> {
        match self.value.as_ref().map(peeled) {
            Some(Expr::Array(list)) => {
                let mut errors = darling::Error::accumulator();
                let texts = list
                    .elems
                    .iter()
                    .filter_map(|one| {
                        let what = format!("`{}` takes string literals", self.name);
                        errors.handle(literal(one).ok_or_else(|| usual("T7015", one.span(), &what)))
                    })
                    .collect();
                errors.finish_with(texts)
            }
            _ => Ok(vec![self.text()?]),
        }
    }

    /// `true` or `false`; a bare word is `true`.
    pub(crate) fn flag(&self) -> darling::Result<At<bool>> {
        let span = self.span();
        match self.value.as_ref().map(peeled) {
            None => Ok(At { value: true, span }),
            Some(Expr::Lit(ExprLit {
                lit: Lit::Bool(flag),
                ..
            })) => Ok(At {
                value: flag.value,
                span,
            }),
            Some(_) => {
                let what = format!("`{}` takes `true` or `false`", self.name);
                let help = format!("write `{} = true`, or leave it out", self.name);
                Err(fault("T7014", span, &what, &help))
            }
        }
    }

    /// A number, perhaps negative.
    pub(crate) fn number(&self) -> darling::Result<At<Number>> {
        let wrong = || {
            let what = format!("`{}` takes a number", self.name);
            let help = format!("write it as a literal, such as `{} = 1`", self.name);
            fault("T7014", self.span(), &what, &help)
        };
        let value = self.value.as_ref().and_then(number).ok_or_else(wrong)?;
        Ok(At {
            value,
            span: self.span(),
        })
    }

    /// A number of characters or items.
    pub(crate) fn count(&self) -> darling::Result<At<u64>> {
        let number = self.number()?;
        match number.value {
            Number::Integer(value) => u64::try_from(value).ok(),
            Number::Float(_) => None,
        }
        .map(|value| At {
            value,
            span: number.span,
        })
        .ok_or_else(|| {
            let what = format!("`{}` takes a whole number from 0", self.name);
            let help = format!("write it as a literal, such as `{} = 1`", self.name);
            fault("T7014", number.span, &what, &help)
        })
    }

    /// Any expression.
    pub(crate) fn expression(&self) -> darling::Result<&Expr> {
        self.value.as_ref().ok_or_else(|| {
            let what = format!("`{}` takes an expression", self.name);
            let help = format!("write `{} = …`", self.name);
            fault("T7014", self.name.span(), &what, &help)
        })
    }
}

/// A number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

fn number(expression: &Expr) -> Option<Number> {
    match peeled(expression) {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(digits) => digits.base10_parse().ok().map(Number::Integer),
            Lit::Float(digits) => digits
                .base10_parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .map(Number::Float),
            _ => None,
        },
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => Some(match number(expr)? {
            Number::Integer(number) => Number::Integer(number.checked_neg()?),
            Number::Float(number) => Number::Float(-number),
        }),
        _ => None,
    }
}

/// The text of a string literal.
pub(crate) fn literal(expression: &Expr) -> Option<At<String>> {
    match peeled(expression) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(At {
            value: text.value(),
            span: text.span(),
        }),
        _ => None,
    }
}
