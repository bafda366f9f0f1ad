//! Parses the head of an annotated function: attributes, visibility, qualifiers and signature. Checks no rule.
//!
//! The body stays tokens and is never parsed, so that a function with a half-typed body still expands and an
//! editor can complete it.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse as _, ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Generics, Ident, LitStr, Pat, ReturnType, Token, Type, Visibility, WhereClause,
};

/// The item under the attribute.
pub(crate) enum Item {
    /// A function.
    Function(Box<Function>),
    /// Any other item: its keyword.
    Other(Span, String),
}

/// The head of a function.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) constness: Option<Span>,
    pub(crate) asyncness: Option<Span>,
    pub(crate) unsafety: Option<Span>,
    pub(crate) foreign: Option<Span>,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: Option<Type>,
    pub(crate) constraints: Option<WhereClause>,
    /// Whether the signature ends in `;`.
    pub(crate) bodiless: bool,
}

/// One parameter as written.
pub(crate) struct Parameter {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) shape: Shape,
}

/// The form of a parameter.
pub(crate) enum Shape {
    /// `name: Type`, perhaps `mut`.
    Named(Ident, Box<Type>),
    /// `self` in any form.
    Receiver(Span),
    /// Another pattern before the colon.
    Pattern(Span, Box<Type>),
    /// `...`.
    Variadic(Span),
}

/// Parses an item. The tokens are those that the macro emits for it: the author's own, without the attributes
/// that only the macro reads.
///
/// # Errors
/// The error of syn for a head that is not valid Rust.
pub(crate) fn read(item: TokenStream) -> (TokenStream, syn::Result<Item>) {
    let tokens = ungrouped(item);
    let mut head = None;
    let parsed = (|input: ParseStream<'_>| {
        let item = read_item(input, &mut head)?;
        let _: TokenStream = input.parse()?;
        Ok(item)
    })
    .parse2(tokens.iter().cloned().collect());
    let at = head.and_then(|rest| tokens.len().checked_sub(rest));
    (emitted(tokens, at), parsed)
}

/// The tokens inside of the invisible group that `$item:item` leaves around them.
fn ungrouped(item: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            ungrouped(group.stream())
        }
        _ => tokens,
    }
}

/// Parses an item, and sets `head` to the number of tokens from the parameters to the end.
fn read_item(input: ParseStream<'_>, head: &mut Option<usize>) -> syn::Result<Item> {
    let attributes = Attribute::parse_outer(input)?;
    let visibility = input.parse()?;
    let (mut constness, mut asyncness, mut unsafety, mut foreign) = (None, None, None, None);
    while !input.peek(Token![fn]) {
        let ahead = input.fork();
        let word = Ident::parse_any(&ahead).map_err(|_| input.error("expected a function"))?;
        let place = match word.to_string().as_str() {
            "const" if !ahead.peek(Token![_]) && !ahead.peek2(Token![:]) => &mut constness,
            "async" => &mut asyncness,
            "unsafe" => &mut unsafety,
            "extern" if !ahead.peek(Token![crate]) => &mut foreign,
            other => return Ok(Item::Other(word.span(), other.to_owned())),
        };
        *place = Some(word.span());
        Ident::parse_any(input)?;
        if input.peek(LitStr) {
            input.parse::<LitStr>()?;
        }
    }
    input.parse::<Token![fn]>()?;
    let name = Ident::parse_any(input)?;
    let generics = input.parse()?;
    *head = Some(input.cursor().token_stream().into_iter().count());
    let inside;
    syn::parenthesized!(inside in input);
    let parameters = read_parameters(&inside)?;
    let returns = match input.parse()? {
        ReturnType::Default => None,
        ReturnType::Type(_, returns) => Some(*returns),
    };
    let constraints = input.parse()?;
    Ok(Item::Function(Box::new(Function {
        attributes,
        visibility,
        constness,
        asyncness,
        unsafety,
        foreign,
        name,
        generics,
        parameters,
        returns,
        constraints,
        bodiless: input.peek(Token![;]),
    })))
}

fn read_parameters(input: ParseStream<'_>) -> syn::Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    while !input.is_empty() {
        parameters.push(Parameter {
            attributes: Attribute::parse_outer(input)?,
            shape: read_shape(input)?,
        });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(parameters)
}

fn read_shape(input: ParseStream<'_>) -> syn::Result<Shape> {
    if let Some(span) = receiver(input) {
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?;
        }
        return Ok(Shape::Receiver(span));
    }
    if input.peek(Token![...]) {
        return Ok(Shape::Variadic(input.parse::<Token![...]>()?.span()));
    }
    let pattern = Pat::parse_single(input)?;
    input.parse::<Token![:]>()?;
    if input.peek(Token![...]) {
        return Ok(Shape::Variadic(input.parse::<Token![...]>()?.span()));
    }
    let kind = Type::parse(input)?;
    Ok(match pattern {
        Pat::Ident(one) if one.by_ref.is_none() && one.subpat.is_none() => {
            Shape::Named(one.ident, Box::new(kind))
        }
        other => Shape::Pattern(other.span(), Box::new(kind)),
    })
}

/// The place of `self`, if the parameter is a receiver.
fn receiver(input: ParseStream<'_>) -> Option<Span> {
    let ahead = input.fork();
    if ahead.parse::<Token![&]>().is_ok() {
        let _ = ahead.parse::<Option<syn::Lifetime>>();
    }
    let _ = ahead.parse::<Option<Token![mut]>>();
    ahead.parse::<Token![self]>().ok().map(|word| word.span)
}

/// The tokens of the item, with the parameters (the token at `parameters`) stripped.
fn emitted(mut tokens: Vec<TokenTree>, parameters: Option<usize>) -> TokenStream {
    let place = match parameters {
        Some(at) => tokens.get_mut(at),
        // The head is not valid: the parameters are in the first parentheses, if anywhere.
        None => tokens.iter_mut().find(|token| {
            matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
        }),
    };
    if let Some(TokenTree::Group(group)) = place {
        let mut clean = Group::new(group.delimiter(), stripped(group.stream()));
        clean.set_span(group.span());
        *group = clean;
    }
    tokens.into_iter().collect()
}

/// Parameters without the attributes that only the macro reads. That includes doc comments, which Rust does
/// not allow on parameters.
fn stripped(parameters: TokenStream) -> TokenStream {
    let mut clean = Vec::new();
    let mut tokens = parameters.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let opens = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
        if opens && matches!(tokens.peek(), Some(TokenTree::Group(group)) if ours(group)) {
            tokens.next();
        } else {
            clean.push(token);
        }
    }
    clean.into_iter().collect()
}

fn ours(group: &Group) -> bool {
    if group.delimiter() != Delimiter::Bracket {
        return false;
    }
    // `$attribute:meta` leaves an invisible group around all of it.
    let path: TokenStream = ungrouped(group.stream())
        .into_iter()
        .take_while(|token| match token {
            TokenTree::Ident(_) => true,
            TokenTree::Punct(mark) => mark.as_char() == ':',
            TokenTree::Group(_) | TokenTree::Literal(_) => false,
        })
        .collect();
    // Paths of attributes may hold keywords, as in `#[crate::tent::arg]`.
    let Ok(path) = syn::Path::parse_mod_style.parse2(path) else {
        return false;
    };
    path.is_ident("doc") || is_of_tent(&path, "arg") || is_of_tent(&path, "input")
}

/// Whether a path names the attribute `name` of tent: bare, or below any crate, since an app can rename tent.
/// Attributes of tools, such as `#[clippy::…]`, are not of tent.
pub(crate) fn is_of_tent(path: &syn::Path, name: &str) -> bool {
    const TOOLS: [&str; 5] = ["clippy", "diagnostic", "miri", "rust_analyzer", "rustfmt"];
    let tool = || {
        let first = path.segments.first();
        path.segments.len() > 1 && first.is_some_and(|first| TOOLS.iter().any(|t| first.ident == t))
    };
    path.segments.last().is_some_and(|last| last.ident == name) && !tool()
}

/// The last segment of an attribute's path, where diagnostics about the attribute are shown.
pub(crate) fn attribute_name(attribute: &Attribute) -> Span {
    attribute
        .path()
        .segments
        .last()
        .map_or_else(Span::call_site, |last| last.ident.span())
}

impl Parameter {
    /// The attributes of tent with this name.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        self.attributes
            .iter()
            .filter(move |attribute| is_of_tent(attribute.path(), name))
    }
}
