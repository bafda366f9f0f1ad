//! Apps that have something wrong with them, for the tests of the command line: the first argument says which,
//! the rest is its command line. Each is small, and wrong in one way.

use std::process::ExitCode;

use tent::App;

// A crate that declares no function, said to bring some. Only an app of every linked function minds.
tent::link!(anyhow);

fn main() -> ExitCode {
    let mut line: Vec<_> = std::env::args().skip(1).collect();
    let app = App::new("small", "0.1.0");
    let app = match line.first().map(String::as_str) {
        Some("taken") => app
            .functions(tent::functions![
                taken::orders::search,
                taken::people::search
            ])
            .functions(tent::functions![
                taken::orders::mark_paid,
                taken::people::markPaid
            ]),
        Some("stateless") => app.functions(tent::functions![
            stateless::count,
            stateless::count_again,
            stateless::count_more,
        ]),
        Some("misshapen") => app.functions(tent::functions![misshapen::by, misshapen::named]),
        Some("empty") => app.functions(&[]),
        Some("linked") => app,
        Some("asking") => app.functions(tent::functions![asking::greets]),
        Some("served") => {
            app.functions(tent::functions![served::tell, served::told, served::greet])
        }
        Some("noisy") => app.functions(tent::functions![
            noisy::prints,
            noisy::breaks,
            noisy::reads,
            noisy::lets_read
        ]),
        Some("owned") => app
            .functions(tent::functions![asking::greets])
            .users(async |id: String| {
                Ok::<_, tent::Error>((id == "ada").then(|| tent::User::new(id)))
            })
            // Not opened, since `users` does not take it.
            .state_with(async |_| Err::<owned::Database, _>(tent::Error::from("it is down"))),
        Some("slow") => app.functions(tent::functions![slow::waits, slow::long]),
        Some("both") => app.functions(tent::functions![
            taken::orders::search,
            taken::people::search,
            stateless::count
        ]),
        Some("warned") => app.functions(warned::MANY).functions(tent::functions![
            warned::synchronize_all_customer_data_across_regional_systems,
            warned::sales__by_region,
            warned::dotted,
            warned::long_winded,
            warned::account,
            warned::quiet__and_not_offered_to_anybody_at_all_though,
        ]),
        _ => return ExitCode::from(64),
    };
    "small".clone_into(&mut line[0]);
    app.run_with(line)
}

mod taken {
    pub(super) mod orders {
        use tent::prelude::*;

        #[query(about = "Orders by a word", access = "anyone", offer = "mcp")]
        pub(crate) fn search(text: String) -> String {
            text
        }

        #[change(about = "Mark an order as paid", access = "anyone", offer = "mcp")]
        pub(crate) fn mark_paid() {}
    }

    pub(super) mod people {
        use tent::prelude::*;

        #[query(about = "People by a word", access = "anyone", offer = "mcp")]
        pub(crate) fn search(text: String) -> String {
            text
        }

        #[change(about = "Mark somebody as paid", access = "anyone", offer = "mcp")]
        #[expect(non_snake_case, reason = "names that differ in capitals alone")]
        pub(crate) fn markPaid() {}
    }
}

mod stateless {
    use tent::prelude::*;

    #[derive(State)]
    pub(crate) struct Counter(u32);

    #[derive(State)]
    pub(crate) struct Other;

    #[query(access = "anyone")]
    pub(crate) fn count(counter: &Counter) -> u32 {
        counter.0
    }

    #[query(access = "anyone")]
    pub(crate) fn count_again(counter: &Counter, other: &Other) -> u32 {
        let Other = other;
        counter.0
    }

    #[query(access = "anyone")]
    pub(crate) fn count_more(names: &Shared<Vec<String>>) -> usize {
        names.0.len()
    }
}

mod misshapen {
    use tent::prelude::*;

    #[data]
    #[serde(tag = "by")]
    pub(crate) enum By {
        Id { id: u32 },
        Name { name: String },
    }

    #[query(access = "anyone")]
    pub(crate) fn by(#[input] by: By) -> By {
        by
    }

    #[data]
    pub(crate) struct Filter {
        #[serde(rename = "filter[id]")]
        id: u32,
        #[serde(rename = "größe")]
        size: u32,
    }

    #[query(access = "anyone")]
    pub(crate) fn named(filters: Vec<Filter>) -> Vec<Filter> {
        filters
    }
}

mod warned {
    use tent::prelude::*;

    #[query(about = "A long name", access = "anyone", offer = "mcp")]
    pub(crate) fn synchronize_all_customer_data_across_regional_systems() {}

    #[query(about = "Two underscores", access = "anyone", offer = "mcp")]
    #[expect(non_snake_case, reason = "it is what is warned of")]
    pub(crate) fn sales__by_region() {}

    #[query(about = "A dot", name = "orders.get", access = "anyone", offer = "mcp")]
    pub(crate) fn dotted() {}

    #[query(access = "anyone", offer = "mcp")]
    #[doc = include_str!("../long_about.txt")]
    pub(crate) fn long_winded() {}

    #[data]
    pub(crate) struct Account {
        id: u128,
        parts: Vec<i128>,
        count: u64,
    }

    #[query(about = "Wide integers", access = "anyone", offer = "mcp")]
    pub(crate) fn account(like: Account) -> Account {
        like
    }

    #[query(access = "anyone")]
    #[expect(non_snake_case, reason = "it is no tool, so nothing is warned of it")]
    pub(crate) fn quiet__and_not_offered_to_anybody_at_all_though(id: u128) -> u128 {
        id
    }

    macro_rules! many {
        ($($name:ident)*) => {
            $(
                #[query(about = "One of many", access = "anyone", offer = "mcp")]
                pub(crate) fn $name() {}
            )*
            pub(crate) const MANY: &[&tent::Declaration] = tent::functions![$($name),*];
        };
    }

    many! {
        report_01 report_02 report_03 report_04 report_05 report_06 report_07 report_08
        report_09 report_10 report_11 report_12 report_13 report_14 report_15 report_16
    }
}

mod served {
    use tent::Notifier;
    use tent::prelude::*;

    /// Tell that there is another note.
    #[change(access = "anyone")]
    pub(crate) fn tell(notes: &Notifier) {
        notes.resource_updated("notes://1");
    }

    /// A note.
    #[resource(uri = "notes://{id}", access = "anyone", subscribe = true)]
    pub(crate) fn told(id: u32) -> String {
        id.to_string()
    }

    /// Greet somebody.
    #[prompt(access = "anyone")]
    pub(crate) fn greet(name: String) -> String {
        name
    }
}

mod noisy {
    use tent::prelude::*;

    /// Prints, and so does a program that it starts.
    #[action(access = "anyone", offer = "mcp")]
    pub(crate) fn prints() -> Result<u32> {
        println!("a function prints");
        std::process::Command::new("echo")
            .arg("a program prints")
            .status()?;
        Ok(1)
    }

    /// Prints, and breaks.
    #[action(access = "anyone", offer = "mcp")]
    pub(crate) fn breaks() {
        print!("half a line");
        panic!("it breaks");
    }

    /// Reads stdin to its end.
    #[action(access = "anyone", offer = "mcp")]
    pub(crate) fn reads() -> Result<String> {
        eprintln!("reads");
        Ok(std::io::read_to_string(std::io::stdin())?)
    }

    /// Starts a program that reads stdin to its end.
    #[action(access = "anyone", offer = "mcp")]
    pub(crate) fn lets_read() -> Result<String> {
        eprintln!("lets_read");
        let mut cat = std::process::Command::new("cat");
        let read = cat.stdin(std::process::Stdio::inherit()).output()?;
        Ok(String::from_utf8(read.stdout)?)
    }
}

mod owned {
    use tent::prelude::*;

    #[derive(State)]
    pub(crate) struct Database;
}

mod slow {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpStream};

    use tent::prelude::*;

    /// Holds its thread until the other end of a connection lets it go, and says so there.
    #[action(access = "anyone", offer = "mcp", blocking = true, timeout = "1h")]
    pub(crate) fn waits(port: u16) -> Result<()> {
        let mut end = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        end.read_exact(&mut [0])?;
        end.write_all(b"went on")?;
        Ok(())
    }

    /// More than a pipe holds.
    #[query(access = "anyone", offer = "mcp")]
    pub(crate) fn long() -> String {
        "x".repeat(4 << 20)
    }
}

mod asking {
    use tent::input::{Field, Form};
    use tent::prelude::*;

    /// Greets who calls.
    #[action(access = "anyone", offer = "mcp")]
    pub(crate) async fn greets(cx: &Cx) -> Result<String> {
        let form = Form::new("Who are you?").field("name", Field::text());
        let filled = cx.input("name", form).await?.accepted();
        let name = filled.as_ref().and_then(|filled| filled["name"].as_str());
        Ok(format!("Hello, {}!", name.unwrap_or("stranger")))
    }
}
