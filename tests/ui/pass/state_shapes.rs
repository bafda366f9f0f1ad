//! States of every shape, and one by another path.

#![forbid(unsafe_code)]
#![deny(warnings)]

mod my {
    pub use tent;
}

#[derive(tent::State)]
struct Unit;

#[derive(tent::State)]
enum Either {
    _One(u8),
    _Two,
}

#[derive(tent::State)]
struct Generic<T: Clone, const N: usize>([T; N])
where
    T: Send;

#[derive(tent::State)]
#[state(crate = crate::my::tent)]
struct Elsewhere {
    _name: String,
}

fn state<T: tent::State>() {}

fn main() {
    state::<Unit>();
    state::<Either>();
    state::<Generic<u8, 2>>();
    state::<Elsewhere>();
    state::<tent::Shared<Vec<u8>>>();
    let _ = Generic([1u8]).0;
}
