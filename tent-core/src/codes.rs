//! The catalogue of codes: every kind of failure that tent reports, as data.
//!
//! A code is `T` and four digits. Its number and its meaning never change; its text may improve. The macros, the
//! runtime, `explain` and the documentation read this one catalogue. An app has codes too, `A` and four digits, which
//! are a type of the runtime: an app cannot make a [`Code`].

use std::fmt;

/// When a code is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum When {
    /// The compiler reports it, at the item that is wrong.
    Build,
    /// The app does not start, or `check` reports a warning.
    Start,
    /// A caller gets it as the error of a call.
    Call,
}

/// The catalogue's entry of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// `T` and four digits.
    pub code: &'static str,
    /// The kind of failure, in words joined by hyphens.
    pub name: &'static str,
    /// The HTTP status of the response; 0 for a code that callers never get.
    pub status: u16,
    /// When it is reported.
    pub when: When,
    /// What happened.
    pub meaning: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

/// A code of the catalogue. Compare it with the constants of this module.
///
/// ```
/// use tent_core::codes;
/// assert_eq!(codes::SIGN_IN.as_str(), "T0004");
/// assert_eq!(codes::find("t0004"), Some(codes::SIGN_IN));
/// assert_eq!(codes::find("T9999"), None);
/// ```
///
/// Only this crate makes codes, so every code has an entry:
///
/// ```compile_fail
/// let forged = tent_core::codes::Code(3);
/// ```
// The position in `CATALOGUE`: cheap to compare, and the constants work as patterns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(u8);

impl Code {
    /// The catalogue's entry of this code.
    pub const fn entry(self) -> &'static Entry {
        &CATALOGUE[self.0 as usize]
    }

    /// `T` and four digits.
    pub const fn as_str(self) -> &'static str {
        self.entry().code
    }

    /// The kind of failure, in words joined by hyphens.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The HTTP status of the response; 0 for a code that callers never get.
    pub const fn status(self) -> u16 {
        self.entry().status
    }

    /// When the code is reported.
    pub const fn when(self) -> When {
        self.entry().when
    }

    /// What happened.
    pub const fn meaning(self) -> &'static str {
        self.entry().meaning
    }

    /// How to fix it.
    pub const fn fix(self) -> &'static str {
        self.entry().fix
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.as_str(), self.name())
    }
}

/// The code that `text` names, in upper or lower case.
///
/// ```
/// use tent_core::codes;
/// assert_eq!(codes::find("t7120").map(codes::Code::name), Some("approval-needed"));
/// ```
pub fn find(text: &str) -> Option<Code> {
    all().find(|code| code.as_str().eq_ignore_ascii_case(text))
}

/// All codes, in the order of their numbers.
pub fn all() -> impl Iterator<Item = Code> {
    ALL.iter().copied()
}

macro_rules! catalogue {
    ($($constant:ident = $when:ident $(($status:literal))? $code:literal $name:literal $meaning:literal $fix:literal;)*) => {
        // Only its numbers are used: the position of each entry.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Position { $($constant),* }

        $(
            #[doc = concat!("`", $code, " ", $name, "`: ", $meaning)]
            pub const $constant: Code = Code(Position::$constant as u8);
        )*

        const ALL: &[Code] = &[$($constant),*];

        const CATALOGUE: &[Entry] = &[$(Entry {
            code: $code,
            name: $name,
            status: 0 $(+ $status)?,
            when: When::$when,
            meaning: $meaning,
            fix: $fix,
        }),*];
    };
}

catalogue! {
    NOT_FOUND = Call(404) "T0001" "not-found"
        "The caller can see no function of this name: it does not exist, is not offered at this endpoint, or is hidden from the caller."
        "List the functions that you may call (GET /api, or tools/list) to find the right name, or sign in as a caller that may call it.";

    MISMATCH = Call(400) "T0002" "mismatch"
        "Two parts of the request contradict each other: a header names another method, tool or version than the body, or (with status 422) the key was used before with another input."
        "Send headers that match the body; use a new key for a new input.";

    INVALID_INPUT = Call(422) "T0003" "invalid-input"
        "The input is not valid for the function's schema. The fields name every invalid value and what was expected."
        "Correct the fields that are named, then send the call again.";

    SIGN_IN = Call(401) "T0004" "sign-in"
        "The request has no credentials, or its key is not valid, and the function is not open to everyone."
        "Send a valid key as `Authorization: Bearer <key>`, or sign in.";

    NOT_ALLOWED = Call(403) "T0005" "not-allowed"
        "The caller may see the function but not call it: the key lacks a scope, or the function rejected the caller."
        "Use a key that has the scopes that are named.";

    TOO_MANY_REQUESTS = Call(429) "T0006" "too-many-requests"
        "This caller or this address sent too many requests, or its requests and responses hold too many bytes at once."
        "Wait for the time that Retry-After gives, then call again.";

    TOO_LARGE = Call(413) "T0007" "too-large"
        "The request body is larger than this server accepts."
        "Send a smaller body, or raise limits.max_body on the server.";

    WAITING_FOR_INPUT = Call(409) "T0008" "waiting-for-input"
        "The run waits for a person's answer."
        "Answer its question, then call again with the run.";

    STILL_RUNNING = Call(409) "T0009" "still-running"
        "An earlier call with the same key is still running."
        "Send the same call again later to get the result of the earlier call.";

    TIMEOUT = Call(504) "T0010" "timeout"
        "The function did not finish within its time limit."
        "Request less work in one call, or raise the function's `timeout` or limits.call_timeout.";

    OUTCOME_UNKNOWN = Call(409) "T0011" "outcome-unknown"
        "An earlier call with this key ended before its result was stored. It may or may not have taken effect."
        "Check whether it took effect; to run it again, send it with a new key.";

    INTERNAL = Call(500) "T0012" "internal"
        "The function failed with an unexpected error. The response has a reference, and the server's log has the cause under that reference."
        "Give the reference to the operator of the server.";

    SHUTTING_DOWN = Call(503) "T0013" "shutting-down"
        "The server is shutting down and accepts no new calls, or it holds as many bytes of requests and responses as limits.in_flight allows."
        "Send the call again later.";

    WRONG_HOST_OR_ORIGIN = Call(403) "T0014" "wrong-host-or-origin"
        "The request names a host or an origin that this server does not serve."
        "If the host or the origin is yours, add it to web.hosts or web.origins.";

    INVALID_STATE = Call(400) "T0015" "invalid-state"
        "The sealed text in the request was changed, or another server made it."
        "Send the text unchanged, or start again without it.";

    METHOD_NOT_ALLOWED = Call(405) "T0016" "method-not-allowed"
        "The address exists, but does not allow this HTTP method."
        "Use a method that the Allow header of the response names.";

    UNSUPPORTED_MEDIA_TYPE = Call(415) "T0017" "unsupported-media-type"
        "The content type of the request body is not JSON, or the body has a content coding such as gzip."
        "Send `Content-Type: application/json`, without Content-Encoding.";

    INVALID_JSON = Call(400) "T0018" "invalid-json"
        "The request body is not valid JSON, nests too deeply, or has a duplicate key in an object."
        "Send one JSON object in UTF-8, without duplicate keys.";

    RESPONSE_TOO_LARGE = Call(500) "T0019" "response-too-large"
        "The function finished, but its output is larger than this server sends."
        "Request less in one call, or raise limits.max_response on the server.";

    BODY_TOO_SLOW = Call(408) "T0020" "body-too-slow"
        "The request body did not arrive in time: every 30 seconds must bring its end, or 120 kB of it."
        "Send the call again, without long pauses in the body.";

    MISSING_CAPABILITY = Call(400) "T0021" "missing-capability"
        "The function needs a capability that the client did not declare."
        "Use a client that declares the capabilities that are named.";

    CLIENT_DID_NOT_ANSWER = Call(504) "T0022" "client-did-not-answer"
        "The function sent a request to the client and got no valid response: the client responded with an error, with an invalid value, or too late."
        "Call the function again, and respond to its request.";

    UNAVAILABLE = Call(503) "T0026" "unavailable"
        "The store of the app cannot be read or written. The function did not run."
        "Send the call again after the time in Retry-After. If it lasts, the log of the server names the cause.";

    DUPLICATE_NAME = Start "T1001" "duplicate-name"
        "Two functions have the same name, or names that differ only in case and punctuation."
        "Rename one of them with name = \"…\".";

    RESERVED_NAME = Build "T1009" "reserved-name"
        "findFunction and callFunction are reserved for tent's own tools, in every case and punctuation."
        "Rename the function, or set another tool name with name = \"…\".";

    NAME_TOO_LONG = Build "T1014" "name-too-long"
        "A tool's name has more than 64 characters. The model APIs behind MCP clients reject such a name."
        "Set a shorter name with name = \"…\".";

    INVALID_NAME = Build "T1015" "invalid-name"
        "A tool's name starts with a digit, or has a character that model APIs reject."
        "Use only letters, digits, _ and -; set such a name with name = \"…\".";

    MISSING_ACCESS = Build "T7001" "missing-access"
        "The declaration does not state which callers may call the function."
        "Add `access = \"signedIn\"`; other values are \"anyone\", \"role:staff\", \"app\" and the path of a rule function.";

    UNKNOWN_ACCESS = Build "T7002" "unknown-access"
        "The value of `access` is unknown."
        "Use `access = \"signedIn\"`; other values are \"anyone\", \"role:staff\", \"app\", the path of a rule function, and a list of those.";

    UNKNOWN_OFFER = Build "T7003" "unknown-offer"
        "The value of `offer` is unknown."
        "Use offer = \"mcp\".";

    TOO_MANY_TOOLS = Start "T7004" "too-many-tools"
        "The app offers more tools than clients handle well: some clients cap the number, and models choose worse among many."
        "Offer fewer tools; clients handle some tens well.";

    UNSUPPORTED_SIGNATURE = Build "T7005" "unsupported-signature"
        "The function's signature has a part that a remote call cannot supply."
        "Use a free function without generics, lifetimes, self, impl Trait, patterns, unsafe, extern, variadics or parameters whose only value is null, such as `()`.";

    BORROWED_INPUT = Build "T7006" "borrowed-input"
        "The app supplies reference parameters, so their type must be Cx or derive State. Inputs must be owned."
        "Take inputs by value: String for &str, Vec<T> for &[T].";

    INVALID_HEADER = Build "T7007" "invalid-header"
        "header = \"…\", or x-mcp-header in a schema, is on a value that a header cannot hold, is set twice, or is not a header name. Clients drop such a tool."
        "Put it on one string, integer or boolean, and use letters, digits and hyphens.";

    CONFLICTING_OPTIONS = Build "T7008" "conflicting-options"
        "Two options of a declaration contradict each other, or an option does not apply to this kind."
        "Remove one of the two.";

    MISSING_DESCRIPTION = Build "T7009" "missing-description"
        "The function is offered to MCP but has no description. A model chooses tools by their descriptions."
        "Add a doc comment, or about = \"…\".";

    WHOLE_INPUT = Build "T7010" "whole-input"
        "`#[input]` makes one parameter the whole input, so the function cannot have other owned parameters."
        "Put `#[input]` on the only owned parameter, or move the others into its type.";

    MISSING_STATE = Start "T7011" "missing-state"
        "A function takes a state that the app does not have."
        "Add it with .state(…) or .state_with(…).";

    INPUT_NOT_AN_OBJECT = Start "T7012" "input-not-an-object"
        "The schema of the whole input does not have an object at its root."
        "Use a struct with named fields, and put an enum into one of its fields.";

    ERROR_TYPE = Build "T7013" "error-type"
        "The function returns an error type that tent cannot send."
        "Return tent::Error, a type that derives Failure, or one that implements std::error::Error.";

    INVALID_OPTION = Build "T7014" "invalid-option"
        "An option is unknown, is set twice, or has an invalid value."
        "Use one of the options that the message lists.";

    NOT_A_LITERAL = Build "T7015" "not-a-literal"
        "The option takes a text that is known at compile time."
        "Write a string literal, for example `title = \"Orders\"`.";

    INVALID_FIELD_NAME = Start "T7016" "invalid-field-name"
        "A field of an input has a name that model APIs reject. One such name makes them reject all tools."
        "Rename it to 1 to 64 of A-Z a-z 0-9 _ . - with #[arg(rename = \"…\")] or #[serde(rename = \"…\")].";

    INVALID_RULE = Start "T7017" "invalid-rule"
        "A rule of a field contradicts its type, its default or another rule: a min on a string, a min above the max, a pattern that is not a regular expression of JavaScript."
        "Correct the #[arg(…)] of the field that is named, or the pattern that is named.";

    NO_FUNCTIONS = Start "T7018" "no-functions"
        "No function is registered, or a linked crate registered none."
        "Annotate a function, or link its crate with `use the_crate as _;` or tent::link!(the_crate).";

    INVALID_SETTING = Start "T7019" "invalid-setting"
        "A setting is unknown or has an invalid value."
        "Correct the setting that is named.";

    INVALID_FAILURE = Build "T7020" "invalid-failure"
        "A derived failure lacks something that a caller needs, or has an invalid value."
        "Set a code of `A` and four digits, a message whose {…} name fields, and a status from 400 to 599; or put #[failure(transparent)] on a variant with one field.";

    UNSUPPORTED_ITEM = Build "T7021" "unsupported-item"
        "The attribute or the derive does not support this kind of item."
        "Put it on a struct or an enum that owns its fields.";

    NOT_ENFORCED = Start "T7022" "not-enforced"
        "This version reads and checks the option, but does not enforce it yet."
        "Do not rely on the option; a later version enforces it.";

    WIDE_INTEGER = Start "T7023" "wide-integer"
        "A tool has an integer of more than 64 bits. Most JSON readers round such a number, and an input accepts at most 64 bits."
        "Use an integer of at most 64 bits, or a string of digits.";

    DESCRIPTION_TOO_LONG = Start "T7024" "description-too-long"
        "A description, or the instructions of the app, have more characters than clients show."
        "Shorten it to what a model needs to choose the tool; describe a field at the field.";

    INVALID_URI_TEMPLATE = Build "T7030" "invalid-uri-template"
        "The URI of a resource is missing or is not a URI template, or its variables are not the function's parameters."
        "Set uri = \"scheme://path/{variable}\", with one owned parameter for each variable and no other.";

    ARGUMENT_TYPE = Start "T7031" "argument-type"
        "A variable of a resource's URI or an argument of a prompt arrives as a string, but its type is not a string, a number, a boolean or an enum of strings."
        "Use a String, a number, a bool, an enum without fields, or an Option of one.";

    RESULT_NOT_AN_OBJECT = Start "T7032" "result-not-an-object"
        "A function with on = \"…\" answers an MCP method, whose result must be an object."
        "Return a struct with named fields, or nothing.";

    INVALID_META = Start "T7033" "invalid-meta"
        "The `meta` of a function is not a JSON object, or has a key that MCP forbids or reserves, or that tent reserves."
        "Use an object whose keys are names such as `ui`, or start with your own prefix: `com.example/name`. Reserved are prefixes with the label `mcp` or `modelcontextprotocol`, `progressToken`, `traceparent`, `tracestate`, `baggage`, and keys that start with `tent.`.";

    INVALID_ICON = Start "T7034" "invalid-icon"
        "An icon has a URL, a media type or a size that clients reject."
        "Make it from a file with Icon::svg, Icon::png or Icon::data, or use an https: address; write sizes as 48x48, or any.";

    INVALID_EXTENSION = Start "T7035" "invalid-extension"
        "An extension or an experimental capability has a name that MCP does not allow, or settings that are not an object."
        "Name an extension com.example/name, and give it a JSON object: {} if it has no settings.";

    INVALID_WEBSITE = Start "T7036" "invalid-website"
        "The website of the app is not an address that a browser opens."
        "Use an https: or http: address with a host.";

    APPROVAL_NEEDED = Call(403) "T7120" "approval-needed"
        "The function needs a person's approval before it runs, and the call has none."
        "Let a person approve exactly this call, then send it again.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_sorted_and_each_entry_is_complete() {
        assert!(
            CATALOGUE.windows(2).all(|pair| pair[0].code < pair[1].code),
            "sorted, each code once"
        );
        for entry in CATALOGUE {
            let digits = entry.code.strip_prefix('T').unwrap_or_default();
            assert!(
                digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()),
                "{}",
                entry.code
            );
            assert!(
                entry.meaning.ends_with('.') && entry.fix.ends_with('.'),
                "{}",
                entry.code
            );
            assert_eq!(
                entry.status == 0,
                entry.when != When::Call,
                "{}",
                entry.code
            );
        }
    }

    #[test]
    fn each_constant_is_the_code_of_its_name() {
        for code in all() {
            assert_eq!(find(code.as_str()), Some(code));
        }
        assert_eq!(NOT_FOUND.name(), "not-found");
        assert_eq!(APPROVAL_NEEDED.as_str(), "T7120");
        assert_eq!(format!("{SIGN_IN} {SIGN_IN:?}"), "T0004 T0004 sign-in");
    }
}
