//! The rules for a function as a whole: its signature, its name, what it says of itself, and which options
//! go together. Part of `model`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Type;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use tent_core::codes;
use tent_core::names::{self, Origin, Problem};

use super::{Kind, Options};
use crate::docs::{self, Docs};
use crate::fault::{Faults, usual};
use crate::options::At;
use crate::syntax::{Function, word};
use crate::values::Access;
use tent_core::uri::Template;

/// What a call from outside cannot give (T7005).
pub(super) fn signature(function: &Function, faults: &mut Faults) {
    let mut refuse = |span: Option<Span>, what: &str, help: &str| {
        if let Some(span) = span {
            faults.add(codes::UNSUPPORTED_SIGNATURE, span, what, help);
        }
    };
    refuse(
        function.constness,
        "the function is `const`",
        "leave `const` out: the door calls it at run time",
    );
    refuse(
        function.unsafety,
        "the function is `unsafe`",
        "leave `unsafe` out: a caller from outside can keep no promise",
    );
    refuse(
        function.foreign,
        "the function has another ABI",
        "leave `extern` out",
    );
    let generics = &function.generics;
    refuse(
        generics.params.first().map(|_| generics.params.span()),
        "the function is generic",
        "write it for one type, and take owned inputs: a call from outside names neither a type nor a lifetime",
    );
    refuse(
        function.constraints.as_ref().map(|_| function.name.span()),
        "the function has a `where` clause",
        "leave it out: there is nothing generic to constrain",
    );
    refuse(
        function.bodiless.then(|| function.name.span()),
        "the function has no body",
        "put the attribute on a free function",
    );
    if let Some(returns) = &function.returns {
        let never = matches!(returns, Type::Never(_)).then(|| returns.span());
        refuse(
            never,
            "the function gives `!`, so it never answers",
            "return `()`, or a `Result`",
        );
        refuse(
            opaque(returns),
            "the function gives an `impl Trait`, which has no schema",
            "name the type; content such as an image is `tent::Content`",
        );
    }
}

/// Where `impl` stands in a type.
pub(crate) fn opaque(kind: &Type) -> Option<Span> {
    fn find(tokens: TokenStream) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Ident(word) if word == "impl" => Some(word.span()),
            TokenTree::Group(group) => find(group.stream()),
            _ => None,
        })
    }
    find(kind.to_token_stream())
}

/// A second of tent's attributes on one function (T7008).
pub(super) fn twice(function: &Function, faults: &mut Faults) {
    for attribute in &function.attributes {
        let path = attribute.path();
        let ours = path.segments.len() == 1
            || (path.segments.len() == 2 && path.segments[0].ident == "tent");
        let last = path.segments.last().map(|last| last.ident.to_string());
        let known = ["query", "change", "action", "resource", "prompt"];
        if ours && last.is_some_and(|last| known.contains(&last.as_str())) {
            let what = "a function is one of a query, a change, an action, a resource and a prompt, and this one says two of them";
            faults.add(
                codes::CONFLICTING_OPTIONS,
                word(attribute),
                what,
                "keep one of the two attributes",
            );
        }
    }
}

/// The description, and T7009 where MCP needs one and there is none.
pub(super) fn about(
    kind: Kind,
    function: &Function,
    stated: &Options,
    faults: &mut Faults,
) -> Docs {
    let (about, span) = match &stated.about {
        Some(about) => (Docs::Text(about.value.trim().to_owned()), about.span),
        None => (docs::docs(&function.attributes), function.name.span()),
    };
    let silent = matches!(&about, Docs::Text(text) if text.is_empty());
    if silent && (stated.mcp.is_some() || !kind.is_called()) {
        let what = match kind {
            Kind::Resource => format!("the resource `{}` says nowhere what it is", function.name),
            Kind::Prompt => format!("the prompt `{}` says nowhere what it is for", function.name),
            _ => format!(
                "`{}` is offered to MCP and says nowhere what it does",
                function.name
            ),
        };
        faults.push(usual(codes::MISSING_DESCRIPTION, span, &what));
    }
    about
}

/// The rules of a tool's name: T1009, T1014, T1015.
pub(super) fn name(kind: Kind, function: &Function, stated: &Options, faults: &mut Faults) {
    let own = function.name.unraw().to_string();
    // What is read is named by its URI; its name is for people.
    if kind == Kind::Resource {
        if let Some(name) = stated
            .name
            .as_ref()
            .filter(|name| name.value.trim().is_empty())
        {
            faults.push(usual(codes::INVALID_NAME, name.span, "the name is empty"));
        }
        return;
    }
    let (name, origin, span) = match &stated.name {
        Some(name) => (name.value.as_str(), Origin::Stated, name.span),
        None if stated.mcp.is_some() || kind == Kind::Prompt => {
            (own.as_str(), Origin::Function, function.name.span())
        }
        None => return,
    };
    for problem in names::problems(name, origin) {
        let what = match problem {
            // Only tools are called by the names that tent keeps for its own.
            Problem::Reserved if kind == Kind::Prompt => continue,
            Problem::TooLong { characters } => format!(
                "the name has {characters} characters, and the most is {}",
                names::MOST_CHARACTERS
            ),
            Problem::Reserved => format!("`{name}` is a tool of tent's own"),
            Problem::Characters { found: None } => "the name is empty".to_owned(),
            Problem::Characters { found: Some(c) } if c.is_ascii_digit() => {
                format!("{name:?} begins with a digit")
            }
            Problem::Characters { found: Some(c) } => format!("{name:?} has the character {c:?}"),
        };
        faults.push(usual(problem.code(), span, &what));
    }
}

/// Options that contradict each other, or do not go with the kind (T7008).
pub(super) fn clashes(kind: Kind, function: &Function, stated: &Options, faults: &mut Faults) {
    let mut clash = |span: Option<Span>, holds: bool, what: &str, help: &str| {
        if let Some(span) = span.filter(|_| holds) {
            faults.add(codes::CONFLICTING_OPTIONS, span, what, help);
        }
    };
    let yes = |flag: &Option<At<bool>>| {
        flag.as_ref()
            .filter(|flag| flag.value)
            .map(|flag| flag.span)
    };
    let no = |flag: &Option<At<bool>>| {
        flag.as_ref()
            .filter(|flag| !flag.value)
            .map(|flag| flag.span)
    };
    let access = |matches: fn(&Access) -> bool| {
        stated
            .access
            .as_ref()
            .is_some_and(|access| access.value.holds(matches))
    };
    let query = kind == Kind::Query;
    let only_app = matches!(
        &stated.access,
        Some(At {
            value: Access::App,
            ..
        })
    );
    let anyone = access(|access| matches!(access, Access::Anyone));

    clash(
        stated.danger,
        query,
        "a query only reads, so nobody is asked before it",
        "make it a change or an action, or leave `danger` out",
    );
    clash(
        stated.danger,
        anyone,
        "`danger` asks the caller, and `access = \"anyone\"` lets in who is nobody",
        "state who may call it, or leave `danger` out",
    );
    clash(
        stated.asks,
        stated.danger.is_none(),
        "`asks` says where a person is asked, and without `danger` none is",
        "state `danger = \"ask\"` too, or leave `asks` out",
    );
    clash(
        stated.writes,
        query,
        "a query only reads, so it adds nothing",
        "make it a change, or leave `writes` out",
    );
    clash(
        stated.writes,
        stated.danger.is_some(),
        "`writes = \"adds\"` says that nothing is lost, `danger` that something may be",
        "leave one of the two out",
    );
    clash(
        stated.writes,
        no(&stated.changes).is_some(),
        "`changes = false` says that nothing is written, `writes` that something is",
        "leave one of the two out",
    );
    let changes = stated.changes.as_ref().map(|changes| changes.span);
    let what = format!(
        "whether a {} changes anything is its kind's to say",
        kind.word()
    );
    clash(
        changes,
        kind != Kind::Action,
        &what,
        "leave `changes` out, or make it an action",
    );
    clash(
        yes(&stated.sends),
        query,
        "a query only reads, so it sends nothing",
        "make it an action, or leave `sends` out",
    );
    clash(
        yes(&stated.retry),
        query,
        "a query may always be sent again",
        "leave `retry` out",
    );
    clash(
        yes(&stated.blocking),
        function.asyncness.is_some(),
        "`blocking` is for a function that is not async",
        "leave `async` or `blocking` out",
    );
    clash(
        stated.mcp,
        only_app,
        "`access = \"app\"` lets no client call, and a tool is for clients",
        "leave `offer` out, or state who else may call it",
    );
    clash(
        yes(&stated.api),
        only_app,
        "`access = \"app\"` keeps the function off /api",
        "leave `api` out, or state who else may call it",
    );
    let access_span = stated.access.as_ref().map(|access| access.span);
    let what = format!(
        "`access = \"app\"` lets no client in, and a {} is for clients",
        kind.word()
    );
    clash(
        access_span,
        only_app && !kind.is_called(),
        &what,
        "state who else may, or write a plain function",
    );
    let uri = stated.uri.as_ref();
    let one = uri.is_some_and(|uri| Template::read(&uri.value).is_ok_and(|uri| uri.is_literal()));
    clash(
        stated.list.as_ref().map(|list| list.span()),
        one,
        "`list` gives the resources of a template, and this URI is one resource, which is listed",
        "leave `list` out, or put a variable into the URI",
    );
    clash(
        stated.icons.as_ref().map(|icons| icons.span()),
        kind.is_called() && stated.mcp.is_none(),
        "icons are shown by clients of MCP, and the function is not offered to them",
        "state `offer = \"mcp\"` too, or leave `icons` out",
    );
    clash(
        stated.size.as_ref().map(|size| size.span()),
        uri.is_some() && !one,
        "`size` is of one resource, and this URI is a template of many",
        "leave `size` out; what lists them tells it of each, by `Listed::size`",
    );
    clash(
        stated.meta.as_ref().map(|meta| meta.span()),
        kind.is_called() && stated.mcp.is_none(),
        "`meta` is told to MCP clients where tools are listed, and this is no tool",
        "state `offer = \"mcp\"` too, or leave `meta` out",
    );
    let on = stated.on.as_ref().map(|on| on.span);
    clash(
        on,
        stated.mcp.is_some(),
        "what answers a method by `on` is no tool",
        "leave `offer` or `on` out",
    );
    clash(
        on,
        yes(&stated.api).is_some(),
        "what answers a method by `on` is not at /api",
        "leave `api` or `on` out",
    );
    clash(
        on,
        stated.danger.is_some(),
        "nobody is asked before a method that is answered by `on`",
        "leave `danger` or `on` out",
    );
}
