//! The wording of the project: its public names, its documentation and its error messages use the standard words.
//!
//! The tables below hold the words and phrases that the project does not use, each with what to write in its place. The
//! tests read the source as text. They do not read tests. Another one bounds the length of a source file.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that no public name has, in any case and beside any other word.
const NAMES: &[(&str, &str)] = &[
    ("abilities", "capabilities"),
    ("agreed", "negotiated"),
    ("asked", "request context"),
    ("asking", "request context"),
    ("begun", "prepared"),
    ("came", "frame"),
    ("discreet", "redact"),
    ("door", "dispatch"),
    ("fails", "IntoError"),
    ("fault", "diagnostic"),
    ("faults", "diagnostics"),
    ("finding", "diagnostic"),
    ("marks", "annotations"),
    ("mend", "fix"),
    ("misfit", "invalid input"),
    ("promised", "IntoResultFuture"),
    ("salvage", "recover"),
    ("said", "declared"),
    ("settled", "IntoResult"),
    ("speaks", "IntoPrompt"),
    ("stated", "declared"),
    ("talk", "connection"),
    ("ticket", "pending message"),
    ("told", "notified"),
    ("verdict", "decision"),
    ("whom", "caller"),
];

/// Whole names that nothing public has.
const WHOLE_NAMES: &[(&str, &str)] = &[
    ("Answer", "Output"),
    ("At", "Endpoint"),
    ("Gives", "IntoOutput"),
    ("Hook", "IdentityHook"),
    ("Hooks", "IdentityHooks"),
    ("Kept", "TtlCache"),
    ("Listed", "ResourceInfo"),
    ("Notes", "Notifier"),
    ("Part", "FromApp"),
    ("Peer", "Reporter, Elicitor, Journal"),
    ("Places", "BlockingPermits"),
    ("Problems", "Diagnostics"),
    ("Prompted", "PromptResult"),
    ("Serves", "Primitive"),
    ("Speaker", "Role"),
    ("Waits", "PausedTime"),
    ("Way", "Transport"),
    ("With", "WithContent"),
    ("counts_on", "quota_key"),
    ("lets", "allows"),
    ("live_connections", "streams_per_caller"),
    ("rounds", "mrtr"),
    ("sink", "outbox"),
    ("Sink", "Outbox"),
    ("tools_kept", "list_ttl"),
];

/// Phrases that no documentation, comment or message has.
const PHRASES: &[(&str, &str)] = &[
    ("are told", "get"),
    ("as far as", "if, where"),
    ("comes to", "results in"),
    ("does not fit", "is not valid"),
    ("is answered", "gets"),
    ("is no", "is not a"),
    ("is told", "gets"),
    ("mend", "fix"),
    ("misfit", "invalid"),
    ("nobody", "no caller"),
    ("of its own", "its own …, separate"),
    ("of their own", "their own …, separate"),
    ("somebody", "a caller, a person"),
    ("what it says", "the value, the text"),
    ("whoever", "the caller that"),
    ("whom", "the caller that"),
];

/// The folders of source, and the documents.
const SOURCE: [&str; 6] = [
    "tent/src",
    "tent-core/src",
    "tent-macros/src",
    "tent-runtime/src",
    "examples/orders/src",
    "examples/everything/src",
];
const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "tent/docs"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files with this extension in a file or folder of the workspace, tests left out, with their paths and texts.
fn files(place: &str, extension: &str) -> Vec<(String, String)> {
    let mut open = vec![workspace().join(place)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder can be read");
            open.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else if path.extension().is_some_and(|one| one == extension) {
            let name = path.strip_prefix(workspace()).expect("it is inside");
            let is_test = name
                .iter()
                .any(|part| part == "tests" || part == "tests.rs");
            let text = fs::read_to_string(&path).expect("a file is text");
            found.extend((!is_test).then(|| (name.display().to_string(), text)));
        }
    }
    assert!(!found.is_empty(), "{place} has files");
    found.sort();
    found
}

/// A piece of a source file: prose (a comment or a string) or code.
#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Comment(&'a str),
    Text(&'a str),
    Code(&'a str),
}

/// The pieces of a source file with the number of the line on which each begins.
fn pieces(text: &str) -> Vec<(usize, Piece<'_>)> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let (mut at, mut code) = (0, 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let word = code < at && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with('"') {
            string_end(rest)
        } else if !word && rest.starts_with('r') && raw_string_end(&rest[1..]).is_some() {
            1 + raw_string_end(&rest[1..]).unwrap_or(0)
        } else if rest.starts_with("'\\") {
            // A character that is escaped, such as a quote.
            at += 2 + rest[3..].find('\'').map_or(0, |end| end + 2);
            continue;
        } else if rest.starts_with("'\"'") {
            at += 3;
            continue;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let piece = &text[at..at + end];
        pieces.push(Piece::Code(&text[code..at]));
        pieces.push(match rest.starts_with("//") {
            true => Piece::Comment(piece),
            false => Piece::Text(piece),
        });
        at += end;
        code = at;
    }
    pieces.push(Piece::Code(&text[code..]));
    let mut line = 1;
    let numbered = pieces.into_iter().filter_map(|piece| {
        let (Piece::Comment(text) | Piece::Text(text) | Piece::Code(text)) = &piece;
        let start = line;
        line += text.matches('\n').count();
        (!text.is_empty()).then_some((start, piece))
    });
    numbered.collect()
}

/// The length of the string literal that `text` begins with.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the raw string literal that `text`, which follows its `r`, begins with.
fn raw_string_end(text: &str) -> Option<usize> {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let body = text[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(hashes + 1 + body.find(&close)? + close.len())
}

/// Names and code do not count as prose: what stands in backticks is left out.
fn without_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let prose = parts.filter(|(at, _)| at % 2 == 0).map(|(_, part)| part);
    prose.collect::<Vec<_>>().join("`")
}

/// The phrases of the table in a text.
fn phrases(text: &str) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let words: Vec<String> = without_code(text)
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '`')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words = format!(" {} ", words.join(" "));
    // "there is no file" and "no longer" are plain English; "0s is no duration" is not.
    let words = words
        .replace(" there is no ", " ")
        .replace(" is no longer ", " ");
    PHRASES
        .iter()
        .filter(move |(phrase, _)| words.contains(&format!(" {phrase} ")))
}

/// The words of a name: `counts_on` and `CountsOn` have `counts` and `on`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        let last = words.last_mut().expect("there is one");
        last.extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    words
}

/// The names that the lines of code declare with `pub`, with the number of the line.
fn public_names(code: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let Some(mut rest) = line.trim_start().strip_prefix("pub") else {
            continue;
        };
        if rest.starts_with('(') {
            rest = rest.split_once(')').map_or("", |(_, rest)| rest);
        }
        let mut tokens = rest.split_whitespace().skip_while(|token| {
            let keywords = [
                "async", "const", "fn", "struct", "enum", "trait", "mod", "type", "static",
                "unsafe", "mut",
            ];
            keywords.contains(token)
        });
        let Some(name) = tokens.next().filter(|name| *name != "use") else {
            continue;
        };
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
        names.push((number, &name[..end.unwrap_or(name.len())]));
    }
    names
}

/// Fails with every wrong item on its own line.
fn assert_none(what: &str, wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} {what}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn public_names_use_the_standard_words() {
    let mut wrong = Vec::new();
    for (file, text) in SOURCE.iter().flat_map(|folder| files(folder, "rs")) {
        for (line, name) in public_names(&text) {
            let line = line + 1;
            let words = words(name);
            let word = NAMES
                .iter()
                .find(|(word, _)| words.iter().any(|one| one == word));
            let whole = WHOLE_NAMES.iter().find(|(whole, _)| name == *whole);
            if let Some((_, better)) = word.or(whole) {
                wrong.push(format!("{file}:{line}: `{name}`: use {better}"));
            }
        }
    }
    assert_none("names", &wrong);
}

#[test]
fn source_and_messages_use_plain_phrases() {
    let mut wrong = Vec::new();
    for (file, text) in SOURCE.iter().flat_map(|folder| files(folder, "rs")) {
        // Neighbouring lines of comments are one text: a phrase can run over the end of a line.
        let mut block = (0, String::new());
        let mut report = |line: usize, text: &str| {
            for (phrase, better) in phrases(text) {
                wrong.push(format!("{file}:{line}: \"{phrase}\": write {better}"));
            }
        };
        for (line, piece) in pieces(&text) {
            match piece {
                Piece::Comment(comment) => {
                    if block.1.is_empty() {
                        block.0 = line;
                    }
                    block.1 += comment.trim_start_matches(['/', '!']);
                }
                Piece::Code(code) if code.trim().is_empty() && code.matches('\n').count() == 1 => {}
                piece => {
                    report(block.0, &std::mem::take(&mut block.1));
                    if let Piece::Text(text) = piece {
                        report(line, text);
                    }
                }
            }
        }
        report(block.0, &block.1);
    }
    assert_none("places", &wrong);
}

#[test]
fn documents_use_plain_phrases() {
    let mut wrong = Vec::new();
    for (file, text) in DOCUMENTS.iter().flat_map(|place| files(place, "md")) {
        let mut paragraph = (1, String::new());
        let mut code = false;
        for (number, line) in text.lines().chain([""]).enumerate() {
            let fence = line.trim_start().starts_with("```");
            code ^= fence;
            if line.trim().is_empty() || fence {
                for (phrase, better) in phrases(&paragraph.1) {
                    let line = paragraph.0;
                    wrong.push(format!("{file}:{line}: \"{phrase}\": write {better}"));
                }
                paragraph = (number + 2, String::new());
            } else if !code {
                paragraph.1 += line;
                paragraph.1.push(' ');
            }
        }
    }
    assert_none("places", &wrong);
}

/// The most lines of a source file.
const MAX_LINES: usize = 400;

/// Files that may be longer, with the reason.
const LONG_FILES: &[(&str, &str)] =
    &[("tent-core/src/codes.rs", "data: one table with every code")];

#[test]
fn no_source_file_is_long() {
    let mut wrong = Vec::new();
    for (file, text) in SOURCE.iter().flat_map(|folder| files(folder, "rs")) {
        let lines = text.lines().count();
        let may_be_long = LONG_FILES.iter().any(|(long, _)| file == *long);
        if lines > MAX_LINES && !may_be_long {
            wrong.push(format!("{file}: {lines} lines"));
        }
    }
    assert_none("files", &wrong);
}

#[test]
fn reads_the_pieces_of_a_file() {
    let text = "a(\"x \\\" // y\"); // b \"c\"\nlet d = ['\"', '\\'']; r#\"e \" f\"#";
    let pieces: Vec<_> = pieces(text).into_iter().map(|(_, piece)| piece).collect();
    assert_eq!(
        pieces,
        [
            Piece::Code("a("),
            Piece::Text("\"x \\\" // y\""),
            Piece::Code("); "),
            Piece::Comment("// b \"c\""),
            Piece::Code("\nlet d = ['\"', '\\'']; "),
            Piece::Text("r#\"e \" f\"#"),
        ]
    );
    assert_eq!(
        phrases("It is\nno `is told` type, he understands.").count(),
        1
    );
    assert_eq!(words("counts_on"), ["counts", "on"]);
    assert_eq!(
        public_names("pub(crate) async fn a(b: c) {}\n  pub d: E,"),
        [(0, "a"), (1, "d")]
    );
}
