//! Generates the implementations of a failure: `Display`, `std::error::Error`, `tent::Failure`, and a `From` for
//! each `#[from]`.
//!
//! They are generated for a failure with problems too, so that one mistake is not an error at each use of the type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Generics, Ident, parse_quote};

use super::message::{How, Message, Use};
use super::model::{Arm, Field, Model, binding};
use super::report::{Declared, Report};

/// All implementations of a failure.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let private = &model.private;
    let ident = &model.input.ident;
    let generics = bounded(model);
    let (parameters, _, bounds) = generics.split_for_impl();
    let (_, arguments, _) = model.input.generics.split_for_impl();
    let (display, sources, failures) = (self::display(model), source(model), failure(model));
    let conversions = model.arms.iter().filter_map(|arm| from(model, arm));
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #private::core::fmt::Display for #ident #arguments #bounds {
            fn fmt(&self, f: &mut #private::core::fmt::Formatter<'_>) -> #private::core::fmt::Result {
                #display
            }
        }

        #[automatically_derived]
        #[allow(deprecated, unused_imports)]
        impl #parameters #private::core::error::Error for #ident #arguments #bounds {
            fn source(
                &self,
            ) -> #private::core::option::Option<&(dyn #private::core::error::Error + 'static)> {
                #private::provide_failure(|| #private::Failure::failure(self));
                #sources
            }
        }

        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #private::DerivedFailure for #ident #arguments #bounds {}

        #[automatically_derived]
        #[allow(deprecated, unused_imports)]
        impl #parameters #private::Failure for #ident #arguments #bounds {
            fn failure(&self) -> #private::Error {
                #failures
            }
        }

        #(#conversions)*
    }
}

/// A `match` on the failure with one arm for each kind, which binds the fields that `of` picks.
fn matched<'a>(
    model: &'a Model<'a>,
    of: impl Fn(&'a Arm<'a>) -> (Vec<usize>, TokenStream),
) -> TokenStream {
    if model.arms.is_empty() {
        return quote!(match *self {});
    }
    let arms = model.arms.iter().map(|arm| {
        let (mut used, body) = of(arm);
        used.sort_unstable();
        used.dedup();
        let path = &arm.path;
        let bound = used.iter().map(|&at| {
            let (member, binding) = (&arm.fields[at].member, binding(at));
            quote!(#member: #binding)
        });
        quote!(#path { #(#bound,)* .. } => { #body })
    });
    quote!(match self { #(#arms)* })
}

fn used(message: &Message) -> Vec<usize> {
    message.uses.iter().map(|one| one.field).collect()
}

fn display(model: &Model<'_>) -> TokenStream {
    let private = &model.private;
    matched(model, |arm| match &arm.report {
        Some(Report::Transparent) => {
            let binding = binding(0);
            (
                vec![0],
                quote!(#private::core::fmt::Display::fmt(#binding, f)),
            )
        }
        Some(Report::Declared(declared)) => {
            let arguments = declared.message.arguments(private);
            (used(&declared.message), quote!(f.write_fmt(#arguments)))
        }
        None => (vec![], quote!(#private::core::result::Result::Ok(()))),
    })
}

fn source(model: &Model<'_>) -> TokenStream {
    let private = &model.private;
    matched(model, |arm| {
        if let Some(Report::Transparent) = arm.report {
            let binding = placed(arm, 0);
            return (
                vec![0],
                quote!(#private::TransparentField::as_source(#binding)),
            );
        }
        match source_of(arm) {
            Some(at) => {
                let binding = placed(arm, at);
                let span = arm.fields[at].ty.span();
                let error = quote_spanned!(span=> (&#private::SourceField(#binding)).error());
                (vec![at], quote!(use #private::source_kinds::*; #error))
            }
            None => (vec![], quote!(#private::core::option::Option::None)),
        }
    })
}

/// The binding of a field, placed at its type, where the compiler shows errors about it.
fn placed(arm: &Arm<'_>, at: usize) -> Ident {
    let mut binding = binding(at);
    let span = arm.fields[at].ty.span();
    binding.set_span(binding.span().located_at(span));
    binding
}

/// The field that is the source, if there is one.
fn source_of(arm: &Arm<'_>) -> Option<usize> {
    arm.report.as_ref()?;
    arm.fields.iter().position(|field| field.source)
}

fn failure(model: &Model<'_>) -> TokenStream {
    let private = &model.private;
    matched(model, |arm| match &arm.report {
        Some(Report::Transparent) => {
            let binding = placed(arm, 0);
            (
                vec![0],
                quote!(#private::TransparentField::to_error(#binding)),
            )
        }
        Some(Report::Declared(declared)) => report(private, arm, declared),
        None => (
            vec![],
            quote!(#private::Error::declared(const { #private::AppCode::checked("A0000") }, 500, "")),
        ),
    })
}

fn report(private: &TokenStream, arm: &Arm<'_>, declared: &Declared) -> (Vec<usize>, TokenStream) {
    let Declared {
        code,
        status,
        name,
        message,
        fix,
    } = declared;
    let mut bound = used(message);
    let text = message.text(private);
    let fix = fix.as_ref().map(|fix| {
        bound.extend(used(fix));
        let text = fix.text(private);
        quote!(.with_fix(#text))
    });
    let fields = arm
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.is_public());
    let public: Vec<TokenStream> = fields
        .map(|(at, Field { name, .. })| {
            bound.push(at);
            let binding = binding(at);
            quote!(let failure = #private::with_field_value(failure, #name, #private::FieldValue(#binding).value());)
        })
        .collect();
    let contents = arm.fields.iter().enumerate();
    let contents: Vec<TokenStream> = contents
        .filter(|(_, field)| field.content)
        .map(|(at, field)| {
            bound.push(at);
            let (ty, binding) = (field.ty, placed(arm, at));
            quote_spanned! {ty.span()=>
                .with_content(<#ty as #private::core::clone::Clone>::clone(#binding))
            }
        })
        .collect();
    let import = (!public.is_empty()).then(|| quote!(use #private::UnserializableField as _;));
    let error = quote!(#private::Error::declared(const { #private::AppCode::checked(#code) }, #status, #text).with_name(#name)#fix #(#contents)*);
    let body = if public.is_empty() {
        error
    } else {
        quote! {
            #import
            let failure = #error;
            #(#public)*
            failure
        }
    };
    (bound, body)
}

/// The `From` of a kind of failure whose one field has `#[from]`.
fn from(model: &Model<'_>, arm: &Arm<'_>) -> Option<TokenStream> {
    let [field] = arm.fields.as_slice() else {
        return None;
    };
    if !field.from {
        return None;
    }
    let private = &model.private;
    let ident = &model.input.ident;
    let (parameters, arguments, bounds) = model.input.generics.split_for_impl();
    let (ty, member, path) = (field.ty, &field.member, &arm.path);
    // Placed at the type, so that the error about two variants from one type is shown there.
    Some(quote_spanned! {ty.span()=>
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #private::core::convert::From<#ty> for #ident #arguments #bounds {
            fn from(value: #ty) -> Self {
                #path { #member: value }
            }
        }
    })
}

/// The generics of the type with the bounds that the implementations need: on fields that are shown, passed on
/// or a source.
fn bounded(model: &Model<'_>) -> Generics {
    let mut generics = model.input.generics.clone();
    let private = &model.private;
    let parameters: Vec<Ident> = generics
        .type_params()
        .map(|one| one.ident.clone())
        .collect();
    if parameters.is_empty() {
        return generics;
    }
    let mut needs: Vec<syn::WherePredicate> = vec![parse_quote!(Self: #private::core::fmt::Debug)];
    for arm in &model.arms {
        let mut need = |field: &Field<'_>, bound: TokenStream| {
            let ty = field.ty;
            if mentions(ty, &parameters) {
                needs.push(parse_quote!(#ty: #bound));
            }
        };
        match &arm.report {
            Some(Report::Transparent) => {
                need(
                    &arm.fields[0],
                    quote!(#private::TransparentField + #private::core::fmt::Display),
                );
            }
            Some(Report::Declared(declared)) => {
                let texts = [Some(&declared.message), declared.fix.as_ref()];
                for field in arm.fields.iter().filter(|field| field.content) {
                    let item = quote!(Item = #private::Content);
                    need(
                        field,
                        quote!(#private::core::clone::Clone + #private::core::iter::IntoIterator<#item>),
                    );
                }
                for &Use { field, how } in texts.into_iter().flatten().flat_map(|text| &text.uses) {
                    if let How::Shown(by) = how {
                        let by = Ident::new(by, arm.ident.span());
                        need(&arm.fields[field], quote!(#private::core::fmt::#by));
                    }
                }
            }
            None => {}
        }
        if !matches!(arm.report, Some(Report::Transparent))
            && let Some(at) = source_of(arm)
        {
            need(
                &arm.fields[at],
                quote!(#private::core::error::Error + 'static),
            );
        }
    }
    generics.make_where_clause().predicates.extend(needs);
    generics
}

/// Whether `ty` contains any of `parameters`.
fn mentions(ty: &syn::Type, parameters: &[Ident]) -> bool {
    fn walk(tokens: TokenStream, parameters: &[Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => parameters.contains(&ident),
            proc_macro2::TokenTree::Group(group) => walk(group.stream(), parameters),
            _ => false,
        })
    }
    walk(ty.to_token_stream(), parameters)
}
