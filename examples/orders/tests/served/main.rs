//! The orders app as a program: started on a port and a store of its own, and called as people call it.
//!
//! What is called and what must come back stands in `tests/clients/cases.json`, which the tests with the official
//! TypeScript and Python clients read too. Here it is read by `rmcp`, in both eras of MCP, and over HTTP.

mod api;
mod cases;
mod command_line;
mod connections;
mod listed;
mod mcp;
mod server;
mod wire;
