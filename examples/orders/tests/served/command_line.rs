//! The app's command line: what it prints, on which of its two outputs, and how it ends.

use std::net::TcpListener;

use crate::server::{Place, Server};

/// Compares with the snapshot that is named after the test, without what is another one each time.
macro_rules! snapshot {
    ($shown:expr) => {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.add_filter(r"127\.0\.0\.1:\d{5}", "127.0.0.1:[port]");
        settings.add_filter(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[time]");
        settings.add_filter(r"\btk_[A-Za-z0-9_-]+", "[key]");
        settings.add_filter(r"(?m)^[0-9a-z]{10}  ", "[id]  ");
        settings.add_filter(r#""id": "[0-9a-z]{10}""#, r#""id": "[id]""#);
        settings.add_filter(r"the key [0-9a-z]{10}:", "the key [id]:");
        settings.add_filter(r"/\S*/orders-\d+-\d+/tent\.db", "[folder]/tent.db");
        settings.add_filter(r"\.rs:\d+ ", ".rs:[line] ");
        settings.add_filter(r"\(os error \d+\)", "(os error [number])");
        settings.add_filter(r"/\S*/orders (keys|serve)", "[program] $1");
        settings.bind(|| insta::assert_snapshot!($shown));
    };
}

#[test]
fn a_key_is_all_that_is_printed_and_works_whether_or_not_the_server_runs() {
    let place = Place::new();
    let before = place.print(&["keys", "create", "--owner", "ada", "--scope", "read"]);
    let server = place.serve();
    let after = place.print(&["keys", "create", "--owner", "ada", "--scope", "read"]);
    assert_ne!(before, after);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let status = |server: &Server, key: &str| {
        let request = reqwest::Client::new()
            .get(server.url("/api/order?id=1"))
            .bearer_auth(key);
        let answer = runtime.block_on(request.send()).expect("it answers");
        answer.status().as_u16()
    };
    for printed in [&before, &after] {
        let key = printed.strip_suffix('\n').expect("one line");
        assert!(
            key.starts_with("tk_") && !key.contains(char::is_whitespace),
            "{key:?}"
        );
        assert_eq!(status(&server, key), 200);
    }
    drop(server);
    // The id is what the list begins a line with.
    let listed = place.print(&["keys", "list"]);
    for line in listed.lines() {
        let id = line.split(' ').next().expect("an id");
        place.print(&["keys", "revoke", id]);
    }
    let server = place.serve();
    for printed in [before, after] {
        assert_eq!(status(&server, printed.trim_end()), 401);
    }
}

#[test]
fn keys_are_made_listed_and_revoked() {
    let place = Place::new();
    let mut shown = String::new();
    for line in [
        &["keys", "list"][..],
        &[
            "keys",
            "create",
            "--owner",
            "ada",
            "--scope",
            "read",
            "--scope",
            "orders:write",
        ],
        &[
            "keys",
            "create",
            "--scope",
            "*",
            "--label",
            "the shop's own",
            "--expires",
            "90d",
        ],
        &["keys", "list"],
        &["keys", "list", "--json"],
        &["keys", "revoke", "k_no_such_key"],
        &["keys", "create", "--owner", "adda", "--scope", "read"],
        &["keys", "create"],
        &["keys", "create", "--scope", "read", "--expires", "soon"],
        &["keys", "create", "--scope", "not a scope"],
        &["keys"],
    ] {
        shown += &place.shown(&[], line);
    }
    let listed = place.print(&["keys", "list"]);
    let ids: Vec<_> = listed
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(ids.len(), 2, "{listed}");
    let revoked = place.run(&["keys", "revoke", ids[0]]);
    assert!(revoked.status.success() && revoked.stdout.is_empty());
    assert_eq!(
        String::from_utf8_lossy(&revoked.stderr),
        format!(
            "revoked {} in the store {}\n",
            ids[0],
            place.path("tent.db").display()
        )
    );
    let again = place.run(&["keys", "revoke", ids[0]]);
    assert!(again.status.success(), "it is as revoked as before");
    let listed = place.print(&["keys", "list"]);
    let line = listed.lines().find(|line| line.starts_with(ids[0]));
    assert!(
        line.is_some_and(|line| line.contains("revoked")),
        "{listed}"
    );
    snapshot!(shown);
}

#[test]
fn what_is_made_at_the_first_start_is_not_made_again() {
    let place = Place::new();
    assert!(!place.path("orders.db").exists());
    let add = [
        "call",
        "add_order",
        r#"{"title":"Ink","cents":275}"#,
        "--as",
        "ada",
    ];
    let called = place.print(&add);
    assert!(called.contains("13"), "{called}");
    let called = place.print(&["call", "order", r#"{"id":13}"#, "--as", "ada"]);
    assert!(called.contains("Ink"), "{called}");
}

#[test]
fn the_functions_are_checked_and_listed_without_opening_anything() {
    let place = Place::new();
    let mut shown = String::new();
    for line in [
        &["check"][..],
        &["check", "--strict"],
        &["list"],
        &["list", "--json"],
    ] {
        shown += &place.shown(&[], line);
    }
    assert!(!place.path("orders.db").exists() && !place.path("tent.db").exists());
    snapshot!(shown);
}

#[test]
fn a_function_is_called_as_the_app_or_as_a_person() {
    let place = Place::new();
    let mut shown = String::new();
    for line in [
        &["call", "shop_hours"][..],
        &["call", "shop_hours", "{}", "--as", "ada"],
        &["call", "order", r#"{"id": 1}"#, "--as", "ada"],
        &["call", "send_receipt", r#"{"id": 1}"#, "--as", "grace"],
        &["call", "order", r#"{"id": 999}"#, "--as", "ada"],
        &["call", "order", r#"{"id": 0, "di": 1}"#, "--as", "ada"],
        &["call", "order", "[]", "--as", "ada"],
        &["call", "order", "{", "--as", "ada"],
        &["call", "mark_paid", r#"{"id": 1}"#, "--as", "ada"],
        &["call", "mark_paid", r#"{"id": 1}"#, "--as", "grace"],
        &["call", "open_orders"],
        &["call", "order", "{}", "--as", "nobody-knows"],
        &["call", "no_such_function", "--as", "ada"],
        &["call"],
    ] {
        shown += &place.shown(&[], line);
    }
    snapshot!(shown);
}

#[test]
fn codes_are_explained_whatever_state_the_settings_are_in() {
    let place = Place::new();
    let mut shown = String::new();
    let broken = [("TENT_WEB__ADDR", "nowhere")];
    for line in [
        &["explain", "T7120"][..],
        &["explain", "t7011"],
        &["explain", "T9999"],
    ] {
        shown += &place.shown(&broken, line);
    }
    let all = place.print(&["explain"]);
    assert!(all.lines().count() > 40 && all.lines().all(|line| line.starts_with('T')));
    snapshot!(shown);
}

#[test]
fn suggests_commands_for_an_invalid_command_line() {
    let place = Place::new();
    let mut shown = String::new();
    for line in [
        &["--help"][..],
        &["--version"],
        &["help", "keys", "create"],
        &["chek"],
        &["check", "--strikt"],
        &["--addr"],
        &["serve", "--addr", "nowhere"],
        &["call", "order", "{}", "extra"],
        &["call", "order", "{}", "--as", ""],
        &["mcp", "--as", ""],
        &["keys", "create", "--scope", "two words"],
        &["keys", "create", "--scope", "read", "--owner", " "],
        &["keys", "create", "--scope", "read", "--label", "two\nlines"],
        &["keys", "create", "--scope", "read", "--expires", "soon"],
        &["keys", "create", "--scope", "read", "--expires", "0s"],
    ] {
        shown += &place.shown(&[], line);
    }
    snapshot!(shown);
}

#[test]
fn settings_that_are_wrong_are_all_named_at_once() {
    let place = Place::new();
    let variables = [
        ("TENT_WEB__ADDR", "nowhere"),
        ("TENT_WEB__ADRR", "127.0.0.1:1"),
        ("TENT_LIMITS__MAX_BODY", "many"),
        ("TENT_SECRET", "too short"),
        ("TENT_STORE__URL", "mysql://x"),
    ];
    let mut shown = String::new();
    for command in ["serve", "check", "list"] {
        shown += &place.shown(&variables, &[command]);
    }
    snapshot!(shown);
}

#[test]
fn reports_a_port_in_use_before_it_opens_anything() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = taken.local_addr().expect("it has one").to_string();
    let mut shown = place.shown(&[], &["serve", "--addr", &addr]);
    shown += &place.shown(&[("TENT_WEB__ADDR", &addr)], &[]);
    assert!(!place.path("orders.db").exists() && !place.path("tent.db").exists());
    snapshot!(shown);
}

#[test]
fn a_server_says_where_it_listens_and_what_to_try() {
    let place = Place::new();
    // A variable says another address; the flag wins.
    let server = place.serve_with(&[("TENT_WEB__ADDR", "127.0.0.1:1")]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let asked = reqwest::get(server.url("/readyz"));
    let ready = runtime.block_on(asked).expect("it answers");
    assert_eq!(ready.status(), 200);
    snapshot!(server.printed());
}
