//! Makes a report of the compiler the same on every machine.

use std::collections::HashSet;

/// The folder of the cases, as the compiler names it.
const CASES: &str = "tests/ui/";

/// At most so many types follow a list of types that implement a trait.
const LISTED_TYPES: usize = 8;

/// The report without what differs between machines and versions of other crates: paths before a crate, lines of
/// files other than `case`, and the sentences that count errors.
pub(crate) fn normalized(report: &str, case: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // Whether the lines that follow are source text of another file.
    let mut elsewhere = false;
    // How many types of a list have passed.
    let mut types = None;
    for line in report.lines() {
        if is_noise(line) {
            continue;
        }
        let text = line.trim_start();
        let mut line = line.to_owned();
        if let Some(path) = text.strip_prefix("--> ").or(text.strip_prefix("::: ")) {
            elsewhere = !path
                .strip_prefix("tests/")
                .is_some_and(|path| path.starts_with(case));
            let start = line.len() - path.len();
            match elsewhere {
                true => line.replace_range(start.., &place(path)),
                false => line.replace_range(start..start + "tests/".len(), ""),
            }
        } else if elsewhere {
            match text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '|' | '.')) {
                true => line = without_number(&line),
                false => elsewhere = false,
            }
        }
        if text.starts_with("= help: the following") && text.contains("types implement trait") {
            types = Some(0);
        } else if let Some(count) = types {
            let indent = line.len() - text.len();
            match indent >= 12 {
                true if count > LISTED_TYPES => continue,
                true if count == LISTED_TYPES && !text.starts_with("and ") => {
                    line.replace_range(indent - 2.., "and $N others");
                    types = Some(count + 1);
                }
                true => types = Some(count + 1),
                false => types = None,
            }
        }
        lines.push(line.replace(CASES, "$DIR/ui/"));
    }
    let mut text = String::new();
    let mut seen = HashSet::new();
    for diagnostic in diagnostics(lines) {
        // The compiler can report an error of a macro twice.
        if !seen.insert(diagnostic.join("\n").trim_end().to_owned()) {
            continue;
        }
        for line in outdented(diagnostic) {
            // Where sentences are left out, their blank lines are left out too.
            if !(line.is_empty() && text.ends_with("\n\n")) {
                text += &line;
                text.push('\n');
            }
        }
    }
    format!("{}\n", text.trim_end())
}

/// Whether a line counts errors, names a file with a long type, or tells how to learn more.
fn is_noise(line: &str) -> bool {
    let text = line.trim_start();
    line.starts_with("error: aborting due to ")
        || line.starts_with("For more information about ")
        || line.starts_with("Some errors have detailed explanations: ")
        || line.starts_with("warning: ") && line.ends_with(" emitted")
        || text.starts_with("= note: this compiler was built on 2")
        || text.starts_with("= note: the full type name has been written to ")
        || text.starts_with("= note: the full name for the type has been written to ")
        || text.starts_with("= note: consider using `--verbose` ")
}

/// The place of a line in another file, without the number of the line and what lies before the crate.
fn place(path: &str) -> String {
    let mut path = path.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    for standard in ["/rustlib/src/rust/library/", "/library/"] {
        if let Some((_, within)) = path.split_once(standard) {
            return format!("$RUST/{within}");
        }
    }
    if let Some((_, within)) = path.split_once("/registry/src/") {
        path = within.split_once('/').map_or(within, |(_, within)| within);
        let (krate, within) = path.split_once('/').unwrap_or((path, ""));
        let name = krate.rsplit_once('-').map_or(krate, |(name, _)| name);
        return format!("$CARGO/{name}-$VERSION/{within}");
    }
    format!("$WORKSPACE/{path}")
}

/// A line of source text with blanks in place of its number.
fn without_number(line: &str) -> String {
    let number = line
        .bytes()
        .take_while(|byte| *byte == b' ' || byte.is_ascii_digit())
        .count();
    format!("{}{}", " ".repeat(number), &line[number..])
}

/// The lines of each diagnostic, which begins with its heading.
fn diagnostics(lines: Vec<String>) -> Vec<Vec<String>> {
    let mut diagnostics: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let heading = line.starts_with("error") || line.starts_with("warning");
        match diagnostics.last_mut() {
            Some(last) if !heading => last.push(line),
            _ => diagnostics.push(vec![line]),
        }
    }
    diagnostics
}

/// Moves a diagnostic as far to the left as its own line numbers allow. The compiler leaves room for the numbers of other
/// files, which are left out here.
fn outdented(mut diagnostic: Vec<String>) -> Vec<String> {
    let least = diagnostic.iter().filter_map(|line| room(line)).min();
    for line in &mut diagnostic {
        // The second line of a message has its place by the first, not by the numbers.
        let continues = line.trim_start().starts_with("help: ");
        if room(line).is_some() || (line.starts_with(&" ".repeat(11)) && !continues) {
            let at = line.find(' ').unwrap_or(0);
            line.replace_range(at..at + least.unwrap_or(0), "");
        }
    }
    diagnostic
}

/// The blanks that a line of a diagnostic has to spare before its bar, arrow or equals sign; `None` for other lines.
fn room(line: &str) -> Option<usize> {
    if let Some(rest) = line.strip_prefix("... ") {
        return Some(rest.len() - rest.trim_start().len());
    }
    let unnumbered = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    let head = &line[..line.len() - unnumbered.len()];
    let digits = head.bytes().filter(u8::is_ascii_digit).count();
    let spaces = head.len() - digits;
    let marks: &[&str] = match digits {
        0 => &["| ", "--> ", "::: ", "= "],
        _ => &["| ", "+ ", "- ", "~ "],
    };
    let marked = matches!(unnumbered, "|" | "+" | "-" | "~")
        || marks.iter().any(|mark| unnumbered.starts_with(mark));
    (spaces > 0 && marked).then(|| spaces - 1)
}
