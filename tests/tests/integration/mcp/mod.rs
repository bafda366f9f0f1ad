//! `/mcp` as clients see it: a message in, a message out, through the router of a whole app.
//!
//! Each test builds its own app, whose state records what ran. The tests name no private type of tent.

mod about;
mod app;
mod batches;
mod bounded_outputs;
mod bounds;
mod cancellation;
mod client;
mod client_requests;
mod connection;
mod custom_methods;
mod deadlines;
mod envelope;
pub(crate) mod events;
mod extensions;
mod functions;
mod headers;
mod icons;
mod idempotency;
mod input_requests;
mod legacy;
mod lists;
mod meta;
mod meta_served;
mod methods;
mod modern;
mod mrtr;
mod prompts;
mod resources;
mod response_streams;
mod results;
mod revisions;
mod subscriptions;
mod transport;
mod unstructured;
