//! The endpoint as clients meet it: raw requests in, whole answers compared. Tests of a reported failure are
//! named after its case.

mod app;
mod answers;
mod asking;
mod cancelled;
mod claims;
mod deadlines;
mod dispatch;
mod bounds;
mod extensions;
mod functions;
mod icons;
mod kept;
mod line;
mod lines;
mod limits;
mod lists;
mod meta;
mod meta_served;
mod prompts;
mod questions;
mod readers;
mod requests;
mod resources;
mod rounds;
mod served;
mod streams;
mod talk;
