struct Opaque;

#[tent::data]
struct Order {
    id: u32,
    what: Opaque,
}

fn main() {}
