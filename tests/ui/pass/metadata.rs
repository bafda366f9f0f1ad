//! Metadata and hints, with nothing in scope, in a module that denies what it can.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub)]

mod hostile {
    //! Names that generated code must not meet.
    #![allow(dead_code, non_camel_case_types)]
    pub(crate) struct Value;
    pub(crate) struct Annotations;
    pub(crate) struct Into;
    pub(crate) const SIZE: u64 = 3;

    /// A tool.
    #[tent::query(access = "anyone", offer = "mcp", meta = tent::serde_json::json!({"size": SIZE}))]
    pub(crate) fn look(#[arg(title = "How long")] long: u8) -> u8 {
        long
    }

    /// A resource.
    #[tent::resource(
        uri = "a://b",
        access = "anyone",
        meta = map(),
        annotations = tent::Annotations::new().audience([tent::Role::User]),
        size = SIZE + 1
    )]
    pub(crate) fn read() -> ::std::string::String {
        ::std::string::String::from("abc")
    }

    /// A prompt.
    #[tent::prompt(access = "anyone", meta = map())]
    pub(crate) fn ask(#[arg(title = "Who")] who: ::std::string::String) -> tent::PromptMessage {
        tent::PromptMessage::user(who)
    }

    fn map() -> tent::Map {
        tent::Map::new()
    }
}

macro_rules! made {
    ($name:ident, $meta:expr, $hints:expr, $size:expr) => {
        /// Made by a macro.
        #[tent::resource(uri = "made://it", access = "anyone", meta = $meta, annotations = $hints, size = $size)]
        fn $name() -> u8 {
            1
        }
    };
}

made!(made, tent::Map::new(), tent::Annotations::new(), "abc".len() as u64);

fn main() {
    let _ = made;
    assert_eq!(tent::functions![hostile::look, hostile::read, hostile::ask].len(), 3);
}
