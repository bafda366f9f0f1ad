//! An app whose one function never ends once it was agreed to, for the test that kills it.

use std::io::Write as _;
use std::process::ExitCode;

use tent::App;
use tent::input::{Field, Form};
use tent::prelude::*;

fn main() -> ExitCode {
    let app = App::new("stuck", "0.1.0").functions(tent::functions![pay]);
    app.run()
}

/// Pays, and hangs in a way that no timeout can end. Each payment is a line of the file `payments`.
#[action(access = "anyone", offer = "mcp", timeout = "200ms")]
async fn pay(cx: &Cx) -> Result<u32> {
    let sure = Form::new("Pay it?").field("sure", Field::boolean());
    cx.input("sure", sure).await?;
    let mut payments = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open("payments")?;
    writeln!(payments, "paid")?;
    eprintln!("it has paid");
    loop {
        std::thread::park();
    }
}
