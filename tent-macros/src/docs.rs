//! Turns doc comments into text: joins the lines, removes the space after `///`, keeps paragraphs and lists.
//! Does not interpret the text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use crate::options::ungrouped;

/// The text of doc comments.
pub(crate) enum Docs {
    /// A text that the macro knows; empty without doc comments.
    Text(String),
    /// Lines of literals and of macros such as `include_str!`, which only the compiler can expand.
    Lines(Vec<Expr>),
}

/// The doc comments among these attributes.
pub(crate) fn docs(attributes: &[Attribute]) -> Docs {
    let values = attributes.iter().filter_map(value);
    if values.clone().any(|value| matches!(value, Expr::Macro(_))) {
        return Docs::Lines(values.map(line).collect());
    }
    Docs::Text(text(attributes))
}

/// One line as an expression, a literal without the space after `///`.
fn line(value: &Expr) -> Expr {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => {
            let line = text.value();
            let line = line.strip_prefix(' ').unwrap_or(&line);
            syn::parse_quote!(#line)
        }
        other => other.clone(),
    }
}

/// The literal text of the doc comments among these attributes. Omits text from macros (`include_str!`).
fn text(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Some(piece) = piece(attribute) {
            push(&mut lines, &piece);
        }
    }
    let blank = |line: &String| line.trim().is_empty();
    let first = lines
        .iter()
        .position(|line| !blank(line))
        .unwrap_or(lines.len());
    let last = lines
        .iter()
        .rposition(|line| !blank(line))
        .map_or(first, |at| at + 1);
    lines[first..last].join("\n")
}

fn piece(attribute: &Attribute) -> Option<String> {
    match value(attribute)? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// The value of a `doc = …` attribute.
fn value(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => Some(ungrouped(&meta.value)),
        _ => None,
    }
}

/// Adds the lines of one doc attribute, without the column of stars of a block comment.
fn push(lines: &mut Vec<String>, piece: &str) {
    let starred = piece.lines().count() > 1
        && piece
            .lines()
            .skip(1)
            .all(|line| line.trim_start().starts_with('*') || line.trim().is_empty());
    for (at, line) in piece.lines().enumerate() {
        let line = if starred && at > 0 {
            line.trim_start().strip_prefix('*').unwrap_or_default()
        } else {
            line
        };
        lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
    }
    if piece.is_empty() {
        lines.push(String::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{ItemFn, parse_quote};

    fn of(item: ItemFn) -> String {
        text(&item.attrs)
    }

    // K7-13
    #[test]
    fn paragraphs_lists_and_braces_are_kept_as_written() {
        let text = of(parse_quote! {
            /// Order number.
            ///
            /// - starts with A
            ///   and has 4 digits, e.g. `A1234` "quoted" {braces}
            #[doc = "last"]
            fn f() {}
        });
        assert_eq!(
            text,
            "Order number.\n\n- starts with A\n  and has 4 digits, e.g. `A1234` \"quoted\" {braces}\nlast"
        );
    }

    #[test]
    fn the_stars_of_a_block_comment_are_removed() {
        let text = of(parse_quote! {
            #[doc = "\n     * Finds an order.\n     *\n     * By its number.\n     "]
            fn f() {}
        });
        assert_eq!(text, "Finds an order.\n\nBy its number.");
        assert_eq!(of(parse_quote! { /** One line. */ fn f() {} }), "One line.");
    }

    #[test]
    fn other_attributes_and_doc_hidden_are_ignored() {
        assert_eq!(
            of(
                parse_quote! { #[doc(hidden)] #[must_use = "x"] #[doc = include_str!("x")] fn f() {} }
            ),
            ""
        );
    }
}
