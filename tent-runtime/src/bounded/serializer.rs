//! [`Bounded`]: passes every call on to a serializer, and counts how deep the value nests.
//! Must not know JSON.

use serde::ser;
use serde::{Serialize, Serializer};

use super::{Nested, Problem, State, Step};

/// The name of the struct as which serde_json writes a text of JSON.
const RAW: &str = "$serde_json::private::RawValue";

impl<T: Serialize + ?Sized> Serialize for Nested<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Bounded {
            inner: serializer,
            state: self.state,
        })
    }
}

/// The serializer of one value.
pub(super) struct Bounded<'a, S> {
    inner: S,
    state: &'a State,
}

/// The serializer of the items or fields of one value.
pub(super) struct Items<'a, C> {
    inner: C,
    state: &'a State,
    /// How many arrays and objects it opened.
    levels: u16,
    /// The index of the next item.
    index: usize,
}

impl State {
    /// Enters an array or an object, or an object in an object.
    #[inline]
    fn enter<E: ser::Error>(&self, levels: u16) -> Result<(), E> {
        let depth = self.depth.get() + levels;
        if depth > self.limit {
            return Err(self.fail(Problem::TooDeep(self.limit)));
        }
        self.depth.set(depth);
        Ok(())
    }

    #[inline]
    fn leave(&self, levels: u16) {
        self.depth.set(self.depth.get().saturating_sub(levels));
    }

    /// Writes a value that something without a form in JSON is around.
    #[inline]
    fn wrapped<W, E: ser::Error>(&self, write: impl FnOnce() -> Result<W, E>) -> Result<W, E> {
        let wrappers = self.wrappers.get();
        if wrappers >= super::MAX_WRAPPERS {
            return Err(self.fail(Problem::TooDeep(self.limit)));
        }
        self.wrappers.set(wrappers + 1);
        let written = write();
        self.wrappers.set(wrappers);
        written
    }

    #[cold]
    fn fail<E: ser::Error>(&self, problem: Problem) -> E {
        *self.problem.borrow_mut() = Some(problem);
        E::custom("out of bounds")
    }

    /// Notes a step of the path to an error.
    #[cold]
    fn step(&self, step: Step) {
        self.steps.borrow_mut().push(step);
    }

    #[inline]
    fn nested<'a, T: ?Sized>(&'a self, value: &'a T) -> Nested<'a, T> {
        Nested { value, state: self }
    }

    #[inline]
    fn items<C, E: ser::Error>(
        &self,
        levels: u16,
        open: impl FnOnce() -> Result<C, E>,
    ) -> Result<Items<'_, C>, E> {
        self.enter(levels)?;
        Ok(Items {
            inner: open()?,
            state: self,
            levels,
            index: 0,
        })
    }
}

/// Methods that pass a scalar on.
macro_rules! scalars {
    ($($method:ident($type:ty))+) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        }
    )+};
}

/// Methods that pass on a float that JSON has.
macro_rules! floats {
    ($($method:ident($type:ty))+) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            match value.is_finite() {
                true => self.inner.$method(value),
                false => Err(self.state.fail(Problem::NotANumber)),
            }
        }
    )+};
}

impl<'a, S: Serializer> Serializer for Bounded<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Items<'a, S::SerializeSeq>;
    type SerializeTuple = Items<'a, S::SerializeTuple>;
    type SerializeTupleStruct = Items<'a, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Items<'a, S::SerializeTupleVariant>;
    type SerializeMap = Items<'a, S::SerializeMap>;
    type SerializeStruct = Items<'a, S::SerializeStruct>;
    type SerializeStructVariant = Items<'a, S::SerializeStructVariant>;

    scalars! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
    }

    floats! { serialize_f32(f32) serialize_f64(f64) }

    #[inline]
    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let (state, inner) = (self.state, self.inner);
        state.wrapped(|| inner.serialize_some(&state.nested(value)))
    }

    #[inline]
    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    #[inline]
    fn serialize_unit_struct(self, name: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_struct(name)
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let (state, inner) = (self.state, self.inner);
        state.wrapped(|| inner.serialize_newtype_struct(name, &state.nested(value)))
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let (state, inner) = (self.state, self.inner);
        state.enter(1)?;
        let value = state.nested(value);
        let written = inner.serialize_newtype_variant(name, index, variant, &value);
        state.leave(1);
        written.inspect_err(|_| state.step(Step::Name(variant.to_owned())))
    }

    #[inline]
    fn serialize_seq(self, length: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.state.items(1, || self.inner.serialize_seq(length))
    }

    #[inline]
    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.state.items(1, || self.inner.serialize_tuple(length))
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.state
            .items(1, || self.inner.serialize_tuple_struct(name, length))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let inner = self.inner;
        self.state.items(2, || {
            inner.serialize_tuple_variant(name, index, variant, length)
        })
    }

    #[inline]
    fn serialize_map(self, length: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.state.items(1, || self.inner.serialize_map(length))
    }

    #[inline]
    fn serialize_struct(
        self,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        let is_raw = name == RAW;
        if is_raw {
            self.state.has_raw.set(true);
        }
        self.state.items(u16::from(!is_raw), || {
            self.inner.serialize_struct(name, length)
        })
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let inner = self.inner;
        self.state.items(2, || {
            inner.serialize_struct_variant(name, index, variant, length)
        })
    }

    #[inline]
    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Implements the serializers of values whose items have no names.
macro_rules! unnamed {
    ($($trait:ident $method:ident)+) => {$(
        impl<C: ser::$trait> ser::$trait for Items<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                let written = self.inner.$method(&self.state.nested(value));
                if written.is_err() {
                    self.state.step(Step::Index(self.index));
                }
                self.index += 1;
                written
            }

            #[inline]
            fn end(self) -> Result<C::Ok, C::Error> {
                self.state.leave(self.levels);
                self.inner.end()
            }
        }
    )+};
}

unnamed! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

/// Implements the serializers of values whose fields have names.
macro_rules! named {
    ($($trait:ident)+) => {$(
        impl<C: ser::$trait> ser::$trait for Items<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), C::Error> {
                let written = self.inner.serialize_field(key, &self.state.nested(value));
                if written.is_err() {
                    self.state.step(Step::Name(key.to_owned()));
                }
                written
            }

            #[inline]
            fn skip_field(&mut self, key: &'static str) -> Result<(), C::Error> {
                self.inner.skip_field(key)
            }

            #[inline]
            fn end(self) -> Result<C::Ok, C::Error> {
                self.state.leave(self.levels);
                self.inner.end()
            }
        }
    )+};
}

named! { SerializeStruct SerializeStructVariant }

impl<C: ser::SerializeMap> ser::SerializeMap for Items<'_, C> {
    type Ok = C::Ok;
    type Error = C::Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        self.inner.serialize_key(&self.state.nested(key))
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        let written = self.inner.serialize_value(&self.state.nested(value));
        if written.is_err() {
            self.state.step(Step::Name("*".to_owned()));
        }
        written
    }

    #[inline]
    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), C::Error>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        let (nested_key, nested) = (self.state.nested(key), self.state.nested(value));
        let written = self.inner.serialize_entry(&nested_key, &nested);
        if written.is_err() {
            self.state.step(Step::Name(super::key_text(key)));
        }
        written
    }

    #[inline]
    fn end(self) -> Result<C::Ok, C::Error> {
        self.state.leave(self.levels);
        self.inner.end()
    }
}
