use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(transparent)]
    One(#[from] std::io::Error),
    #[failure(code = "A0001", message = "two")]
    Two(#[from] std::io::Error),
}

fn main() {}
