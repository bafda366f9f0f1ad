//! [`Field`]: one field of a form that is built field by field.

use serde_json::{Map, Value, json};

use crate::bounded;

/// A field of a [`Form`](super::Form).
#[derive(Clone, Debug)]
pub struct Field {
    schema: Map<String, Value>,
    optional: bool,
}

impl Field {
    fn new<const N: usize>(keywords: [(&str, Value); N]) -> Self {
        let keywords = keywords.map(|(keyword, value)| (keyword.to_owned(), value));
        Field {
            schema: Map::from_iter(keywords),
            optional: false,
        }
    }

    /// The schema of the field, which may have keywords that a form does not allow.
    pub(super) fn into_schema(self) -> Map<String, Value> {
        self.schema
    }

    pub(super) fn is_required(&self) -> bool {
        !self.optional && !self.schema.contains_key("default")
    }

    /// A string.
    pub fn text() -> Self {
        Field::new([("type", "string".into())])
    }

    /// A number.
    pub fn number() -> Self {
        Field::new([("type", "number".into())])
    }

    /// An integer.
    pub fn integer() -> Self {
        Field::new([("type", "integer".into())])
    }

    /// A boolean.
    pub fn boolean() -> Self {
        Field::new([("type", "boolean".into())])
    }

    /// A choice of one of these values.
    pub fn choice<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        Field::new([("type", "string".into()), ("enum", strings(values))])
    }

    /// A choice of one of these values. Each has a title, which the user reads.
    pub fn titled_choice<S: Into<String>, L: Into<String>>(
        values: impl IntoIterator<Item = (S, L)>,
    ) -> Self {
        Field::new([("type", "string".into()), ("oneOf", titled(values))])
    }

    /// A choice of any number of these values.
    pub fn choices<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        let items = json!({"type": "string", "enum": strings(values)});
        Field::new([("type", "array".into()), ("items", items)])
    }

    /// A choice of any number of these values. Each has a title, which the user reads.
    pub fn titled_choices<S: Into<String>, L: Into<String>>(
        values: impl IntoIterator<Item = (S, L)>,
    ) -> Self {
        let items = json!({"anyOf": titled(values)});
        Field::new([("type", "array".into()), ("items", items)])
    }

    fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.to_owned(), value.into());
        self
    }

    /// Sets the title, which the user reads.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.with("title", title.into())
    }

    /// Sets the description.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        self.with("description", about.into())
    }

    /// Sets the initial value, and makes the field optional.
    #[must_use]
    pub fn default(self, value: impl Into<Value>) -> Self {
        // No field takes a list of lists, so a default that nests too deep makes the form invalid.
        let value = bounded::check(value.into()).unwrap_or_else(|_| json!([[]]));
        self.with("default", value)
    }

    /// Makes the field optional.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Sets the minimum of a number.
    #[must_use]
    pub fn min(self, min: impl Into<f64>) -> Self {
        self.with("minimum", number(min.into()))
    }

    /// Sets the maximum of a number.
    #[must_use]
    pub fn max(self, max: impl Into<f64>) -> Self {
        self.with("maximum", number(max.into()))
    }

    /// Sets the minimum number of characters of a string, or of chosen values.
    #[must_use]
    pub fn min_len(self, min: u32) -> Self {
        let keyword = self.length_keyword("minItems", "minLength");
        self.with(keyword, min)
    }

    /// Sets the maximum number of characters of a string, or of chosen values.
    #[must_use]
    pub fn max_len(self, max: u32) -> Self {
        let keyword = self.length_keyword("maxItems", "maxLength");
        self.with(keyword, max)
    }

    fn length_keyword(&self, array: &'static str, string: &'static str) -> &'static str {
        match self.schema.get("type").and_then(Value::as_str) {
            Some("array") => array,
            _ => string,
        }
    }

    /// Sets the format of a string: `email`, `uri`, `date` or `date-time` (RFC 3339). A response that does not have the
    /// format is not valid. Any other format is an error when the form is sent (T0012).
    ///
    /// ```
    /// use tent::input::{Field, Form};
    /// let form = Form::new("When does it start?").field("day", Field::text().format("date"));
    /// # let _ = form;
    /// ```
    #[must_use]
    pub fn format(self, format: impl Into<String>) -> Self {
        self.with("format", format.into())
    }
}

/// A JSON number without a fraction where `number` is whole: clients may show `1.0` to the user as it is written.
fn number(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and in range")]
        let whole = number as i64;
        return whole.into();
    }
    number.into()
}

fn strings<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Value {
    let values = values.into_iter().map(Into::into);
    values.collect::<Vec<String>>().into()
}

fn titled<S: Into<String>, L: Into<String>>(values: impl IntoIterator<Item = (S, L)>) -> Value {
    let values = values.into_iter();
    values
        .map(|(value, title)| json!({"const": value.into(), "title": title.into()}))
        .collect()
}
