//! What is wrong with a declaration, collected so that one mistake never hides another, each at the
//! word that is wrong; and the reading of `name = value` options.
//!
//! Knows no rules: the texts are those of who finds the fault.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, Expr, Ident, Lit, LitStr, Meta, Path, Token};

/// All that is wrong with one declaration.
#[derive(Default)]
pub(crate) struct Faults(Vec<syn::Error>);

impl Faults {
    /// One more: `T7014 option-unknown: <what>`, then `help: <help>`, at `at`.
    pub(crate) fn add(&mut self, code: &str, at: &impl ToTokens, what: &str, help: &str) {
        let text = text(code, what, help);
        self.0.push(syn::Error::new_spanned(at, text));
    }

    /// The same, where only the place is known and not the words.
    pub(crate) fn add_at(&mut self, code: &str, at: Span, what: &str, help: &str) {
        self.0.push(syn::Error::new(at, text(code, what, help)));
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// What the compiler shows of them, one error each.
    pub(crate) fn tokens(&self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}

fn text(code: &str, what: &str, help: &str) -> String {
    let name = tent_core::codes::find(code).map_or("", |entry| entry.name);
    format!("{code} {name}: {what}\nhelp: {help}")
}

/// One option as it is written: `name`, or `name = value`.
pub(crate) struct Setting {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error("expected the name of an option"));
        }
        let name = input.call(Ident::parse_any)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Setting { name, value })
    }
}

impl Setting {
    /// The string literal that this option states. Anything else is a fault.
    pub(crate) fn text(&self, faults: &mut Faults) -> Option<LitStr> {
        if let Some(Lit::Str(text)) = self.literal() {
            return Some(text.clone());
        }
        let (name, at) = (&self.name, self.at());
        faults.add(
            "T7015",
            &at,
            &format!("`{name}` takes a string literal"),
            &format!("write {name} = \"…\""),
        );
        None
    }

    /// The literal that this option states.
    pub(crate) fn literal(&self) -> Option<&Lit> {
        match self.peeled() {
            Some(Expr::Lit(literal)) => Some(&literal.lit),
            _ => None,
        }
    }

    /// The path that this option states. Anything else is a fault.
    pub(crate) fn path(&self, faults: &mut Faults) -> Option<Path> {
        if let Some(Expr::Path(path)) = self.peeled()
            && path.qself.is_none()
        {
            return Some(path.path.clone());
        }
        let at = self.at();
        faults.add(
            "T7014",
            &at,
            &format!("`{}` takes a path", self.name),
            "write crate = the_path, such as crate = my_app::tent",
        );
        None
    }

    /// The value, out of the invisible groups that a `macro_rules!` puts around it.
    fn peeled(&self) -> Option<&Expr> {
        let mut value = self.value.as_ref()?;
        while let Expr::Group(group) = value {
            value = &group.expr;
        }
        Some(value)
    }

    /// Where a fault of its value is shown.
    pub(crate) fn at(&self) -> TokenStream {
        match &self.value {
            Some(value) => value.to_token_stream(),
            None => self.name.to_token_stream(),
        }
    }
}

/// What an attribute may state, and how it is spoken of.
pub(crate) struct Known<'a> {
    /// The options there are.
    pub(crate) names: &'a [&'a str],
    /// What the attribute stands on, such as `a variant`.
    pub(crate) on: &'a str,
    /// A whole example, such as `#[failure(hidden)]`.
    pub(crate) example: &'a str,
}

/// The options of every `#[attribute(…)]` in `attributes`. One that is not known, or stands twice, is a fault.
pub(crate) fn settings(
    attributes: &[Attribute],
    attribute: &str,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Vec<Setting> {
    let mut found = Vec::new();
    for one in attributes.iter().filter(|a| a.path().is_ident(attribute)) {
        of_attribute(&one.meta, known, faults, &mut found);
    }
    found
}

/// The options of one attribute, put behind those `found` before.
pub(crate) fn of_attribute(
    attribute: &Meta,
    known: &Known<'_>,
    faults: &mut Faults,
    found: &mut Vec<Setting>,
) {
    match attribute {
        Meta::List(list) => {
            let read = |input: ParseStream<'_>| read_all(input, known, faults, found);
            if let Err(error) = list.parse_args_with(read) {
                unread(&error, known, faults);
            }
        }
        Meta::Path(_) | Meta::NameValue(_) => {
            let name = attribute.path().to_token_stream();
            faults.add(
                "T7014",
                attribute,
                &format!("`#[{name}]` takes its options in parentheses"),
                &format!("write {}", known.example),
            );
        }
    }
}

/// The options that `tokens` state: those in the parentheses of an attribute macro.
pub(crate) fn of_tokens(
    tokens: TokenStream,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Vec<Setting> {
    let mut found = Vec::new();
    let read = |input: ParseStream<'_>| read_all(input, known, faults, &mut found);
    if let Err(error) = read.parse2(tokens) {
        unread(&error, known, faults);
    }
    found
}

/// Goes on behind the next comma where an option does not read, so that it hides no other.
fn read_all(
    input: ParseStream<'_>,
    known: &Known<'_>,
    faults: &mut Faults,
    found: &mut Vec<Setting>,
) -> syn::Result<()> {
    while !input.is_empty() {
        match input.parse::<Setting>() {
            Ok(setting) => judge(setting, known, faults, found),
            Err(error) => {
                unread(&error, known, faults);
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<TokenTree>()?;
                }
            }
        }
        if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
            faults.add_at(
                "T7014",
                input.span(),
                "a comma is missing before this",
                &format!("write {}", known.example),
            );
            // What is no beginning of an option is passed over, so that there is an end.
            if !input.peek(Ident::peek_any) {
                input.parse::<TokenTree>()?;
            }
        }
    }
    Ok(())
}

fn unread(error: &syn::Error, known: &Known<'_>, faults: &mut Faults) {
    faults.add_at(
        "T7014",
        error.span(),
        &format!("the options do not read: {error}"),
        &format!("write {}", known.example),
    );
}

/// Keeps an option that is known and new.
fn judge(setting: Setting, known: &Known<'_>, faults: &mut Faults, found: &mut Vec<Setting>) {
    let name = setting.name.to_string();
    if !known.names.contains(&name.as_str()) {
        faults.add(
            "T7014",
            &setting.name,
            &format!("there is no option `{name}` on {}", known.on),
            &among(&name, known.names),
        );
    } else if found.iter().any(|before| before.name == setting.name) {
        faults.add(
            "T7014",
            &setting.name,
            &format!("`{name}` stands twice"),
            "remove one of the two",
        );
    } else {
        found.push(setting);
    }
}

/// What there is in place of `word`: the nearest where one is near, and all.
pub(crate) fn among(word: &str, known: &[&str]) -> String {
    let all = known
        .iter()
        .map(|one| format!("`{one}`"))
        .collect::<Vec<_>>()
        .join(", ");
    match (
        tent_core::names::nearest(word, known.iter().copied()),
        known,
    ) {
        (Some(near), [_]) => format!("did you mean `{near}`?"),
        (Some(near), _) => format!("did you mean `{near}`? There is {all}"),
        (None, []) => "there is none".to_owned(),
        (None, [only]) => format!("there is `{only}` alone"),
        (None, _) => format!("there is {all}"),
    }
}

/// The path that generated code finds tent's private module under: tent's own, or below the path that
/// `crate = path` states.
pub(crate) fn root(settings: &[Setting], faults: &mut Faults) -> TokenStream {
    let stated = settings.iter().find(|setting| setting.name == "crate");
    match stated.and_then(|setting| setting.path(faults)) {
        Some(path) => quote!(#path::__private),
        None => quote!(::tent::__private),
    }
}
