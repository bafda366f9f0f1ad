//! The macros of tent.
