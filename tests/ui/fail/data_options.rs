#[tent::data(krate = my::tent)]
struct Misspelt {
    #[tent(secrt)]
    a: u32,
    #[tent]
    b: u32,
    #[tent(secret = true)]
    c: u32,
    #[tent(secret, secret)]
    d: u32,
}

#[tent::data(crate = "my::tent")]
struct Path;

#[tent::data]
#[tent(secret)]
struct OnType(u32);

#[tent::data]
enum OnVariant {
    #[tent(secret)]
    One(u32),
}

fn main() {
    // The derives are there: this is no error.
    let _ = tent::serde_json::to_string(&OnVariant::One(1));
}
