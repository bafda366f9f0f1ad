use tent::State;

#[derive(State)]
struct Shop<'a> {
    name: &'a str,
}

fn main() {}
