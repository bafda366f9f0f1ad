// R04: only the derive implements `Failure`.

use std::fmt;

#[derive(Debug)]
struct Paid;

impl fmt::Display for Paid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already paid")
    }
}

impl std::error::Error for Paid {}

impl tent::Failure for Paid {
    fn failure(&self) -> tent::Error {
        tent::Error::declared(tent::code!("A0001"), 409, self.to_string())
    }
}

fn main() {}
