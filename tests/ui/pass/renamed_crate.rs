//! The attributes of parameters under the name that an app gives to tent.

mod my {
    pub use tent::{self as renamed, change, query};
}

use tent as other;

#[my::query(access = "anyone", crate = crate::my::renamed)]
fn renamed(#[my::renamed::arg(min = 1)] number: u32, #[other::arg(default = 2)] second: u32) -> u32 {
    number + second
}

#[my::change(access = "anyone", crate = ::tent)]
fn whole(#[other::input] all: std::collections::BTreeMap<String, u32>) -> usize {
    all.len()
}

fn main() {
    assert_eq!(renamed(1, 2), 3);
    assert_eq!(tent::functions![renamed, whole].len(), 2);
}
