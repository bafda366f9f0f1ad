//! The shop: its people and orders, in an SQLite file.
//!
//! This module decides which orders a person can see. It does not know HTTP or MCP. Queries run on threads that may block.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use tent::prelude::*;

use crate::{private, receipt};

/// One order.
#[data]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    /// Its number.
    pub(crate) id: u32,
    /// What is ordered.
    pub(crate) title: String,
    /// The price in cents.
    pub(crate) cents: u32,
    /// Whether it is paid.
    pub(crate) paid: bool,
    /// A note, if the order has one.
    pub(crate) note: Option<String>,
    /// The id of the person who placed it.
    pub(crate) owner: String,
    /// When it was placed, in UTC (RFC 3339).
    pub(crate) placed: String,
}

/// A person that the shop knows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: String,
    /// The role, if the person has one: `staff`.
    pub(crate) role: Option<String>,
}

/// The filter of a search for orders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// A text in the title or the note, without regard to the case of ASCII letters.
    pub(crate) text: Option<String>,
    pub(crate) paid: Option<bool>,
    /// The greatest number of orders; all without it.
    pub(crate) limit: Option<u32>,
}

/// The errors of the shop.
#[derive(Debug, Failure)]
pub(crate) enum OrderError {
    #[failure(
        code = "A0001",
        status = 409,
        message = "Order {id} is already paid",
        fix = "Call open_orders to see what is open"
    )]
    AlreadyPaid { id: u32 },
    #[failure(
        code = "A0002",
        status = 404,
        message = "There is no order {id}",
        fix = "Call find_orders to see which orders there are"
    )]
    NoSuchOrder { id: u32 },
    #[failure(transparent)]
    Other(#[from] tent::Error),
}

impl From<rusqlite::Error> for OrderError {
    fn from(error: rusqlite::Error) -> Self {
        OrderError::Other(error.into())
    }
}

/// The shop. Cheap to clone; every clone is the same shop.
#[derive(Clone, Debug, State)]
pub(crate) struct Shop(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Mutex<Connection>,
    outbox: PathBuf,
}

impl Shop {
    /// The shop in the file that `ORDERS_DB` names, `orders.db` without it, with the outbox that `ORDERS_OUTBOX`
    /// names, `outbox` without it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) async fn from_environment() -> Result<Self> {
        let path = |name, default: &str| {
            std::env::var_os(name).map_or_else(|| PathBuf::from(default), PathBuf::from)
        };
        Shop::open(
            path("ORDERS_DB", "orders.db"),
            path("ORDERS_OUTBOX", "outbox"),
        )
        .await
    }

    /// The shop in `file`. A new file is filled with the first people and orders.
    ///
    /// # Errors
    /// T0012 if the file cannot be opened or is not a database.
    pub(crate) async fn open(file: PathBuf, outbox: PathBuf) -> Result<Self> {
        let opened = tokio::task::spawn_blocking(move || open(&file));
        let db = Mutex::new(opened.await??);
        Ok(Shop(Arc::new(Inner { db, outbox })))
    }

    /// The person with this id.
    pub(crate) async fn person(&self, id: String) -> Result<Option<User>> {
        let person = self.run(move |db| Ok(person(db, &id)?)).await?;
        Ok(person.map(|person| {
            let user = User::new(person.id).name(person.name);
            person.role.into_iter().fold(user, User::role)
        }))
    }

    /// The orders that `user` can see and that match, newest first.
    pub(crate) async fn find(&self, user: &User, wanted: Wanted) -> Result<Vec<Order>, OrderError> {
        let owner = owner(user);
        self.run(move |db| Ok(find(db, owner.as_deref(), &wanted)?))
            .await
    }

    /// One order, if `user` can see it. The order of another person looks like an absent one.
    pub(crate) async fn order(&self, user: &User, id: u32) -> Result<Order, OrderError> {
        let owner = owner(user);
        self.run(move |db| order(db, owner.as_deref(), id)).await
    }

    /// Adds an order for `user`.
    pub(crate) async fn add(
        &self,
        user: &User,
        title: String,
        cents: u32,
        note: Option<String>,
    ) -> Result<Order, OrderError> {
        let owner = user.id.clone();
        self.run(move |db| Ok(add(db, &owner, &title, cents, note.as_deref())?))
            .await
    }

    /// Marks an order as paid, once.
    pub(crate) async fn mark_paid(&self, id: u32, note: Option<String>) -> Result<(), OrderError> {
        self.run(move |db| mark_paid(db, id, note.as_deref())).await
    }

    /// Writes the receipt of an order that `user` can see into the outbox, and returns the name of its file.
    pub(crate) async fn send_receipt(&self, user: &User, id: u32) -> Result<String, OrderError> {
        let (owner, shop) = (owner(user), self.clone());
        self.run(move |db| {
            let order = order(db, owner.as_deref(), id)?;
            let to = person(db, &order.owner)?.ok_or(OrderError::NoSuchOrder { id })?;
            let now = mail_date(db)?;
            receipt::send(&shop.0.outbox, &order, &to, &now)
                .map_err(|error| OrderError::Other(error.into()))
        })
        .await
    }

    /// Runs a query on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Connection) -> Result<T, OrderError> + Send + 'static,
    ) -> Result<T, OrderError> {
        let shop = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            // Every write is one transaction, so a query that panicked changed nothing.
            query(&mut shop.0.db.lock().unwrap_or_else(PoisonError::into_inner))
        });
        task.await
            .unwrap_or_else(|ended| Err(OrderError::Other(ended.into())))
    }
}

/// The only owner whose orders `user` can see; `None` for staff, who see all orders.
fn owner(user: &User) -> Option<String> {
    (!user.has_role("staff")).then(|| user.id.clone())
}

const TABLES: &str = "
    CREATE TABLE people (
        id    TEXT PRIMARY KEY,
        name  TEXT NOT NULL,
        email TEXT NOT NULL,
        role  TEXT
    ) STRICT;
    CREATE TABLE orders (
        id     INTEGER PRIMARY KEY AUTOINCREMENT,
        owner  TEXT NOT NULL REFERENCES people (id),
        title  TEXT NOT NULL,
        cents  INTEGER NOT NULL,
        paid   INTEGER NOT NULL DEFAULT 0,
        note   TEXT,
        placed TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    ) STRICT;
    CREATE INDEX orders_of_owner ON orders (owner);
";

const FIRST_ROWS: &str = "
    INSERT INTO people (id, name, email, role) VALUES
        ('ada',   'Ada',   'ada@example.com',   NULL),
        ('grace', 'Grace', 'grace@example.com', 'staff');
    INSERT INTO orders (owner, title, cents, paid, note, placed) VALUES
        ('ada',   'Pot of green tea',        650, 0, NULL,                   '2026-11-02T08:15:00Z'),
        ('ada',   'Box of pencils',         1205, 1, 'Ground floor',         '2026-11-03T10:40:00Z'),
        ('grace', 'Desk lamp',              3990, 0, NULL,                   '2026-11-04T09:05:00Z'),
        ('ada',   'Notebook, squared',       480, 1, NULL,                   '2026-11-06T16:30:00Z'),
        ('ada',   'Punched cards, 2,000',  12500, 0, 'Keep them dry',        '2026-11-09T11:20:00Z'),
        ('grace', 'Roll of wire, 30 cm',     199, 1, 'One nanosecond long',  '2026-11-10T13:00:00Z'),
        ('ada',   'Brass gear',             8900, 0, NULL,                   '2026-11-12T15:45:00Z'),
        ('grace', 'Tea for the office',     2400, 0, 'Black, not green',     '2026-11-16T08:00:00Z'),
        ('ada',   'Blotting paper',          320, 1, NULL,                   '2026-11-18T12:10:00Z'),
        ('grace', 'Jar for moths',           750, 1, NULL,                   '2026-11-20T17:25:00Z'),
        ('ada',   'Umbrella',               2150, 0, 'The large one',        '2026-11-24T09:50:00Z'),
        ('ada',   'Tin of biscuits',         890, 0, NULL,                   '2026-11-27T14:35:00Z');
";

/// Opens the file. If several processes open it at once, one of them fills it and the others wait.
fn open(file: &Path) -> Result<Connection> {
    // SQLite creates the files beside this one with the same permissions. `:memory:` is not a file.
    if file != Path::new(":memory:") {
        match private::new_file(file) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
    }
    let mut db = Connection::open(file)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "foreign_keys", true)?;
    let fill = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: u32 = fill.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        fill.execute_batch(TABLES)?;
        fill.execute_batch(FIRST_ROWS)?;
        fill.pragma_update(None, "user_version", 1)?;
    }
    fill.commit()?;
    Ok(db)
}

const COLUMNS: &str = "id, owner, title, cents, paid, note, placed";

fn read(row: &Row<'_>) -> rusqlite::Result<Order> {
    Ok(Order {
        id: row.get("id")?,
        owner: row.get("owner")?,
        title: row.get("title")?,
        cents: row.get("cents")?,
        paid: row.get("paid")?,
        note: row.get("note")?,
        placed: row.get("placed")?,
    })
}

fn person(db: &Connection, id: &str) -> rusqlite::Result<Option<Person>> {
    db.query_row(
        "SELECT id, name, email, role FROM people WHERE id = ?1",
        [id],
        |row| {
            Ok(Person {
                id: row.get(0)?,
                name: row.get(1)?,
                email: row.get(2)?,
                role: row.get(3)?,
            })
        },
    )
    .optional()
}

fn find(db: &Connection, owner: Option<&str>, wanted: &Wanted) -> rusqlite::Result<Vec<Order>> {
    // `instr`, not `LIKE`: a per cent sign in the text is not a wildcard.
    let mut query = db.prepare(&format!(
        "SELECT {COLUMNS} FROM orders
         WHERE (?1 IS NULL OR owner = ?1)
           AND (?2 IS NULL OR paid = ?2)
           AND (?3 IS NULL OR instr(lower(title), lower(?3)) OR instr(lower(coalesce(note, '')), lower(?3)))
         ORDER BY id DESC LIMIT ?4"
    ))?;
    let limit = wanted.limit.map_or(-1, i64::from);
    query
        .query_map(params![owner, wanted.paid, wanted.text, limit], read)?
        .collect()
}

fn order(db: &Connection, owner: Option<&str>, id: u32) -> Result<Order, OrderError> {
    db.query_row(
        &format!("SELECT {COLUMNS} FROM orders WHERE id = ?1 AND (?2 IS NULL OR owner = ?2)"),
        params![id, owner],
        read,
    )
    .optional()?
    .ok_or(OrderError::NoSuchOrder { id })
}

fn add(
    db: &Connection,
    owner: &str,
    title: &str,
    cents: u32,
    note: Option<&str>,
) -> rusqlite::Result<Order> {
    db.query_row(
        &format!("INSERT INTO orders (owner, title, cents, note) VALUES (?1, ?2, ?3, ?4) RETURNING {COLUMNS}"),
        params![owner, title, cents, note],
        read,
    )
}

fn mark_paid(db: &mut Connection, id: u32, note: Option<&str>) -> Result<(), OrderError> {
    let pay = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if order(&pay, None, id)?.paid {
        return Err(OrderError::AlreadyPaid { id });
    }
    pay.execute(
        "UPDATE orders SET paid = 1, note = coalesce(?2, note) WHERE id = ?1",
        params![id, note],
    )?;
    pay.commit()?;
    Ok(())
}

/// The current time in the format of a mail header (RFC 5322, section 3.3).
fn mail_date(db: &Connection) -> rusqlite::Result<String> {
    db.query_row(
        "SELECT substr('SunMonTueWedThuFriSat', 1 + 3 * strftime('%w', 'now'), 3)
             || strftime(', %d ', 'now')
             || substr('JanFebMarAprMayJunJulAugSepOctNovDec', 3 * strftime('%m', 'now') - 2, 3)
             || strftime(' %Y %H:%M:%S +0000', 'now')",
        [],
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests;
