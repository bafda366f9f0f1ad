//! Stand-in until the envelope is merged.
use crate::door::Door;
use axum::body::Body;
use http::{Request, Response, StatusCode};
use std::sync::Arc;
#[derive(Debug)]
pub(crate) struct Mcp;
impl Mcp {
    pub(crate) fn new(_: Arc<Door>) -> Self {
        Mcp
    }
}
pub(crate) async fn serve(_: Arc<Mcp>, _: Request<Body>) -> Response<Body> {
    let mut r = Response::new(Body::empty());
    *r.status_mut() = StatusCode::NOT_FOUND;
    r
}
