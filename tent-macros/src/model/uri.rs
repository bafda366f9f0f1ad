//! The rules for the URI of a resource: it is a template, and its variables are the parameters of the function
//! (T7030). Part of `model`.

use proc_macro2::Span;
use syn::Ident;
use tent_core::uri::{InvalidTemplate, Template};

use super::parameters::{Argument, Parameter, Source};
use crate::diagnostic::Diagnostics;
use crate::options::Spanned;
use crate::syntax::Function;
use tent_core::codes;

/// Checks the URI. `attempted` is whether the author wrote one, perhaps with an invalid value.
pub(super) fn check(
    function: &Function,
    uri: Option<&Spanned<String>>,
    attempted: bool,
    parameters: &[Parameter<'_>],
    diagnostics: &mut Diagnostics,
) {
    let Some(uri) = uri else {
        if !attempted {
            let problem = format!("the resource `{}` has no `uri`", function.name);
            diagnostics.add_from_catalogue(
                codes::INVALID_URI_TEMPLATE,
                Span::call_site(),
                &problem,
            );
        }
        return;
    };
    let template = match Template::parse(&uri.value) {
        Ok(template) => template,
        Err(wrong) => {
            let problem = format!("{:?} is not a valid URI template: {wrong}", uri.value);
            diagnostics.add(codes::INVALID_URI_TEMPLATE, uri.span, &problem, fix(&wrong));
            return;
        }
    };
    let arguments: Vec<(&Parameter<'_>, &Argument)> = parameters
        .iter()
        .filter_map(|parameter| match &parameter.source {
            Source::Argument(argument) => Some((parameter, &**argument)),
            Source::App(_) | Source::Input(_) => None,
        })
        .collect();
    for variable in template.variables() {
        if !arguments
            .iter()
            .any(|(_, argument)| argument.name == variable)
        {
            let problem = format!("the variable {{{variable}}} has no parameter");
            let help = format!("add a parameter `{variable}: String`, or of another owned type");
            diagnostics.add(codes::INVALID_URI_TEMPLATE, uri.span, &problem, &help);
        }
    }
    for (parameter, argument) in arguments {
        if !template
            .variables()
            .any(|variable| variable == argument.name)
        {
            let span = parameter.name.map_or_else(Span::call_site, Ident::span);
            let problem = format!("the URI has no variable {{{}}}", argument.name);
            let help = "add the variable to the URI; take app state by reference (`&T`)";
            diagnostics.add(codes::INVALID_URI_TEMPLATE, span, &problem, help);
        }
    }
}

fn fix(wrong: &InvalidTemplate) -> &'static str {
    match wrong {
        InvalidTemplate::NoScheme => {
            "begin with a scheme of the app, for example \"orders://{id}\""
        }
        InvalidTemplate::UnbalancedBrace => "write a variable as `{name}`",
        InvalidTemplate::UnsupportedExpression(_) => {
            "write `{name}`, or `{+name}` for a variable that may contain `/`; other forms of RFC 6570 are not supported"
        }
        InvalidTemplate::DuplicateVariable(_) => "rename one of the variables",
        InvalidTemplate::AdjacentVariables(_) => "separate the variables, for example with `/`",
        InvalidTemplate::InvalidCharacter(_) => "percent-encode it",
    }
}
