//! The rules for parameters: which the app supplies, which are arguments of the caller, which is the whole input.
//! Part of `model`. Asks nothing about types: what a type is, the compiler knows.

use proc_macro2::{Span, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Ident, Type};

use super::signature::impl_trait;
use super::{Kind, arguments, rules};
use crate::diagnostic::Diagnostics;
use crate::docs::{self, Docs};
use crate::options::tables::{ArgOptions, InputOptions};
use crate::options::{self, Spanned};
use crate::syntax::{self, Function, Shape, attribute_name};
use tent_core::codes;

/// A checked parameter.
pub(crate) struct Parameter<'a> {
    /// Its name; `None` for a pattern, which is allowed where the parameter is not an argument.
    pub(crate) name: Option<&'a Ident>,
    pub(crate) kind: &'a Type,
    pub(crate) cfgs: Vec<&'a Attribute>,
    pub(crate) source: Source<'a>,
}

/// Where the value of a parameter comes from.
pub(crate) enum Source<'a> {
    /// The app, for a parameter `&T`: the `T`.
    App(&'a Type),
    /// The caller, as one field of the input.
    Argument(Box<Argument>),
    /// The caller, as the whole input, perhaps with the author's own schema.
    Input(Option<Spanned<Expr>>),
}

/// A parameter that is one field of the input.
pub(crate) struct Argument {
    /// Its name on the wire.
    pub(crate) name: String,
    /// Its doc comment.
    pub(crate) about: Docs,
    pub(crate) options: ArgOptions,
}

/// Checks each parameter, then all of them together.
pub(super) fn check<'a>(
    kind: Kind,
    function: &'a Function,
    diagnostics: &mut Diagnostics,
) -> Vec<Parameter<'a>> {
    let checked: Vec<Parameter<'a>> = function
        .parameters
        .iter()
        .filter_map(|parameter| check_one(parameter, diagnostics))
        .collect();
    arguments::check(kind, function, &checked, diagnostics);
    rules::check(&checked, diagnostics);
    checked
}

fn check_one<'a>(
    parameter: &'a syntax::Parameter,
    diagnostics: &mut Diagnostics,
) -> Option<Parameter<'a>> {
    let checked = check_type(parameter, diagnostics);
    if checked.is_none() {
        // The faults of its options are not hidden by that of its type.
        let _ = arg_options(parameter, diagnostics);
        let _ = input_options(parameter, diagnostics);
    }
    checked
}

/// Checks the type of a parameter, then its options. `None` for a type that is not valid; then no option was read.
fn check_type<'a>(
    parameter: &'a syntax::Parameter,
    diagnostics: &mut Diagnostics,
) -> Option<Parameter<'a>> {
    let (name, kind) = match &parameter.shape {
        Shape::Named(name, kind) => (Ok(name), &**kind),
        Shape::Pattern(span, kind) => (Err(*span), &**kind),
        Shape::Receiver(span) => {
            let help = "write a free function, and take app state by reference (`shop: &Shop`)";
            diagnostics.add(
                codes::UNSUPPORTED_SIGNATURE,
                *span,
                "the function takes `self`",
                help,
            );
            return None;
        }
        Shape::Variadic(span) => {
            let problem = "the function is variadic";
            diagnostics.add(
                codes::UNSUPPORTED_SIGNATURE,
                *span,
                problem,
                "take a `Vec<T>`",
            );
            return None;
        }
    };
    if let Some(span) = impl_trait(kind) {
        let problem = "the parameter is an `impl Trait`, and a remote caller supplies no type";
        diagnostics.add(
            codes::UNSUPPORTED_SIGNATURE,
            span,
            problem,
            "write the type itself, for example `String`",
        );
        return None;
    }
    let reference = as_reference(kind);
    if let (None, Some(span)) = (reference, borrow(kind)) {
        let problem = "the type borrows from the input";
        diagnostics.add(codes::BORROWED_INPUT, span, problem, &owned_help(kind));
        return None;
    }
    let source = match (reference, name) {
        (Some(reference), _) => from_app(parameter, reference, diagnostics)?,
        (None, _) if parameter.named("input").next().is_some() => {
            whole_input(parameter, diagnostics)
        }
        (None, Ok(name)) => argument(parameter, name, diagnostics),
        (None, Err(span)) => {
            let problem = "the parameter is a pattern, and an input needs a name";
            let help = "write `name: Type`, and destructure it in the body";
            diagnostics.add(codes::UNSUPPORTED_SIGNATURE, span, problem, help);
            return None;
        }
    };
    Some(Parameter {
        name: name.ok(),
        kind,
        cfgs: cfgs(&parameter.attributes),
        source,
    })
}

/// The `cfg` attributes among `attributes`.
fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect()
}

/// The reference that a type is, inside of groups and parentheses.
fn as_reference(kind: &Type) -> Option<&syn::TypeReference> {
    match kind {
        Type::Reference(reference) => Some(reference),
        Type::Group(group) => as_reference(&group.elem),
        Type::Paren(paren) => as_reference(&paren.elem),
        _ => None,
    }
}

/// The place of a reference inside of a type.
fn borrow(kind: &Type) -> Option<Span> {
    fn find(tokens: proc_macro2::TokenStream) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Punct(mark) if mark.as_char() == '&' => Some(mark.span()),
            TokenTree::Group(group) => find(group.stream()),
            _ => None,
        })
    }
    find(kind.to_token_stream())
}

/// The fix for a type with a reference inside: the owned type, and the reference where it may be app state.
fn owned_help(kind: &Type) -> String {
    let owned = owned(kind.to_token_stream(), false).unwrap_or_default();
    let help = format!("inputs must be owned: write `{owned}`");
    let state = match kind {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .and_then(|last| match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => arguments.args.first(),
                _ => None,
            }),
        _ => None,
    };
    match state {
        Some(syn::GenericArgument::Type(Type::Reference(state))) if matches!(&*state.elem, Type::Path(path) if !path.path.is_ident("str")) =>
        {
            let state = written_type(&state.elem);
            format!("for app state, take `&{state}`; {help}")
        }
        _ => help,
    }
}

/// The type with `String` for `&str`, `Vec<T>` for `&[T]` and `T` for `&T`. `referred` is whether a `&` comes before it.
fn owned(kind: proc_macro2::TokenStream, referred: bool) -> Option<String> {
    let kind = proc_macro2::Group::new(proc_macro2::Delimiter::None, kind).stream();
    fn convert(tokens: proc_macro2::TokenStream, referred: bool) -> proc_macro2::TokenStream {
        let (mut found, mut referred) = (proc_macro2::TokenStream::new(), referred);
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '&' => referred = true,
                TokenTree::Punct(mark) if referred && mark.as_char() == '\'' => {
                    tokens.next();
                }
                TokenTree::Ident(word) if referred && word == "mut" => {}
                TokenTree::Ident(word) if referred && word == "str" => {
                    found.extend(quote::quote!(String));
                    referred = false;
                }
                TokenTree::Group(group)
                    if referred && group.delimiter() == proc_macro2::Delimiter::Bracket =>
                {
                    let item = convert(group.stream(), false);
                    found.extend(quote::quote!(Vec<#item>));
                    referred = false;
                }
                TokenTree::Group(group) => {
                    let inside = convert(group.stream(), false);
                    found.extend([TokenTree::from(proc_macro2::Group::new(
                        group.delimiter(),
                        inside,
                    ))]);
                    referred = false;
                }
                other => {
                    found.extend([other]);
                    referred = false;
                }
            }
        }
        found
    }
    let owned = syn::parse2::<Type>(convert(kind, referred)).ok()?;
    Some(written_type(&owned))
}

/// The text of a type, as an author would write it.
fn written_type(kind: &Type) -> String {
    let mut text = kind.to_token_stream().to_string();
    for (spaced, dense) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        (" , ", ", "),
        ("& ", "&"),
    ] {
        text = text.replace(spaced, dense);
    }
    text
}

fn from_app<'a>(
    parameter: &syntax::Parameter,
    reference: &'a syn::TypeReference,
    diagnostics: &mut Diagnostics,
) -> Option<Source<'a>> {
    if let Some(word) = &reference.mutability {
        let problem =
            "the parameter is a mutable reference, and all calls share what the app supplies";
        let kind = written_type(&reference.elem);
        let is_call = kind == "Cx" || kind.ends_with("::Cx");
        let help = match owned(reference.elem.to_token_stream(), true) {
            // `&mut str` and `&mut [T]` are inputs; of other types, the macro does not know it.
            Some(input) if input != kind => format!("take `{input}`"),
            _ if is_call => format!("take `&{kind}`"),
            _ => format!(
                "take `&{kind}`, with a lock inside it for what changes; take an input by value: `{kind}`"
            ),
        };
        diagnostics.add(codes::BORROWED_INPUT, word.span(), problem, &help);
        return None;
    }
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|one| one.ident != "_") {
        let problem = format!("the reference lives as long as the call, not for `{lifetime}`");
        diagnostics.add(
            codes::UNSUPPORTED_SIGNATURE,
            lifetime.span(),
            &problem,
            "remove the lifetime",
        );
        return None;
    }
    for attribute in parameter.named("arg") {
        let problem = "`#[arg]` is for inputs, and the app supplies this parameter";
        let help = "remove `#[arg]`, or take the parameter by value";
        diagnostics.add(
            codes::CONFLICTING_OPTIONS,
            attribute_name(attribute),
            problem,
            help,
        );
    }
    for attribute in parameter.named("input") {
        let problem = "`#[input]` is for inputs, and the app supplies this parameter";
        diagnostics.add(
            codes::WHOLE_INPUT,
            attribute_name(attribute),
            problem,
            "take the input by value",
        );
    }
    Some(Source::App(&reference.elem))
}

fn whole_input<'a>(parameter: &syntax::Parameter, diagnostics: &mut Diagnostics) -> Source<'a> {
    for arg in parameter.named("arg") {
        let problem =
            "`#[arg]` is for one field, and `#[input]` makes this parameter the whole input";
        let help = "put the rules on the fields of the type, or remove `#[input]`";
        diagnostics.add(codes::WHOLE_INPUT, attribute_name(arg), problem, help);
    }
    for second in parameter.named("input").skip(1) {
        let place = attribute_name(second);
        diagnostics.add(
            codes::INVALID_OPTION,
            place,
            "`#[input]` is set twice",
            "remove one",
        );
    }
    Source::Input(input_options(parameter, diagnostics).schema)
}

fn input_options(parameter: &syntax::Parameter, diagnostics: &mut Diagnostics) -> InputOptions {
    let with_options = parameter
        .named("input")
        .take(1)
        .map(|input| &input.meta)
        .filter(|meta| meta.require_path_only().is_err());
    options::read_metas(with_options, "`#[input]`", diagnostics).table
}

fn arg_options(parameter: &syntax::Parameter, diagnostics: &mut Diagnostics) -> ArgOptions {
    let metas = parameter.named("arg").map(|attribute| &attribute.meta);
    options::read_metas(metas, "`#[arg]`", diagnostics).table
}

fn argument<'a>(
    parameter: &syntax::Parameter,
    name: &Ident,
    diagnostics: &mut Diagnostics,
) -> Source<'a> {
    let options = arg_options(parameter, diagnostics);
    let renamed = options.rename.as_ref().map(|name| name.value.0.clone());
    Source::Argument(Box::new(Argument {
        name: renamed.unwrap_or_else(|| name.unraw().to_string()),
        about: docs::docs(&parameter.attributes),
        options,
    }))
}

impl Parameter<'_> {
    /// The first token of its type, where the compiler shows errors about the type.
    pub(crate) fn place(&self) -> Span {
        let first = self.kind.to_token_stream().into_iter().next();
        first.map_or_else(Span::call_site, |token| token.span())
    }

    /// The argument that the parameter is, if it is one.
    pub(crate) fn argument(&self) -> Option<&Argument> {
        match &self.source {
            Source::Argument(argument) => Some(argument),
            Source::App(_) | Source::Input(_) => None,
        }
    }
}
