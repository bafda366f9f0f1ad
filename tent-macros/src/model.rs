//! The rules: from what was written to a checked [`Model`], or to **all** that is wrong with it, each
//! at its word. The only file with rules about what goes together; writes no code.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Path, Type};
use tent_core::names::{self, Origin, Problem};

use crate::docs;
use crate::fault::{fault, usual};
use crate::options::{self, At, Written};
use crate::parameters::{Parameter, Taken, parameters};
use crate::syntax::Function;
use crate::values::{self, Access};

/// Which attribute stands on the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Query,
    Change,
    Action,
}

impl Kind {
    /// The attribute as it is written.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Change => "change",
            Kind::Action => "action",
        }
    }
}

/// A declaration that nothing is wrong with, as far as a macro can know.
pub(crate) struct Model<'a> {
    pub(crate) kind: Kind,
    pub(crate) function: &'a Function,
    pub(crate) krate: Path,
    pub(crate) access: Access,
    pub(crate) parameters: Vec<Parameter<'a>>,
    pub(crate) about: String,
    pub(crate) stated: Options,
}

/// The options of the attribute, each as it was written or absent.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) krate: Option<Path>,
    pub(crate) access: Option<At<Access>>,
    pub(crate) about: Option<At<String>>,
    pub(crate) name: Option<At<String>>,
    pub(crate) title: Option<At<String>>,
    pub(crate) mcp: Option<Span>,
    pub(crate) api: Option<At<bool>>,
    pub(crate) danger: Option<Span>,
    pub(crate) asks: Option<Span>,
    pub(crate) scope: Option<At<String>>,
    pub(crate) writes: Option<Span>,
    pub(crate) changes: Option<At<bool>>,
    pub(crate) sends: Option<At<bool>>,
    pub(crate) idempotent: Option<At<bool>>,
    pub(crate) retry: Option<At<bool>>,
    pub(crate) blocking: Option<At<bool>>,
    pub(crate) timeout: Option<u64>,
    pub(crate) limit: Option<(u32, u64)>,
    pub(crate) needs: Vec<At<String>>,
    pub(crate) on: Option<At<String>>,
}

/// Every option of the three attributes.
const KNOWN: [&str; 20] = [
    "about",
    "access",
    "api",
    "asks",
    "blocking",
    "changes",
    "crate",
    "danger",
    "idempotent",
    "limit",
    "name",
    "needs",
    "offer",
    "on",
    "retry",
    "scope",
    "sends",
    "timeout",
    "title",
    "writes",
];

/// Checks a declaration.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn check(
    kind: Kind,
    options: TokenStream,
    function: &Function,
) -> darling::Result<Model<'_>> {
    let mut errors = darling::Error::accumulator();
    let (written, faults) = options::read(options, &KNOWN);
    let mentions_access = written.iter().any(|one| one.name == "access");
    // A mistake in the form may have been the `access`: then nothing is said of its absence.
    let whole = faults.is_empty();
    faults.into_iter().for_each(|fault| errors.push(fault));

    let mut stated = Options::default();
    for one in &written {
        errors.handle(take(one, &mut stated));
    }
    if !mentions_access && whole {
        let what = format!(
            "#[{}] does not say who may call `{}`",
            kind.word(),
            function.name
        );
        errors.push(usual("T7001", values::here(), &what));
    }
    signature(function, &mut errors);
    twice(function, &mut errors);
    let parameters = parameters(function, &mut errors);
    clashes(kind, function, &stated, &mut errors);
    name(function, &stated, &mut errors);
    let about = about(function, &stated, &mut errors);
    let krate = stated
        .krate
        .clone()
        .unwrap_or_else(|| syn::parse_quote!(::tent));
    let access = stated.access.as_ref().map(|access| access.value.clone());
    errors.finish()?;
    match access {
        Some(access) => Ok(Model {
            kind,
            function,
            krate,
            access,
            parameters,
            about,
            stated,
        }),
        None => Err(usual("T7001", values::here(), "`access` is missing")),
    }
}

/// One option into its place.
fn take(one: &Written, stated: &mut Options) -> darling::Result<()> {
    match one.name.unraw().to_string().as_str() {
        "about" => stated.about = Some(one.text()?),
        "access" => {
            let value = one.expression()?;
            stated.access = Some(At {
                value: values::access(value)?,
                span: value.span(),
            });
        }
        "api" => stated.api = Some(one.flag()?),
        "asks" => stated.asks = Some(one.one_of(&["page"])?.span),
        "blocking" => stated.blocking = Some(one.flag()?),
        "changes" => stated.changes = Some(one.flag()?),
        "crate" => stated.krate = Some(krate(one)?),
        "danger" => stated.danger = Some(one.one_of(&["ask"])?.span),
        "idempotent" => stated.idempotent = Some(one.flag()?),
        "limit" => stated.limit = Some(values::rate(&one.text()?)?),
        "name" => stated.name = Some(one.text()?),
        "needs" => {
            stated.needs = one.texts()?;
            each(&stated.needs, values::capability)?;
        }
        "offer" => {
            let offers = one.texts()?;
            stated.mcp = offers.first().map(|offer| offer.span);
            each(&offers, offer)?;
        }
        "on" => {
            let method = one.text()?;
            values::method(&method)?;
            stated.on = Some(method);
        }
        "retry" => stated.retry = Some(one.flag()?),
        "scope" => {
            let scope = one.text()?;
            values::scope(&scope)?;
            stated.scope = Some(scope);
        }
        "sends" => stated.sends = Some(one.flag()?),
        "timeout" => stated.timeout = Some(values::duration(&one.text()?)?),
        "title" => stated.title = Some(one.text()?),
        "writes" => stated.writes = Some(one.one_of(&["adds"])?.span),
        _ => {}
    }
    Ok(())
}

fn each(all: &[At<String>], check: fn(&At<String>) -> darling::Result<()>) -> darling::Result<()> {
    let mut errors = darling::Error::accumulator();
    for one in all {
        errors.handle(check(one));
    }
    errors.finish()
}

fn offer(offer: &At<String>) -> darling::Result<()> {
    if offer.value == "mcp" {
        return Ok(());
    }
    let what = format!("there is no offer {:?}", offer.value);
    let help = match offer.value.as_str() {
        "api" => "leave it out: a function is at /api unless it states `api = false`".to_owned(),
        other => crate::fault::choose(other, &["mcp"]),
    };
    Err(fault("T7003", offer.span, &what, &help))
}

fn krate(one: &Written) -> darling::Result<Path> {
    let value = one.expression()?;
    match docs::peeled(value) {
        syn::Expr::Path(path) if path.qself.is_none() => Ok(path.path.clone()),
        _ => {
            let what = "`crate` takes the path of tent";
            Err(fault(
                "T7014",
                value.span(),
                what,
                "write it absolute, such as `crate = ::my_tent`",
            ))
        }
    }
}

/// What a call from outside cannot give (T7005).
fn signature(function: &Function, errors: &mut darling::error::Accumulator) {
    let mut refuse = |span: Option<Span>, what: &str, help: &str| {
        if let Some(span) = span {
            errors.push(fault("T7005", span, what, help));
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
        "the function has parameters of type or lifetime",
        "write it for one type: a call from outside names none, and all inputs are owned",
    );
    refuse(
        function.constraints.as_ref().map(|_| function.name.span()),
        "the function has a `where` clause",
        "leave it out: there is nothing generic to constrain",
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
fn twice(function: &Function, errors: &mut darling::error::Accumulator) {
    for attribute in &function.attributes {
        let path = attribute.path();
        let ours = path.segments.len() == 1
            || (path.segments.len() == 2 && path.segments[0].ident == "tent");
        let last = path.segments.last().map(|last| last.ident.to_string());
        if ours && matches!(last.as_deref(), Some("query" | "change" | "action")) {
            let what = "a function is a query, a change or an action, and this one says it twice";
            errors.push(fault(
                "T7008",
                attribute.span(),
                what,
                "keep one of the two attributes",
            ));
        }
    }
}

/// The description, and T7009 where MCP needs one and there is none.
fn about(
    function: &Function,
    stated: &Options,
    errors: &mut darling::error::Accumulator,
) -> String {
    let (text, span) = match &stated.about {
        Some(about) => (about.value.trim().to_owned(), about.span),
        None => (docs::text(&function.attributes), function.name.span()),
    };
    if text.is_empty() && stated.mcp.is_some() {
        let what = format!(
            "`{}` is offered to MCP and says nowhere what it does",
            function.name
        );
        errors.push(usual("T7009", span, &what));
    }
    text
}

/// The rules of a tool's name: T1009, T1014, T1015.
fn name(function: &Function, stated: &Options, errors: &mut darling::error::Accumulator) {
    let own = function.name.unraw().to_string();
    let (name, origin, span) = match &stated.name {
        Some(name) => (name.value.as_str(), Origin::Stated, name.span),
        None if stated.mcp.is_some() => (own.as_str(), Origin::Function, function.name.span()),
        None => return,
    };
    for problem in names::problems(name, origin) {
        let what = match problem {
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
        errors.push(usual(problem.code(), span, &what));
    }
}

/// Options that contradict each other, or do not go with the kind (T7008).
fn clashes(
    kind: Kind,
    function: &Function,
    stated: &Options,
    errors: &mut darling::error::Accumulator,
) {
    let mut clash = |span: Option<Span>, holds: bool, what: &str, help: &str| {
        if let Some(span) = span.filter(|_| holds) {
            errors.push(fault("T7008", span, what, help));
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

impl Model<'_> {
    /// The name at both doors.
    pub(crate) fn own_name(&self) -> String {
        self.function.name.unraw().to_string()
    }

    /// The fields of the input, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Parameter<'_>> {
        self.parameters
            .iter()
            .filter(|parameter| matches!(parameter.taken, Taken::Field(_)))
    }
}
