//! What is wrong with a declaration, in one form: `T7009 missing-description: <what is wrong>`, then a line
//! `help: <the fix>`; and the collector that lets no fault hide another.
//!
//! Decides nothing; the texts are those of who finds the fault.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use tent_core::codes::Code;
use tent_core::names::nearest;

/// Where a fault is shown: a place, or all of the words that are wrong.
pub(crate) trait Place {
    fn show(self, text: String) -> syn::Error;
}

impl Place for Span {
    fn show(self, text: String) -> syn::Error {
        syn::Error::new(self, text)
    }
}

impl<T: ToTokens> Place for &T {
    fn show(self, text: String) -> syn::Error {
        syn::Error::new_spanned(self, text)
    }
}

/// A fault of this code at this place, with a fix of its own.
pub(crate) fn fault(code: Code, at: impl Place, what: &str, help: &str) -> syn::Error {
    let name = code.name();
    at.show(format!("{code} {name}: {what}\nhelp: {help}"))
}

/// A fault of this code at this place, with the fix of the catalogue.
pub(crate) fn usual(code: Code, at: impl Place, what: &str) -> syn::Error {
    let fix = code.fix();
    // A sentence of the catalogue, in the compiler's manner: no capital, no full stop.
    let mut letters = fix.trim_end_matches('.').chars();
    let help: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(letters)
        .collect();
    fault(code, at, what, &help)
}

/// The fix for a word that is none of `known`: the nearest, and all there are.
pub(crate) fn choose(word: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    match (nearest(word, known.iter().copied()), known) {
        (_, []) => "there is none".to_owned(),
        (Some(near), [_]) => format!("did you mean `{near}`?"),
        (Some(near), _) => format!("did you mean `{near}`? There are: {all}"),
        (None, [only]) => format!("write `{only}`"),
        (None, _) => format!("there are: {all}"),
    }
}

/// All that is wrong with one declaration, so far.
#[derive(Default)]
pub(crate) struct Faults(Vec<syn::Error>);

impl Faults {
    /// One more, as [`fault`] makes it.
    pub(crate) fn add(&mut self, code: Code, at: impl Place, what: &str, help: &str) {
        self.push(fault(code, at, what, help));
    }

    /// One more, or several that were found together.
    pub(crate) fn push(&mut self, fault: syn::Error) {
        self.0.push(fault);
    }

    /// What was found, or one fault more.
    pub(crate) fn handle<T>(&mut self, found: syn::Result<T>) -> Option<T> {
        found.map_err(|fault| self.push(fault)).ok()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// What was made, if nothing is wrong.
    ///
    /// # Errors
    /// All that is wrong.
    pub(crate) fn finish_with<T>(self, made: T) -> syn::Result<T> {
        let all = self.0.into_iter().reduce(|mut all, fault| {
            all.combine(fault);
            all
        });
        all.map_or(Ok(made), Err)
    }

    /// What the compiler shows of them, one error each.
    pub(crate) fn tokens(&self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}
