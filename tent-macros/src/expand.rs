//! From a checked model to code. The function itself is not touched here; beside it stands one hidden
//! constant that holds its declaration, and the entry in the link-time inventory.
//!
//! Rules of the generated code: every name goes through `tent::__private`; every item of its own
//! begins with `__tent`; what asks the compiler about a type stands once and is spanned at that
//! type, what asks about the function's future at the function's name.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Meta, Path, Token, Type};

use crate::model::{Kind, Model};
use crate::options::Number;
use crate::parameters::{Field, Parameter, Taken};
use crate::values::{Access, spelled};

/// The code beside the function.
pub(crate) fn expand(model: &Model<'_>) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let constant = format_ident!(
        "__tent_function_{}",
        model.function.name.unraw(),
        span = Span::call_site()
    );
    let visibility = &model.function.visibility;
    let conditions = conditions(&model.function.attributes);
    let lints = lints(&model.function.attributes);
    let fields = fields(model, &private);
    let run = run(model, &private);
    let declaration = declaration(model, &private);
    quote! {
        #(#conditions)*
        #(#lints)*
        #[doc(hidden)]
        #visibility const #constant: &#private::Declaration = {
            use #private::{Otherwise as _, Unshown as _};
            #fields
            #run
            static __TENT_DECLARATION: #private::Declaration = #declaration;
            &__TENT_DECLARATION
        };
        #(#conditions)*
        const _: () = {
            #private::inventory::submit! { #private::Entry(#constant) }
        };
    }
}

/// The conditions of the function, for what stands beside it. Of a `cfg_attr` only the `cfg` in it.
fn conditions(attributes: &[Attribute]) -> Vec<TokenStream> {
    attributes
        .iter()
        .filter_map(|attribute| kept(attribute, "cfg"))
        .collect()
}

/// The lints that the author allowed for the function, for the code that calls it; and a deprecated
/// function is called without a warning.
fn lints(attributes: &[Attribute]) -> Vec<TokenStream> {
    let mut lints: Vec<TokenStream> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            // An expectation would be missed here, where the lint may have nothing to find.
            Meta::List(list) if list.path.is_ident("expect") => {
                let tokens = &list.tokens;
                Some(quote!(#[allow(#tokens)]))
            }
            _ => kept(attribute, "allow"),
        })
        .collect();
    let deprecated = |attribute: &Attribute| {
        attribute.path().is_ident("deprecated") || kept(attribute, "deprecated").is_some()
    };
    if attributes.iter().any(deprecated) {
        lints.push(quote!(#[allow(deprecated)]));
    }
    lints
}

/// The attribute, if it is of this name; of a `cfg_attr` what it holds of this name.
fn kept(attribute: &Attribute, name: &str) -> Option<TokenStream> {
    if attribute.path().is_ident(name) {
        return Some(attribute.to_token_stream());
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    let parts = attribute
        .parse_args_with(syn::punctuated::Punctuated::<Meta, Token![,]>::parse_terminated)
        .ok()?;
    let condition = parts.first()?;
    let held: Vec<&Meta> = parts
        .iter()
        .skip(1)
        .filter(|one| one.path().is_ident(name))
        .collect();
    (!held.is_empty()).then(|| quote!(#[cfg_attr(#condition, #(#held),*)]))
}

/// The constant of a field, by the position of its parameter.
fn constant(at: usize) -> Ident {
    format_ident!("__TENT_FIELD_{at}")
}

/// The local that holds an argument. Prefixed, so that no constant of the author's can be meant.
fn local(at: usize) -> Ident {
    format_ident!("__tent_{at}")
}

fn fields(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let constants = model.parameters.iter().enumerate().map(|(at, parameter)| {
        let Taken::Field(field) = &parameter.taken else {
            return TokenStream::new();
        };
        let (cfgs, constant) = (&parameter.cfgs, constant(at));
        let value = self::field(parameter, field, private);
        let mirrored = field.header.as_ref().map(|_| {
            let kind = parameter.kind;
            quote_spanned!(parameter.place()=> #(#cfgs)* const _: () = #private::mirrored::<#kind>();)
        });
        quote! {
            #(#cfgs)*
            const #constant: #private::Field = #value;
            #mirrored
        }
    });
    quote!(#(#constants)*)
}

fn field(parameter: &Parameter<'_>, field: &Field, private: &TokenStream) -> TokenStream {
    let (kind, name) = (parameter.kind, &field.name);
    let mut steps = quote_spanned!(parameter.place()=> #private::field::<#kind>(#name));
    let mut step = |step: TokenStream| steps.extend(step);
    if !field.about.is_empty() {
        let about = &field.about;
        step(quote!(.about(#about)));
    }
    if let Some(default) = &field.default {
        let default = typed(kind, default);
        step(
            quote!(.default_json(|| { let __tent_value = #default; #private::Shown(&__tent_value).tent_shown() })),
        );
    }
    if let Some(min) = field.min {
        let bound = bound(min, private);
        step(quote!(.min(#bound)));
    }
    if let Some(max) = field.max {
        let bound = bound(max, private);
        step(quote!(.max(#bound)));
    }
    if let Some(length) = field.min_len {
        step(quote!(.min_len(#length)));
    }
    if let Some(length) = field.max_len {
        step(quote!(.max_len(#length)));
    }
    if let Some(pattern) = &field.pattern {
        step(quote!(.pattern(#pattern)));
    }
    if let Some(example) = &field.example {
        step(quote!(.example(|| #private::example(&(#example)))));
    }
    if field.secret {
        step(quote!(.secret()));
    }
    if let Some(header) = &field.header {
        let header = &header.value;
        step(quote!(.header(#header)));
    }
    steps
}

/// An expression that is held to a type.
fn typed(kind: &Type, expression: &syn::Expr) -> TokenStream {
    quote!({ let __tent_typed: #kind = #expression; __tent_typed })
}

fn bound(number: Number, private: &TokenStream) -> TokenStream {
    match number {
        Number::Integer(value) => quote!(#private::Bound::Integer(#value)),
        Number::Float(value) => quote!(#private::Bound::Number(#value)),
    }
}

/// The function that reads the arguments, calls the author's function and takes its answer.
fn run(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let later = model.function.asyncness.is_some();
    let refuse = |error: TokenStream| {
        if later {
            quote!(return #private::failed(#error))
        } else {
            quote!(return #private::Err(#error))
        }
    };
    let misfit = refuse(quote!(__tent_arguments.refused()));
    let missing = refuse(quote!(__tent_error));

    let (mut read, mut missed, mut parts) = (vec![], vec![], vec![]);
    for (at, parameter) in model.parameters.iter().enumerate() {
        let (local, constant, kind) = (local(at), constant(at), parameter.kind);
        let (cfgs, place) = (&parameter.cfgs, parameter.place());
        let taken = match &parameter.taken {
            Taken::Part(_) => {
                let part = part(parameter, private);
                parts.push(quote! {
                    #(#cfgs)*
                    let #local = match (#part.part)(__tent_cx) {
                        #private::Ok(__tent_part) => __tent_part,
                        #private::Err(__tent_error) => #missing,
                    };
                });
                continue;
            }
            Taken::Field(field) => match &field.default {
                Some(default) => {
                    let default = typed(kind, default);
                    quote_spanned!(place=> __tent_arguments.take_or::<#kind>(&#constant, || #default))
                }
                None => quote_spanned!(place=> __tent_arguments.take::<#kind>(&#constant)),
            },
            Taken::Whole(_) => quote_spanned!(place=> __tent_arguments.whole::<#kind>()),
        };
        read.push(quote!(#(#cfgs)* let #local = #taken;));
        missed.push(quote! {
            #(#cfgs)*
            let #private::Some(#local) = #local else { #misfit; };
        });
    }
    let open = (!read.is_empty())
        .then(|| quote!(let mut __tent_arguments = #private::Arguments::new(__tent_input);));

    let name = &model.function.name;
    let arguments = model.parameters.iter().enumerate().map(|(at, parameter)| {
        let (local, cfgs) = (local(at), &parameter.cfgs);
        quote!(#(#cfgs)* #local)
    });
    let call = quote_spanned!(name.span()=> #name(#(#arguments),*));
    let giver = giver(model, private);
    let body = quote! { #open #(#read)* #(#missed)* #(#parts)* };
    if later {
        quote! {
            fn __tent_run<'__tent>(
                __tent_cx: &'__tent #private::Cx,
                __tent_input: #private::Object,
            ) -> #private::BoxFuture<'__tent, #private::Result<#private::Answer>> {
                #body
                #giver.later(#call)
            }
        }
    } else {
        quote! {
            fn __tent_run(
                __tent_cx: &#private::Cx,
                __tent_input: #private::Object,
            ) -> #private::Result<#private::Answer> {
                #body
                #giver.give(#call)
            }
        }
    }
}

/// The [`Part`](Taken::Part) of a parameter, asked of the compiler at its type.
fn part(parameter: &Parameter<'_>, private: &TokenStream) -> TokenStream {
    let Taken::Part(kind) = &parameter.taken else {
        return TokenStream::new();
    };
    quote_spanned!(parameter.place()=> #private::part::<#kind, _>())
}

/// The type that the function gives, and where it stands.
fn returns(model: &Model<'_>) -> (TokenStream, Span) {
    match &model.function.returns {
        Some(returns) => {
            let tokens = returns.to_token_stream();
            let first = tokens.clone().into_iter().next();
            let place = first.map_or_else(Span::call_site, |token| token.span());
            (tokens, place)
        }
        None => (quote!(()), model.function.name.span()),
    }
}

/// How what the function gives becomes its answer, asked of the compiler at the return type. It stands
/// twice in the expansion, the same token for token: the compiler then reports what is wrong once.
fn giver(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let (returns, place) = returns(model);
    let probe = quote!(#private::Probe::<#returns>);
    quote_spanned!(place=> #probe::KIND.tent_giver(#probe::NOTHING))
}

fn declaration(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let kind = match model.kind {
        Kind::Query => quote!(Query),
        Kind::Change => quote!(Change),
        Kind::Action => quote!(Action),
    };
    let own = model.own_name();
    let mut rules = Rules::default();
    let access = access(&model.access, &mut rules, private);
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
    let text = quote_spanned!(place=> #private::Probe::<#returned>::TEXT.tent_refuse());
    let options = options(model, private);
    quote! {
        {
            #(#rules)*
            const _: () = #text;
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
    let asked = quote_spanned!(path.span()=> #private::verdict(#path(__tent_cx)));
    rules.0.push(quote! {
        fn #name<'__tent>(
            __tent_cx: &'__tent #private::Cx,
        ) -> #private::BoxFuture<'__tent, #private::Result<#private::bool>> {
            #asked
        }
    });
    quote!(#private::Access::Rule(#private::Rule { path: #spelled, ask: #name }))
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
    let flag = |flag: &crate::options::At<bool>| flag.value.to_token_stream();
    let bare = |holds: bool| holds.then(TokenStream::new);
    let about = Some(&model.about).filter(|about| !about.is_empty());

    step("named", stated.name.as_ref().map(|name| text(&name.value)));
    step(
        "title",
        stated.title.as_ref().map(|title| text(&title.value)),
    );
    step("about", about.map(text));
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
    step("on", stated.on.as_ref().map(|on| text(&on.value)));
    steps
}
