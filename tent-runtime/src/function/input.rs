//! How generated code reads arguments from an input: [`InputProbe`] classifies the type of a parameter, and
//! [`Arguments`] reads all arguments before any is checked, so that one error names all invalid fields.
//!
//! Error texts of serde quote the rejected value. [`Arguments`] replaces them for a secret argument; for a secret
//! inside of an argument, which only the schema knows, the error carries the [`Misread`] marker and `dispatch` redacts it.

use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::cx::Cx;
use crate::error::Error;
use crate::schema::{Field, INVALID, REQUIRED, invalid_input};

/// A type that a function may take by value: it can be read from an input without borrowing from it.
#[diagnostic::on_unimplemented(
    message = "T7006 borrowed-input: `{Self}` is not an owned type that implements `Deserialize`",
    label = "not a valid input",
    note = "help: write #[tent::data] on the type, or derive `serde::Deserialize` for it; inputs must be owned: use `String` for `&str`, `Vec<T>` for `&[T]`; for app state, take `&{Self}`"
)]
pub trait Owned: Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// The path inside of the value, empty for the value itself, and the problem.
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

/// A type with a schema. Every input has one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema: it does not implement `JsonSchema` of tent's `schemars`",
    label = "no schema",
    note = "help: write #[tent::data] on the type, or derive `tent::schemars::JsonSchema` (schemars 1) for it; the derive of another major version of schemars is a different trait; for app state, take `&{Self}`"
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

/// Classifies the type `T` of a parameter that is an input.
///
/// An inherent constant wins over a constant of a trait, so `InputProbe::<T>::KIND` is `CallByValue` for [`Cx`],
/// `ArcByValue` for an `Arc`, `Unit` for `()`, and [`OtherInput::KIND`] for all other types. The first three exist for
/// their error texts: they say what to write instead.
#[derive(Debug)]
pub struct InputProbe<T>(PhantomData<fn() -> T>);

/// The constant of [`InputProbe`] for types without an inherent one.
pub trait OtherInput {
    /// The type itself.
    type Type;
    /// It is neither the call nor an `Arc`.
    const KIND: AnyInput<Self::Type> = AnyInput(PhantomData);
}

impl<T> OtherInput for InputProbe<T> {
    type Type = T;
}

impl InputProbe<Cx> {
    /// It is the call.
    pub const KIND: CallByValue<Cx> = CallByValue(PhantomData);
}

impl InputProbe<()> {
    /// It is `()`.
    pub const KIND: Unit<()> = Unit(PhantomData);
}

impl<T: ?Sized> InputProbe<Arc<T>> {
    /// It is an `Arc`.
    pub const KIND: ArcByValue<T> = ArcByValue(PhantomData);
}

/// An input of any type.
#[derive(Debug)]
pub struct AnyInput<T>(PhantomData<fn() -> T>);

impl<T> AnyInput<T> {
    /// The functions that read and describe the type.
    // The bounds are on the method: an unmet bound of the `impl` block would be reported as a missing method.
    pub const fn tent_input(self) -> InputOf<T>
    where
        T: Described + Owned,
    {
        InputOf {
            schema: T::schema,
            read: T::read,
        }
    }
}

/// An input of type [`Cx`], which is always an error.
#[derive(Debug)]
pub struct CallByValue<T>(PhantomData<fn() -> T>);

/// A bound that no type satisfies: its error text says to take `&Cx`.
#[diagnostic::on_unimplemented(
    message = "T7006 borrowed-input: the call is taken by reference, not by value",
    label = "the call by value",
    note = "help: take `&Cx`"
)]
pub trait CallByReference {}

impl<T> CallByValue<T> {
    /// Fails to compile.
    pub const fn tent_input(self) -> InputOf<T>
    where
        T: CallByReference,
    {
        InputOf {
            schema: |_| Schema::default(),
            read: |_| Err(Default::default()),
        }
    }
}

/// An input of type `()`, which is always an error: callers would have to send `null`.
#[derive(Debug)]
pub struct Unit<T>(PhantomData<fn() -> T>);

/// A bound that no type satisfies: its error text says to remove the parameter.
#[diagnostic::on_unimplemented(
    message = "T7005 unsupported-signature: a parameter of type `()` has no value that a caller can choose",
    label = "no value",
    note = "help: remove the parameter"
)]
pub trait Chosen {}

impl<T> Unit<T> {
    /// Fails to compile.
    pub const fn tent_input(self) -> InputOf<T>
    where
        T: Chosen,
    {
        InputOf {
            schema: |_| Schema::default(),
            read: |_| Err(Default::default()),
        }
    }
}

/// An input of type `Arc<T>`. It is valid for a `T` that can be read from an input, such as `str`.
#[derive(Debug)]
pub struct ArcByValue<T: ?Sized>(PhantomData<fn() -> Arc<T>>);

/// A type whose `Arc` can be read from an input.
#[diagnostic::on_unimplemented(
    message = "T7006 borrowed-input: `Arc<{Self}>` cannot be read from the input; app state is taken by reference",
    label = "an `Arc` by value",
    note = "help: for app state, take `&{Self}`; for an input, write #[tent::data] on the type"
)]
pub trait ReadAsArc {
    /// The schema of the `Arc`.
    fn schema(generator: &mut SchemaGenerator) -> Schema;

    /// Reads the `Arc`.
    ///
    /// # Errors
    /// As [`Owned::read`].
    fn read(value: Value) -> Result<Arc<Self>, (String, String)>;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> ReadAsArc for T
where
    Arc<T>: Described + Owned,
{
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        <Arc<T> as Described>::schema(generator)
    }

    fn read(value: Value) -> Result<Arc<T>, (String, String)> {
        <Arc<T> as Owned>::read(value)
    }
}

impl<T: ?Sized> ArcByValue<T> {
    /// The functions that read and describe the `Arc`.
    pub const fn tent_input(self) -> InputOf<Arc<T>>
    where
        T: ReadAsArc,
    {
        InputOf {
            schema: T::schema,
            read: T::read,
        }
    }
}

/// [`Owned::read`] of one type.
pub type ReadInput<T> = fn(Value) -> Result<T, (String, String)>;

/// The functions that read and describe an input of type `T`, so that generated code states the bounds once.
#[derive(Debug)]
pub struct InputOf<T> {
    /// [`Described::schema`].
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// [`Owned::read`].
    pub read: ReadInput<T>,
}

/// A type whose values can be mirrored into a header.
#[diagnostic::on_unimplemented(
    message = "T7007 invalid-header: `{Self}` cannot be mirrored into a header",
    label = "not a string, an integer or a boolean",
    note = "help: use `header` on a string, an integer or a boolean, or on an Option of one"
)]
pub trait Mirrored {}

/// Compiles only for a type that can be mirrored into a header.
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

/// An input that is being read into the arguments of a function.
#[derive(Debug)]
pub struct Arguments {
    input: Map<String, Value>,
    invalid: Vec<(String, String)>,
}

impl Arguments {
    /// Starts with an input that the schema of the function accepts.
    pub fn new(input: Map<String, Value>) -> Self {
        Arguments {
            input,
            invalid: Vec::new(),
        }
    }

    /// Reads the argument of a field with `read`. An absent field is read as null, which an `Option` accepts. Returns `None` for an
    /// invalid argument; [`into_error`](Self::into_error) then has the reason.
    pub fn take<T>(&mut self, field: &Field, read: ReadInput<T>) -> Option<T> {
        let value = match self.input.remove(field.name) {
            Some(value) => read(value),
            None => read(Value::Null).map_err(|_| (String::new(), REQUIRED.to_owned())),
        };
        self.record(field, value)
    }

    /// Reads the argument of a field, or returns `default` if the field is absent.
    pub fn take_or<T>(
        &mut self,
        field: &Field,
        read: ReadInput<T>,
        default: fn() -> T,
    ) -> Option<T> {
        match self.input.remove(field.name) {
            Some(value) => self.record(field, read(value)),
            None => Some(default()),
        }
    }

    /// Reads the whole input as one argument.
    pub fn take_all<T>(&mut self, read: ReadInput<T>) -> Option<T> {
        let value = read(Value::Object(std::mem::take(&mut self.input)));
        value.map_err(|problem| self.invalid.push(problem)).ok()
    }

    fn record<T>(&mut self, field: &Field, read: Result<T, (String, String)>) -> Option<T> {
        let (path, problem) = match read {
            Ok(argument) => return Some(argument),
            Err(invalid) => invalid,
        };
        let separator = if path.is_empty() || path.starts_with('[') {
            ""
        } else {
            "."
        };
        // The texts of serde quote the value that they reject.
        self.invalid
            .push(match field.secret && problem != REQUIRED {
                true => (field.name.to_owned(), INVALID.to_owned()),
                false => (format!("{}{separator}{path}", field.name), problem),
            });
        None
    }

    /// T0003 with every invalid field, marked as [`Misread`].
    pub fn into_error(self) -> Error {
        invalid_input(self.invalid).with_source(Misread)
    }
}

/// Marks an error whose fields hold texts of serde, which may quote secret values.
#[derive(Debug)]
pub(crate) struct Misread;

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the input cannot be read into the types of the function")
    }
}

impl std::error::Error for Misread {}

#[cfg(test)]
mod tests;
