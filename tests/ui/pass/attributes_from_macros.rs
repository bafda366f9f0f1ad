//! Attributes that a `macro_rules!` passes on to a function, its parameters and a type.
// P12

#![deny(warnings)]

use tent::prelude::*;

macro_rules! passed_on {
    ($(#[$attribute:meta])* fn $name:ident($($(#[$on_parameter:meta])* $parameter:ident: $kind:ty),*)) => {
        #[query(access = "anyone", offer = "mcp")]
        $(#[$attribute])*
        fn $name($($(#[$on_parameter])* $parameter: $kind),*) -> u32 {
            let _ = ($($parameter,)*);
            1
        }
    };
}

passed_on! {
    /// Counts.
    fn count(
        /// The first.
        #[arg(min = 1)]
        a: u32,
        #[doc = concat!("The ", "second.")]
        #[arg(default = 5, rename = "second")]
        b: u32
    )
}

macro_rules! typed {
    ($(#[$attribute:meta])* $name:ident { $($(#[$on_field:meta])* $field:ident: $kind:ty),* }) => {
        #[data]
        $(#[$attribute])*
        struct $name {
            $($(#[$on_field])* $field: $kind),*
        }
    };
}

typed! {
    /// A line.
    #[deprecated]
    #[serde(rename_all = "camelCase")]
    Line {
        /// The number.
        #[tent(secret)]
        #[serde(default)]
        the_number: u32
    }
}

fn main() {
    let [count] = tent::functions![count] else { panic!() };
    assert_eq!(count.about, "Counts.");
    let tent_runtime::__private::Input::Fields(fields) = count.input else { panic!() };
    let fields: Vec<_> = fields.iter().map(|field| (field.name, field.about)).collect();
    assert_eq!(fields, [("a", "The first."), ("second", "The second.")]);
    #[allow(deprecated)]
    let line = Line { the_number: 1 };
    #[allow(deprecated)]
    let number = line.the_number;
    assert_eq!(tent::serde_json::to_string(&line).unwrap(), format!(r#"{{"theNumber":{number}}}"#));
}
