#![allow(unused)]

#[tent::query(access = "anyone")]
async fn sizes(paths: Vec<String>) -> Vec<u64> {
    let mut lengths = Vec::new();
    let mut each = paths.iter().map(|path: &String| async move { path.len() as u64 });
    while let Some(length) = each.next() {
        lengths.push(length.await);
    }
    lengths
}

fn main() {}
