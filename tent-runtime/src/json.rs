//! Strict JSON: what both envelopes read bodies with. A key that stands twice in one object is refused
//! at every depth, also in what is skipped, so that no two readers of one text see different values; so is
//! a key that serde_json keeps for itself, which would make it read a text within the text ([`is_kept`]).
//!
//! Nothing here recurses deeper than serde_json's own limit of 128, and nothing here knows HTTP or
//! JSON-RPC.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sha2::Digest as _;
use tent_core::codes;

use crate::error::Error;

/// Reads a body that is one JSON object.
///
/// # Errors
/// T0018 for what is no JSON text in UTF-8, is no object, nests deeper than 128, holds a key twice in one
/// object, or holds a key that [`is_kept`].
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| refused(&error))?;
    object_in(text).map_err(|why| refused(&why))
}

/// As [`object`], with why it is none in words.
pub(crate) fn object_in(text: &str) -> Result<Map<String, Value>, String> {
    match read(text, Strict).map_err(|error| error.to_string())? {
        Value::Object(object) => Ok(object),
        _ => Err("it is no JSON object".to_owned()),
    }
}

fn refused(why: &dyn fmt::Display) -> Error {
    Error::new(codes::INVALID_JSON).with_message(format!("The body cannot be read: {why}."))
}

/// Reads the whole of `text`, and nothing after it, by `seed`.
pub(crate) fn read<'de, S>(text: &'de str, seed: S) -> Result<S::Value, serde_json::Error>
where
    S: DeserializeSeed<'de>,
{
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = seed.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// The SHA-256 of a value, in which the order of an object's keys makes no difference.
pub(crate) fn digest(value: &Value) -> [u8; 32] {
    let mut text = Vec::new();
    write_sorted(value, &mut text);
    digest_of(&text)
}

/// The SHA-256 of a text.
pub(crate) fn digest_of(text: &[u8]) -> [u8; 32] {
    sha2::Sha256::digest(text).into()
}

/// Names and an object as one text, in which the order of an object's keys makes no difference.
pub(crate) fn sorted<const N: usize>(names: [&str; N], object: &Map<String, Value>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    for name in names {
        write_plain(&mut out, name);
        out.push(b',');
    }
    write_object(object, &mut out);
    out
}

/// Bytes as text.
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

/// Whether serde_json keeps this key for itself. An object of one such key is to it no object but the value
/// whose text stands in it: it would be read by another parser than this one, with a limit of depth of its
/// own and no check of its keys, after the schema saw nothing of it.
pub(crate) fn is_kept(key: &str) -> bool {
    key.starts_with("$serde_json::private::")
}

/// Takes one JSON value of whatever type; the types that an implementor does not care for all come to
/// [`other`](Take::other), after they were read strictly. Used through [`Taking`].
pub(crate) trait Take<'de>: Sized {
    /// What it makes of the value.
    type Out;

    /// Any type that has no method of its own below.
    fn other(self) -> Self::Out;

    /// `null`.
    fn null(self) -> Self::Out {
        self.other()
    }

    /// A string: borrowed from the text unless it holds an escape.
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

/// Makes a [`Take`] a seed of serde.
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
        self.0.object(object)
    }
}

/// Reads a value strictly and keeps nothing of it.
pub(crate) struct Skip;

impl Take<'_> for Skip {
    type Out = ();

    fn other(self) {}
}

/// Reads an object's key, borrowed from the text unless it holds an escape.
pub(crate) struct Key;

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

/// The keys of one object that were read so far.
///
/// A few are compared one by one, which allocates and hashes nothing and suits nearly every object; above
/// that a set takes over, so that an object of many keys costs no square of their number.
#[derive(Default)]
pub(crate) struct Keys<'de> {
    few: [Cow<'de, str>; FEW],
    count: usize,
    many: HashSet<Cow<'de, str>>,
}

const FEW: usize = 8;

impl<'de> Keys<'de> {
    /// Adds a key.
    ///
    /// # Errors
    /// Where it is there already, or [`is_kept`].
    pub(crate) fn note<E: serde::de::Error>(&mut self, key: Cow<'de, str>) -> Result<(), E> {
        if is_kept(&key) {
            return Err(kept(&key));
        }
        if self.few[..self.count].contains(&key) || self.many.contains(&key) {
            return Err(twice(&key));
        }
        match self.few.get_mut(self.count) {
            Some(place) => {
                *place = key;
                self.count += 1;
            }
            None => {
                self.many.insert(key);
            }
        }
        Ok(())
    }
}

fn twice<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!(
        "the key {} stands twice in one object",
        Value::from(key)
    ))
}

fn kept<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("the key {} is not taken", Value::from(key)))
}

/// Reads a [`Value`] in which no object holds a key twice, or one that [`is_kept`].
pub(crate) struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Value, A::Error> {
        strict_object(object).map(Value::Object)
    }
}

/// Reads the rest of an object into a [`Map`], as [`Strict`] reads.
pub(crate) fn strict_object<'de, A>(mut object: A) -> Result<Map<String, Value>, A::Error>
where
    A: MapAccess<'de>,
{
    let mut map = Map::new();
    while let Some(key) = object.next_key::<String>()? {
        if is_kept(&key) {
            return Err(kept(&key));
        }
        if map.contains_key(&key) {
            return Err(twice(&key));
        }
        let value = object.next_value_seed(Strict)?;
        map.insert(key, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn strict(text: &str) -> Result<Value, String> {
        read(text, Strict).map_err(|error| error.to_string())
    }

    fn skipped(text: &str) -> Result<(), String> {
        read(text, Taking(Skip)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_type_is_read_as_serde_json_reads_it() {
        let text =
            r#"{"a":[1,-2,3.5,true,null,"x\n\u00e9"],"b":{"c":{}},"n":18446744073709551615}"#;
        let plain: Value = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(strict(text), Ok(plain));
        assert_eq!(skipped(text), Ok(()));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_at_every_depth_also_where_it_is_skipped() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"[{"b":{"c":[{"a":1,"x":2,"a":3}]}}]"#,
        ] {
            let error = strict(text).expect_err(text);
            assert!(error.starts_with(r#"the key "a" stands twice"#), "{error}");
            assert_eq!(skipped(text).expect_err(text), error);
        }
        assert_eq!(strict(r#"{"a":1,"A":2}"#), Ok(json!({"a": 1, "A": 2})));
    }

    #[test]
    fn a_key_that_serde_json_keeps_is_refused_at_every_depth_also_where_it_is_skipped() {
        for text in [
            r#"{"$serde_json::private::RawValue":"{\"a\":1,\"a\":2}"}"#,
            r#"{"\u0024serde_json::private::Number":"1"}"#,
            r#"[{"a":{"b":1,"$serde_json::private::RawValue":0}}]"#,
        ] {
            let error = strict(text).expect_err(text);
            assert!(error.contains("is not taken"), "{error}");
            assert_eq!(skipped(text).expect_err(text), error);
        }
        // As a value, or as a key of another name, it is a text like any other.
        let text = r#"{"a":"$serde_json::private::RawValue","$serde_json":1}"#;
        assert!(strict(text).is_ok() && skipped(text).is_ok());
    }

    /// Holds the name above to the serde_json that is built with: were the key renamed there, the refusal
    /// would be one of a name without a meaning.
    #[test]
    fn the_key_is_still_the_one_that_serde_json_keeps() {
        let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
        let plain: Value = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(plain, json!([1]));
    }

    #[test]
    fn many_keys_are_watched_too() {
        let mut text = String::from("{");
        for n in 0..1000 {
            text.push_str(&format!("\"k{n}\":0,"));
        }
        assert_eq!(skipped(&format!("{text}\"last\":0}}")), Ok(()));
        assert!(skipped(&format!("{text}\"k999\":0}}")).is_err());
    }

    #[test]
    fn what_nests_too_deep_is_refused_and_what_follows_the_value_too() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(strict(&nested(127)).is_ok() && skipped(&nested(127)).is_ok());
        for depth in [128, 200, 100_000] {
            assert!(strict(&nested(depth)).is_err() && skipped(&nested(depth)).is_err());
        }
        assert!(strict("{} {}").is_err());
    }

    #[test]
    fn a_body_that_is_no_object_is_t0018() {
        for body in [
            &b"[]"[..],
            b"",
            b"{",
            b"\xff{}",
            b"\xef\xbb\xbf{}",
            b"{\"a\":1,\"a\":1}",
        ] {
            assert_eq!(
                object(body).expect_err("refused").code(),
                "T0018",
                "{body:?}"
            );
        }
        let read = object(b" {\"a\": 1} ").map(Value::from);
        assert_eq!(read.ok(), Some(json!({"a": 1})));
    }
}
