//! Stand-in of the store, replaced at the merge.
use crate::clock::{Clock, Time};
use crate::error::Result;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

pub trait Store: Send + Sync {}

#[derive(Default)]
pub struct Memory;
impl Store for Memory {}

pub struct EndedSessions(Mutex<HashSet<Vec<u8>>>);
impl EndedSessions {
    pub fn new(_: Arc<dyn Store>, _: Arc<dyn Clock>) -> Self {
        EndedSessions(Mutex::default())
    }
    pub async fn end(&self, nonce: &[u8], _: Time) -> Result<()> {
        self.0.lock().expect("stand-in").insert(nonce.to_owned());
        Ok(())
    }
    pub async fn is_ended(&self, nonce: &[u8]) -> Result<bool> {
        Ok(self.0.lock().expect("stand-in").contains(nonce))
    }
}
