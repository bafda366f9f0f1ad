//! The tables of options: each attribute has one, and each option is one line of it with its name and type.
//!
//! To add an option, add a line here and its rule in `model`. Every option is optional for the reader; which
//! ones are required, and what their defaults are, is for `model` and for the declarations of the runtime.

use darling::FromMeta;
use syn::{Expr, LitStr};
use tent_core::rate::Rate;

use super::value::{Bare, CratePath, FunctionPath, Number, Spanned};
use super::values::{
    Adds, Ask, Capabilities, HeaderName, MediaType, Method, Offer, Page, PropertyName, Scope,
    Timeout,
};
use super::{Access, Table};
use crate::failure::values::{FailureCode, FailureName, Status};

/// Declares tables. `..shared: Shared` takes over the options of another table, and `as "name"` is for a name
/// that is not an identifier.
macro_rules! tables {
    ($(
        $(#[$attribute:meta])*
        $table:ident, $example:literal {
            $(..$shared:ident: $shared_table:ident,)?
            $($(#[$doc:meta])* $option:ident $(as $name:literal)?: $type:ty,)*
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Default, FromMeta)]
        pub(crate) struct $table {
            $(#[darling(flatten)] pub(crate) $shared: $shared_table,)?
            $($(#[$doc])* $(#[darling(rename = $name)])? pub(crate) $option: Option<Spanned<$type>>,)*
        }

        impl Table for $table {
            const EXAMPLE: &'static str = $example;

            fn names() -> Vec<&'static str> {
                let mut names: Vec<&'static str> = vec![$(tables!(@name $option $($name)?)),*];
                $(names.extend($shared_table::names());)?
                names.sort_unstable();
                names
            }
        }
    )*};
    (@name $option:ident) => { stringify!($option) };
    (@name $option:ident $name:literal) => { $name };
}

tables! {
    /// The options that `#[query]`, `#[change]`, `#[action]`, `#[resource]` and `#[prompt]` share.
    CommonOptions, "about = \"Finds an order\"" {
        about: String,
        access: Access,
        blocking: bool,
        krate as "crate": CratePath,
        icons: Expr,
        limit: Rate,
        meta: Expr,
        name: String,
        needs: Capabilities,
        scope: Scope,
        timeout: Timeout,
        title: String,
    }

    /// The options of `#[query]`, `#[change]` and `#[action]`.
    FunctionOptions, "about = \"Finds an order\"" {
        ..common: CommonOptions,
        api: bool,
        asks: Page,
        changes: bool,
        danger: Ask,
        idempotent: bool,
        offer: Offer,
        on: Method,
        retry: bool,
        sends: bool,
        structured: bool,
        writes: Adds,
    }

    /// The options of `#[resource]`.
    ResourceOptions, "uri = \"orders://{id}\"" {
        ..common: CommonOptions,
        annotations: Expr,
        list: FunctionPath,
        media_type: MediaType,
        size: Expr,
        subscribe: bool,
        uri: String,
    }

    /// The options of `#[prompt]`.
    PromptOptions, "about = \"Finds an order\"" {
        ..common: CommonOptions,
    }

    /// The options of `#[arg]` on a parameter.
    ArgOptions, "#[arg(min = 1)]" {
        complete: FunctionPath,
        default: Expr,
        example: Expr,
        header: HeaderName,
        max: Number,
        max_len: u64,
        min: Number,
        min_len: u64,
        pattern: String,
        rename: PropertyName,
        secret: bool,
        title: String,
    }

    /// The options of `#[input]` on a parameter.
    InputOptions, "#[input(schema = my_schema())]" {
        schema: Expr,
    }

    /// The options of `#[data]` on a type.
    DataOptions, "#[data(crate = ::my_app::tent)]" {
        krate as "crate": CratePath,
    }

    /// The options of `#[tent]` on a field of a `#[data]` type.
    DataFieldOptions, "#[tent(secret)]" {
        secret: Bare,
    }

    /// The options of `#[state]` on a type that derives `State`.
    StateOptions, "#[state(crate = ::my_app::tent)]" {
        krate as "crate": CratePath,
    }

    /// The options of `#[failure]` on a variant.
    FailureOptions, "#[failure(code = \"A0001\", status = 409, message = \"The shop is closed\")]" {
        code: FailureCode,
        fix: LitStr,
        message: LitStr,
        name: FailureName,
        status: Status,
        transparent: Bare,
    }

    /// The options of `#[failure]` on a struct.
    FailureStructOptions, "#[failure(code = \"A0001\", status = 409, message = \"The shop is closed\")]" {
        ..failure: FailureOptions,
        krate as "crate": CratePath,
    }

    /// The options of `#[failure]` on an enum.
    FailureEnumOptions, "#[failure(crate = ::my_app::tent)]" {
        krate as "crate": CratePath,
    }

    /// The options of `#[failure]` on a field.
    FailureFieldOptions, "#[failure(hidden)]" {
        content: Bare,
        hidden: Bare,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_table_include_shared_and_renamed_options() {
        let names = ResourceOptions::names();
        assert!(names.is_sorted());
        for name in ["about", "crate", "uri"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"krate") && !names.contains(&"danger"));
    }

    #[test]
    fn each_option_has_an_example_that_its_table_accepts() {
        fn check<T: Table>() {
            for name in T::names() {
                let example = super::super::examples::example(name);
                let option: syn::Meta = syn::parse_str(&example).expect(&example);
                let option = darling::ast::NestedMeta::Meta(option);
                let read = T::from_list(&[option]).map(drop);
                assert!(read.is_ok(), "{example}: {read:?}");
            }
        }
        check::<FunctionOptions>();
        check::<ResourceOptions>();
        check::<PromptOptions>();
        check::<ArgOptions>();
        check::<InputOptions>();
        check::<DataFieldOptions>();
        check::<StateOptions>();
        check::<FailureStructOptions>();
        check::<FailureFieldOptions>();
    }
}
