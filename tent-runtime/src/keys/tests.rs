//! Keys over a store that counts how often it is asked.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use futures_util::future::BoxFuture;

use super::*;
use crate::clock::{StillClock, Time};
use crate::store::{Fence, Found, Key, Memory, Op, Page, Record, When, Written};

/// A memory store that counts reads and fails on request.
#[derive(Default)]
struct Counting {
    memory: Memory,
    asked: AtomicU32,
    fails: AtomicBool,
    refused_ids: AtomicU32,
}

impl Counting {
    fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Store for Counting {
    fn now(&self) -> Time {
        self.memory.now()
    }
    fn read(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Found>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.fails.load(Ordering::SeqCst) {
            return Box::pin(async { Err(Error::unexpected("the disk is gone")) });
        }
        self.memory.read(keys)
    }
    fn scan(&self, page: Page) -> BoxFuture<'_, Result<Vec<Record>>> {
        self.memory.scan(page)
    }
    fn write(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Written>> {
        let left = self.refused_ids.load(Ordering::SeqCst);
        let [Op::Put(put)] = &*ops else {
            panic!("keys are written one by one");
        };
        if left > 0 && put.when == When::Absent {
            self.refused_ids.store(left - 1, Ordering::SeqCst);
            let taken = put.clone();
            return Box::pin(async move {
                let mut other = taken.clone();
                other.fence = Fence::random();
                self.memory.write(vec![Op::Put(other)]).await?;
                self.memory.write(vec![Op::Put(taken)]).await
            });
        }
        self.memory.write(ops)
    }
}

/// A process: its keys, over a store and a clock that it shares with others.
struct Setup {
    store: Arc<Counting>,
    clock: Arc<StillClock>,
    keys: Keys,
}

impl Setup {
    fn new() -> Self {
        Self::on(Arc::default(), StillClock::at(1_000_000))
    }

    fn on(store: Arc<Counting>, clock: Arc<StillClock>) -> Self {
        let keys = Keys::with_clock(store.clone(), clock.clone());
        Setup { store, clock, keys }
    }

    fn another_process(&self) -> Self {
        Self::on(self.store.clone(), self.clock.clone())
    }

    async fn made(&self, new: NewKey) -> MadeKey {
        self.keys.create(new).await.expect("it fits")
    }

    async fn is_good(&self, text: &str) -> bool {
        self.keys
            .verify(text)
            .await
            .expect("the store works")
            .is_some()
    }
}

#[tokio::test]
async fn a_key_verifies_by_its_text_and_only_its_hash_is_stored() {
    let setup = Setup::new();
    let new = NewKey::new(["read", "write", "read"])
        .owner("ada")
        .label("laptop")
        .lifetime(Duration::from_secs(60));
    let made = setup.made(new).await;
    let record = KeyRecord {
        id: made.record.id.clone(),
        hash: Sha256::digest(made.text()).into(),
        scopes: vec!["read".into(), "write".into()],
        owner: Some("ada".into()),
        label: Some("laptop".into()),
        created: Time::from_millis(1_000_000),
        expires: Some(Time::from_millis(1_060_000)),
        revoked: None,
    };
    assert_eq!(made.record, record);
    assert_eq!(
        setup.keys.list().await.expect("the store works"),
        std::slice::from_ref(&record)
    );
    let found = setup
        .keys
        .verify(made.text())
        .await
        .expect("the store works");
    assert_eq!(found.as_deref(), Some(&record));
    assert_eq!(
        record.caller(None).to_string(),
        format!("key:{}", record.id)
    );
    for shown in [format!("{made:?}"), format!("{record:?}")] {
        assert!(!shown.contains(made.text()) && shown.contains(&record.id));
    }
}

#[tokio::test]
async fn one_error_names_every_invalid_field() {
    let setup = Setup::new();
    let mut new = NewKey::new(["", "a b", "say\"", "größe"])
        .owner(" ")
        .label("two\nlines")
        .lifetime(Duration::ZERO);
    let error = setup
        .keys
        .create(new.clone())
        .await
        .expect_err("nothing fits");
    assert_eq!(error.code(), "T0003");
    let fields: Vec<&String> = error.fields().keys().collect();
    assert_eq!(fields, ["label", "lifetime", "owner", "scopes"]);
    for part in ["\"\"", "\"a b\"", "\"say\\\"\"", "\"größe\"", "on one line"] {
        assert!(error.message().contains(part), "{part}: {error}");
    }
    new = NewKey::new(Vec::<String>::new());
    let error = setup.keys.create(new).await.expect_err("no scope");
    assert_eq!(
        error.message(),
        "The key is not valid: scopes must have at least one, for example read."
    );
    assert_eq!(setup.keys.list().await.expect("the store works"), []);
}

#[tokio::test]
async fn a_taken_id_is_replaced_a_bounded_number_of_times() {
    let setup = Setup::new();
    setup.store.refused_ids.store(3, Ordering::SeqCst);
    let made = setup.made(NewKey::new(["read"])).await;
    assert!(setup.is_good(made.text()).await);
    setup.store.refused_ids.store(100, Ordering::SeqCst);
    let error = setup
        .keys
        .create(NewKey::new(["read"]))
        .await
        .expect_err("none is free");
    assert_eq!(error.code(), "T0012");
}

#[tokio::test]
async fn other_texts_are_not_keys_and_reach_the_store_only_if_well_formed() {
    let setup = Setup::new();
    let made = setup.made(NewKey::new(["read"])).await;
    let long = "a".repeat(1 << 20);
    let cut = &made.text()[..made.text().len() - 1];
    let spaced = format!(" {}", made.text());
    let wrong = "é".repeat(text::LENGTH);
    for text in [
        "",
        "tk_",
        "Bearer x",
        "not.a.jwt",
        cut,
        &spaced,
        &long,
        &wrong,
    ] {
        assert!(!setup.is_good(text).await);
    }
    assert_eq!(setup.store.asked(), 0);
    let other_secret = text::new_key(&made.record.id);
    let other_id = text::new_key("aaaaaaaaaa");
    for text in [&other_secret, &other_id] {
        assert!(!setup.is_good(text).await);
        assert!(!setup.is_good(text).await);
    }
    assert_eq!(setup.store.asked(), 2, "once for each");
    assert!(setup.is_good(made.text()).await);
}

#[tokio::test]
async fn the_store_is_read_once_a_second() {
    let setup = Setup::new();
    let made = setup.made(NewKey::new(["read"])).await;
    for millis in [0, 0, 500, 499] {
        setup.clock.go_on(millis);
        assert!(setup.is_good(made.text()).await);
    }
    assert_eq!(setup.store.asked(), 1);
    setup.clock.go_on(1);
    assert!(setup.is_good(made.text()).await);
    assert_eq!(setup.store.asked(), 2);
}

#[tokio::test]
async fn a_revocation_applies_here_at_once_and_elsewhere_within_a_second() {
    let here = Setup::new();
    let there = here.another_process();
    let made = here.made(NewKey::new(["read"])).await;
    assert!(here.is_good(made.text()).await && there.is_good(made.text()).await);
    assert!(
        here.keys
            .revoke(&made.record.id)
            .await
            .expect("the store works")
    );
    assert!(!here.is_good(made.text()).await);
    here.clock.go_on(999);
    assert!(there.is_good(made.text()).await, "still kept there");
    here.clock.go_on(1);
    assert!(!there.is_good(made.text()).await);
    assert!(
        there
            .keys
            .revoke(&made.record.id)
            .await
            .expect("the store works"),
        "again"
    );
    assert!(!there.keys.revoke("nobody").await.expect("the store works"));
}

#[tokio::test]
async fn a_key_expires_on_time_also_in_the_cache() {
    let setup = Setup::new();
    let made = setup
        .made(NewKey::new(["read"]).lifetime(Duration::from_millis(500)))
        .await;
    assert!(setup.is_good(made.text()).await);
    setup.clock.go_on(499);
    assert!(setup.is_good(made.text()).await);
    setup.clock.go_on(1);
    assert!(!setup.is_good(made.text()).await);
    assert_eq!(setup.store.asked(), 1);
    setup.clock.go_on(5000);
    assert!(!setup.is_good(made.text()).await);
}

#[tokio::test]
async fn a_clock_that_is_set_back_prolongs_nothing() {
    let setup = Setup::new();
    let made = setup.made(NewKey::new(["read"])).await;
    assert!(setup.is_good(made.text()).await);
    let there = setup.another_process();
    assert!(
        there
            .keys
            .revoke(&made.record.id)
            .await
            .expect("the store works")
    );
    setup.clock.go_on(-3_600_000);
    assert!(!setup.is_good(made.text()).await);
}

#[tokio::test]
async fn a_failure_of_the_store_is_not_cached() {
    let setup = Setup::new();
    let made = setup.made(NewKey::new(["read"])).await;
    setup.store.fails.store(true, Ordering::SeqCst);
    let error = setup
        .keys
        .verify(made.text())
        .await
        .expect_err("the disk is gone");
    assert_eq!(
        (error.code(), error.chain().join("; ").as_str()),
        ("T0012", "the disk is gone")
    );
    setup.store.fails.store(false, Ordering::SeqCst);
    assert!(setup.is_good(made.text()).await);
}

#[tokio::test]
async fn a_flood_of_invalid_keys_evicts_no_valid_one() {
    let setup = Setup::new();
    let made = setup.made(NewKey::new(["read"])).await;
    assert!(setup.is_good(made.text()).await);
    for _ in 0..2 * MAX_CACHED {
        assert!(!setup.is_good(&text::new_key("aaaaaaaaaa")).await);
    }
    let asked = setup.store.asked();
    assert!(setup.is_good(made.text()).await);
    assert_eq!(setup.store.asked(), asked);
}

#[tokio::test]
async fn labels_and_owners_have_only_visible_characters() {
    let setup = Setup::new();
    for hidden in [
        "\0",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{85}",
        "\u{61c}",
        "\u{200b}",
        "\u{200e}",
        "\u{200f}",
        "\u{2028}",
        "\u{202a}",
        "\u{202e}",
        "\u{2066}",
        "\u{2069}",
        "\u{feff}",
    ] {
        let text = format!("lap{hidden}top");
        for (field, new) in [
            ("label", NewKey::new(["read"]).label(&*text)),
            ("owner", NewKey::new(["read"]).owner(&*text)),
        ] {
            let error = setup.keys.create(new).await.expect_err("it is hidden");
            assert_eq!(error.code(), "T0003");
            assert!(error.fields().contains_key(field), "{hidden:?}");
        }
    }
    for plain in ["größe", "مفتاح", "👩\u{200d}💻 laptop"] {
        let made = setup.made(NewKey::new(["read"]).label(plain)).await;
        assert_eq!(made.record.label.as_deref(), Some(plain));
    }
}
