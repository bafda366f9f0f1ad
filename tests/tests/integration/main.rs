//! tent from outside, in one process: whole requests through the router that an app serves.

mod api;
mod app;
mod door;
mod mounted;
mod sealed_off;
mod support;
