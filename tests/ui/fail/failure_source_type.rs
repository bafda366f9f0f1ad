use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", message = "one")]
    One {
        #[source]
        a: String,
    },
}

fn main() {}
