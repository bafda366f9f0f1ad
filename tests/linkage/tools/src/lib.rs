//! Declares functions in several modules, so that they come to lie in several object files, and is good
//! for nothing else: no program has a reason to name anything of it.

#![forbid(unsafe_code)]

/// A function that gives nothing, declared as an attribute would.
macro_rules! declare {
    ($name:ident) => {
        #[doc = concat!("The function ", stringify!($name), ".")]
        pub fn $name() {}

        const _: () = {
            use tent::__private::{
                Access, Answer, Body, Declaration, Entry, Input, Kind, Location, Output, inventory,
            };
            static DECLARATION: Declaration = Declaration::new(
                Kind::Query,
                stringify!($name),
                Location {
                    module: module_path!(),
                    file: file!(),
                    line: line!(),
                },
                Access::Anyone,
                Input::Fields(&[]),
                Output::Nothing,
                Vec::new,
                Body::Sync(|_, _| {
                    $name();
                    Ok(Answer::default())
                }),
            );
            inventory::submit! { Entry(&DECLARATION) }
        };
    };
}

declare!(at_the_root);

/// A module beside.
pub mod beside {
    declare!(in_a_module);

    /// A module below.
    pub mod below {
        declare!(further_down);
    }
}

mod kept {
    declare!(in_a_private_module);
}
