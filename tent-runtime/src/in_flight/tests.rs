use super::*;

const ADA: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
const BOB: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

fn budget(vars: &[(&str, &str)]) -> Arc<InFlight> {
    let settings = Settings::from_vars(vars.iter().copied()).expect("valid settings");
    InFlight::new(&settings)
}

// S02.
#[test]
fn an_address_has_a_share_and_all_addresses_a_total() {
    let budget = budget(&[
        ("TENT_LIMITS__IN_FLIGHT", "300kB"),
        ("TENT_LIMITS__IN_FLIGHT_PER_ADDRESS", "200kB"),
    ]);
    let reserved = |address, bytes| {
        let mut reservation = budget.reservation(address);
        reservation.cover(bytes).map(|()| reservation)
    };
    let code = |refused: Result<Reservation>| refused.expect_err("no room").code().to_owned();
    let ada = reserved(Some(ADA), 200_000).expect("its share");
    let error = reserved(Some(ADA), SMALL + 1).expect_err("more than its share");
    assert_eq!((error.code(), error.status()), ("T0006", 429));
    assert!(error.retry_after().is_some());
    let mapped = reserved(Some("::ffff:192.0.2.1".parse().expect("an address")), 9000);
    assert_eq!(code(mapped), "T0006", "the same address");
    assert!(
        reserved(Some(ADA), SMALL).is_ok(),
        "a small one always fits"
    );
    let bob = reserved(Some(BOB), 100_000).expect("another has its own share");
    let error = reserved(None, SMALL + 1).expect_err("more than the total");
    assert_eq!((error.code(), error.status()), ("T0013", 503));
    assert!(error.retry_after().is_some());
    drop(ada);
    assert!(reserved(Some(ADA), 9000).is_ok());
    drop(bob);
    assert_eq!(budget.total(), 0);
    assert!(budget.lock().by_network.is_empty(), "no address is left");
}

#[test]
fn a_reservation_grows_and_shrinks() {
    let budget = budget(&[("TENT_LIMITS__IN_FLIGHT", "100kB")]);
    let mut reservation = budget.reservation(None);
    reservation.cover(SMALL).expect("nothing to count");
    assert_eq!(budget.total(), 0);
    reservation.cover(SMALL + 1).expect("room");
    assert_eq!(budget.total(), STEP);
    reservation.cover(STEP).expect("it is covered");
    assert_eq!(budget.total(), STEP);
    reservation.cover(99_999).expect("room");
    assert!(reservation.cover(100_001).is_err());
    reservation.force(150_000);
    assert_eq!(budget.total(), 150_000);
    reservation.shrink(100_000);
    assert_eq!(budget.total(), 150_000, "it may grow again");
    reservation.shrink(50_000);
    assert_eq!(budget.total(), 50_000);
    reservation.shrink(SMALL);
    assert_eq!(budget.total(), 0);
}

#[test]
fn a_trusted_proxy_counts_only_in_total() {
    let budget = budget(&[
        ("TENT_LIMITS__IN_FLIGHT_PER_ADDRESS", "20kB"),
        ("TENT_WEB__TRUSTED_PROXIES", "192.0.2.1, 2001:db8::/32"),
    ]);
    let fits = |address: &str| {
        let address = address.parse().expect("an address");
        budget.reservation(Some(address)).cover(30_000).is_ok()
    };
    for proxy in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8:1::1"] {
        assert!(fits(proxy), "{proxy}");
    }
    for client in ["192.0.2.2", "2001:db9::1"] {
        assert!(!fits(client), "{client}");
    }
}

#[test]
fn addresses_of_one_ipv6_network_count_together() {
    let of = |address: &str| ClientNetwork::of(address.parse().expect("an address"));
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
    assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
}

// S04.
#[test]
fn a_response_counts_until_its_last_byte_is_dropped() {
    let budget = budget(&[("TENT_LIMITS__IN_FLIGHT", "100kB")]);
    let mut reservation = budget.reservation(None);
    reservation.cover(90_000).expect("room");
    let mut bytes = reservation.attached_to(vec![7; 90_000].into());
    let last = bytes.split_off(89_999);
    drop(bytes);
    assert!(budget.total() >= 90_000);
    let none = Extensions::new();
    let error = budget
        .body(vec![7; 90_000], &none, None)
        .expect_err("no room");
    assert!(error.message().contains("The call ran"), "{error}");
    assert!(budget.body(vec![7; SMALL], &none, None).is_ok());
    drop(last);
    assert_eq!(budget.total(), 0);
}
