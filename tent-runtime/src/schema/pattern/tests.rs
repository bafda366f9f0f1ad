use super::*;

#[test]
fn classes_are_those_of_ecmascript() {
    let digits = compile(r"^\d+$").expect("a pattern");
    assert!(digits.is_match("12") && !digits.is_match("١٢"));
    let words = compile(r"^[\w-]+$").expect("a pattern");
    assert!(words.is_match("a-b_1") && !words.is_match("größe"));
    let others = compile(r"^[\D]+$").expect("a pattern");
    assert!(others.is_match("ab") && !others.is_match("a1"));
    assert!(compile("(?=a)").is_err() && compile("(").is_err());
}
