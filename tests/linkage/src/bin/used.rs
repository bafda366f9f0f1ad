//! Names the crate of functions with a `use`.

use linkage_tools as _;

fn main() {
    print!("{}", tent_linkage::linked());
}
