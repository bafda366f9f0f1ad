//! The orders app as a program, with its own port and store, called as its users call it.
//!
//! `tests/clients/cases.json` holds the calls and the expected results. The tests with the official
//! TypeScript and Python clients read it too. Here `rmcp` makes the calls in both eras of MCP, and plain HTTP does.

mod api;
mod cases;
mod command_line;
mod connections;
mod listed;
mod mcp;
mod server;
mod wire;
