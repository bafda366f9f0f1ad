//! The declaration: what every function has, and one step for each option that was stated.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned as _;

use super::field::constant;
use super::{giver, part, placed, probe, returns};
use crate::docs::Docs;
use crate::model::{Kind, Model, Parameter, Taken};
use crate::options::At;
use crate::values::{Access, spelled};

/// The expression of the declaration.
pub(super) fn declaration(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let kind = match model.kind {
        Kind::Query | Kind::Resource | Kind::Prompt => quote!(Query),
        Kind::Change => quote!(Change),
        Kind::Action => quote!(Action),
    };
    let own = model.own_name();
    let mut rules = Rules::default();
    let access = access(&model.access, &mut rules, private);
    let serves = serves(model, &mut rules, private);
    let rules = rules.0;
    let input = input(model, private);
    let giver = giver(model, private);
    let body = if model.function.asyncness.is_some() {
        quote!(Async)
    } else {
        quote!(Sync)
    };
    let parts = model
        .parameters
        .iter()
        .filter(|parameter| matches!(parameter.taken, Taken::Part(_)))
        .map(|parameter| {
            let (cfgs, part) = (&parameter.cfgs, part(parameter, private));
            quote!(#(#cfgs)* #part.need)
        });
    let (returned, place) = returns(model);
    let text = probe(&returned, place, private);
    let text = quote_spanned!(place=> #text::TEXT.tent_refuse());
    let options = options(model, private);
    // What is read is there, so it holds something.
    let something = (model.kind == Kind::Resource).then(|| {
        let (krate, probe) = (placed(private, place), probe(&returned, place, private));
        quote_spanned!(place=> const _: () = #krate::gives_something(#probe::NOTHING);)
    });
    quote! {
        {
            #(#rules)*
            const _: () = #text;
            #something
            #private::Declaration::new(
                #private::Kind::#kind,
                #own,
                #private::Location {
                    module: #private::module_path!(),
                    file: #private::file!(),
                    line: #private::line!(),
                },
                #access,
                #input,
                #giver.output(),
                || #private::needs(&[#(#parts),*]),
                #private::Body::#body(__tent_run),
            )
            #options
            #serves
        }
    }
}

/// The functions that ask the rules of an access.
#[derive(Default)]
struct Rules(Vec<TokenStream>);

fn access(access: &Access, rules: &mut Rules, private: &TokenStream) -> TokenStream {
    match access {
        Access::Anyone => quote!(#private::Access::Anyone),
        Access::SignedIn => quote!(#private::Access::SignedIn),
        Access::Role(role) => quote!(#private::Access::Role(#role)),
        Access::App => quote!(#private::Access::App),
        Access::Any(each) => {
            let each: Vec<TokenStream> = each
                .iter()
                .map(|one| self::access(one, rules, private))
                .collect();
            quote!(#private::Access::Any(&[#(#each),*]))
        }
        Access::Rule(path) => rule(path, rules, private),
    }
}

fn rule(path: &Path, rules: &mut Rules, private: &TokenStream) -> TokenStream {
    let name = format_ident!("__tent_rule_{}", rules.0.len());
    let spelled = spelled(path);
    // One word, wherever `macro_rules!` took the path from.
    let cx = Ident::new("__tent_cx", Span::call_site());
    let asked = quote_spanned!(path.span()=> #private::decision(#path(#cx)));
    rules.0.push(quote! {
        fn #name<'__tent>(
            #cx: &'__tent #private::Cx,
        ) -> #private::BoxFuture<'__tent, #private::Result<#private::bool>> {
            #asked
        }
    });
    quote!(#private::Access::Rule(#private::Rule { path: #spelled, ask: #name }))
}

/// What it is beside a function that is called, and what completes its arguments.
fn serves(model: &Model<'_>, rules: &mut Rules, private: &TokenStream) -> TokenStream {
    let mut steps = TokenStream::new();
    match (model.kind, &model.stated.uri) {
        (Kind::Resource, Some(uri)) => {
            let (uri, stated) = (&uri.value, &model.stated);
            let media_type = stated.media_type.as_ref().map(|media_type| {
                let media_type = &media_type.value;
                quote!(.media_type(#media_type))
            });
            let list = stated.list.as_ref().map(|path| {
                let list = lister(path, rules, private);
                quote!(.list(#list))
            });
            let subscribe = stated.subscribe.as_ref().map(|flag| {
                let flag = flag.value;
                quote!(.subscribe(#flag))
            });
            let annotations = stated.annotations.as_ref().map(|given| {
                quote_spanned!(given.span()=> .annotations(|| -> #private::Annotations { #given }))
            });
            let size = stated.size.as_ref();
            let size = size.map(|size| quote_spanned!(size.span()=> .size(#size)));
            steps.extend(quote!(.resource(
                #private::Resource::new(#uri) #media_type #list #subscribe #annotations #size
            )));
        }
        (Kind::Prompt, _) => steps.extend(quote!(.prompt())),
        _ => {}
    }
    let completes: Vec<TokenStream> = model
        .parameters
        .iter()
        .filter_map(|parameter| {
            let Taken::Field(field) = &parameter.taken else {
                return None;
            };
            let path = field.complete.as_ref()?;
            let complete = complete(parameter, &field.name, path, rules, private);
            let cfgs = &parameter.cfgs;
            Some(quote!(#(#cfgs)* #complete))
        })
        .collect();
    if !completes.is_empty() {
        steps.extend(quote!(.completes(&[#(#completes),*])));
    }
    steps
}

fn lister(path: &Path, rules: &mut Rules, private: &TokenStream) -> TokenStream {
    let name = format_ident!("__tent_rule_{}", rules.0.len());
    let spelled = spelled(path);
    let cx = Ident::new("__tent_cx", Span::call_site());
    let listed = quote!(#private::Vec<#private::ResourceInfo>);
    let asked = quote_spanned!(path.span()=> #private::result_future::<#listed, _, _>(#path(#cx)));
    rules.0.push(quote! {
        fn #name<'__tent>(
            #cx: &'__tent #private::Cx,
        ) -> #private::BoxFuture<'__tent, #private::Result<#listed>> {
            #asked
        }
    });
    quote!(#private::Lister { path: #spelled, ask: #name })
}

fn complete(
    parameter: &Parameter<'_>,
    argument: &str,
    path: &Path,
    rules: &mut Rules,
    private: &TokenStream,
) -> TokenStream {
    let name = format_ident!("__tent_rule_{}", rules.0.len());
    let spelled = spelled(path);
    let [cx, typed, so_far] = ["__tent_cx", "__tent_typed", "__tent_so_far"]
        .map(|name| Ident::new(name, Span::call_site()));
    let values = quote!(#private::Vec<#private::String>);
    let asked = quote_spanned!(path.span()=> #private::result_future::<#values, _, _>(#path(#cx, #typed, #so_far)));
    let cfgs = &parameter.cfgs;
    rules.0.push(quote! {
        #(#cfgs)*
        fn #name<'__tent>(
            #cx: &'__tent #private::Cx,
            #typed: #private::String,
            #so_far: #private::Object,
        ) -> #private::BoxFuture<'__tent, #private::Result<#values>> {
            #asked
        }
    });
    quote!(#private::Complete { argument: #argument, path: #spelled, ask: #name })
}

fn input(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let whole = model
        .parameters
        .iter()
        .find_map(|parameter| match &parameter.taken {
            Taken::Whole(schema) => Some((parameter, schema)),
            _ => None,
        });
    match whole {
        Some((_, Some(schema))) => {
            quote!(#private::Input::Stated(|| #private::Into::<#private::Value>::into(#schema)))
        }
        Some((parameter, None)) => {
            let kind = parameter.kind;
            let schema = quote_spanned!(parameter.place()=> #private::schema_of::<#kind>());
            quote!(#private::Input::Whole(#schema))
        }
        None => {
            let fields = model
                .parameters
                .iter()
                .enumerate()
                .filter_map(|(at, parameter)| {
                    let (cfgs, constant) = (&parameter.cfgs, constant(at));
                    matches!(parameter.taken, Taken::Field(_)).then(|| quote!(#(#cfgs)* #constant))
                });
            quote!(#private::Input::Fields(&[#(#fields),*]))
        }
    }
}

/// One step for each option that was stated.
fn options(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let stated = &model.stated;
    let mut steps = TokenStream::new();
    let mut step = |name: &str, value: Option<TokenStream>| {
        if let Some(value) = value {
            let name = Ident::new(name, Span::call_site());
            steps.extend(quote!(.#name(#value)));
        }
    };
    let text = |text: &String| quote!(#text);
    let flag = |flag: &At<bool>| flag.value.to_token_stream();
    let bare = |holds: bool| holds.then(TokenStream::new);
    let about = match &model.about {
        Docs::Text(text) if text.is_empty() => None,
        Docs::Text(text) => Some(quote!(#text)),
        Docs::Lines(lines) => {
            let (first, rest) = (lines.first(), lines.iter().skip(1));
            Some(quote!(#private::concat!(#first #(, "\n", #rest)*)))
        }
    };

    step("named", stated.name.as_ref().map(|name| text(&name.value)));
    step(
        "title",
        stated.title.as_ref().map(|title| text(&title.value)),
    );
    step("about", about);
    step("mcp", bare(stated.mcp.is_some()));
    step("api", stated.api.as_ref().map(flag));
    step("asks", bare(stated.danger.is_some()));
    step("asks_page", bare(stated.asks.is_some()));
    step(
        "scope",
        stated.scope.as_ref().map(|scope| text(&scope.value)),
    );
    step("adds", bare(stated.writes.is_some()));
    step(
        "only_reads",
        bare(
            stated
                .changes
                .as_ref()
                .is_some_and(|changes| !changes.value),
        ),
    );
    step("sends", stated.sends.as_ref().map(flag));
    step("idempotent", stated.idempotent.as_ref().map(flag));
    step("retry", stated.retry.as_ref().map(flag));
    step("blocking", stated.blocking.as_ref().map(flag));
    step(
        "timeout",
        stated
            .timeout
            .map(|time| quote!(#private::Duration::from_millis(#time))),
    );
    step(
        "limit",
        stated
            .limit
            .map(|(number, seconds)| quote!((#number, #private::Duration::from_secs(#seconds)))),
    );
    let needs = stated.needs.iter().map(|need| &need.value);
    let needs = (!stated.needs.is_empty()).then(|| quote!(&[#(#needs),*]));
    step("needs", needs);
    let icons = stated.icons.as_ref().map(|icons| {
        let krate = placed(private, icons.span());
        quote_spanned!(icons.span()=> || #krate::icons(#icons))
    });
    step("icons", icons);
    step("on", stated.on.as_ref().map(|on| text(&on.value)));
    let meta = stated.meta.as_ref().map(
        |meta| quote_spanned!(meta.span()=> || #private::Into::<#private::Value>::into(#meta)),
    );
    step("meta", meta);
    steps
}
