//! [`InputSchema`]: the schema of a function's input, and its validation.

mod explain;

use std::collections::BTreeSet;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use tent_core::codes;

use super::check::{CompiledSchema, Mode, Path, Purpose, Validation, compile};
use super::transform::{Shaper, Side, Source, is_name, problem};
use super::{
    Field, INVALID, InputEncoding, Problem, REQUIRED, WHOLE, header_parameters, invalid_input,
    keywords, rules,
};
use crate::error::Error;

/// The schema of a function's input: published for clients, and compiled for validation.
#[derive(Debug)]
pub(crate) struct InputSchema {
    published: Value,
    compiled: CompiledSchema,
    /// Whether an error of a type may need to be [explained](Self::explain).
    explains: bool,
    /// Enforces the keywords that `compiled` does not.
    #[cfg(feature = "schema")]
    full_validator: Option<super::full_validator::FullValidator>,
}

impl InputSchema {
    /// The schema of an input whose fields are parameters. A field is optional if its type accepts `null` (an `Option`) or it
    /// has a default.
    ///
    /// # Errors
    /// Every problem of the declaration.
    pub(crate) fn from_fields(fields: &[Field]) -> Result<Self, Vec<Problem>> {
        let types: Vec<_> = fields.iter().map(|field| field.schema).collect();
        let source = Source::of(Side::Input, &types);
        let mut shaper = Shaper::new(Side::Input, source.definitions);
        let mut problems = Vec::new();
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let mut headers = BTreeSet::new();
        for (field, raw) in fields.iter().zip(source.roots) {
            if !is_name(field.name) {
                let message = "model interfaces reject this name: use 1 to 64 of A-Z a-z 0-9 _ . -";
                problems.push(problem(codes::INVALID_FIELD_NAME, field.name, message));
            }
            if let Some(header) = field.header
                && !headers.insert(header.to_ascii_lowercase())
            {
                let message = format!("the header `{header}` is used by another field");
                problems.push(problem(codes::INVALID_HEADER, field.name, message));
            }
            let mut schema = shaper.shape(raw, field.name);
            // `()` is an error of the compiler; a unit struct has the same schema.
            if schema.get("type").and_then(Value::as_str) == Some("null") {
                let message = "its type has no value but null: remove the parameter";
                problems.push(problem(codes::UNSUPPORTED_SIGNATURE, field.name, message));
            }
            rules::apply(field, &mut schema, &mut problems);
            if !schema.contains_key(keywords::NULL) && field.default.is_none() {
                required.push(field.name);
            }
            if properties
                .insert(field.name.to_owned(), schema.into())
                .is_some()
            {
                problems.push(problem(
                    codes::INVALID_FIELD_NAME,
                    field.name,
                    "two fields have this name",
                ));
            }
        }
        let mut root = Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), properties.into()),
            ("additionalProperties".to_owned(), json!(false)),
        ]);
        if !required.is_empty() {
            root.insert("required".to_owned(), json!(required));
        }
        let schema = Self::made(shaper, root, problems)?;
        schema.check_declared_values(fields)?;
        Ok(schema)
    }

    /// The schema of an input that is one type.
    ///
    /// # Errors
    /// Every problem of the type: T7012 if it is not always an object, T7007 for an invalid `x-mcp-header`.
    pub(crate) fn from_type(
        schema: fn(&mut SchemaGenerator) -> Schema,
    ) -> Result<Self, Vec<Problem>> {
        let mut source = Source::of(Side::Input, &[schema]);
        let mut shaper = Shaper::new(Side::Input, source.definitions);
        let raw = source.roots.pop().unwrap_or_default();
        let mut root = shaper.shape_root(raw);
        let mut problems = Vec::new();
        if root.contains_key("oneOf") || root.contains_key("anyOf") {
            let message = "the root is a union, which model interfaces reject: put the enum into a field of a struct, without `flatten`";
            problems.push(problem(codes::INPUT_NOT_AN_OBJECT, "", message));
        } else if root.get("type").and_then(Value::as_str) != Some("object") {
            let found = root
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or("any value");
            let message =
                format!("the type is not an object ({found}): use a struct with named fields");
            problems.push(problem(codes::INPUT_NOT_AN_OBJECT, "", message));
        }
        root.entry("properties").or_insert_with(|| json!({}));
        root.remove(keywords::NULL);
        root.remove("default");
        Self::made(shaper, root, problems)
    }

    /// The author's own schema, which is published unchanged. A keyword that is not enforced is a problem; with the feature
    /// `schema`, every keyword is enforced.
    ///
    /// # Errors
    /// Every problem of the schema: T7012 if its root does not have `"type": "object"`, T7007 for an invalid `x-mcp-header`,
    /// T7017 for a keyword that is not enforced.
    pub(crate) fn from_declared(declared: Value) -> Result<Self, Vec<Problem>> {
        let declared = super::not_too_deep(declared).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        if declared.get("type").and_then(Value::as_str) != Some("object") {
            let message = "the schema must have `\"type\": \"object\"` at its root";
            problems.push(problem(codes::INPUT_NOT_AN_OBJECT, "", message));
        }
        if let Value::Object(root) = &declared {
            problems.extend(header_parameters::problems(root, None));
        }
        match compile(&declared, Purpose::Input) {
            Ok((compiled, _)) if problems.is_empty() => {
                Ok(InputSchema::checked(declared, compiled))
            }
            Ok(_) => Err(problems),
            Err(more) => {
                problems.extend(more);
                Self::from_unsupported(declared, problems)
            }
        }
    }

    /// The author's own schema, if the validator does not support it because of `problems`.
    #[cfg(not(feature = "schema"))]
    fn from_unsupported(_: Value, problems: Vec<Problem>) -> Result<Self, Vec<Problem>> {
        Err(problems)
    }

    #[cfg(feature = "schema")]
    fn from_unsupported(declared: Value, problems: Vec<Problem>) -> Result<Self, Vec<Problem>> {
        // The full validator does not help with a root or a name that clients reject. It would accept every value for a
        // schema that refers to itself without end.
        let refused = |problem: &Problem| {
            problem.code != codes::INVALID_RULE || problem.message.ends_with(super::check::CYCLE)
        };
        if problems.iter().any(refused) {
            let mut problems: Vec<_> = problems.into_iter().filter(refused).collect();
            problems.extend(
                super::full_validator::FullValidator::of(&declared)
                    .err()
                    .unwrap_or_default(),
            );
            return Err(problems);
        }
        let (full_validator, outline) = super::full_validator::FullValidator::of(&declared)?;
        let (compiled, _) = compile(&outline, Purpose::Input)?;
        Ok(InputSchema {
            published: declared,
            explains: compiled.has_inner_formats(),
            compiled,
            full_validator: Some(full_validator),
        })
    }

    /// The validator of a form's fields, which enforces formats too.
    ///
    /// # Errors
    /// Every problem of the schema, also a default that is not valid for its own field.
    pub(crate) fn for_form(schema: Value) -> Result<Self, Vec<String>> {
        let (compiled, _) = compile(&schema, Purpose::Form)
            .map_err(|problems| Vec::from_iter(problems.into_iter().map(|one| one.message)))?;
        let schema = InputSchema::checked(schema, compiled);
        let mut problems = Vec::new();
        let fields = schema
            .published
            .get("properties")
            .and_then(Value::as_object);
        for (name, field) in fields.into_iter().flatten() {
            if let Some(default) = field.get("default") {
                for (path, problem) in schema.invalid_in_field(name, default.clone()) {
                    problems.push(format!("the default of `{path}` {problem}"));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(schema),
            false => Err(problems),
        }
    }

    fn checked(published: Value, compiled: CompiledSchema) -> Self {
        InputSchema {
            published,
            explains: compiled.has_inner_formats(),
            compiled,
            #[cfg(feature = "schema")]
            full_validator: None,
        }
    }

    /// The published schema.
    pub(crate) fn published(&self) -> &Value {
        &self.published
    }

    /// Validates `input` and normalizes it: numbers lose a zero fraction, `null` of an optional field becomes absent, and
    /// absent fields get their constant defaults. An invalid input may be left partly normalized.
    ///
    /// A type can have rules that no schema expresses, such as the syntax of an IP address. Those are checked later, when a
    /// valid input is deserialized.
    ///
    /// # Errors
    /// T0003 with every invalid field, up to a hundred. No message contains a value.
    pub(crate) fn validate(
        &self,
        input: &mut Map<String, Value>,
        encoding: InputEncoding,
    ) -> Result<(), Error> {
        let mode = match encoding {
            InputEncoding::Json => Mode::Json,
            InputEncoding::Strings => Mode::Strings,
        };
        let mut walk = Validation::new(&self.compiled, mode);
        walk.root(input);
        #[cfg_attr(not(feature = "schema"), expect(unused_mut))]
        let mut found = walk.found();
        #[cfg(feature = "schema")]
        if let Some(full_validator) = &self.full_validator {
            let whole = Value::Object(std::mem::take(input));
            full_validator.check(&self.compiled, &whole, &mut found);
            if let Value::Object(whole) = whole {
                *input = whole;
            }
        }
        if found.is_empty() {
            Ok(())
        } else {
            Err(invalid_input(found))
        }
    }

    /// The number of steps that [`validate`](Self::validate) takes for `input`.
    #[cfg(test)]
    pub(super) fn steps(&self, input: &mut Map<String, Value>) -> u64 {
        let mut walk = Validation::new(&self.compiled, Mode::Json);
        walk.root(&mut Map::new());
        let least = walk.left();
        let mut walk = Validation::new(&self.compiled, Mode::Json);
        walk.root(input);
        least.saturating_sub(walk.left())
    }

    /// The paths of the secret fields, sorted. `cards[].number` is a field of each item.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "approvals show the masked input; they are not built yet"
        )
    )]
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.compiled.secrets()
    }

    /// The paths of the integers whose type has more than 64 bits, sorted. They accept 64-bit values only, as most JSON parsers
    /// do.
    pub(crate) fn huge_integers(&self) -> Vec<String> {
        self.compiled.huge()
    }

    /// Whether the value at `path`, such as `cards[0].number`, is secret or inside a secret: no message may show it. If the
    /// schema has secrets, a path that leads nowhere counts as secret.
    pub(crate) fn is_secret(&self, path: &str) -> bool {
        self.compiled.is_secret(path)
    }

    /// The path and problem of an error that another check found, without anything that reveals a secret: the path ends before
    /// a secret, and the problem is [`INVALID`].
    pub(crate) fn redact(&self, path: &str, what: &str) -> (String, String) {
        let path = if path == WHOLE { "" } else { path };
        match self.compiled.hidden(path) {
            Some(prefix) if what == REQUIRED => (prefix.to_owned(), what.to_owned()),
            Some(prefix) => (prefix.to_owned(), INVALID.to_owned()),
            None => (path.to_owned(), what.to_owned()),
        }
    }

    /// Whether the field `name` is secret or contains a secret.
    pub(crate) fn has_secret_in(&self, name: &str) -> bool {
        self.compiled.has_secret_in(name)
    }

    /// Replaces every secret of `input`, which may be invalid, by `[secret]`.
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "approvals show the masked input; they are not built yet"
        )
    )]
    pub(crate) fn mask(&self, input: &mut Map<String, Value>) {
        self.compiled.mask(input);
    }

    fn made(
        shaper: Shaper,
        root: Map<String, Value>,
        mut problems: Vec<Problem>,
    ) -> Result<Self, Vec<Problem>> {
        for problem in header_parameters::problems(&root, Some(shaper.published())) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        let root = match shaper.finish(root) {
            Ok(root) if problems.is_empty() => root,
            Ok(_) => return Err(problems),
            Err(more) => {
                problems.extend(more);
                return Err(problems);
            }
        };
        let mut document = Value::Object(root);
        let (mut compiled, defaults) = compile(&document, Purpose::Input)?;
        // Deeper defaults come first, so that the default of an object contains the defaults of its fields.
        for default in defaults {
            let mut value = default.value;
            let mut walk = Validation::new(&compiled, Mode::Json);
            walk.visit(default.property, &mut value, &Path::ROOT);
            let is_valid = walk.found().is_empty();
            // A type's default may be invalid for the type itself, or contain secrets. It is not published then.
            if (!is_valid || compiled.holds_secret(default.property, &value))
                && let Some(Value::Object(schema)) = document.pointer_mut(&default.pointer)
            {
                schema.remove("default");
            }
            if is_valid {
                compiled.set_default(default.node, &default.name, Some(value));
            }
        }
        let published = match &document {
            Value::Object(root) => keywords::published(root),
            other => other.clone(),
        };
        Ok(InputSchema::checked(published, compiled))
    }

    /// What is wrong with `value` as the field `name`: paths and problems.
    fn invalid_in_field(&self, name: &str, mut value: Value) -> Vec<(String, String)> {
        let Some(id) = self.compiled.property(name) else {
            return Vec::new();
        };
        let mut walk = Validation::new(&self.compiled, Mode::Json);
        walk.visit(id, &mut value, &Path::ROOT.known(name));
        walk.found()
    }

    /// Checks that the defaults and examples of `#[arg(…)]` are valid for their fields.
    fn check_declared_values(&self, fields: &[Field]) -> Result<(), Vec<Problem>> {
        let mut problems = Vec::new();
        for field in fields {
            let declared = [("default", field.default), ("example", field.rules.example)];
            for (rule, value) in declared {
                let Some(value) = value.and_then(|value| value()) else {
                    continue;
                };
                for (path, what) in self.invalid_in_field(field.name, value) {
                    let message = format!("its {rule} is not valid: `{path}` {what}");
                    problems.push(problem(codes::INVALID_RULE, field.name, message));
                }
            }
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }
}
