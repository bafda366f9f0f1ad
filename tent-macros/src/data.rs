//! `#[data]`: a type that goes over the wire, by tent's own re-exports of serde and schemars.
//!
//! Adds attributes and reads none of the type but its marks; what serde and schemars make of it is theirs.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Fields, Meta, Token, parse_quote};
use tent_core::codes;

use crate::fault::Faults;
use crate::options::{self, Known, of_meta, root};

const FIELD: Known<'static> = Known {
    names: &["secret"],
    on: "a field",
    example: "#[tent(secret)]",
};

/// The item with its derives, after all that is wrong with it.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut faults = Faults::default();
    let known = Known {
        names: &["crate"],
        on: "`#[data]`",
        example: "#[data], or #[data(crate = the_path)]",
    };
    let stated = options::read(options, &known, &mut faults);
    let root = root(&stated, &mut faults);

    let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
        not_a_type(&item, &mut faults);
        let faults = faults.tokens();
        return quote!(#faults #item);
    };
    marks(&mut input, &mut faults);
    let derives = derives(&root, &input.attrs);
    let derives = match &input.data {
        Data::Union(data) => {
            faults.add(
                codes::UNSUPPORTED_ITEM,
                &data.union_token,
                "nobody can tell what a union holds, so it goes over no wire",
                "write an enum",
            );
            None
        }
        Data::Struct(_) | Data::Enum(_) => Some(derives),
    };
    let faults = faults.tokens();
    quote!(#faults #derives #input)
}

/// What is not even a struct or an enum: another item, or one that does not parse.
fn not_a_type(item: &TokenStream, faults: &mut Faults) {
    match syn::parse2::<Start>(item.clone()) {
        // The compiler parses the item again and says what is wrong with it.
        Ok(Start { word: None }) => {}
        Ok(Start { word: Some(word) }) => {
            let callable = ["fn", "async", "const", "unsafe", "extern"];
            faults.add(
                codes::UNSUPPORTED_ITEM,
                &word,
                "`#[data]` is for a struct or an enum",
                if callable.contains(&word.to_string().as_str()) {
                    "a function takes #[query], #[change] or #[action]"
                } else {
                    "put it on the types themselves"
                },
            );
        }
        Err(error) => faults.add(
            codes::UNSUPPORTED_ITEM,
            error.span(),
            &error.to_string(),
            "put #[data] on a struct or an enum",
        ),
    }
}

/// The word that says what an item is, where that is neither a struct nor an enum.
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

/// The derives, and where they find their crates: unless the author says that already.
fn derives(root: &TokenStream, attributes: &[Attribute]) -> TokenStream {
    let at = |name: &str| format!("{root}::{name}").replace(' ', "");
    let path = |attribute: &str, path: String| {
        let attribute_name = quote::format_ident!("{attribute}");
        (!says_crate(attributes, attribute)).then(|| quote!(#[#attribute_name(crate = #path)]))
    };
    let serde = path("serde", at("serde"));
    let schemars = path("schemars", at("schemars"));
    quote! {
        #[derive(
            #root::serde::Serialize,
            #root::serde::Deserialize,
            #root::schemars::JsonSchema,
        )]
        #serde
        #schemars
    }
}

/// Whether an `#[attribute(…)]` states `crate = …`.
fn says_crate(attributes: &[Attribute], attribute: &str) -> bool {
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

/// Turns each `#[tent(secret)]` into what the schema carries. Those that stand elsewhere are faults.
fn marks(input: &mut DeriveInput, faults: &mut Faults) {
    misplaced(&mut input.attrs, "a type", faults);
    match &mut input.data {
        Data::Struct(data) => fields(&mut data.fields, faults),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                misplaced(&mut variant.attrs, "a variant", faults);
                fields(&mut variant.fields, faults);
            }
        }
        Data::Union(data) => {
            for field in &mut data.fields.named {
                misplaced(&mut field.attrs, "a union's field", faults);
            }
        }
    }
}

fn misplaced(attributes: &mut Vec<Attribute>, on: &str, faults: &mut Faults) {
    attributes.retain(|one| {
        let misplaced = one.path().is_ident("tent");
        if misplaced {
            faults.add(
                codes::INVALID_OPTION,
                one,
                &format!("`#[tent(…)]` stands on a field, and this is {on}"),
                "write #[tent(secret)] on each field whose value may not be shown",
            );
        }
        !misplaced
    });
}

fn fields(fields: &mut Fields, faults: &mut Faults) {
    for field in fields {
        let mut secret = false;
        let mut kept = Vec::with_capacity(field.attrs.len());
        for one in std::mem::take(&mut field.attrs) {
            if one.path().is_ident("tent") {
                secret |= is_secret(&one.meta, faults);
            } else {
                kept.push(under_cfg(one, faults));
            }
        }
        if secret {
            kept.push(extension());
        }
        field.attrs = kept;
    }
}

/// The mark that the schema carries; it is taken off what is published.
fn extension() -> Attribute {
    parse_quote!(#[schemars(extend("x-tent-secret" = true))])
}

fn is_secret(meta: &Meta, faults: &mut Faults) -> bool {
    let mut options = Vec::new();
    of_meta(meta, &FIELD, faults, &mut options);
    for option in &options {
        faults.handle(option.bare());
    }
    !options.is_empty()
}

/// A `cfg_attr` with a `tent(secret)` in it: the mark is taken where the condition holds.
fn under_cfg(attribute: Attribute, faults: &mut Faults) -> Attribute {
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
        is_secret(meta, faults).then(|| extension().meta.to_token_stream())
    });
    parse_quote!(#[cfg_attr(#(#written),*)])
}
