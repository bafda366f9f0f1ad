//! [`Form`]: what a person is to fill in, by a type or field by field.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::declared;
use super::format::Format;
use super::restricted::{self, Restricted};
use super::{IntoInputRequest, Kind, Reply, TypedInputRequest, person};
use crate::error::{Error, Result};
use crate::schema::{InputEncoding, InputSchema};

/// A form for the person: by a type with [`form`](super::form), else field by field.
///
/// ```
/// use tent_runtime::cx::input::{Field, Form};
/// let form = Form::new("Which colour, and how many?")
///     .field("colour", Field::titled_choice([("#f00", "Red"), ("#00f", "Blue")]))
///     .field("count", Field::integer().min(1).max(9).default(1));
/// # let _ = form;
/// ```
#[derive(Clone, Debug)]
pub struct Form<T = Map<String, Value>> {
    message: String,
    schema: Result<Restricted, Vec<String>>,
    gives: PhantomData<fn() -> T>,
}

impl Form {
    /// Without fields yet.
    pub fn new(message: impl Into<String>) -> Self {
        Form {
            message: message.into(),
            schema: Ok(Restricted::default()),
            gives: PhantomData,
        }
    }

    /// With a schema by hand: a flat object, as the standard has it for `requestedSchema` (client/elicitation,
    /// Requested Schema). What the standard has no words for is found when it is asked (T0012), so no rule
    /// that is stated is left out; what but describes, such as `$schema` and `examples`, is not sent.
    pub fn of_schema(message: impl Into<String>, schema: Value) -> Self {
        Form {
            message: message.into(),
            schema: declared::of_form(&schema),
            gives: PhantomData,
        }
    }

    /// With one field more. It has to be filled in, unless it is [`optional`](Field::optional) or has a default.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, field: Field) -> Self {
        let name = name.into();
        let required = !field.optional && !field.schema.contains_key("default");
        let added = declared::of_field(&name, field.schema);
        match (&mut self.schema, added) {
            (Ok(schema), Ok(field)) => schema.add(name, field, required),
            (Err(problems), Err(problem)) => problems.push(problem),
            (Ok(_), Err(problem)) => self.schema = Err(vec![problem]),
            (Err(_), Ok(_)) => {}
        }
        self
    }
}

impl<T: JsonSchema> Form<T> {
    pub(super) fn from_type(message: String) -> Self {
        Form {
            message,
            schema: restricted::from_type::<T>(),
            gives: PhantomData,
        }
    }
}

impl<T: DeserializeOwned + Send + 'static> IntoInputRequest for Form<T> {
    type Response = Reply<T>;

    fn into_input_request(self) -> Result<TypedInputRequest<Reply<T>>> {
        let refused = |problems: &[String]| {
            let problems = problems.join("; ");
            Error::unexpected(format!("a form cannot be asked as it stands: {problems}"))
        };
        let Restricted { published, check } = self.schema.map_err(|all| refused(&all))?;
        let check = InputSchema::from_declared(check).map_err(|problems| {
            let problems: Vec<_> = problems.into_iter().map(|one| one.message).collect();
            refused(&problems)
        })?;
        let formats = Format::all(&published);
        let defaults = formats.iter().filter_map(|(name, _)| {
            let default = published["properties"][name].get("default")?;
            Some((name.clone(), default.clone()))
        });
        let strange = Format::misfits(&formats, &defaults.collect());
        if !strange.is_empty() {
            return Err(refused(&strange));
        }
        let kind = Kind::Form {
            message: self.message,
            schema: published,
        };
        Ok(TypedInputRequest::new(kind, move |answer| {
            person(answer, |mut filled| {
                // What was left empty, for clients that send every field.
                filled.retain(|_, value| !value.is_null());
                check
                    .validate(&mut filled, InputEncoding::Json)
                    .map_err(|error| misfits(&error))?;
                let strange = Format::misfits(&formats, &filled);
                if !strange.is_empty() {
                    return Err(format!("does not fit the form: {}", strange.join("; ")));
                }
                serde_json::from_value(filled.into())
                    .map_err(|why| format!("does not fit the form: {why}"))
            })
        }))
    }
}

fn misfits(error: &Error) -> String {
    let fields = error.fields().iter().map(|(field, what)| match what {
        Value::String(what) => format!("{field} {what}"),
        other => format!("{field} {other}"),
    });
    let fields: Vec<_> = fields.collect();
    format!("does not fit the form: {}", fields.join("; "))
}

/// One field of a form.
#[derive(Clone, Debug)]
pub struct Field {
    schema: Map<String, Value>,
    optional: bool,
}

impl Field {
    fn of(schema: Value) -> Self {
        let schema = match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        Field {
            schema,
            optional: false,
        }
    }

    /// A text.
    pub fn text() -> Self {
        Field::of(json!({"type": "string"}))
    }

    /// A number.
    pub fn number() -> Self {
        Field::of(json!({"type": "number"}))
    }

    /// A whole number.
    pub fn integer() -> Self {
        Field::of(json!({"type": "integer"}))
    }

    /// Yes or no.
    pub fn boolean() -> Self {
        Field::of(json!({"type": "boolean"}))
    }

    /// One of these.
    pub fn choice<S: Into<String>>(of: impl IntoIterator<Item = S>) -> Self {
        Field::of(json!({"type": "string", "enum": texts(of)}))
    }

    /// One of these values, each with the title that the person reads.
    pub fn titled_choice<S: Into<String>, L: Into<String>>(
        of: impl IntoIterator<Item = (S, L)>,
    ) -> Self {
        Field::of(json!({"type": "string", "oneOf": titled(of)}))
    }

    /// Any number of these.
    pub fn choices<S: Into<String>>(of: impl IntoIterator<Item = S>) -> Self {
        Field::of(json!({"type": "array", "items": {"type": "string", "enum": texts(of)}}))
    }

    /// Any number of these values, each with the title that the person reads.
    pub fn titled_choices<S: Into<String>, L: Into<String>>(
        of: impl IntoIterator<Item = (S, L)>,
    ) -> Self {
        Field::of(json!({"type": "array", "items": {"anyOf": titled(of)}}))
    }

    fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.to_owned(), value.into());
        self
    }

    /// Its title, which the person reads.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.with("title", title.into())
    }

    /// What it is for.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        self.with("description", about.into())
    }

    /// What stands in it at first. It may then be left out.
    #[must_use]
    pub fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }

    /// It may be left out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The least number.
    #[must_use]
    pub fn min(self, least: impl Into<f64>) -> Self {
        self.with("minimum", number(least.into()))
    }

    /// The greatest number.
    #[must_use]
    pub fn max(self, most: impl Into<f64>) -> Self {
        self.with("maximum", number(most.into()))
    }

    /// The least number of characters of a text, or of things chosen.
    #[must_use]
    pub fn min_len(self, least: u32) -> Self {
        let keyword = self.of_length("minItems", "minLength");
        self.with(keyword, least)
    }

    /// The greatest number of characters of a text, or of things chosen.
    #[must_use]
    pub fn max_len(self, most: u32) -> Self {
        let keyword = self.of_length("maxItems", "maxLength");
        self.with(keyword, most)
    }

    fn of_length(&self, of_list: &'static str, of_text: &'static str) -> &'static str {
        match self.schema.get("type").and_then(Value::as_str) {
            Some("array") => of_list,
            _ => of_text,
        }
    }

    /// What a text is: `email`, `uri`, `date` or `date-time`, the last two as RFC 3339 has them. The client is
    /// told, and what comes back is held to it: an answer that plainly is none does not fit. Another format is found when
    /// the form is asked (T0012).
    ///
    /// ```
    /// use tent_runtime::cx::input::{Field, Form};
    /// let form = Form::new("When does it start?").field("day", Field::text().format("date"));
    /// # let _ = form;
    /// ```
    #[must_use]
    pub fn format(self, format: impl Into<String>) -> Self {
        self.with("format", format.into())
    }
}

/// A whole number as one, since a client may show it as it is written.
fn number(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and in range")]
        let whole = number as i64;
        return whole.into();
    }
    number.into()
}

fn texts<S: Into<String>>(of: impl IntoIterator<Item = S>) -> Vec<String> {
    of.into_iter().map(Into::into).collect()
}

fn titled<S: Into<String>, L: Into<String>>(of: impl IntoIterator<Item = (S, L)>) -> Vec<Value> {
    let one = |(value, title): (S, L)| json!({"const": value.into(), "title": title.into()});
    of.into_iter().map(one).collect()
}
