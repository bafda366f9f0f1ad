use tent::Failure;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", message = "one")]
    One {
        #[source]
        a: std::io::Error,
        #[source]
        b: std::io::Error,
    },
    #[failure(code = "A0002", message = "two")]
    Two {
        #[from]
        a: std::io::Error,
        b: u32,
    },
    #[failure(code = "A0003", message = "three")]
    Three(#[source(x)] #[failure(hidden)] std::io::Error),
}

fn main() {}
