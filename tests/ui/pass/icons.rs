//! Icons with nothing in scope, in a module that denies what it can.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub)]

mod hostile {
    //! Names that generated code must not meet.
    #![allow(dead_code, non_camel_case_types)]
    pub(crate) struct Vec;
    pub(crate) struct Icon;
    pub(crate) struct Icons;

    /// Where the pictures are.
    const AT: &str = "https://shop.example/";

    fn icons() -> ::std::vec::Vec<tent::Icon> {
        ::std::vec![tent::Icon::new(::std::format!("{AT}a.png"))]
    }

    /// One.
    #[tent::query(access = "anyone", offer = "mcp", icons = tent::Icon::svg("<svg/>"))]
    pub(crate) fn one() {}

    /// Several.
    #[tent::change(
        access = "anyone",
        offer = "mcp",
        icons = [tent::Icon::new(AT), tent::Icon::new("data:image/gif;base64,R0lGODc=").theme(tent::Theme::Dark)],
    )]
    pub(crate) fn several() {}

    /// From a function.
    #[tent::resource(uri = "a://b", access = "anyone", icons = icons())]
    pub(crate) fn read() -> u8 {
        1
    }

    /// In a block.
    #[tent::prompt(access = "anyone", icons = {
        let icon = tent::Icon::new(AT);
        icon.sizes(["any"])
    })]
    pub(crate) fn said() -> ::std::string::String {
        ::std::string::String::new()
    }
}

macro_rules! made {
    ($name:ident, $icons:expr) => {
        /// Made by a macro.
        #[tent::query(access = "anyone", offer = "mcp", icons = $icons)]
        fn $name() {}
    };
}

made!(made_one, tent::Icon::new("https://shop.example"));

/// What needs an extension.
#[tent::query(access = "anyone", offer = "mcp", needs = ["roots", "io.modelcontextprotocol/ui"])]
fn needing() {}

fn main() {
    let _ = (hostile::one, hostile::several, hostile::read, hostile::said);
    let of = |declaration: &tent::Declaration| declaration.icons.map_or(0, |icons| icons().len());
    let all = tent::functions![hostile::one, hostile::several, hostile::read, hostile::said, made_one, needing];
    let all: Vec<_> = all.iter().map(|one| of(one)).collect();
    assert_eq!(all, [1, 2, 1, 1, 1, 0]);
}
