#[tent::data]
struct Order {
    id: u32,
    title:
}

fn main() {}
