#![allow(unused)]
// K7-02

#[tent::change(access = "anyone")]
async fn bump(id: String) -> u64 {
    let count = std::rc::Rc::new(1u64);
    tokio::task::yield_now().await;
    *count
}

fn main() {}
