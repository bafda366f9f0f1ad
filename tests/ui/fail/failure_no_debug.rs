use tent::Failure;

#[derive(Failure)]
#[failure(code = "A0001", message = "closed")]
struct Closed;

fn main() {}
