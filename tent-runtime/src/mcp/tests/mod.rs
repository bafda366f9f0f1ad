//! The endpoint as clients meet it: raw requests in, whole answers compared. Tests of a reported failure are
//! named after its case.

mod app;
mod asking;
mod cancelled;
mod door;
mod batches;
mod envelope;
mod functions;
mod headers;
mod kept;
mod legacy;
mod lines;
mod lists;
mod meta;
mod meta_served;
mod modern;
mod prompts;
mod questions;
mod resources;
mod results;
mod rounds;
mod served;
mod streams;
mod transport;
