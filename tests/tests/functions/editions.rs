//! Functions of a crate of another edition, and of one that another attribute macro has been at first.

use serde_json::json;
use tent_runtime::__private::{Access as AccessDeclaration, Body, States};
use tent_runtime::{Caller, Cx};
use tent_tests::{linked, run};
use tent_tests_2021 as _;

// K7-14.
#[test]
fn functions_of_edition_2021_are_linked_and_run() {
    let input = json!({"gen": 3});
    assert_eq!(run("list_2021", input.clone()).ok(), Some(json!([3])));
    assert_eq!(run("keep_2021", input.clone()).ok(), Some(input));
    assert_eq!(
        run("nothing_2021", json!({"dyn": 2})).ok(),
        Some(json!(null))
    );
    assert_eq!(linked("list_2021").location.krate(), "tent_tests_2021");
    assert!(matches!(
        linked("keep_2021").access,
        AccessDeclaration::Rule(_)
    ));
}

#[tokio::main(flavor = "current_thread")]
#[tent::query(access = "anyone")]
async fn remade(number: u8) -> u8 {
    tokio::task::yield_now().await;
    number
}

// K7-06.
#[test]
fn a_function_that_another_macro_made_sync_is_sync() {
    let Body::Sync(body) = linked("remade").body else {
        panic!("the macro above made it sync");
    };
    let cx = Cx::for_test(Caller::Anonymous, States::default());
    let input = [("number".to_owned(), json!(9))].into_iter().collect();
    let answer = body(&cx, input).expect("it runs");
    assert_eq!(answer.value.expect("a value").get(), "9");
    assert_eq!(remade(1), 1);
}
