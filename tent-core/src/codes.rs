//! The catalogue of codes: every failure that tent itself reports, as data.
//!
//! A code is `T` and four digits, and names one kind of failure for good: its text may get better, its
//! meaning may not change. The macros, the runtime, `explain` and the documents read this one list.

/// When a code can be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The compiler reports it, at the word that is wrong.
    Build,
    /// The app refuses to start, or `check` warns.
    Start,
    /// A caller is answered it.
    Call,
}

/// One code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `T` and four digits.
    pub code: &'static str,
    /// Its name in words, joined by hyphens.
    pub name: &'static str,
    /// The HTTP status it is answered with; 0 where no caller meets it.
    pub status: u16,
    /// When it is met.
    pub when: When,
    /// What has happened.
    pub meaning: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

/// The entry of `code`, in any capitals.
///
/// ```
/// assert_eq!(tent_core::codes::find("t7120").map(|entry| entry.name), Some("nobody-to-ask"));
/// ```
pub fn find(code: &str) -> Option<&'static Entry> {
    ALL.iter()
        .find(|entry| entry.code.eq_ignore_ascii_case(code))
}

const fn build(
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    fix: &'static str,
) -> Entry {
    Entry {
        code,
        name,
        status: 0,
        when: When::Build,
        meaning,
        fix,
    }
}

const fn start(
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    fix: &'static str,
) -> Entry {
    Entry {
        code,
        name,
        status: 0,
        when: When::Start,
        meaning,
        fix,
    }
}

const fn call(
    code: &'static str,
    name: &'static str,
    status: u16,
    meaning: &'static str,
    fix: &'static str,
) -> Entry {
    Entry {
        code,
        name,
        status,
        when: When::Call,
        meaning,
        fix,
    }
}

/// Every code, sorted.
pub const ALL: &[Entry] = &[
    call(
        "T0001",
        "not-found",
        404,
        "There is no function of this name for this caller: it does not exist, is not offered here, or may not be known to this caller.",
        "Look at the list of what you may call (GET /api, or tools/list) for the right name, or sign in as somebody who may call it.",
    ),
    call(
        "T0002",
        "says-otherwise",
        400,
        "Two parts of one request contradict each other: a header names another method, tool or version than the body, or a key came again with another input.",
        "Send headers that agree with the body; take a new key for another input.",
    ),
    call(
        "T0003",
        "input-does-not-fit",
        422,
        "The input does not fit the function's schema. Every field that failed is named with what was expected.",
        "Mend the fields that are named and send the call again.",
    ),
    call(
        "T0004",
        "sign-in",
        401,
        "The request names no caller, or its key is not good any more, and what it asks for is not open to everyone.",
        "Send a good key as `Authorization: Bearer <key>`, or sign in.",
    ),
    call(
        "T0005",
        "not-allowed",
        403,
        "The caller is known and may know of the function, but not call it: a scope is missing from its key, or the function itself refused.",
        "Use a key that holds the scopes that are named.",
    ),
    call(
        "T0006",
        "too-many",
        429,
        "Too many calls came from this caller or this address.",
        "Wait as long as Retry-After says, then call again.",
    ),
    call(
        "T0007",
        "too-large",
        413,
        "The body is larger than this server takes.",
        "Send less, or raise limits.body on the server.",
    ),
    call(
        "T0008",
        "waits-for-a-person",
        409,
        "The run waits for a person to answer.",
        "Answer what it asks, then call again with the run.",
    ),
    call(
        "T0009",
        "still-running",
        409,
        "The first of two calls with the same key still runs.",
        "Send the same call again a little later: it is answered what the first was.",
    ),
    call(
        "T0010",
        "took-too-long",
        504,
        "The function did not end within its time.",
        "Ask for less at a time, or raise the function's timeout or limits.call_time.",
    ),
    call(
        "T0011",
        "outcome-unknown",
        409,
        "An earlier call with this key ended midway, so nobody knows whether it took effect.",
        "Look whether it took effect; to run it again, send it with a new key.",
    ),
    call(
        "T0012",
        "broke",
        500,
        "The function ended in a way that its author did not foresee. The answer holds a reference, the log of the server the whole cause under it.",
        "Give the reference to whoever runs the server.",
    ),
    call(
        "T0013",
        "closing",
        503,
        "The server is closing and takes no new calls.",
        "Send the call again a little later.",
    ),
    call(
        "T0014",
        "wrong-host-or-origin",
        403,
        "The request names a host or an origin that this server does not serve.",
        "Add the host to web.hosts, or the origin to web.origins, if it is one of yours.",
    ),
    call(
        "T0015",
        "state-not-ours",
        400,
        "A sealed text that the request carries was not made by this server, or was changed.",
        "Send it back as it came, or begin again without it.",
    ),
    call(
        "T0016",
        "method-not-allowed",
        405,
        "The address exists, but not for this HTTP method.",
        "Use a method that the Allow header of the answer names.",
    ),
    call(
        "T0017",
        "media-type",
        415,
        "The body has no JSON content type.",
        "Send `Content-Type: application/json`.",
    ),
    call(
        "T0018",
        "body-not-json",
        400,
        "The body is no JSON text, nests too deeply, or holds the same key twice in one object.",
        "Send one JSON object in UTF-8, each key once.",
    ),
    call(
        "T0019",
        "answer-too-large",
        500,
        "The function ran to its end, and what it gave is larger than this server sends.",
        "Ask for less at a time, or raise limits.answer on the server.",
    ),
    call(
        "T0020",
        "body-too-slow",
        408,
        "The body did not come in time: a body may take 30 seconds, and a second more for each 4 kB of it.",
        "Send the call again, its body without long pauses.",
    ),
    call(
        "T0021",
        "client-cannot",
        400,
        "The function asks the client for something that the client did not say it can do.",
        "Call it with a client that declares the capabilities that are named.",
    ),
    call(
        "T0022",
        "not-answered",
        504,
        "The function asked the client, and no answer came that it could use: the client answered with a failure, with something else than was asked for, or not in time.",
        "Call it again, and answer what is asked.",
    ),
    start(
        "T1001",
        "name-taken",
        "Two functions have the same name, or names that differ in case and punctuation alone.",
        "Give one of them another name, with name = \"…\".",
    ),
    build(
        "T1009",
        "name-reserved",
        "findFunction and callFunction are kept for tools of tent's own, so no function may have their names.",
        "Give the function another name, or a tool name of its own with name = \"…\".",
    ),
    build(
        "T1014",
        "name-too-long",
        "A tool's name is over 64 characters, which the model interfaces behind MCP clients refuse.",
        "State a shorter one with name = \"…\".",
    ),
    build(
        "T1015",
        "name-characters",
        "A tool's name has a character that model interfaces refuse, or begins with a digit.",
        "Use letters, digits, _ and - only; state such a name with name = \"…\".",
    ),
    build(
        "T7001",
        "no-access",
        "The declaration does not say who may call the function.",
        "State access = \"anyone\", \"signedIn\", \"role:…\", \"app\", or the path of a rule.",
    ),
    build(
        "T7002",
        "access-unknown",
        "The access that is stated is none that tent knows.",
        "State \"anyone\", \"signedIn\", \"role:…\", \"app\", a list of those, or the path of a rule.",
    ),
    build(
        "T7003",
        "offer-unknown",
        "The offer that is stated is none that tent knows.",
        "State offer = \"mcp\".",
    ),
    start(
        "T7004",
        "many-tools",
        "More tools are offered than clients take well: some cap the number, and models choose worse among many.",
        "Offer fewer: clients do well with some tens.",
    ),
    build(
        "T7005",
        "signature",
        "The function's signature has something that a call from outside cannot give.",
        "Write a free function without generics, lifetimes, self, impl Trait, patterns, unsafe, extern or variadics.",
    ),
    build(
        "T7006",
        "input-borrowed",
        "A parameter by reference is given by the app, so its type must be Cx or derive State; an input is owned.",
        "Take inputs by value: String for &str, Vec<T> for &[T].",
    ),
    build(
        "T7007",
        "header",
        "header = \"…\", or the x-mcp-header of a schema, stands on what cannot be mirrored into a header, twice, or is no header name; clients leave such a tool out.",
        "Put it on a string, an integer or a boolean, once, with letters, digits and hyphens.",
    ),
    build(
        "T7008",
        "option-clash",
        "Two options of one declaration contradict each other, or one does not go with its kind.",
        "Remove one of the two.",
    ),
    build(
        "T7009",
        "no-about",
        "The function is offered to MCP and says nowhere what it does; the text is all that a model has to choose by.",
        "Write a doc comment, or about = \"…\".",
    ),
    build(
        "T7010",
        "input-shape",
        "#[input] makes one parameter the whole input, so it cannot stand beside others.",
        "Keep #[input] on the only owned parameter, or move the others into its type.",
    ),
    start(
        "T7011",
        "state-missing",
        "A function takes a state that the app was never handed.",
        "Hand it over with .state(…) or .state_with(…).",
    ),
    start(
        "T7012",
        "input-not-an-object",
        "The type that is the whole input has no object at the root of its schema.",
        "Take a struct with named fields, and put an enum into a field of it.",
    ),
    build(
        "T7013",
        "failure-type",
        "The function returns an error type that tent cannot answer with.",
        "Return tent::Error, a type that derives Failure, or one that implements std::error::Error.",
    ),
    build(
        "T7014",
        "option-unknown",
        "An option is none that tent knows, or stands twice.",
        "Use the options that the message lists.",
    ),
    build(
        "T7015",
        "text-not-literal",
        "The option takes a text that is known when the app is built.",
        "Write a string literal.",
    ),
    start(
        "T7016",
        "property-name",
        "A field of an input has a name that model interfaces refuse; one such name makes them refuse all tools.",
        "Rename it to 1 to 64 of A-Z a-z 0-9 _ . - with #[arg(rename = \"…\")] or #[serde(rename = \"…\")].",
    ),
    start(
        "T7017",
        "rule-misfit",
        "A rule of a field does not go with its type or its default: a min on a text, a min over the max, a pattern that is no regular expression.",
        "Mend the #[arg(…)] of the field that is named.",
    ),
    start(
        "T7018",
        "no-functions",
        "No function is registered, or a crate that was said to bring some brought none.",
        "Annotate a function, or make sure that its crate is linked with `use the_crate as _;` or tent::link!(the_crate).",
    ),
    start(
        "T7019",
        "setting",
        "A setting is unknown or has a value that it cannot have.",
        "Mend the setting that is named.",
    ),
    build(
        "T7020",
        "failure-incomplete",
        "A failure that is derived does not say what a caller needs, or says something that cannot be.",
        "State a code of `A` and four digits, a message whose {…} name fields, and a status from 400 to 599; or #[failure(transparent)] on the one field that is passed on.",
    ),
    build(
        "T7021",
        "item-kind",
        "The attribute or the derive stands on an item that it cannot be made for.",
        "Put it on a struct or an enum that owns what it holds.",
    ),
    start(
        "T7022",
        "not-kept-yet",
        "An option is stated that this version reads and checks, but does not keep yet.",
        "Do not rely on it; a later version keeps it.",
    ),
    start(
        "T7023",
        "huge-integer",
        "A tool takes or gives an integer of more than 64 bits: most JSON readers round it, and an input takes what 64 bits hold.",
        "Take an integer of at most 64 bits, or a string of digits.",
    ),
    start(
        "T7024",
        "about-too-long",
        "The about of a tool is longer than what clients keep of it.",
        "Say in fewer words what a model has to choose by; what a field takes belongs to the field.",
    ),
    build(
        "T7030",
        "uri-template",
        "The URI of a resource is missing or is no URI template, or its variables are not the function's parameters.",
        "State uri = \"scheme://path/{variable}\", with a parameter by value for each variable and no other.",
    ),
    start(
        "T7031",
        "argument-type",
        "A variable of a resource's URI or an argument of a prompt arrives as a text, and its type is no text, number, boolean or choice of texts.",
        "Take a String, a number, a bool or an enum without fields, or an Option of one.",
    ),
    start(
        "T7032",
        "result-not-an-object",
        "A function answers an MCP method with on = \"…\", and a result there is an object.",
        "Return a struct with named fields, or nothing.",
    ),
    start(
        "T7033",
        "meta",
        "What a function states as `meta` is no JSON object, or has a key that MCP does not allow or keeps for itself, or that is tent's.",
        "Give an object whose keys are names such as `ui`, or have a prefix of your own: `com.example/name`. Reserved are prefixes with the label `mcp` or `modelcontextprotocol`, `progressToken`, `traceparent`, `tracestate`, `baggage`, and what begins with `tent.`.",
    ),
    start(
        "T7034",
        "icon-refused",
        "An icon has an address, a media type or a size that clients refuse, or its address holds another picture than it says.",
        "Make it of a file by Icon::svg, Icon::png or Icon::data, or name it by an https: address; its sizes are like 48x48, or any.",
    ),
    start(
        "T7035",
        "extension-misfit",
        "An extension or an experimental capability is declared under a name that the protocol does not have, or with settings that are no object.",
        "Name an extension as com.example/name, and give it a JSON object: {} where there is nothing to set.",
    ),
    start(
        "T7036",
        "website-refused",
        "The website of the app is no address that a browser opens.",
        "Name it by an https: or http: address with a host.",
    ),
    call(
        "T7120",
        "nobody-to-ask",
        403,
        "The function asks a person before it runs, and no yes of a person came with the call.",
        "Have a person say yes to exactly this call, then send it again.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_sorted_and_each_entry_is_whole() {
        assert!(
            ALL.windows(2).all(|pair| pair[0].code < pair[1].code),
            "sorted, each code once"
        );
        for entry in ALL {
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
}
