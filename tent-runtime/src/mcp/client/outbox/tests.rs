use futures_util::FutureExt as _;

use super::*;

fn all(outbox: &Outbox) -> Vec<String> {
    std::iter::from_fn(|| outbox.take())
        .map(|message| String::from_utf8(message).expect("a text"))
        .collect()
}

fn counted(outbox: &Outbox) -> (usize, usize) {
    let queue = outbox.lock();
    (queue.notification_bytes, queue.required_bytes)
}

#[test]
fn a_slow_reader_loses_the_oldest_notifications_and_no_response() {
    let outbox = Outbox::default();
    let long = "x".repeat(MAX_NOTIFICATIONS / 4);
    let _pending = outbox.send_request(b"request".to_vec());
    for n in 0..100 {
        outbox.send(format!("{n}{long}").into_bytes());
    }
    assert!(outbox.lock().notification_bytes <= MAX_NOTIFICATIONS);
    outbox.send("y".repeat(MAX_NOTIFICATIONS).into_bytes());
    outbox.send_required(b"response".to_vec());
    let got = all(&outbox);
    let short: Vec<_> = got.iter().map(|one| one.trim_end_matches('x')).collect();
    assert_eq!(short, ["request", "97", "98", "99", "response"]);
    assert_eq!(counted(&outbox), (0, 0));
}

#[test]
fn a_closed_outbox_accepts_nothing() {
    let outbox = Outbox::default();
    outbox.send(b"1".to_vec());
    outbox.close();
    outbox.send(b"2".to_vec());
    outbox.send_required(b"3".to_vec());
    assert!(outbox.send_request(b"4".to_vec()).is_none());
    assert_eq!(all(&outbox), ["1"]);
}

#[tokio::test]
async fn a_request_is_withdrawn_while_it_waits_and_not_after() {
    let outbox = Outbox::default();
    let first = outbox.send_request(b"first".to_vec()).expect("it is open");
    let second = outbox.send_request(b"second".to_vec()).expect("it is open");
    let mut third = outbox.send_request(b"third".to_vec()).expect("it is open");
    assert!(second.withdraw());
    assert_eq!(outbox.take(), Some(b"first".to_vec()));
    assert!(!first.withdraw() && !second.withdraw());
    assert_eq!(all(&outbox), ["third"]);
    assert!(!third.withdraw());
    drop(Reader::of(outbox.clone()));
    assert!(third.dropped().now_or_never().is_none(), "it was taken");
    assert!(outbox.send_request(b"late".to_vec()).is_none());
}

#[tokio::test]
async fn room_counts_messages_and_the_bytes_of_responses_and_requests() {
    let outbox = Outbox::default();
    let most = Room {
        messages: 3,
        bytes: 200,
    };
    let has_room = || outbox.wait_for_room(most).now_or_never().is_some();
    outbox.send(vec![b'n'; 1000]);
    assert!(has_room(), "notifications have their own bound");
    outbox.send_required(vec![b'a'; 200 - OVERHEAD]);
    assert!(has_room());
    let request = outbox
        .send_request(b"request".to_vec())
        .expect("it is open");
    assert!(!has_room());
    assert!(request.withdraw());
    assert!(has_room());
    outbox.send_required(Vec::new());
    assert!(!has_room());
    outbox.take();
    assert!(!has_room(), "not yet by bytes");
    let mut room = std::pin::pin!(outbox.wait_for_room(most));
    assert!((&mut room).now_or_never().is_none());
    outbox.take();
    room.await;
    assert_eq!(counted(&outbox), (0, OVERHEAD));
    assert_eq!(outbox.taken_count(), 2);
    for _ in 0..2 {
        outbox.send(Vec::new());
    }
    assert!(!has_room(), "by number");
    outbox.refuse_requests();
    outbox.close_with([vec![b'l'; 300]]);
    assert_eq!(outbox.lock().required_bytes, 300 + OVERHEAD);
    assert!(has_room(), "nothing more comes");
    outbox.take();
    assert_eq!(outbox.lock().required_bytes, 0);
}

#[tokio::test]
async fn an_outbox_that_refuses_requests_drops_those_that_wait() {
    let outbox = Outbox::default();
    let mut sent = outbox.send_request(b"sent".to_vec()).expect("it is open");
    assert_eq!(outbox.take(), Some(b"sent".to_vec()));
    outbox.send(b"notification".to_vec());
    let mut unsent = outbox.send_request(b"unsent".to_vec()).expect("it is open");
    outbox.send_required(b"response".to_vec());
    outbox.refuse_requests();
    assert!(sent.dropped().now_or_never().is_none(), "it was taken");
    assert!(unsent.dropped().now_or_never().is_some());
    assert!(outbox.send_request(b"late".to_vec()).is_none());
    assert_eq!(all(&outbox), ["notification", "response"]);
    assert_eq!(counted(&outbox), (0, 0));
}

#[tokio::test]
async fn dropping_the_reader_drops_what_waits() {
    let outbox = Outbox::default();
    let reader = Reader::of(outbox.clone());
    let mut request = outbox
        .send_request(b"request".to_vec())
        .expect("it is open");
    outbox.send(b"notification".to_vec());
    outbox.send_required(b"response".to_vec());
    assert!(request.dropped().now_or_never().is_none());
    outbox.close();
    assert!(
        request.dropped().now_or_never().is_none(),
        "it is still sent"
    );
    drop(reader);
    assert!(request.dropped().now_or_never().is_some(), "it never left");
    assert_eq!(all(&outbox), [""; 0]);
    assert_eq!(counted(&outbox), (0, 0));
}
