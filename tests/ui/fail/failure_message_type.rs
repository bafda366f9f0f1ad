use tent::Failure;

#[derive(Debug)]
struct Opaque;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", message = "Order {id} is already paid")]
    AlreadyPaid { id: Opaque },
    #[failure(code = "A0002", message = "{0:w$}", fix = "{0:z}")]
    Spec(u32),
}

fn main() {}
