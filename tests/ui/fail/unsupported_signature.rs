#![allow(unused)]
// K6-10, K7-18

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
async unsafe fn is_unsafe() {}

#[tent::query(access = "anyone")]
const fn is_const() {}

#[tent::query(access = "anyone")]
extern "C" fn is_extern() {}

#[tent::query(access = "anyone")]
async fn never() -> ! {
    loop {}
}

#[tent::query(access = "anyone")]
async fn opaque_return_type() -> impl Sized {}

#[tent::query(access = "anyone")]
async fn forever(shop: &'static Shop) {}

fn main() {}
