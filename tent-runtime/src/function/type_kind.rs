//! How generated code checks the rules of `#[arg(…)]` at compile time, for the types that the compiler tells apart here:
//! [`TypeProbe`]. Rules for all other types are checked at start, against the schema of the type.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

/// Classifies the type `T` of a parameter.
///
/// An inherent constant wins over a constant of a trait, so `TypeProbe::<T>::KIND` is the kind of a type in this module, and
/// `TypeKind::Unknown` for all others.
#[derive(Debug)]
pub struct TypeProbe<T>(PhantomData<fn() -> T>);

/// The constant of [`TypeProbe`] for types without an inherent one.
pub trait UnknownType {
    /// The kind is unknown.
    const KIND: TypeKind = TypeKind::Unknown;
}

impl<T> UnknownType for TypeProbe<T> {}

/// The kind of a type, for the rules that it can have.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind {
    /// A type that only its schema describes.
    Unknown,
    /// An integer with these bounds, as near as an `i128` holds them.
    Integer(i128, i128),
    /// A floating-point number.
    Number,
    /// A text.
    Text,
    /// A list.
    List,
    /// A type that no rule narrows: a flag or a map.
    Other,
}

impl TypeKind {
    /// Whether the type can have `min` and `max`.
    pub const fn has_bounds(self) -> bool {
        matches!(
            self,
            TypeKind::Unknown | TypeKind::Integer(..) | TypeKind::Number
        )
    }

    /// Whether a bound of the type can have a fraction.
    pub const fn has_fractions(self) -> bool {
        !matches!(self, TypeKind::Integer(..))
    }

    /// Whether the type can have `min_len` and `max_len`.
    pub const fn has_length(self) -> bool {
        matches!(self, TypeKind::Unknown | TypeKind::Text | TypeKind::List)
    }

    /// Whether the type can have a `pattern`.
    pub const fn has_pattern(self) -> bool {
        matches!(self, TypeKind::Unknown | TypeKind::Text)
    }

    /// Whether a value of the type can be this integer.
    pub const fn has_integer(self, value: i128) -> bool {
        match self {
            TypeKind::Unknown | TypeKind::Number => true,
            TypeKind::Integer(least, most) => least <= value && value <= most,
            TypeKind::Text | TypeKind::List | TypeKind::Other => false,
        }
    }

    /// Whether a value of the type can be a number with a fraction.
    pub const fn has_number(self) -> bool {
        matches!(self, TypeKind::Unknown | TypeKind::Number)
    }

    /// Whether a value of the type can be a text.
    pub const fn has_text(self) -> bool {
        matches!(self, TypeKind::Unknown | TypeKind::Text)
    }

    /// Whether a value of the type can be a list.
    pub const fn has_items(self) -> bool {
        matches!(self, TypeKind::Unknown | TypeKind::List)
    }

    /// Whether the type has a value of at least `least`.
    pub const fn reaches(self, least: i128) -> bool {
        !matches!(self, TypeKind::Integer(_, most) if most < least)
    }

    /// Whether the type has a value of at most `most`.
    pub const fn descends_to(self, most: i128) -> bool {
        !matches!(self, TypeKind::Integer(least, _) if least > most)
    }
}

/// Fails to compile with this message if a rule does not hold.
pub const fn require(holds: bool, message: &'static str) {
    assert!(holds, "{}", message);
}

macro_rules! kinds {
    ($($(@[$($parameters:tt)*])? $type:ty = $kind:expr),* $(,)?) => {$(
        impl $(<$($parameters)*>)? TypeProbe<$type> {
            /// The kind of this type.
            pub const KIND: TypeKind = $kind;
        }

        impl $(<$($parameters)*>)? TypeProbe<Option<$type>> {
            /// The kind of the type inside.
            pub const KIND: TypeKind = $kind;
        }
    )*};
}

macro_rules! integers {
    ($($type:ty),* $(,)?) => {
        kinds!($($type = TypeKind::Integer(<$type>::MIN as i128, <$type>::MAX as i128)),*);
    };
}

integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, i128, isize);

kinds! {
    u128 = TypeKind::Integer(0, i128::MAX),
    f32 = TypeKind::Number,
    f64 = TypeKind::Number,
    String = TypeKind::Text,
    Box<str> = TypeKind::Text,
    Arc<str> = TypeKind::Text,
    Rc<str> = TypeKind::Text,
    @['a] Cow<'a, str> = TypeKind::Text,
    char = TypeKind::Text,
    bool = TypeKind::Other,
    @[T] Vec<T> = TypeKind::List,
    @[T] Box<[T]> = TypeKind::List,
    @[T] VecDeque<T> = TypeKind::List,
    @[T] BTreeSet<T> = TypeKind::List,
    @[T, S] HashSet<T, S> = TypeKind::List,
    @[K, V] BTreeMap<K, V> = TypeKind::Other,
    @[K, V, S] HashMap<K, V, S> = TypeKind::Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types_have_their_own_kind_and_all_others_are_unknown() {
        struct Own;
        assert!(matches!(
            TypeProbe::<i8>::KIND,
            TypeKind::Integer(-128, 127)
        ));
        assert!(matches!(TypeProbe::<Option<f32>>::KIND, TypeKind::Number));
        assert!(matches!(TypeProbe::<Option<String>>::KIND, TypeKind::Text));
        assert!(matches!(TypeProbe::<Vec<Own>>::KIND, TypeKind::List));
        assert!(matches!(TypeProbe::<Own>::KIND, TypeKind::Unknown));
        assert!(matches!(
            TypeProbe::<Option<Option<u8>>>::KIND,
            TypeKind::Unknown
        ));
    }
}
