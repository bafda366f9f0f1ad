tent::link!(no_such_crate);

fn main() {}
