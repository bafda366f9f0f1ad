//! A checked failure: what its attributes say, with every rule they have to keep.
//!
//! The only file of the derive that judges. It finds all that is wrong before it gives up.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Lit, LitStr, Member, Type};

use super::message::Message;
use crate::settings::{Faults, Known, Setting, root, settings};

/// The status of a failure that states none: the input was understood and cannot be served as things are.
const STATUS: u16 = 422;

/// A type that derives `Failure`.
pub(super) struct Model<'a> {
    pub(super) input: &'a DeriveInput,
    /// The path of tent's private module.
    pub(super) root: TokenStream,
    /// The struct itself, or each variant.
    pub(super) arms: Vec<Arm<'a>>,
}

/// One kind of failure.
pub(super) struct Arm<'a> {
    /// `Self` or `Self::Variant`.
    pub(super) path: TokenStream,
    /// What the arm is called: the struct or the variant.
    pub(super) ident: &'a Ident,
    pub(super) fields: Vec<Field<'a>>,
    /// `None` where something is wrong with it.
    pub(super) says: Option<Says>,
}

/// A field of a failure.
pub(super) struct Field<'a> {
    pub(super) member: Member,
    /// Its name, or its number.
    pub(super) name: String,
    pub(super) ty: &'a Type,
    /// Where it stands, for faults.
    at: TokenStream,
    pub(super) from: bool,
    pub(super) source: bool,
    hidden: bool,
}

/// What a failure tells.
pub(super) enum Says {
    /// What the one field would.
    Transparent,
    /// What is stated.
    Stated(Box<Stated>),
}

/// What a stated failure tells.
pub(super) struct Stated {
    pub(super) code: LitStr,
    pub(super) status: u16,
    pub(super) name: String,
    pub(super) message: Message,
    pub(super) fix: Option<Message>,
}

impl Field<'_> {
    /// Whether a caller is told it, if it can be serialised.
    pub(super) fn told(&self) -> bool {
        matches!(self.member, Member::Named(_)) && !self.hidden && !self.from && !self.source
    }
}

/// What the generated code calls the field of this number.
pub(super) fn binding(field: usize) -> Ident {
    format_ident!("__field_{field}", span = Span::mixed_site())
}

const STATED: &[&str] = &["code", "status", "message", "fix", "name", "transparent"];
const EXAMPLE: &str = "#[failure(code = \"A0001\", status = 409, message = \"…\")]";

/// Reads `input`. What is wrong goes to `faults`; `None` where there is nothing to make an impl of.
pub(super) fn read<'a>(input: &'a DeriveInput, faults: &mut Faults) -> Option<Model<'a>> {
    let (root, arms) = match &input.data {
        Data::Struct(data) => {
            let names = [STATED, &["crate"]].concat();
            let known = Known {
                names: &names,
                on: "a failure",
                example: EXAMPLE,
            };
            let said = Said::read(&input.attrs, &known, faults);
            let root = root(&said.settings, faults);
            misplaced(&input.attrs, faults);
            let arm = arm(quote!(Self), &input.ident, &data.fields, &said, faults);
            (root, vec![arm])
        }
        Data::Enum(data) => {
            let known = Known {
                names: &["crate"],
                on: "an enum, whose variants state each their own",
                example: "the options on each variant",
            };
            let said = settings(&input.attrs, "failure", &known, faults);
            misplaced(&input.attrs, faults);
            let root = root(&said, faults);
            let known = Known {
                names: STATED,
                on: "a variant",
                example: EXAMPLE,
            };
            let mut arms: Vec<Arm<'a>> = Vec::new();
            for variant in &data.variants {
                let said = Said::read(&variant.attrs, &known, faults);
                misplaced(&variant.attrs, faults);
                let ident = &variant.ident;
                let path = quote!(Self::#ident);
                let arm = arm(path, ident, &variant.fields, &said, faults);
                once(&arms, &arm, faults);
                arms.push(arm);
            }
            (root, arms)
        }
        Data::Union(data) => {
            faults.add(
                "T7021",
                &data.union_token,
                "a union is no failure",
                "write a struct or an enum",
            );
            return None;
        }
    };
    Some(Model { input, root, arms })
}

/// What `#[failure(…)]` says of one kind of failure.
struct Said {
    settings: Vec<Setting>,
    /// Whether all of it was understood. What is missing is not spoken of before.
    whole: bool,
}

impl Said {
    fn read(attributes: &[Attribute], known: &Known<'_>, faults: &mut Faults) -> Self {
        let before = faults.len();
        let settings = settings(attributes, "failure", known, faults);
        Said {
            settings,
            whole: faults.len() == before,
        }
    }

    fn option(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

/// `#[from]` and `#[source]` stand on fields alone.
fn misplaced(attributes: &[Attribute], faults: &mut Faults) {
    for one in attributes {
        for word in ["from", "source"] {
            if one.path().is_ident(word) {
                faults.add(
                    "T7014",
                    one,
                    &format!("`#[{word}]` stands on a field"),
                    "move it to the field that holds the error",
                );
            }
        }
    }
}

/// Each code is one variant's alone.
fn once(before: &[Arm<'_>], arm: &Arm<'_>, faults: &mut Faults) {
    let Some(Says::Stated(stated)) = &arm.says else {
        return;
    };
    let taken = before.iter().find(|other| {
        matches!(&other.says, Some(Says::Stated(other)) if other.code.value() == stated.code.value())
    });
    if let Some(other) = taken {
        faults.add(
            "T7020",
            &stated.code,
            &format!(
                "{} is the code of `{}` already",
                stated.code.value(),
                other.ident
            ),
            "give each variant a code of its own",
        );
    }
}

fn arm<'a>(
    path: TokenStream,
    ident: &'a Ident,
    fields: &'a Fields,
    said: &Said,
    faults: &mut Faults,
) -> Arm<'a> {
    let fields = self::fields(fields, faults);
    for field in fields.iter().filter(|field| field.from) {
        if fields.len() > 1 {
            faults.add(
                "T7020",
                &field.at,
                "`#[from]` makes the whole failure of this field, and there are others",
                "write #[source], or remove the other fields",
            );
        }
    }
    for second in fields.iter().filter(|field| field.source).skip(1) {
        faults.add(
            "T7020",
            &second.at,
            "a failure has one source, and this is the second",
            "keep #[source] on one field",
        );
    }
    let says = match said.option("transparent") {
        Some(transparent) => self::transparent(transparent, said, &fields, faults),
        None => stated(ident, said, &fields, faults).map(|stated| Says::Stated(Box::new(stated))),
    };
    Arm {
        path,
        ident,
        fields,
        says,
    }
}

fn fields<'a>(fields: &'a Fields, faults: &mut Faults) -> Vec<Field<'a>> {
    let known = Known {
        names: &["hidden"],
        on: "a field",
        example: "#[failure(hidden)]",
    };
    let mut found = Vec::new();
    for (field, member) in fields.iter().zip(fields.members()) {
        let mut marks = ["from", "source"].map(|word| {
            let mut marks = field.attrs.iter().filter(|one| one.path().is_ident(word));
            let first = marks.next();
            for second in marks {
                faults.add(
                    "T7014",
                    second,
                    &format!("`#[{word}]` stands twice"),
                    "remove one of the two",
                );
            }
            if let Some(mark) = first
                && mark.meta.require_path_only().is_err()
            {
                faults.add(
                    "T7014",
                    mark,
                    &format!("`#[{word}]` takes no options"),
                    &format!("write #[{word}]"),
                );
            }
            first.is_some()
        });
        let settings = settings(&field.attrs, "failure", &known, faults);
        let hidden = settings.iter().find(|setting| setting.name == "hidden");
        if let Some(hidden) = hidden {
            flag(hidden, faults);
            if marks != [false; 2] || matches!(member, Member::Unnamed(_)) {
                faults.add(
                    "T7008",
                    &hidden.name,
                    "a caller is never told this field, so there is nothing to hide",
                    "remove `hidden`: only named fields that are no source are told",
                );
            }
        }
        marks[1] |= marks[0];
        found.push(Field {
            name: match &member {
                Member::Named(name) => name.unraw().to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            },
            at: match &member {
                Member::Named(name) => name.to_token_stream(),
                Member::Unnamed(_) => field.ty.to_token_stream(),
            },
            member,
            ty: &field.ty,
            from: marks[0],
            source: marks[1],
            hidden: hidden.is_some(),
        });
    }
    found
}

/// An option that is stated by its name alone.
fn flag(setting: &Setting, faults: &mut Faults) {
    if setting.value.is_some() {
        faults.add(
            "T7014",
            &setting.at(),
            &format!("`{}` takes no value", setting.name),
            "write the word alone",
        );
    }
}

fn transparent(
    transparent: &Setting,
    said: &Said,
    fields: &[Field<'_>],
    faults: &mut Faults,
) -> Option<Says> {
    flag(transparent, faults);
    let others = |setting: &&Setting| setting.name != "transparent" && setting.name != "crate";
    for other in said.settings.iter().filter(others) {
        faults.add(
            "T7008",
            &other.name,
            &format!(
                "`{}` beside `transparent`, which passes on what its field says",
                other.name
            ),
            "remove one of the two",
        );
    }
    if fields.len() != 1 {
        faults.add(
            "T7020",
            &transparent.name,
            &format!(
                "a transparent failure has one field that it passes on, and this one has {}",
                fields.len()
            ),
            "write it as Other(#[from] tent::Error)",
        );
        return None;
    }
    Some(Says::Transparent)
}

fn stated(ident: &Ident, said: &Said, fields: &[Field<'_>], faults: &mut Faults) -> Option<Stated> {
    let option = |name: &str| said.option(name);
    let mut missing = vec!["code", "message"];
    missing.retain(|name| option(name).is_none());
    if said.whole && !missing.is_empty() {
        faults.add(
            "T7020",
            ident,
            &format!("`{ident}` states no {}", missing.join(" and no ")),
            &format!("write {EXAMPLE}, or #[failure(transparent)] to pass on its one field"),
        );
    }
    let code = option("code").and_then(|setting| {
        let code = setting.text(faults)?;
        self::code(code, faults)
    });
    let status = option("status").map_or(Some(STATUS), |setting| self::status(setting, faults));
    let name = match option("name") {
        Some(setting) => setting
            .text(faults)
            .and_then(|name| self::name(&name, faults)),
        None => Some(kebab(&ident.unraw().to_string())),
    };
    let mut text = |name| {
        let literal = option(name)?.text(faults)?;
        Message::read(&literal, name, fields, faults)
    };
    let (message, fix) = (text("message"), text("fix"));
    Some(Stated {
        code: code?,
        status: status?,
        name: name?,
        message: message?,
        fix,
    })
}

fn code(code: LitStr, faults: &mut Faults) -> Option<LitStr> {
    let value = code.value();
    let digits = |rest: &str| rest.len() == 4 && rest.bytes().all(|b| b.is_ascii_digit());
    if value.strip_prefix('A').is_some_and(digits) {
        return Some(code);
    }
    let what = if value.strip_prefix('T').is_some_and(digits) {
        format!("{value} is a code of tent's own")
    } else {
        format!("`{value}` is no code")
    };
    let help = "write `A` and four digits, such as A0001";
    faults.add("T7020", &code, &what, help);
    None
}

fn status(setting: &Setting, faults: &mut Faults) -> Option<u16> {
    let number = match setting.literal() {
        Some(Lit::Int(number)) => number.base10_parse::<u16>().ok(),
        _ => None,
    };
    if let Some(number) = number
        && (400..600).contains(&number)
    {
        return Some(number);
    }
    let shown = match setting.literal() {
        Some(literal) => format!(
            "{} is no HTTP status of a failure",
            literal.to_token_stream()
        ),
        None => "the status is no number".to_owned(),
    };
    faults.add(
        "T7020",
        &setting.at(),
        &shown,
        "write one from 400 to 599: 404 for what is not there, 409 for what clashes with how things are",
    );
    None
}

fn name(name: &LitStr, faults: &mut Faults) -> Option<String> {
    let value = name.value();
    let fits = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    if value.split('-').all(fits) {
        return Some(value);
    }
    faults.add(
        "T7020",
        name,
        &format!("`{value}` is no name of a failure"),
        "write small letters and digits, words joined by hyphens, such as already-paid",
    );
    None
}

/// `AlreadyPaid` as `already-paid`.
fn kebab(ident: &str) -> String {
    tent_core::names::title(ident)
        .to_lowercase()
        .replace(' ', "-")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_failures_name_is_its_variants_in_words() {
        assert_eq!(super::kebab("AlreadyPaid"), "already-paid");
        assert_eq!(super::kebab("HTTPGone"), "http-gone");
        assert_eq!(super::kebab("Closed"), "closed");
    }
}
