//! Options: each as it reaches the declaration, and the rules of access.

use std::time::Duration;

use serde_json::json;
use tent::{action, change, query};
use tent_runtime::__private::{Access as AccessDeclaration, States};
use tent_runtime::{Caller, Cx, Kind, User};
use tent_tests::{block_on, linked};

/// The doc comment.
///
/// With a second paragraph.
#[query(access = "signedIn", offer = "mcp")]
fn plain() -> u32 {
    1
}

#[change(
    about = "What a model reads",
    access = "role:staff",
    offer = ["mcp"],
    api = false,
    name = "orders.pay",
    title = "Pay",
    danger = "ask",
    asks = "page",
    scope = "orders:write",
    idempotent = true,
    retry = true,
    timeout = "2min",
    limit = "10/min",
    needs = ["sampling", "elicitation.form"],
    crate = ::tent,
)]
/// Not this.
async fn everything() {}

#[change(access = "app", writes = "adds", blocking = true)]
fn adds() {}

#[action(access = ["role:a", "role:b"], changes = false, sends = true, timeout = "500ms")]
fn reads_outside() {}

#[action(
    access = "anyone",
    on = "resources/list",
    limit = "1/day",
    idempotent = false
)]
fn answers() {}

#[test]
fn the_doc_comment_is_the_default_description() {
    let plain = linked("plain");
    assert_eq!(plain.about, "The doc comment.\n\nWith a second paragraph.");
    assert_eq!(plain.kind, Kind::Query);
    assert!(plain.mcp && plain.api && !plain.explicit_name && !plain.needs_approval);
    assert!(matches!(plain.access, AccessDeclaration::SignedIn));
    assert_eq!(
        (
            plain.title,
            plain.scope,
            plain.timeout,
            plain.limit,
            plain.on
        ),
        (None, None, None, None, None)
    );
    assert_eq!(plain.location.krate(), "functions");
    assert!(plain.location.file.ends_with("options.rs"));
    assert!(plain.location.module.ends_with("functions::options"));
}

#[test]
fn every_option_reaches_the_declaration() {
    let all = linked("orders.pay");
    assert_eq!(all.kind, Kind::Change);
    assert_eq!(all.about, "What a model reads");
    assert!(matches!(all.access, AccessDeclaration::Role("staff")));
    assert!(
        all.mcp
            && !all.api
            && all.explicit_name
            && all.needs_approval
            && all.approval_on_page
            && all.retry
    );
    assert_eq!((all.title, all.scope), (Some("Pay"), Some("orders:write")));
    assert_eq!(all.idempotent, Some(true));
    assert_eq!(all.timeout, Some(Duration::from_secs(120)));
    assert_eq!(all.limit, Some((10, Duration::from_secs(60))));
    assert_eq!(all.needs, ["sampling", "elicitation.form"]);

    let adds = linked("adds");
    assert!(adds.additive && adds.blocking && matches!(adds.access, AccessDeclaration::App));

    let reads = linked("reads_outside");
    assert_eq!(reads.kind, Kind::Action);
    assert!(reads.read_only && reads.sends);
    assert_eq!(reads.timeout, Some(Duration::from_millis(500)));
    assert!(matches!(
        reads.access,
        AccessDeclaration::Any([AccessDeclaration::Role("a"), AccessDeclaration::Role("b")])
    ));

    let answers = linked("answers");
    assert_eq!(answers.on, Some("resources/list"));
    assert_eq!(answers.limit, Some((1, Duration::from_secs(86_400))));
    assert_eq!(answers.idempotent, Some(false));
}

mod rules {
    use super::Cx;
    use tent::{Error, Result};

    pub(crate) fn named_ada(cx: &Cx) -> bool {
        cx.caller().user().is_some_and(|user| user.id == "ada")
    }

    pub(crate) fn fallible(cx: &Cx) -> Result<bool> {
        Ok(cx.user()?.id == "ada")
    }

    pub(crate) fn other_error(_: &Cx) -> std::result::Result<bool, std::fmt::Error> {
        Err(std::fmt::Error)
    }

    pub(crate) async fn later(cx: &Cx) -> bool {
        tokio::task::yield_now().await;
        named_ada(cx)
    }

    pub(crate) async fn later_fallible(cx: &Cx) -> Result<bool> {
        tokio::task::yield_now().await;
        cx.require(named_ada(cx))
            .map(|()| true)
            .map_err(|_| Error::declared(tent::code!("A0003"), 403, "no"))
    }
}

#[query(access = rules::named_ada)]
fn by_rule() {}
#[query(access = self::rules::fallible)]
fn by_fallible() {}
#[query(access = rules::other_error)]
fn by_other_error() {}
#[query(access = rules::later)]
fn by_later() {}
#[query(access = ["role:staff", rules::later_fallible])]
fn by_list() {}

fn ask(name: &str, caller: &Caller) -> Result<bool, &'static str> {
    let rule = match linked(name).access {
        AccessDeclaration::Rule(rule) => rule,
        AccessDeclaration::Any(
            [
                AccessDeclaration::Role("staff"),
                AccessDeclaration::Rule(rule),
            ],
        ) => *rule,
        other => panic!("{other:?} is no rule"),
    };
    let cx = Cx::for_test(caller.clone(), States::default());
    block_on((rule.run)(Some(&cx)).result()).map_err(|error| error.code())
}

#[test]
fn a_rule_is_a_sync_or_async_function_that_decides() {
    let nobody = Caller::Anonymous;
    let ada = Caller::User(User::new("ada").into());
    assert_eq!(
        (ask("by_rule", &nobody), ask("by_rule", &ada)),
        (Ok(false), Ok(true))
    );
    assert_eq!(ask("by_fallible", &nobody), Err("T0004"));
    assert_eq!(ask("by_fallible", &ada), Ok(true));
    assert_eq!(ask("by_other_error", &ada), Err("T0012"));
    assert_eq!(
        (ask("by_later", &nobody), ask("by_later", &ada)),
        (Ok(false), Ok(true))
    );
    assert_eq!(
        (ask("by_list", &nobody), ask("by_list", &ada)),
        (Err("A0003"), Ok(true))
    );
    let AccessDeclaration::Rule(rule) = linked("by_fallible").access else {
        panic!("it is a rule");
    };
    assert_eq!(rule.path, "self::rules::fallible");
    assert_eq!(json!(plain()), json!(1), "the function stays callable");
}
