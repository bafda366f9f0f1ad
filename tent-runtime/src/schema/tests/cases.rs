use crate::schema::*;
#[test]
fn tmp() {
    #[derive(schemars::JsonSchema)]
    struct E {}
    let s = InputSchema::of_type(|g| g.subschema_for::<E>()).unwrap();
    println!("{}", s.published());
}
