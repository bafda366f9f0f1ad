//! The contract over an SQLite file, and what only a file has: its mode, its forms, several processes.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::clock::StillClock;
use crate::settings::Secret;
use crate::store::idempotency::{Claimed, State};
use crate::store::record::NO_OWNER;
use crate::store::{Space, idempotency, keys, secrets, sessions, tests as contract};

const MINUTE: Duration = Duration::from_secs(60);

/// A directory for one test, which is removed at its end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "tent-store-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("the name is new");
        Directory(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("tent.db")
    }

    async fn store(&self) -> Sqlite {
        Sqlite::open(&self.file()).await.expect("it opens")
    }

    /// The message of a file that must not open, after its name.
    async fn refused(&self) -> String {
        let file = self.file();
        let error = match Sqlite::open(&file).await {
            Ok(_) => panic!("it must not open"),
            Err(error) => error,
        };
        assert_eq!(error.code(), "T0012");
        assert!(!error.chain().is_empty());
        let before = format!("The store {} cannot be opened: ", file.display());
        let why = error.message().strip_prefix(&before);
        why.expect("it names the file").to_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn two_processes_on_one_file_hold_the_contract() {
    let directories = Mutex::new(Vec::new());
    contract::holds(|clock| {
        let directory = Directory::new();
        let file = directory.file();
        let mut directories = directories.lock().expect("no test panics while it is held");
        directories.push(directory);
        async move {
            let open = async || {
                Sqlite::open_with_clock(&file, clock.clone())
                    .await
                    .expect("it opens")
            };
            let pair: (Arc<dyn Store>, Arc<dyn Store>) =
                (Arc::new(open().await), Arc::new(open().await));
            pair
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_that_start_at_once_on_no_file_agree_on_one_secret() {
    let directory = Directory::new();
    let starts: Vec<_> = (0..12)
        .map(|_| {
            let file = directory.file();
            tokio::spawn(async move {
                let store = Sqlite::open(&file).await?;
                secrets::ring(&store, Secret::random()).await
            })
        })
        .collect();
    let mut given = Vec::new();
    for start in starts {
        given.push(start.await.expect("no panic").expect("each opens"));
    }
    assert_eq!(given[0].len(), 1);
    assert!(given.iter().all(|secrets| *secrets == given[0]));
}

#[tokio::test]
async fn records_are_there_after_a_restart() {
    let directory = Directory::new();
    let store = directory.store().await;
    let ring = secrets::ring(&store, Secret::random())
        .await
        .expect("writes");
    let store = directory.store().await;
    let again = secrets::ring(&store, Secret::random()).await;
    assert_eq!(again.expect("reads"), ring);
    store
        .writing(|connection| {
            connection.execute(
                "INSERT INTO tent_records (space, id, owner, fence, value)
                 VALUES (1, x'ff', zeroblob(32), zeroblob(16), x'010000000000000000')",
                [],
            )
        })
        .await
        .expect("writes");
    let error = secrets::ring(&store, Secret::random()).await;
    let error = error.expect_err("too short");
    assert!(
        error
            .chain()
            .iter()
            .any(|line| line.contains("a stored secret has 8 bytes"))
    );
    assert_eq!(error.code(), "T0012");
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_and_those_beside_it_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new();
    let store = directory.store().await;
    secrets::ring(&store, Secret::random())
        .await
        .expect("writes");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory.0).expect("it is there") {
        let entry = entry.expect("it is there");
        let mode = entry.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name());
    }
    names.sort();
    assert_eq!(names, ["tent.db", "tent.db-shm", "tent.db-wal"]);
}

#[tokio::test]
async fn a_file_that_is_not_tents_is_refused_and_left_as_it_is() {
    let directory = Directory::new();
    let file = directory.file();
    let other = Connection::open(&file).expect("it opens");
    other
        .execute_batch("CREATE TABLE orders (id INTEGER)")
        .expect("it is made");
    drop(other);
    let before = std::fs::read(&file).expect("it is there");
    assert_eq!(
        directory.refused().await,
        "it is a database of another program; tent needs its own file."
    );
    assert!(std::fs::read(&file).expect("it is there") == before);

    std::fs::write(&file, "no database at all, but long enough to be looked at").expect("writes");
    assert!(directory.refused().await.contains("not a database"));
}

#[tokio::test]
async fn a_file_of_a_later_version_is_refused() {
    let directory = Directory::new();
    let store = directory.store().await;
    store
        .writing(|connection| connection.pragma_update(None, "user_version", 99))
        .await
        .expect("writes");
    assert_eq!(
        directory.refused().await,
        "it was written by a later version of tent: it has form 99, and this version knows 4."
    );
}

/// An exact copy of what a version of then made: only that shows that its files open.
const FORM_2: &str = "
    CREATE TABLE tent_keys (
        id TEXT PRIMARY KEY NOT NULL,
        hash BLOB NOT NULL CHECK (length(hash) = 32),
        scopes TEXT NOT NULL CHECK (scopes <> ''),
        owner TEXT,
        label TEXT,
        created INTEGER NOT NULL,
        expires INTEGER,
        revoked INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE tent_secrets (
        place INTEGER PRIMARY KEY NOT NULL,
        secret BLOB NOT NULL
    ) STRICT;
    CREATE TABLE tent_ended_sessions (
        nonce BLOB PRIMARY KEY NOT NULL,
        until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tent_ended_sessions_until ON tent_ended_sessions (until);
    CREATE TABLE tent_rounds (
        nonce BLOB PRIMARY KEY NOT NULL,
        lease INTEGER NOT NULL,
        until INTEGER NOT NULL,
        outcome BLOB
    ) STRICT;
    CREATE INDEX tent_rounds_until ON tent_rounds (until);
    INSERT INTO tent_secrets VALUES (1, x'8f3c1a5be07d42961f6cb8e2d4705a93c61e9d08ab374f52e5d1b27c90f6483a');
    INSERT INTO tent_rounds VALUES (x'61', 7, 100, NULL), (x'62', 7, 100, x'010203');
    PRAGMA application_id = 1952804468;
    PRAGMA user_version = 2;
";

/// What a file of form 3 has beyond one of form 2.
const FORM_3: &str = "
    ALTER TABLE tent_rounds ADD COLUMN caller BLOB NOT NULL DEFAULT x'';
    ALTER TABLE tent_rounds ADD COLUMN bytes INTEGER NOT NULL DEFAULT 262144;
    UPDATE tent_rounds SET bytes = length(outcome) WHERE outcome IS NOT NULL;
    CREATE INDEX tent_rounds_caller ON tent_rounds (caller, bytes, until);
    INSERT INTO tent_rounds VALUES
        (x'63', 7, 100, NULL, x'0101010101010101010101010101010101010101010101010101010101010101', 262144);
    INSERT INTO tent_keys VALUES
        ('aaaaaaaaaa', x'00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff',
            'read orders:write', 'ada', 'the \"laptop\"', 5, 50, NULL),
        ('bbbbbbbbbb', zeroblob(32), '*', NULL, NULL, 6, NULL, 7);
    INSERT INTO tent_ended_sessions VALUES (x'73', 100);
    PRAGMA user_version = 3;
";

async fn migrated(old_form: &str) -> (Directory, Sqlite, Arc<StillClock>) {
    let directory = Directory::new();
    let old = Connection::open(directory.file()).expect("it opens");
    old.execute_batch(old_form).expect("it is made");
    drop(old);
    let clock = StillClock::at(3);
    let store = Sqlite::open_with_clock(&directory.file(), clock.clone()).await;
    (directory, store.expect("it opens"), clock)
}

#[tokio::test]
async fn migrates_a_file_of_an_older_version_with_its_records() {
    for form in [FORM_2.to_owned(), format!("{FORM_2}{FORM_3}")] {
        let (_directory, store, clock) = migrated(&form).await;
        let ring = secrets::ring(&store, Secret::random())
            .await
            .expect("reads");
        assert_eq!(ring[0].bytes()[..2], [0x8f, 0x3c]);
        assert_eq!(ring.len(), 1);
        let found = async |key| {
            let found = idempotency::find(&store, key).await.expect("reads")?;
            assert_eq!(found.fingerprint, None);
            Some(found.state)
        };
        assert_eq!(found(b"a").await, Some(State::Running));
        assert_eq!(found(b"b").await, Some(State::Completed(vec![1, 2, 3])));
        clock.go_on(4);
        assert_eq!(found(b"a").await, Some(State::Unknown));
        clock.go_on(93);
        assert_eq!(found(b"b").await, None, "they expire as they would have");
        let version = store.reading(|connection| {
            connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        });
        assert_eq!(version.await.expect("reads"), 4);
    }
}

#[tokio::test]
async fn the_sums_of_a_migrated_file_are_those_of_its_records() {
    let (_directory, store, _) = migrated(&format!("{FORM_2}{FORM_3}")).await;
    let room = 2 * idempotency::MOST_OUTCOME as u64;
    // Two that run, and one of three bytes: one more needs as much again as it may have.
    let mut bounds = idempotency::BOUNDS;
    for (bytes, full) in [(room + 2, true), (room + 3, false)] {
        bounds.in_total.bytes = bytes + idempotency::MOST_OUTCOME as u64;
        let claim = idempotency::NewClaim {
            key: b"c2",
            owner: [1; 32],
            fence: crate::store::Fence::random(),
            fingerprint: [0; 32],
            lease: Duration::from_millis(4),
            keep: Duration::from_millis(97),
            not_after: None,
        };
        let result = idempotency::claim(&store, claim, bounds)
            .await
            .expect("writes");
        let wanted = match full {
            true => idempotency::ClaimResult::Full {
                of_caller: false,
                wait: Duration::from_millis(4),
            },
            false => idempotency::ClaimResult::Taken,
        };
        assert_eq!(result, wanted);
    }
}

#[tokio::test]
async fn api_keys_and_ended_sessions_of_a_migrated_file_are_as_they_were() {
    let (_directory, store, _) = migrated(&format!("{FORM_2}{FORM_3}")).await;
    let listed = keys::list(&store).await.expect("reads");
    let hash = std::array::from_fn(|at| if at % 2 == 0 { 0 } else { 0xff });
    let whole = keys::KeyRecord {
        id: "aaaaaaaaaa".into(),
        hash,
        scopes: vec!["read".into(), "orders:write".into()],
        owner: Some("ada".into()),
        label: Some("the \"laptop\"".into()),
        created: Time::from_millis(5),
        expires: Some(Time::from_millis(50)),
        revoked: None,
    };
    let revoked = keys::KeyRecord {
        id: "bbbbbbbbbb".into(),
        hash: [0; 32],
        scopes: vec!["*".into()],
        owner: None,
        label: None,
        created: Time::from_millis(6),
        expires: None,
        revoked: Some(Time::from_millis(7)),
    };
    assert_eq!(listed, [whole, revoked]);
    assert!(
        keys::revoke(&store, "aaaaaaaaaa", Time::from_millis(9))
            .await
            .expect("writes")
    );
    assert!(sessions::is_ended(&store, b"s").await.expect("reads"));
    let claimed = idempotency::find(&store, b"c").await.expect("reads");
    let running = Claimed {
        fingerprint: None,
        state: State::Running,
    };
    assert_eq!(claimed, Some(running));
}

#[test]
fn a_file_that_is_in_use_is_turned_to_the_write_ahead_log_when_it_is_free() {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let directory = Directory::new();
    let other = Connection::open(directory.file()).expect("it opens");
    other.execute_batch(FORM_2).expect("it is made");
    other
        .execute_batch("BEGIN; SELECT * FROM tent_keys")
        .expect("it reads");
    let mut connection = Connection::open(directory.file()).expect("it opens");
    // Gives up at once, as SQLite does by itself where two turn the same file.
    let gives_up = |_| {
        TRIED.fetch_add(1, Ordering::SeqCst);
        false
    };
    connection.busy_handler(Some(gives_up)).expect("it is set");
    let turning = std::thread::spawn(move || {
        schema::turn_to_wal(&connection).expect("it turns");
        let mode = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0));
        mode.expect("it reads")
    });
    while TRIED.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    other.execute_batch("COMMIT").expect("it ends");
    let mode: String = turning.join().expect("no panic");
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn a_directory_that_is_not_there_is_named() {
    let directory = Directory::new();
    let file = directory.0.join("nowhere/tent.db");
    let opened = Sqlite::open(&file).await.map(|_| ());
    let error = opened.expect_err("there is no such directory");
    assert!(
        error
            .message()
            .contains("nowhere/tent.db cannot be opened: ")
    );
}

#[tokio::test]
async fn reads_go_on_while_another_process_writes() {
    let directory = Directory::new();
    let store = directory.store().await;
    let other = Connection::open(directory.file()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    assert_eq!(keys::list(&store).await.expect("reads"), []);
    assert!(!sessions::is_ended(&store, b"a").await.expect("reads"));
}

#[test]
fn writes_that_wait_for_another_process_hold_no_thread_but_one() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let directory = Directory::new();
        let store = Arc::new(directory.store().await);
        let other = Connection::open(directory.file()).expect("it opens");
        other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
        let writes: Vec<_> = (0..20)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    sessions::end(&*store, b"s", MINUTE, NO_OWNER, sessions::BOUNDS).await
                })
            })
            .collect();
        for _ in 0..20 {
            assert_eq!(keys::find(&*store, "a").await.expect("reads"), None);
        }
        assert!(writes.iter().all(|write| !write.is_finished()));
        other.execute_batch("ROLLBACK").expect("it ends");
        for write in writes {
            write.await.expect("no panic").expect("writes");
        }
    });
}

#[tokio::test]
async fn a_session_that_was_ended_is_not_written_again() {
    let directory = Directory::new();
    let store = directory.store().await;
    let end = async || sessions::end(&store, b"a", MINUTE, NO_OWNER, sessions::BOUNDS).await;
    end().await.expect("writes");
    let other = Connection::open(directory.file()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    end().await.expect("it waits for no other process");
}

// R03
#[tokio::test(start_paused = true)]
async fn writes_that_wait_for_another_process_fail_together_and_not_one_after_the_other() {
    let directory = Directory::new();
    let store = Arc::new(directory.store().await);
    let other = Connection::open(directory.file()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    let start = tokio::time::Instant::now();
    let writes = (0..20).map(|n: u8| {
        let store = store.clone();
        async move { sessions::end(&*store, &[n], MINUTE, NO_OWNER, sessions::BOUNDS).await }
    });
    for write in futures_util::future::join_all(writes).await {
        assert_eq!(write.expect_err("it is locked").code(), "T0012");
    }
    let waited = start.elapsed();
    assert!(waited < 2 * lane::PATIENCE, "{waited:?}");
}

// R03
#[tokio::test]
async fn a_write_that_waits_and_is_dropped_does_not_run() {
    let directory = Directory::new();
    let store = directory.store().await;
    let other = Connection::open(directory.file()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    let end = async |nonce| sessions::end(&store, nonce, MINUTE, NO_OWNER, sessions::BOUNDS).await;
    // The first has the turn, and tries again and again. The second waits for its turn.
    let mut first = std::pin::pin!(end(b"a"));
    let short = Duration::from_millis(30);
    let waits = tokio::time::timeout(short, &mut first).await;
    assert!(waits.is_err());
    let dropped = tokio::time::timeout(short, end(b"b")).await;
    assert!(dropped.is_err());
    other.execute_batch("ROLLBACK").expect("it ends");
    first.await.expect("it is free");
    end(b"c").await.expect("it is free");
    for (nonce, ended) in [(b"a", true), (b"b", false), (b"c", true)] {
        let found = sessions::is_ended(&store, nonce).await;
        assert_eq!(found.expect("reads"), ended);
    }
}

#[tokio::test]
async fn a_backlog_of_expired_records_is_removed_bit_by_bit() {
    let directory = Directory::new();
    let clock = StillClock::at(0);
    let store = Sqlite::open_with_clock(&directory.file(), clock.clone()).await;
    let store = store.expect("it opens");
    let end =
        async |nonce: &[u8]| sessions::end(&store, nonce, MINUTE, NO_OWNER, sessions::BOUNDS).await;
    for n in 0..130_u8 {
        end(&[n]).await.expect("there is room");
    }
    clock.go_on(60_000);
    let left = async || {
        let count = store.reading(|connection| {
            connection.query_row("SELECT count(*) FROM tent_records", [], |row| {
                row.get::<_, i64>(0)
            })
        });
        count.await.expect("reads")
    };
    let mut lefts = Vec::new();
    for n in 0..3_u8 {
        end(&[200 + n]).await.expect("there is room");
        lefts.push(left().await);
    }
    assert_eq!(lefts, [67, 4, 3]);
    let page = Page {
        space: Space::ENDED_SESSIONS,
        after: Vec::new(),
        most: 10,
    };
    assert_eq!(store.scan(page).await.expect("reads").len(), 3);
}

#[tokio::test]
async fn rows_that_a_refused_write_settles_are_settled_once() {
    let directory = Directory::new();
    let clock = StillClock::at(0);
    let store = Sqlite::open_with_clock(&directory.file(), clock.clone()).await;
    let store = store.expect("it opens");
    let end = async |owner, nonce: &[u8], bounds| {
        sessions::end(&store, nonce, MINUTE, [owner; 32], bounds).await
    };
    for n in 0..300_u16 {
        let [high, low] = n.to_be_bytes();
        for owner in [1, 2] {
            let ended = end(owner, &[owner, high, low], sessions::BOUNDS).await;
            ended.expect("there is room");
        }
    }
    clock.go_on(60_000);
    let left = async |owner: u8| {
        let count = store.reading(move |connection| {
            let count = "SELECT count(*) FROM tent_records WHERE owner = ?1";
            connection.query_row(count, [[owner; 32]], |row| row.get::<_, i64>(0))
        });
        count.await.expect("reads")
    };
    // No room for any: each write is refused.
    let mut none = sessions::BOUNDS;
    none.per_owner.records = 0;
    for _ in 0..2 {
        end(1, b"new", none).await.expect_err("it is full");
        assert_eq!(left(1).await, 0, "its own are settled");
    }
    assert!(
        left(2).await >= 300 - 2 * 64,
        "those of another are left alone"
    );
}

/// S16.
#[tokio::test]
async fn a_file_that_was_overwritten_is_found_damaged() {
    let directory = Directory::new();
    let file = directory.file();
    let store = directory.store().await;
    store.check().await.expect("it is good");
    let length = std::fs::metadata(&file).expect("it is there").len();
    let garbage = vec![0x5a; usize::try_from(length).expect("it is short")];
    std::fs::write(&file, garbage).expect("it can be written");
    for beside in ["tent.db-wal", "tent.db-shm"] {
        let _ = std::fs::remove_file(directory.0.join(beside));
    }
    let error = store.check().await.expect_err("it is damaged");
    assert!(
        error.chain().iter().any(|line| line.contains("is damaged")),
        "{:?}",
        error.chain()
    );
}
