//! Tests of the whole: each case of schemas, the goldens of what is published, and the agreement of
//! what is published with what is enforced.

mod cases;
