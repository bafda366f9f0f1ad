//! Numbers where another crate of the program turns on serde_json's feature `arbitrary_precision`.
//!
//! serde_json then hands a number to a visitor as an object with one private key, whose value is the text of the number.
//! This module finds such numbers and reads them as serde_json does without the feature, so that an app behaves the same
//! with every set of features. It must not accept an object of a client that has this key.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::{Number, Value};

use super::Key;

/// The key that stands for a number.
const NUMBER: &str = "$serde_json::private::Number";

/// What an object of serde_json is.
pub(super) enum Start<'de, A> {
    /// The text of a number.
    Number(String),
    Object(Members<'de, A>),
}

/// An object whose first key is read already.
pub(super) struct Members<'de, A> {
    first: Option<Cow<'de, str>>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> Members<'de, A> {
    /// Reads the first key of an object.
    pub(super) fn start(mut object: A) -> Result<Start<'de, A>, A::Error> {
        let first = object.next_key_seed(Key)?;
        if first.as_deref() == Some(NUMBER) {
            return Ok(Start::Number(object.next_value_seed(NumberText)?));
        }
        Ok(Start::Object(Members {
            first,
            rest: object,
        }))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(Cow::Borrowed(key)) => seed
                .deserialize(BorrowedStrDeserializer::new(key))
                .map(Some),
            Some(Cow::Owned(key)) => seed.deserialize(StringDeserializer::new(key)).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}

/// Reads the text of a number.
///
/// serde_json gives a visitor the text of a number as an owned `String`, and a string of the client as a `&str`. Only the
/// first is accepted.
struct NumberText;

impl<'de> DeserializeSeed<'de> for NumberText {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NumberText {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "another key: {} is not allowed", Value::from(NUMBER))
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<String, E> {
        Err(super::reserved(NUMBER))
    }

    fn visit_string<E>(self, text: String) -> Result<String, E> {
        Ok(text)
    }
}

/// A number by its text: an integer of 64 bits if it is written as one, else the nearest double.
pub(super) fn number<E: de::Error>(text: &str) -> Result<Value, E> {
    // -0 is a double: no integer is negative zero.
    if text != "-0" {
        if let Ok(number) = text.parse::<u64>() {
            return Ok(number.into());
        }
        if let Ok(number) = text.parse::<i64>() {
            return Ok(number.into());
        }
    }
    let number = text.parse().ok().and_then(Number::from_f64);
    number
        .map(Value::Number)
        .ok_or_else(|| E::custom("number out of range"))
}
