use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", status = 200, message = "one")]
    One,
    #[failure(code = "A0002", status = "404", message = "two")]
    Two,
    #[failure(code = "A0003", status = NOT_FOUND, message = "three")]
    Three,
    #[failure(code = "A0004", status = 70000, message = "four")]
    Four,
    #[failure(code = "A0005", status, message = "five")]
    Five,
}

fn main() {}
