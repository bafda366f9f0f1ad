use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = , mesage = "one", status = 200)]
    One,
    #[failure(code = "A0002" status = 70, message = "two")]
    Two,
    #[failure(code = "A0003", message = )]
    Three,
    #[failure(7, "x" = 1, code = "A0004",, message = "four")]
    Four,
    #[failure(code = "A0005" ; 1 message = "five" 5)]
    Five,
    #[failure = "six"]
    Six,
    #[failure()]
    Seven,
}

#[derive(Debug, Failure)]
#[failure(crate = "x", code = "A0001", message = "closed")]
struct Closed;

fn main() {}
