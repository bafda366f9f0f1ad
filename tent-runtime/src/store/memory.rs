//! [`Memory`]: the store that ends with its process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;

use super::Store;
use super::clock::StoreClock;
use super::engine::{self, Row, Rows, Usage};
use super::record::{Found, Key, Op, Owner, Page, Record, Space, Written};
use crate::clock::{Clock, SystemClock, Time};
use crate::error::Result;

/// Holds all records in this process: for tests, and for servers that issue no API keys.
pub(crate) struct Memory {
    clock: StoreClock,
    tables: Mutex<Tables>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory::with_clock(Arc::new(SystemClock))
    }
}

impl Memory {
    /// Makes an empty store whose time follows this clock.
    pub(crate) fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Memory {
            clock: StoreClock::new(clock),
            tables: Mutex::default(),
        }
    }

    /// A panic cannot leave it half written: the engine does not panic.
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn now(&self) -> Time {
        self.clock.now()
    }

    fn read(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Found>> {
        Box::pin(async move {
            let tables = self.lock();
            let at = self.clock.now();
            let records = keys.iter().map(|key| tables.live(key, at)).collect();
            Ok(Found { at, records })
        })
    }

    fn scan(&self, page: Page) -> BoxFuture<'_, Result<Vec<Record>>> {
        Box::pin(async move {
            let tables = self.lock();
            let now = self.clock.now();
            let first = Bound::Excluded(Key::new(page.space, page.after));
            let rows = tables.rows.range((first, Bound::Unbounded));
            let records = rows
                .map(|(_, row)| &row.record)
                .take_while(|record| record.key.space == page.space)
                .filter(|record| is_live(record, now))
                .take(page.most);
            Ok(records.cloned().collect())
        })
    }

    fn write(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Written>> {
        Box::pin(async move {
            let mut tables = self.lock();
            let at = self.clock.now();
            let Ok(()) = engine::settle(&mut *tables, at);
            loop {
                tables.undo = Some(Vec::new());
                let Ok(applied) = engine::apply(&mut *tables, &ops, at);
                let undo = tables.undo.take().unwrap_or_default();
                let Err((op, why)) = applied else {
                    return Ok(Written::Done { at });
                };
                tables.roll_back(undo);
                let Ok(has_settled) = engine::make_room(&mut *tables, &ops[op], &why, at);
                if !has_settled {
                    return Ok(Written::Refused { at, op, why });
                }
            }
        })
    }
}

fn is_live(record: &Record, now: Time) -> bool {
    record.until.is_none_or(|until| now < until)
}

type UsageKey = (Space, Option<Owner>);
type Due = (Time, Key);
type Charged = (UsageKey, Time, Key);

#[derive(Default)]
struct Tables {
    rows: BTreeMap<Key, Row>,
    usage: HashMap<UsageKey, Usage>,
    /// By due time, all rows that have one.
    due: BTreeSet<Due>,
    /// By due time, the rows that count: of each owner, and of all.
    charged: BTreeSet<Charged>,
    /// What was there before each change of the present write, so that a refusal can take it back.
    undo: Option<Vec<Undo>>,
}

enum Undo {
    Row(Key, Option<Row>),
    Usage(UsageKey, Usage),
}

impl Tables {
    fn live(&self, key: &Key, now: Time) -> Option<Record> {
        let record = &self.rows.get(key)?.record;
        is_live(record, now).then(|| record.clone())
    }

    /// Sets the row of a key, and the indexes with it. Gives the row before.
    fn replace(&mut self, key: &Key, row: Option<Row>) -> Option<Row> {
        if let Some((due, charged)) = self.rows.get(key).and_then(entries) {
            self.due.remove(&due);
            for entry in charged {
                self.charged.remove(&entry);
            }
        }
        if let Some((due, charged)) = row.as_ref().and_then(entries) {
            self.due.insert(due);
            self.charged.extend(charged);
        }
        match row {
            Some(row) => self.rows.insert(key.clone(), row),
            None => self.rows.remove(key),
        }
    }

    fn roll_back(&mut self, undo: Vec<Undo>) {
        for step in undo.into_iter().rev() {
            match step {
                Undo::Row(key, row) => {
                    self.replace(&key, row);
                }
                Undo::Usage(key, usage) => {
                    self.put_usage(key, usage);
                }
            }
        }
    }

    /// Sets a sum, and gives the one before. A sum of nothing takes no memory.
    fn put_usage(&mut self, key: UsageKey, usage: Usage) -> Usage {
        let old = match usage == Usage::default() {
            true => self.usage.remove(&key),
            false => self.usage.insert(key, usage),
        };
        old.unwrap_or_default()
    }

    fn note(&mut self, step: Undo) {
        if let Some(undo) = &mut self.undo {
            undo.push(step);
        }
    }
}

/// The entries of a row in the indexes, if it has a due time.
fn entries(row: &Row) -> Option<(Due, Vec<Charged>)> {
    let (at, key) = (row.due()?, &row.record.key);
    let charged = row.charge.iter().flat_map(|_| {
        let owners = [Some(row.record.owner), None];
        owners.map(|owner| ((key.space, owner), at, key.clone()))
    });
    Some(((at, key.clone()), charged.collect()))
}

/// A row without its value, which may be large.
fn head(row: &Row) -> Row {
    Row {
        record: Record {
            key: row.record.key.clone(),
            value: None,
            ..row.record
        },
        charge: row.charge,
    }
}

impl Rows for Tables {
    type Error = Infallible;

    fn get(&mut self, key: &Key) -> Result<Option<Row>, Infallible> {
        Ok(self.rows.get(key).cloned())
    }

    fn put(&mut self, row: Row) -> Result<(), Infallible> {
        let key = row.record.key.clone();
        let old = self.replace(&key, Some(row));
        self.note(Undo::Row(key, old));
        Ok(())
    }

    fn remove(&mut self, key: &Key) -> Result<(), Infallible> {
        let old = self.replace(key, None);
        self.note(Undo::Row(key.clone(), old));
        Ok(())
    }

    fn due(&mut self, now: Time, most: usize) -> Result<Vec<Row>, Infallible> {
        let due = self.due.iter().take_while(|(at, _)| *at <= now).take(most);
        Ok(due
            .filter_map(|(_, key)| self.rows.get(key).map(head))
            .collect())
    }

    fn charged_due(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
        now: Time,
        most: usize,
    ) -> Result<Vec<Row>, Infallible> {
        let whose = (space, owner.copied());
        let first = (whose, Time::from_millis(i64::MIN), Key::new(Space(0), []));
        let due = self.charged.range(first..);
        let due = due.take_while(|(of, at, _)| *of == whose && *at <= now);
        Ok(due
            .take(most)
            .filter_map(|(_, _, key)| self.rows.get(key).map(head))
            .collect())
    }

    fn next_due(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
    ) -> Result<Option<Time>, Infallible> {
        let whose = (space, owner.copied());
        let first = (whose, Time::from_millis(i64::MIN), Key::new(Space(0), []));
        let mut rows = self.charged.range(first..);
        let next = rows.next().filter(|(of, ..)| *of == whose);
        Ok(next.map(|(_, at, _)| *at))
    }

    fn usage(&mut self, space: Space, owner: Option<&Owner>) -> Result<Usage, Infallible> {
        let usage = self.usage.get(&(space, owner.copied()));
        Ok(usage.copied().unwrap_or_default())
    }

    fn set_usage(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
        usage: Usage,
    ) -> Result<(), Infallible> {
        let key = (space, owner.copied());
        let old = self.put_usage(key, usage);
        self.note(Undo::Usage(key, old));
        Ok(())
    }
}
