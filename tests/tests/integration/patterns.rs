//! Patterns of published schemas: the validator reads them as JavaScript does. `tests/clients/ts/patterns.test.ts` checks the
//! same table with `new RegExp(pattern, "u")`.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Access, Function, FunctionBuilder, Handled, Map};

use crate::support::{ask, key, modern, tent_with};

type Entry = (String, Vec<String>, Vec<String>);

fn table() -> Vec<Entry> {
    serde_json::from_str(include_str!("../../patterns.json")).expect("a table")
}

fn echo(input: Value) -> FunctionBuilder<Handled> {
    Function::builder("keep_texts")
        .about("Return the input.")
        .access(Access::SignedIn)
        .offer_mcp()
        .input_schema(input)
        .handler(async |_, input: Map| Ok::<_, Error>(input))
}

fn with_pattern(pattern: &str) -> Value {
    json!({"type": "object", "properties": {"text": {"type": "string", "pattern": pattern}}})
}

// P03
#[tokio::test]
async fn a_published_pattern_is_unchanged_and_is_checked_as_javascript_reads_it() {
    let table = table();
    let properties = table.iter().enumerate().map(|(index, (pattern, _, _))| {
        (
            format!("p{index}"),
            json!({"type": "string", "pattern": pattern}),
        )
    });
    let properties: Map = properties.collect();
    let schema = json!({"type": "object", "properties": properties});
    let function = echo(schema.clone())
        .build()
        .expect("the patterns are valid");
    let tent = tent_with(|app| app.function(function)).await;
    let key = key(&tent, "ada", &["read", "write"]).await;

    let listed = modern(&tent, "tools/list", json!({}))
        .key(&key)
        .send()
        .await;
    let listed = listed.json();
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "keep_texts")
        .expect("it is listed");
    assert_eq!(tool["inputSchema"]["properties"], schema["properties"]);

    // One request has one sample of each pattern.
    let round = |which: fn(&Entry) -> &Vec<String>, round: usize| {
        let samples = table.iter().enumerate().filter_map(move |(index, entry)| {
            let sample = which(entry).get(round)?;
            Some((format!("p{index}"), Value::from(sample.as_str())))
        });
        samples.collect::<Map>()
    };
    for at in 0.. {
        let matching = round(|entry| &entry.1, at);
        let others = round(|entry| &entry.2, at);
        if matching.is_empty() && others.is_empty() {
            break;
        }
        let response = ask(&tent, "POST", "/api/keep_texts").json(json!(matching));
        let response = response.key(&key).send().await;
        assert_eq!(response.status, 200, "{at}: {}", response.json());
        if others.is_empty() {
            continue;
        }
        let response = ask(&tent, "POST", "/api/keep_texts").json(json!(others));
        let response = response.key(&key).send().await;
        response.refuses(422, "T0003");
        let response = response.json();
        let found: BTreeSet<_> = response["fields"]
            .as_object()
            .expect("fields")
            .keys()
            .collect();
        let accepted: Vec<_> = others
            .iter()
            .filter(|(name, _)| !found.contains(name))
            .collect();
        assert!(accepted.is_empty(), "{at}: {accepted:?}");
    }
}

// P03
#[test]
fn a_pattern_that_javascript_does_not_have_is_an_error_at_start_in_inputs_and_outputs() {
    for (pattern, construct) in [
        (r"(?i)^[a-z]+-(?P<n>\d+)$", "`(?i)`"),
        (r"^(?P<n>\d+)$", "`(?P<n>`"),
        (r"\A\d\z", r"`\A`"),
        (r"a\@b", r"`\@`"),
        ("[[:alpha:]]", "`[:alpha:]`"),
    ] {
        let schema = with_pattern(pattern);
        let nested = json!({"type": "array", "items": with_pattern(pattern)});
        let builders = [
            echo(schema.clone()),
            echo(with_pattern("^a$")).output_schema(schema),
            echo(with_pattern("^a$")).output_schema(nested),
        ];
        for builder in builders {
            let problems = builder.build().expect_err("the pattern is not valid");
            let problem = problems.iter().next().expect("a problem").to_string();
            assert!(
                problem.contains("T7017") && problem.contains(construct),
                "{problem}"
            );
        }
    }
}

mod outputs {
    use super::*;

    #[data]
    struct Code {
        #[schemars(extend("pattern" = r"(?i)^[a-z]+-(?P<n>\d+)$"))]
        code: String,
    }

    // P03
    #[test]
    fn an_output_type_with_such_a_pattern_is_an_error_at_start() {
        let function = Function::builder("code")
            .about("Return a code.")
            .access(Access::SignedIn)
            .handler(async |_, _: Code| {
                Ok::<_, Error>(Code {
                    code: String::new(),
                })
            });
        let problems = function.build().expect_err("the pattern is not valid");
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems.iter().all(|one| one.contains("`(?i)`")),
            "{problems:?}"
        );
        assert!(problems[1].contains("output"), "{problems:?}");
    }
}
