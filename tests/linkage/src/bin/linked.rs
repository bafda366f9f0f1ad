//! Names the crate of functions with `tent::link!`.

#![forbid(unsafe_code)]

tent::link!(linkage_tools);

fn main() {
    print!("{}", tent_linkage::linked());
}
