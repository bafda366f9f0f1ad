#![allow(unused)]
// R06: no fault of a declaration hides another, and each is reported once.

#[tent::query(titel = "x", offer = "mpc", timeout = 5, about "Finds.", danger = "yes")]
async unsafe fn unknown_missing_signature_value<T>(cx: &'static tent::Cx, #[arg(mni = 1, max = "x")] id: &mut T) {}

#[tent::change(access = "signdIn", access = "anyone", limit = 5, limit = "5/min" scope = "a b")]
fn twice_and_without_a_comma(#[arg(min = 1, min = 2, junk!)] a: u32, #[arg] b: u32, #[input(schema)] (c, d): (u8, u8)) -> ! {
    loop {}
}

#[tent::resource(url = "x://{a}", access = "signedIn", list = "all", size = )]
fn resource_faults(#[arg(complete = "names", header = "a b")] a: impl Sized) {}

#[tent::prompt(access = "app", name = "größe", title = 3, = 5, "junk")]
fn prompt_faults(#[input] a: A) -> impl Sized {}

#[tent::action(access = rule(), on = "tools/list", offer = "mcp", api = "yes", needs = ["smpling", 3], crate = "tent" junk)]
async fn action_faults(_: u32, a: Vec<&str>) {}

fn main() {
    let _ = tent::functions![
        unknown_missing_signature_value,
        twice_and_without_a_comma,
        prompt_faults,
        action_faults
    ];
}
