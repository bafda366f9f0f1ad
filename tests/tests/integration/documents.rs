//! Checks that the documentation matches the code: the page of codes lists the catalogue.

use std::fmt::Write as _;

use tent_core::codes::{self, When};

/// The page, from the repository's root.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tent/docs/codes.md");

/// Set this variable to write the page again: `TENT_WRITE_DOCS=1 cargo test -p tent-tests --test integration documents`.
const WRITE: &str = "TENT_WRITE_DOCS";

/// Returns the page of codes, made from the catalogue.
fn page() -> String {
    let mut page = String::new();
    let parts = [
        (
            When::Build,
            "Compile errors",
            "The compiler reports them at the item that is wrong.",
        ),
        (
            When::Start,
            "Start errors",
            "The app does not start. `check` reports them too, with every location. These are warnings: T7004, T7022, T7023, T7024, T1014 for a name over 40 characters, T1015 for a name with `__` or `.`, and T7034 for an icon whose address is not `https:`. The compiler reports T7016 if two parameters have the same name, and T7017 for the rules of `#[arg(…)]` where it knows the type of the field.",
        ),
        (
            When::Call,
            "Call errors",
            "A caller gets them in `code`, with the fix beside it.",
        ),
    ];
    for (when, heading, about) in parts {
        let _ = write!(page, "# {heading}\n\n{about}\n\n");
        page += match when {
            When::Call => "| code | status | meaning | fix |\n|---|---|---|---|\n",
            _ => "| code | meaning | fix |\n|---|---|---|\n",
        };
        for code in codes::all().filter(|code| code.when() == when) {
            let (name, status) = (code.name(), code.status());
            let (meaning, fix) = (cell(code.meaning()), cell(code.fix()));
            let _ = match when {
                When::Call => writeln!(page, "| {code} {name} | {status} | {meaning} | {fix} |"),
                _ => writeln!(page, "| {code} {name} | {meaning} | {fix} |"),
            };
        }
        page.push('\n');
    }
    page
}

/// Escapes a sentence of the catalogue for a table of Markdown.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut code = false;
    for c in text.chars() {
        code ^= c == '`';
        if c == '|' || (!code && matches!(c, '[' | ']' | '<' | '>' | '_' | '*' | '#')) {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

#[test]
fn the_page_of_codes_lists_the_catalogue() {
    let made = page();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(PAGE, &made).expect("the page can be written");
    }
    let there = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        there == made,
        "tent/docs/codes.md differs from the catalogue: set {WRITE}=1 and run this test again"
    );
    for code in codes::all() {
        let row = format!("| {code} {} |", code.name());
        assert_eq!(there.matches(&row).count(), 1, "{row}");
    }
}
