//! The rules for parameters: what is given by the app, what is a field of the input, what is the whole
//! input. Part of `model`, apart for its length. What a type is, is left to the compiler.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Span, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Ident, Path, Type};
use tent_core::codes;

use super::Kind;
use super::rules::opaque;
use crate::docs;
use crate::fault::{Faults, fault, usual};
use crate::options::{self, At, Known, Number, Written};
use crate::syntax::{self, Function, Shape, word};
use crate::values;

/// A checked parameter.
pub(crate) struct Parameter<'a> {
    /// Its name; `None` of a pattern, which what is no field may be.
    pub(crate) name: Option<&'a Ident>,
    pub(crate) kind: &'a Type,
    pub(crate) cfgs: Vec<&'a Attribute>,
    pub(crate) taken: Taken<'a>,
}

/// Where a parameter comes from.
pub(crate) enum Taken<'a> {
    /// The app: a `&T`, with its `T`.
    Part(&'a Type),
    /// A field of the input.
    Field(Box<Field>),
    /// The whole input, perhaps with a schema of the author's own.
    Whole(Option<Expr>),
}

/// What is stated of a field.
#[derive(Default)]
pub(crate) struct Field {
    /// Its name on the wire.
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) title: Option<At<String>>,
    pub(crate) default: Option<Expr>,
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
    pub(crate) min_len: Option<u64>,
    pub(crate) max_len: Option<u64>,
    pub(crate) pattern: Option<String>,
    pub(crate) example: Option<Expr>,
    pub(crate) secret: bool,
    pub(crate) header: Option<At<String>>,
    pub(crate) complete: Option<Path>,
}

/// Every option of `#[arg]`.
const ARG: Known<'static> = Known {
    names: &[
        "complete", "default", "example", "header", "max", "max_len", "min", "min_len", "pattern",
        "rename", "secret", "title",
    ],
    on: "#[arg]",
    example: "#[arg(min = 1)]",
};

/// Every option of `#[input]`.
const INPUT: Known<'static> = Known {
    names: &["schema"],
    on: "#[input]",
    example: "#[input], or #[input(schema = …)]",
};

/// Checks the parameters, each on its own and then all together.
pub(crate) fn parameters<'a>(
    kind: Kind,
    function: &'a Function,
    faults: &mut Faults,
) -> Vec<Parameter<'a>> {
    let checked: Vec<Parameter<'a>> = function
        .parameters
        .iter()
        .filter_map(|parameter| check(parameter, faults))
        .collect();
    whole(function, &checked, faults);
    served(kind, function, &checked, faults);
    names(&checked, faults);
    headers(&checked, faults);
    checked
}

fn check<'a>(parameter: &'a syntax::Parameter, faults: &mut Faults) -> Option<Parameter<'a>> {
    let (name, kind) = match &parameter.shape {
        Shape::Named(name, kind) => (Ok(name), &**kind),
        Shape::Pattern(span, kind) => (Err(*span), &**kind),
        Shape::Receiver(span) => {
            let what = "the function takes `self`";
            faults.add(codes::UNSUPPORTED_SIGNATURE, *span, what, "write a free function; the app's own things are taken by reference (`shop: &Shop`)");
            return None;
        }
        Shape::Variadic(span) => {
            let what = "the function takes any number of arguments";
            faults.add(codes::UNSUPPORTED_SIGNATURE, *span, what, "take a `Vec<T>`");
            return None;
        }
    };
    if let Some(span) = opaque(kind) {
        let what = "the parameter is an `impl Trait`, and a call from outside names no type";
        faults.add(codes::UNSUPPORTED_SIGNATURE, span, what, "name the type");
        return None;
    }
    if referenced(kind).is_none()
        && let Some(span) = borrowing(kind)
    {
        let what = "it borrows from the input, which is owned by the call";
        faults.add(
            codes::BORROWED_INPUT,
            span,
            what,
            "take `String` for `&str`, `Vec<T>` for `&[T]`",
        );
        return None;
    }
    let taken = match (referenced(kind), name) {
        (Some(reference), _) => part(parameter, reference, faults)?,
        (None, _) if parameter.named("input").next().is_some() => input(parameter, faults),
        (None, Ok(name)) => field(parameter, name, faults),
        (None, Err(span)) => {
            let what = "the parameter is a pattern, and a field of an input needs a name";
            faults.add(
                codes::UNSUPPORTED_SIGNATURE,
                span,
                what,
                "write `name: Type`, and take it apart in the body",
            );
            return None;
        }
    };
    Some(Parameter {
        name: name.ok(),
        kind,
        cfgs: cfgs(&parameter.attributes),
        taken,
    })
}

/// The `cfg` attributes among these.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect()
}

/// The reference that a type is as it is written, out of groups and parentheses.
fn referenced(kind: &Type) -> Option<&syn::TypeReference> {
    match kind {
        Type::Reference(reference) => Some(reference),
        Type::Group(group) => referenced(&group.elem),
        Type::Paren(paren) => referenced(&paren.elem),
        _ => None,
    }
}

/// Where a type that is no reference holds one.
fn borrowing(kind: &Type) -> Option<Span> {
    fn find(tokens: proc_macro2::TokenStream) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Punct(mark) if mark.as_char() == '&' => Some(mark.span()),
            TokenTree::Group(group) => find(group.stream()),
            _ => None,
        })
    }
    find(kind.to_token_stream())
}

fn part<'a>(
    parameter: &syntax::Parameter,
    reference: &'a syn::TypeReference,
    faults: &mut Faults,
) -> Option<Taken<'a>> {
    if let Some(word) = &reference.mutability {
        let what = "it is borrowed for writing, and what the app gives is shared by all calls";
        faults.add(
            codes::BORROWED_INPUT,
            word.span(),
            what,
            "take `&T` and put a lock inside `T`; take an input by value",
        );
        return None;
    }
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|one| one.ident != "_") {
        let what = format!("it is lent for the time of the call, not for `{lifetime}`");
        faults.add(
            codes::UNSUPPORTED_SIGNATURE,
            lifetime.span(),
            &what,
            "leave the lifetime out",
        );
        return None;
    }
    for attribute in parameter.named("arg") {
        let what =
            "what the app gives is no field of the input, so there is nothing to state of it";
        faults.add(
            codes::CONFLICTING_OPTIONS,
            word(attribute),
            what,
            "remove the #[arg], or take the parameter by value",
        );
    }
    for attribute in parameter.named("input") {
        let what = "what the app gives cannot be the input";
        faults.add(
            codes::WHOLE_INPUT,
            word(attribute),
            what,
            "take the input by value",
        );
    }
    Some(Taken::Part(&reference.elem))
}

fn input<'a>(parameter: &syntax::Parameter, faults: &mut Faults) -> Taken<'a> {
    for arg in parameter.named("arg") {
        let what = "the whole input is no field to state rules of";
        faults.add(
            codes::WHOLE_INPUT,
            word(arg),
            what,
            "put the rules on the fields of its type, or remove the #[input]",
        );
    }
    let mut stated = Vec::new();
    for (at, input) in parameter.named("input").enumerate() {
        if at > 0 {
            let what = "#[input] stands twice";
            faults.add(
                codes::INVALID_OPTION,
                word(input),
                what,
                "keep one of the two",
            );
        } else if input.meta.require_path_only().is_err() {
            options::of_meta(&input.meta, &INPUT, faults, &mut stated);
        }
    }
    let schema = stated
        .first()
        .and_then(|one| faults.handle(one.expression().cloned()));
    Taken::Whole(schema)
}

fn field<'a>(parameter: &syntax::Parameter, name: &Ident, faults: &mut Faults) -> Taken<'a> {
    let mut field = Field {
        name: name.unraw().to_string(),
        about: docs::text(&parameter.attributes),
        ..Field::default()
    };
    let mut written = Vec::new();
    for attribute in parameter.named("arg") {
        options::of_meta(&attribute.meta, &ARG, faults, &mut written);
    }
    for one in &written {
        faults.handle(take(one, &mut field));
    }
    Taken::Field(Box::new(field))
}

fn take(one: &Written, field: &mut Field) -> syn::Result<()> {
    match one.name.unraw().to_string().as_str() {
        "complete" => field.complete = Some(one.path("complete")?.clone()),
        "default" => field.default = Some(one.expression()?.clone()),
        "example" => field.example = Some(one.expression()?.clone()),
        "header" => {
            let header = one.text()?;
            values::header(&header)?;
            field.header = Some(header);
        }
        "max" => field.max = Some(one.number()?.value),
        "max_len" => field.max_len = Some(one.count()?.value),
        "min" => field.min = Some(one.number()?.value),
        "min_len" => field.min_len = Some(one.count()?.value),
        "pattern" => field.pattern = Some(one.text()?.value),
        "rename" => field.name = property(&one.text()?)?,
        "secret" => field.secret = one.flag()?.value,
        "title" => field.title = Some(one.text()?),
        _ => {}
    }
    Ok(())
}

/// A property's name that model interfaces take (T7016).
fn property(name: &At<String>) -> syn::Result<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if (1..=64).contains(&name.value.len()) && name.value.chars().all(fits) {
        return Ok(name.value.clone());
    }
    let what = format!("{:?} cannot be the name of a field", name.value);
    Err(fault(
        codes::INVALID_FIELD_NAME,
        name.span,
        &what,
        "write 1 to 64 of A-Z a-z 0-9 _ . -",
    ))
}

/// `#[input]` stands alone (T7010).
fn whole(function: &Function, checked: &[Parameter<'_>], faults: &mut Faults) {
    let owned = checked
        .iter()
        .filter(|parameter| !matches!(parameter.taken, Taken::Part(_)));
    let others = owned.clone().count();
    let wholes = owned
        .filter(|one| matches!(one.taken, Taken::Whole(_)))
        .count();
    if wholes == 0 || others == 1 {
        return;
    }
    for parameter in &function.parameters {
        for input in parameter.named("input") {
            let what = format!(
                "#[input] makes one parameter the whole input, and {others} are taken from the caller"
            );
            faults.push(usual(codes::WHOLE_INPUT, word(input), &what));
        }
    }
}

/// What goes with the kind (T7008): what is read or got has arguments that are texts, each on its own, and
/// only those are completed; only a tool's are mirrored into headers.
fn served(kind: Kind, function: &Function, checked: &[Parameter<'_>], faults: &mut Faults) {
    if !kind.is_called() {
        for input in function
            .parameters
            .iter()
            .flat_map(|one| one.named("input"))
        {
            let what = format!("the arguments of a {} are parameters", kind.word());
            faults.add(
                codes::CONFLICTING_OPTIONS,
                word(input),
                &what,
                "take each argument by value",
            );
        }
    }
    for parameter in checked {
        let Taken::Field(field) = &parameter.taken else {
            continue;
        };
        if let Some(complete) = field.complete.as_ref().filter(|_| kind.is_called()) {
            let what = "MCP completes the arguments of prompts and resources alone";
            faults.add(
                codes::CONFLICTING_OPTIONS,
                complete.span(),
                what,
                "leave `complete` out",
            );
        }
        if let Some(title) = field.title.as_ref().filter(|_| kind == Kind::Resource) {
            let what = "MCP clients are not told of the variables of a URI one by one";
            faults.add(
                codes::CONFLICTING_OPTIONS,
                title.span,
                what,
                "leave `title` out",
            );
        }
        if let Some(header) = field.header.as_ref().filter(|_| !kind.is_called()) {
            let what = "MCP mirrors the arguments of tools alone into headers";
            faults.add(
                codes::CONFLICTING_OPTIONS,
                header.span,
                what,
                "leave `header` out",
            );
        }
    }
}

/// No two fields of one name (T7016). Two that `cfg` keeps apart may share one.
fn names(checked: &[Parameter<'_>], faults: &mut Faults) {
    let mut seen: HashMap<&str, &Parameter<'_>> = HashMap::new();
    for parameter in checked {
        let Taken::Field(field) = &parameter.taken else {
            continue;
        };
        match seen.insert(&field.name, parameter) {
            Some(before) if before.cfgs.is_empty() || parameter.cfgs.is_empty() => {
                let span = parameter.name.map_or_else(Span::call_site, Ident::span);
                let what = format!("two fields have the name {:?}", field.name);
                faults.add(
                    codes::INVALID_FIELD_NAME,
                    span,
                    &what,
                    "give one of them another name with #[arg(rename = \"…\")]",
                );
            }
            _ => {}
        }
    }
}

/// No header twice, in any capitals (T7007), and none of a secret (T7008): headers are logged on their way.
fn headers(checked: &[Parameter<'_>], faults: &mut Faults) {
    let mut seen = HashSet::new();
    for parameter in checked {
        let Taken::Field(field) = &parameter.taken else {
            continue;
        };
        let Some(header) = &field.header else {
            continue;
        };
        if !seen.insert(header.value.to_ascii_lowercase()) {
            let what = format!("another field is mirrored into {:?} already", header.value);
            faults.push(usual(codes::INVALID_HEADER, header.span, &what));
        }
        if field.secret {
            let what = "a secret that is mirrored into a header is seen by whatever reads headers on the way";
            faults.add(
                codes::CONFLICTING_OPTIONS,
                header.span,
                what,
                "leave `header` out",
            );
        }
    }
}

impl Parameter<'_> {
    /// Where its type begins, for what the compiler is asked about it.
    pub(crate) fn place(&self) -> Span {
        self.kind
            .to_token_stream()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |token| token.span())
    }
}
