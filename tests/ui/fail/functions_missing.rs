fn plain() {}

mod shop {}

fn main() {
    let _ = tent::functions![plain, shop::open, Vec::<u8>::new];
}
