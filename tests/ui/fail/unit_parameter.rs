#![allow(unused)]
// P38: a parameter of type `()` is an error, also by an alias and as the whole input.

type Nothing = ();

#[tent::query(access = "anyone")]
async fn ping(_nothing: ()) -> bool {
    true
}

#[tent::change(access = "anyone")]
fn by_an_alias(a: u32, nothing: Nothing, #[arg(default = ())] more: ()) {}

#[tent::action(access = "anyone")]
fn whole(#[input] _: ()) {}

fn main() {}
