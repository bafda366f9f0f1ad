//! The endpoint as clients meet it: raw requests in, whole answers compared. Tests of a reported failure are
//! named after its case.

mod app;
mod answers;
mod asking;
mod cancelled;
mod claims;
mod deadlines;
mod dispatch;
mod extensions;
mod functions;
mod kept;
mod line;
mod lines;
mod limits;
mod questions;
mod readers;
mod requests;
mod resources;
mod rounds;
mod served;
mod streams;
mod talk;
