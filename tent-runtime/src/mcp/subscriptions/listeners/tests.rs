use serde_json::{Value, json};

use super::*;

#[test]
fn a_filter_is_read_and_told_as_it_is() {
    let read = |filter: Value| Filter::read(Some(&filter)).ok();
    let filter = read(json!({
        "toolsListChanged": true,
        "promptsListChanged": false,
        "resourcesListChanged": null,
        "resourceSubscriptions": ["b://", "a://", "b://"],
        "more": 1,
    }));
    let filter = filter.expect("it is valid");
    let written = json!({"toolsListChanged": true, "resourceSubscriptions": ["a://", "b://"]});
    assert_eq!(json!(filter.params()), written);
    assert!(
        filter.select(Change::Tools).is_some() && filter.select(Change::Updated("a://")).is_some()
    );
    assert!(
        filter.select(Change::Prompts).is_none()
            && filter.select(Change::Updated("c://")).is_none()
    );
    assert_eq!(read(json!({})), Some(Filter::default()));
    for invalid in [
        json!([]),
        json!({"toolsListChanged": "yes"}),
        json!({"resourceSubscriptions": "a://"}),
        json!({"resourceSubscriptions": [1]}),
        json!({"resourceSubscriptions": vec!["a://"; MAX_RESOURCES + 1]}),
        json!({"resourceSubscriptions": ["a".repeat(MAX_URI + 1)]}),
    ] {
        assert_eq!(read(invalid.clone()), None, "{invalid}");
    }
    assert!(Filter::read(None).is_err());
    let longest = json!({"resourceSubscriptions": ["a".repeat(MAX_URI)]});
    assert!(read(longest).is_some());
}

/// The bytes that are held, and of how many.
fn held(streams: &OpenStreams) -> (usize, usize) {
    streams.lock().bytes.taken()
}

fn subscribe(
    streams: &OpenStreams,
    nonce: u8,
    quota_key: &str,
    expires: Option<i64>,
    uri: &str,
    now: i64,
) -> Result<(), String> {
    let subscriber = Subscriber {
        session: RequestKey::new([nonce; 16], &Caller::App, ""),
        quota_key: quota_key.into(),
        expires: expires.map(Time::from_millis),
    };
    let done = streams.subscribe(subscriber, uri, Time::from_millis(now));
    done.map_err(|error| error.code().to_owned())
}

#[test]
fn subscriptions_end_with_their_session() {
    let streams = OpenStreams::default();
    let left = || streams.lock().subscriptions.len();
    assert_eq!(subscribe(&streams, 1, "a", Some(100), "a://", 0), Ok(()));
    assert_eq!(subscribe(&streams, 2, "a", Some(200), "a://", 99), Ok(()));
    assert_eq!(subscribe(&streams, 3, "line", None, "a://", 99), Ok(()));
    assert_eq!(left(), 3);
    assert_eq!(subscribe(&streams, 2, "a", Some(200), "a://", 100), Ok(()));
    assert_eq!(left(), 2);
    assert_eq!(subscribe(&streams, 4, "a", Some(400), "a://", 300), Ok(()));
    assert_eq!(left(), 2);
    streams.end_connection(&[3; 16]);
    assert_eq!(left(), 1);
}

#[test]
fn one_caller_leaves_room_for_others() {
    let streams = OpenStreams::default();
    let long = "x".repeat(MAX_URI - 8);
    // By few sessions with much, and by many with little.
    for (each, wanted) in [(MAX_RESOURCES, 2 << 20), (1, 2 << 20)] {
        let mut sessions = 0_u64;
        let session = |n: u64| Subscriber {
            session: RequestKey::new([7; 16], &Caller::App, &n.to_string()),
            quota_key: "a".into(),
            expires: Some(Time::from_millis(100)),
        };
        let refused = 'filled: loop {
            sessions += 1;
            for n in 0..each {
                let uri = format!("{n}{long}");
                let uri = if each == 1 { "0" } else { &uri };
                let done = streams.subscribe(session(sessions), uri, Time::from_millis(0));
                if let Err(error) = done {
                    break 'filled error;
                }
            }
        };
        assert_eq!(refused.code(), "T0006");
        let (held_now, _) = held(&streams);
        assert!((wanted - 4096..=wanted).contains(&held_now), "{held_now}");
        let more = |on, uri, now| subscribe(&streams, 11, on, Some(300), uri, now);
        let there = if each == 1 { "0" } else { &format!("0{long}") };
        let again = streams.subscribe(session(1), there, Time::from_millis(0));
        assert!(again.is_ok(), "it is there already");
        assert_eq!(more("b", &long, 0), Ok(()));
        streams.unsubscribe(&RequestKey::new([11; 16], &Caller::App, ""), &long);
        assert_eq!(more("a", &long, 100), Ok(()), "the others have ended");
        streams.unsubscribe(&RequestKey::new([11; 16], &Caller::App, ""), &long);
        assert_eq!(held(&streams), (0, 0));
    }
}

#[test]
fn all_together_are_bounded_too_and_give_back_what_they_held() {
    let streams = OpenStreams::default();
    let long = "x".repeat(MAX_URI - 8);
    let mut callers = Vec::new();
    for n in 0..1000 {
        let on = format!("caller {n}");
        let subscriber = |m: usize| Subscriber {
            session: RequestKey::new([1; 16], &Caller::App, &format!("{n} {m}")),
            quota_key: on.as_str().into(),
            expires: None,
        };
        let subscribe = |m: usize| {
            let uri = format!("{m}{long}");
            streams.subscribe(subscriber(m / 500), &uri, Time::from_millis(0))
        };
        if let Some(error) = (0..900).find_map(|m| subscribe(m).err()) {
            assert_eq!(error.code(), "T0006");
            break;
        }
        callers.push(on);
    }
    assert!((32..40).contains(&callers.len()), "{}", callers.len());
    assert!(held(&streams).0 <= 64 << 20);
    streams.end_connection(&[1; 16]);
    assert_eq!(held(&streams), (0, 0));
}

#[test]
fn what_a_stream_is_told_of_counts_as_long_as_it_is_open() {
    let notes = Notifier::default();
    let long = "x".repeat(MAX_URI - 8);
    let open = |quota_key: &str| {
        let uris = (0..MAX_RESOURCES / 2).map(|n| format!("{n}{long}"));
        let stream = OpenStream {
            outbox: Outbox::default(),
            owns_outbox: true,
            quota_key: quota_key.into(),
            kind: StreamKind::Subscription {
                id: "1".into(),
                filter: Filter {
                    updates: Some(uris.collect()),
                    ..Filter::default()
                },
            },
        };
        OpenStreams::open(&notes, stream, None, 100)
    };
    let first = open("a").expect("there is room");
    assert_eq!(open("a").expect_err("there is none").code(), "T0006");
    assert!(open("b").is_ok());
    drop(first);
    assert!(open("a").is_ok());
    assert_eq!(held(notes.streams()), (0, 0));
}
