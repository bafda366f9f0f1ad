//! Golden expansions, and what a test with a compiler cannot show: half-typed items, unchanged tokens, generated
//! names.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::parse_quote;

use super::*;

fn expansion(kind: Kind, options: TokenStream, item: TokenStream) -> String {
    let file: syn::File = parse_quote!(#![doc = ""]);
    let tokens = declare(kind, options, item);
    let mut file = syn::File {
        attrs: vec![],
        ..file
    };
    file.items = syn::parse2::<syn::File>(tokens)
        .expect("an expansion is a list of items")
        .items;
    prettyplease::unparse(&file)
}

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("a list of tokens")
}

/// The texts of the errors in an expansion.
fn errors(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens
        .windows(3)
        .filter_map(|three| match three {
            [TokenTree::Ident(word), _, TokenTree::Group(group)] if word == "compile_error" => {
                syn::parse2::<syn::LitStr>(group.stream()).ok()
            }
            _ => None,
        })
        .map(|text| text.value())
        .collect()
}

#[test]
fn a_query_without_parameters() {
    insta::assert_snapshot!(expansion(
        Kind::Query,
        quote!(access = "anyone"),
        quote! {
            /// When the shop is open.
            pub fn shop_hours() -> Hours { HOURS }
        }
    ));
}

#[test]
fn a_resource_with_a_list_and_completions() {
    insta::assert_snapshot!(expansion(
        Kind::Resource,
        quote! {
            uri = "orders://{id}", access = "signedIn", list = all_orders, media_type = "text/plain",
            subscribe = true
        },
        quote! {
            /// An order.
            async fn order(shop: &Shop, #[arg(complete = shop::numbers)] id: u32) -> Result<String> {
                shop.order(id).await
            }
        }
    ));
}

#[test]
fn a_resource_with_metadata_hints_and_a_size() {
    insta::assert_snapshot!(expansion(
        Kind::Resource,
        quote! {
            uri = "ui://clock", access = "anyone", meta = json!({"ui": {}}), annotations = hints(), size = 3
        },
        quote! {
            /// The page of the clock.
            fn page() -> String { PAGE.into() }
        }
    ));
}

#[test]
fn a_prompt_with_arguments() {
    insta::assert_snapshot!(expansion(
        Kind::Prompt,
        quote!(access = "anyone", name = "write-letter"),
        quote! {
            /// Write a letter.
            fn letter(
                /// To whom.
                to: String,
                words: Option<u32>,
            ) -> Vec<Message> {
                vec![]
            }
        }
    ));
}

#[test]
fn a_change_with_parts_fields_and_options() {
    insta::assert_snapshot!(expansion(
        Kind::Change,
        quote! {
            about = "Mark an order as paid", access = ["role:staff", rules::trusted], offer = "mcp",
            danger = "ask", asks = "page", timeout = "5s", limit = "10/min", needs = ["sampling"],
            scope = "orders:write", idempotent = true, title = "Pay", name = "orders.pay"
        },
        quote! {
            #[must_use]
            #[cfg(feature = "pay")]
            #[deprecated]
            #[allow(clippy::unused_async)]
            pub(crate) async fn mark_paid(
                cx: &Cx,
                shop: &Shop,
                /// The order's number.
                #[arg(min = 1, max = 9.5, header = "Order")] id: u32,
                #[arg(default = Vec::new(), max_len = 3)] lines: Vec<Line>,
                #[cfg(feature = "notes")]
                #[allow(unused)]
                #[arg(rename = "the-note", pattern = "^a", min_len = 1, example = "a", secret)] mut note: Option<String>,
            ) -> Result<(), OrderError> { shop.pay(id).await }
        }
    ));
}

#[test]
fn an_action_with_a_whole_input() {
    insta::assert_snapshot!(expansion(
        Kind::Action,
        quote!(
            access = "app",
            changes = false,
            sends = true,
            blocking = true,
            crate = crate::tent
        ),
        quote! {
            fn send(#[input(schema = schema())] Letter(letter): Letter) -> u8 { 1 }
        }
    ));
}

// K7-08
#[test]
fn a_half_typed_body_is_emitted_unchanged_beside_the_declaration() {
    let body = quote!({ let o = load(&id).await; o. });
    let tokens = declare(
        Kind::Query,
        quote!(about = "Finds.", offer = "mcp", access = "signedIn"),
        quote!(async fn find(id: String) -> Order #body),
    );
    let text = tokens.to_string();
    let item = quote!(async fn find(id: String) -> Order #body).to_string();
    assert!(text.starts_with(&item), "{text}");
    assert!(text.contains("__tent_function_find"), "{text}");
    assert_eq!(errors(tokens), Vec::<String>::new());
}

// K7-08
#[test]
fn a_half_typed_signature_or_attribute_is_emitted_beside_its_error() {
    let access = r#"access = "anyone""#;
    for (options, item, expected) in [
        (access, "fn find(id: ) {}", "unexpected end of input"),
        (access, "fn find(id), ", "expected `:`"),
        (access, "fn", "unexpected end of input"),
        ("acc", "fn find() {}", "T7014"),
    ] {
        let item = tokens(item);
        let tokens = declare(Kind::Query, tokens(options), item.clone());
        assert!(
            tokens.to_string().starts_with(&item.to_string()),
            "{tokens}"
        );
        let errors = errors(tokens);
        assert!(
            errors.iter().any(|error| error.contains(expected)),
            "{errors:?}"
        );
    }
}

/// Another attribute of the same name cannot be meant: Rust allows no attribute macro on a parameter.
#[test]
fn only_the_attributes_of_tent_are_removed_under_any_name_of_the_crate() {
    let tokens = declare(
        Kind::Query,
        quote!(),
        quote! {
            #[before] /// Doc.
            pub(in a::b) async fn f(
                #[arg(min = 1)] #[cfg(x)] #[tent::arg(max = 2)] #[crate::my::arg] #[clippy::arg] a: [u8; { 1 }],
                #[doc = "x"] #[input] b: fn(#[keep] u8) -> u8,
            ) -> u8 where { anything @ goes }
        },
    );
    let expected = quote! {
        #[before] /// Doc.
        pub(in a::b) async fn f(
            #[cfg(x)] #[clippy::arg] a: [u8; { 1 }],
            b: fn(#[keep] u8) -> u8,
        ) -> u8 where { anything @ goes }
    };
    assert!(
        tokens.to_string().starts_with(&expected.to_string()),
        "{tokens}"
    );
}

#[test]
fn invalid_rust_is_an_error_and_never_a_panic() {
    let items = [
        "",
        ";",
        "pub",
        "struct S;",
        "mod m {}",
        "impl S { fn f(&self) {} }",
        "const X: u8 = 1;",
        "static X: u8 = 1;",
        "extern \"C\" { fn f(); }",
        "extern crate x;",
        "use x;",
        "macro_rules! m { () => {}; }",
        "async",
        "fn f<",
        "fn f(...) {}",
        "unsafe extern \"C\" fn f(a: u8, rest: ...) {}",
        "fn f(self: Box<Self>, &mut self, mut self) {}",
        "fn f(&'a self, &(a, b): &(u8, u8), _: u8) {}",
        "fn f()",
        "fn f(); fn g() {}",
    ];
    let items = items.map(tokens);
    let options = [
        "",
        ",",
        "= = =",
        "access",
        "access = ,",
        r#"access = "a" "b" [c] { d }"#,
        r#""a", 'a', 1.5, -, access = -1"#,
        r#"access = [[["role:a"], []], -x]"#,
        "access = <A as B>::c, crate = <A as B>::c",
        r#"about = -"x", name = 'x', needs = [1, 2], timeout = 5, limit = -1"#,
        r##"timeout = "99999999999999999999999h", limit = "99999999999/s", r#access = "anyone""##,
    ];
    let options = options.map(tokens);
    for item in &items {
        for options in &options {
            let tokens = declare(Kind::Change, options.clone(), item.clone());
            assert!(tokens.to_string().starts_with(&item.to_string()));
        }
    }
    for options in &options[..8] {
        let found = errors(declare(Kind::Change, options.clone(), tokens("fn f() {}")));
        assert!(!found.is_empty(), "{options}");
    }
}

#[test]
fn every_error_has_a_code_a_name_a_problem_and_a_help_line() {
    let found = errors(declare(
        Kind::Query,
        quote!(acess = 1, about = 2, offer = "mpc", danger = "ask"),
        quote!(
            unsafe fn find_function<T>(
                #[input]
                #[arg]
                a: T,
                b: &mut u8,
            ) -> ! {
            }
        ),
    ));
    assert!(found.len() > 8, "{found:#?}");
    for text in found {
        let (first, help) = text.split_once('\n').expect("there are two lines");
        let (head, problem) = first.split_once(": ").expect("a problem after a colon");
        let (code, name) = head.split_once(' ').expect("a code and its name");
        let entry = tent_core::codes::find(code).expect("it is in the catalogue");
        assert_eq!(name, entry.name());
        assert!(!problem.is_empty() && !problem.ends_with('.'), "{text}");
        let help = help.strip_prefix("help: ").expect("a help line");
        assert!(!help.is_empty() && !help.ends_with('.'), "{text}");
    }
}

// R06
#[test]
fn an_unknown_option_hides_no_other_problem() {
    let options = quote!(titel = "x", offer = "mcp");
    let found = errors(declare(
        Kind::Query,
        options,
        tokens("fn f(#[arg(mni = 1)] a: u8) {}"),
    ));
    for expected in ["`titel`", "T7001", "T7009", "`mni`"] {
        let found = found.iter().filter(|text| text.contains(expected)).count();
        assert_eq!(found, 1, "{expected}");
    }
}

/// Faults of one declaration that are independent of each other: an option, a qualifier, a parameter or a return type,
/// and a part of the diagnostic that only this fault has.
const FAULTS: [(&str, &str, &str, &str, &str); 14] = [
    ("titel = \"x\"", "", "", "", "`titel`"),
    ("timeout = 5", "", "", "", "`timeout` requires"),
    ("limit \"5/min\"", "", "", "", "`=` after `limit`"),
    ("scope = \"a b\"", "", "", "", "valid scope"),
    ("offer = \"mpc\"", "", "", "", "T7003"),
    ("needs = \"smpling\"", "", "", "", "client capability"),
    ("blocking = true", "async", "", "", "T7008"),
    ("", "unsafe", "", "", "is `unsafe`"),
    ("", "", "a: &mut u8", "", "mutable reference"),
    ("", "", "#[arg(mni = 1)] b: impl T", "", "`mni`"),
    ("", "", "#[arg(min = \"x\")] c: u8", "", "`min` requires"),
    ("", "", "(d, e): (u8, u8)", "", "is a pattern"),
    ("", "", "#[arg(rename = \"a b\")] f: u8", "", "T7016"),
    ("", "", "", "-> !", "return type"),
];

// R06
#[test]
fn in_every_combination_of_faults_each_is_reported_once() {
    let all = (1_u32 << FAULTS.len()) - 1;
    // Up to three at a time, and all at once.
    for chosen in (0..=all).filter(|chosen| chosen.count_ones() <= 3 || *chosen == all) {
        // Over all combinations, the access is missing, valid and invalid.
        let access = ["", "access = \"anyone\"", "access = \"signdIn\""][(chosen % 3) as usize];
        let faults = FAULTS.iter().enumerate();
        let faults: Vec<_> = faults
            .filter(|(at, _)| chosen & (1 << at) != 0)
            .map(|(_, fault)| fault)
            .collect();
        let join = |part: fn(
            &(&'static str, &'static str, &'static str, &'static str, &str),
        ) -> &'static str,
                    by: &str| {
            let parts: Vec<&str> = faults
                .iter()
                .map(|one| part(one))
                .filter(|one| !one.is_empty())
                .collect();
            parts.join(by)
        };
        let options = format!("{access}, {}", join(|one| one.0, ", "));
        let item = format!(
            "{} fn f({}) {} {{}}",
            join(|one| one.1, " "),
            join(|one| one.2, ", "),
            join(|one| one.3, " ")
        );
        let options = options.trim_start_matches(", ");
        let found = errors(declare(Kind::Change, tokens(options), tokens(&item)));
        let expected = faults.iter().map(|fault| fault.4);
        let expected = expected.chain(match chosen % 3 {
            0 => Some("T7001"),
            1 => None,
            _ => Some("T7002"),
        });
        for part in expected {
            let count = found.iter().filter(|text| text.contains(part)).count();
            assert_eq!(count, 1, "{part} of ({options}) {item}: {found:#?}");
        }
    }
}

#[test]
fn a_misspelled_or_invalid_access_is_not_reported_as_missing_too() {
    for options in [
        r#"acess = "anyone""#,
        r#"access = "nobody at all""#,
        "access",
        "access =",
    ] {
        let found = errors(declare(Kind::Query, tokens(options), tokens("fn f() {}")));
        assert_eq!(found.len(), 1, "{options}: {found:#?}");
        assert!(!found[0].starts_with("T7001"), "{options}: {found:#?}");
    }
}

#[test]
fn a_function_with_errors_keeps_its_hidden_constant() {
    let stub = |item: TokenStream| {
        let options = quote!(crate = ::my::tent);
        declare(Kind::Query, options, item).to_string()
    };
    let text = stub(quote!(
        #[cfg(x)]
        pub fn find() {}
    ));
    let expected = quote! {
        #[cfg(x)]
        #[doc(hidden)]
        pub const __tent_function_find: &::my::tent::__private::Declaration = ::my::tent::__private::STUB;
    };
    assert!(text.ends_with(&expected.to_string()), "{text}");
    let text = stub(quote!(
        fn find(&self) {}
    ));
    assert!(!text.contains("__tent_function_find"), "{text}");
}

/// The tokens without one of them, at any depth, and all their prefixes: what an author may have typed so far.
fn halves(tokens: &TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut halves = Vec::new();
    for at in 0..tokens.len() {
        let with = |token: Option<TokenTree>| -> TokenStream {
            let (before, after) = (
                tokens[..at].iter().cloned(),
                tokens[at + 1..].iter().cloned(),
            );
            before.chain(token).chain(after).collect()
        };
        halves.push(with(None));
        halves.push(tokens[..at].iter().cloned().collect());
        if let TokenTree::Group(group) = &tokens[at] {
            for half in self::halves(&group.stream()) {
                let group = proc_macro2::Group::new(group.delimiter(), half);
                halves.push(with(Some(group.into())));
            }
        }
    }
    halves
}

#[test]
fn no_part_of_a_declaration_makes_the_macro_panic_or_drop_the_item() {
    let options = quote! {
        about = "A", access = ["role:staff", a::b], offer = ["mcp"], danger = "ask", timeout = "5s",
        limit = "10/min", api = false, needs = ["sampling"], crate = ::tent
    };
    let item = quote! {
        #[doc = "A"] #[cfg(x)] pub(in a::b) async unsafe extern "C" fn f<'a, T>(
            &'a mut self,
            cx: &Cx,
            (a, b): (u8, u8),
            #[arg(min = -1, default = a(b, c), header = "A")] #[cfg(y)] mut d: Vec<&'a str>,
            #[input(schema = x())] all: impl Fn(u8) -> u8,
        ) -> Result<(), E> where T: Copy { body }
    };
    for half in halves(&options) {
        let tokens = declare(Kind::Change, half, tokens("fn f() {}"));
        assert!(tokens.to_string().starts_with("fn f () { }"), "{tokens}");
    }
    for half in halves(&item) {
        let body = half.to_string().ends_with("{ body }");
        let tokens = declare(Kind::Change, options.clone(), half);
        assert!(!body || tokens.to_string().contains("{ body }"), "{tokens}");
        assert!(!errors(tokens).is_empty());
    }
}

/// The codes that a macro decides without the compiler, whatever the toolchain (K7-22).
#[test]
fn each_mistake_is_reported_once_with_its_own_code() {
    let long = format!(
        r#"T1014 access = "anyone", about = "A", offer = "mcp" => fn {}() {{}}"#,
        "x".repeat(65)
    );
    for case in [
        r#"T1009 access = "anyone", about = "A", offer = "mcp" => fn call_function() {}"#,
        &long,
        r#"T1015 access = "anyone", about = "A", offer = "mcp" => fn größe() {}"#,
        r#"T1015 access = "anyone", name = "a b" => fn f() {}"#,
        r#"T7001 about = "A" => fn f() {}"#,
        r#"T7002 access = "signdIn" => fn f() {}"#,
        r#"T7003 access = "anyone", about = "A", offer = "mpc" => fn f() {}"#,
        r#"T7005 access = "anyone" => fn f<T>() {}"#,
        r#"T7005 access = "anyone" => fn f() -> ! {}"#,
        r#"T7005 access = "anyone" => fn f(a: Vec<impl T>) {}"#,
        r#"T7005 access = "anyone" => fn f(_: u8) {}"#,
        r#"T7005 access = "anyone" => fn f(first: u8, ...) {}"#,
        r#"T7006 access = "anyone" => fn f(a: &mut u8) {}"#,
        r#"T7006 access = "anyone" => fn f(a: Option<&str>) {}"#,
        r##"T7007 access = "anyone" => fn f(#[arg(header = "a b")] a: u8) {}"##,
        r#"T7008 access = "signedIn", danger = "ask" => fn f() {}"#,
        r#"T7009 access = "anyone", offer = "mcp" => fn f() {}"#,
        r##"T7010 access = "anyone" => fn f(#[input] a: A, b: B) {}"##,
        r#"T7014 access = "anyone", abuot = "A" => fn f() {}"#,
        r##"T7014 access = "anyone" => fn f(#[arg(mni = 1)] a: u8) {}"##,
        r#"T7015 access = "anyone", about = ABOUT => fn f() {}"#,
        r##"T7016 access = "anyone" => fn f(#[arg(rename = "a b")] a: u8) {}"##,
    ] {
        let (code, declared) = case.split_once(' ').expect("a code");
        let (options, item) = declared.split_once(" => ").expect("an item");
        let found = errors(declare(Kind::Query, tokens(options), tokens(item)));
        assert_eq!(found.len(), 1, "{case}: {found:#?}");
        assert!(found[0].starts_with(code), "{case}: {found:#?}");
    }
}

/// Every name that is not the author's begins with `tent` or `__tent`, or is in a path from there.
#[test]
fn generated_code_uses_no_bare_names() {
    let tokens = declare(
        Kind::Query,
        quote!(access = rule, timeout = "1s", limit = "1/s"),
        quote!(
            async fn f(cx: &Cx, #[arg(default = 1, header = "A")] a: A) -> R {}
        ),
    );
    let text = tokens.to_string();
    for bare in [
        "std",
        "core",
        "serde",
        "serde_json",
        "schemars",
        "tokio",
        "inventory",
    ] {
        for (at, _) in text.match_indices(bare) {
            let before = text[..at].trim_end();
            let alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let path = before.ends_with("__private ::");
            assert!(!alone || path, "{bare} in {text}");
        }
    }
    for prelude in [
        "Some", "None", "Ok", "Err", "Option", "Result", "Vec", "Box", "String",
    ] {
        for (at, _) in text.match_indices(&format!(" {prelude} ")) {
            assert!(text[..at].ends_with("__private ::"), "{prelude} in {text}");
        }
    }
}
