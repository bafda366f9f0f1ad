//! The way of an annotated function through this crate: tokens, syntax, options, model, expansion.

use proc_macro2::TokenStream;
use quote::quote;
use tent_core::codes;

use crate::expand::expand;
use crate::fault::fault;
use crate::model::{self, Kind};
use crate::syntax::{self, Item};

/// The function, and beside it its declaration or all that is wrong with it.
pub(crate) fn declare(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let (item, read) = syntax::read(item);
    let beside = match read {
        Ok(Item::Function(function)) => match model::check(kind, options, &function) {
            Ok(model) => expand(&model),
            Err(errors) => errors.into_compile_error(),
        },
        Ok(Item::Other(span, word)) => {
            let what = format!(
                "#[{}] stands on `{word}`, and it is for functions",
                kind.word()
            );
            fault(
                codes::UNSUPPORTED_SIGNATURE,
                span,
                &what,
                "put it on a free function",
            )
            .into_compile_error()
        }
        Err(error) => error.into_compile_error(),
    };
    quote!(#item #beside)
}

#[cfg(test)]
mod tests;
