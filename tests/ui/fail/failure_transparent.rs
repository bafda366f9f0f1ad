use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(transparent)]
    None,
    #[failure(transparent)]
    Two(tent::Error, u32),
    #[failure(transparent, code = "A0001", message = "three")]
    Three(#[from] tent::Error),
    #[failure(transparent = true)]
    Four(std::io::Error),
}

fn main() {
    let _ = OrderError::from(tent::Error::declared(tent::code!("A0001"), 404, "gone"));
}
