#![allow(unused)]
// K7-01

use std::pin::Pin;
use std::task::{Context, Poll};

/// The shape of `futures::stream::Buffered`.
struct Buffered<I: Iterator>(I, Option<I::Item>);

struct Next<'a, I: Iterator>(&'a mut Buffered<I>);

impl<I: Iterator> Future for Next<'_, I>
where
    I::Item: Future,
{
    type Output = Option<<I::Item as Future>::Output>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(None)
    }
}

#[tent::query(access = "anyone")]
async fn sizes(paths: Vec<String>) -> Vec<u64> {
    let each = paths.iter().map(|path: &String| async move { path.len() as u64 });
    let mut each = Buffered(each, None);
    let mut lengths = Vec::new();
    while let Some(length) = Next(&mut each).await {
        lengths.push(length);
    }
    lengths
}

fn main() {}
