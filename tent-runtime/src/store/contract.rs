//! What every store must hold, whatever it keeps things in. Each test of it takes stores that share one
//! place, as the processes of one app do: what the one writes the other reads.

use std::sync::Arc;

use super::rounds::Bounds;
use super::*;

/// Two stores over one new place. Where a place cannot be shared both are the same.
pub(super) type Pair = (Arc<dyn Store>, Arc<dyn Store>);

/// What the stores hold rounds to, so that the tests reach it soon.
pub(super) const BOUNDS: Bounds = Bounds {
    of_caller: Most {
        rounds: 4,
        bytes: 3 * MOST_OUTCOME,
    },
    of_all: Most {
        rounds: 7,
        bytes: 5 * MOST_OUTCOME,
    },
};

/// Everything, over places that `make` gives, each time another, and with [`BOUNDS`].
pub(super) async fn holds<F>(make: impl Fn() -> F)
where
    F: Future<Output = Pair>,
{
    keys_are_found_by_their_id_until_revoked(make().await).await;
    a_key_is_never_replaced(make().await).await;
    every_field_of_a_key_is_kept(make().await).await;
    secrets_are_made_once(make().await).await;
    ended_sessions_are_kept_until_they_would_have_ended(make().await).await;
    a_round_is_claimed_once_and_its_outcome_kept(make().await).await;
    rounds_are_forgotten_after_their_time(make().await).await;
    one_callers_rounds_leave_room_for_those_of_others(make().await).await;
    the_outcomes_of_rounds_count_by_their_bytes(make().await).await;
}

fn time(millis: i64) -> Time {
    Time::from_millis(millis)
}

fn key(id: &str, created: i64) -> KeyRecord {
    KeyRecord {
        id: id.into(),
        hash: [id.as_bytes()[0]; 32],
        scopes: vec!["read".into()],
        owner: None,
        label: None,
        created: time(created),
        expires: None,
        revoked: None,
    }
}

async fn keys_are_found_by_their_id_until_revoked((one, other): Pair) {
    assert_eq!(one.key("a").await.expect("reads"), None);
    assert_eq!(other.keys().await.expect("reads"), []);
    assert!(!one.revoke_key("a", time(1)).await.expect("writes"));

    for each in [key("b", 2), key("c", 1), key("a", 2)] {
        assert!(one.add_key(each).await.expect("writes"));
    }
    assert_eq!(other.key("a").await.expect("reads"), Some(key("a", 2)));
    assert_eq!(other.key("A").await.expect("reads"), None);
    let listed = [key("c", 1), key("a", 2), key("b", 2)];
    assert_eq!(
        other.keys().await.expect("reads"),
        listed,
        "the oldest first"
    );

    assert!(other.revoke_key("a", time(5)).await.expect("writes"));
    assert!(one.revoke_key("a", time(6)).await.expect("writes"));
    let revoked = KeyRecord {
        revoked: Some(time(5)),
        ..key("a", 2)
    };
    assert_eq!(
        one.key("a").await.expect("reads"),
        Some(revoked),
        "the first time stays"
    );
    assert_eq!(one.key("b").await.expect("reads"), Some(key("b", 2)));
}

async fn a_key_is_never_replaced((one, other): Pair) {
    assert!(one.add_key(key("a", 1)).await.expect("writes"));
    assert!(!other.add_key(key("a", 2)).await.expect("writes"));
    assert_eq!(one.keys().await.expect("reads"), [key("a", 1)]);
}

async fn every_field_of_a_key_is_kept((one, other): Pair) {
    let whole = KeyRecord {
        id: "größe'; --".into(),
        hash: std::array::from_fn(|at| at as u8),
        scopes: vec!["*".into(), "orders:write".into()],
        owner: Some("ada".into()),
        label: Some("the \"laptop\" 🦀".into()),
        created: time(-1),
        expires: Some(time(i64::MAX)),
        revoked: Some(time(i64::MIN)),
    };
    assert!(one.add_key(whole.clone()).await.expect("writes"));
    assert_eq!(other.key(&whole.id).await.expect("reads"), Some(whole));
}

async fn secrets_are_made_once((one, other): Pair) {
    let (first, second) = (Secret::random(), Secret::random());
    let race = tokio::join!(one.secrets(first.clone()), other.secrets(second.clone()));
    let (at_one, at_other) = (race.0.expect("writes"), race.1.expect("writes"));
    assert_eq!(at_one, at_other, "both are given the same");
    assert!(at_one == [first] || at_one == [second]);
    assert_eq!(one.secrets(Secret::random()).await.expect("reads"), at_one);
}

async fn ended_sessions_are_kept_until_they_would_have_ended((one, other): Pair) {
    let ended = async |nonce: &'static [u8]| other.session_ended(nonce).await.expect("reads");
    assert!(!ended(b"a").await);
    one.end_session(b"a", time(10), time(0))
        .await
        .expect("writes");
    one.end_session(b"a", time(10), time(0))
        .await
        .expect("writes again");
    assert!(ended(b"a").await && !ended(b"").await && !ended(b"ab").await);
    one.end_session(b"b", time(20), time(10))
        .await
        .expect("writes");
    assert!(ended(b"a").await && ended(b"b").await);
    one.end_session(b"c", time(20), time(11))
        .await
        .expect("writes");
    assert!(!ended(b"a").await && ended(b"b").await && ended(b"c").await);
}

async fn claim(store: &dyn Store, nonce: &[u8], lease: i64, now: i64) -> Claim {
    claim_by(store, 0, nonce, lease, now).await
}

async fn claim_by(store: &dyn Store, caller: u8, nonce: &[u8], lease: i64, now: i64) -> Claim {
    let claim = RoundClaim {
        nonce,
        caller: &[caller; 32],
        lease: time(lease),
        until: time(now + 100),
        now: time(now),
    };
    store.claim_round(claim).await.expect("writes")
}

async fn record(store: &dyn Store, nonce: &[u8], outcome: &[u8]) {
    let recorded = store.record_round(nonce, outcome.to_vec()).await;
    recorded.expect("writes");
}

fn running(lease: i64) -> RoundState {
    RoundState::Running(time(lease))
}

async fn a_round_is_claimed_once_and_its_outcome_kept((one, other): Pair) {
    assert_eq!(other.round(b"a").await.expect("reads"), None);
    let race = tokio::join!(
        claim(&*one, b"a", 7, 0),
        claim(&*other, b"a", 7, 0),
        claim(&*one, b"a", 7, 0),
    );
    let claims = [race.0, race.1, race.2];
    let taken = claims.iter().filter(|claim| **claim == Claim::Taken);
    assert_eq!(taken.count(), 1, "{claims:?}");
    let before = Claim::Before(running(7));
    let before = claims.iter().filter(|claim| **claim == before);
    assert_eq!(before.count(), 2, "{claims:?}");
    assert_eq!(other.round(b"a").await.expect("reads"), Some(running(7)));
    assert_eq!(claim(&*other, b"b", 9, 0).await, Claim::Taken);
    for outcome in [&b"\0yes"[..], b""] {
        record(&*other, b"a", outcome).await;
        let ended = RoundState::Ended(outcome.into());
        assert_eq!(one.round(b"a").await.expect("reads"), Some(ended.clone()));
        assert_eq!(claim(&*one, b"a", 7, 0).await, Claim::Before(ended));
    }
    assert_eq!(claim(&*one, b"b", 7, 0).await, Claim::Before(running(9)));
    record(&*one, b"never claimed", b"x").await;
    assert_eq!(one.round(b"never claimed").await.expect("reads"), None);
    assert_eq!(claim(&*other, b"never claimed", 7, 0).await, Claim::Taken);
}

async fn rounds_are_forgotten_after_their_time((one, other): Pair) {
    assert_eq!(claim(&*one, b"a", 7, 0).await, Claim::Taken);
    assert_eq!(claim(&*one, b"b", 7, 100).await, Claim::Taken);
    let running = Claim::Before(running(7));
    assert_eq!(claim(&*other, b"a", 7, 100).await, running);
    assert_eq!(claim(&*other, b"c", 7, 101).await, Claim::Taken);
    assert_eq!(other.round(b"a").await.expect("reads"), None);
    record(&*one, b"c", b"").await;
    assert_eq!(claim(&*one, b"a", 8, 101).await, Claim::Taken, "forgotten");
    assert_eq!(claim(&*one, b"b", 7, 101).await, running);
}

/// Claims it, and has it end with nothing.
async fn ends(store: &dyn Store, caller: u8, nonce: &[u8], now: i64) -> Claim {
    let claim = claim_by(store, caller, nonce, 7, now).await;
    if claim == Claim::Taken {
        record(store, nonce, b"").await;
    }
    claim
}

async fn one_callers_rounds_leave_room_for_those_of_others((one, other): Pair) {
    for (at, nonce) in [b"a", b"b", b"c", b"d"].into_iter().enumerate() {
        let now = i64::try_from(at).expect("few");
        assert_eq!(ends(&*one, 1, nonce, now).await, Claim::Taken);
    }
    let full = |of_caller, until| Claim::Full {
        of_caller,
        until: time(until),
    };
    assert_eq!(ends(&*other, 1, b"e", 4).await, full(true, 100));
    let again = Claim::Before(RoundState::Ended(Vec::new()));
    assert_eq!(
        ends(&*other, 1, b"a", 4).await,
        again,
        "it is there already"
    );
    for nonce in [b"f", b"g", b"h"] {
        assert_eq!(ends(&*other, 2, nonce, 4).await, Claim::Taken);
    }
    assert_eq!(ends(&*other, 2, b"i", 4).await, full(false, 100));
    assert_eq!(ends(&*other, 1, b"i", 4).await, full(true, 100), "its own");
    assert_eq!(ends(&*one, 2, b"i", 101).await, Claim::Taken, "of a");
    assert_eq!(ends(&*one, 2, b"j", 101).await, full(true, 104));
    assert_eq!(ends(&*one, 1, b"j", 101).await, full(false, 101));
}

async fn the_outcomes_of_rounds_count_by_their_bytes((one, other): Pair) {
    let full = |of_caller| Claim::Full {
        of_caller,
        until: time(100),
    };
    for nonce in [b"a", b"b", b"c"] {
        assert_eq!(claim_by(&*one, 1, nonce, 7, 0).await, Claim::Taken);
    }
    let most = vec![b'x'; MOST_OUTCOME];
    assert_eq!(claim_by(&*other, 1, b"d", 7, 0).await, full(true), "it may");
    record(&*one, b"a", &most).await;
    assert_eq!(claim_by(&*other, 1, b"d", 7, 0).await, full(true), "it did");
    record(&*one, b"b", b"").await;
    assert_eq!(claim_by(&*other, 1, b"d", 7, 0).await, Claim::Taken);
    for nonce in [b"e", b"f"] {
        assert_eq!(claim_by(&*other, 2, nonce, 7, 0).await, Claim::Taken);
    }
    assert_eq!(claim_by(&*other, 3, b"g", 7, 0).await, full(false));
}

#[tokio::test]
async fn memory_holds_the_contract() {
    holds(|| async {
        let memory: Arc<dyn Store> = Arc::new(Memory::bounded(BOUNDS));
        (memory.clone(), memory)
    })
    .await;
}
