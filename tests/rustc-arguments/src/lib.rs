//! Tells a test how Cargo compiled it, so that the test can compile more programs with the libraries that exist already.

use proc_macro::{Literal, TokenStream, TokenTree};

/// Expands to the arguments of the running compiler, as one text with an argument a line.
#[proc_macro]
pub fn rustc_arguments(_: TokenStream) -> TokenStream {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    TokenTree::from(Literal::string(&arguments.join("\n"))).into()
}
