//! A second reader of JSON, for texts with a number beyond the doubles, such as `1e999` or 5,000 digits.
//!
//! For serde_json such a number is an error of the whole text. This reader puts [a mark](mark) in its place, which no
//! schema accepts, so that a client learns which field it is. It is slower, and runs after serde_json has failed only.
//! Both readers accept the same texts apart from these numbers. Must not recurse deeper than serde_json does.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};

use super::digits::is_number;

/// The maximum nesting depth, which is that of serde_json.
const MAX_DEPTH: u8 = 127;
/// The key of the object that stands for a number out of range. A text cannot have it: see [`is_reserved`](super::is_reserved).
const MARK: &str = "$serde_json::private::OutOfRange";
/// The name by which serde_json asks a deserializer for the text of a value.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Whether serde_json failed with a number that this reader can read.
pub(super) fn is_cause(error: &Error) -> bool {
    error.to_string().starts_with("number out of range")
}

/// The value that stands for a number out of the range of doubles.
pub(super) fn mark() -> Value {
    Map::from_iter([(MARK.to_owned(), Value::Null)]).into()
}

/// Whether the value stands for a number out of the range of doubles.
pub(crate) fn is_out_of_range(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.len() == 1 && object.contains_key(MARK))
}

/// The value, if it has no number out of range. For values that no schema checks.
///
/// # Errors
/// As serde_json fails for such a number.
pub(crate) fn in_range<E: serde::de::Error>(value: Value) -> Result<Value, E> {
    fn holds(value: &Value) -> bool {
        match value {
            Value::Array(items) => items.iter().any(holds),
            Value::Object(object) => is_out_of_range(value) || object.values().any(holds),
            _ => false,
        }
    }
    match holds(&value) {
        true => Err(E::custom("number out of range")),
        false => Ok(value),
    }
}

/// Reads the whole text with `seed`.
pub(super) fn read<'de, S>(text: &'de str, seed: S) -> Result<S::Value, Error>
where
    S: DeserializeSeed<'de>,
{
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    let value = seed.deserialize(&mut reader);
    let value = value.and_then(|value| match reader.peek() {
        None => Ok(value),
        Some(_) => Err(Error::custom("trailing characters")),
    });
    value.map_err(|error| {
        // A syntax error keeps the words and the category of the usual reader.
        if let Err(syntax) = serde_json::from_str::<serde::de::IgnoredAny>(text)
            && !is_cause(&syntax)
        {
            return syntax;
        }
        let before = &text.as_bytes()[..reader.at.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count();
        // serde_json finds the position in the message.
        Error::custom(format_args!("{error} at line {line} column {column}"))
    })
}

struct Reader<'de> {
    text: &'de str,
    at: usize,
    depth: u8,
}

impl<'de> Reader<'de> {
    /// The next byte that is not white space, which stays unread.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        match self.peek() {
            Some(next) if next == byte => {
                self.at += 1;
                Ok(())
            }
            _ => Err(Error::custom(format_args!(
                "expected `{}`",
                char::from(byte)
            ))),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Error> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Error::custom("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let rest = &self.text[self.at..];
        let length = rest
            .bytes()
            .take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .count();
        let token = &rest[..length];
        if !is_number(token) {
            return Err(Error::custom("invalid number"));
        }
        self.at += length;
        // -0 is a double: no integer is negative zero.
        if token != "-0" {
            if let Ok(number) = token.parse() {
                return visitor.visit_u64(number);
            }
            if let Ok(number) = token.parse() {
                return visitor.visit_i64(number);
            }
        }
        match token.parse::<f64>() {
            Ok(number) if number.is_finite() => visitor.visit_f64(number),
            // No reader of JSON visits a newtype otherwise, so the visitors of `json` know it for the mark.
            _ => visitor.visit_newtype_struct(().into_deserializer()),
        }
    }

    /// The token of a string, with its quotes, and whether it has an escape.
    fn string(&mut self) -> Result<(&'de str, bool), Error> {
        self.expect(b'"')?;
        let start = self.at - 1;
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(0..0x20) | None => return Err(Error::custom("invalid string")),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok((&self.text[start..self.at], escaped))
    }

    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.string()? {
            (token, false) => visitor.visit_borrowed_str(&token[1..token.len() - 1]),
            (token, true) => visitor.visit_string(serde_json::from_str(token)?),
        }
    }

    fn nested<T>(
        &mut self,
        end: u8,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.depth == MAX_DEPTH {
            return Err(Error::custom("recursion limit exceeded"));
        }
        self.at += 1;
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        self.expect(end)?;
        Ok(value)
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'n') => self.word("null").and_then(|()| visitor.visit_unit()),
            Some(b't') => self.word("true").and_then(|()| visitor.visit_bool(true)),
            Some(b'f') => self.word("false").and_then(|()| visitor.visit_bool(false)),
            Some(b'"') => self.visit_string(visitor),
            Some(b'-' | b'0'..=b'9') => self.number(visitor),
            Some(b'[') => self.nested(b']', |reader| visitor.visit_seq(Members::new(reader))),
            Some(b'{') => self.nested(b'}', |reader| visitor.visit_map(Members::new(reader))),
            _ => Err(Error::custom("expected a value")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'n') => self.word("null").and_then(|()| visitor.visit_none()),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name != RAW_VALUE {
            return visitor.visit_newtype_struct(self);
        }
        self.peek();
        let start = self.at;
        <serde::de::IgnoredAny as serde::Deserialize>::deserialize(&mut *self)?;
        visitor.visit_map(Raw(Some(&self.text[start..self.at])))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// The members of an array or an object.
struct Members<'r, 'de> {
    reader: &'r mut Reader<'de>,
    is_first: bool,
}

impl<'r, 'de> Members<'r, 'de> {
    fn new(reader: &'r mut Reader<'de>) -> Self {
        Members {
            reader,
            is_first: true,
        }
    }

    /// Reads the comma before the next member, and returns whether there is one.
    fn advance(&mut self, end: u8) -> Result<bool, Error> {
        if self.reader.peek() == Some(end) {
            return Ok(false);
        }
        if !std::mem::replace(&mut self.is_first, false) {
            self.reader.expect(b',')?;
            if self.reader.peek() == Some(end) {
                return Err(Error::custom("trailing comma"));
            }
        }
        Ok(true)
    }
}

impl<'de> SeqAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        match self.advance(b']')? {
            true => seed.deserialize(&mut *self.reader).map(Some),
            false => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if !self.advance(b'}')? {
            return Ok(None);
        }
        if self.reader.peek() != Some(b'"') {
            return Err(Error::custom("key must be a string"));
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        self.reader.expect(b':')?;
        seed.deserialize(&mut *self.reader)
    }
}

/// The text of a value, as a `RawValue` of serde_json takes it.
struct Raw<'de>(Option<&'de str>);

impl<'de> MapAccess<'de> for Raw<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        match self.0 {
            Some(_) => seed
                .deserialize(BorrowedStrDeserializer::new(RAW_VALUE))
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(BorrowedStrDeserializer::new(
            self.0.take().unwrap_or("null"),
        ))
    }
}

#[cfg(test)]
mod tests;
