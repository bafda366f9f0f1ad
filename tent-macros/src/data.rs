//! `#[data]`: derives serde's and schemars' traits for a type of an input or an output, by tent's re-exports.
//!
//! Adds attributes, and reads nothing of the type but its `#[tent(secret)]` attributes and serde's attributes that schemars
//! leaves out. What serde and schemars make of the type is theirs.

mod deprecated;
mod rules;
mod serde_facts;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Fields, Meta, Token, parse_quote};

use crate::diagnostic::Diagnostics;
use crate::options::tables::{DataFieldOptions, DataOptions};
use crate::options::{self, private_path};
use tent_core::codes;

/// The type with its derives, after its diagnostics.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let options = options::read::<DataOptions>("`#[data]`", options, &mut diagnostics);
    let private = private_path(options.table.krate.as_ref());

    let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
        not_a_type(&item, &mut diagnostics);
        let errors = diagnostics.into_tokens();
        return quote!(#errors #item);
    };
    secrets(&mut input, &mut diagnostics);
    serde_facts::add(&private, &mut input);
    let prelude = prelude(&private, &input);
    let checks = checks(&private, &input, &mut diagnostics);
    let implementations = match &input.data {
        Data::Union(data) => {
            let problem = "unions are not supported: the active field is unknown";
            diagnostics.add(
                codes::UNSUPPORTED_ITEM,
                &data.union_token,
                problem,
                "use an enum",
            );
            None
        }
        Data::Struct(_) | Data::Enum(_) => Some(derives(&private, &mut input)),
    };
    let errors = diagnostics.into_tokens();
    let (derives, schema) = implementations.unzip();
    quote!(#errors #derives #input #prelude #schema #checks)
}

/// What the derive of schemars takes from the standard prelude, for a module without it. The imports add no name: traits
/// are imported as `_`, and globs give way to every other name.
///
/// schemars writes a bare `Some` for a default, and a bare `None` if the default may be skipped. They are imported only then: a
/// glob of the author's that has another `Some` or `None` would be ambiguous with these, and is an error of schemars without
/// them.
fn prelude(private: &TokenStream, input: &DeriveInput) -> TokenStream {
    let fields: Vec<&Fields> = match &input.data {
        Data::Struct(data) => vec![&data.fields],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => return TokenStream::new(),
    };
    let on_fields = || {
        fields
            .iter()
            .copied()
            .flatten()
            .flat_map(|field| &field.attrs)
    };
    let some = on_fields()
        .chain(&input.attrs)
        .any(|one| mentions(one, "default"));
    let none = some && on_fields().any(|one| mentions(one, "skip_serializing_if"));
    let some = some.then(|| quote!(use #private::prelude::some::*;));
    let none = none.then(|| quote!(use #private::prelude::none::*;));
    quote! {
        use #private::prelude::{
            Default as _, From as _, Into as _, IntoIterator as _, Iterator as _, ToString as _,
        };
        #some
        #none
    }
}

/// The checks of the rules of all fields.
fn checks(
    private: &TokenStream,
    input: &DeriveInput,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let fields: Vec<&Fields> = match &input.data {
        Data::Struct(data) => vec![&data.fields],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => return TokenStream::new(),
    };
    // A constant beside the type cannot name its parameters.
    let named = input.generics.params.is_empty().then_some(private);
    let fields = fields.into_iter().flatten();
    let checks: TokenStream = fields
        .map(|field| rules::check(field, named, diagnostics))
        .collect();
    let conditions = input.attrs.iter().filter(|one| one.path().is_ident("cfg"));
    match checks.is_empty() {
        true => checks,
        false => quote! {
                #(#conditions)*
                const _: () = {
                    use #private::UnknownType as _;
                    #checks
                };
        },
    }
}

/// Whether an attribute has this word in its parentheses.
fn mentions(attribute: &Attribute, word: &str) -> bool {
    fn find(tokens: TokenStream, word: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => ident == word,
            proc_macro2::TokenTree::Group(group) => find(group.stream(), word),
            _ => false,
        })
    }
    matches!(&attribute.meta, Meta::List(list) if find(list.tokens.clone(), word))
}

/// Adds the diagnostic for an item that is not a type, or that cannot be parsed.
fn not_a_type(item: &TokenStream, diagnostics: &mut Diagnostics) {
    match syn::parse2::<Start>(item.clone()) {
        // The compiler parses the item again and reports its own error.
        Ok(Start { word: None }) => {}
        Ok(Start { word: Some(word) }) => {
            let problem = "`#[data]` is for structs and enums";
            let callable = ["fn", "async", "const", "unsafe", "extern"];
            let help = if callable.contains(&word.to_string().as_str()) {
                "use `#[query]`, `#[change]` or `#[action]` on a function"
            } else {
                "put it on the types inside"
            };
            diagnostics.add(codes::UNSUPPORTED_ITEM, &word, problem, help);
        }
        Err(error) => {
            let help = "put `#[data]` on a struct or an enum";
            diagnostics.add(
                codes::UNSUPPORTED_ITEM,
                error.span(),
                &error.to_string(),
                help,
            );
        }
    }
}

/// The keyword of an item that is neither a struct, an enum nor a union.
struct Start {
    word: Option<proc_macro2::TokenTree>,
}

impl Parse for Start {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        input.parse::<syn::Visibility>()?;
        let a_type =
            input.peek(Token![struct]) || input.peek(Token![enum]) || input.peek(Token![union]);
        let word: proc_macro2::TokenTree = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(Start {
            word: (!a_type).then_some(word),
        })
    }
}

/// The derives, with the paths of their crates unless the author declares them, and the schema of a deprecated type.
fn derives(private: &TokenStream, input: &mut DeriveInput) -> (TokenStream, TokenStream) {
    let attributes = &input.attrs;
    let at = |name: &str| format!("{private}::{name}").replace(' ', "");
    let path = |attribute: &str, path: String| {
        let attribute_name = quote::format_ident!("{attribute}");
        (!declares_crate(attributes, attribute)).then(|| quote!(#[#attribute_name(crate = #path)]))
    };
    let serde = path("serde", at("serde"));
    let schemars = path("schemars", at("schemars"));
    let (serialize, deserialize) = (
        quote!(#private::serde::Serialize),
        quote!(#private::serde::Deserialize),
    );
    if deprecated::is_deprecated(attributes) {
        let schema = deprecated::schema(private, input, schemars.as_ref());
        deprecated::strip(input);
        return (quote!(#[derive(#serialize, #deserialize)] #serde), schema);
    }
    let derives = quote! {
        #[derive(#serialize, #deserialize, #private::schemars::JsonSchema)]
        #serde
        #schemars
    };
    (derives, TokenStream::new())
}

/// Whether an `#[attribute(…)]` has `crate = …`.
fn declares_crate(attributes: &[Attribute], attribute: &str) -> bool {
    attributes.iter().any(|one| {
        let Meta::List(list) = &one.meta else {
            return false;
        };
        let mut words = list.tokens.clone().into_iter();
        one.path().is_ident(attribute)
            && words
                .any(|word| matches!(word, proc_macro2::TokenTree::Ident(word) if word == "crate"))
    })
}

/// Replaces each `#[tent(secret)]` on a field with the extension of the schema, and reports those elsewhere.
fn secrets(input: &mut DeriveInput, diagnostics: &mut Diagnostics) {
    misplaced(&mut input.attrs, "a type", diagnostics);
    match &mut input.data {
        Data::Struct(data) => fields(&mut data.fields, diagnostics),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                misplaced(&mut variant.attrs, "a variant", diagnostics);
                fields(&mut variant.fields, diagnostics);
            }
        }
        Data::Union(data) => {
            for field in &mut data.fields.named {
                misplaced(&mut field.attrs, "a union's field", diagnostics);
            }
        }
    }
}

fn misplaced(attributes: &mut Vec<Attribute>, on: &str, diagnostics: &mut Diagnostics) {
    attributes.retain(|one| {
        let misplaced = one.path().is_ident("tent");
        if misplaced {
            let problem = format!("`#[tent]` is for fields, and this is {on}");
            let help = "write `#[tent(secret)]` on each field whose value is secret";
            diagnostics.add(codes::INVALID_OPTION, one, &problem, help);
        }
        !misplaced
    });
}

fn fields(fields: &mut Fields, diagnostics: &mut Diagnostics) {
    for field in fields {
        let mut secret = false;
        let mut attributes = Vec::with_capacity(field.attrs.len());
        for one in std::mem::take(&mut field.attrs) {
            if one.path().is_ident("tent") {
                secret |= is_secret(&one.meta, diagnostics);
            } else {
                attributes.push(under_cfg(one, diagnostics));
            }
        }
        if secret {
            attributes.push(extension());
        }
        field.attrs = attributes;
    }
}

/// The extension of the schema that marks a secret. tent removes it from published schemas.
fn extension() -> Attribute {
    parse_quote!(#[schemars(extend("x-tent-secret" = true))])
}

fn is_secret(meta: &Meta, diagnostics: &mut Diagnostics) -> bool {
    let options = options::read_metas::<DataFieldOptions>([meta], "`#[tent]`", diagnostics);
    options.table.secret.is_some()
}

/// Replaces a `tent(secret)` inside of a `cfg_attr`, under the same condition.
fn under_cfg(attribute: Attribute, diagnostics: &mut Diagnostics) -> Attribute {
    let Meta::List(list) = &attribute.meta else {
        return attribute;
    };
    if !attribute.path().is_ident("cfg_attr") {
        return attribute;
    }
    let parsed = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list.tokens.clone());
    let Ok(parsed) = parsed else {
        return attribute;
    };
    if !parsed
        .iter()
        .skip(1)
        .any(|meta| meta.path().is_ident("tent"))
    {
        return attribute;
    }
    let written = parsed.iter().enumerate().filter_map(|(at, meta)| {
        if at == 0 || !meta.path().is_ident("tent") {
            return Some(meta.to_token_stream());
        }
        is_secret(meta, diagnostics).then(|| extension().meta.to_token_stream())
    });
    parse_quote!(#[cfg_attr(#(#written),*)])
}
