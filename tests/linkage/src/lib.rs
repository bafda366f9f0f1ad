//! What the programs of this package show: the functions that are linked into them.

use tent::__private::{Entry, Link, inventory};

/// One line for each function and one for each `tent::link!`, sorted.
pub fn linked() -> String {
    let functions = inventory::iter::<Entry>().map(|Entry(one)| format!("function {}\n", one.name));
    let links = inventory::iter::<Link>().map(|one| format!("link {}\n", one.krate));
    let mut lines: Vec<String> = functions.chain(links).collect();
    lines.sort();
    lines.concat()
}
