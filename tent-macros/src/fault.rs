//! The form of a macro's own errors: `T7009 no-about: <what is wrong>`, then a line `help: <the fix>`.
//! Decides nothing; the rules stand in `model`.

use proc_macro2::Span;
use tent_core::codes;
use tent_core::names::nearest;

/// An error of this code at this place, with a fix of its own.
pub(crate) fn fault(code: &str, span: Span, what: &str, help: &str) -> darling::Error {
    let name = codes::find(code).map_or("", |entry| entry.name);
    darling::Error::custom(format!("{code} {name}: {what}\nhelp: {help}")).with_span(&span)
}

/// An error of this code at this place, with the fix of the catalogue.
pub(crate) fn usual(code: &str, span: Span, what: &str) -> darling::Error {
    let fix = codes::find(code).map_or("", |entry| entry.fix);
    // A sentence of the catalogue, in the compiler's manner: no capital, no full stop.
    let mut letters = fix.trim_end_matches('.').chars();
    let help: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(letters)
        .collect();
    fault(code, span, what, &help)
}

/// The fix for a word that is none of `known`: the nearest, and all there are.
pub(crate) fn choose(word: &str, known: &[&str]) -> String {
    if let [only] = known {
        return format!("write `{only}`");
    }
    let all = known.join(", ");
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? There are: {all}"),
        None => format!("there are: {all}"),
    }
}
