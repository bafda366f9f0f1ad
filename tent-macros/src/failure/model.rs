//! A checked failure type: its kinds of failure and their fields, with all rules about them.
//!
//! This and [`report`] are the files of the derive with rules. They report all problems before they stop.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Member, Type};

use super::report::{self, Report};
use crate::diagnostic::Diagnostics;
use crate::options::tables::{
    FailureEnumOptions, FailureFieldOptions, FailureOptions, FailureStructOptions,
};
use crate::options::{Options, private_path, read_attributes};
use tent_core::codes;

/// A type that derives `Failure`.
pub(super) struct Model<'a> {
    pub(super) input: &'a DeriveInput,
    /// The path of tent's private module.
    pub(super) private: TokenStream,
    /// The struct itself, or each variant.
    pub(super) arms: Vec<Arm<'a>>,
}

/// One kind of failure.
pub(super) struct Arm<'a> {
    /// `Self` or `Self::Variant`.
    pub(super) path: TokenStream,
    /// The name of the struct or the variant.
    pub(super) ident: &'a Ident,
    pub(super) fields: Vec<Field<'a>>,
    /// `None` where its options have problems.
    pub(super) report: Option<Report>,
}

/// A field of a failure.
pub(super) struct Field<'a> {
    pub(super) member: Member,
    /// Its name, or its number.
    pub(super) name: String,
    pub(super) ty: &'a Type,
    /// The place that diagnostics point at.
    place: TokenStream,
    pub(super) from: bool,
    pub(super) source: bool,
    /// Whether a tool result shows it beside the message.
    pub(super) content: bool,
    hidden: bool,
}

impl Field<'_> {
    /// Whether the caller receives it, if its type implements `Serialize`.
    pub(super) fn is_public(&self) -> bool {
        let apart = self.hidden || self.content || self.from || self.source;
        matches!(self.member, Member::Named(_)) && !apart
    }
}

/// The name of the binding of a field in generated code.
pub(super) fn binding(field: usize) -> Ident {
    format_ident!("__field_{field}", span = Span::mixed_site())
}

/// Reads a failure type. Returns `None` for a type that cannot have implementations.
pub(super) fn read<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> Option<Model<'a>> {
    misplaced(&input.attrs, diagnostics);
    match &input.data {
        Data::Struct(data) => {
            let on = "`#[failure]` on a struct";
            let options: Options<FailureStructOptions> =
                read_attributes(&input.attrs, "failure", on, diagnostics);
            let private = private_path(options.table.krate.as_ref());
            let fields = fields(&data.fields, diagnostics);
            let table = &options.table.failure;
            let report = report::read(&input.ident, &options, table, &fields, diagnostics);
            let arm = Arm {
                path: quote!(Self),
                ident: &input.ident,
                fields,
                report,
            };
            Some(Model {
                input,
                private,
                arms: vec![arm],
            })
        }
        Data::Enum(data) => {
            let on = "`#[failure]` on an enum";
            let options: Options<FailureEnumOptions> =
                read_attributes(&input.attrs, "failure", on, diagnostics);
            let private = private_path(options.table.krate.as_ref());
            let mut arms: Vec<Arm<'a>> = Vec::new();
            for variant in &data.variants {
                let arm = self::variant(variant, diagnostics);
                repeated_code(&arms, &arm, diagnostics);
                arms.push(arm);
            }
            Some(Model {
                input,
                private,
                arms,
            })
        }
        Data::Union(data) => {
            let problem = "a union cannot be a failure";
            let help = "use a struct or an enum";
            diagnostics.add(codes::UNSUPPORTED_ITEM, &data.union_token, problem, help);
            None
        }
    }
}

fn variant<'a>(variant: &'a syn::Variant, diagnostics: &mut Diagnostics) -> Arm<'a> {
    let on = "`#[failure]` on a variant";
    let options: Options<FailureOptions> =
        read_attributes(&variant.attrs, "failure", on, diagnostics);
    misplaced(&variant.attrs, diagnostics);
    let ident = &variant.ident;
    let fields = fields(&variant.fields, diagnostics);
    Arm {
        path: quote!(Self::#ident),
        ident,
        report: report::read(ident, &options, &options.table, &fields, diagnostics),
        fields,
    }
}

/// `#[from]` and `#[source]` are for fields.
fn misplaced(attributes: &[Attribute], diagnostics: &mut Diagnostics) {
    for one in attributes {
        for word in ["from", "source"] {
            if one.path().is_ident(word) {
                let problem = format!("`#[{word}]` is for fields");
                let help = "move it to the field that holds the error";
                diagnostics.add(codes::INVALID_OPTION, one, &problem, help);
            }
        }
    }
}

/// No two variants have the same code.
fn repeated_code(before: &[Arm<'_>], arm: &Arm<'_>, diagnostics: &mut Diagnostics) {
    let Some(Report::Declared(declared)) = &arm.report else {
        return;
    };
    let code = declared.code.value();
    let same = before.iter().find(|other| {
        matches!(&other.report, Some(Report::Declared(other)) if other.code.value() == code)
    });
    if let Some(other) = same {
        let problem = format!("`{}` already has the code `{code}`", other.ident);
        let help = "use a different code for each variant";
        diagnostics.add(codes::INVALID_FAILURE, &declared.code, &problem, help);
    }
}

/// The fields of one kind of failure, each checked alone and then together.
fn fields<'a>(fields: &'a Fields, diagnostics: &mut Diagnostics) -> Vec<Field<'a>> {
    let fields: Vec<Field<'a>> = fields
        .iter()
        .zip(fields.members())
        .map(|(field, member)| self::field(field, member, diagnostics))
        .collect();
    for field in fields.iter().filter(|field| field.from && fields.len() > 1) {
        let problem =
            "`#[from]` builds the whole failure from this field, and there are other fields";
        let help = "use `#[source]`, or remove the other fields";
        diagnostics.add(codes::INVALID_FAILURE, &field.place, problem, help);
    }
    for second in fields.iter().filter(|field| field.source).skip(1) {
        let problem = "this is the second source of the failure, and a failure has one";
        let help = "keep `#[source]` on one field";
        diagnostics.add(codes::INVALID_FAILURE, &second.place, problem, help);
    }
    fields
}

fn field<'a>(field: &'a syn::Field, member: Member, diagnostics: &mut Diagnostics) -> Field<'a> {
    let [from, source] = ["from", "source"].map(|word| is_marked(field, word, diagnostics));
    let on = "`#[failure]` on a field";
    let options: Options<FailureFieldOptions> =
        read_attributes(&field.attrs, "failure", on, diagnostics);
    let (content, hidden) = (&options.table.content, &options.table.hidden);
    if let Some(content) = content
        && (from || source || hidden.is_some())
    {
        let problem = "`content` on a field that the caller never receives";
        let help = "remove `content`, or the attribute that hides the field";
        diagnostics.add(codes::CONFLICTING_OPTIONS, content.span, problem, help);
    }
    if let Some(hidden) = hidden
        && (from || source || matches!(member, Member::Unnamed(_)))
    {
        let problem = "`hidden` on a field that the caller never receives";
        let help = "remove `hidden`: callers receive only named fields that are not a source";
        diagnostics.add(codes::CONFLICTING_OPTIONS, hidden.span, problem, help);
    }
    Field {
        name: match &member {
            Member::Named(name) => name.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        },
        place: match &member {
            Member::Named(name) => name.to_token_stream(),
            Member::Unnamed(_) => field.ty.to_token_stream(),
        },
        member,
        ty: &field.ty,
        from,
        source: source || from,
        content: content.is_some() && !from && !source && hidden.is_none(),
        hidden: hidden.is_some(),
    }
}

/// Whether a field has the attribute `#[word]`.
fn is_marked(field: &syn::Field, word: &str, diagnostics: &mut Diagnostics) -> bool {
    let mut marks = field.attrs.iter().filter(|one| one.path().is_ident(word));
    let first = marks.next();
    for second in marks {
        let problem = format!("`#[{word}]` is set twice");
        diagnostics.add(codes::INVALID_OPTION, second, &problem, "remove one");
    }
    if let Some(mark) = first
        && mark.meta.require_path_only().is_err()
    {
        let problem = format!("`#[{word}]` does not take options");
        let help = format!("write `#[{word}]`");
        diagnostics.add(codes::INVALID_OPTION, mark, &problem, &help);
    }
    first.is_some()
}
