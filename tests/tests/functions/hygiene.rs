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
    mod k7_03_name {}
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
    async fn k7_03_name(
        id: ::std::string::String,
        #[arg(default = 3, min = 1)] n: u8,
    ) -> Result<::std::string::String> {
        let _ = n;
        ::std::result::Result::Ok(id)
    }

    #[::tent::change(access = rule, timeout = "1s", limit = "1/s", needs = ["roots"])]
    fn k7_03_all(call: &::tent::Cx, #[input] given: super::Whole) -> ::std::primitive::u8 {
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

#[test]
fn k7_03_the_names_of_the_author_are_never_meant() {
    assert_eq!(run("k7_03_name", json!({"id": "a"})).ok(), Some(json!("a")));
    assert_eq!(linked("k7_03_all").needs, ["roots"]);
}

macro_rules! lookup {
    ($name:ident, $kind:ty, $about:literal, $doc:expr) => {
        #[tent::query(access = "anyone", offer = "mcp")]
        #[doc = $about]
        #[doc = $doc]
        async fn $name(
            #[arg(default = $about.len(), example = $about)] id: usize,
            part: &tent::Cx,
        ) -> $kind {
            let _ = part;
            <$kind>::try_from(id).unwrap_or_default()
        }
    };
}

lookup!(k7_11_user, u32, "Finds a user", "one");
lookup!(k7_11_team, u64, "Finds a team.", concat!("t", "wo"));

macro_rules! whole {
    ($item:item) => {
        #[tent::query(access = "anyone")]
        $item
    };
}

whole! {
    /// Whole.
    pub(crate) fn k7_11_whole() -> u8 { 4 }
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

pieces!(pub(crate) k7_11_pieces(_a: u8 = 3, rules::all) -> Result<u8, std::fmt::Error> { Ok(5) }, &tent::Cx);

mod rules {
    pub(super) fn all(_: &tent::Cx) -> bool {
        true
    }
}

#[test]
fn k7_11_functions_made_by_macro_rules_are_registered() {
    assert_eq!(run("k7_11_user", json!({})).ok(), Some(json!(12)));
    assert_eq!(run("k7_11_team", json!({"id": 2})).ok(), Some(json!(2)));
    assert_eq!(linked("k7_11_user").about, "Finds a user\none");
    assert_eq!(linked("k7_11_team").about, "Finds a team.\ntwo");
    assert_eq!(run("k7_11_whole", json!({})).ok(), Some(json!(4)));
    assert_eq!(run("k7_11_pieces", json!({"_a": 1})).ok(), Some(json!(5)));
    assert_eq!((k7_11_whole(), linked("k7_11_whole").about), (4, "Whole."));
}

/// Finds an order.
#[allow(clippy::too_many_arguments)]
#[deprecated(note = "use v2")]
#[tent::query(access = "anyone")]
#[must_use]
#[expect(unused_variables, reason = "it stays on the function")]
fn k7_06_find_order(
    /** order number */
    #[allow(unused)]
    id: String,
) -> u8 {
    let unused = 1;
    6
}

#[test]
fn k7_06_other_attributes_stay_and_a_deprecated_function_is_called_without_warning() {
    assert_eq!(
        run("k7_06_find_order", json!({"id": "a"})).ok(),
        Some(json!(6))
    );
    assert_eq!(linked("k7_06_find_order").about, "Finds an order.");
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

mod k7_18 {
    #[tent::query(access = "anyone")]
    pub(in crate::functions) async fn k7_18_within() -> u32 {
        7
    }

    pub(super) fn inner() {
        #[tent::query(access = "anyone")]
        fn k7_18_in_a_body() -> u32 {
            8
        }
        assert_eq!(k7_18_in_a_body(), 8);
    }
}

#[test]
fn k7_18_visibility_and_place_do_not_matter() {
    k7_18::inner();
    assert_eq!(run("k7_18_within", json!({})).ok(), Some(json!(7)));
    assert_eq!(run("k7_18_in_a_body", json!({})).ok(), Some(json!(8)));
    assert_eq!(tent_tests::block_on(k7_18::k7_18_within()), 7);
    assert_eq!(k7_18::__tent_function_k7_18_within.name, "k7_18_within");
}
