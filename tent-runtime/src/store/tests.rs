//! The contract of [`Store`]: the tests that every store passes. Each test gets two handles on one place, as two processes have,
//! and the clock that both follow.

use std::time::Duration;

use super::*;
use crate::clock::StillClock;
use crate::seal::Use;

/// Two handles on one new place. Where a place cannot be shared, both are the same.
pub(super) struct Pair {
    pub(super) one: Arc<dyn Store>,
    pub(super) other: Arc<dyn Store>,
    pub(super) clock: Arc<StillClock>,
}

/// Runs all tests, each over a new place that `make` opens with this clock.
pub(super) async fn holds<F>(make: impl Fn(Arc<StillClock>) -> F)
where
    F: Future<Output = (Arc<dyn Store>, Arc<dyn Store>)>,
{
    macro_rules! run {
        ($($test:ident)*) => {$(
            let clock = StillClock::at(NOW);
            let (one, other) = make(clock.clone()).await;
            $test(Pair { one, other, clock }).await;
        )*};
    }
    run! {
        api_keys_are_found_by_their_id_until_revoked
        an_api_key_is_never_replaced
        every_field_of_an_api_key_is_stored
        api_keys_are_listed_whole
        secrets_are_made_once
        sessions_are_ended_until_they_would_have_ended
        one_of_many_claims_is_taken
        a_claim_carries_its_fingerprint_its_lease_and_its_value
        a_claim_is_completed_once_by_its_own_fence
        a_claim_is_released_by_its_own_fence_until_it_is_completed
        a_record_expires_at_the_millisecond
        a_key_is_not_claimed_after_its_last_time
        a_batch_that_fails_at_any_operation_changes_nothing
        a_record_is_consumed_once_and_stays_good_when_the_batch_fails
        a_put_is_refused_unless_its_condition_holds
        one_owner_leaves_room_for_others
        values_count_by_their_bytes_and_claims_by_what_they_reserve
        a_claim_without_a_value_costs_nothing_after_its_lease
        a_refusal_names_the_next_time_at_which_a_record_stops_counting
        what_has_expired_frees_room_however_much_it_is
        rows_that_a_refused_write_settles_stay_settled
        store_time_never_goes_back_when_the_clock_does
        a_page_continues_after_the_last_id
    }
}

const NOW: i64 = 1_780_000_000_000;
const SPACE: Space = Space(200);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Bounds that the tests reach.
const BOUNDS: Bounds = Bounds {
    per_owner: Most {
        records: 4,
        bytes: 300,
    },
    in_total: Most {
        records: 7,
        bytes: 500,
    },
};
const WIDE: Bounds = Bounds {
    per_owner: Most {
        records: 10_000,
        bytes: u64::MAX,
    },
    in_total: Most {
        records: 10_000,
        bytes: u64::MAX,
    },
};

impl Pair {
    fn go_on(&self, time: Duration) {
        self.clock
            .go_on(i64::try_from(time.as_millis()).expect("it is short"));
    }
}

/// The millisecond of store time, after the start of the test.
fn after(time: Duration) -> Time {
    Time::from_millis(NOW).plus(time)
}

fn key(id: &[u8]) -> Key {
    Key::new(SPACE, id)
}

/// A claim by a caller, of a lease of a second, kept for a minute, which reserves 100 bytes.
fn new_claim(owner: u8, id: &[u8]) -> Claim {
    Claim {
        key: key(id),
        owner: [owner; 32],
        fence: Fence::random(),
        fingerprint: [owner; 32],
        lease: SECOND,
        keep: MINUTE,
        not_after: None,
        reserve: 100,
        bounds: BOUNDS,
    }
}

fn new_put(owner: u8, id: &[u8], value: &[u8]) -> Put {
    Put {
        key: key(id),
        owner: [owner; 32],
        fence: Fence::random(),
        value: value.to_vec(),
        keep: Some(MINUTE),
        when: When::Absent,
        bounds: Some(BOUNDS),
    }
}

async fn write(store: &Arc<dyn Store>, ops: Vec<Op>) -> Result<(), (usize, Refusal)> {
    match store.write(ops).await.expect("the store works") {
        Written::Done { .. } => Ok(()),
        Written::Refused { op, why, .. } => Err((op, why)),
    }
}

async fn claim(store: &Arc<dyn Store>, claim: Claim) -> Result<(), Refusal> {
    let written = write(store, vec![Op::Claim(claim)]).await;
    written.map_err(|(_, why)| why)
}

async fn complete(store: &Arc<dyn Store>, claim: &Claim, value: &[u8]) -> Result<(), Refusal> {
    let complete = Op::Complete {
        key: claim.key.clone(),
        fence: claim.fence,
        value: value.to_vec(),
    };
    write(store, vec![complete]).await.map_err(|(_, why)| why)
}

async fn read(store: &Arc<dyn Store>, id: &[u8]) -> Option<Record> {
    let found = store.read(vec![key(id)]).await.expect("the store works");
    found.records.into_iter().next().flatten()
}

/// Whether a result is a refusal for a bound, and whose.
fn full(of_owner: bool) -> impl Fn(Result<(), Refusal>) -> bool {
    move |result| matches!(result, Err(Refusal::Full { of_owner: whose, .. }) if whose == of_owner)
}

fn api_key(id: &str, created: i64) -> KeyRecord {
    KeyRecord {
        id: id.into(),
        hash: [id.as_bytes()[0]; 32],
        scopes: vec!["read".into()],
        owner: None,
        label: None,
        created: Time::from_millis(created),
        expires: None,
        revoked: None,
    }
}

async fn api_keys_are_found_by_their_id_until_revoked(Pair { one, other, .. }: Pair) {
    let at = Time::from_millis;
    assert_eq!(keys::find(&*one, "a").await.expect("reads"), None);
    assert_eq!(keys::list(&*other).await.expect("reads"), []);
    assert!(!keys::revoke(&*one, "a", at(1)).await.expect("writes"));

    for each in [api_key("b", 2), api_key("c", 1), api_key("a", 2)] {
        assert!(keys::add(&*one, &each).await.expect("writes"));
    }
    let found = keys::find(&*other, "a").await.expect("reads");
    assert_eq!(found, Some(api_key("a", 2)));
    assert_eq!(keys::find(&*other, "A").await.expect("reads"), None);
    let listed = [api_key("c", 1), api_key("a", 2), api_key("b", 2)];
    let found = keys::list(&*other).await.expect("reads");
    assert_eq!(found, listed, "the oldest first");

    assert!(keys::revoke(&*other, "a", at(5)).await.expect("writes"));
    assert!(keys::revoke(&*one, "a", at(6)).await.expect("writes"));
    let revoked = KeyRecord {
        revoked: Some(at(5)),
        ..api_key("a", 2)
    };
    let found = keys::find(&*one, "a").await.expect("reads");
    assert_eq!(found, Some(revoked), "the first time stays");
    let found = keys::find(&*one, "b").await.expect("reads");
    assert_eq!(found, Some(api_key("b", 2)));
}

async fn an_api_key_is_never_replaced(Pair { one, other, .. }: Pair) {
    assert!(keys::add(&*one, &api_key("a", 1)).await.expect("writes"));
    assert!(!keys::add(&*other, &api_key("a", 2)).await.expect("writes"));
    let listed = keys::list(&*one).await.expect("reads");
    assert_eq!(listed, [api_key("a", 1)]);
}

async fn every_field_of_an_api_key_is_stored(Pair { one, other, .. }: Pair) {
    let whole = KeyRecord {
        id: "größe'; --".into(),
        hash: std::array::from_fn(|at| at as u8),
        scopes: vec!["*".into(), "orders:write".into()],
        owner: Some("ada".into()),
        label: Some("the \"laptop\" 🦀".into()),
        created: Time::from_millis(-1),
        expires: Some(Time::from_millis(i64::MAX)),
        revoked: Some(Time::from_millis(i64::MIN)),
    };
    assert!(keys::add(&*one, &whole).await.expect("writes"));
    let found = keys::find(&*other, &whole.id).await.expect("reads");
    assert_eq!(found, Some(whole));
}

async fn api_keys_are_listed_whole(Pair { one, other, .. }: Pair) {
    // More than a page.
    let puts = (0..1001).map(|n| {
        Op::Put(Put {
            key: Key::new(Space::KEYS, format!("{n:04}")),
            bounds: None,
            keep: None,
            value: [
                b"\x01",
                &br#"{"hash":"00","scopes":"read","created":1}"#[..],
            ]
            .concat(),
            ..new_put(0, b"", b"")
        })
    });
    write(&one, puts.collect()).await.expect("there is room");
    let error = keys::list(&*other).await.expect_err("no hash has one byte");
    assert_eq!(error.code(), "T0012", "a record that cannot be read");
    let page = Page {
        space: Space::KEYS,
        after: b"0999".to_vec(),
        most: 1000,
    };
    assert_eq!(other.scan(page).await.expect("reads").len(), 1);
}

async fn secrets_are_made_once(Pair { one, other, .. }: Pair) {
    let (first, second) = (Secret::random(), Secret::random());
    let race = tokio::join!(
        secrets::ring(&*one, first.clone()),
        secrets::ring(&*other, second.clone())
    );
    let (at_one, at_other) = (race.0.expect("writes"), race.1.expect("writes"));
    assert_eq!(at_one, at_other, "both get the same");
    assert!(at_one == [first] || at_one == [second]);
    let again = secrets::ring(&*one, Secret::random()).await;
    assert_eq!(again.expect("reads"), at_one);
}

async fn sessions_are_ended_until_they_would_have_ended(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let ended =
        async |nonce: &'static [u8]| sessions::is_ended(&**other, nonce).await.expect("reads");
    let end = async |nonce: &'static [u8], keep| {
        let ended = sessions::end(&**one, nonce, keep, [1; 32], sessions::BOUNDS).await;
        ended.expect("writes");
    };
    assert!(!ended(b"a").await);
    end(b"a", SECOND).await;
    end(b"a", SECOND).await;
    assert!(ended(b"a").await && !ended(b"").await && !ended(b"ab").await);
    end(b"b", 2 * SECOND).await;
    pair.go_on(SECOND - Duration::from_millis(1));
    assert!(ended(b"a").await && ended(b"b").await);
    pair.go_on(Duration::from_millis(1));
    end(b"c", SECOND).await;
    assert!(!ended(b"a").await && ended(b"b").await && ended(b"c").await);
}

async fn one_of_many_claims_is_taken(Pair { one, other, .. }: Pair) {
    let claims: Vec<_> = (0..64).map(|_| new_claim(1, b"a")).collect();
    let race = claims.iter().enumerate().map(|(at, one_claim)| {
        let store = [&one, &other][at % 2];
        claim(store, one_claim.clone())
    });
    let results = futures_util::future::join_all(race).await;
    let taken: Vec<_> = (0..64).filter(|&at| results[at].is_ok()).collect();
    let [winner] = taken[..] else {
        panic!("{taken:?}");
    };
    for (at, result) in results.iter().enumerate() {
        let Err(Refusal::Exists(record)) = result else {
            assert_eq!(at, winner);
            continue;
        };
        assert_eq!(record.fence, claims[winner].fence);
    }
    // An answer that was lost is asked for again.
    assert_eq!(claim(&other, claims[winner].clone()).await, Ok(()));
}

async fn a_claim_carries_its_fingerprint_its_lease_and_its_value(Pair { one, other, .. }: Pair) {
    assert_eq!(read(&other, b"a").await, None);
    let first = new_claim(1, b"a");
    assert_eq!(claim(&one, first.clone()).await, Ok(()));
    let mut record = Record {
        key: key(b"a"),
        owner: [1; 32],
        fence: first.fence,
        fingerprint: Some([1; 32]),
        lease: Some(after(SECOND)),
        until: Some(after(MINUTE)),
        consumed_by: None,
        value: None,
    };
    assert_eq!(read(&other, b"a").await, Some(record.clone()));
    let again = claim(&other, new_claim(2, b"a")).await;
    assert_eq!(again, Err(Refusal::Exists(Box::new(record.clone()))));
    for value in [&b"\0yes"[..], b"no"] {
        assert_eq!(complete(&other, &first, value).await, Ok(()));
        record.lease = None;
        record.value = Some(b"\0yes".to_vec());
        assert_eq!(read(&one, b"a").await, Some(record.clone()), "the first");
        let again = claim(&one, new_claim(2, b"a")).await;
        assert_eq!(again, Err(Refusal::Exists(Box::new(record.clone()))));
    }
}

async fn a_claim_is_completed_once_by_its_own_fence(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let first = new_claim(1, b"a");
    assert_eq!(complete(one, &first, b"x").await, Err(Refusal::Missing));
    assert_eq!(read(one, b"a").await, None);
    claim(one, first.clone()).await.expect("it is new");
    let foreign = new_claim(1, b"a");
    assert_eq!(complete(other, &foreign, b"x").await, Err(Refusal::Lost));
    // The lease is over, and its process lives after all.
    pair.go_on(10 * SECOND);
    claim(other, new_claim(2, b"b")).await.expect("it is new");
    assert_eq!(complete(one, &first, b"y").await, Ok(()));
    assert_eq!(complete(other, &foreign, b"x").await, Err(Refusal::Lost));
    let value = read(other, b"a").await.and_then(|record| record.value);
    assert_eq!(value.as_deref(), Some(&b"y"[..]));
    pair.go_on(MINUTE);
    assert_eq!(complete(one, &first, b"y").await, Err(Refusal::Missing));
}

async fn a_claim_is_released_by_its_own_fence_until_it_is_completed(Pair { one, other, .. }: Pair) {
    let release = async |claim: &Claim| {
        let release = Op::Release {
            key: claim.key.clone(),
            fence: claim.fence,
        };
        write(&other, vec![release]).await.map_err(|(_, why)| why)
    };
    let (first, second) = (new_claim(1, b"a"), new_claim(1, b"a"));
    assert_eq!(release(&first).await, Ok(()), "it was never made");
    claim(&one, first.clone()).await.expect("it is new");
    assert_eq!(release(&second).await, Err(Refusal::Lost));
    for _ in 0..2 {
        assert_eq!(release(&first).await, Ok(()));
    }
    claim(&one, second.clone()).await.expect("it is free");
    complete(&one, &second, b"x").await.expect("it is claimed");
    assert_eq!(release(&second).await, Err(Refusal::Lost));
    assert!(read(&one, b"a").await.is_some());
    // What was released does not count.
    for id in [b"b", b"c", b"d"] {
        let one_claim = Claim {
            reserve: 1,
            ..new_claim(1, id)
        };
        assert_eq!(claim(&one, one_claim).await, Ok(()));
    }
}

async fn a_record_expires_at_the_millisecond(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let first = new_claim(1, b"a");
    claim(one, first.clone()).await.expect("it is new");
    write(one, vec![Op::Put(new_put(1, b"b", b"x"))])
        .await
        .expect("it is new");
    pair.go_on(MINUTE - Duration::from_millis(1));
    assert!(read(other, b"a").await.is_some() && read(other, b"b").await.is_some());
    let again = claim(other, new_claim(1, b"a")).await;
    assert!(matches!(again, Err(Refusal::Exists(_))), "{again:?}");
    pair.go_on(Duration::from_millis(1));
    assert!(read(other, b"a").await.is_none() && read(other, b"b").await.is_none());
    let page = Page {
        space: SPACE,
        after: Vec::new(),
        most: 10,
    };
    assert_eq!(other.scan(page).await.expect("reads"), []);
    assert_eq!(complete(one, &first, b"x").await, Err(Refusal::Missing));
    assert_eq!(claim(other, new_claim(1, b"a")).await, Ok(()));
    write(one, vec![Op::Put(new_put(1, b"b", b"y"))])
        .await
        .expect("it is free");
}

async fn a_key_is_not_claimed_after_its_last_time(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let last = |id| Claim {
        not_after: Some(after(SECOND)),
        ..new_claim(1, id)
    };
    pair.go_on(SECOND);
    assert_eq!(claim(one, last(b"a")).await, Ok(()));
    pair.go_on(Duration::from_millis(1));
    assert_eq!(claim(one, last(b"b")).await, Err(Refusal::Late));
    let again = claim(other, last(b"a")).await;
    assert!(
        matches!(again, Err(Refusal::Exists(_))),
        "it is there: {again:?}"
    );
}

async fn a_batch_that_fails_at_any_operation_changes_nothing(Pair { one, other, .. }: Pair) {
    let held = new_claim(1, b"held");
    let [old, used] = [&b"old"[..], b"used"].map(|id| new_put(1, id, b"x"));
    let before = vec![
        Op::Claim(held.clone()),
        Op::Put(old.clone()),
        Op::Put(used.clone()),
    ];
    write(&one, before).await.expect("all are new");
    let ids = [&b"held"[..], b"old", b"used", b"new", b"claimed"];
    let all = async || {
        let keys = ids.map(key).to_vec();
        other.read(keys).await.expect("reads").records
    };
    let usual = all().await;
    let batch = |at: usize| {
        let mut ops = vec![
            Op::Put(new_put(2, b"new", b"x")),
            Op::Claim(new_claim(2, b"claimed")),
            Op::Put(Put {
                when: When::Unchanged(old.fence),
                ..new_put(1, b"old", b"longer")
            }),
            Op::Consume {
                key: key(b"used"),
                fence: Fence::random(),
            },
            Op::Complete {
                key: key(b"held"),
                fence: held.fence,
                value: b"x".to_vec(),
            },
        ];
        ops.insert(
            at,
            Op::Complete {
                key: key(b"nothing"),
                fence: held.fence,
                value: Vec::new(),
            },
        );
        ops
    };
    for at in 0..=5 {
        let refused = write(&one, batch(at)).await;
        assert_eq!(refused, Err((at, Refusal::Missing)));
        assert_eq!(all().await, usual);
    }
    // Neither do the sums keep anything: there is room for one more, and no other.
    assert_eq!(claim(&one, new_claim(1, b"more")).await, Ok(()));
    assert!(full(true)(claim(&one, new_claim(1, b"most")).await));
    let mut whole = batch(0);
    whole.remove(0);
    assert_eq!(write(&other, whole).await, Ok(()));
    assert!(all().await.iter().all(Option::is_some));
}

async fn a_record_is_consumed_once_and_stays_good_when_the_batch_fails(
    Pair { one, other, .. }: Pair,
) {
    let consume = |id, fence| Op::Consume {
        key: key(id),
        fence,
    };
    let fences = [Fence::random(), Fence::random()];
    let missing = write(&one, vec![consume(b"a", fences[0])]).await;
    assert_eq!(missing, Err((0, Refusal::Missing)));
    for id in [b"a", b"b"] {
        write(&one, vec![Op::Put(new_put(1, id, b"x"))])
            .await
            .expect("it is new");
    }
    // Two approvals for one call at once: the call that loses the claim leaves its approval good.
    let race = [(b"a", fences[0]), (b"b", fences[1])].map(|(id, fence)| {
        let one_claim = Claim {
            fence,
            ..new_claim(2, b"call")
        };
        (consume(id, fence), Op::Claim(one_claim))
    });
    let [first, second] = race;
    let results = tokio::join!(
        write(&one, vec![first.0.clone(), first.1.clone()]),
        write(&other, vec![second.0.clone(), second.1.clone()])
    );
    assert_eq!(
        [&results.0, &results.1]
            .iter()
            .filter(|result| result.is_ok())
            .count(),
        1
    );
    let [won, lost] = match results.0.is_ok() {
        true => [first.0, second.0],
        false => [second.0, first.0],
    };
    let foreign = match &won {
        Op::Consume { key, .. } => consume(&key.id, Fence::random()),
        _ => unreachable!("both consume"),
    };
    assert_eq!(write(&other, vec![won]).await, Ok(()), "the same again");
    let twice = write(&other, vec![foreign]).await;
    assert!(matches!(twice, Err((0, Refusal::Exists(_)))), "{twice:?}");
    assert_eq!(write(&one, vec![lost]).await, Ok(()), "it stays good");
}

async fn a_put_is_refused_unless_its_condition_holds(Pair { one, other, .. }: Pair) {
    let put = async |put: &Put| write(&other, vec![Op::Put(put.clone())]).await;
    let first = new_put(1, b"a", b"x");
    let changed = Put {
        when: When::Unchanged(first.fence),
        ..new_put(1, b"a", b"y")
    };
    assert_eq!(put(&changed).await, Err((0, Refusal::Missing)));
    for _ in 0..2 {
        assert_eq!(put(&first).await, Ok(()), "the same again");
    }
    let absent = put(&new_put(1, b"a", b"z")).await;
    assert!(matches!(absent, Err((0, Refusal::Exists(_)))), "{absent:?}");
    for _ in 0..2 {
        assert_eq!(put(&changed).await, Ok(()), "the same again");
    }
    let stale = Put {
        when: When::Unchanged(first.fence),
        ..new_put(1, b"a", b"z")
    };
    let Err((0, Refusal::Exists(record))) = put(&stale).await else {
        panic!("it was changed");
    };
    assert_eq!(record.value.as_deref(), Some(&b"y"[..]));
    assert_eq!(read(&one, b"a").await, Some(*record));
}

/// Claims a key and completes it with nothing.
async fn run(store: &Arc<dyn Store>, owner: u8, id: &[u8]) -> Result<(), Refusal> {
    let first = new_claim(owner, id);
    claim(store, first.clone()).await?;
    complete(store, &first, b"").await
}

async fn one_owner_leaves_room_for_others(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    for (at, id) in [b"a", b"b", b"c", b"d"].into_iter().enumerate() {
        assert_eq!(run([one, other][at % 2], 1, id).await, Ok(()));
        pair.go_on(SECOND);
    }
    let is_there = run(other, 1, b"a").await;
    assert!(
        matches!(is_there, Err(Refusal::Exists(_))),
        "it needs no room"
    );
    assert!(full(true)(run(other, 1, b"e").await));
    for id in [b"f", b"g", b"h"] {
        assert_eq!(run(other, 2, id).await, Ok(()));
    }
    assert!(full(false)(run(other, 2, b"i").await));
    assert!(full(true)(run(other, 1, b"i").await), "its own comes first");
    pair.go_on(MINUTE - 4 * SECOND);
    assert_eq!(run(one, 2, b"i").await, Ok(()), "that of a");
    assert!(full(true)(run(one, 2, b"j").await));
    assert!(full(false)(run(one, 1, b"j").await));
}

async fn values_count_by_their_bytes_and_claims_by_what_they_reserve(
    Pair { one, other, .. }: Pair,
) {
    let [a, b, c] = [b"a", b"b", b"c"].map(|id| new_claim(1, id));
    for each in [&a, &b, &c] {
        assert_eq!(claim(&one, each.clone()).await, Ok(()));
    }
    assert!(
        full(true)(claim(&other, new_claim(1, b"d")).await),
        "300 reserved"
    );
    complete(&one, &a, &[b'x'; 100])
        .await
        .expect("it is claimed");
    assert!(
        full(true)(claim(&other, new_claim(1, b"d")).await),
        "100 and 200"
    );
    complete(&one, &b, b"").await.expect("it is claimed");
    assert_eq!(claim(&other, new_claim(1, b"d")).await, Ok(()));
    for id in [b"e", b"f"] {
        assert_eq!(claim(&other, new_claim(2, id)).await, Ok(()));
    }
    assert!(full(false)(claim(&other, new_claim(3, b"g")).await));
    // An outcome needs no room, however much there is.
    complete(&one, &c, &[b'x'; 1000])
        .await
        .expect("it is claimed");
}

// S07
async fn a_claim_without_a_value_costs_nothing_after_its_lease(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let dead: Vec<_> = [b"a", b"b", b"c"].map(|id| new_claim(1, id)).into();
    for each in &dead {
        assert_eq!(claim(one, each.clone()).await, Ok(()));
    }
    assert!(full(true)(claim(other, new_claim(1, b"d")).await));
    pair.go_on(SECOND);
    for id in [b"d", b"e", b"f"] {
        assert_eq!(claim(other, new_claim(1, id)).await, Ok(()));
    }
    assert!(full(true)(claim(other, new_claim(1, b"g")).await));
    // Its record is there still, and counts again once it is completed.
    let again = claim(one, new_claim(1, b"a")).await;
    assert!(matches!(again, Err(Refusal::Exists(_))), "{again:?}");
    complete(one, &dead[0], &[b'x'; 300])
        .await
        .expect("it is claimed");
    pair.go_on(SECOND);
    assert!(full(true)(claim(other, new_claim(1, b"g")).await));
    pair.go_on(MINUTE);
    assert_eq!(claim(other, new_claim(1, b"g")).await, Ok(()));
}

async fn a_refusal_names_the_next_time_at_which_a_record_stops_counting(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    assert_eq!(run(one, 1, b"done").await, Ok(()));
    pair.go_on(Duration::from_millis(300));
    for id in [b"a", b"b", b"c"] {
        assert_eq!(claim(one, new_claim(1, id)).await, Ok(()));
        pair.go_on(Duration::from_millis(100));
    }
    let free_at = |result| match result {
        Err(Refusal::Full { free_at, .. }) => free_at,
        other => panic!("{other:?}"),
    };
    let next = free_at(claim(other, new_claim(1, b"d")).await);
    assert_eq!(
        next,
        Some(after(Duration::from_millis(1300))),
        "the lease of a"
    );
    for id in [b"e", b"f"] {
        assert_eq!(claim(one, new_claim(2, id)).await, Ok(()));
    }
    let next = free_at(claim(other, new_claim(3, b"g")).await);
    assert_eq!(next, Some(after(Duration::from_millis(1300))), "of all");
    pair.go_on(MINUTE - 700 * Duration::from_millis(1));
    let next = {
        for id in [b"h", b"i", b"j"] {
            assert_eq!(run(one, 1, id).await, Ok(()));
        }
        free_at(run(other, 1, b"k").await)
    };
    assert_eq!(next, Some(after(MINUTE)), "the end of what is completed");
}

async fn what_has_expired_frees_room_however_much_it_is(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let wide = |id: &str| {
        Op::Put(Put {
            bounds: Some(WIDE),
            ..new_put(1, id.as_bytes(), b"x")
        })
    };
    let many = (0..3000).map(|n| wide(&format!("{n}")));
    write(one, many.collect()).await.expect("there is room");
    assert!(full(true)(run(other, 1, b"a").await));
    pair.go_on(MINUTE);
    for id in [b"a", b"b", b"c", b"d"] {
        assert_eq!(run(other, 1, id).await, Ok(()));
    }
    assert!(full(true)(run(other, 1, b"e").await));
}

async fn rows_that_a_refused_write_settles_stay_settled(pair: Pair) {
    let Pair { one, .. } = &pair;
    let put = |owner, id: &str, bounds| {
        Op::Put(Put {
            bounds: Some(bounds),
            ..new_put(owner, id.as_bytes(), b"x")
        })
    };
    for owner in [1, 2] {
        let many = (0..300).map(|n| put(owner, &format!("{owner} {n}"), WIDE));
        write(one, many.collect()).await.expect("there is room");
    }
    pair.go_on(MINUTE);
    assert_eq!(run(one, 3, b"taken").await, Ok(()));
    // The first operation makes room, the second one is refused.
    let batch = vec![put(1, "new", BOUNDS), put(3, "taken", BOUNDS)];
    let refused = write(one, batch.clone()).await;
    assert!(
        matches!(refused, Err((1, Refusal::Exists(_)))),
        "{refused:?}"
    );
    // Each write settles 64 more. Those of the first owner are gone, and hold no bound that is one record wide.
    let narrow = Bounds {
        per_owner: Most {
            records: 1,
            bytes: 1,
        },
        in_total: WIDE.in_total,
    };
    assert_eq!(write(one, vec![put(1, "new", narrow)]).await, Ok(()));
}

// S13
async fn store_time_never_goes_back_when_the_clock_does(pair: Pair) {
    let Pair { one, other, .. } = &pair;
    let hour = Duration::from_secs(3600);
    let last = |id| Claim {
        not_after: Some(after(10 * MINUTE)),
        ..new_claim(1, id)
    };
    assert_eq!(claim(one, last(b"a")).await, Ok(()));
    pair.go_on(hour);
    assert_eq!(claim(one, new_claim(1, b"b")).await, Ok(()));
    pair.clock.go_on(-3_600_000);
    for store in [one, other] {
        assert_eq!(read(store, b"a").await, None);
        assert_eq!(claim(store, last(b"a")).await, Err(Refusal::Late));
        assert!(store.now() >= after(hour));
    }
    // It goes on from there.
    pair.go_on(SECOND);
    assert!(one.now() >= after(hour + SECOND));
    assert_eq!(claim(one, new_claim(1, b"c")).await, Ok(()));
}

async fn a_page_continues_after_the_last_id(Pair { one, other, .. }: Pair) {
    let put = |space, id: &[u8]| {
        Op::Put(Put {
            key: Key::new(space, id),
            bounds: None,
            ..new_put(0, id, b"x")
        })
    };
    let ids = [&b"\0"[..], b"a", b"aa", b"b", b"\xff"];
    let mut puts: Vec<_> = ids.iter().rev().map(|id| put(SPACE, id)).collect();
    puts.push(put(Space(SPACE.0 - 1), b"before"));
    puts.push(put(Space(SPACE.0 + 1), b"behind"));
    write(&one, puts).await.expect("all are new");
    let page = async |after: &[u8], most| {
        let page = Page {
            space: SPACE,
            after: after.to_vec(),
            most,
        };
        let records = other.scan(page).await.expect("reads").into_iter();
        records.map(|record| record.key.id).collect::<Vec<_>>()
    };
    assert_eq!(page(b"", 10).await, ids);
    assert_eq!(page(b"", 2).await, ids[..2]);
    assert_eq!(page(b"a", 2).await, ids[2..4]);
    assert_eq!(page(b"\xff", 2).await, [b""; 0]);
}

#[tokio::test]
async fn memory_holds_the_contract() {
    holds(|clock| async {
        let memory: Arc<dyn Store> = Arc::new(Memory::with_clock(clock));
        (memory.clone(), memory)
    })
    .await;
}

#[tokio::test]
async fn processes_that_share_a_store_share_a_secret_unless_one_is_set() {
    let store = open(&StoreUrl::Memory).await.expect("memory opens");
    let first = sealer(&*store, &[]).await.expect("memory works");
    let text = first.seal(Use::Session, b"x", b"");
    let second = sealer(&*store, &[]).await.expect("memory works");
    assert_eq!(
        second
            .open(Use::Session, &text, b"")
            .expect("the same secret"),
        b"x"
    );
    let set = sealer(&*store, &[Secret::random()])
        .await
        .expect("memory works");
    assert!(set.open(Use::Session, &text, b"").is_err());
}
