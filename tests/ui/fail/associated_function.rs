#![allow(unused)]

struct Shop;

// That a function stands in an `impl` is nothing that a macro can see: the compiler says that there is no
// free function of this name.
impl Shop {
    #[tent::query(access = "anyone")]
    fn open(id: u32) -> u32 {
        id
    }
}

trait Doors {
    #[tent::query(access = "anyone")]
    fn close();
}

fn main() {
    let _ = Shop::open(1);
}
