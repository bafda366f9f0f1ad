//! Diagnostics in one format, and the collector that reports all diagnostics of a declaration together.
//!
//! A diagnostic is two lines: `T7009 no-about: <problem>`, then `help: <fix>`. This module words and places
//! diagnostics; the rules that find the problems are elsewhere.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use tent_core::codes::Code;
use tent_core::names::nearest;

/// The place in the source that a diagnostic points at: one span, or all tokens of a node.
pub(crate) trait Place {
    /// An error with this text at the place.
    fn error(self, text: String) -> syn::Error;
}

impl Place for Span {
    fn error(self, text: String) -> syn::Error {
        syn::Error::new(self, text)
    }
}

impl<T: ToTokens> Place for &T {
    fn error(self, text: String) -> syn::Error {
        syn::Error::new_spanned(self, text)
    }
}

/// The text of a diagnostic with its own fix.
pub(crate) fn text(code: Code, problem: &str, help: &str) -> String {
    let name = code.name();
    format!("{code} {name}: {problem}\nhelp: {help}")
}

/// The text of a diagnostic whose fix is the one in the catalogue of codes.
pub(crate) fn text_from_catalogue(code: Code, problem: &str) -> String {
    // The catalogue has sentences; the compiler's help lines have neither a capital nor a full stop.
    let mut letters = code.fix().trim_end_matches('.').chars();
    let help: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(letters)
        .collect();
    text(code, problem, &help)
}

/// The text of a diagnostic with another fix.
pub(crate) fn with_help(text: &str, help: &str) -> String {
    let problem = text
        .split_once("\nhelp: ")
        .map_or(text, |(problem, _)| problem);
    format!("{problem}\nhelp: {help}")
}

/// The fix for an unknown word: the nearest valid word, and all valid words.
pub(crate) fn suggest(word: &str, valid: &[&str]) -> String {
    let all = valid.join(", ");
    match (nearest(word, valid.iter().copied()), valid) {
        (_, []) => "remove it".to_owned(),
        (Some(near), [_]) => format!("did you mean `{near}`?"),
        (Some(near), _) => format!("did you mean `{near}`? Valid: {all}"),
        (None, [only]) => format!("use `{only}`"),
        (None, _) => format!("use one of: {all}"),
    }
}

/// Collects the diagnostics of one declaration, so that none hides another.
///
/// Every collector must end in [`into_tokens`](Self::into_tokens). In a debug build, dropping one before that
/// panics: its diagnostics would be lost, and an invalid declaration would compile.
#[derive(Default)]
pub(crate) struct Diagnostics {
    errors: Vec<syn::Error>,
    reported: bool,
}

impl Diagnostics {
    /// Adds a diagnostic with its own fix.
    pub(crate) fn add(&mut self, code: Code, place: impl Place, problem: &str, help: &str) {
        self.push(place.error(text(code, problem, help)));
    }

    /// Adds a diagnostic whose fix is the one in the catalogue of codes.
    pub(crate) fn add_from_catalogue(&mut self, code: Code, place: impl Place, problem: &str) {
        self.push(place.error(text_from_catalogue(code, problem)));
    }

    /// Adds an error whose text is complete.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether nothing was found so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The `compile_error!` invocations, one for each diagnostic.
    pub(crate) fn into_tokens(mut self) -> TokenStream {
        self.reported = true;
        self.errors
            .iter()
            .map(syn::Error::to_compile_error)
            .collect()
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        if cfg!(debug_assertions) && !self.reported && !std::thread::panicking() {
            panic!("diagnostics were dropped before they were reported");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tent_core::codes;

    #[test]
    #[should_panic(expected = "before they were reported")]
    fn dropping_unreported_diagnostics_panics() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add(
            codes::MISSING_ACCESS,
            Span::call_site(),
            "a problem",
            "a fix",
        );
    }

    #[test]
    fn each_diagnostic_becomes_one_compile_error() {
        let mut diagnostics = Diagnostics::default();
        for problem in ["a problem", "another"] {
            diagnostics.add_from_catalogue(codes::MISSING_ACCESS, Span::call_site(), problem);
        }
        let tokens = diagnostics.into_tokens().to_string();
        assert_eq!(tokens.matches("compile_error").count(), 2);
    }

    #[test]
    fn an_unknown_word_gets_the_nearest_and_all_valid_words() {
        let suggested = suggest("abuot", &["about", "access"]);
        assert_eq!(suggested, "did you mean `about`? Valid: about, access");
        assert_eq!(
            suggest("x", &["about", "access"]),
            "use one of: about, access"
        );
        assert_eq!(suggest("mpc", &["mcp"]), "did you mean `mcp`?");
        assert_eq!(suggest("x", &["mcp"]), "use `mcp`");
    }
}
