//! The rows of the engine in the tables of the file. Each method is one statement.

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};

use crate::clock::Time;
use crate::store::engine::{Row, Rows, Usage};
use crate::store::record::{Fence, Key, Owner, Page, Record, Space};

/// The columns of a row; `value` is the last, since it may be large.
macro_rules! columns {
    ($value:literal) => {
        concat!(
            "space, id, owner, fence, fingerprint, lease, until, consumed_by, charge, ",
            $value
        )
    };
}

/// A connection within a transaction.
pub(super) struct SqlRows<'a>(pub(super) &'a Connection);

/// The record of a key, if it has not expired.
pub(super) fn live(
    connection: &Connection,
    key: &Key,
    now: Time,
) -> rusqlite::Result<Option<Record>> {
    let row = SqlRows(connection).get(key)?;
    let record = row.map(|row| row.record);
    Ok(record.filter(|record| record.until.is_none_or(|until| now < until)))
}

/// A page of a space, without what has expired.
pub(super) fn scan(
    connection: &Connection,
    page: &Page,
    now: Time,
) -> rusqlite::Result<Vec<Record>> {
    connection
        .prepare(concat!(
            "SELECT ",
            columns!("value"),
            " FROM tent_records WHERE space = ?1 AND id > ?2 AND (until IS NULL OR until > ?3)
             ORDER BY id LIMIT ?4"
        ))?
        .query_map(
            params![
                page.space.0,
                page.after,
                now.as_millis(),
                number(page.most as u64)
            ],
            |row| row_of(row).map(|row| row.record),
        )?
        .collect()
}

/// The latest store time that a process has written down.
pub(super) fn mark(connection: &Connection) -> rusqlite::Result<Time> {
    connection
        .prepare("SELECT now FROM tent_clock WHERE id = 1")?
        .query_row([], |row| row.get(0).map(Time::from_millis))
}

/// Writes the present store time down.
pub(super) fn set_mark(connection: &Connection, now: Time) -> rusqlite::Result<()> {
    connection
        .prepare("UPDATE tent_clock SET now = max(now, ?1) WHERE id = 1")?
        .execute([now.as_millis()])
        .map(|_| ())
}

impl Rows for SqlRows<'_> {
    type Error = rusqlite::Error;

    fn get(&mut self, key: &Key) -> rusqlite::Result<Option<Row>> {
        self.0
            .prepare(concat!(
                "SELECT ",
                columns!("value"),
                " FROM tent_records WHERE space = ?1 AND id = ?2"
            ))?
            .query_row(params![key.space.0, key.id], row_of)
            .optional()
    }

    fn put(&mut self, row: Row) -> rusqlite::Result<()> {
        let due = row.due().map(Time::as_millis);
        let Row { record, charge } = row;
        self.0
            .prepare(concat!(
                "INSERT OR REPLACE INTO tent_records (",
                columns!("value"),
                ", due) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            ))?
            .execute(params![
                record.key.space.0,
                record.key.id,
                record.owner,
                record.fence.0,
                record.fingerprint,
                record.lease.map(Time::as_millis),
                record.until.map(Time::as_millis),
                record.consumed_by.map(|fence| fence.0),
                charge.map(number),
                record.value,
                due,
            ])
            .map(|_| ())
    }

    fn remove(&mut self, key: &Key) -> rusqlite::Result<()> {
        self.0
            .prepare("DELETE FROM tent_records WHERE space = ?1 AND id = ?2")?
            .execute(params![key.space.0, key.id])
            .map(|_| ())
    }

    fn due(&mut self, now: Time, most: usize) -> rusqlite::Result<Vec<Row>> {
        self.0
            .prepare(concat!(
                "SELECT ",
                columns!("NULL"),
                " FROM tent_records WHERE due <= ?1 ORDER BY due LIMIT ?2"
            ))?
            .query_map(params![now.as_millis(), number(most as u64)], row_of)?
            .collect()
    }

    fn charged_due(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
        now: Time,
        most: usize,
    ) -> rusqlite::Result<Vec<Row>> {
        let (now, most) = (now.as_millis(), number(most as u64));
        match owner {
            Some(owner) => self
                .0
                .prepare(concat!(
                    "SELECT ",
                    columns!("NULL"),
                    " FROM tent_records WHERE space = ?1 AND owner = ?2 AND charge IS NOT NULL AND due <= ?3
                     ORDER BY due LIMIT ?4"
                ))?
                .query_map(params![space.0, owner, now, most], row_of)?
                .collect(),
            None => self
                .0
                .prepare(concat!(
                    "SELECT ",
                    columns!("NULL"),
                    " FROM tent_records WHERE space = ?1 AND charge IS NOT NULL AND due <= ?2
                     ORDER BY due LIMIT ?3"
                ))?
                .query_map(params![space.0, now, most], row_of)?
                .collect(),
        }
    }

    fn next_due(&mut self, space: Space, owner: Option<&Owner>) -> rusqlite::Result<Option<Time>> {
        let next = |row: &SqlRow<'_>| row.get(0).map(Time::from_millis);
        let next = match owner {
            Some(owner) => self
                .0
                .prepare(
                    "SELECT due FROM tent_records WHERE space = ?1 AND owner = ?2
                     AND charge IS NOT NULL AND due IS NOT NULL ORDER BY due LIMIT 1",
                )?
                .query_row(params![space.0, owner], next),
            None => self
                .0
                .prepare(
                    "SELECT due FROM tent_records WHERE space = ?1
                     AND charge IS NOT NULL AND due IS NOT NULL ORDER BY due LIMIT 1",
                )?
                .query_row(params![space.0], next),
        };
        next.optional()
    }

    fn usage(&mut self, space: Space, owner: Option<&Owner>) -> rusqlite::Result<Usage> {
        let usage = self
            .0
            .prepare("SELECT records, bytes FROM tent_usage WHERE space = ?1 AND owner = ?2")?
            .query_row(params![space.0, whose(owner)], |row| {
                Ok(Usage {
                    records: count(row.get(0)?),
                    bytes: count(row.get(1)?),
                })
            })
            .optional()?;
        Ok(usage.unwrap_or_default())
    }

    fn set_usage(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
        usage: Usage,
    ) -> rusqlite::Result<()> {
        if usage == Usage::default() {
            return self
                .0
                .prepare("DELETE FROM tent_usage WHERE space = ?1 AND owner = ?2")?
                .execute(params![space.0, whose(owner)])
                .map(|_| ());
        }
        self.0
            .prepare(
                "INSERT OR REPLACE INTO tent_usage (space, owner, records, bytes)
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                space.0,
                whose(owner),
                number(usage.records),
                number(usage.bytes)
            ])
            .map(|_| ())
    }
}

/// The owner of a sum; the sum of all has an empty one.
fn whose(owner: Option<&Owner>) -> &[u8] {
    owner.map_or(&[], |owner| owner)
}

fn row_of(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    let time =
        |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(Time::from_millis));
    let record = Record {
        key: Key {
            space: Space(row.get(0)?),
            id: row.get(1)?,
        },
        owner: row.get(2)?,
        fence: Fence(row.get(3)?),
        fingerprint: row.get(4)?,
        lease: time(5)?,
        until: time(6)?,
        consumed_by: row.get::<_, Option<[u8; 16]>>(7)?.map(Fence),
        value: row.get(9)?,
    };
    Ok(Row {
        record,
        charge: row.get::<_, Option<i64>>(8)?.map(count),
    })
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
