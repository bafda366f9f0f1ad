//! Adds to the schema what schemars leaves out of serde's attributes: other names of fields and variants, fields whose `null`
//! has a meaning, and flattened fields.
//!
//! Reads `#[serde(…)]` alone, not one inside of a `cfg_attr`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Data, DeriveInput, Expr, ExprLit, Field, Fields, Lit, LitStr, Meta, Token, Type,
    parse_quote,
};

use super::mentions;

/// Adds the extensions of all fields and variants.
pub(super) fn add(private: &TokenStream, input: &mut DeriveInput) {
    match &mut input.data {
        Data::Struct(data) => fields(private, &mut data.fields),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                let aliases = Facts::of(&variant.attrs).aliases;
                if !aliases.is_empty() {
                    let extension = parse_quote! {
                        #[schemars(extend("x-tent-variant-aliases" = [#(#aliases),*]))]
                    };
                    variant.attrs.push(extension);
                }
                fields(private, &mut variant.fields);
            }
        }
        Data::Union(_) => {}
    }
}

fn fields(private: &TokenStream, fields: &mut Fields) {
    for field in fields {
        let Facts {
            aliases,
            reads_itself,
            is_flattened,
        } = Facts::of(&field.attrs);
        if !aliases.is_empty() {
            let extension = parse_quote! {
                #[schemars(extend("x-tent-aliases" = [#(#aliases),*]))]
            };
            field.attrs.push(extension);
        }
        if reads_itself && is_option_of_option(field) {
            let extension = parse_quote!(#[schemars(extend("x-tent-null-value" = true))]);
            field.attrs.push(extension);
        }
        // schemars reads nothing of a flattened field but its type. It must see an `Option` itself.
        if is_flattened && inner(&field.ty).is_none() && !names_schema(&field.attrs) {
            let kind = &field.ty;
            let kind = quote!(#private::Flattened<#kind>).to_string();
            let kind = LitStr::new(&kind, field.ty.span());
            field.attrs.push(parse_quote!(#[schemars(with = #kind)]));
        }
    }
}

/// What the attributes of serde say about a field or variant.
#[derive(Default)]
struct Facts {
    aliases: Vec<LitStr>,
    /// Whether a function of the author reads the field.
    reads_itself: bool,
    is_flattened: bool,
}

impl Facts {
    fn of(attributes: &[Attribute]) -> Self {
        let mut facts = Facts::default();
        for one in attributes.iter().filter(|one| one.path().is_ident("serde")) {
            let metas = one.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            // serde reports what it cannot read.
            for meta in metas.into_iter().flatten() {
                facts.note(&meta);
            }
        }
        facts
    }

    fn note(&mut self, meta: &Meta) {
        let path = meta.path();
        if path.is_ident("flatten") {
            self.is_flattened = true;
        }
        if path.is_ident("with") || path.is_ident("deserialize_with") {
            self.reads_itself = true;
        }
        if let Meta::NameValue(pair) = meta
            && path.is_ident("alias")
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(alias),
                ..
            }) = &pair.value
        {
            self.aliases.push(alias.clone());
        }
    }
}

/// Whether the author names another schema than that of the type.
fn names_schema(attributes: &[Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|one| mentions(one, "with") || mentions(one, "schema_with"))
}

/// Whether the type is written `Option<Option<…>>`.
fn is_option_of_option(field: &Field) -> bool {
    inner(&field.ty).and_then(inner).is_some()
}

/// The type in an `Option`.
fn inner(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(kind) if last.ident == "Option" => Some(kind),
        _ => None,
    }
}
