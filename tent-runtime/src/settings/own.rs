//! Holds the app's own settings as a tree, and deserializes them into the types that the app chooses.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// A string, or a table of nodes.
#[derive(Clone)]
pub(super) enum Node {
    Text(String),
    Table(BTreeMap<String, Node>),
}

impl Node {
    /// Sets the string at `path` and replaces a node that is in the way.
    pub(super) fn put(table: &mut BTreeMap<String, Node>, path: &str, text: String) {
        let Some((first, rest)) = path.split_once('.') else {
            table.insert(path.to_owned(), Node::Text(text));
            return;
        };
        let inner = table
            .entry(first.to_owned())
            .or_insert_with(|| Node::Table(BTreeMap::new()));
        if let Node::Text(_) = inner {
            *inner = Node::Table(BTreeMap::new());
        }
        if let Node::Table(inner) = inner {
            Self::put(inner, rest, text);
        }
    }

    /// The node at `path`.
    pub(super) fn at<'a>(table: &'a BTreeMap<String, Node>, path: &str) -> Option<&'a Node> {
        match path.split_once('.') {
            None => table.get(path),
            Some((first, rest)) => match table.get(first)? {
                Node::Table(inner) => Self::at(inner, rest),
                Node::Text(_) => None,
            },
        }
    }

    /// Deserializes the node as a `T`.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, InvalidValue> {
        T::deserialize(Reader(self))
    }

    /// Deserializes a `T` from a setting that is not set: an `Option` is `None`, a struct gets its defaults, and any other
    /// type is an error.
    pub(super) fn absent<T: DeserializeOwned>() -> Result<T, InvalidValue> {
        T::deserialize(Absent)
    }
}

/// Shows only the names, because values may be passwords.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Text(_) => f.write_str("…"),
            Node::Table(table) => f.debug_map().entries(table).finish(),
        }
    }
}

/// Why a value is not valid for its type. Names the expected value, never the actual one, which may be a secret.
#[derive(Debug)]
pub(super) struct InvalidValue(String);

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidValue {}

impl de::Error for InvalidValue {
    fn custom<T: fmt::Display>(message: T) -> Self {
        InvalidValue(message.to_string())
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        InvalidValue(format!("expected {expected}"))
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        InvalidValue(format!("expected {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        InvalidValue(format!("expected one of {}", expected.join(", ")))
    }
}

#[derive(Clone, Copy)]
struct Reader<'a>(&'a Node);

impl<'a> Reader<'a> {
    fn text(self) -> Option<&'a str> {
        match self.0 {
            Node::Text(text) => Some(text),
            Node::Table(_) => None,
        }
    }
}

impl<'de> IntoDeserializer<'de, InvalidValue> for Reader<'_> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

/// Parses scalars from their text. An invalid text goes to the visitor unchanged, so that serde names the expected type.
macro_rules! scalars {
    ($($method:ident $visit:ident $type:ty),* $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
            match self.text().and_then(|text| text.trim().parse::<$type>().ok()) {
                Some(value) => visitor.$visit(value),
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = InvalidValue;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        match self.0 {
            Node::Text(text) => visitor.visit_str(text),
            Node::Table(table) => visitor.visit_map(MapDeserializer::new(
                table
                    .iter()
                    .map(|(name, node)| (name.as_str(), Reader(node))),
            )),
        }
    }

    scalars! {
        deserialize_i8 visit_i64 i64, deserialize_i16 visit_i64 i64, deserialize_i32 visit_i64 i64,
        deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u64 u64, deserialize_u16 visit_u64 u64, deserialize_u32 visit_u64 u64,
        deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f64 f64, deserialize_f64 visit_f64 f64,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        match self.text().map(str::trim) {
            Some("true" | "1") => visitor.visit_bool(true),
            Some("false" | "0") => visitor.visit_bool(false),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        visitor.visit_newtype_struct(self)
    }

    /// A list in one string is separated by commas, as in the settings of tent.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        let Node::Text(text) = self.0 else {
            return self.deserialize_any(visitor);
        };
        let items: Vec<Node> = text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(|item| Node::Text(item.to_owned()))
            .collect();
        visitor.visit_seq(SeqDeserializer::new(items.iter().map(Reader)))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        match self.text() {
            Some(text) => visitor.visit_enum(text.trim().into_deserializer()),
            None => Err(de::Error::custom("expected one word, found a table")),
        }
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit_struct tuple_struct map struct identifier ignored_any
    }
}

/// Deserializes a setting that is not set.
struct Absent;

impl<'de> de::Deserializer<'de> for Absent {
    type Error = InvalidValue;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, InvalidValue> {
        Err(de::Error::custom("not set"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        visitor.visit_none()
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InvalidValue> {
        Reader(&Node::Table(BTreeMap::new())).deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InvalidValue> {
        self.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct enum identifier ignored_any
    }
}
