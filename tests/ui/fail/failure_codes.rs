use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", message = "one")]
    One,
    #[failure(code = "A0001", message = "two")]
    Two,
    #[failure(code = "T0001", message = "three")]
    Three,
    #[failure(code = "A1", message = "four")]
    Four,
    #[failure(code = 5, message = "five")]
    Five,
    #[failure(code = "A0006", message = concat!("s", "ix"))]
    Six,
    #[failure(code = "A0007", message = "", name = "Not A Name")]
    Seven,
}

fn main() {}
