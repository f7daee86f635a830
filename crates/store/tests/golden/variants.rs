//! Which variants of which enums a value has in it, found by serializing it: what is stored is seen
//! here, however deep it lies, and nobody has to name the way to it.

use std::any::type_name;
use std::convert::Infallible;
use std::fmt::{self, Display};

use serde::ser::{self, Serialize, Serializer};

/// The variants that a value has in it, as [`named`] names them.
pub(crate) fn of<T: Serialize>(value: &T) -> Vec<String> {
    let mut seen = Vec::new();
    look(&mut seen, value).expect("looking at a value does not fail");
    seen
}

/// A variant of an enum, as `table::event::Fact::coup-began`.
pub(crate) fn named(of: &str, variant: &str) -> String {
    let mut name = String::new();
    for (place, letter) in variant.char_indices() {
        if place > 0 && letter.is_uppercase() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    format!("{of}::{name}")
}

fn look<T: Serialize + ?Sized>(seen: &mut Vec<String>, value: &T) -> Result<(), Never> {
    let of = type_name::<T>().trim_start_matches('&');
    let boxed = of.strip_prefix("alloc::boxed::Box<").and_then(|of| of.strip_suffix('>'));
    value.serialize(Look { seen, of: boxed.unwrap_or(of) })
}

/// Looks at one value, of the named type.
struct Look<'a> {
    seen: &'a mut Vec<String>,
    of: &'static str,
}

impl Look<'_> {
    fn note(&mut self, variant: &str) {
        self.seen.push(named(self.of, variant));
    }
}

/// An error that does not happen.
#[derive(Debug)]
struct Never(Infallible);

impl Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Self {
        panic!("{message}")
    }
}

type Looked = Result<(), Never>;

/// Values in which no enum can be.
macro_rules! plain {
    ($($method:ident $type:ty),+) => {
        $(fn $method(self, _: $type) -> Looked { Ok(()) })+
    };
}

impl Serializer for Look<'_> {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    plain! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32,
        serialize_i64 i64, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32,
        serialize_u64 u64, serialize_f32 f32, serialize_f64 f64, serialize_char char,
        serialize_str &str, serialize_bytes &[u8], serialize_unit_struct &'static str
    }

    fn serialize_none(self) -> Looked {
        Ok(())
    }

    fn serialize_unit(self) -> Looked {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Looked {
        look(self.seen, value)
    }

    fn serialize_unit_variant(mut self, _: &'static str, _: u32, name: &'static str) -> Looked {
        self.note(name);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Looked {
        look(self.seen, value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Looked {
        self.note(name);
        look(self.seen, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Self, Never> {
        self.note(name);
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Self, Never> {
        self.note(name);
        Ok(self)
    }
}

/// What has parts is looked at part by part.
macro_rules! parts {
    ($($trait:ident $method:ident ($($key:ty)?)),+) => {
        $(impl ser::$trait for Look<'_> {
            type Ok = ();
            type Error = Never;

            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Looked {
                look(self.seen, value)
            }

            fn end(self) -> Looked {
                Ok(())
            }
        })+
    };
}

parts! {
    SerializeSeq serialize_element (),
    SerializeTuple serialize_element (),
    SerializeTupleStruct serialize_field (),
    SerializeTupleVariant serialize_field (),
    SerializeStruct serialize_field (&'static str),
    SerializeStructVariant serialize_field (&'static str)
}

impl ser::SerializeMap for Look<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Looked {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Looked {
        look(self.seen, value)
    }

    fn end(self) -> Looked {
        Ok(())
    }
}
