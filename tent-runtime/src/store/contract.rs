//! What every store must hold, whatever it keeps things in. Each test of it takes stores that share one
//! place, as the processes of one app do: what the one writes the other reads.

use std::sync::Arc;

use super::*;

/// Makes two stores over one new place, each time another. Where a place cannot be shared both are the same.
pub(super) type Pair = (Arc<dyn Store>, Arc<dyn Store>);

/// Everything, over places that `make` gives.
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
    let claim = store.claim_round(nonce, time(lease), time(now + 100), time(now));
    claim.await.expect("writes")
}

async fn a_round_is_claimed_once_and_its_outcome_kept((one, other): Pair) {
    let race = tokio::join!(
        claim(&*one, b"a", 7, 0),
        claim(&*other, b"a", 7, 0),
        claim(&*one, b"a", 7, 0),
    );
    let claims = [race.0, race.1, race.2];
    let taken = claims.iter().filter(|claim| **claim == Claim::Taken);
    assert_eq!(taken.count(), 1, "{claims:?}");
    let running = claims
        .iter()
        .filter(|claim| **claim == Claim::Running(time(7)));
    assert_eq!(running.count(), 2, "{claims:?}");
    assert_eq!(claim(&*other, b"b", 9, 0).await, Claim::Taken);
    for outcome in [&b"\0yes"[..], b""] {
        other
            .record_round(b"a", outcome.to_vec())
            .await
            .expect("writes");
        assert_eq!(claim(&*one, b"a", 7, 0).await, Claim::Ended(outcome.into()));
    }
    assert_eq!(claim(&*one, b"b", 7, 0).await, Claim::Running(time(9)));
    one.record_round(b"never claimed", b"x".to_vec())
        .await
        .expect("writes nothing");
    assert_eq!(claim(&*other, b"never claimed", 7, 0).await, Claim::Taken);
}

async fn rounds_are_forgotten_after_their_time((one, other): Pair) {
    assert_eq!(claim(&*one, b"a", 7, 0).await, Claim::Taken);
    assert_eq!(claim(&*one, b"b", 7, 100).await, Claim::Taken);
    assert_eq!(claim(&*other, b"a", 7, 100).await, Claim::Running(time(7)));
    assert_eq!(claim(&*other, b"c", 7, 101).await, Claim::Taken);
    assert_eq!(claim(&*one, b"a", 8, 101).await, Claim::Taken, "forgotten");
    assert_eq!(claim(&*one, b"b", 7, 101).await, Claim::Running(time(7)));
}

#[tokio::test]
async fn memory_holds_the_contract() {
    holds(|| async {
        let memory: Arc<dyn Store> = Arc::new(Memory::default());
        (memory.clone(), memory)
    })
    .await;
}
