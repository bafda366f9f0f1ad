//! Claims over a memory whose clock the test sets.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::*;
use crate::clock::StillClock;
use crate::store::{Found, Key, Memory, Most, Op, Page, Record, Written};

const NOW: i64 = 1_780_000_000_000;
const MINUTE: Duration = Duration::from_secs(60);

struct Setup {
    claims: Arc<Claims>,
    clock: Arc<StillClock>,
}

impl Setup {
    fn new() -> Self {
        Self::bounded(BOUNDS)
    }

    fn bounded(bounds: Bounds) -> Self {
        let clock = StillClock::at(NOW);
        let claims = Claims {
            store: Arc::new(Memory::with_clock(clock.clone())),
            bounds,
            turns: Mutex::default(),
            waiting: Mutex::default(),
        };
        Setup {
            claims: Arc::new(claims),
            clock,
        }
    }

    /// Takes a call whose request has no time left to wait.
    async fn take(&self, key: &[u8], expires: Time) -> Result<Taken> {
        self.take_with(key, expires, [0; 32]).await
    }

    async fn take_with(&self, key: &[u8], expires: Time, fingerprint: [u8; 32]) -> Result<Taken> {
        let call = ToClaim {
            key,
            owner: [1; 32],
            fingerprint,
            expires,
            deadline: Some(Instant::now()),
            cancellation: &Cancellation::default(),
        };
        self.claims.take(call).await
    }

    async fn run(&self, key: &[u8], expires: Time) {
        let Ok(Taken::Now(claim)) = self.take(key, expires).await else {
            panic!("it is new");
        };
        claim.complete(b"x".to_vec()).await.expect("memory");
    }

    /// Has a process die that runs the call.
    async fn dies(&self, key: &[u8]) -> Result<()> {
        self.take(key, self.now()).await.map(drop)
    }

    fn now(&self) -> Time {
        self.claims.store.now()
    }

    fn before(&self, duration: Duration) -> Time {
        Time::from_millis(self.now().as_millis() - millis(duration))
    }

    fn go_on(&self, duration: Duration) {
        self.clock.go_on(millis(duration));
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).expect("it is short")
}

fn code(taken: Result<Taken>) -> Option<&'static str> {
    taken.err().map(|error| error.code())
}

#[tokio::test]
async fn a_call_whose_record_may_have_expired_is_refused_and_never_run_again() {
    let setup = Setup::new();
    let late = setup.take(b"late", setup.before(LATE - MINUTE)).await;
    let Ok(Taken::Now(late)) = late else {
        panic!("it is asked again");
    };
    let too_late = setup.before(LATE + MINUTE);
    assert_eq!(code(setup.take(b"too late", too_late).await), Some("T0015"));
    let found = stored::find(&*setup.claims.store, b"too late").await;
    assert_eq!(found.expect("memory"), None);

    // While its outcome is stored, a repeat gets it.
    late.complete(b"x".to_vec()).await.expect("memory");
    let again = setup.take(b"late", too_late).await;
    assert!(matches!(again, Ok(Taken::Before(outcome)) if outcome == b"x"));
}

#[test]
fn a_record_lasts_longer_than_its_call_can_be_claimed_again() {
    let times = [i64::MIN, -1, 0, NOW, i64::MAX - 660_000].map(Time::from_millis);
    for expires in times {
        for lease in times {
            let end = record_end(expires, lease);
            assert!(end >= last_claim(expires).plus(SKEW));
            assert!(end >= lease.plus(LATE), "and its outcome can be asked for");
        }
    }
}

#[tokio::test]
async fn the_outcome_of_a_call_whose_process_died_is_unknown_after_its_lease() {
    let setup = Setup::new();
    setup.dies(b"dead").await.expect("it is new");
    assert_eq!(code(setup.take(b"dead", setup.now()).await), Some("T0009"));
    setup.go_on(GRACE);
    assert_eq!(code(setup.take(b"dead", setup.now()).await), Some("T0011"));
    assert_eq!(setup.claims.waiting().taken(), (0, 0));
    assert!(setup.claims.lock().is_empty());
}

// S07
#[tokio::test]
async fn claims_of_a_dead_process_cost_nothing_after_their_lease() {
    let of_one = Most {
        records: 4096,
        bytes: 3 * stored::MOST_OUTCOME as u64,
    };
    let setup = Setup::bounded(Bounds {
        per_owner: of_one,
        ..BOUNDS
    });
    setup.dies(b"a").await.expect("room");
    setup.go_on(Duration::from_secs(2));
    for key in [b"b", b"c"] {
        setup.dies(key).await.expect("room");
    }
    let error = setup.dies(b"d").await.expect_err("three are claimed");
    assert_eq!(error.code(), "T0006");
    // The nearest lease ends in three seconds.
    let wait = error.retry_after().expect("it is known");
    assert_eq!(
        wait,
        GRACE - Duration::from_secs(2) + Duration::from_secs(1)
    );
    assert!(error.fix().contains("Wait 4 seconds"), "{}", error.fix());

    setup.go_on(wait);
    setup.dies(b"d").await.expect("the first does not count");
    setup.dies(b"e").await.expect_err("the others do");
    setup.go_on(GRACE);
    for key in [b"e", b"f", b"g"] {
        setup.dies(key).await.expect("none counts");
    }
    assert_eq!(code(setup.take(b"a", setup.now()).await), Some("T0011"));
}

// S13
#[tokio::test]
async fn a_clock_that_jumps_ahead_and_back_lets_no_call_run_twice() {
    let setup = Setup::new();
    let expires = setup.now().plus(10 * MINUTE);
    setup.run(b"a", expires).await;
    let hour = Duration::from_secs(3600);
    setup.go_on(hour);
    // Its write removes what has expired.
    setup.run(b"b", setup.now()).await;
    setup.clock.go_on(-millis(hour));
    assert_eq!(code(setup.take(b"a", expires).await), Some("T0015"));
    // A call of now goes on as ever.
    let expires = setup.now().plus(10 * MINUTE);
    setup.run(b"c", expires).await;
    let again = setup.take(b"c", expires).await;
    assert!(matches!(again, Ok(Taken::Before(outcome)) if outcome == b"x"));
}

#[tokio::test]
async fn a_key_with_another_input_is_a_mismatch() {
    let setup = Setup::new();
    let expires = setup.now();
    setup.run(b"a", expires).await;
    let other = setup.take_with(b"a", expires, [1; 32]).await;
    assert_eq!(code(other), Some("T0002"));
}

#[tokio::test]
async fn a_request_that_is_dropped_while_it_claims_leaves_no_claim() {
    let setup = Setup::new();
    let fence = Fence::random();
    let claim = NewClaim {
        key: b"a",
        owner: [1; 32],
        fence,
        fingerprint: [0; 32],
        lease: MINUTE,
        keep: MINUTE,
        not_after: None,
    };
    let taken = stored::claim(&*setup.claims.store, claim, BOUNDS).await;
    assert_eq!(taken.expect("memory"), ClaimResult::Taken);
    drop(ReleaseOnDrop {
        store: &setup.claims.store,
        key: b"a",
        fence,
        armed: true,
    });
    while stored::find(&*setup.claims.store, b"a")
        .await
        .expect("memory")
        .is_some()
    {
        tokio::task::yield_now().await;
    }
    setup.run(b"a", setup.now()).await;
}

/// A store that counts its reads and its claims.
struct Counted {
    store: Memory,
    reads: AtomicU32,
    claims: AtomicU32,
}

impl Counted {
    fn counts(&self) -> (u32, u32) {
        (
            self.reads.load(Ordering::SeqCst),
            self.claims.load(Ordering::SeqCst),
        )
    }
}

impl Store for Counted {
    fn now(&self) -> Time {
        self.store.now()
    }
    fn read(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Found>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.store.read(keys)
    }
    fn scan(&self, page: Page) -> BoxFuture<'_, Result<Vec<Record>>> {
        self.store.scan(page)
    }
    fn write(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Written>> {
        if matches!(*ops, [Op::Claim(_)]) {
            self.claims.fetch_add(1, Ordering::SeqCst);
        }
        self.store.write(ops)
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeat_polls_the_store_only_for_a_call_of_another_process() {
    let store = Arc::new(Counted {
        store: Memory::with_clock(StillClock::at(NOW)),
        reads: AtomicU32::new(0),
        claims: AtomicU32::new(0),
    });
    let (here, there) = (Claims::new(store.clone()), Claims::new(store.clone()));
    let expires = store.now();
    let take = async |claims: &Arc<Claims>| {
        let call = ToClaim {
            key: b"a",
            owner: [1; 32],
            fingerprint: [0; 32],
            expires,
            deadline: Some(Instant::now() + Duration::from_secs(30)),
            cancellation: &Cancellation::default(),
        };
        claims.take(call).await
    };
    let Ok(Taken::Now(claim)) = take(&here).await else {
        panic!("it is new");
    };
    assert_eq!(store.counts(), (1, 1));
    assert_eq!(code(take(&there).await), Some("T0009"));
    let (reads, claims) = store.counts();
    assert_eq!(claims, 1, "a repeat does not write");
    assert!((10..40).contains(&reads), "{reads}");

    let mut repeats: Vec<_> = (0..16).map(|_| Box::pin(take(&here))).collect();
    assert!(repeats.iter_mut().all(|one| one.now_or_never().is_none()));
    assert_eq!(store.counts(), (reads, 1));
    claim.complete(b"x".to_vec()).await.expect("memory");
    for repeat in repeats {
        assert!(matches!(repeat.await, Ok(Taken::Before(outcome)) if outcome == b"x"));
    }
    assert_eq!(store.counts(), (reads + 16, 1));
}
