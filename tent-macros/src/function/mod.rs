//! Expands an attribute on a function: tokens, syntax, options, model, expansion.

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostic::Diagnostics;
use crate::expand::{expand, stub};
use crate::model::{self, Checked, Kind};
use crate::syntax::{self, Item};
use tent_core::codes;

/// The function, followed by its declaration, or by its diagnostics and a stub of the declaration.
pub(crate) fn declare(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let (item, parsed) = syntax::read(item);
    let mut diagnostics = Diagnostics::default();
    let declaration = match parsed {
        Ok(Item::Function(function)) => {
            match model::check(kind, options, &function, &mut diagnostics) {
                Checked::Valid(model) => expand(&model),
                Checked::Invalid(private) => stub(&function, &private),
            }
        }
        Ok(Item::Other(span, word)) => {
            let problem = format!(
                "`{}` is on `{word}`, and it is for functions",
                kind.attribute()
            );
            diagnostics.add(
                codes::UNSUPPORTED_SIGNATURE,
                span,
                &problem,
                "put it on a free function",
            );
            model::check_options(kind, options, &mut diagnostics);
            TokenStream::new()
        }
        Err(error) => {
            diagnostics.push(error);
            model::check_options(kind, options, &mut diagnostics);
            TokenStream::new()
        }
    };
    let errors = diagnostics.into_tokens();
    quote!(#item #errors #declaration)
}

#[cfg(test)]
mod tests;
