use tent::Failure;

#[derive(Failure)]
union Either {
    a: u32,
    b: f32,
}

fn main() {}
