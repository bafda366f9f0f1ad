//! The schema of a deprecated type. schemars names the type in its implementation without `#[allow(deprecated)]`, so its
//! derive alone would warn of each deprecated type at the type itself.
//!
//! The derive therefore goes onto a copy of the type below an `allow`, and the type takes over the schema of the copy.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Index, Member, Meta, parse_quote};

use super::mentions;

/// Whether the type is deprecated, also by a `cfg_attr`.
pub(super) fn is_deprecated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|one| {
        one.path().is_ident("deprecated")
            || (one.path().is_ident("cfg_attr") && mentions(one, "deprecated"))
    })
}

/// The implementation of `JsonSchema` for a deprecated type. `schemars` is the attribute with the path of the crate.
pub(super) fn schema(
    private: &TokenStream,
    input: &DeriveInput,
    schemars: Option<&TokenStream>,
) -> TokenStream {
    let ident = &input.ident;
    let conditions = input.attrs.iter().filter(|one| one.path().is_ident("cfg"));
    let copy = copy(input);
    let name = &copy.ident;
    let written = syn::ext::IdentExt::unraw(ident).to_string();
    let renamed = input.attrs.iter().any(|one| mentions(one, "rename"));
    let rename = (!renamed).then(|| quote!(#[schemars(rename = #written)]));
    let default = default(private, input, name);

    let (_, arguments, _) = input.generics.split_for_impl();
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let bounds = &mut generics.make_where_clause().predicates;
        bounds.push(parse_quote!(#name #arguments: #private::schemars::JsonSchema));
    }
    let (parameters, _, bounds) = generics.split_for_impl();
    let of = quote!(<#name #arguments as #private::schemars::JsonSchema>);
    let text = quote!(#private::Cow<'static, #private::str>);
    quote! {
        #(#conditions)*
        #[allow(deprecated, dead_code)]
        const _: () = {
            #[derive(#private::schemars::JsonSchema)]
            #schemars
            #rename
            #copy

            #default

            #[automatically_derived]
            impl #parameters #private::schemars::JsonSchema for #ident #arguments #bounds {
                fn inline_schema() -> #private::bool {
                    #of::inline_schema()
                }

                fn schema_name() -> #text {
                    #of::schema_name()
                }

                fn schema_id() -> #text {
                    #of::schema_id()
                }

                fn json_schema(
                    generator: &mut #private::schemars::SchemaGenerator,
                ) -> #private::schemars::Schema {
                    #of::json_schema(generator)
                }
            }
        };
    }
}

/// Removes the attributes that only the derive of schemars knows, from the type that does not have it.
pub(super) fn strip(input: &mut DeriveInput) {
    retain(input, |one| !one.path().is_ident("schemars"));
}

/// The type under another name, with the attributes that the derive of schemars reads.
fn copy(input: &DeriveInput) -> DeriveInput {
    const READ: [&str; 8] = [
        "cfg",
        "cfg_attr",
        "deprecated",
        "doc",
        "garde",
        "schemars",
        "serde",
        "validate",
    ];
    let mut copy = input.clone();
    copy.ident = format_ident!("__Tent{}", input.ident);
    copy.vis = syn::Visibility::Inherited;
    retain(&mut copy, |one| {
        READ.iter().any(|name| one.path().is_ident(name))
    });
    copy
}

/// Removes all other attributes, at every place.
fn retain(input: &mut DeriveInput, keep: impl Fn(&Attribute) -> bool) {
    input.attrs.retain(&keep);
    let each = |fields: &mut Fields| {
        for field in fields {
            field.attrs.retain(&keep);
        }
    };
    match &mut input.data {
        Data::Struct(data) => each(&mut data.fields),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                variant.attrs.retain(&keep);
                each(&mut variant.fields);
            }
        }
        Data::Union(_) => {}
    }
}

/// The default of the copy, where the default of the whole type is that of its fields: `#[serde(default)]` on a struct.
fn default(private: &TokenStream, input: &DeriveInput, copy: &syn::Ident) -> Option<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return None;
    };
    let has_default =
        |one: &Attribute| matches!(&one.meta, Meta::List(_)) && mentions(one, "default");
    if !input.attrs.iter().any(has_default) {
        return None;
    }
    let ident = &input.ident;
    let members: Vec<TokenStream> = data
        .fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            let cfgs = field.attrs.iter().filter(|one| one.path().is_ident("cfg"));
            let member = match &field.ident {
                Some(name) => Member::from(name.clone()),
                None => Member::from(Index::from(at)),
            };
            let local = format_ident!("__tent_{at}");
            quote!(#(#cfgs)* #member: #local)
        })
        .collect();
    let (_, arguments, _) = input.generics.split_for_impl();
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let bounds = &mut generics.make_where_clause().predicates;
        bounds.push(parse_quote!(#ident #arguments: #private::prelude::Default));
    }
    let (parameters, _, bounds) = generics.split_for_impl();
    Some(quote! {
        impl #parameters #private::prelude::Default for #copy #arguments #bounds {
            fn default() -> Self {
                let #ident { #(#members),* } = #private::prelude::Default::default();
                #copy { #(#members),* }
            }
        }
    })
}
