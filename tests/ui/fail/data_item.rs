#[tent::data]
fn open_orders() {}

#[tent::data]
mod shop {
    pub fn name() {}
}

#[tent::data]
union Either {
    a: u32,
    b: f32,
}

fn main() {
    open_orders();
    shop::name();
    let _ = Either { a: 1 };
}
