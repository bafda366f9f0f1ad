//! Strict JSON: the reader of request bodies for both endpoints.
//!
//! It rejects duplicate keys in objects at every depth, also in values that it skips, so that two readers of one text
//! never see different values. It also rejects the private keys of serde_json ([`is_reserved`]), which would make
//! serde_json parse a text within the text. Nothing here recurses deeper than serde_json's limit of 128, and nothing here
//! knows HTTP or JSON-RPC.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sha2::Digest as _;
use tent_core::codes;

use self::number::{Members, Start};
pub(crate) use self::out_of_range::{in_range, is_out_of_range};
pub(crate) use self::strict::{Strict, strict_object};
use crate::error::Error;

/// Reads a body that is one JSON object.
///
/// # Errors
/// T0018 for a body that is not JSON in UTF-8, is not an object, nests deeper than 128, or has a duplicate or
/// [reserved](is_reserved) key.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| refused(&error))?;
    object_in(text).map_err(|why| refused(&why))
}

/// As [`object`], with the reason as a text.
pub(crate) fn object_in(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match read(text, Strict).map_err(|error| error.to_string())? {
        Value::Object(object) => Ok(object),
        _ => Err("it is not a JSON object".to_owned()),
    }
}

fn refused(why: &dyn fmt::Display) -> Error {
    Error::new(codes::INVALID_JSON).with_message(format!("The body cannot be read: {why}."))
}

/// Reads the whole text with `seed`. Text after the value is an error.
pub(crate) fn read<'de, S>(text: &'de str, seed: S) -> Result<S::Value, serde_json::Error>
where
    S: DeserializeSeed<'de> + Clone,
{
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = seed.clone().deserialize(&mut reader);
    match value.and_then(|value| reader.end().map(|()| value)) {
        Err(error) if out_of_range::is_cause(&error) => out_of_range::read(text, seed),
        read => read,
    }
}

/// About how many bytes of memory an object takes. A short text can take many: a number of one digit takes 32.
pub(crate) fn size_in_memory(object: &Map<String, Value>) -> usize {
    object.iter().fold(0, |size, (key, value)| {
        size + size_of::<String>() + key.len() + size_of_value(value)
    })
}

fn size_of_value(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size_of_value).sum(),
        Value::Object(members) => size_in_memory(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inner
}

/// The SHA-256 of a value. The order of keys in objects does not matter.
pub(crate) fn digest(value: &Value) -> [u8; 32] {
    let mut text = Vec::new();
    write_sorted(value, &mut text);
    digest_of(&text)
}

/// The SHA-256 of a text.
pub(crate) fn digest_of(text: &[u8]) -> [u8; 32] {
    sha2::Sha256::digest(text).into()
}

/// Names and an object as one text. The order of keys in objects does not matter.
pub(crate) fn sorted<const N: usize>(names: [&str; N], object: &Map<String, Value>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    for name in names {
        write_plain(&mut out, name);
        out.push(b',');
    }
    write_object(object, &mut out);
    out
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_sorted(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Object(object) => write_object(object, out),
        Value::Array(values) => {
            out.push(b'[');
            for value in values {
                write_sorted(value, out);
                out.push(b',');
            }
            out.push(b']');
        }
        plain => write_plain(out, plain),
    }
}

fn write_object(object: &Map<String, Value>, out: &mut Vec<u8>) {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    out.push(b'{');
    for (key, value) in members {
        write_plain(out, key);
        out.push(b':');
        write_sorted(value, out);
        out.push(b',');
    }
    out.push(b'}');
}

fn write_plain(out: &mut Vec<u8>, plain: &(impl serde::Serialize + ?Sized)) {
    serde_json::to_writer(out, plain).expect("texts and numbers are written to memory");
}

/// Whether serde_json reserves this key. It treats an object with only that key as the value whose JSON text the key holds:
/// another parser would read that text, with its own depth limit and without a check of keys, and the schema would not
/// see it.
pub(crate) fn is_reserved(key: &str) -> bool {
    key.starts_with("$serde_json::private::")
}

/// Receives one JSON value of any type. Types without their own method go to [`other`](Take::other) after they are read
/// strictly. Used through [`Taking`].
pub(crate) trait Take<'de>: Sized {
    /// The result.
    type Out;

    /// Any type without its own method.
    fn other(self) -> Self::Out;

    /// `null`.
    fn null(self) -> Self::Out {
        self.other()
    }

    /// A string, borrowed from the text unless it has an escape.
    fn text(self, _: Cow<'de, str>) -> Self::Out {
        self.other()
    }

    /// An array.
    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Out, A::Error> {
        while list.next_element_seed(Taking(Skip))?.is_some() {}
        Ok(self.other())
    }

    /// An object.
    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Out, A::Error> {
        let mut keys = Keys::default();
        while let Some(key) = object.next_key_seed(Key)? {
            keys.note(key)?;
            object.next_value_seed(Taking(Skip))?;
        }
        Ok(self.other())
    }
}

/// Adapts a [`Take`] to a seed of serde.
#[derive(Clone)]
pub(crate) struct Taking<T>(pub(crate) T);

impl<'de, T: Take<'de>> DeserializeSeed<'de> for Taking<T> {
    type Value = T::Out;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Out, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Take<'de>> Visitor<'de> for Taking<T> {
    type Value = T::Out;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<T::Out, E> {
        Ok(self.0.other())
    }

    fn visit_i64<E>(self, _: i64) -> Result<T::Out, E> {
        Ok(self.0.other())
    }

    fn visit_u64<E>(self, _: u64) -> Result<T::Out, E> {
        Ok(self.0.other())
    }

    fn visit_f64<E>(self, _: f64) -> Result<T::Out, E> {
        Ok(self.0.other())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<T::Out, D::Error> {
        Ok(self.0.other())
    }

    fn visit_unit<E>(self) -> Result<T::Out, E> {
        Ok(self.0.null())
    }

    fn visit_str<E>(self, text: &str) -> Result<T::Out, E> {
        Ok(self.0.text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T::Out, E> {
        Ok(self.0.text(Cow::Borrowed(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T::Out, A::Error> {
        self.0.list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T::Out, A::Error> {
        match Members::start(object)? {
            Start::Number(_) => Ok(self.0.other()),
            Start::Object(object) => self.0.object(object),
        }
    }
}

/// Reads a value strictly and discards it.
#[derive(Clone)]
pub(crate) struct Skip;

impl Take<'_> for Skip {
    type Out = ();

    fn other(self) {}
}

/// Reads the key of an object, borrowed from the text unless it has an escape.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
}

/// The keys of one object that are read so far.
///
/// A few keys are compared one by one, without an allocation or a hash, which suits nearly every object. More keys, and
/// those with escapes, go to a set, so that an object with many keys costs linear time.
#[derive(Default)]
struct Keys<'de> {
    few: [&'de str; FEW],
    count: usize,
    many: Option<HashSet<Cow<'de, str>>>,
}

const FEW: usize = 8;

impl<'de> Keys<'de> {
    /// Adds a key.
    ///
    /// # Errors
    /// If the key is a duplicate or [reserved](is_reserved).
    fn note<E: serde::de::Error>(&mut self, key: Cow<'de, str>) -> Result<(), E> {
        if is_reserved(&key) {
            return Err(reserved(&key));
        }
        let is_in_many = self.many.as_ref().is_some_and(|many| many.contains(&key));
        if self.few[..self.count].contains(&&*key) || is_in_many {
            return Err(duplicate(&key));
        }
        match (&key, self.few.get_mut(self.count)) {
            (Cow::Borrowed(key), Some(free)) => {
                *free = key;
                self.count += 1;
            }
            _ => {
                self.many.get_or_insert_default().insert(key);
            }
        }
        Ok(())
    }
}

fn duplicate<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!(
        "duplicate key {} in one object",
        Value::from(key)
    ))
}

fn reserved<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("the key {} is not allowed", Value::from(key)))
}

/// Reads the value of the member with this key, and returns whether it did.
type ReadMember<'f, A, E> = dyn FnMut(&str, &mut A) -> Result<bool, E> + 'f;

/// Reads the members of an object. `member` reads those that it knows and returns whether it did; the others are skipped.
///
/// # Errors
/// Those of `member`, and a duplicate key, which every object rejects.
// Not generic over `member`: with one loop for all objects, a request needs less of the instruction cache.
pub(crate) fn members<'de, A: MapAccess<'de>>(
    mut object: A,
    member: &mut ReadMember<'_, A, A::Error>,
) -> Result<(), A::Error> {
    let mut keys = Keys::default();
    while let Some(key) = object.next_key_seed(Key)? {
        if !member(&key, &mut object)? {
            object.next_value_seed(Taking(Skip))?;
        }
        keys.note(key)?;
    }
    Ok(())
}

mod digits;
mod number;
mod out_of_range;
mod strict;

#[cfg(test)]
mod tests;
