//! What one kind of failure tells: a code, a status, a name, a message and a fix, each with its rule, or
//! what its one field does.
//!
//! Looks at no other kind; that codes do not repeat is the [`model`](super::model)'s to see.

use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::{Ident, Lit, LitStr};
use tent_core::codes;

use super::message::Message;
use super::model::{EXAMPLE, Field, Said};
use crate::fault::Faults;
use crate::options::Written;

/// What a failure tells.
pub(super) enum Says {
    /// What the one field would.
    Transparent,
    /// What is stated.
    Stated(Box<Stated>),
}

/// What a stated failure tells.
pub(super) struct Stated {
    pub(super) code: LitStr,
    pub(super) status: u16,
    pub(super) name: String,
    pub(super) message: Message,
    pub(super) fix: Option<Message>,
}

/// The status of a failure that states none: the input was understood and cannot be served as things are.
const STATUS: u16 = 422;

/// What `said` makes of the failure called `ident`; `None` where something is wrong with it.
pub(super) fn read(
    ident: &Ident,
    said: &Said,
    fields: &[Field<'_>],
    faults: &mut Faults,
) -> Option<Says> {
    match said.option("transparent") {
        Some(transparent) => self::transparent(transparent, said, fields, faults),
        None => stated(ident, said, fields, faults).map(|stated| Says::Stated(Box::new(stated))),
    }
}

fn transparent(
    transparent: &Written,
    said: &Said,
    fields: &[Field<'_>],
    faults: &mut Faults,
) -> Option<Says> {
    faults.handle(transparent.bare());
    let others = |option: &&Written| option.name != "transparent" && option.name != "crate";
    for other in said.options.iter().filter(others) {
        faults.add(
            codes::CONFLICTING_OPTIONS,
            &other.name,
            &format!(
                "`{}` beside `transparent`, which passes on what its field says",
                other.name
            ),
            "remove one of the two",
        );
    }
    if fields.len() != 1 {
        faults.add(
            codes::INVALID_FAILURE,
            &transparent.name,
            &format!(
                "a transparent failure has one field that it passes on, and this one has {}",
                fields.len()
            ),
            "write it as Other(#[from] tent::Error)",
        );
        return None;
    }
    Some(Says::Transparent)
}

fn stated(ident: &Ident, said: &Said, fields: &[Field<'_>], faults: &mut Faults) -> Option<Stated> {
    let option = |name: &str| said.option(name);
    let mut missing = vec!["code", "message"];
    missing.retain(|name| option(name).is_none());
    if said.whole && !missing.is_empty() {
        faults.add(
            codes::INVALID_FAILURE,
            ident,
            &format!("`{ident}` states no {}", missing.join(" and no ")),
            &format!("write {EXAMPLE}, or #[failure(transparent)] to pass on its one field"),
        );
    }
    let code = option("code").and_then(|option| {
        let code = faults.handle(option.string())?;
        self::code(code, faults)
    });
    let status = option("status").map_or(Some(STATUS), |option| self::status(option, faults));
    let name = match option("name") {
        Some(option) => faults
            .handle(option.string())
            .and_then(|name| self::name(name, faults)),
        None => Some(kebab(&ident.unraw().to_string())),
    };
    let mut text = |name| {
        let literal = faults.handle(option(name)?.string())?;
        Message::read(literal, name, fields, faults)
    };
    let (message, fix) = (text("message"), text("fix"));
    Some(Stated {
        code: code?,
        status: status?,
        name: name?,
        message: message?,
        fix,
    })
}

fn code(code: &LitStr, faults: &mut Faults) -> Option<LitStr> {
    let value = code.value();
    let digits = |rest: &str| rest.len() == 4 && rest.bytes().all(|b| b.is_ascii_digit());
    if value.strip_prefix('A').is_some_and(digits) {
        return Some(code.clone());
    }
    let what = if value.strip_prefix('T').is_some_and(digits) {
        format!("{value} is a code of tent's own")
    } else {
        format!("`{value}` is no code")
    };
    let help = "write `A` and four digits, such as A0001";
    faults.add(codes::INVALID_FAILURE, code, &what, help);
    None
}

fn status(option: &Written, faults: &mut Faults) -> Option<u16> {
    let number = match option.literal() {
        Some(Lit::Int(number)) => number.base10_parse::<u16>().ok(),
        _ => None,
    };
    if let Some(number) = number
        && (400..600).contains(&number)
    {
        return Some(number);
    }
    let shown = match option.literal() {
        Some(literal) => format!(
            "{} is no HTTP status of a failure",
            literal.to_token_stream()
        ),
        None => "the status is no number".to_owned(),
    };
    faults.push(option.fault(
        codes::INVALID_FAILURE,
        &shown,
        "write one from 400 to 599: 404 for what is not there, 409 for what clashes with how things are",
    ));
    None
}

fn name(name: &LitStr, faults: &mut Faults) -> Option<String> {
    let value = name.value();
    let fits = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    if value.split('-').all(fits) {
        return Some(value);
    }
    faults.add(
        codes::INVALID_FAILURE,
        name,
        &format!("`{value}` is no name of a failure"),
        "write small letters and digits, words joined by hyphens, such as already-paid",
    );
    None
}

/// `AlreadyPaid` as `already-paid`.
fn kebab(ident: &str) -> String {
    tent_core::names::title(ident)
        .to_lowercase()
        .replace(' ', "-")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_failures_name_is_its_variants_in_words() {
        assert_eq!(super::kebab("AlreadyPaid"), "already-paid");
        assert_eq!(super::kebab("HTTPGone"), "http-gone");
        assert_eq!(super::kebab("Closed"), "closed");
    }
}
