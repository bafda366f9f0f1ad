//! [`InputSchema`]: what a function takes, and the check of it.

use std::collections::BTreeSet;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use tent_core::codes;

use super::check::{Mode, Path, Plan, Purpose, Walk, compile};
use super::transform::{Shaper, Side, Source, is_name, problem};
use super::{
    Field, INVALID, InputEncoding, Problem, REQUIRED, WHOLE, invalid_input, keywords, mirrors,
    rules,
};
use crate::error::Error;

/// A function's input: what is published, and the check.
#[derive(Debug)]
pub struct InputSchema {
    published: Value,
    plan: Plan,
    /// For what the plan does not know of the schema.
    #[cfg(feature = "schema")]
    full: Option<super::full::Full>,
}

impl InputSchema {
    /// From the parameters that are fields of the input. A field whose type takes `null` (an `Option`),
    /// or that has a default, may be left out.
    ///
    /// ```
    /// use tent_runtime::schema::{Field, InputSchema, InputEncoding};
    /// let fields = [Field::new::<u32>("id"), Field::new::<Option<String>>("note")];
    /// let schema = InputSchema::from_fields(&fields).unwrap();
    /// assert_eq!(schema.published()["required"], serde_json::json!(["id"]));
    ///
    /// let mut input = serde_json::json!({"id": 7.0, "note": null}).as_object().unwrap().clone();
    /// schema.validate(&mut input, InputEncoding::Json).unwrap();
    /// assert_eq!(serde_json::Value::from(input), serde_json::json!({"id": 7}));
    /// ```
    ///
    /// # Errors
    /// Every problem of the declaration, not only the first.
    pub fn from_fields(fields: &[Field]) -> Result<Self, Vec<Problem>> {
        let types: Vec<_> = fields.iter().map(|field| field.schema).collect();
        let source = Source::of(Side::Input, &types);
        let mut shaper = Shaper::new(Side::Input, source.definitions);
        let mut problems = Vec::new();
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let mut headers = BTreeSet::new();
        for (field, raw) in fields.iter().zip(source.roots) {
            if !is_name(field.name) {
                let message =
                    "model interfaces refuse this name; rename it to 1 to 64 of A-Z a-z 0-9 _ . -";
                problems.push(problem(codes::INVALID_FIELD_NAME, field.name, message));
            }
            if let Some(header) = field.header
                && !headers.insert(header.to_ascii_lowercase())
            {
                let message =
                    format!("another field is mirrored into the header `{header}` already");
                problems.push(problem(codes::INVALID_HEADER, field.name, message));
            }
            let mut schema = shaper.shape(raw, field.name);
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
        schema.stated_values_fit(fields)?;
        Ok(schema)
    }

    /// From the one type that is the whole input.
    ///
    /// # Errors
    /// Every problem of the type, not only the first: T7012 where it is not always one object, T7007 for an
    /// `x-mcp-header` that clients refuse.
    pub fn from_type(schema: fn(&mut SchemaGenerator) -> Schema) -> Result<Self, Vec<Problem>> {
        let mut source = Source::of(Side::Input, &[schema]);
        let mut shaper = Shaper::new(Side::Input, source.definitions);
        let raw = source.roots.pop().unwrap_or_default();
        let mut root = shaper.shape_root(raw);
        let mut problems = Vec::new();
        if root.contains_key("oneOf") || root.contains_key("anyOf") {
            let message = "it has several shapes, and model interfaces refuse such a union at the root; put the enum into a field of a struct, without `flatten`";
            problems.push(problem(codes::INPUT_NOT_AN_OBJECT, "", message));
        } else if root.get("type").and_then(Value::as_str) != Some("object") {
            let found = root
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or("any value");
            let message = format!("it is no object ({found}); take a struct with named fields");
            problems.push(problem(codes::INPUT_NOT_AN_OBJECT, "", message));
        }
        root.entry("properties").or_insert_with(|| json!({}));
        root.remove(keywords::NULL);
        root.remove("default");
        Self::made(shaper, root, problems)
    }

    /// From a schema of the author's own, which is published untouched. It is enforced as it stands: a
    /// keyword that is not enforced is a problem. With the feature `schema` every keyword is enforced.
    ///
    /// ```
    /// use tent_runtime::schema::InputSchema;
    /// let stated = serde_json::json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    /// let schema = InputSchema::from_declared(stated.clone()).unwrap();
    /// assert_eq!(*schema.published(), stated);
    /// assert_eq!(InputSchema::from_declared(true.into()).unwrap_err()[0].code, "T7012");
    /// ```
    ///
    /// # Errors
    /// Every problem of the schema, not only the first: T7012 where its root does not state
    /// `"type": "object"`, T7007 for an `x-mcp-header` that clients refuse, T7017 for what is not enforced.
    pub fn from_declared(stated: Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        if stated.get("type").and_then(Value::as_str) != Some("object") {
            let message = "the schema that is stated has no `\"type\": \"object\"` at its root";
            problems.push(problem(codes::INPUT_NOT_AN_OBJECT, "", message));
        }
        if let Value::Object(root) = &stated {
            problems.extend(mirrors::problems(root, None));
        }
        match compile(&stated, Purpose::Input) {
            Ok((plan, _)) if problems.is_empty() => Ok(InputSchema::checked(stated, plan)),
            Ok(_) => Err(problems),
            Err(more) => {
                problems.extend(more);
                Self::of_more(stated, problems)
            }
        }
    }

    /// From a schema of the author's own that the check alone does not enforce, for these `problems`.
    #[cfg(not(feature = "schema"))]
    fn of_more(_: Value, problems: Vec<Problem>) -> Result<Self, Vec<Problem>> {
        Err(problems)
    }

    #[cfg(feature = "schema")]
    fn of_more(stated: Value, problems: Vec<Problem>) -> Result<Self, Vec<Problem>> {
        // A root or a name that clients refuse is refused whoever checks the rest, and what refers to itself
        // without end takes everything in the eyes of the validator.
        let refused = |problem: &Problem| {
            problem.code != codes::INVALID_RULE || problem.message.ends_with(super::check::ENDLESS)
        };
        if problems.iter().any(refused) {
            let mut problems: Vec<_> = problems.into_iter().filter(refused).collect();
            problems.extend(super::full::Full::of(&stated).err().unwrap_or_default());
            return Err(problems);
        }
        let (full, outline) = super::full::Full::of(&stated)?;
        let (plan, _) = compile(&outline, Purpose::Input)?;
        Ok(InputSchema {
            published: stated,
            plan,
            full: Some(full),
        })
    }

    /// The validator of a form's fields, which enforces formats too.
    ///
    /// # Errors
    /// Every problem of the schema, also a default that is not valid for its own field.
    pub(crate) fn for_form(schema: Value) -> Result<Self, Vec<String>> {
        let (plan, _) = compile(&schema, Purpose::Form)
            .map_err(|problems| Vec::from_iter(problems.into_iter().map(|one| one.message)))?;
        let schema = InputSchema::checked(schema, plan);
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

    fn checked(published: Value, plan: Plan) -> Self {
        InputSchema {
            published,
            plan,
            #[cfg(feature = "schema")]
            full: None,
        }
    }

    /// What clients are shown.
    pub fn published(&self) -> &Value {
        &self.published
    }

    /// Checks `input` and brings it into its normal form: numbers folded, `null` as absent, constant
    /// defaults filled in. Of an input that does not fit, the form is not told.
    ///
    /// # Errors
    /// T0003 with every field that does not fit, up to a hundred. No message shows what was sent.
    ///
    /// What no schema says is not among them: that a text is no IP address, where the type is one, is found when
    /// the input is read into its types, once it fits here. A reader of a type stops at its first fault, which
    /// may be one of the schema's: what it could add is told once those are mended.
    pub fn validate(
        &self,
        input: &mut Map<String, Value>,
        encoding: InputEncoding,
    ) -> Result<(), Error> {
        let mode = match encoding {
            InputEncoding::Json => Mode::Json,
            InputEncoding::Strings => Mode::Strings,
        };
        let mut walk = Walk::new(&self.plan, mode);
        walk.root(input);
        #[cfg_attr(not(feature = "schema"), expect(unused_mut))]
        let mut found = walk.found();
        #[cfg(feature = "schema")]
        if let Some(full) = &self.full {
            let whole = Value::Object(std::mem::take(input));
            full.check(&self.plan, &whole, &mut found);
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

    /// How many steps [`validate`](Self::validate) takes for `input`.
    #[cfg(test)]
    pub(super) fn steps(&self, input: &mut Map<String, Value>) -> u64 {
        let mut walk = Walk::new(&self.plan, Mode::Json);
        walk.root(&mut Map::new());
        let least = walk.left();
        let mut walk = Walk::new(&self.plan, Mode::Json);
        walk.root(input);
        least.saturating_sub(walk.left())
    }

    /// The paths of the secret fields, `cards[].number` for a field of each item; sorted.
    pub fn secrets(&self) -> Vec<String> {
        self.plan.secrets()
    }

    /// The paths of the integers whose type is wider than 64 bits, sorted: JSON readers, this one too, have
    /// no room for all of their values, so they take what 64 bits hold.
    pub fn huge_integers(&self) -> Vec<String> {
        self.plan.huge()
    }

    /// Whether what stands at `path`, written like `cards[0].number`, is secret or lies in a secret:
    /// no message about it may show a value. Where secrets are, a path that leads nowhere counts as one.
    pub fn is_secret(&self, path: &str) -> bool {
        self.plan.is_secret(path)
    }

    /// What may be told of a misfit that another than this check found at `path`, and that may therefore
    /// show what was sent: where it has to do with a secret, the path ends before it and nothing is said of
    /// the value.
    pub(crate) fn redact(&self, path: &str, what: &str) -> (String, String) {
        let path = if path == WHOLE { "" } else { path };
        match self.plan.hidden(path) {
            Some(told) if what == REQUIRED => (told.to_owned(), what.to_owned()),
            Some(told) => (told.to_owned(), INVALID.to_owned()),
            None => (path.to_owned(), what.to_owned()),
        }
    }

    /// Whether the field `name` is secret or has a secret in it.
    pub(crate) fn has_secret_in(&self, name: &str) -> bool {
        self.plan.has_secret_in(name)
    }

    /// Puts `[secret]` in the place of every secret of `input`, which need not fit.
    ///
    /// ```
    /// use tent_runtime::schema::{Field, InputSchema};
    /// let pin = Field { secret: true, ..Field::new::<String>("pin") };
    /// let schema = InputSchema::from_fields(&[pin]).unwrap();
    /// let mut input = serde_json::Map::from_iter([("pin".to_owned(), "1234".into())]);
    /// schema.mask(&mut input);
    /// assert_eq!(input["pin"], "[secret]");
    /// ```
    pub fn mask(&self, input: &mut Map<String, Value>) {
        self.plan.mask(input);
    }

    fn made(
        shaper: Shaper,
        root: Map<String, Value>,
        mut problems: Vec<Problem>,
    ) -> Result<Self, Vec<Problem>> {
        for problem in mirrors::problems(&root, Some(shaper.kept())) {
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
        let (mut plan, defaults) = compile(&document, Purpose::Input)?;
        // The deeper come first, so that a default has in it what is filled in inside of it.
        for default in defaults {
            let mut value = default.value;
            let mut walk = Walk::new(&plan, Mode::Json);
            walk.visit(default.property, &mut value, &Path::ROOT);
            let fits = walk.found().is_empty();
            // What a type gives for its default need not be what it takes, and may have secrets in it:
            // nothing is said then.
            if (!fits || plan.holds_secret(default.property, &value))
                && let Some(Value::Object(schema)) = document.pointer_mut(&default.pointer)
            {
                schema.remove("default");
            }
            if fits {
                plan.set_default(default.node, &default.name, Some(value));
            }
        }
        let published = match &document {
            Value::Object(root) => keywords::published(root),
            other => other.clone(),
        };
        Ok(InputSchema::checked(published, plan))
    }

    /// What is wrong with `value` as the field `name`: paths and problems.
    fn invalid_in_field(&self, name: &str, mut value: Value) -> Vec<(String, String)> {
        let Some(id) = self.plan.property(name) else {
            return Vec::new();
        };
        let mut walk = Walk::new(&self.plan, Mode::Json);
        walk.visit(id, &mut value, &Path::ROOT.known(name));
        walk.found()
    }

    /// Whether the defaults and examples that `#[arg(…)]` states fit their own fields.
    fn stated_values_fit(&self, fields: &[Field]) -> Result<(), Vec<Problem>> {
        let mut problems = Vec::new();
        for field in fields {
            let stated = [("default", field.default), ("example", field.rules.example)];
            for (rule, value) in stated {
                let Some(value) = value.and_then(|value| value()) else {
                    continue;
                };
                for (path, what) in self.invalid_in_field(field.name, value) {
                    let message = format!("its own {rule} does not fit: `{path}` {what}");
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
