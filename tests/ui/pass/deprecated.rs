//! Deprecated types, fields and functions cause no warning in generated code.
// P19

#![deny(warnings)]
#![allow(dead_code)]

use tent::prelude::*;

#[deprecated = "use New"]
#[data]
struct Old {
    #[deprecated]
    number: u32,
    #[deprecated]
    #[tent(secret)]
    word: Option<String>,
}

#[data]
#[deprecated(since = "1", note = "use New")]
#[derive(Debug, Clone, PartialEq, Default)]
struct OldToo<T> {
    #[deprecated]
    #[schemars(title = "Number")]
    number: T,
}

/// With a default.
#[data]
#[deprecated]
#[derive(Default)]
#[serde(default, rename = "Renamed")]
struct OldDefault {
    #[deprecated]
    number: u32,
    text: String,
    /// Recursive.
    children: Vec<OldDefault>,
}

#[data]
#[deprecated]
struct OldTuple<'a, const N: usize>(std::borrow::Cow<'a, str>, u32);

mod old {
    #![allow(deprecated)]
    pub(crate) type Tree = super::OldDefault;
    pub(crate) type Page = super::OldToo<u32>;
    pub(crate) type Tuple = super::OldTuple<'static, 1>;
}

#[data]
#[deprecated]
enum OldChoice {
    #[deprecated]
    One(u8),
    Two {
        #[deprecated]
        number: u8,
    },
    Three,
}

#[data]
#[serde(tag = "kind")]
enum Tagged {
    #[deprecated]
    One { number: u8 },
    Two,
}

#[data]
enum Word {
    #[deprecated]
    One,
    Two,
}

#[derive(Debug, Failure)]
#[deprecated]
enum OldFailure {
    #[deprecated]
    #[failure(code = "A0001", message = "{number}")]
    One {
        #[deprecated]
        number: u8,
    },
    #[failure(transparent)]
    Two(#[from] tent::Error),
}

#[derive(State)]
#[deprecated]
struct OldShop;

#[deprecated]
#[query(access = "anyone")]
/// Reads.
fn old(id: u32) -> u32 {
    id
}

#[query(access = "anyone")]
#[deprecated]
#[allow(deprecated)]
async fn old_types(shop: &OldShop, #[input] input: Old) -> Result<OldToo<u8>, OldFailure> {
    let _ = (shop, input);
    Ok(OldToo { number: 1 })
}

fn main() {
    let declarations = tent::functions![old, old_types];
    assert_eq!(declarations.len(), 2);

    let mut generator = tent::schemars::SchemaGenerator::default();
    let schema = generator.root_schema_for::<old::Tree>();
    assert_eq!(schema.get("title").unwrap(), "Renamed");
    assert_eq!(schema.get("description").unwrap(), "With a default.");
    assert_eq!(schema.get("deprecated").unwrap(), true);
    assert_eq!(schema.pointer("/properties/number/default").unwrap(), 0);
    assert_eq!(schema.pointer("/properties/children/items/$ref").unwrap(), "#");
    let schema = generator.root_schema_for::<old::Page>();
    assert_eq!(schema.get("title").unwrap(), "OldToo");
    assert_eq!(schema.pointer("/properties/number/title").unwrap(), "Number");
    let schema = generator.root_schema_for::<old::Tuple>();
    assert_eq!(schema.get("title").unwrap(), "OldTuple");
}
