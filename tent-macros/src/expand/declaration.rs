//! Generates the expression of the declaration: what every declaration has, and an update with the options that the
//! author set.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned as _;

use super::argument::constant;
use super::options::{self, Update, json, some};
use super::{converter, from_app, input_of, relocated, return_probe, return_type};
use crate::model::{Kind, Model, Parameter, Source};
use crate::options::{Access, written_path};

/// The expression of the declaration.
pub(super) fn declaration(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let kind = match model.kind {
        Kind::Query | Kind::Resource | Kind::Prompt => quote!(Query),
        Kind::Change => quote!(Change),
        Kind::Action => quote!(Action),
    };
    let name = model.own_name();
    let mut adapters = Adapters::default();
    let access = access(&model.access, &mut adapters, private);
    let primitive = primitive(model, &mut adapters, private);
    let completions = completions(model, &mut adapters, private);
    let adapters = adapters.0;
    let converter = converter(model, private);
    let body = if model.function.asyncness.is_some() {
        quote!(Async)
    } else {
        quote!(Sync)
    };
    let checks = return_checks(model, private);

    let mut update = Update::default();
    update.set("input", input(model, private));
    update.set("states", states(model, private));
    options::set(&mut update, model, private);
    update.set("primitive", primitive);
    update.set("completions", completions);
    let base = quote! {
        #private::Declaration::new(
            #private::Kind::#kind,
            #name,
            #private::Location {
                module: #private::module_path!(),
                file: #private::file!(),
                line: #private::line!(),
            },
            #access,
            #converter.declaration(),
            #private::Body::#body(__tent_run),
        )
    };
    let declaration = update.apply(&quote!(#private::Declaration), &base);
    quote! {
        {
            #(#adapters)*
            #checks
            #declaration
        }
    }
}

/// Checks of the return type that no trait bound expresses.
fn return_checks(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let (returns, place) = return_type(model);
    let probe = return_probe(&returns, place, private);
    let error_is_text = quote_spanned!(place=> const _: () = #probe::ERROR.tent_reject_text(););
    let resource_is_unit = (model.kind == Kind::Resource).then(|| {
        let private = relocated(private, place);
        quote_spanned!(place=> const _: () = #private::reject_unit(#probe::IS_UNIT);)
    });
    quote!(#error_is_text #resource_is_unit)
}

/// The functions that adapt the app's own functions (access rules, lists, completions) to the ABI.
#[derive(Default)]
struct Adapters(Vec<TokenStream>);

impl Adapters {
    /// Adds `fn name(cx, …) -> BoxFuture<Result<returns>> { body }` and returns its name.
    fn add(
        &mut self,
        cfgs: &[&syn::Attribute],
        parameters: &TokenStream,
        returns: &TokenStream,
        body: &TokenStream,
        private: &TokenStream,
    ) -> Ident {
        let name = format_ident!("__tent_adapter_{}", self.0.len());
        let cx = local("__tent_cx");
        self.0.push(quote! {
            #(#cfgs)*
            fn #name<'__tent>(
                #cx: #private::Option<&'__tent #private::Cx>,
                #parameters
            ) -> #private::Started<'__tent, #returns> {
                #body
            }
        });
        name
    }
}

/// A local with the hygiene of this macro, whatever `macro_rules!` the author's path comes from.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

fn access(access: &Access, adapters: &mut Adapters, private: &TokenStream) -> TokenStream {
    match access {
        Access::Anyone => quote!(#private::Access::Anyone),
        Access::SignedIn => quote!(#private::Access::SignedIn),
        Access::Role(role) => quote!(#private::Access::Role(#role)),
        Access::App => quote!(#private::Access::App),
        Access::Any(each) => {
            let each: Vec<TokenStream> = each
                .iter()
                .map(|one| self::access(one, adapters, private))
                .collect();
            quote!(#private::Access::Any(&[#(#each),*]))
        }
        Access::Rule(path) => {
            let (written, cx) = (written_path(path), local("__tent_cx"));
            let import = quote!(use #private::{NotARule as _, OfTheCall as _};);
            let krate = relocated(private, path.span());
            let body =
                quote_spanned!(path.span()=> #import #krate::RuleProbe(#path).tent_decision(#cx));
            let returns = quote!(#private::bool);
            let run = adapters.add(&[], &quote!(), &returns, &body, private);
            quote!(#private::Access::Rule(#private::Rule { path: #written, run: #run }))
        }
    }
}

/// The primitive, where it is not a function.
fn primitive(
    model: &Model<'_>,
    adapters: &mut Adapters,
    private: &TokenStream,
) -> Option<TokenStream> {
    let options = &model.declared.resource;
    match (model.kind, &options.uri) {
        (Kind::Prompt, _) => Some(quote!(#private::Primitive::Prompt)),
        (Kind::Resource, Some(uri)) => {
            let uri = &uri.value;
            let mut resource = Update::default();
            let media_type = options.media_type.as_ref().map(|media_type| {
                let media_type = &media_type.value.0;
                quote!(#media_type)
            });
            resource.set("media_type", some(media_type, private));
            let list = options
                .list
                .as_ref()
                .map(|list| lister(&list.value.0, adapters, private));
            resource.set("list", some(list, private));
            let subscribe = options.subscribe.as_ref().map(|flag| {
                let flag = flag.value;
                quote!(#flag)
            });
            resource.set("subscribe", subscribe);
            let annotations = options.annotations.as_ref().map(|annotations| {
                let annotations = &annotations.value;
                let krate = relocated(private, annotations.span());
                quote_spanned! {annotations.span()=>
                    || #krate::Into::<#krate::Annotations>::into(#annotations)
                }
            });
            resource.set("annotations", some(annotations, private));
            let size = options.size.as_ref().map(|size| {
                let size = &size.value;
                quote!(#size)
            });
            resource.set("size", some(size, private));
            let base = quote!(#private::Resource::new(#uri));
            let resource = resource.apply(&quote!(#private::Resource), &base);
            Some(quote!(#private::Primitive::Resource(#resource)))
        }
        _ => None,
    }
}

fn lister(path: &Path, adapters: &mut Adapters, private: &TokenStream) -> TokenStream {
    let (written, cx) = (written_path(path), local("__tent_cx"));
    let returns = quote!(#private::Vec<#private::ResourceInfo>);
    let import = quote!(use #private::{NotAList as _, OfAList as _};);
    let krate = relocated(private, path.span());
    let body = quote_spanned!(path.span()=> #import #krate::ListProbe(#path).tent_list(#cx));
    let run = adapters.add(&[], &quote!(), &returns, &body, private);
    quote!(#private::Lister { path: #written, run: #run })
}

/// The completion functions of the arguments.
fn completions(
    model: &Model<'_>,
    adapters: &mut Adapters,
    private: &TokenStream,
) -> Option<TokenStream> {
    let completions: Vec<TokenStream> = model
        .parameters
        .iter()
        .filter_map(|parameter| {
            let argument = parameter.argument()?;
            let path = &argument.options.complete.as_ref()?.value.0;
            let completion = completion(parameter, &argument.name, path, adapters, private);
            let cfgs = &parameter.cfgs;
            Some(quote!(#(#cfgs)* #completion))
        })
        .collect();
    (!completions.is_empty()).then(|| quote!(&[#(#completions),*]))
}

fn completion(
    parameter: &Parameter<'_>,
    argument: &str,
    path: &Path,
    adapters: &mut Adapters,
    private: &TokenStream,
) -> TokenStream {
    let written = written_path(path);
    let [cx, typed, others] = ["__tent_cx", "__tent_typed", "__tent_others"].map(local);
    let returns = quote!(#private::Vec<#private::String>);
    let parameters = quote!(#typed: #private::String, #others: #private::Object,);
    let import = quote!(use #private::{NotAComplete as _, OfAnArgument as _};);
    let krate = relocated(private, path.span());
    let body = quote_spanned! {path.span()=>
        #import
        #krate::CompleteProbe(#path).tent_complete(#cx, #typed, #others)
    };
    let run = adapters.add(&parameter.cfgs, &parameters, &returns, &body, private);
    quote!(#private::Complete { argument: #argument, path: #written, run: #run })
}

/// The input, where the function has inputs.
fn input(model: &Model<'_>, private: &TokenStream) -> Option<TokenStream> {
    let mut fields = Vec::new();
    for (at, parameter) in model.parameters.iter().enumerate() {
        match &parameter.source {
            Source::App(_) => {}
            Source::Argument(_) => {
                let (cfgs, constant) = (&parameter.cfgs, constant(at));
                fields.push(quote!(#(#cfgs)* #constant));
            }
            Source::Input(Some(schema)) => {
                let schema = json(&schema.value, private);
                return Some(quote!(#private::Input::Custom(#schema)));
            }
            Source::Input(None) => {
                let input = input_of(parameter, private);
                return Some(quote!(#private::Input::Whole(#input.schema)));
            }
        }
    }
    (!fields.is_empty()).then(|| quote!(#private::Input::Fields(&[#(#fields),*])))
}

/// The app state that the function requires.
fn states(model: &Model<'_>, private: &TokenStream) -> Option<TokenStream> {
    let states: Vec<TokenStream> = model
        .parameters
        .iter()
        .filter(|parameter| matches!(parameter.source, Source::App(_)))
        .map(|parameter| {
            let (cfgs, from_app) = (&parameter.cfgs, from_app(parameter, private));
            quote!(#(#cfgs)* #from_app.requirement)
        })
        .collect();
    (!states.is_empty()).then(|| quote!(&[#(#states),*]))
}
