//! Hygiene: functions among hostile names, made by `macro_rules!`, beside other attributes.

use serde_json::json;
use tent_tests::{linked, run};

mod hostile {
    #![no_implicit_prelude]
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros)]

    struct Option;
    struct Vec;
    struct String;
    struct Box;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct Field;
    struct Declaration;
    struct bool;
    struct str;
    struct u64;
    type Result<T> = ::std::result::Result<T, ::std::fmt::Error>;
    trait Into {}
    trait From {}
    trait Future {}
    mod std {}
    mod core {}
    mod serde {}
    mod tokio {}
    mod schemars {}
    mod tent {}
    mod inventory {}
    mod shadowed_names {}
    const input: ::std::primitive::u8 = 1;
    const part: ::std::primitive::u8 = 1;
    const error: ::std::primitive::u8 = 1;
    static cx: ::std::primitive::u8 = 1;
    macro_rules! concat {
        () => {};
    }
    macro_rules! module_path {
        () => {};
    }
    macro_rules! line {
        () => {};
    }

    #[::tent::query(access = "anyone")]
    async fn shadowed_names(
        id: ::std::string::String,
        #[arg(default = 3, min = 1)] n: u8,
    ) -> Result<::std::string::String> {
        let _ = n;
        ::std::result::Result::Ok(id)
    }

    #[::tent::change(access = rule, timeout = "1s", limit = "1/s", needs = ["roots"])]
    fn shadowed_options(call: &::tent::Cx, #[input] given: super::Whole) -> ::std::primitive::u8 {
        let _ = call;
        given.n
    }

    fn rule(_: &::tent::Cx) -> ::std::primitive::bool {
        true
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Whole {
    n: u8,
}

// K7-03.
#[test]
fn an_expansion_never_uses_names_of_the_app() {
    assert_eq!(
        run("shadowed_names", json!({"id": "a"})).ok(),
        Some(json!("a"))
    );
    assert_eq!(linked("shadowed_options").needs, ["roots"]);
}

macro_rules! lookup {
    ($name:ident, $kind:ty, $about:literal, $doc:expr) => {
        #[tent::query(access = "anyone", offer = "mcp")]
        #[doc = $about]
        #[doc = $doc]
        async fn $name(
            #[arg(default = $about.len(), example = $about.len())] id: usize,
            part: &tent::Cx,
        ) -> $kind {
            let _ = part;
            <$kind>::try_from(id).unwrap_or_default()
        }
    };
}

lookup!(find_user, u32, "Finds a user", "one");
lookup!(find_team, u64, "Finds a team.", concat!("t", "wo"));

macro_rules! whole {
    ($item:item) => {
        #[tent::query(access = "anyone")]
        $item
    };
}

whole! {
    /// Whole.
    pub(crate) fn macro_whole() -> u8 { 4 }
}

macro_rules! pieces {
    ($vis:vis $name:ident($arg:ident: $kind:ty = $default:expr, $rule:path) -> $returns:ty $body:block, $part:ty) => {
        #[tent::query(access = $rule)]
        $vis fn $name(
            #[arg(default = $default, example = $default)] $arg: $kind,
            part: $part,
            #[arg(header = "Tag", default = 1)] tag: u8,
        ) -> $returns {
            let _ = tag;
            let _ = part;
            $body
        }
    };
}

pieces!(pub(crate) pieces_function(_a: u8 = 3, rules::all) -> Result<u8, std::fmt::Error> { Ok(5) }, &tent::Cx);

mod rules {
    pub(super) fn all(_: &tent::Cx) -> bool {
        true
    }
}

// K7-11.
#[test]
fn functions_that_macro_rules_makes_are_registered() {
    assert_eq!(run("find_user", json!({})).ok(), Some(json!(12)));
    assert_eq!(run("find_team", json!({"id": 2})).ok(), Some(json!(2)));
    assert_eq!(linked("find_user").about, "Finds a user\none");
    assert_eq!(linked("find_team").about, "Finds a team.\ntwo");
    assert_eq!(run("macro_whole", json!({})).ok(), Some(json!(4)));
    assert_eq!(
        run("pieces_function", json!({"_a": 1})).ok(),
        Some(json!(5))
    );
    assert_eq!((macro_whole(), linked("macro_whole").about), (4, "Whole."));
}

/// Finds an order.
#[allow(clippy::too_many_arguments)]
#[deprecated(note = "use v2")]
#[tent::query(access = "anyone")]
#[must_use]
#[expect(unused_variables, reason = "it stays on the function")]
fn deprecated_order(
    /** order number */
    #[allow(unused)]
    id: String,
) -> u8 {
    let unused = 1;
    6
}

// K7-06.
#[test]
fn other_attributes_stay_and_a_deprecated_function_causes_no_warning() {
    assert_eq!(
        run("deprecated_order", json!({"id": "a"})).ok(),
        Some(json!(6))
    );
    assert_eq!(linked("deprecated_order").about, "Finds an order.");
}

/// The crate by another name.
mod camp {
    pub(super) use tent::*;
}

#[camp::query(access = "anyone", crate = crate::functions::hygiene::camp)]
fn renamed(id: u8) -> Result<u8, std::fmt::Error> {
    Ok(id)
}

macro_rules! through_the_crate {
    ($name:ident -> $returns:ty) => {
        #[$crate::functions::hygiene::camp::query(access = "anyone", crate = $crate::functions::hygiene::camp)]
        async fn $name(id: $returns) -> $returns {
            id
        }
    };
}

through_the_crate!(renamed_by_macro -> u8);

#[test]
fn the_crate_may_have_another_name() {
    for name in ["renamed", "renamed_by_macro"] {
        assert_eq!(run(name, json!({"id": 1})).ok(), Some(json!(1)));
    }
}

mod place {
    #[tent::query(access = "anyone")]
    pub(in crate::functions) async fn restricted() -> u32 {
        7
    }

    pub(super) fn inner() {
        #[tent::query(access = "anyone")]
        fn in_a_body() -> u32 {
            8
        }
        assert_eq!(in_a_body(), 8);
    }
}

// K7-18.
#[test]
fn a_function_can_have_any_visibility_and_be_in_any_place() {
    place::inner();
    assert_eq!(run("restricted", json!({})).ok(), Some(json!(7)));
    assert_eq!(run("in_a_body", json!({})).ok(), Some(json!(8)));
    assert_eq!(tent_tests::block_on(place::restricted()), 7);
    assert_eq!(place::__tent_function_restricted.name, "restricted");
}
