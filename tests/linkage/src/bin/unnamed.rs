//! Depends on the crate of functions in `Cargo.toml`, and names it nowhere.

fn main() {
    print!("{}", tent_linkage::linked());
}
