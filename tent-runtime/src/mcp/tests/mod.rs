//! The endpoint as clients meet it: raw requests in, whole answers compared. Tests of a reported failure are
//! named after its case.

mod about;
mod app;
mod answers;
mod asking;
mod cancelled;
mod claims;
mod deadlines;
mod dispatch;
mod batches;
mod bounds;
mod envelope;
mod extensions;
mod functions;
mod headers;
mod icons;
mod kept;
mod legacy;
mod line;
mod lines;
mod lists;
mod meta;
mod meta_served;
mod modern;
mod prompts;
mod questions;
mod readers;
mod requests;
mod resources;
mod results;
mod rounds;
mod served;
mod streams;
mod talk;
mod transport;
