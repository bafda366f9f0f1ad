use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(transparent)]
    Text(String),
}

fn main() {}
