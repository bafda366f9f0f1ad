//! Tests of the sources of settings, their precedence, and their errors.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::*;

const SECRET: &str = "8f14e45fceea167a5a36dedd4bea2543d3d9446802a44259755d38e6d163e820";
const OLD_SECRET: &str = "c4ca4238a0b923820dcc509a6f75849b1679091c5a880faf6fb5e6087eb1b2dc";

fn read(vars: &[(&str, &str)]) -> Result<Settings> {
    Settings::from_vars(vars.iter().copied())
}

fn invalid(vars: &[(&str, &str)]) -> Error {
    let error = read(vars).expect_err("a setting is invalid");
    assert_eq!(error.code(), "T7019");
    error
}

#[test]
fn without_variables_every_setting_has_its_default() {
    let settings = read(&[
        ("PATH", "/bin"),
        ("TENT_KEY", "tk_x"),
        ("TENT_LOG", "debug"),
    ])
    .expect("nothing of tent's is set");
    assert_eq!(settings.web.addr.to_string(), "127.0.0.1:3000");
    assert_eq!(settings.web.public_url, None);
    assert!(settings.web.hosts.is_empty() && settings.web.origins.is_empty());
    assert!(!settings.mcp.anyone);
    assert_eq!(settings.limits.max_body, 4 * 1024 * 1024);
    assert_eq!(settings.limits.call_timeout, Duration::from_secs(30));
    assert_eq!(settings.limits.drain, Duration::ZERO);
    assert_eq!(settings.limits.grace_time(), Duration::from_secs(30));
    assert_eq!(settings.limits.ask_time, Duration::from_secs(600));
    assert_eq!(settings.limits.list_ttl, Duration::from_secs(300));
    let store = match cfg!(feature = "sqlite") {
        true => StoreUrl::Sqlite("tent.db".into()),
        false => StoreUrl::Memory,
    };
    assert_eq!(settings.store.url, store);
    assert!(settings.secrets.is_empty() && settings.warnings().is_empty());
}

#[test]
fn every_setting_is_read_from_its_variable() {
    let settings = read(&[
        ("TENT_WEB__ADDR", "0.0.0.0:8080"),
        ("TENT_WEB__PUBLIC_URL", "https://tools.example.com/"),
        ("TENT_WEB__HOSTS", "tools.example.com, mcp:8080,"),
        ("TENT_WEB__ORIGINS", "https://app.example.com,null"),
        ("TENT_MCP__ANYONE", "true"),
        ("TENT_LIMITS__MAX_BODY", "512kB"),
        ("TENT_LIMITS__CALL_TIMEOUT", "2min"),
        ("TENT_LIMITS__ASK_TIME", "1min"),
        ("TENT_LIMITS__LIST_TTL", "0s"),
        ("TENT_STORE__URL", "memory:"),
        ("TENT_SECRET", &format!("{SECRET}, {OLD_SECRET}")),
    ])
    .expect("all fit");
    assert_eq!(settings.web.addr.to_string(), "0.0.0.0:8080");
    let url = settings.web.public_url.expect("it was set");
    assert_eq!(url.as_str(), "https://tools.example.com");
    assert_eq!(settings.web.hosts, ["tools.example.com", "mcp:8080"]);
    assert_eq!(settings.web.origins, ["https://app.example.com", "null"]);
    assert!(settings.mcp.anyone);
    assert_eq!(settings.limits.max_body, 512_000);
    assert_eq!(settings.limits.call_timeout, Duration::from_secs(120));
    assert_eq!(settings.limits.ask_time, Duration::from_secs(60));
    assert_eq!(settings.limits.list_ttl, Duration::ZERO);
    assert_eq!(settings.store.url, StoreUrl::Memory);
    let ring = [SECRET, OLD_SECRET].map(|text| Secret::parse(text).expect("32 bytes"));
    assert_eq!(settings.secrets, ring);
}

#[test]
fn every_known_setting_can_be_set_by_its_variable() {
    for known in KNOWN {
        let name = builder::variable(known.key);
        let error = invalid(&[(&name, "\u{1}")]);
        assert!(error.fields().contains_key(&name), "{name} is read");
    }
}

#[test]
fn one_error_names_every_invalid_setting_by_the_name_it_was_set_by() {
    let error = invalid(&[
        ("TENT_WEB__ADR", "127.0.0.1:1"),
        ("TENT_LIMITS__MAX_BODY", "8 pages"),
        ("TENT_ISSUERS__URL", "true"),
        ("TENT_SECRET", "hunter2!"),
        ("TENT_WEB__HOSTS", "a.example,https://b.example"),
    ]);
    let expected = [
        (
            "TENT_ISSUERS__URL",
            "is not a setting, and its section is reserved for tent; use another section for settings of the app",
        ),
        (
            "TENT_LIMITS__MAX_BODY",
            "is `8 pages`, which is not a valid size: use for example 4194304, 512kB or 8MiB",
        ),
        ("TENT_SECRET", "is neither hex nor base64"),
        (
            "TENT_WEB__ADR",
            "is not a setting; did you mean TENT_WEB__ADDR?",
        ),
        (
            "TENT_WEB__HOSTS",
            "is `a.example,https://b.example`, which contains `https://b.example`, which is a URL: use only the host, for example tools.example.com",
        ),
    ];
    let fields: BTreeMap<&str, &str> = error
        .fields()
        .iter()
        .map(|(name, what)| (name.as_str(), what.as_str().expect("a text")))
        .collect();
    assert_eq!(fields, BTreeMap::from(expected));
    for (name, what) in expected {
        assert!(
            error.message().contains(&format!("\n  {name} {what}")),
            "{}",
            error.message()
        );
    }
    assert!(
        !format!("{error:?}").contains("hunter2"),
        "a secret is never shown"
    );
}

#[test]
fn the_error_of_an_unknown_key_suggests_a_key_or_lists_the_section() {
    assert_eq!(
        invalid(&[("TENT_WEB__COLOUR_SCHEME", "dark")]).message(),
        "TENT_WEB__COLOUR_SCHEME is not a setting; section web has TENT_WEB__ADDR, TENT_WEB__PUBLIC_URL, TENT_WEB__HOSTS, TENT_WEB__ORIGINS, TENT_WEB__TRUSTED_PROXIES."
    );
    let error = Settings::builder()
        .set("limits.max_bodie", "1")
        .flag("--addr", "web.addr", "here")
        .build()
        .expect_err("both are wrong");
    assert_eq!(
        error.fields()["limits.max_bodie"],
        "is not a setting; did you mean limits.max_body?"
    );
    assert!(
        error
            .message()
            .contains("--addr is `here`, which is not an address")
    );
}

#[test]
fn flags_override_the_app_and_the_app_overrides_variables() {
    let addr = |builder: Builder| builder.build().expect("all fit").web.addr.port();
    let var = || Settings::builder().vars([("TENT_WEB__ADDR", "127.0.0.1:1")]);
    assert_eq!(addr(var()), 1);
    assert_eq!(addr(var().set("web.addr", "127.0.0.1:2")), 2);
    assert_eq!(
        addr(
            var()
                .flag("--addr", "web.addr", "127.0.0.1:3")
                .set("web.addr", "127.0.0.1:2")
        ),
        3
    );
    let twice = Settings::builder()
        .set("web.addr", "[::1]:4")
        .set("web.addr", "[::1]:5");
    assert_eq!(addr(twice), 5);
}

// R09
#[test]
fn settings_and_attributes_have_the_same_durations() {
    let call_timeout = |text: &str| read(&[("TENT_LIMITS__CALL_TIMEOUT", text)]);
    for text in ["5m", "5min"] {
        let settings = call_timeout(text).expect("five minutes");
        assert_eq!(settings.limits.call_timeout, Duration::from_secs(300));
    }
    let message = |text: &str| {
        let error = call_timeout(text).expect_err(text);
        error.message().to_owned()
    };
    assert_eq!(
        message("0s"),
        "TENT_LIMITS__CALL_TIMEOUT must be greater than zero."
    );
    assert_eq!(
        message("5"),
        "TENT_LIMITS__CALL_TIMEOUT is `5`, which has no unit (ms, s, min, h, d): use for example 500ms, 30s, 5min or 24h."
    );
}

#[test]
fn an_empty_variable_is_not_set_and_a_duplicate_is_an_error() {
    let settings = read(&[("TENT_WEB__PUBLIC_URL", ""), ("TENT_SECRET", " ")]).expect("both empty");
    assert!(settings.web.public_url.is_none() && settings.secrets.is_empty());
    let error = invalid(&[("TENT_WEB__ADDR", "[::1]:1"), ("TENT_web__addr", "[::1]:2")]);
    assert_eq!(
        error.message(),
        "TENT_web__addr sets the same setting as TENT_WEB__ADDR; remove one."
    );
}

#[test]
fn a_variable_near_a_setting_is_a_warning() {
    let settings = read(&[
        ("TENT_WEB_ADDR", "127.0.0.1:1"),
        ("TENT_LIMIT__MAX_BODY", "1"),
        ("TENT_SHOP__BODY", "1"),
        ("TENT_SECRETT", SECRET),
        ("TENT_STORE_URI", "memory:"),
        ("TENT_KEY", "x"),
        ("TENT_", ""),
        ("TENT__X", ""),
        ("TENT_X__", ""),
    ])
    .expect("none of these is tent's");
    assert_eq!(
        settings.warnings(),
        [
            "TENT_WEB_ADDR is ignored: write two underscores between section and key, TENT_WEB__ADDR.",
            "TENT_SECRETT is ignored; did you mean TENT_SECRET?",
            "TENT_STORE_URI is ignored: write two underscores between section and key, TENT_STORE__URL.",
            "TENT_LIMIT__MAX_BODY is a setting of the app; did you mean TENT_LIMITS__MAX_BODY, a setting of tent?",
        ]
    );
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    High,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Shop {
    db: String,
    workers: u8,
    open: bool,
    level: Level,
    tags: Vec<String>,
    rate: f64,
    addr: Option<std::net::SocketAddr>,
    mail: Option<Mail>,
    #[serde(default)]
    retries: u32,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Mail {
    from: String,
}

#[test]
fn settings_of_the_app_deserialize_into_its_types() {
    let settings = read(&[
        ("TENT_SHOP__DB", "12"),
        ("TENT_SHOP__WORKERS", " 12 "),
        ("TENT_SHOP__OPEN", "true"),
        ("TENT_SHOP__LEVEL", "high"),
        ("TENT_SHOP__TAGS", "a, b"),
        ("TENT_SHOP__RATE", "0.5"),
        ("TENT_SHOP__ADDR", "127.0.0.1:25"),
        ("TENT_SHOP__MAIL__FROM", "shop@example.com"),
    ])
    .expect("all are the app's");
    let shop = Shop {
        db: "12".into(),
        workers: 12,
        open: true,
        level: Level::High,
        tags: vec!["a".into(), "b".into()],
        rate: 0.5,
        addr: Some(([127, 0, 0, 1], 25).into()),
        mail: Some(Mail {
            from: "shop@example.com".into(),
        }),
        retries: 0,
    };
    assert_eq!(settings.get::<Shop>("shop").expect("it fits"), shop);
    assert_eq!(
        settings.get::<String>("shop.mail.from").expect("it fits"),
        "shop@example.com"
    );
    assert_eq!(
        settings.get::<Vec<String>>("shop.tags").expect("it fits"),
        ["a", "b"]
    );
    assert_eq!(
        settings.get::<Option<u8>>("shop.workers").expect("it fits"),
        Some(12)
    );
    assert_eq!(
        settings.get::<Option<u8>>("shop.nothing").expect("absent"),
        None
    );
    assert_eq!(
        settings
            .get::<Option<u8>>("nothing.at.all")
            .expect("absent"),
        None
    );
    assert!(
        !format!("{settings:?}").contains("example.com"),
        "values are not shown"
    );
}

#[test]
fn the_error_of_an_app_setting_names_its_variable() {
    let settings = read(&[("TENT_SHOP__PORT", "70000")]).expect("the app's own");
    let message = |error: Error| error.message().to_owned();
    assert_eq!(
        settings.get::<String>("shop.db").map_err(message),
        Err("shop.db (TENT_SHOP__DB) is not set.".into())
    );
    assert_eq!(
        settings.get::<String>("web.addr").map_err(message),
        Err("web.addr is a setting of tent.".into())
    );
    let error = settings.get::<u16>("shop.port").expect_err("over 65535");
    assert!(
        error
            .message()
            .starts_with("shop.port (TENT_SHOP__PORT) is not valid: ")
    );
    let error = settings.get::<Shop>("shop").map(|_| ()).expect_err("no db");
    assert!(error.message().contains("missing field"), "{error}");
    #[derive(Deserialize, Debug)]
    struct Free {
        #[serde(default)]
        rows: u32,
    }
    assert_eq!(
        settings
            .get::<Free>("free")
            .expect("all of it may be absent")
            .rows,
        0
    );
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_unicode_is_an_error_only_for_a_setting() {
    use std::os::unix::ffi::OsStringExt;
    let bad = || std::ffi::OsString::from_vec(vec![0xff]);
    let vars = |name: &str| {
        Settings::builder()
            .vars_os([(name.into(), bad()), (bad(), bad())])
            .build()
    };
    assert!(vars("LANG").is_ok());
    let error = vars("TENT_WEB__ADDR").expect_err("not Unicode");
    assert_eq!(error.message(), "TENT_WEB__ADDR is not valid Unicode.");
}

#[test]
fn errors_and_builders_show_no_secret() {
    let vars = [
        ("TENT_STORE__URL", "postgres://ada:hunter2@db.example/tent"),
        ("TENT_SECRET", "hunter2"),
        ("TENT_WEB__PUBLIC_URL", "https://ada:hunter2@tools.example"),
        ("TENT_WEB__ORIGINS", "null,https://hunter2@tools.example"),
        ("TENT_WEB__HOSTS", "hunter2@tools.example"),
    ];
    let builder = Settings::builder()
        .vars(vars)
        .set("shop.password", "hunter2");
    let shown = format!("{builder:?}");
    assert!(
        shown.contains("TENT_SECRET") && !shown.contains("hunter2"),
        "{shown}"
    );
    let error = builder.build().expect_err("none of them fits");
    assert_eq!(error.fields().len(), vars.len());
    assert!(!format!("{error:?} {error}").contains("hunter2"), "{error}");
    assert!(
        error.message().contains("https://…@tools.example"),
        "{error}"
    );

    let settings = read(&[
        ("TENT_SHOP__KEY", "hunter2"),
        ("TENT_SHOP__LEVEL", "hunter2"),
    ]);
    let settings = settings.expect("both are the app's");
    let number = settings.get::<u64>("shop.key").expect_err("a text");
    assert_eq!(
        number.message(),
        "shop.key (TENT_SHOP__KEY) is not valid: expected u64."
    );
    let level = settings.get::<Level>("shop.level").expect_err("no level");
    assert_eq!(
        level.message(),
        "shop.level (TENT_SHOP__LEVEL) is not valid: expected one of low, high."
    );
}

/// R13.
#[test]
#[cfg(not(feature = "sqlite"))]
fn an_sqlite_store_names_the_feature_that_it_needs() {
    let error = invalid(&[("TENT_STORE__URL", "sqlite:tent.db")]);
    assert_eq!(
        error.message(),
        "TENT_STORE__URL is an SQLite file, but this program was built without the feature `sqlite` of tent: \
         use memory: or turn the feature on in Cargo.toml."
    );
}

/// R12.
#[test]
fn a_secret_of_one_byte_is_counted_in_the_singular() {
    let error = invalid(&[("TENT_SECRET", "x")]);
    assert!(!error.message().contains("1 bytes"), "{error}");
    let error = Secret::from_bytes([7]).expect_err("it is too short");
    assert!(
        error.starts_with("has 1 byte but needs at least 32"),
        "{error}"
    );
}

/// P14.
#[test]
fn running_calls_have_their_time_to_end_unless_a_setting_says_less() {
    for (vars, seconds) in [
        (&[("TENT_LIMITS__CALL_TIMEOUT", "2min")][..], 120),
        (&[("TENT_LIMITS__CALL_TIMEOUT", "1s")], 10),
        (
            &[
                ("TENT_LIMITS__CALL_TIMEOUT", "2min"),
                ("TENT_LIMITS__GRACE", "3s"),
            ],
            3,
        ),
        (&[("TENT_LIMITS__GRACE", "0s")], 0),
    ] {
        let limits = read(vars).expect("the settings are valid").limits;
        assert_eq!(limits.grace_time(), Duration::from_secs(seconds));
    }
    let settings = read(&[("TENT_LIMITS__DRAIN", "5s")]).expect("the setting is valid");
    assert_eq!(settings.limits.drain, Duration::from_secs(5));
}
