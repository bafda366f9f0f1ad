#![allow(unused)]

struct Shop;

#[tent::query(access = "anyone")]
fn generic<T>(id: T) {}

#[tent::query(access = "anyone")]
async fn lifetime<'a>(name: std::borrow::Cow<'a, str>) {}

#[tent::query(access = "anyone")]
fn constrained() where u8: Copy {}

#[tent::query(access = "anyone")]
fn opaque_parameter(id: impl Into<String>) {}

#[tent::query(access = "anyone")]
fn pattern((a, b): (u8, u8)) {}

#[tent::query(access = "anyone")]
async unsafe fn k7_18_unsafe() {}

#[tent::query(access = "anyone")]
const fn k7_18_const() {}

#[tent::query(access = "anyone")]
extern "C" fn k7_18_extern() {}

#[tent::query(access = "anyone")]
async fn k7_18_never() -> ! {
    loop {}
}

#[tent::query(access = "anyone")]
async fn k6_10_opaque() -> impl Sized {}

#[tent::query(access = "anyone")]
async fn forever(shop: &'static Shop) {}

fn main() {}
