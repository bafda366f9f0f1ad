use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    Nothing,
    #[failure(code = "A0001")]
    NoMessage,
    #[failure(message = "gone")]
    NoCode { id: u32 },
}

#[derive(Debug, Failure)]
struct Closed;

fn main() {
    // The impls are there: these are no errors.
    let _ = tent::Error::from(OrderError::Nothing);
    let _ = Closed.to_string();
}
