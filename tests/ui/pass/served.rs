//! Resources and prompts with nothing in scope, in a module that denies what it can.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub)]

mod hostile {
    //! Names that generated code must not meet.
    #![allow(dead_code, non_camel_case_types)]
    pub(crate) struct String;
    pub(crate) struct Vec;
    pub(crate) struct Result;
    pub(crate) struct Option;

    /// A resource.
    #[tent::resource(uri = "a://{id}/{+rest}", access = "anyone", list = list, subscribe)]
    pub(crate) async fn read(#[arg(complete = complete)] id: u8, rest: ::std::string::String) -> ::std::string::String {
        let _ = id;
        rest
    }

    fn list(_: &tent::Cx) -> ::std::vec::Vec<tent::ResourceInfo> {
        ::std::vec![]
    }

    async fn complete(
        _: &tent::Cx,
        typed: ::std::string::String,
        _: tent::Map,
    ) -> tent::Result<::std::vec::Vec<::std::string::String>> {
        Ok(::std::vec![typed])
    }

    /// A prompt.
    #[tent::prompt(access = "anyone")]
    pub(crate) fn ask(#[cfg(any())] #[arg(complete = gone)] gone: u8, #[arg(complete = complete)] who: ::std::string::String) -> tent::PromptMessage {
        tent::PromptMessage::user(who)
    }
}

macro_rules! made {
    ($name:ident, $uri:literal, $list:path) => {
        /// Made by a macro.
        #[tent::resource(uri = $uri, access = "anyone", list = $list)]
        fn $name(id: u8) -> u8 {
            id
        }
    };
}

fn all(_: &tent::Cx) -> tent::Result<Vec<tent::ResourceInfo>> {
    Ok(Vec::new())
}

made!(made_order, "made://{id}", all);

fn main() {
    let _ = (hostile::read, hostile::ask, made_order);
    assert_eq!(tent::functions![hostile::read, hostile::ask].len(), 2);
}
