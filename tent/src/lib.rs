//! tent.
