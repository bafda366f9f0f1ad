//! How a generated call takes its arguments out of an input: every argument is read before any is
//! missed, so that all fields that do not fit are named at once.
//!
//! Knows of each argument whether it is secret, and shows nothing of one that is; what is secret inside of
//! it only the schema knows. So the failures from here are marked as [`Misread`], and the door takes the
//! secrets out of them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::schema::{Field, INVALID, REQUIRED, invalid_input};

/// What a function may take by value: whatever can be read from an input without borrowing from it.
#[diagnostic::on_unimplemented(
    message = "T7006 borrowed-input: `{Self}` cannot be read from an input: it is not an owned type that implements `Deserialize`",
    label = "not an input",
    note = "help: write #[tent::data] on the type, or derive `serde::Deserialize` for it; take `String` for `&str`, `Vec<T>` for `&[T]`; what the app gives is taken by reference (`&T`)"
)]
pub trait Owned: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The path inside the value, empty at its root, and what is wrong there.
    fn read(value: Value) -> Result<Self, (String, String)>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Owned for T {
    fn read(value: Value) -> Result<Self, (String, String)> {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = match error.path().to_string() {
                root if root == "." => String::new(),
                path => path,
            };
            (path, error.into_inner().to_string())
        })
    }
}

/// What has a schema: the type of an input must be described to the caller.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema: it does not implement `JsonSchema` of the `schemars` that tent is built with",
    label = "not described",
    note = "help: write #[tent::data] on the type, or derive `tent::schemars::JsonSchema` (schemars 1) for it; the derive of another major version of schemars is a different trait"
)]
pub trait Described {
    /// Its schema.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema + ?Sized> Described for T {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

/// The schema of a type, as the declarations hold it.
pub const fn schema_of<T: Described + ?Sized>() -> fn(&mut SchemaGenerator) -> Schema {
    T::schema
}

/// What can be mirrored into a header.
#[diagnostic::on_unimplemented(
    message = "T7007 invalid-header: `{Self}` cannot be mirrored into a header",
    label = "not a string, an integer or a boolean",
    note = "help: put `header` on a string, an integer or a boolean, or on an Option of one"
)]
pub trait Mirrored {}

/// Asks the compiler whether a parameter can be mirrored into a header.
pub const fn mirrored<T: Mirrored + ?Sized>() {}

macro_rules! mirrored {
    ($($type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl Mirrored for $type {}
    )*};
}

mirrored!(
    String,
    Box<str>,
    std::sync::Arc<str>,
    std::rc::Rc<str>,
    std::borrow::Cow<'_, str>,
    char,
    bool,
    i8,
    i16,
    i32,
    i64,
    isize,
    u8,
    u16,
    u32,
    u64,
    usize,
);

#[diagnostic::do_not_recommend]
impl<T: Mirrored> Mirrored for Option<T> {}

/// An input on its way to a function's arguments.
#[derive(Debug)]
pub struct Arguments {
    input: Map<String, Value>,
    misfits: Vec<(String, String)>,
}

impl Arguments {
    /// Of an input that passed the check of the function's schema.
    pub fn new(input: Map<String, Value>) -> Self {
        Arguments {
            input,
            misfits: Vec::new(),
        }
    }

    /// The argument of this field. One that is absent is read as null, which is what an `Option` takes.
    /// `None` where it does not fit; [`refused`](Self::refused) then says why.
    pub fn take<T: Owned>(&mut self, field: &Field) -> Option<T> {
        match self.input.remove(field.name) {
            Some(value) => self.keep(field, T::read(value)),
            None => {
                let read = T::read(Value::Null).map_err(|_| (String::new(), REQUIRED.to_owned()));
                self.keep(field, read)
            }
        }
    }

    /// The argument of this field, or `default` where it is absent.
    pub fn take_or<T: Owned>(&mut self, field: &Field, default: fn() -> T) -> Option<T> {
        match self.input.remove(field.name) {
            Some(value) => self.keep(field, T::read(value)),
            None => Some(default()),
        }
    }

    /// The whole input as one argument.
    pub fn whole<T: Owned>(&mut self) -> Option<T> {
        match T::read(Value::Object(std::mem::take(&mut self.input))) {
            Ok(argument) => Some(argument),
            Err(misfit) => {
                self.misfits.push(misfit);
                None
            }
        }
    }

    fn keep<T>(&mut self, field: &Field, read: Result<T, (String, String)>) -> Option<T> {
        let (path, why) = match read {
            Ok(argument) => return Some(argument),
            Err(misfit) => misfit,
        };
        let joint = if path.is_empty() || path.starts_with('[') {
            ""
        } else {
            "."
        };
        // The texts of serde quote the value that they refuse.
        self.misfits.push(match field.secret && why != REQUIRED {
            true => (field.name.to_owned(), INVALID.to_owned()),
            false => (format!("{}{joint}{path}", field.name), why),
        });
        None
    }

    /// T0003 with every field that did not fit, marked as [`Misread`].
    pub fn refused(self) -> Error {
        invalid_input(self.misfits).with_source(Misread)
    }
}

/// Marks a failure whose fields say what serde says of a value that it refuses, which has the value in it.
#[derive(Debug)]
pub(crate) struct Misread;

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the input cannot be read into the function's types")
    }
}

impl std::error::Error for Misread {}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(input: Value) -> Arguments {
        match input {
            Value::Object(input) => Arguments::new(input),
            other => panic!("an input is an object, not {other}"),
        }
    }

    #[derive(serde::Deserialize)]
    struct Line {
        #[expect(dead_code, reason = "only read")]
        quantity: u8,
    }

    #[test]
    fn every_field_that_does_not_fit_is_named_with_its_path() {
        let mut given =
            arguments(json!({"id": "x", "lines": [{"quantity": 1}, {"quantity": 900}]}));
        let id: Option<u32> = given.take(&Field::new::<u32>("id"));
        let lines: Option<Vec<Line>> = given.take(&Field::new::<u32>("lines"));
        let title: Option<String> = given.take(&Field::new::<String>("title"));
        let note: Option<Option<String>> = given.take(&Field::new::<Option<String>>("note"));
        assert!(id.is_none() && lines.is_none() && title.is_none());
        assert_eq!(note, Some(None));
        let error = given.refused();
        assert_eq!(error.code(), "T0003");
        assert_eq!(
            Value::Object(error.fields().clone()),
            json!({
                "id": "invalid type: string \"x\", expected u32",
                "lines[1].quantity": "invalid value: integer `900`, expected u8",
                "title": "is required",
            })
        );
    }

    #[test]
    fn the_value_of_a_secret_is_in_no_message() {
        let mut given = arguments(json!({"pin": "hunter2"}));
        let field = Field {
            secret: true,
            ..Field::new::<u32>("pin")
        };
        assert_eq!(given.take::<u32>(&field), None);
        assert_eq!(given.refused().fields()["pin"], "does not fit its type");
    }
}
