use super::*;

// P03
#[test]
fn each_construct_that_javascript_does_not_have_is_named_with_its_replacement() {
    for (pattern, construct, fix) in [
        ("(?i)a", "(?i)", "`[Aa]`"),
        ("(?i:a)", "(?i:", "`[Aa]`"),
        ("(?x) a # b", "(?x)", "without spaces and comments"),
        ("(?s).", "(?s)", r"`[\s\S]`"),
        ("(?m)^a$", "(?m)", r"`(?:^|\n)`"),
        ("(?U)a*", "(?U)", "`*?`"),
        ("(?R)$", "(?R)", r"`\r?\n`"),
        (r"(?-u:\d)", "(?-u:", "remove it"),
        ("(?P<n>a)", "(?P<n>", "`(?<n>`"),
        ("(?P=n)", "(?P=n)", r"`\k<n>`"),
        ("(?#note)a", "(?#", "remove the comment"),
        ("(?>a)", "(?>", "`(?:`"),
        ("(?'n'a)", "(?", "`(?<name>…)`"),
        ("(?<n-m>a)", "(?<n-m>", "ASCII letters"),
        ("(?<n>a)(?<n>b)", "(?<n>", "rename one"),
        (r"\Aa", r"\A", "`^`"),
        (r"a\z", r"\z", "`$`"),
        (r"a\Z", r"\Z", "`$`"),
        (r"a\@b", r"\@", "`@`"),
        (r"\#", r"\#", "`#`"),
        (r"a\-b", r"\-", "`-`"),
        (r#"\""#, r#"\""#, r#"`"`"#),
        (r"\'", r"\'", "`'`"),
        (r"\_", r"\_", "`_`"),
        (r"\ ", r"\ ", "` `"),
        (r"\&\~", r"\&", "`&`"),
        (r"[\&]", r"\&", "`&`"),
        (r"[\@]", r"\@", "`@`"),
        (r"\<a", r"\<", r"`\b`"),
        (r"a\>", r"\>", r"`\b`"),
        (r"\b{start}a", r"\b{start}", r"`\b`"),
        (r"\a", r"\a", r"`\x07`"),
        (r"\e", r"\e", r"`\x1B`"),
        (r"\h", r"\h", r"`[\t ]`"),
        (r"\Qa\E", r"\Q", "backslash"),
        (r"\x{41}", r"\x{41}", r"`\u{41}`"),
        (r"\U0001F600", r"\U", r"`\u{…}`"),
        (r"\uD83D", r"\uD83D", r"`\u{1F600}`"),
        (r"\u{110000}", r"\u110000", r"`\u{1F600}`"),
        (r"\012", r"\012", r"`\x0A`"),
        (r"[\1]", r"\1", r"`\x01`"),
        (r"\c1", r"\c", r"`\x`"),
        (r"\pL", r"\pL", r"`\p{L}`"),
        (r"[\PN]", r"\PN", r"`\P{N}`"),
        (r"\p{greek}", r"\p{greek}", r"`\p{Script=Greek}`"),
        (r"\p{Greek}", r"\p{Greek}", r"`\p{Script=Greek}`"),
        (r"\p{letter}", r"\p{letter}", r"`\p{Letter}`"),
        (r"\p{sc:Greek}", r"\p{sc:Greek}", r"`\p{Script=Greek}`"),
        (r"\p{^L}", r"\p{^L}", r"`\P{L}`"),
        (r"\p{Foo}", r"\p{Foo}", "for example"),
        ("[[:alpha:]]", "[:alpha:]", "`A-Za-z`"),
        ("[[:^digit:]]", "[:^digit:]", r"`\d`"),
        ("[[a-z]x]", "]", "without classes inside"),
        ("[a&&b]", "&&", "`&` once"),
        ("[a--b]", "--", r"`\-`"),
        ("[a~~b]", "~~", "`~` once"),
        ("[]a]", "[]", r"`\]`"),
        ("[^]a]", "[^]", r"`[\s\S]`"),
        (r"[\w-a]", r"\w-a", r"`\-`"),
        ("[z-a]", "z-a", "swap"),
        ("[a", "[", "`]`"),
        ("a]", "]", r"`\]`"),
        ("a}", "}", r"`\}`"),
        ("a{", "{", r"`\{`"),
        ("a{b}", "{b}", r"`\{`"),
        ("a{,3}", "{,3}", "`{0,3}`"),
        ("a{ 2 }", "{ 2 }", "`{2}`"),
        ("a{3,2}", "{3,2}", "`{2,3}`"),
        ("a++", "+", "`(?:…)`"),
        ("a{2}{3}", "{3}", "`(?:…)`"),
        ("a??+", "+", "`(?:…)`"),
        ("*a", "*", r"`\*`"),
        ("a|*", "*", r"`\*`"),
        ("(+a)", "+", r"`\+`"),
        ("^*", "*", "remove it"),
        (r"\b+", "+", "remove it"),
        ("(a", "(", r"`\(`"),
        ("a)", ")", r"`\)`"),
        (r"a\", r"\", r"`\\`"),
        ("(?=a)", "(?=", "feature `schema`"),
        ("(?<!a)b", "(?<!", "feature `schema`"),
        (r"(a)\1", r"\1", "feature `schema`"),
        (r"(?<n>a)\k<n>", r"\k<n>", "feature `schema`"),
    ] {
        let error = translate(pattern, Engine::Linear).expect_err(pattern);
        let problem = format!("`{construct}` ");
        assert!(error.problem.starts_with(&problem), "{pattern}: {error}");
        assert!(error.fix.contains(fix), "{pattern}: {error}");
    }
}

// P03
#[test]
fn look_around_and_references_are_for_the_engine_that_backtracks() {
    let translated = |pattern| translate(pattern, Engine::Backtracking);
    assert_eq!(
        translated(r"^(?!0)(?<n>\d)\k<n>\1(?<=.)$").expect("a pattern"),
        r"^(?!0)([0-9])(?:\1)(?:\1)(?<=[^\n\r\u{2028}\u{2029}])$"
    );
    for (pattern, construct) in [
        (r"(a)\2", r"`\2`"),
        (r"\k<n>", r"`\k<n>`"),
        ("(?=a)*", "`*`"),
        (r"(?!\A)", r"`\A`"),
    ] {
        let error = translated(pattern).expect_err(pattern);
        assert!(error.problem.starts_with(construct), "{pattern}: {error}");
    }
}

#[test]
fn no_text_makes_the_translation_panic() {
    let parts = [
        "(", "?", "<", "P", "[", "^", "]", "\\", "{", "}", ",", "-", "é", "u", "x", "p", "D8", "k",
        ":", "1", "😀",
    ];
    let mut seed = 7_usize;
    for _ in 0..50_000 {
        let mut pattern = String::new();
        for _ in 0..8 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            pattern.push_str(parts[(seed >> 33) % parts.len()]);
        }
        let _ = translate(&pattern, Engine::Linear);
        let _ = translate(&pattern, Engine::Backtracking);
    }
}
