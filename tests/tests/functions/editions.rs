//! Functions of a crate of another edition, and of one that another attribute macro has been at first.

use serde_json::json;
use tent_runtime::__private::{Access as AccessDeclaration, Body, States};
use tent_runtime::{Caller, Cx};
use tent_tests::{linked, run};
use tent_tests_2021 as _;

#[test]
fn k7_14_functions_of_edition_2021_are_linked_and_run() {
    let input = json!({"gen": 3});
    assert_eq!(run("k7_14_list", input.clone()).ok(), Some(json!([3])));
    assert_eq!(run("k7_14_keep", input.clone()).ok(), Some(input));
    assert_eq!(
        run("k7_14_nothing", json!({"dyn": 2})).ok(),
        Some(json!(null))
    );
    assert_eq!(linked("k7_14_list").location.krate(), "tent_tests_2021");
    assert!(matches!(
        linked("k7_14_keep").access,
        AccessDeclaration::Rule(_)
    ));
}

#[tokio::main(flavor = "current_thread")]
#[tent::query(access = "anyone")]
async fn k7_06_remade(number: u8) -> u8 {
    tokio::task::yield_now().await;
    number
}

#[test]
fn k7_06_a_function_that_another_macro_made_sync_is_sync() {
    let Body::Sync(body) = linked("k7_06_remade").body else {
        panic!("the macro above made it sync");
    };
    let cx = Cx::for_test(Caller::Anonymous, States::default());
    let input = [("number".to_owned(), json!(9))].into_iter().collect();
    let answer = body(&cx, input).expect("it runs");
    assert_eq!(answer.value.expect("a value").get(), "9");
    assert_eq!(k7_06_remade(1), 1);
}
