//! That the documents say what the code says: the page of codes is the catalogue.

use std::fmt::Write as _;

use tent_core::codes::{self, Entry, When};

/// The page, from the repository's root.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tent/docs/codes.md");

/// Write the page anew where this variable is set: `TENT_WRITE_DOCS=1 cargo test -p tent-tests --test documents`.
const WRITE: &str = "TENT_WRITE_DOCS";

/// The page of codes, made from the catalogue.
fn page() -> String {
    let mut page = String::new();
    let parts = [
        (
            When::Build,
            "What the compiler reports",
            "At the word that is wrong.",
        ),
        (
            When::Start,
            "What keeps an app from starting",
            "Found at start and by `check`, with every place that it concerns. T7004, T7022, T7023 and T7024 are warnings, so are T1014 of a name over 40 characters and T1015 of `__` and `.` in one, and so is T7034 of an icon that is not over `https:`. T7016 is reported by the compiler where two parameters have one name.",
        ),
        (
            When::Call,
            "What a caller meets",
            "In the answer's `code`, with the fix beside it.",
        ),
    ];
    for (when, heading, about) in parts {
        let _ = write!(page, "# {heading}\n\n{about}\n\n");
        page += match when {
            When::Call => "| code | status | what has happened | what to do |\n|---|---|---|---|\n",
            _ => "| code | what has happened | what to do |\n|---|---|---|\n",
        };
        for entry in codes::ALL.iter().filter(|entry| entry.when == when) {
            let Entry {
                code, name, status, ..
            } = entry;
            let (meaning, fix) = (cell(entry.meaning), cell(entry.fix));
            let _ = match when {
                When::Call => writeln!(page, "| {code} {name} | {status} | {meaning} | {fix} |"),
                _ => writeln!(page, "| {code} {name} | {meaning} | {fix} |"),
            };
        }
        page.push('\n');
    }
    page
}

/// A sentence of the catalogue as it stands in a table: what could be a mark or a link is plain.
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
fn the_page_of_codes_is_the_catalogue() {
    let made = page();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(PAGE, &made).expect("the page can be written");
    }
    let there = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        there == made,
        "tent/docs/codes.md is not the catalogue: set {WRITE}=1 and run this test again"
    );
    for entry in codes::ALL {
        let row = format!("| {} {} |", entry.code, entry.name);
        assert_eq!(there.matches(&row).count(), 1, "{row}");
    }
}
