use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "1", status = 200, message = "Order {nmuber} is paid", fix = 3, hint = "")]
    AlreadyPaid {
        number: u32,
    },
    #[failure(transparent)]
    Other,
}

fn main() {
    let error = OrderError::AlreadyPaid { number: 1 };
    let _: tent::Error = error.into();
}
