//! From tokens to an annotated item: its attributes, visibility, qualifiers and signature. The body
//! stays tokens and is never parsed, so that a half-typed one still expands. Judges nothing.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse as _, ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Generics, Ident, LitStr, Pat, ReturnType, Token, Type, Visibility, WhereClause,
};

/// What stands under the attribute.
pub(crate) enum Item {
    /// A function.
    Function(Box<Function>),
    /// Anything else: the word that says what it is.
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
    /// Whether a `;` stands where the body would.
    pub(crate) bodiless: bool,
}

/// One parameter, as it is written.
pub(crate) struct Parameter {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) shape: Shape,
}

/// What a parameter is.
pub(crate) enum Shape {
    /// `name: Type`, perhaps `mut`.
    Named(Ident, Box<Type>),
    /// `self` in any form.
    Receiver(Span),
    /// Anything else before the colon.
    Pattern(Span, Box<Type>),
    /// `...`.
    Variadic(Span),
}

/// The item, and the tokens that it is emitted as: its own, less what only the macro reads.
///
/// # Errors
/// What syn says of a head that is no Rust.
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

/// The tokens, out of the invisible group that `$item:item` leaves around them.
fn ungrouped(item: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            ungrouped(group.stream())
        }
        _ => tokens,
    }
}

/// `head` becomes the number of tokens from the parameters on.
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

/// Where the `self` of a receiver is, if this is one.
fn receiver(input: ParseStream<'_>) -> Option<Span> {
    let ahead = input.fork();
    if ahead.parse::<Token![&]>().is_ok() {
        let _ = ahead.parse::<Option<syn::Lifetime>>();
    }
    let _ = ahead.parse::<Option<Token![mut]>>();
    ahead.parse::<Token![self]>().ok().map(|word| word.span)
}

/// The item as it goes on to the compiler.
fn emitted(mut tokens: Vec<TokenTree>, parameters: Option<usize>) -> TokenStream {
    let place = match parameters {
        Some(at) => tokens.get_mut(at),
        // The head was not understood: the parameters are in the first parentheses, if anywhere.
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

/// Parameters without the attributes that only the macro reads. Doc comments go too: the language
/// does not allow them there.
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
    let words: Vec<String> = group
        .stream()
        .into_iter()
        .map_while(|token| match token {
            TokenTree::Ident(word) => Some(word.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == ':' => Some(String::new()),
            _ => None,
        })
        .filter(|word| !word.is_empty())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(
        words.as_slice(),
        ["arg" | "input" | "doc"] | ["tent", "arg" | "input"]
    )
}

/// Where the last word of an attribute's path stands.
pub(crate) fn word(attribute: &Attribute) -> Span {
    attribute
        .path()
        .segments
        .last()
        .map_or_else(Span::call_site, |last| last.ident.span())
}

impl Parameter {
    /// The attributes of this name, written bare or as `tent::…`.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |attribute| {
            let path = attribute.path();
            let last = path.segments.last();
            last.is_some_and(|last| last.ident == name)
                && (path.segments.len() == 1
                    || (path.segments.len() == 2 && path.segments[0].ident == "tent"))
        })
    }
}
