//! The values that options are written in: durations, rates, access, scopes. Each turns a text into
//! what the runtime holds, or says what is wrong with it. Knows nothing of what options go together.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Expr, Path};
use tent_core::codes;
use tent_core::extension;

use crate::docs::peeled;
use crate::fault::{Faults, choose, fault, usual};
use crate::options::{At, literal};

/// Who may call, as it was written.
#[derive(Clone)]
pub(crate) enum Access {
    Anyone,
    SignedIn,
    Role(String),
    App,
    Any(Vec<Access>),
    Rule(Path),
}

/// The words of `access`.
const ACCESS: [&str; 4] = ["anyone", "signedIn", "role:…", "app"];

impl Access {
    /// Whether this is `word`, or a list that holds it.
    pub(crate) fn holds(&self, matches: fn(&Access) -> bool) -> bool {
        match self {
            Access::Any(each) => each.iter().any(|one| one.holds(matches)),
            one => matches(one),
        }
    }
}

/// Reads `access = …` (T7002).
pub(crate) fn access(value: &Expr) -> syn::Result<Access> {
    match peeled(value) {
        Expr::Path(path) if path.qself.is_none() => Ok(Access::Rule(path.path.clone())),
        Expr::Array(list) => {
            let mut faults = Faults::default();
            let mut each = Vec::new();
            for one in &list.elems {
                match faults.handle(access(one)) {
                    // A list in a list lets in whom either does, so it is one list.
                    Some(Access::Any(more)) => each.extend(more),
                    Some(one) => each.push(one),
                    None => {}
                }
            }
            let each = faults.finish_with(each)?;
            if each.is_empty() {
                let what = "an empty list lets nobody call the function";
                return Err(usual(codes::UNKNOWN_ACCESS, list.span(), what));
            }
            Ok(Access::Any(each))
        }
        other => match literal(other) {
            Some(text) => word(&text),
            None => Err(usual(
                codes::UNKNOWN_ACCESS,
                other.span(),
                "`access` takes a string, a list, or the path of a rule",
            )),
        },
    }
}

fn word(text: &At<String>) -> syn::Result<Access> {
    match text.value.as_str() {
        "anyone" => Ok(Access::Anyone),
        "signedIn" => Ok(Access::SignedIn),
        "app" => Ok(Access::App),
        "role:" | "role" => {
            let what = "the role has no name";
            Err(fault(
                codes::UNKNOWN_ACCESS,
                text.span,
                what,
                "write it after the colon: \"role:staff\"",
            ))
        }
        other => match other.strip_prefix("role:") {
            Some(role) if role.trim() == role => Ok(Access::Role(role.to_owned())),
            Some(role) => {
                let what = format!("the role {role:?} has a space at its edge");
                Err(fault(
                    codes::UNKNOWN_ACCESS,
                    text.span,
                    &what,
                    "write the role without it",
                ))
            }
            None => {
                let what = format!("there is no access {other:?}");
                let help = format!("{}; or the path of a rule", choose(other, &ACCESS));
                Err(fault(codes::UNKNOWN_ACCESS, text.span, &what, &help))
            }
        },
    }
}

/// The text of a path, as a person would write it.
pub(crate) fn spelled(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// Reads a duration such as `500ms`, `5s`, `2min`, `1h` into milliseconds.
pub(crate) fn duration(text: &At<String>) -> syn::Result<u64> {
    let wrong = |what: &str| {
        let what = format!("{:?} is no duration: {what}", text.value);
        fault(
            codes::INVALID_OPTION,
            text.span,
            &what,
            "write one such as \"500ms\", \"5s\", \"2min\" or \"1h\"",
        )
    };
    let (number, unit) = split(&text.value);
    let each = match unit {
        "ms" => 1,
        "s" => 1_000,
        "min" => 60_000,
        "h" => 3_600_000,
        "" => return Err(wrong("it has no unit")),
        _ => return Err(wrong("the units are ms, s, min and h")),
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(each))
    {
        Some(0) => Err(wrong("nothing ends in no time")),
        Some(milliseconds) => Ok(milliseconds),
        None => Err(wrong("it begins with no whole number, or is too long")),
    }
}

/// Reads a rate such as `10/min` into a number and seconds.
pub(crate) fn rate(text: &At<String>) -> syn::Result<(u32, u64)> {
    let wrong = |what: &str| {
        let what = format!("{:?} is no rate: {what}", text.value);
        fault(
            codes::INVALID_OPTION,
            text.span,
            &what,
            "write one such as \"5/s\", \"10/min\", \"100/h\" or \"1000/day\"",
        )
    };
    let Some((number, unit)) = text.value.split_once('/') else {
        return Err(wrong("it has no `/`"));
    };
    let seconds = match unit.trim() {
        "s" => 1,
        "min" => 60,
        "h" => 3_600,
        "day" => 86_400,
        _ => return Err(wrong("the units are s, min, h and day")),
    };
    match number.trim().parse() {
        Ok(0) => Err(wrong("it lets nobody call")),
        Ok(number) => Ok((number, seconds)),
        Err(_) => Err(wrong("it begins with no whole number, or is too large")),
    }
}

fn split(text: &str) -> (&str, &str) {
    let at = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

/// Checks a scope: the characters of a scope token of OAuth 2.0 (RFC 6749, section 3.3).
pub(crate) fn scope(text: &At<String>) -> syn::Result<()> {
    let fits = |c: char| matches!(c, '!' | '#'..='[' | ']'..='~');
    if !text.value.is_empty() && text.value.chars().all(fits) {
        return Ok(());
    }
    let what = format!("{:?} is no scope", text.value);
    Err(fault(
        codes::INVALID_OPTION,
        text.span,
        &what,
        "write a word without spaces, quotes or backslashes, such as \"orders:write\"",
    ))
}

/// Checks the name of a header: a token of HTTP (RFC 9110, section 5.6.2).
pub(crate) fn header(text: &At<String>) -> syn::Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if !text.value.is_empty() && text.value.chars().all(fits) {
        return Ok(());
    }
    let what = format!("{:?} is no header name", text.value);
    Err(usual(codes::INVALID_HEADER, text.span, &what))
}

/// Checks a media type: two tokens of HTTP with a `/` between (RFC 9110, section 8.3.1), perhaps with parameters.
pub(crate) fn media_type(text: &At<String>) -> syn::Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let token = |part: &str| !part.is_empty() && part.chars().all(fits);
    let bare = text.value.split(';').next().unwrap_or_default().trim();
    let visible = text.value.chars().all(|c| matches!(c, ' '..='~'));
    if visible
        && bare
            .split_once('/')
            .is_some_and(|(kind, of)| token(kind) && token(of))
    {
        return Ok(());
    }
    let what = format!("{:?} is no media type", text.value);
    let help = "write one such as \"text/plain\" or \"application/json\"";
    Err(fault(codes::INVALID_OPTION, text.span, &what, help))
}

/// The client capabilities that `needs` can name, and the parts of them.
const CAPABILITIES: [&str; 7] = [
    "elicitation",
    "elicitation.form",
    "elicitation.url",
    "roots",
    "sampling",
    "sampling.context",
    "sampling.tools",
];

/// Checks a client capability. One with a `/` is an extension, of which there can be any.
pub(crate) fn capability(text: &At<String>) -> syn::Result<()> {
    if CAPABILITIES.contains(&text.value.as_str()) {
        return Ok(());
    }
    if text.value.contains('/') {
        let Some(problem) = extension::problem(&text.value) else {
            return Ok(());
        };
        let what = format!("{:?} is no extension: it {problem}", text.value);
        let help = "name it as its page does, such as \"io.modelcontextprotocol/ui\"";
        return Err(fault(codes::INVALID_OPTION, text.span, &what, help));
    }
    let what = format!("there is no client capability {:?}", text.value);
    Err(fault(
        codes::INVALID_OPTION,
        text.span,
        &what,
        &choose(&text.value, &CAPABILITIES),
    ))
}

/// What is wrong with a function for a method that the MCP layer answers by itself, whatever an app states.
fn answered(method: &str) -> Option<&'static str> {
    match method {
        "initialize"
        | "ping"
        | "server/discover"
        | "subscriptions/listen"
        | "tools/call"
        | "tools/list" => Some("leave `on` out: the function is a tool with `offer = \"mcp\"`"),
        "logging/setLevel" => {
            Some("leave the function out: `cx.log` keeps to the level that the client sets")
        }
        // What is told of a resource goes to the sessions that tent noted itself, so an answer of the app's own would
        // promise what never comes.
        "resources/subscribe" | "resources/unsubscribe" => {
            Some("state `subscribe` on the `#[resource]`, and set `mcp.stream`")
        }
        _ => None,
    }
}

/// Checks the method of `on`.
pub(crate) fn method(text: &At<String>) -> syn::Result<()> {
    let (what, help) = if let Some(help) = answered(&text.value) {
        ("is answered by tent itself", help)
    } else if text.value.starts_with("notifications/") {
        (
            "is a notification, which nobody answers",
            "name a method that has an answer",
        )
    } else if text.value.is_empty() || text.value.contains(char::is_whitespace) {
        ("is no MCP method", "name one such as \"resources/list\"")
    } else {
        return Ok(());
    };
    Err(fault(
        codes::INVALID_OPTION,
        text.span,
        &format!("{:?} {what}", text.value),
        help,
    ))
}

/// A place to put a fault at where there is no better one.
pub(crate) fn here() -> Span {
    Span::call_site()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> At<String> {
        At {
            value: text.to_owned(),
            span: here(),
        }
    }

    #[test]
    fn a_list_in_a_list_is_one_list() {
        let list: Expr = syn::parse_quote!(["anyone", ["role:a", ["app"]], of_a_rule]);
        let Ok(Access::Any(each)) = access(&list) else {
            panic!("it is a list");
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
    fn a_method_that_tent_answers_is_no_functions() {
        for (name, help) in [
            ("tools/list", "leave `on` out"),
            ("logging/setLevel", "leave the function out"),
            ("resources/subscribe", "state `subscribe`"),
            ("resources/unsubscribe", "state `subscribe`"),
            ("notifications/cancelled", "name a method"),
            ("", "name one such as"),
        ] {
            let Err(fault) = method(&at(name)) else {
                panic!("{name} is refused");
            };
            let fault = fault.to_string();
            assert!(fault.contains("T7014") && fault.contains(help), "{fault}");
        }
        for name in [
            "resources/list",
            "prompts/get",
            "completion/complete",
            "acme/x",
        ] {
            assert!(method(&at(name)).is_ok(), "{name}");
        }
    }

    #[test]
    fn durations_and_rates_are_read_to_the_unit() {
        let durations = ["500ms", "5s", "2min", "1h", "5 s"].map(|text| duration(&at(text)).ok());
        assert_eq!(
            durations,
            [
                Some(500),
                Some(5_000),
                Some(120_000),
                Some(3_600_000),
                Some(5_000)
            ]
        );
        for wrong in [
            "",
            "5",
            "s",
            "0s",
            "-5s",
            "5 parsecs",
            "99999999999999999999h",
            "1.5h",
        ] {
            assert!(duration(&at(wrong)).is_err(), "{wrong:?}");
        }
        let rates = ["5/s", "10/min", "100/h", "1000/day"].map(|text| rate(&at(text)).ok());
        assert_eq!(
            rates,
            [
                Some((5, 1)),
                Some((10, 60)),
                Some((100, 3_600)),
                Some((1_000, 86_400))
            ]
        );
        for wrong in [
            "",
            "10",
            "0/min",
            "x/min",
            "10/week",
            "-1/s",
            "5000000000/s",
        ] {
            assert!(rate(&at(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn scopes_headers_and_methods_are_words_of_their_standards() {
        assert!(scope(&at("orders:write")).is_ok() && scope(&at("a b")).is_err());
        assert!(scope(&at("")).is_err() && scope(&at("a\"b")).is_err());
        assert!(header(&at("Region")).is_ok() && header(&at("no good")).is_err());
        assert!(header(&at("")).is_err() && header(&at("größe")).is_err());
        assert!(method(&at("resources/list")).is_ok() && method(&at("tools/list")).is_err());
        assert!(method(&at("notifications/cancelled")).is_err() && method(&at("")).is_err());
        assert!(capability(&at("sampling")).is_ok() && capability(&at("simpling")).is_err());
        assert!(capability(&at("io.example/ui")).is_ok());
        assert!(capability(&at("io.example/")).is_err() && capability(&at("/ui")).is_err());
    }
}
