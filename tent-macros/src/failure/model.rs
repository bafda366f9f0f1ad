//! A checked failure: its kinds and their fields, with every rule that they have to keep.
//!
//! This and [`says`] are the files of the derive that judge; they find all that is wrong before they give up.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Member, Type};
use tent_core::codes;

use super::says::{self, Says};
use crate::fault::Faults;
use crate::options::{Known, Written, of_attributes, root};

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
    /// Whether it is shown beside the message.
    pub(super) content: bool,
    hidden: bool,
}

impl Field<'_> {
    /// Whether a caller is told it, if it can be serialised.
    pub(super) fn told(&self) -> bool {
        let apart = self.hidden || self.content || self.from || self.source;
        matches!(self.member, Member::Named(_)) && !apart
    }
}

/// What the generated code calls the field of this number.
pub(super) fn binding(field: usize) -> Ident {
    format_ident!("__field_{field}", span = Span::mixed_site())
}

const STATED: &[&str] = &["code", "status", "message", "fix", "name", "transparent"];
pub(super) const EXAMPLE: &str = "#[failure(code = \"A0001\", status = 409, message = \"…\")]";

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
            let root = root(&said.options, faults);
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
            let said = of_attributes(&input.attrs, "failure", &known, faults);
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
                codes::UNSUPPORTED_ITEM,
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
pub(super) struct Said {
    pub(super) options: Vec<Written>,
    /// Whether all of it was understood. What is missing is not spoken of before.
    pub(super) whole: bool,
}

impl Said {
    fn read(attributes: &[Attribute], known: &Known<'_>, faults: &mut Faults) -> Self {
        let before = faults.len();
        let options = of_attributes(attributes, "failure", known, faults);
        Said {
            options,
            whole: faults.len() == before,
        }
    }

    pub(super) fn option(&self, name: &str) -> Option<&Written> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// `#[from]` and `#[source]` stand on fields alone.
fn misplaced(attributes: &[Attribute], faults: &mut Faults) {
    for one in attributes {
        for word in ["from", "source"] {
            if one.path().is_ident(word) {
                faults.add(
                    codes::INVALID_OPTION,
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
            codes::INVALID_FAILURE,
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
                codes::INVALID_FAILURE,
                &field.at,
                "`#[from]` makes the whole failure of this field, and there are others",
                "write #[source], or remove the other fields",
            );
        }
    }
    for second in fields.iter().filter(|field| field.source).skip(1) {
        faults.add(
            codes::INVALID_FAILURE,
            &second.at,
            "a failure has one source, and this is the second",
            "keep #[source] on one field",
        );
    }
    let says = says::read(ident, said, &fields, faults);
    Arm {
        path,
        ident,
        fields,
        says,
    }
}

fn fields<'a>(fields: &'a Fields, faults: &mut Faults) -> Vec<Field<'a>> {
    let known = Known {
        names: &["content", "hidden"],
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
                    codes::INVALID_OPTION,
                    second,
                    &format!("`#[{word}]` stands twice"),
                    "remove one of the two",
                );
            }
            if let Some(mark) = first
                && mark.meta.require_path_only().is_err()
            {
                faults.add(
                    codes::INVALID_OPTION,
                    mark,
                    &format!("`#[{word}]` takes no options"),
                    &format!("write #[{word}]"),
                );
            }
            first.is_some()
        });
        let options = of_attributes(&field.attrs, "failure", &known, faults);
        let option = |name: &str| options.iter().find(|option| option.name == name);
        let (content, hidden) = (option("content"), option("hidden"));
        if let Some(content) = content {
            faults.handle(content.bare());
            if marks != [false; 2] || hidden.is_some() {
                faults.add(
                    codes::CONFLICTING_OPTIONS,
                    &content.name,
                    "a caller is never told this field, so it is nothing to show",
                    "remove `content`, or what keeps the field from the caller",
                );
            }
        }
        if let Some(hidden) = hidden {
            faults.handle(hidden.bare());
            if marks != [false; 2] || matches!(member, Member::Unnamed(_)) {
                faults.add(
                    codes::CONFLICTING_OPTIONS,
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
            content: content.is_some() && marks == [false; 2] && hidden.is_none(),
            hidden: hidden.is_some(),
        });
    }
    found
}
