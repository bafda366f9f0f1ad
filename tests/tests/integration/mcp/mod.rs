//! `/mcp` as clients see it: a message in, a message out, through the router of a whole app.
//!
//! Each test builds its own app, whose state records what ran. The tests name no private type of tent.

mod about;
mod app;
mod batches;
mod envelope;
mod functions;
mod headers;
mod legacy;
mod modern;
mod results;
mod revisions;
mod transport;
