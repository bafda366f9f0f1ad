//! [`Outbox`]: what waits to be sent on one stream, from who sends to who reads.
//!
//! Knows messages as bytes, and no wire. Nothing here grows without a bound: what a slow reader does not take
//! is dropped, but for answers and questions; what nobody reads any more is dropped too.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

/// The most bytes that wait on one stream, as far as they can be dropped.
const MOST_WAITING: usize = 256 << 10;

/// What one event costs beside its text.
const EACH: usize = 64;

/// What waits to be sent, in order. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Notify,
    taken: Notify,
    begun: Notify,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Event>,
    /// Of those that can be dropped.
    bytes: usize,
    /// Of those that must arrive.
    sure: usize,
    /// How many were taken.
    taken: u64,
    /// Whether the call that says what waits was let in.
    begun: bool,
    closed: bool,
    /// Whether no answer to a question can come any more.
    mute: bool,
    /// How many questions were sent.
    questions: u64,
}

#[derive(Debug)]
struct Event {
    message: Vec<u8>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// It may be left out where the reader is slow.
    Note,
    Answer,
    /// By its number, and told when it is taken.
    Question(u64, oneshot::Sender<()>),
}

impl Event {
    fn cost(&self) -> usize {
        self.message.len() + EACH
    }

    fn can_go(&self) -> bool {
        matches!(self.kind, Kind::Note)
    }
}

impl Waiting {
    /// Puts what must arrive to what waits.
    fn push_surely(&mut self, message: Vec<u8>, kind: Kind) {
        let event = Event { message, kind };
        self.sure += event.cost();
        self.events.push_back(event);
    }

    /// Counts what waits no more.
    fn forget(&mut self, event: &Event) {
        let of_its_kind = match event.can_go() {
            true => &mut self.bytes,
            false => &mut self.sure,
        };
        *of_its_kind -= event.cost();
    }

    fn has_room(&self, most: Room) -> bool {
        self.closed || self.events.len() < most.messages && self.sure <= most.bytes
    }
}

/// How much waits on a stream at most before who sends waits too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) messages: usize,
    /// Of those that must arrive: the rest is bounded anyway.
    pub(crate) bytes: usize,
}

impl Outbox {
    /// Sends a notification. Where too much waits already the oldest ones go, and where it is too large to
    /// wait at all it goes itself.
    pub(crate) fn send(&self, message: Vec<u8>) {
        let event = Event {
            message,
            kind: Kind::Note,
        };
        let cost = event.cost();
        let mut waiting = self.lock();
        if waiting.closed || cost > MOST_WAITING {
            return;
        }
        while waiting.bytes + cost > MOST_WAITING {
            let oldest = waiting.events.iter().position(Event::can_go);
            let dropped = oldest.and_then(|at| waiting.events.remove(at));
            waiting.bytes -= dropped.map_or(waiting.bytes, |event| event.cost());
        }
        waiting.bytes += cost;
        waiting.events.push_back(event);
        drop(waiting);
        self.0.changed.notify_one();
    }

    /// Sends what must arrive, such as an answer. Whoever sends it bounds how many there are.
    pub(crate) fn send_surely(&self, message: Vec<u8>) {
        let mut waiting = self.lock();
        if waiting.closed {
            return;
        }
        waiting.push_surely(message, Kind::Answer);
        drop(waiting);
        self.0.changed.notify_one();
    }

    /// Sends a question to the client, which can be taken back. Whoever sends it bounds how many there are.
    /// `None` where there is no stream any more to send it on.
    pub(crate) fn ask(&self, message: Vec<u8>) -> Option<PendingMessage> {
        let (taken, left) = oneshot::channel();
        let mut waiting = self.lock();
        if waiting.closed || waiting.mute {
            return None;
        }
        let number = waiting.questions;
        waiting.questions += 1;
        waiting.push_surely(message, Kind::Question(number, taken));
        drop(waiting);
        self.0.changed.notify_one();
        Some(PendingMessage {
            outbox: self.clone(),
            number,
            left,
        })
    }

    /// Takes no question any more, and drops those that wait: no answer to them can come.
    pub(crate) fn asks_no_more(&self) {
        let left = {
            let mut waiting = self.lock();
            waiting.mute = true;
            let is_question = |event: &Event| matches!(event.kind, Kind::Question(..));
            let (left, kept) = std::mem::take(&mut waiting.events)
                .into_iter()
                .partition::<VecDeque<_>, _>(is_question);
            waiting.events = kept;
            for event in &left {
                waiting.forget(event);
            }
            left
        };
        self.0.taken.notify_one();
        // Who asked is told by this, and not while the outbox is held.
        drop(left);
    }

    /// Notes that the call was let in, so that what it is answered is its own.
    pub(crate) fn begin(&self) {
        self.lock().begun = true;
        self.0.begun.notify_waiters();
    }

    /// Ends when the call was let in.
    pub(crate) async fn begun(&self) {
        let mut begun = std::pin::pin!(self.0.begun.notified());
        // Noted as waiting before it is looked at, so that no beginning is missed.
        begun.as_mut().enable();
        if !self.lock().begun {
            begun.await;
        }
    }

    /// Takes nothing more; what waits is sent.
    pub(crate) fn close(&self) {
        if !std::mem::replace(&mut self.lock().closed, true) {
            self.tell_closed();
        }
    }

    fn tell_closed(&self) {
        self.0.changed.notify_one();
        self.0.taken.notify_one();
        self.0.ended.notify_waiters();
    }

    /// Takes nothing more, and drops what waits: nobody reads it any more.
    pub(crate) fn abandon(&self) {
        self.close_with([]);
    }

    /// Takes nothing more but these, which must arrive, and drops what waits before them.
    pub(crate) fn close_with(&self, last: impl IntoIterator<Item = Vec<u8>>) {
        let (left, is_news) = {
            let mut waiting = self.lock();
            let left = std::mem::take(&mut waiting.events);
            (waiting.bytes, waiting.sure) = (0, 0);
            for message in last {
                waiting.push_surely(message, Kind::Answer);
            }
            (left, !std::mem::replace(&mut waiting.closed, true))
        };
        if is_news || !left.is_empty() {
            self.tell_closed();
        }
        // Who asked is told by this, and not while the outbox is held.
        drop(left);
    }

    /// Ends when nothing more is taken. Any number wait for it.
    pub(crate) async fn ended(&self) {
        let mut ended = std::pin::pin!(self.0.ended.notified());
        // Noted as waiting before it is looked at, so that no end is missed.
        ended.as_mut().enable();
        if !self.is_closed() {
            ended.await;
        }
    }

    /// Ends when less than `most` waits, or nothing is taken any more. One waits for it at a time.
    pub(crate) async fn room(&self, most: Room) {
        while !self.lock().has_room(most) {
            self.0.taken.notified().await;
        }
    }

    /// The next message that waits.
    pub(crate) fn take(&self) -> Option<Vec<u8>> {
        let mut waiting = self.lock();
        let event = waiting.events.pop_front()?;
        waiting.forget(&event);
        waiting.taken += 1;
        drop(waiting);
        self.0.taken.notify_one();
        if let Kind::Question(_, taken) = event.kind {
            // Who asked may have gone meanwhile.
            let _ = taken.send(());
        }
        Some(event.message)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().events.is_empty()
    }

    /// How many messages were taken until now.
    pub(crate) fn taken(&self) -> u64 {
        self.lock().taken
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Ends when something waits, or nothing more will. One waits for it at a time.
    pub(crate) async fn changed(&self) {
        loop {
            {
                let waiting = self.lock();
                if !waiting.events.is_empty() || waiting.closed {
                    return;
                }
            }
            self.0.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics while it is held.
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that was sent.
#[derive(Debug)]
pub(crate) struct PendingMessage {
    outbox: Outbox,
    number: u64,
    left: oneshot::Receiver<()>,
}

impl PendingMessage {
    /// Ends when the question was dropped before anybody took it; never, where it was taken.
    pub(crate) async fn lost(&mut self) {
        if (&mut self.left).await.is_ok() {
            std::future::pending::<()>().await;
        }
    }

    /// Takes the question back, if it still waits. Whether it did.
    pub(crate) fn take_back(&self) -> bool {
        let own = |event: &Event| matches!(event.kind, Kind::Question(number, _) if number == self.number);
        let taken_back = {
            let mut waiting = self.outbox.lock();
            let at = waiting.events.iter().position(own);
            let event = at.and_then(|at| waiting.events.remove(at));
            if let Some(event) = &event {
                waiting.forget(event);
            }
            event
        };
        self.outbox.0.taken.notify_one();
        taken_back.is_some()
    }
}

/// Who reads a outbox: when this goes, nobody does any more.
#[derive(Debug)]
pub(crate) struct Reader(Outbox);

impl Reader {
    pub(crate) fn of(outbox: Outbox) -> Self {
        Reader(outbox)
    }
}

impl Deref for Reader {
    type Target = Outbox;

    fn deref(&self) -> &Outbox {
        &self.0
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn all(outbox: &Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.take())
            .map(|message| String::from_utf8(message).expect("a text"))
            .collect()
    }

    fn counted(outbox: &Outbox) -> (usize, usize) {
        let waiting = outbox.lock();
        (waiting.bytes, waiting.sure)
    }

    #[test]
    fn what_a_slow_reader_leaves_goes_oldest_first_but_for_what_must_arrive() {
        let outbox = Outbox::default();
        let long = "x".repeat(MOST_WAITING / 4);
        let _ticket = outbox.ask(b"question".to_vec());
        for n in 0..100 {
            outbox.send(format!("{n}{long}").into_bytes());
        }
        assert!(outbox.lock().bytes <= MOST_WAITING);
        outbox.send("y".repeat(MOST_WAITING).into_bytes());
        outbox.send_surely(b"answer".to_vec());
        let got = all(&outbox);
        let short: Vec<_> = got.iter().map(|one| one.trim_end_matches('x')).collect();
        assert_eq!(short, ["question", "97", "98", "99", "answer"]);
        assert_eq!(counted(&outbox), (0, 0));
    }

    #[test]
    fn nothing_goes_into_a_stream_that_has_ended() {
        let outbox = Outbox::default();
        outbox.send(b"1".to_vec());
        outbox.close();
        outbox.send(b"2".to_vec());
        outbox.send_surely(b"3".to_vec());
        assert!(outbox.ask(b"4".to_vec()).is_none());
        assert_eq!(all(&outbox), ["1"]);
    }

    #[tokio::test]
    async fn a_question_is_taken_back_while_it_waits_and_not_after() {
        let outbox = Outbox::default();
        let first = outbox.ask(b"first".to_vec()).expect("it is open");
        let second = outbox.ask(b"second".to_vec()).expect("it is open");
        let mut third = outbox.ask(b"third".to_vec()).expect("it is open");
        assert!(second.take_back());
        assert_eq!(outbox.take(), Some(b"first".to_vec()));
        assert!(!first.take_back() && !second.take_back());
        assert_eq!(all(&outbox), ["third"]);
        assert!(!third.take_back());
        drop(Reader::of(outbox.clone()));
        assert!(third.lost().now_or_never().is_none(), "it was taken");
        assert!(outbox.ask(b"late".to_vec()).is_none());
    }

    #[tokio::test]
    async fn there_is_room_by_number_and_by_the_bytes_of_what_must_arrive() {
        let outbox = Outbox::default();
        let most = Room {
            messages: 3,
            bytes: 200,
        };
        let has_room = || outbox.room(most).now_or_never().is_some();
        outbox.send(vec![b'n'; 1000]);
        assert!(has_room(), "a note is bounded by itself");
        outbox.send_surely(vec![b'a'; 200 - EACH]);
        assert!(has_room());
        let question = outbox.ask(b"question".to_vec()).expect("it is open");
        assert!(!has_room());
        assert!(question.take_back());
        assert!(has_room());
        outbox.send_surely(Vec::new());
        assert!(!has_room());
        outbox.take();
        assert!(!has_room(), "not yet by bytes");
        let mut room = std::pin::pin!(outbox.room(most));
        assert!((&mut room).now_or_never().is_none());
        outbox.take();
        room.await;
        assert_eq!(counted(&outbox), (0, EACH));
        assert_eq!(outbox.taken(), 2);
        for _ in 0..2 {
            outbox.send(Vec::new());
        }
        assert!(!has_room(), "by number");
        outbox.asks_no_more();
        outbox.close_with([vec![b'l'; 300]]);
        assert_eq!(outbox.lock().sure, 300 + EACH);
        assert!(has_room(), "nothing more comes");
        outbox.take();
        assert_eq!(outbox.lock().sure, 0);
    }

    #[tokio::test]
    async fn where_no_answer_can_come_no_question_goes_out() {
        let outbox = Outbox::default();
        let mut sent = outbox.ask(b"sent".to_vec()).expect("it is open");
        assert_eq!(outbox.take(), Some(b"sent".to_vec()));
        outbox.send(b"note".to_vec());
        let mut unsent = outbox.ask(b"unsent".to_vec()).expect("it is open");
        outbox.send_surely(b"answer".to_vec());
        outbox.asks_no_more();
        assert!(sent.lost().now_or_never().is_none(), "it was taken");
        assert!(unsent.lost().now_or_never().is_some());
        assert!(outbox.ask(b"late".to_vec()).is_none());
        assert_eq!(all(&outbox), ["note", "answer"]);
        assert_eq!(counted(&outbox), (0, 0));
    }

    #[tokio::test]
    async fn what_waits_goes_with_its_reader() {
        let outbox = Outbox::default();
        let reader = Reader::of(outbox.clone());
        let mut question = outbox.ask(b"question".to_vec()).expect("it is open");
        outbox.send(b"note".to_vec());
        outbox.send_surely(b"answer".to_vec());
        assert!(question.lost().now_or_never().is_none());
        outbox.close();
        assert!(question.lost().now_or_never().is_none(), "it is still sent");
        drop(reader);
        assert!(question.lost().now_or_never().is_some(), "it never left");
        assert_eq!(all(&outbox), [""; 0]);
        assert_eq!(counted(&outbox), (0, 0));
    }
}
