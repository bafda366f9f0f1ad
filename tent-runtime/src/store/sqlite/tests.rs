//! The contract over an SQLite file, and what is SQLite's own: the file's mode, its versions, starts at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::store::contract;

/// A directory of its own for each test, removed at its end.
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

    /// What is said where it cannot be opened, after the name of the file.
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
    contract::holds(|| async {
        let directory = Directory::new();
        let bounded = async || {
            let mut store = directory.store().await;
            store.bounds = contract::BOUNDS;
            Arc::new(store)
        };
        let pair: contract::Pair = (bounded().await, bounded().await);
        let mut directories = directories.lock().expect("no test panics while it is held");
        directories.push(directory);
        pair
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
                store.secrets(Secret::random()).await
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
async fn what_was_kept_is_there_after_a_restart() {
    let directory = Directory::new();
    let secrets = directory
        .store()
        .await
        .secrets(Secret::random())
        .await
        .expect("writes");
    let store = directory.store().await;
    assert_eq!(
        store.secrets(Secret::random()).await.expect("reads"),
        secrets
    );
    store
        .write(|connection| connection.execute("INSERT INTO tent_secrets VALUES (2, ?1)", [[0; 8]]))
        .await
        .expect("writes");
    let error = store
        .secrets(Secret::random())
        .await
        .expect_err("too short");
    assert!(
        error
            .chain()
            .iter()
            .any(|line| line.contains("a kept secret has 8 bytes"))
    );
    assert_eq!(error.code(), "T0012");
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_and_those_beside_it_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new();
    let store = directory.store().await;
    store.secrets(Secret::random()).await.expect("writes");
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
        "it is a database of another program; tent needs a file of its own."
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
        .write(|connection| connection.pragma_update(None, "user_version", 99))
        .await
        .expect("writes");
    assert_eq!(
        directory.refused().await,
        "it was written by a later version of tent: it has form 99, and this version knows 3."
    );
}

/// Only an exact copy of what was there before shows that a file of then still opens.
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

#[tokio::test]
async fn a_file_of_the_form_before_is_brought_up_to_date_with_what_it_holds() {
    let directory = Directory::new();
    let old = Connection::open(directory.file()).expect("it opens");
    old.execute_batch(FORM_2).expect("it is made");
    drop(old);

    let mut store = directory.store().await;
    let secrets = store.secrets(Secret::random()).await.expect("reads");
    assert_eq!(secrets[0].bytes()[..2], [0x8f, 0x3c]);
    let running = RoundState::Running(Time::from_millis(7));
    let ended = RoundState::Ended(vec![1, 2, 3]);
    for (nonce, state) in [(b"a", running), (b"b", ended)] {
        assert_eq!(store.round(nonce).await.expect("reads"), Some(state));
    }
    // They count among all, the one with what it may still be: here nothing is left beside them.
    let claim = |nonce| RoundClaim {
        nonce,
        caller: &[1; 32],
        lease: Time::from_millis(7),
        until: Time::from_millis(100),
        now: Time::from_millis(0),
    };
    let full = Claim::Full {
        of_caller: false,
        until: Time::from_millis(100),
    };
    let room = 2 * super::super::MOST_OUTCOME;
    for (bytes, wanted) in [(room + 2, full), (room + 3, Claim::Taken)] {
        store.bounds.of_all.bytes = bytes;
        assert_eq!(
            store.claim_round(claim(b"c")).await.expect("writes"),
            wanted
        );
    }
    let version = store.read(|connection| {
        connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
    });
    assert_eq!(version.await.expect("reads"), 3);
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
    assert_eq!(store.keys().await.expect("reads"), []);
    assert!(!store.session_ended(b"a").await.expect("reads"));
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
                tokio::spawn(async move { store.revoke_key("a", Time::from_millis(1)).await })
            })
            .collect();
        for _ in 0..20 {
            assert_eq!(store.key("a").await.expect("reads"), None);
        }
        assert!(writes.iter().all(|write| !write.is_finished()));
        other.execute_batch("ROLLBACK").expect("it ends");
        for write in writes {
            assert!(!write.await.expect("no panic").expect("writes"));
        }
    });
}

#[tokio::test]
async fn a_session_that_was_ended_is_not_written_again() {
    let directory = Directory::new();
    let store = directory.store().await;
    let (now, until) = (Time::from_millis(0), Time::from_millis(10));
    store.end_session(b"a", until, now).await.expect("writes");
    let other = Connection::open(directory.file()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it begins");
    let again = store.end_session(b"a", until, now).await;
    again.expect("it waits for nobody");
}
