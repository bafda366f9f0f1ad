//! [`Form`]: an elicitation in form mode, with the fields of a type or with fields that are added one by one.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::field::Field;
use super::form_schema::{self, FormSchema};
use super::{InputResponse, IntoInputRequest, Kind, OTHER_KIND, Reply, TypedInputRequest};
use crate::bounded;
use crate::error::{Error, Result};
use crate::schema::{InputEncoding, InputSchema};

/// A form for the user. [`form`](super::form) builds one from a type; [`Form::new`] builds one field by field.
///
/// ```
/// use tent::input::{Field, Form};
/// let form = Form::new("Which colour, and how many?")
///     .field("colour", Field::titled_choice([("#f00", "Red"), ("#00f", "Blue")]))
///     .field("count", Field::integer().min(1).max(9).default(1));
/// # let _ = form;
/// ```
#[derive(Clone, Debug)]
pub struct Form<T = Map<String, Value>> {
    message: String,
    /// The schema, or every problem of it.
    schema: Result<FormSchema, Vec<String>>,
    content: PhantomData<fn() -> T>,
}

impl Form {
    /// A form without fields.
    pub fn new(message: impl Into<String>) -> Self {
        Form::with(message.into(), Ok(FormSchema::default()))
    }

    /// A form with a handwritten schema: a flat object, as MCP defines `requestedSchema` (client/elicitation, Requested
    /// Schema). A keyword that MCP does not allow there is an error when the form is sent (T0012), so that no rule is
    /// dropped silently. Keywords that only describe, such as `$schema` and `examples`, are removed.
    pub fn from_schema(message: impl Into<String>, schema: Value) -> Self {
        let schema = bounded::check(schema).map_err(|why| vec![why.to_string()]);
        let schema = schema.and_then(|schema| form_schema::from_declared(&schema));
        Form::with(message.into(), schema)
    }

    /// Adds a field. The field is required unless it is [`optional`](Field::optional) or has a default.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, field: Field) -> Self {
        let name = name.into();
        let required = field.is_required();
        let added = form_schema::declared_field(&name, field.into_schema());
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
        Form::with(message, form_schema::from_type::<T>())
    }
}

impl<T> Form<T> {
    fn with(message: String, schema: Result<FormSchema, Vec<String>>) -> Self {
        Form {
            message,
            schema,
            content: PhantomData,
        }
    }
}

impl<T: DeserializeOwned + Send + 'static> IntoInputRequest for Form<T> {
    type Response = Reply<T>;

    fn into_input_request(self) -> Result<TypedInputRequest<Reply<T>>> {
        let refused = |problems: Vec<String>| {
            let problems = problems.join("; ");
            Error::unexpected(format!("the form is not valid: {problems}"))
        };
        let schema = self.schema.map_err(refused)?;
        let validator = InputSchema::for_form(schema.validated()).map_err(refused)?;
        let kind = Kind::Form {
            message: self.message,
            schema: schema.into_published(),
        };
        let read = move |mut fields: Map<String, Value>| {
            // Some clients send every field and write `null` for the empty ones.
            fields.retain(|_, value| !value.is_null());
            validator
                .validate(&mut fields, InputEncoding::Json)
                .map_err(|error| invalid(&error))?;
            serde_json::from_value(fields.into()).map_err(|why| format!("is not valid: {why}"))
        };
        Ok(TypedInputRequest::new(
            kind,
            move |response| match response {
                InputResponse::Elicitation(reply) => reply.try_map(&read),
                _ => Err(OTHER_KIND.to_owned()),
            },
        ))
    }
}

/// The invalid fields of a T0003 as the end of a sentence.
fn invalid(error: &Error) -> String {
    let fields = error.fields().iter().map(|(field, problem)| match problem {
        Value::String(problem) => format!("{field} {problem}"),
        other => format!("{field} {other}"),
    });
    let fields: Vec<_> = fields.collect();
    format!("is not valid: {}", fields.join("; "))
}
