#![allow(unused)]

struct Unprintable;

#[tent::query(access = "anyone")]
async fn own() -> Result<u32, Unprintable> {
    Ok(1)
}

#[tent::query(access = "anyone")]
async fn text() -> Result<u32, String> {
    Ok(1)
}

#[tent::query(access = "anyone")]
fn borrowed() -> Result<(), &'static str> {
    Ok(())
}

type Alias<T> = Result<T, std::rc::Rc<u8>>;

#[tent::query(access = "anyone")]
fn alias() -> Alias<u32> {
    Ok(1)
}

fn main() {}
