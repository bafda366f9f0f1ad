use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", message = "Order {di} is already paid", fix = "Ask {onwer}")]
    AlreadyPaid { id: u32, owner: String },
    #[failure(code = "A0002", message = "Order {0} is {1}")]
    Gone(u32),
    #[failure(code = "A0003", message = "Send {\"id\": 1}")]
    Unit,
    #[failure(code = "A0004", message = "half {id", fix = "done }")]
    Half { id: u32 },
}

fn main() {}
