use super::*;

#[test]
fn a_filter_is_read_and_told_as_it_is() {
    let read = |filter: Value| Wants::read(Some(&filter)).ok();
    let wants = read(json!({
        "toolsListChanged": true,
        "promptsListChanged": false,
        "resourcesListChanged": null,
        "resourceSubscriptions": ["b://", "a://", "b://"],
        "more": 1,
    }));
    let wants = wants.expect("it fits");
    let told = json!({"toolsListChanged": true, "resourceSubscriptions": ["a://", "b://"]});
    assert_eq!(wants.told(), told);
    assert!(wants.has(Note::Tools) && wants.has(Note::Updated("a://")));
    assert!(!wants.has(Note::Prompts) && !wants.has(Note::Updated("c://")));
    assert_eq!(read(json!({})), Some(Wants::default()));
    for misfit in [
        json!([]),
        json!({"toolsListChanged": "yes"}),
        json!({"resourceSubscriptions": "a://"}),
        json!({"resourceSubscriptions": [1]}),
        json!({"resourceSubscriptions": vec!["a://"; MOST_RESOURCES + 1]}),
        json!({"resourceSubscriptions": ["a".repeat(MOST_URI + 1)]}),
    ] {
        assert_eq!(read(misfit.clone()), None, "{misfit}");
    }
    assert!(Wants::read(None).is_err());
    let longest = json!({"resourceSubscriptions": ["a".repeat(MOST_URI)]});
    assert!(read(longest).is_some());
}

fn subscribe(
    streams: &Streams,
    nonce: u8,
    on: &str,
    ends: Option<i64>,
    uri: &str,
    now: i64,
) -> Result<(), String> {
    let subscriber = Subscriber {
        session: Key::new([nonce; 16], &Caller::App, ""),
        on: on.into(),
        ends: ends.map(Time::from_millis),
    };
    let done = streams.subscribe(subscriber, uri, Time::from_millis(now));
    done.map_err(|error| error.code().to_owned())
}

#[test]
fn subscriptions_end_with_their_session() {
    let streams = Streams::default();
    let left = || streams.lock().subscribed.len();
    assert_eq!(subscribe(&streams, 1, "a", Some(100), "a://", 0), Ok(()));
    assert_eq!(subscribe(&streams, 2, "a", Some(200), "a://", 99), Ok(()));
    assert_eq!(subscribe(&streams, 3, "line", None, "a://", 99), Ok(()));
    assert_eq!(left(), 3);
    assert_eq!(subscribe(&streams, 2, "a", Some(200), "a://", 100), Ok(()));
    assert_eq!(left(), 2);
    assert_eq!(subscribe(&streams, 4, "a", Some(400), "a://", 300), Ok(()));
    assert_eq!(left(), 2);
    streams.end_line(&[3; 16]);
    assert_eq!(left(), 1);
}

#[test]
fn one_caller_leaves_room_for_others() {
    let streams = Streams::default();
    for nonce in 0..10 {
        for n in 0..MOST_RESOURCES {
            let done = subscribe(&streams, nonce, "a", Some(100), &n.to_string(), 0);
            assert_eq!(done, Ok(()));
        }
    }
    let more = |on, uri, now| subscribe(&streams, 11, on, Some(300), uri, now);
    assert_eq!(more("a", "0", 0), Err("T0006".to_owned()));
    let again = subscribe(&streams, 1, "a", Some(100), "0", 0);
    assert_eq!(again, Ok(()), "it is there already");
    assert_eq!(more("b", "0", 0), Ok(()));
    streams.unsubscribe(&Key::new([11; 16], &Caller::App, ""), "0");
    assert_eq!(more("a", "0", 100), Ok(()), "the others have ended");
}
