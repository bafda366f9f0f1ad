//! tent from outside, in one process: whole requests through the router that an app serves.

mod about;
mod api;
mod app;
mod blocking;
mod bodies;
mod dispatch;
mod failures;
mod gone;
mod log;
mod mcp;
mod locked_store;
mod metadata;
mod mounted;
mod nested_calls;
mod rules;
mod runtime_functions;
mod sealed_off;
mod start;
mod support;
mod wire;
