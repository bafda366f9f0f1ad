//! The value of `access`: which callers may call a function (T7002).

use syn::spanned::Spanned as _;
use syn::{Expr, Path};

use super::value::{AttributeOption, Value, invalid, invalid_from_catalogue, text_of};
use super::{ungrouped, written_path};
use crate::diagnostic::suggest;
use tent_core::codes;
use tent_core::names::nearest;

/// The callers that may call a function.
#[derive(Clone)]
pub(crate) enum Access {
    /// All callers, also anonymous ones.
    Anyone,
    /// All callers with an identity.
    SignedIn,
    /// Callers with this role.
    Role(String),
    /// The app itself.
    App,
    /// Callers that any of these accepts.
    Any(Vec<Access>),
    /// Callers that a rule function of the app accepts.
    Rule(Path),
}

/// The words of `access`.
const WORDS: [&str; 4] = ["anyone", "signedIn", "role:staff", "app"];

impl Access {
    /// Whether `matches` holds for this, or for any element of a list.
    pub(crate) fn any(&self, matches: fn(&Access) -> bool) -> bool {
        match self {
            Access::Any(each) => each.iter().any(|one| one.any(matches)),
            one => matches(one),
        }
    }
}

impl Value for Access {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        match option.value {
            Some(value) => access(value),
            None => Err(wrong_form()),
        }
    }
}

fn wrong_form() -> darling::Error {
    invalid_from_catalogue(
        codes::UNKNOWN_ACCESS,
        "`access` requires a string, a list, or the path of a rule function",
    )
}

fn access(value: &Expr) -> darling::Result<Access> {
    match ungrouped(value) {
        Expr::Path(path) if path.path.is_ident("signedIn") => Err(invalid(
            codes::UNKNOWN_ACCESS,
            "`signedIn` without quotes is the path of a rule function",
            "write `access = \"signedIn\"`",
        )),
        Expr::Path(path) if path.qself.is_none() => Ok(Access::Rule(path.path.clone())),
        Expr::Array(list) => {
            let mut errors = darling::Error::accumulator();
            let mut each = Vec::new();
            for element in &list.elems {
                let read = access(element).map_err(|error| error.with_span(element));
                match errors.handle(read) {
                    // A nested list means the same as its elements.
                    Some(Access::Any(more)) => each.extend(more),
                    Some(one) => each.push(one),
                    None => {}
                }
            }
            let each = errors.finish_with(each)?;
            if each.is_empty() {
                let problem = "an empty list accepts no caller";
                return Err(
                    invalid_from_catalogue(codes::UNKNOWN_ACCESS, problem).with_span(&list.span())
                );
            }
            Ok(Access::Any(each))
        }
        other => text_of(other).map_or_else(|| Err(wrong_form()), |text| word(&text)),
    }
}

fn word(text: &str) -> darling::Result<Access> {
    match text {
        "anyone" => Ok(Access::Anyone),
        "signedIn" => Ok(Access::SignedIn),
        "app" => Ok(Access::App),
        "role:" | "role" => Err(invalid(
            codes::UNKNOWN_ACCESS,
            "the role has no name",
            "write the name after the colon, for example \"role:staff\"",
        )),
        other => match other.strip_prefix("role:") {
            Some(role) if role.trim() == role => Ok(Access::Role(role.to_owned())),
            Some(role) => {
                let problem = format!("the role {role:?} begins or ends with a space");
                let help = format!("write \"role:{}\"", role.trim());
                Err(invalid(codes::UNKNOWN_ACCESS, &problem, &help))
            }
            None => Err(unknown(other)),
        },
    }
}

/// The text is not a word of `access`. A rule function in quotes is the usual reason where no word is near.
fn unknown(text: &str) -> darling::Error {
    let problem = format!("{text:?} is not a valid access");
    let path = match syn::parse_str::<Expr>(text) {
        Ok(Expr::Path(path)) => Some(path.path),
        Ok(Expr::Call(call)) => match *call.func {
            Expr::Path(path) => Some(path.path),
            _ => None,
        },
        _ => None,
    };
    let words = suggest(text, &WORDS);
    let help = match (nearest(text, WORDS), path) {
        (None, Some(path)) => {
            let path = written_path(&path);
            format!("to name a rule function, write `access = {path}`; or {words}")
        }
        _ => words,
    };
    invalid(codes::UNKNOWN_ACCESS, &problem, &help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_list_is_flattened() {
        let list: Expr = syn::parse_quote!(["anyone", ["role:a", ["app"]], of_a_rule]);
        let Ok(Access::Any(each)) = access(&list) else {
            panic!("the list is valid");
        };
        assert!(matches!(
            each.as_slice(),
            [
                Access::Anyone,
                Access::Role(_),
                Access::App,
                Access::Rule(_)
            ]
        ));
        assert!(access(&syn::parse_quote!(["anyone", []])).is_err());
        assert!(access(&syn::parse_quote!(["anyone", ["anybody"]])).is_err());
    }

    #[test]
    fn a_rule_in_quotes_is_suggested_without_them() {
        let error = word("rules::r1").map(drop).expect_err("it is not a word");
        let text = error.to_string();
        assert!(text.contains("`access = rules::r1`"), "{text}");
        let error = word("signdIn").map(drop).expect_err("it is not a word");
        assert!(error.to_string().contains("did you mean `signedIn`?"));
    }
}
