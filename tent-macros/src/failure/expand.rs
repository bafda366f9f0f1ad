//! The impls of a failure: `Display`, `std::error::Error`, `tent::Failure`, and a `From` for each
//! `#[from]`.
//!
//! Where something is wrong the impls are there all the same, so that one mistake does not become an
//! error at each use of the type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Generics, Ident, parse_quote};

use super::message::{How, Message, Use};
use super::model::{Arm, Field, Model, binding};
use super::says::{Says, Stated};

/// All impls of `model`.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let root = &model.root;
    let ident = &model.input.ident;
    let generics = bounded(model);
    let (parameters, _, bounds) = generics.split_for_impl();
    let (_, arguments, _) = model.input.generics.split_for_impl();
    let (shows, sources, failures) = (display(model), source(model), failure(model));
    let conversions = model.arms.iter().filter_map(|arm| from(model, arm));
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #root::core::fmt::Display for #ident #arguments #bounds {
            fn fmt(&self, f: &mut #root::core::fmt::Formatter<'_>) -> #root::core::fmt::Result {
                #shows
            }
        }

        #[automatically_derived]
        #[allow(deprecated, unused_imports)]
        impl #parameters #root::core::error::Error for #ident #arguments #bounds {
            fn source(
                &self,
            ) -> #root::core::option::Option<&(dyn #root::core::error::Error + 'static)> {
                #root::offer(|| #root::Failure::failure(self));
                #sources
            }
        }

        #[automatically_derived]
        #[allow(deprecated, unused_imports)]
        impl #parameters #root::Failure for #ident #arguments #bounds {
            fn failure(&self) -> #root::Error {
                #failures
            }
        }

        #(#conversions)*
    }
}

/// A `match` on the failure with one arm for each kind, over the bindings of the fields that `of` picks.
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
    let root = &model.root;
    matched(model, |arm| match &arm.says {
        Some(Says::Transparent) => {
            let binding = binding(0);
            (vec![0], quote!(#root::core::fmt::Display::fmt(#binding, f)))
        }
        Some(Says::Stated(stated)) => {
            let arguments = stated.message.arguments(root);
            (used(&stated.message), quote!(f.write_fmt(#arguments)))
        }
        None => (vec![], quote!(#root::core::result::Result::Ok(()))),
    })
}

fn source(model: &Model<'_>) -> TokenStream {
    let root = &model.root;
    matched(model, |arm| {
        if let Some(Says::Transparent) = arm.says {
            let binding = placed(arm, 0);
            return (vec![0], quote!(#root::Transparent::under(#binding)));
        }
        match source_of(arm) {
            Some(at) => {
                let binding = placed(arm, at);
                let span = arm.fields[at].ty.span();
                let asked = quote_spanned!(span=> (&#root::Cause(#binding)).cause());
                (vec![at], quote!(use #root::causes::*; #asked))
            }
            None => (vec![], quote!(#root::core::option::Option::None)),
        }
    })
}

/// The binding of a field, shown at its type where the compiler has something to say of it.
fn placed(arm: &Arm<'_>, at: usize) -> Ident {
    let mut binding = binding(at);
    let span = arm.fields[at].ty.span();
    binding.set_span(binding.span().located_at(span));
    binding
}

/// The field that is the source, if there is one to ask.
fn source_of(arm: &Arm<'_>) -> Option<usize> {
    arm.says.as_ref()?;
    arm.fields.iter().position(|field| field.source)
}

fn failure(model: &Model<'_>) -> TokenStream {
    let root = &model.root;
    matched(model, |arm| match &arm.says {
        Some(Says::Transparent) => {
            let binding = placed(arm, 0);
            (vec![0], quote!(#root::Transparent::passed_on(#binding)))
        }
        Some(Says::Stated(stated)) => told(root, arm, stated),
        None => (
            vec![],
            quote!(#root::Error::declared(const { #root::AppCode::checked("A0000") }, 500, "")),
        ),
    })
}

fn told(root: &TokenStream, arm: &Arm<'_>, stated: &Stated) -> (Vec<usize>, TokenStream) {
    let Stated {
        code,
        status,
        name,
        message,
        fix,
    } = stated;
    let mut bound = used(message);
    let text = message.text(root);
    let fix = fix.as_ref().map(|fix| {
        bound.extend(used(fix));
        let text = fix.text(root);
        quote!(.with_fix(#text))
    });
    let fields = arm
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.told());
    let tells: Vec<TokenStream> = fields
        .map(|(at, Field { name, .. })| {
            bound.push(at);
            let binding = binding(at);
            quote!(let failure = #root::tell(failure, #name, #root::Told(#binding).value());)
        })
        .collect();
    let contents = arm.fields.iter().enumerate();
    let contents: Vec<TokenStream> = contents
        .filter(|(_, field)| field.content)
        .map(|(at, field)| {
            bound.push(at);
            let (ty, binding) = (field.ty, placed(arm, at));
            quote_spanned! {ty.span()=>
                .with_content(<#ty as #root::core::clone::Clone>::clone(#binding))
            }
        })
        .collect();
    let import = (!tells.is_empty()).then(|| quote!(use #root::Untold as _;));
    let made = quote! {
        #root::Error::declared(const { #root::AppCode::checked(#code) }, #status, #text)
            .with_name(#name)#fix #(#contents)*
    };
    let body = if tells.is_empty() {
        made
    } else {
        quote! {
            #import
            let failure = #made;
            #(#tells)*
            failure
        }
    };
    (bound, body)
}

/// The `From` of an arm whose field is marked so.
fn from(model: &Model<'_>, arm: &Arm<'_>) -> Option<TokenStream> {
    let [field] = arm.fields.as_slice() else {
        return None;
    };
    if !field.from {
        return None;
    }
    let root = &model.root;
    let ident = &model.input.ident;
    let (parameters, arguments, bounds) = model.input.generics.split_for_impl();
    let (ty, member, path) = (field.ty, &field.member, &arm.path);
    // At the type, so that two variants from one type clash there.
    Some(quote_spanned! {ty.span()=>
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #root::core::convert::From<#ty> for #ident #arguments #bounds {
            fn from(value: #ty) -> Self {
                #path { #member: value }
            }
        }
    })
}

/// The generics of the type with what the impls need of them: that the fields which are shown, passed on
/// or given as a source can be.
fn bounded(model: &Model<'_>) -> Generics {
    let mut generics = model.input.generics.clone();
    let root = &model.root;
    let parameters: Vec<Ident> = generics
        .type_params()
        .map(|one| one.ident.clone())
        .collect();
    if parameters.is_empty() {
        return generics;
    }
    let mut needs: Vec<syn::WherePredicate> = vec![parse_quote!(Self: #root::core::fmt::Debug)];
    for arm in &model.arms {
        let mut need = |field: &Field<'_>, bound: TokenStream| {
            let ty = field.ty;
            if mentions(ty, &parameters) {
                needs.push(parse_quote!(#ty: #bound));
            }
        };
        match &arm.says {
            Some(Says::Transparent) => {
                need(
                    &arm.fields[0],
                    quote!(#root::Transparent + #root::core::fmt::Display),
                );
            }
            Some(Says::Stated(stated)) => {
                let texts = [Some(&stated.message), stated.fix.as_ref()];
                for field in arm.fields.iter().filter(|field| field.content) {
                    let item = quote!(Item = #root::Content);
                    need(
                        field,
                        quote!(#root::core::clone::Clone + #root::core::iter::IntoIterator<#item>),
                    );
                }
                for &Use { field, how } in texts.into_iter().flatten().flat_map(|text| &text.uses) {
                    if let How::Shown(by) = how {
                        let by = Ident::new(by, arm.ident.span());
                        need(&arm.fields[field], quote!(#root::core::fmt::#by));
                    }
                }
            }
            None => {}
        }
        if !matches!(arm.says, Some(Says::Transparent))
            && let Some(at) = source_of(arm)
        {
            need(&arm.fields[at], quote!(#root::core::error::Error + 'static));
        }
    }
    generics.make_where_clause().predicates.extend(needs);
    generics
}

/// Whether `ty` is made of any of `parameters`.
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
