use tent::Failure;

#[derive(Debug, Failure)]
#[failure(code = "A0000", mesage = "gone")]
enum OrderError {
    #[failure(code = "A0001", mesage = "one", message = "one", code = "A0002")]
    One,
    #[failure]
    Two,
    #[failure(code = "A0003" message = "three")]
    Three,
    #[from]
    #[failure(code = "A0004", message = "four")]
    Four {
        #[failure(hiden)]
        id: u32,
        #[failure(hidden = true)]
        owner: u32,
    },
}

fn main() {}
