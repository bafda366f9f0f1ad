//! The icons that the attributes state, as the macros write them.

use tent::prelude::*;
use tent::{Icon, Theme};
use tent_tests::linked;

const AT: &str = "https://shop.example/icon.png";

/// One icon.
#[action(access = "anyone", offer = "mcp", icons = Icon::new(AT).sizes(["48x48"]))]
fn icon_of_one() {}

/// One for each theme.
#[resource(uri = "icons://two", access = "anyone", icons = [Theme::Light, Theme::Dark].map(|theme| Icon::new(AT).theme(theme)))]
fn icons_of_two() -> u8 {
    2
}

/// Some that are made where they are wanted.
#[prompt(access = "anyone", icons = made(3))]
fn icons_made() -> String {
    String::new()
}

/// None.
#[query(access = "anyone", needs = ["com.example/pages"])]
fn icons_of_none() {}

fn made(count: usize) -> Vec<Icon> {
    vec![Icon::svg("<svg/>"); count]
}

#[test]
fn icons_are_as_declared() {
    let of = |name| linked(name).icons.map(|icons| icons());
    assert_eq!(
        of("icon_of_one"),
        Some(vec![Icon::new(AT).sizes(["48x48"])])
    );
    let two = [Theme::Light, Theme::Dark].map(|theme| Icon::new(AT).theme(theme));
    assert_eq!(of("icons_of_two"), Some(two.into()));
    assert_eq!(of("icons_made"), Some(made(3)));
    assert_eq!(of("icons_of_none"), None);
    assert_eq!(linked("icons_of_none").needs, ["com.example/pages"]);
}
