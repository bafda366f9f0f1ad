//! `functions!` takes paths of every kind, and is a constant.

use tent::__private::Declaration;
use tent::query;

/// One.
#[query(access = "anyone")]
fn one() {}

/// A raw word.
#[query(access = "anyone")]
fn r#match() {}

mod below {
    pub(crate) mod further {
        /// Two.
        #[tent::query(access = "anyone")]
        pub(crate) fn two() {}
    }
}

const ALL: &[&Declaration] = tent::functions![one, r#match, below::further::two, crate::one,];
static NONE: &[&Declaration] = tent::functions![];

fn main() {
    let names: Vec<&str> = ALL.iter().map(|one| one.name).collect();
    assert_eq!(names, ["one", "match", "two", "one"]);
    assert!(NONE.is_empty());
    one();
    r#match();
    below::further::two();
}
