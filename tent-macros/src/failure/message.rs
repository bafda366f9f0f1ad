//! Reads a message or a fix with fields in it, in the syntax of `format!`: `Order {id} is already paid`.
//!
//! Finds which fields the text names, and checks that they exist. Does not check the words.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, LitStr};

use super::model::Field;
use crate::diagnostic::{Diagnostics, suggest};
use tent_core::codes;

/// A text that names fields.
pub(super) struct Message {
    /// The text as written. The compiler shows errors about the type of a field at its span.
    literal: LitStr,
    /// The text for `format_args!`, with one placeholder name for each field.
    format: String,
    /// The text itself, if it names no field.
    plain: Option<String>,
    /// The fields that it names.
    pub(super) uses: Vec<Use>,
}

/// The use of a field in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Use {
    /// Which field, in the order of the declaration.
    pub(super) field: usize,
    /// How.
    pub(super) how: How,
}

/// How a text uses a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Shown by this trait of `core::fmt`.
    Shown(&'static str),
    /// As a width or a precision.
    Count,
}

impl Message {
    /// Reads the text of `option`, whose `{…}` name `fields`.
    pub(super) fn read(
        literal: &LitStr,
        option: &str,
        fields: &[Field<'_>],
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let text = literal.value();
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        if text.trim().is_empty() {
            let problem = format!("`{option}` is empty");
            let help = format!("write `{option} = \"…\"`");
            diagnostics.add(codes::INVALID_FAILURE, literal, &problem, &help);
            return None;
        }
        match Reader::new(&text, &names).read() {
            Ok(reader) => Some(Message {
                literal: literal.clone(),
                plain: reader.uses.is_empty().then_some(reader.plain),
                format: reader.format,
                uses: reader.uses,
            }),
            Err(problems) => {
                for Problem { text, help } in problems {
                    let problem = format!("`{option}` {text}");
                    diagnostics.add(codes::INVALID_FAILURE, literal, &problem, &help);
                }
                None
            }
        }
    }

    /// The text, as an expression that converts into a `Cow<'static, str>`.
    pub(super) fn text(&self, private: &TokenStream) -> TokenStream {
        match &self.plain {
            Some(plain) => quote!(#plain),
            None => {
                let arguments = self.arguments(private);
                quote!(#private::format_text(#arguments))
            }
        }
    }

    /// The text, as `format_args!(…)` over the bindings of the fields.
    pub(super) fn arguments(&self, private: &TokenStream) -> TokenStream {
        let span = self.literal.span();
        let format = LitStr::new(&self.format, span);
        let mut arguments = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        for &Use { field, .. } in &self.uses {
            if seen.contains(&field) {
                continue;
            }
            seen.push(field);
            let counts = self
                .uses
                .iter()
                .any(|one| one.field == field && one.how == How::Count);
            let name = Ident::new(&placeholder(field), span);
            let mut binding = super::model::binding(field);
            binding.set_span(binding.span().located_at(span));
            // A width must be a `usize`, not a reference to one.
            arguments.push(if counts {
                quote!(#name = *#binding)
            } else {
                quote!(#name = #binding)
            });
        }
        quote!(#private::core::format_args!(#format #(, #arguments)*))
    }
}

/// The name of a field in the text for `format_args!`.
fn placeholder(field: usize) -> String {
    format_ident!("field_{field}").to_string()
}

/// A problem of a text, worded to follow the name of the option.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    text: String,
    help: String,
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    fields: &'a [String],
    next: usize,
    format: String,
    plain: String,
    uses: Vec<Use>,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, fields: &'a [String]) -> Self {
        Reader {
            rest: text.chars().peekable(),
            fields,
            next: 0,
            format: String::with_capacity(text.len()),
            plain: String::with_capacity(text.len()),
            uses: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn read(mut self) -> Result<Self, Vec<Problem>> {
        while let Some(c) = self.rest.next() {
            match c {
                '{' | '}' if self.rest.next_if_eq(&c).is_some() => {
                    self.format.extend([c, c]);
                    self.plain.push(c);
                }
                '{' => match self.inside() {
                    Some(inside) => self.placeholder(&inside),
                    None => {
                        self.problem("has a `{` without a `}`", "write `{{` for a brace");
                        break;
                    }
                },
                '}' => self.problem("has a `}` without a `{`", "write `}}` for a brace"),
                c => {
                    self.format.push(c);
                    self.plain.push(c);
                }
            }
        }
        if self.problems.is_empty() {
            Ok(self)
        } else {
            Err(self.problems)
        }
    }

    fn problem(&mut self, text: &str, help: &str) {
        let (text, help) = (text.to_owned(), help.to_owned());
        self.problems.push(Problem { text, help });
    }

    /// The text up to the closing brace, which is consumed too.
    fn inside(&mut self) -> Option<String> {
        let mut inside = String::new();
        loop {
            let c = self.rest.next()?;
            // Directly after the colon a brace can be the fill character.
            let fills = inside.ends_with(':') && matches!(self.rest.peek(), Some('<' | '^' | '>'));
            if c == '}' && !fills {
                return Some(inside);
            }
            inside.push(c);
        }
    }

    /// One `{inside}`.
    fn placeholder(&mut self, inside: &str) {
        let (argument, spec) = match inside.split_once(':') {
            Some((argument, spec)) => (argument.trim(), Some(spec.trim_end())),
            None => (inside.trim(), None),
        };
        // Looked up before the spec, so that `{}` counts the fields in the order of the text.
        let field = if argument.is_empty() {
            let at = self.next;
            self.next += 1;
            self.field(&at.to_string(), "{}")
        } else {
            self.field(argument, &format!("{{{argument}}}"))
        };
        let spec = spec.map(|spec| self.spec(spec));
        let Some(field) = field else { return };
        let how = How::Shown(shown_by(spec.as_deref().unwrap_or_default()));
        self.uses.push(Use { field, how });
        self.format.push('{');
        self.format.push_str(&placeholder(field));
        if let Some(spec) = spec {
            self.format.push(':');
            self.format.push_str(&spec);
        }
        self.format.push('}');
    }

    /// The spec after the colon, with placeholders for the fields that are a width or a precision.
    fn spec(&mut self, spec: &str) -> String {
        if spec.contains(".*") {
            self.problem(
                "has a positional precision (`.*`)",
                "name the field that holds it, for example `{price:.digits$}`",
            );
            return String::new();
        }
        let mut written = String::new();
        let mut word = String::new();
        for (at, c) in spec.chars().enumerate() {
            let fills = at == 0 && spec.chars().nth(1).is_some_and(|c| "<^>".contains(c));
            if fills {
                written.push(c);
            } else if c == '$' {
                // A leading 0 is the padding flag, not part of the name.
                let name = match word.strip_prefix('0') {
                    Some(name) if !name.is_empty() => {
                        written.push('0');
                        name
                    }
                    _ => &word,
                };
                if let Some(field) = self.field(name, &format!("{name}$")) {
                    self.uses.push(Use {
                        field,
                        how: How::Count,
                    });
                    written.push_str(&placeholder(field));
                }
                written.push('$');
                word.clear();
            } else if c.is_alphanumeric() || c == '_' {
                word.push(c);
            } else {
                written.push_str(&std::mem::take(&mut word));
                written.push(c);
            }
        }
        written + &word
    }

    /// The field called `name`, which the text writes as `text`.
    fn field(&mut self, name: &str, text: &str) -> Option<usize> {
        let found = self.fields.iter().position(|field| field == name);
        if found.is_none() {
            let known: Vec<&str> = self.fields.iter().map(String::as_str).collect();
            let word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            let help = if known.is_empty() || !word {
                "name a field, or write `{{` and `}}` for braces".to_owned()
            } else {
                suggest(name, &known)
            };
            self.problem(&format!("names `{text}`, which is not a field"), &help);
        }
        found
    }
}

/// The trait of `core::fmt` that the last letters of a spec select.
fn shown_by(spec: &str) -> &'static str {
    let kind = spec.trim_end_matches(|c: char| c == '?' || c.is_ascii_alphabetic());
    match &spec[kind.len()..] {
        "?" | "x?" | "X?" => "Debug",
        "x" => "LowerHex",
        "X" => "UpperHex",
        "o" => "Octal",
        "b" => "Binary",
        "e" => "LowerExp",
        "E" => "UpperExp",
        "p" => "Pointer",
        _ => "Display",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, fields: &[&str]) -> Result<(String, Vec<Use>), Vec<Problem>> {
        let fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
        let reader = Reader::new(text, &fields).read()?;
        Ok((reader.format, reader.uses))
    }

    fn shown(field: usize, by: &'static str) -> Use {
        let how = How::Shown(by);
        Use { field, how }
    }

    fn count(field: usize) -> Use {
        let how = How::Count;
        Use { field, how }
    }

    #[test]
    fn fields_are_found_by_name_by_number_and_in_order() {
        assert_eq!(
            read("{b} and {a:?}", &["a", "b"]),
            Ok((
                "{field_1} and {field_0:?}".into(),
                vec![shown(1, "Display"), shown(0, "Debug")]
            ))
        );
        assert_eq!(
            read("{}{1:#x}{}", &["0", "1"]),
            Ok((
                "{field_0}{field_1:#x}{field_1}".into(),
                vec![
                    shown(0, "Display"),
                    shown(1, "LowerHex"),
                    shown(1, "Display")
                ]
            ))
        );
    }

    #[test]
    fn widths_precisions_and_fills_are_kept() {
        assert_eq!(
            read("{a:}>0w$.p$}", &["a", "w", "p"]),
            Ok((
                "{field_0:}>0field_1$.field_2$}".into(),
                vec![count(1), count(2), shown(0, "Display")]
            ))
        );
        assert_eq!(
            read("{0:1$.2}", &["0", "1"]),
            Ok((
                "{field_0:field_1$.2}".into(),
                vec![count(1), shown(0, "Display")]
            ))
        );
    }

    #[test]
    fn doubled_braces_are_braces() {
        let fields = [];
        let reader = Reader::new("{{\"id\": 1}}", &fields)
            .read()
            .expect("it reads");
        assert_eq!(
            (reader.plain.as_str(), reader.uses.len()),
            ("{\"id\": 1}", 0)
        );
    }

    #[test]
    fn all_problems_are_reported_together() {
        let problems = read("{idd} {} {other} } {", &["id"]).expect_err("it is not valid");
        let texts: Vec<&str> = problems.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "names `{idd}`, which is not a field",
                "names `{}`, which is not a field",
                "names `{other}`, which is not a field",
                "has a `}` without a `{`",
                "has a `{` without a `}`",
            ]
        );
        assert_eq!(problems[0].help, "did you mean `id`?");
    }
}
