//! `#[data]` on every shape of type, above and below other attributes, by another path, in a macro.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

/// An app's own module that holds tent.
pub mod my {
    pub use tent;
}

/// Documented.
#[derive(Default)]
#[tent::data]
#[derive(Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase", default)]
#[schemars(title = "A thing")]
pub struct Named {
    /// A field.
    #[serde(rename = "n")]
    #[schemars(range(min = 1))]
    pub number: u32,
    #[tent(secret)]
    pub(crate) word: String,
}

/// Nothing in it.
#[tent::data]
pub struct Unit;

/// Numbered.
#[tent::data]
pub struct Tuple(#[tent(secret)] pub u32, pub String);

/// Generic, with bounds and a default.
#[tent::data]
pub struct Page<T, const N: usize = 2>
where
    T: Clone,
{
    /// The items.
    pub items: Vec<T>,
    /// The next.
    pub next: [u8; 2],
}

/// Borrows, for what is only given out.
#[tent::data]
pub struct Shown<'a> {
    /// The text.
    #[serde(borrow)]
    pub text: std::borrow::Cow<'a, str>,
}

/// Tagged.
#[tent::data(crate = crate::my::tent)]
#[serde(tag = "kind")]
pub enum Event {
    /// One.
    Opened {
        /// When.
        at: u64,
    },
    /// Two.
    Closed,
}

/// Its crate is the author's.
#[tent::data]
#[serde(crate = "tent::serde")]
#[schemars(crate = "tent::schemars")]
pub struct Own {
    /// A field.
    pub r#type: u8,
}

macro_rules! data {
    ($name:ident, $tent:path, { $($field:ident: $ty:ty),* }) => {
        /// Made by a macro.
        #[tent::data(crate = $tent)]
        pub struct $name {
            $(
                /// A field.
                #[tent(secret)]
                pub $field: $ty,
            )*
        }
    };
}
data!(Made, my::tent, { one: u32, two: Option<String> });

fn main() {
    let event: Event = tent::serde_json::from_str(r#"{"kind": "Opened", "at": 1}"#).unwrap();
    assert!(matches!(event, Event::Opened { at: 1 }));
    let own = tent::serde_json::to_string(&Own { r#type: 1 }).unwrap();
    assert_eq!(own, r#"{"type":1}"#);
    let page = Page::<u8, 2> { items: vec![1], next: [0, 1] };
    assert_eq!(tent::serde_json::to_string(&page).unwrap(), r#"{"items":[1],"next":[0,1]}"#);
}
