#![allow(unused)]

struct Shop;

impl Shop {
    #[tent::query(access = "anyone")]
    fn open(&self) {}
}

fn main() {}
