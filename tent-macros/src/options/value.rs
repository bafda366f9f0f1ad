//! The general kinds of values: texts, flags, numbers, paths and expressions. Values with a
//! special meaning, such as durations, are in [`values`](super::values).

use std::fmt;

use darling::FromMeta;
use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, ExprUnary, Lit, LitStr, Meta, Path, UnOp};

use super::examples::example;
use super::ungrouped;
use crate::diagnostic;
use tent_core::codes::{self, Code};

/// A type that the value of an option converts to.
pub(crate) trait Value: Sized {
    /// Converts the value.
    ///
    /// # Errors
    /// One error, or several for a list.
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self>;
}

/// An option on its way to a [`Value`].
pub(crate) struct AttributeOption<'a> {
    /// The name of the option.
    pub(crate) name: String,
    /// Its value; `None` for a bare word.
    pub(crate) value: Option<&'a Expr>,
    span: Span,
}

/// A value with the place where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// The one bridge between the tables and darling: every option converts through [`Value`].
impl<T: Value> FromMeta for Spanned<T> {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let option = AttributeOption::of(meta);
        let value = T::read(&option)?;
        let span = option.span;
        Ok(Spanned { value, span })
    }
}

/// An error of a value.
pub(crate) fn invalid(code: Code, problem: &str, help: &str) -> darling::Error {
    darling::Error::custom(diagnostic::text(code, problem, help))
}

/// An error of a value whose fix is the one in the catalogue of codes.
pub(crate) fn invalid_from_catalogue(code: Code, problem: &str) -> darling::Error {
    darling::Error::custom(diagnostic::text_from_catalogue(code, problem))
}

impl<'a> AttributeOption<'a> {
    fn of(meta: &'a Meta) -> Self {
        let name = meta.path().get_ident().map(ToString::to_string);
        let value = match meta {
            Meta::NameValue(pair) => Some(ungrouped(&pair.value)),
            Meta::Path(_) | Meta::List(_) => None,
        };
        AttributeOption {
            name: name.unwrap_or_default(),
            span: value.map_or_else(|| meta.span(), |value| value.span()),
            value,
        }
    }

    /// The literal that is the value.
    pub(crate) fn literal(&self) -> Option<&'a Lit> {
        match self.value {
            Some(Expr::Lit(literal)) => Some(&literal.lit),
            _ => None,
        }
    }

    /// The value as a string literal (T7015).
    pub(crate) fn literal_text(&self) -> darling::Result<&'a LitStr> {
        match self.literal() {
            Some(Lit::Str(text)) => Ok(text),
            _ => {
                let problem = format!("`{}` requires a string literal", self.name);
                let help = format!("write `{}`", example(&self.name));
                Err(invalid(codes::NOT_A_LITERAL, &problem, &help))
            }
        }
    }

    /// The value as a string literal, converted by `convert`.
    pub(crate) fn text(&self) -> darling::Result<String> {
        self.literal_text().map(LitStr::value)
    }

    /// The value as a string literal or a list of them, each converted by `convert`. Reports all invalid ones.
    pub(crate) fn each_text<T>(
        &self,
        convert: fn(&str) -> darling::Result<T>,
    ) -> darling::Result<Vec<T>> {
        let Some(Expr::Array(list)) = self.value else {
            return Ok(vec![convert(&self.text()?)?]);
        };
        let mut errors = darling::Error::accumulator();
        let mut texts = Vec::new();
        for element in &list.elems {
            let converted = match text_of(element) {
                Some(text) => convert(&text),
                None => {
                    let problem = format!("`{}` requires string literals", self.name);
                    let help = format!("write a string literal, as in `{}`", example(&self.name));
                    Err(invalid(codes::NOT_A_LITERAL, &problem, &help))
                }
            };
            texts.extend(errors.handle(converted.map_err(|error| error.with_span(element))));
        }
        errors.finish_with(texts)
    }

    fn path(&self) -> Option<Path> {
        match self.value {
            Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            _ => None,
        }
    }

    fn number(&self) -> darling::Result<Number> {
        self.value.and_then(number).ok_or_else(|| {
            let problem = format!("`{}` requires a number literal", self.name);
            let help = format!("write a literal, for example `{}`", example(&self.name));
            invalid(codes::INVALID_OPTION, &problem, &help)
        })
    }
}

/// The text of a string literal.
pub(crate) fn text_of(expression: &Expr) -> Option<String> {
    match ungrouped(expression) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

impl Value for String {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.text()
    }
}

impl Value for LitStr {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.literal_text().cloned()
    }
}

/// `true` or `false`; a bare word is `true`.
impl Value for bool {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        match (option.value, option.literal()) {
            (None, _) => Ok(true),
            (_, Some(Lit::Bool(flag))) => Ok(flag.value),
            _ => {
                let problem = format!("`{}` requires `true` or `false`", option.name);
                let help = format!("write `{} = true`, or remove the option", option.name);
                Err(invalid(codes::INVALID_OPTION, &problem, &help))
            }
        }
    }
}

/// A word without a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bare;

impl Value for Bare {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        if option.value.is_none() {
            return Ok(Bare);
        }
        let problem = format!("`{}` does not take a value", option.name);
        let help = format!("write `{}`", option.name);
        Err(invalid(codes::INVALID_OPTION, &problem, &help))
    }
}

/// Any expression.
impl Value for Expr {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.value.cloned().ok_or_else(|| {
            let problem = format!("`{}` requires a value", option.name);
            let help = format!("write `{}`", example(&option.name));
            invalid(codes::INVALID_OPTION, &problem, &help)
        })
    }
}

/// A number literal, perhaps negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Without a decimal point.
    Integer(i128),
    /// With a decimal point.
    Float(f64),
}

impl Number {
    /// The nearest double.
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Float(number) => number,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(number) => number.fmt(f),
            // With the point, as in a literal.
            Number::Float(number) => fmt::Debug::fmt(number, f),
        }
    }
}

/// The value of a number literal, perhaps negative.
pub(crate) fn number(expression: &Expr) -> Option<Number> {
    match ungrouped(expression) {
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

impl Value for Number {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.number()
    }
}

/// A number of characters or items.
impl Value for u64 {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let count = match option.number()? {
            Number::Integer(number) => u64::try_from(number).ok(),
            Number::Float(_) => None,
        };
        count.ok_or_else(|| {
            let problem = format!("`{}` requires an integer of 0 or more", option.name);
            let help = format!("write a literal, for example `{}`", example(&option.name));
            invalid(codes::INVALID_OPTION, &problem, &help)
        })
    }
}

/// The path of tent: `crate = path`.
#[derive(Clone)]
pub(crate) struct CratePath(pub(crate) Path);

impl Value for CratePath {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.path().map(CratePath).ok_or_else(|| {
            let problem = "`crate` requires the path of tent";
            let help = "write an absolute path, for example `crate = ::my_app::tent`";
            invalid(codes::INVALID_OPTION, problem, help)
        })
    }
}

/// The path of a function of the app.
#[derive(Clone)]
pub(crate) struct FunctionPath(pub(crate) Path);

impl Value for FunctionPath {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.path().map(FunctionPath).ok_or_else(|| {
            let problem = format!("`{}` requires the path of a function", option.name);
            let help = format!(
                "write the path without quotes and parentheses, for example `{}`",
                example(&option.name)
            );
            invalid(codes::INVALID_OPTION, &problem, &help)
        })
    }
}
