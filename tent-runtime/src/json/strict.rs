//! [`Strict`]: reads a whole [`Value`], and refuses what another reader of the same text could see differently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::number::{Members, Start, number};
use super::{duplicate, is_reserved, reserved};

/// Reads a [`Value`] without duplicate or reserved keys.
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
        match Members::start(object)? {
            Start::Number(text) => number(&text),
            Start::Object(object) => strict_object(object).map(Value::Object),
        }
    }
}

/// Reads the rest of an object into a [`Map`], as strictly as [`Strict`].
pub(crate) fn strict_object<'de, A>(mut object: A) -> Result<Map<String, Value>, A::Error>
where
    A: MapAccess<'de>,
{
    let mut map = Map::new();
    while let Some(key) = object.next_key::<String>()? {
        if is_reserved(&key) {
            return Err(reserved(&key));
        }
        if map.contains_key(&key) {
            return Err(duplicate(&key));
        }
        let value = object.next_value_seed(Strict)?;
        map.insert(key, value);
    }
    Ok(map)
}
