//! `/mcp` as clients see it: a message in, a message out, through the router of a whole app.
//!
//! Each test builds its own app, whose state records what ran. The tests name no private type of tent.

mod about;
mod app;
mod batches;
mod bounds;
mod envelope;
mod functions;
mod headers;
mod icons;
mod legacy;
mod lists;
mod meta;
mod meta_served;
mod methods;
mod modern;
mod prompts;
mod resources;
mod results;
mod revisions;
mod transport;
