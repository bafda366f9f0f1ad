//! `link!` of one crate and of one that is called otherwise here, each recorded by its name at home.

#![forbid(unsafe_code)]
#![deny(warnings)]

extern crate tent as shop;

use tent::__private::{Link, inventory};

tent::link!(tent);
mod below {
    tent::link!(shop as shop_functions);
}

fn main() {
    let mut links: Vec<&str> = inventory::iter::<Link>().map(|link| link.krate).collect();
    links.sort_unstable();
    assert_eq!(links, ["shop_functions", "tent"]);
}
