#![allow(unused)]

#[tent::query(abuot = "x", acess = "signdIn", offer = "mpc", danger = "ask", timeout = "5")]
async unsafe fn find_function<T>(&mut self, (a, b): (u8, u8), #[arg(mni = 1)] id: u32, name: &mut String) -> ! {
    loop {}
}

fn main() {}
