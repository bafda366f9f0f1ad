//! The endpoint as clients meet it: raw requests in, whole answers compared. Tests of a reported failure are
//! named after its case.

mod app;
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
mod modern;
mod prompts;
mod resources;
mod results;
mod served;
mod streams;
mod subscribed;
mod transport;
