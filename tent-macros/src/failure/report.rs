//! What one kind of failure reports to the caller: its code, status, name, message and fix, or those of its one
//! field. Looks at no other kind; that codes do not repeat is for the [`model`](super::model).

use syn::ext::IdentExt as _;
use syn::{Ident, LitStr};

use super::message::Message;
use super::model::Field;
use crate::diagnostic::Diagnostics;
use crate::options::tables::FailureOptions;
use crate::options::{Options, Spanned, Table as _};
use tent_core::codes;

/// What a failure reports.
pub(super) enum Report {
    /// What its one field reports.
    Transparent,
    /// What its options declare.
    Declared(Box<Declared>),
}

/// The declared report of a failure.
pub(super) struct Declared {
    pub(super) code: LitStr,
    pub(super) status: u16,
    pub(super) name: String,
    pub(super) message: Message,
    pub(super) fix: Option<Message>,
}

/// The default status: the server understood the input and cannot process it in the current state.
const STATUS: u16 = 422;

/// The report of the failure called `ident`; `None` where its options have problems.
pub(super) fn read<T>(
    ident: &Ident,
    options: &Options<T>,
    table: &FailureOptions,
    fields: &[Field<'_>],
    diagnostics: &mut Diagnostics,
) -> Option<Report> {
    if options.attempts("transparent") {
        return transparent(table, fields, diagnostics);
    }
    let missing: Vec<&str> = ["code", "message"]
        .into_iter()
        .filter(|name| !options.attempts(name))
        .collect();
    if !missing.is_empty() {
        let missing = missing.join("` and no `");
        let problem = format!("`{ident}` has no `{missing}`");
        let help = format!(
            "write `{}`, or `#[failure(transparent)]` to report its one field",
            FailureOptions::EXAMPLE
        );
        diagnostics.add(codes::INVALID_FAILURE, ident, &problem, &help);
    }
    let mut text = |option: &Option<Spanned<LitStr>>, name| {
        let literal = &option.as_ref()?.value;
        Message::read(literal, name, fields, diagnostics)
    };
    let message = text(&table.message, "message");
    let fix = text(&table.fix, "fix");
    let invalid = |name| options.attempts(name);
    if (table.status.is_none() && invalid("status")) || (table.name.is_none() && invalid("name")) {
        return None;
    }
    let name = table.name.as_ref().map(|name| name.value.0.clone());
    Some(Report::Declared(Box::new(Declared {
        code: table.code.as_ref()?.value.0.clone(),
        status: table
            .status
            .as_ref()
            .map_or(STATUS, |status| status.value.0),
        name: name.unwrap_or_else(|| kebab(&ident.unraw().to_string())),
        message: message?,
        fix,
    })))
}

fn transparent(
    table: &FailureOptions,
    fields: &[Field<'_>],
    diagnostics: &mut Diagnostics,
) -> Option<Report> {
    let transparent = table.transparent.as_ref()?;
    let others = [
        ("code", table.code.as_ref().map(|one| one.span)),
        ("fix", table.fix.as_ref().map(|one| one.span)),
        ("message", table.message.as_ref().map(|one| one.span)),
        ("name", table.name.as_ref().map(|one| one.span)),
        ("status", table.status.as_ref().map(|one| one.span)),
    ];
    for (name, span) in others {
        if let Some(span) = span {
            let problem =
                format!("`{name}` beside `transparent`: a transparent failure reports its field");
            diagnostics.add(
                codes::CONFLICTING_OPTIONS,
                span,
                &problem,
                "remove one of the two",
            );
        }
    }
    if fields.len() != 1 {
        let problem = format!(
            "a transparent failure has exactly one field, and this one has {}",
            fields.len()
        );
        let help = "write `Other(#[from] tent::Error)`";
        diagnostics.add(codes::INVALID_FAILURE, transparent.span, &problem, help);
        return None;
    }
    Some(Report::Transparent)
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
    fn the_name_of_a_failure_is_its_variant_in_kebab_case() {
        assert_eq!(super::kebab("AlreadyPaid"), "already-paid");
        assert_eq!(super::kebab("HTTPGone"), "http-gone");
        assert_eq!(super::kebab("Closed"), "closed");
    }
}
