//! What settings are read from, which of them wins, and how every mistake is told at once.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::*;

const SECRET: &str = "8f14e45fceea167a5a36dedd4bea2543d3d9446802a44259755d38e6d163e820";
const OLD_SECRET: &str = "c4ca4238a0b923820dcc509a6f75849b1679091c5a880faf6fb5e6087eb1b2dc";

fn read(vars: &[(&str, &str)]) -> Result<Settings> {
    Settings::from_vars(vars.iter().copied())
}

fn refused(vars: &[(&str, &str)]) -> Error {
    let error = read(vars).expect_err("a setting is wrong");
    assert_eq!(error.code(), "T7019");
    error
}

#[test]
fn without_anything_set_all_is_at_its_default() {
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
    assert_eq!(settings.limits.body, 4 * 1024 * 1024);
    assert_eq!(settings.limits.call_time, Duration::from_secs(30));
    assert_eq!(settings.limits.ask_time, Duration::from_secs(600));
    assert_eq!(settings.limits.tools_kept, Duration::from_secs(300));
    assert_eq!(settings.store.url, StoreUrl::Sqlite("tent.db".into()));
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
        ("TENT_LIMITS__BODY", "512kB"),
        ("TENT_LIMITS__CALL_TIME", "2min"),
        ("TENT_LIMITS__ASK_TIME", "1min"),
        ("TENT_LIMITS__TOOLS_KEPT", "0s"),
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
    assert_eq!(settings.limits.body, 512_000);
    assert_eq!(settings.limits.call_time, Duration::from_secs(120));
    assert_eq!(settings.limits.ask_time, Duration::from_secs(60));
    assert_eq!(settings.limits.tools_kept, Duration::ZERO);
    assert_eq!(settings.store.url, StoreUrl::Memory);
    let ring = [SECRET, OLD_SECRET].map(|text| Secret::parse(text).expect("32 bytes"));
    assert_eq!(settings.secrets, ring);
}

#[test]
fn every_known_setting_can_be_set_by_its_variable() {
    for known in KNOWN {
        let name = builder::variable(known.key);
        let error = refused(&[(&name, "\u{1}")]);
        assert!(error.fields().contains_key(&name), "{name} is read");
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once_under_the_name_it_was_set_by() {
    let error = refused(&[
        ("TENT_WEB__ADR", "127.0.0.1:1"),
        ("TENT_LIMITS__BODY", "8 pages"),
        ("TENT_ISSUERS__URL", "true"),
        ("TENT_SECRET", "hunter2!"),
        ("TENT_WEB__HOSTS", "a.example,https://b.example"),
    ]);
    let expected = [
        (
            "TENT_ISSUERS__URL",
            "is no setting, and its section is kept for tent; an app's own stand in a section of another name",
        ),
        (
            "TENT_LIMITS__BODY",
            "is `8 pages`, which is no size, such as 4194304, 512kB or 8MiB",
        ),
        ("TENT_SECRET", "is neither hex nor base64"),
        ("TENT_WEB__ADR", "is no setting; TENT_WEB__ADDR is"),
        (
            "TENT_WEB__HOSTS",
            "is `a.example,https://b.example`, which has `https://b.example`, which is a URL; name the host alone, such as tools.example.com",
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
fn an_unknown_key_is_told_what_its_section_has() {
    assert_eq!(
        refused(&[("TENT_WEB__COLOUR_SCHEME", "dark")]).message(),
        "TENT_WEB__COLOUR_SCHEME is no setting; section web has TENT_WEB__ADDR, TENT_WEB__PUBLIC_URL, TENT_WEB__HOSTS, TENT_WEB__ORIGINS."
    );
    let error = Settings::builder()
        .set("limits.bodie", "1")
        .flag("--addr", "web.addr", "here")
        .build()
        .expect_err("both are wrong");
    assert_eq!(
        error.fields()["limits.bodie"],
        "is no setting; limits.body is"
    );
    assert!(
        error
            .message()
            .contains("--addr is `here`, which is no address")
    );
}

#[test]
fn the_command_line_wins_over_the_app_and_the_app_over_variables() {
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

#[test]
fn an_empty_variable_is_not_set_and_the_same_setting_twice_is_a_mistake() {
    let settings = read(&[("TENT_WEB__PUBLIC_URL", ""), ("TENT_SECRET", " ")]).expect("both empty");
    assert!(settings.web.public_url.is_none() && settings.secrets.is_empty());
    let error = refused(&[("TENT_WEB__ADDR", "[::1]:1"), ("TENT_web__addr", "[::1]:2")]);
    assert_eq!(
        error.message(),
        "TENT_web__addr sets the same as TENT_WEB__ADDR; keep one of the two."
    );
}

#[test]
fn what_looks_like_a_mistake_is_warned_of() {
    let settings = read(&[
        ("TENT_WEB_ADDR", "127.0.0.1:1"),
        ("TENT_LIMIT__BODY", "1"),
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
            "TENT_WEB_ADDR is not read: section and key are joined by two underscores, TENT_WEB__ADDR.",
            "TENT_SECRETT is not read; TENT_SECRET is.",
            "TENT_STORE_URI is not read: section and key are joined by two underscores, TENT_STORE__URL.",
            "TENT_LIMIT__BODY is read as a setting of the app's own; tent's is TENT_LIMITS__BODY.",
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
fn the_apps_own_settings_are_read_as_the_type_that_is_asked_for() {
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
fn an_app_setting_that_is_absent_or_does_not_fit_names_its_variable() {
    let settings = read(&[("TENT_SHOP__PORT", "70000")]).expect("the app's own");
    let message = |error: Error| error.message().to_owned();
    assert_eq!(
        settings.get::<String>("shop.db").map_err(message),
        Err("shop.db (TENT_SHOP__DB) is not set.".into())
    );
    assert_eq!(
        settings.get::<String>("web.addr").map_err(message),
        Err("web.addr is tent's own.".into())
    );
    let error = settings.get::<u16>("shop.port").expect_err("over 65535");
    assert!(
        error
            .message()
            .starts_with("shop.port (TENT_SHOP__PORT) does not fit: ")
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
fn a_variable_that_is_no_unicode_is_a_mistake_only_where_it_is_a_setting() {
    use std::os::unix::ffi::OsStringExt;
    let bad = || std::ffi::OsString::from_vec(vec![0xff]);
    let vars = |name: &str| {
        Settings::builder()
            .vars_os([(name.into(), bad()), (bad(), bad())])
            .build()
    };
    assert!(vars("LANG").is_ok());
    let error = vars("TENT_WEB__ADDR").expect_err("not Unicode");
    assert_eq!(
        error.message(),
        "TENT_WEB__ADDR has a value that is no Unicode text."
    );
}

#[test]
fn no_secret_is_shown_by_an_error_or_a_builder() {
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
        "shop.key (TENT_SHOP__KEY) does not fit: expected u64."
    );
    let level = settings.get::<Level>("shop.level").expect_err("no level");
    assert_eq!(
        level.message(),
        "shop.level (TENT_SHOP__LEVEL) does not fit: expected one of low, high."
    );
}
