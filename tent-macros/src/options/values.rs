//! Values with a meaning: durations, rates, scopes, headers, media types, capabilities, methods. Each type
//! checks one value alone; what goes together is for the rules in `model`.

use std::time::Duration;

use tent_core::capability::{self, Capability, UnknownCapability};

use super::value::{AttributeOption, Value, invalid, invalid_from_catalogue};
use crate::diagnostic::suggest;
use tent_core::codes;
use tent_core::rate::{self, Rate};
use tent_core::{duration, method, scope};

/// Declares the value of an option that accepts one word.
macro_rules! word {
    ($($(#[$attribute:meta])* $name:ident = $word:literal,)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Value for $name {
            fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
                one_word(option, $word).map(|()| $name)
            }
        }
    )*};
}

word! {
    /// `danger = "ask"`.
    Ask = "ask",
    /// `asks = "page"`.
    Page = "page",
    /// `writes = "adds"`.
    Adds = "adds",
}

fn one_word(option: &AttributeOption<'_>, word: &str) -> darling::Result<()> {
    let text = option.text()?;
    if text == word {
        return Ok(());
    }
    let problem = format!("{text:?} is not a valid value of `{}`", option.name);
    let help = format!("write `{} = {word:?}`", option.name);
    Err(invalid(codes::INVALID_OPTION, &problem, &help))
}

/// The endpoints that `offer` adds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) mcp: bool,
}

impl Value for Offer {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let offers = option.each_text(|text| {
            if text == "mcp" {
                return Ok(());
            }
            let problem = format!("{text:?} is not a valid offer");
            let help = match text {
                "api" => {
                    "remove it: functions are at /api unless they set `api = false`".to_owned()
                }
                other => suggest(other, &["mcp"]),
            };
            Err(invalid(codes::UNKNOWN_OFFER, &problem, &help))
        })?;
        let mcp = !offers.is_empty();
        Ok(Offer { mcp })
    }
}

/// A time limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeout(pub(crate) Duration);

impl Value for Timeout {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        duration::parse_positive(&text)
            .map(Timeout)
            .map_err(|error| {
                let problem = format!("`{}`: {text:?} {error}", option.name);
                let help = format!("write a duration such as {}", duration::EXAMPLES);
                invalid(codes::INVALID_OPTION, &problem, &help)
            })
    }
}

impl Value for Rate {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        rate::parse(&text).map_err(|error| {
            let problem = format!("`{}`: {text:?} {error}", option.name);
            let help = format!("write a rate such as {}", rate::EXAMPLES);
            invalid(codes::INVALID_OPTION, &problem, &help)
        })
    }
}

/// A scope of an API key or access token.
#[derive(Clone, Debug)]
pub(crate) struct Scope(pub(crate) String);

impl Value for Scope {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        if scope::is_valid(&text) {
            return Ok(Scope(text));
        }
        let problem = format!("{text:?} is not a valid scope");
        Err(invalid(codes::INVALID_OPTION, &problem, scope::HELP))
    }
}

/// Whether a text is a token of HTTP (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(valid)
}

/// The name of a header: a token of HTTP.
#[derive(Clone, Debug)]
pub(crate) struct HeaderName(pub(crate) String);

impl Value for HeaderName {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        if is_token(&text) {
            return Ok(HeaderName(text));
        }
        let problem = format!("{text:?} is not a valid header name");
        Err(invalid_from_catalogue(codes::INVALID_HEADER, &problem))
    }
}

/// A media type: two tokens of HTTP with a `/` between, perhaps with parameters (RFC 9110, section 8.3.1).
#[derive(Clone, Debug)]
pub(crate) struct MediaType(pub(crate) String);

impl Value for MediaType {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        let essence = text.split(';').next().unwrap_or_default().trim();
        let tokens = essence
            .split_once('/')
            .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
        if tokens && text.chars().all(|c| matches!(c, ' '..='~')) {
            return Ok(MediaType(text));
        }
        let problem = format!("{text:?} is not a valid media type");
        let help = "write a media type such as \"text/plain\" or \"application/json\"";
        Err(invalid(codes::INVALID_OPTION, &problem, help))
    }
}

/// Client capabilities that a function requires.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities(pub(crate) Vec<String>);

impl Value for Capabilities {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        option.each_text(capability).map(Capabilities)
    }
}

fn capability(text: &str) -> darling::Result<String> {
    let problem = match capability::check(text) {
        Ok(()) => return Ok(text.to_owned()),
        Err(problem) => problem,
    };
    let (problem, help) = match problem {
        UnknownCapability::Extension(problem) => (
            format!("{text:?} is not a valid extension: it {problem}"),
            "use the identifier of the extension, for example \"io.modelcontextprotocol/ui\""
                .to_owned(),
        ),
        _ => (
            format!("{text:?} is not a client capability"),
            suggest(text, &Capability::ALL.map(Capability::name)),
        ),
    };
    Err(invalid(codes::INVALID_OPTION, &problem, &help))
}

/// An MCP method that a function may answer.
#[derive(Clone, Debug)]
pub(crate) struct Method(pub(crate) String);

impl Value for Method {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        match method::problem(&text) {
            None => Ok(Method(text)),
            Some((problem, help)) => {
                let problem = format!("{text:?} {problem}");
                Err(invalid(codes::INVALID_OPTION, &problem, help))
            }
        }
    }
}

/// The name of a property that the interfaces of models accept (T7016).
#[derive(Clone, Debug)]
pub(crate) struct PropertyName(pub(crate) String);

impl Value for PropertyName {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let text = option.text()?;
        let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if (1..=64).contains(&text.len()) && text.chars().all(valid) {
            return Ok(PropertyName(text));
        }
        let problem = format!("{text:?} is not a valid field name");
        let help = "use 1 to 64 of the characters A-Z a-z 0-9 _ . -";
        Err(invalid(codes::INVALID_FIELD_NAME, &problem, help))
    }
}

#[cfg(test)]
mod tests {
    use darling::FromMeta as _;

    use super::super::Spanned;
    use super::*;

    fn read<T: Value>(text: &str) -> darling::Result<T> {
        let meta: syn::Meta = syn::parse_quote!(option = #text);
        Spanned::from_meta(&meta).map(|spanned| spanned.value)
    }

    #[test]
    fn methods_of_tent_and_notifications_are_rejected() {
        for (name, help) in [
            ("tools/list", "remove `on`"),
            ("logging/setLevel", "remove the function"),
            ("resources/subscribe", "set `subscribe`"),
            ("resources/unsubscribe", "set `subscribe`"),
            ("notifications/cancelled", "name a request method"),
            ("", "name a method such as"),
        ] {
            let error = read::<Method>(name).map(drop).expect_err(name).to_string();
            assert!(error.contains("T7014") && error.contains(help), "{error}");
        }
        for name in [
            "resources/list",
            "prompts/get",
            "completion/complete",
            "acme/x",
        ] {
            assert!(read::<Method>(name).is_ok(), "{name}");
        }
    }

    // R09: one parser for attributes and settings.
    #[test]
    fn durations_and_rates_are_those_of_the_settings() {
        let durations = ["500ms", "5s", "2min", "5m", "1h", "5 s"];
        for text in durations {
            let read = read::<Timeout>(text).map(|timeout| timeout.0).ok();
            assert_eq!(read, duration::parse(text).ok(), "{text:?}");
            assert!(read.is_some(), "{text:?}");
        }
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
            assert!(read::<Timeout>(wrong).is_err(), "{wrong:?}");
        }
        let rates = ["5/s", "10/min", "100/h", "1000/day"].map(|text| {
            let rate: Option<Rate> = read(text).ok();
            rate.map(|rate| (rate.calls, rate.period.as_secs()))
        });
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
            assert!(read::<Rate>(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn scopes_headers_and_capabilities_follow_their_standards() {
        assert!(read::<Scope>("orders:write").is_ok() && read::<Scope>("a b").is_err());
        assert!(read::<Scope>("").is_err() && read::<Scope>("a\"b").is_err());
        assert!(read::<HeaderName>("Region").is_ok() && read::<HeaderName>("no good").is_err());
        assert!(read::<HeaderName>("").is_err() && read::<HeaderName>("größe").is_err());
        assert!(capability("sampling").is_ok() && capability("simpling").is_err());
        assert!(capability("io.example/ui").is_ok());
        assert!(capability("io.example/").is_err() && capability("/ui").is_err());
    }
}
