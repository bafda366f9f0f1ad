//! The id of a message that cannot be read: whoever sent it waits for an answer by that id.
//!
//! Looks at the members of the message itself alone, and is no reader: what it finds names the request that is
//! refused, and decides nothing else. It keeps no more than a key and an id, however long the message is.

use serde::de::IgnoredAny;

use crate::mcp::protocol::message::{MOST_ID, is_id};

/// The id of this message.
pub(crate) fn id(message: &[u8]) -> Option<String> {
    let mut salvage = Salvage::default();
    salvage.read(message);
    salvage.id()
}

/// What was found in a message that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    at: Endpoint,
    /// How many lists and objects are open within the value.
    depth: usize,
    in_text: bool,
    /// Whether the character before was a backslash that counts.
    escaped: bool,
    /// The key, or the value of the id, as it came.
    text: Vec<u8>,
    member: Member,
    /// The id, as it came, where it is one; `None` inside where it is none or stands twice.
    id: Option<Option<String>>,
    /// Whether it names a method.
    asks: bool,
    /// Whether it has a result or an error.
    answers: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Endpoint {
    /// Before the object.
    #[default]
    Start,
    /// Between members.
    Between,
    RequestKey,
    Colon,
    Value,
    /// Past what can be told.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Member {
    Id,
    #[default]
    Other,
}

impl Salvage {
    /// Takes the next part of the message.
    pub(crate) fn read(&mut self, part: &[u8]) {
        for &byte in part {
            self.byte(byte);
            if self.at == Endpoint::End {
                return;
            }
        }
    }

    /// The id to answer by. None is told of an answer: by its id the other end would take what it is sent for
    /// the answer to a request of its own.
    pub(crate) fn id(mut self) -> Option<String> {
        // A text that is closed is whole, where more of a number could have followed.
        if self.at == Endpoint::Value
            && self.text.trim_ascii_start().starts_with(b"\"")
            && !self.in_text
        {
            self.end_value();
        }
        self.id.flatten().filter(|_| self.asks || !self.answers)
    }

    fn byte(&mut self, byte: u8) {
        let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        match (self.at, byte) {
            (Endpoint::Start | Endpoint::Between | Endpoint::Colon, _) if is_space => {}
            (Endpoint::Start, b'{') | (Endpoint::Between, b',') => self.at = Endpoint::Between,
            (Endpoint::Between, b'"') => {
                self.text.clear();
                self.keep(byte);
                self.at = Endpoint::RequestKey;
            }
            (Endpoint::RequestKey, _) => {
                self.keep(byte);
                if self.ends_text(byte) {
                    self.end_key();
                }
            }
            (Endpoint::Colon, b':') => {
                (self.depth, self.in_text) = (0, false);
                self.at = Endpoint::Value;
            }
            (Endpoint::Value, _) => self.value(byte),
            _ => self.at = Endpoint::End,
        }
    }

    fn value(&mut self, byte: u8) {
        if self.in_text {
            self.in_text = !self.ends_text(byte);
        } else {
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b',' | b'}' | b']' if self.depth == 0 => {
                    self.end_value();
                    self.at = match byte {
                        b',' => Endpoint::Between,
                        _ => Endpoint::End,
                    };
                    return;
                }
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
        }
        if self.member == Member::Id {
            self.keep(byte);
        }
    }

    /// Whether this character of a text ends it.
    fn ends_text(&mut self, byte: u8) -> bool {
        let escaped = std::mem::replace(&mut self.escaped, false);
        match byte {
            b'\\' if !escaped => {
                self.escaped = true;
                false
            }
            b'"' => !escaped,
            _ => false,
        }
    }

    fn keep(&mut self, byte: u8) {
        // One more than is looked at tells that it is too long.
        if self.text.len() <= MOST_ID {
            self.text.push(byte);
        }
    }

    fn end_key(&mut self) {
        let key: Option<String> = serde_json::from_slice(&self.text).ok();
        self.text.clear();
        self.member = Member::Other;
        match key.as_deref() {
            Some("id") => self.member = Member::Id,
            Some("method") => self.asks = true,
            Some("result" | "error") => self.answers = true,
            _ => {}
        }
        self.at = Endpoint::Colon;
    }

    fn end_value(&mut self) {
        if self.member != Member::Id {
            return;
        }
        let text = std::str::from_utf8(&self.text).ok().map(str::trim_ascii);
        let text =
            text.filter(|text| serde_json::from_str::<IgnoredAny>(text).is_ok() && is_id(text));
        self.id = match self.id {
            None => Some(text.map(str::to_owned)),
            Some(_) => Some(None),
        };
        self.member = Member::Other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_stands_and_whatever_is_wrong_beside_it() {
        let deep = "[".repeat(100_000);
        let deep = format!(r#"{{"method":"m","params":{deep},"id":1}}"#);
        for (text, id) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}}"#,
                "1",
            ),
            (
                r#"{"method":"m","params":{"id":2,"a":[{"id":3}]},"jsonrpc":"2.0","id":-1}"#,
                "-1",
            ),
            (
                r#" {"params":{"t":"}\",\"id\":5,\\"},"id" : "a\"b" ,"method":"m"}"#,
                r#""a\"b""#,
            ),
            (r#"{"\u0069d":"x","a":1,"a":2}"#, r#""x""#),
            (r#"{"id":7,"method":"m","params":{"a":"#, "7"),
            (r#"{"id":7,"meth"#, "7"),
            (r#"{"id":"7""#, r#""7""#),
            (r#"{"id":1,"method":"m","result":{}}"#, "1"),
            (r#"{"id":1} {}"#, "1"),
            (r#"{"id":1,"x":tru,"method":nul}"#, "1"),
        ] {
            assert_eq!(super::id(text.as_bytes()).as_deref(), Some(id), "{text}");
        }
        assert_eq!(
            super::id(deep.as_bytes()),
            None,
            "what is never closed has no id after it"
        );
        let deep = deep.replace(",\"id\"", &format!("{},\"id\"", "]".repeat(100_000)));
        assert_eq!(super::id(deep.as_bytes()).as_deref(), Some("1"));
        let not_text = b"{\"id\":4,\"method\":\"m\xff\"}";
        assert_eq!(super::id(not_text).as_deref(), Some("4"));
    }

    #[test]
    fn none_is_told_that_is_none_stands_twice_or_is_of_an_answer() {
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(MOST_ID));
        for text in [
            "",
            "7",
            "nul",
            r#""id":1"#,
            r#"[{"id":1}]"#,
            "{}",
            r#"{"params":{"id":1}}"#,
            r#"{"id":1,"id":1,"method":"m"}"#,
            r#"{"id":1,"\u0069d":2,"method":"m"}"#,
            r#"{"id":null,"id":2,"method":"m"}"#,
            r#"{"id":1.0,"a":1}"#,
            r#"{"id":1e3}"#,
            r#"{"id":-}"#,
            r#"{"id":}"#,
            r#"{"id":007}"#,
            r#"{"id":null}"#,
            r#"{"id":[1]}"#,
            r#"{"id":{"id":1}}"#,
            r#"{"id":"\q"}"#,
            r#"{"id":12"#,
            r#"{"id":"12"#,
            r#"{"id" 1}"#,
            r#"{"id":1,"result":{"a":1,"a":2}}"#,
            r#"{"result":{"a":1,"a":2},"id":1}"#,
            r#"{"id":1,"error":{}}"#,
            &long,
        ] {
            assert_eq!(super::id(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn it_makes_no_difference_in_which_parts_a_message_comes() {
        let text =
            r#"{"method":"m","params":{"a":"\\\"]","b":[1,{}]},"jsonrpc":"2.0","id":"a\"b"}"#;
        for at in 0..text.len() {
            let (first, second) = text.as_bytes().split_at(at);
            let mut salvage = Salvage::default();
            salvage.read(first);
            salvage.read(second);
            assert_eq!(salvage.id().as_deref(), Some(r#""a\"b""#), "{at}");
        }
    }
}
