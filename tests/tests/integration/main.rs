//! tent as its users see it: whole requests through the router of an app, and whole programs.

mod about;
mod api;
mod app;
#[cfg(target_os = "linux")]
mod attacks;
mod blocking;
mod bodies;
mod cli;
mod declarations;
mod dispatch;
mod documents;
#[cfg(unix)]
mod ends;
mod errors;
mod failures;
mod gone;
mod in_a_runtime;
mod killed;
mod limits;
mod log;
mod mcp;
mod locked_store;
mod lost_store;
mod metadata;
mod mounted;
mod nested_calls;
mod numbers;
mod panicking_errors;
mod patterns;
mod rules;
mod runtime_functions;
mod sealed_off;
mod shop;
mod start;
mod support;
mod threads;
mod values;
mod wire;
