//! The app's command line.

use crate::server::Place;

#[test]
fn a_key_is_all_that_is_printed_and_works_whether_or_not_the_server_runs() {
    let place = Place::new();
    let before = place.print(&["keys", "create", "--owner", "ada", "--scope", "read"]);
    let server = place.serve();
    let after = place.print(&["keys", "create", "--owner", "ada", "--scope", "read"]);
    assert_ne!(before, after);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for printed in [before, after] {
        let key = printed.strip_suffix('\n').expect("one line");
        assert!(
            key.starts_with("tk_") && !key.contains(char::is_whitespace),
            "{key:?}"
        );
        let answer = runtime
            .block_on(
                reqwest::Client::new()
                    .get(server.url("/api/order?id=1"))
                    .bearer_auth(key)
                    .send(),
            )
            .expect("it answers");
        assert_eq!(answer.status(), 200);
    }
}

#[test]
fn what_is_made_at_the_first_start_is_not_made_again() {
    let place = Place::new();
    assert!(!place.path("orders.db").exists());
    let called = place.print(&[
        "call",
        "add_order",
        r#"{"title":"Ink","cents":275}"#,
        "--as",
        "ada",
    ]);
    assert!(called.contains("13"), "{called}");
    let called = place.print(&["call", "order", r#"{"id":13}"#, "--as", "ada"]);
    assert!(called.contains("Ink"), "{called}");
}

#[test]
fn what_needs_no_orders_makes_no_file() {
    let place = Place::new();
    let listed = place.print(&["list"]);
    for name in [
        "open_orders",
        "find_orders",
        "order",
        "add_order",
        "mark_paid",
        "send_receipt",
        "shop_hours",
    ] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
    assert!(place.run(&["check"]).status.success());
    assert!(!place.path("orders.db").exists());
}

#[test]
fn a_call_that_fails_says_so_to_scripts() {
    let place = Place::new();
    let ran = place.run(&["call", "order", r#"{"id":999}"#, "--as", "ada"]);
    assert!(!ran.status.success());
    let says = String::from_utf8_lossy(&ran.stderr);
    assert!(
        says.contains("A0002") && says.contains("There is no order 999"),
        "{says}"
    );
}
