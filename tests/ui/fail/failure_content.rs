use tent::{Content, Failure};

#[derive(Debug, Failure)]
enum PageError {
    #[failure(code = "A0001", message = "one")]
    One(#[failure(content, hidden)] Vec<Content>),
    #[failure(code = "A0002", message = "two")]
    Two(#[failure(content)] #[source] std::io::Error),
    #[failure(code = "A0003", message = "three")]
    Three(#[failure(content = true)] Vec<Content>),
}

#[derive(Debug, Failure)]
#[failure(code = "A0004", message = "four")]
struct Alone {
    #[failure(content)]
    shot: Content,
}

fn main() {}
