//! The rules for the URI of a resource: that it is a template, and that its variables are the function's
//! parameters (T7030). Part of `model`.

use proc_macro2::Span;
use syn::Ident;
use tent_core::codes;
use tent_core::uri::{Template, Wrong};

use super::parameters::{Parameter, Taken};
use super::stated::Options;
use crate::fault::{Faults, usual};
use crate::syntax::Function;
use crate::values;

/// `mentioned`: it is there, or what is wrong may have hidden it.
pub(super) fn check(
    function: &Function,
    stated: &Options,
    mentioned: bool,
    parameters: &[Parameter<'_>],
    faults: &mut Faults,
) {
    let Some(uri) = &stated.uri else {
        if !mentioned {
            let what = format!(
                "#[resource] does not say under which URI `{}` is",
                function.name
            );
            faults.push(usual(codes::INVALID_URI_TEMPLATE, values::here(), &what));
        }
        return;
    };
    let template = match Template::read(&uri.value) {
        Ok(template) => template,
        Err(wrong) => {
            let what = format!("{:?} is no URI template: {wrong}", uri.value);
            let help = match wrong {
                Wrong::Scheme => "begin with a scheme of your own, such as \"orders://{id}\"",
                Wrong::Brace => "write a variable as `{name}`",
                Wrong::Expression(_) => {
                    "write `{name}`, or `{+name}` for one that may hold a `/`; other forms of RFC 6570 are not matched"
                }
                Wrong::Twice(_) => "give each variable a name of its own",
                Wrong::Adjacent(_) => "put something between the two, such as `/`",
                Wrong::Character(_) => "percent-encode it",
            };
            faults.add(codes::INVALID_URI_TEMPLATE, uri.span, &what, help);
            return;
        }
    };
    let fields = || {
        parameters
            .iter()
            .filter_map(|parameter| match &parameter.taken {
                Taken::Field(field) => Some((parameter, field)),
                Taken::Part(_) | Taken::Whole(_) => None,
            })
    };
    for variable in template.variables() {
        if !fields().any(|(_, field)| field.name == variable) {
            let what = format!("no parameter takes the variable {{{variable}}}");
            let help = format!("take it by value: `{variable}: String`, or another type");
            faults.add(codes::INVALID_URI_TEMPLATE, uri.span, &what, &help);
        }
    }
    for (parameter, field) in fields() {
        if !template.variables().any(|variable| variable == field.name) {
            let span = parameter.name.map_or_else(Span::call_site, Ident::span);
            let what = format!("the URI has no variable {{{}}}", field.name);
            let help =
                "put the variable into the URI; what the app gives is taken by reference (`&T`)";
            faults.add(codes::INVALID_URI_TEMPLATE, span, &what, help);
        }
    }
}
