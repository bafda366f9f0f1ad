//! `functions!` takes paths of every kind, and is a constant.

macro_rules! declared {
    ($name:ident, $declared:ident) => {
        pub fn $name() {}

        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        pub const $declared: &tent::__private::Declaration = {
            use tent::__private::{
                Access, Answer, Body, Declaration, Input, Kind, Location, Output,
            };
            static DECLARATION: Declaration = Declaration::new(
                Kind::Query,
                stringify!($name),
                Location { module: module_path!(), file: file!(), line: line!() },
                Access::Anyone,
                Input::Fields(&[]),
                Output::Nothing,
                Vec::new,
                Body::Sync(|_, _| Ok(Answer::default())),
            );
            &DECLARATION
        };
    };
}

declared!(one, __tent_function_one);
declared!(r#match, __tent_function_match);
mod below {
    pub(crate) mod further {
        declared!(two, __tent_function_two);
    }
}

const ALL: &[&tent::__private::Declaration] =
    tent::functions![one, r#match, below::further::two, crate::one,];
static NONE: &[&tent::__private::Declaration] = tent::functions![];

fn main() {
    let names: Vec<&str> = ALL.iter().map(|one| one.name).collect();
    assert_eq!(names, ["one", "r#match", "two", "one"]);
    assert!(NONE.is_empty());
    one();
    r#match();
    below::further::two();
}
