//! Writes the receipt of an order as a mail (RFC 5322, with a text of RFC 2045) into the outbox.
//!
//! The name of a file is made from a number: text of a caller never becomes part of a path or of a mail header.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::private;
use crate::shop::{Order, Person};

/// Writes the receipt into `outbox` and returns the name of its file. `now` is the date of the mail in the format of RFC 5322.
///
/// An earlier receipt of the same order stays: the next one gets another number.
///
/// # Errors
/// The error of the file system. Then no file is left behind.
pub(crate) fn send(outbox: &Path, order: &Order, to: &Person, now: &str) -> io::Result<String> {
    private::folder(outbox)?;
    let (name, mut file) = new_file(outbox, order.id)?;
    let mail = mail(order, to, now, name.trim_end_matches(".eml"));
    let written = file
        .write_all(mail.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = std::fs::remove_file(outbox.join(&name));
    }
    written.map(|()| name)
}

/// Creates a new file. Two calls at once get two files.
fn new_file(outbox: &Path, id: u32) -> io::Result<(String, File)> {
    let mut again = 1u32;
    loop {
        let name = match again {
            1 => format!("receipt-{id}.eml"),
            again => format!("receipt-{id}-{again}.eml"),
        };
        match private::new_file(&outbox.join(&name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => again += 1,
            file => return Ok((name, file?)),
        }
    }
}

fn mail(order: &Order, to: &Person, now: &str, id: &str) -> String {
    let paid = if order.paid { "paid" } else { "to be paid" };
    let amount = format!("{}.{:02}", order.cents / 100, order.cents % 100);
    let text = format!(
        "Dear {name},\n\nthank you for your order.\n\nOrder {id}: {title}\nAmount: {amount}, {paid}\nPlaced: {placed}\n\nYour shop\n",
        name = to.name,
        id = order.id,
        title = order.title,
        placed = order.placed,
    );
    format!(
        "Date: {now}\r\n\
         From: The Shop <shop@example.com>\r\n\
         To: {to}\r\n\
         Subject: Receipt for order {number}\r\n\
         Message-ID: <{id}@shop.example.com>\r\n\
         MIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\
         \r\n\
         {text}",
        to = to.email,
        number = order.id,
        text = quoted_printable(&text),
    )
}

/// Encodes a text in lines of at most 76 characters, which every mail system passes on unchanged (RFC 2045, section 6.7).
fn quoted_printable(text: &str) -> String {
    const LONGEST: usize = 76;
    let mut lines = String::with_capacity(text.len());
    for line in text.replace("\r\n", "\n").split_inclusive('\n') {
        let ends = line.ends_with('\n');
        let line = line.strip_suffix('\n').unwrap_or(line);
        let mut width = 0;
        for (at, byte) in line.bytes().enumerate() {
            let last = at + 1 == line.len();
            let plain = match byte {
                b'=' => false,
                b' ' | b'\t' => !last,
                byte => byte.is_ascii_graphic(),
            };
            let (wide, coded) = if plain {
                (1, char::from(byte).to_string())
            } else {
                (3, format!("={byte:02X}"))
            };
            if width + wide > LONGEST - usize::from(!last) {
                lines.push_str("=\r\n");
                width = 0;
            }
            lines.push_str(&coded);
            width += wide;
        }
        if ends {
            lines.push_str("\r\n");
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(title: &str) -> Order {
        Order {
            id: 7,
            title: title.to_owned(),
            cents: 1205,
            paid: true,
            note: None,
            owner: "ada".to_owned(),
            placed: "2026-11-02T08:15:00Z".to_owned(),
        }
    }

    fn ada() -> Person {
        Person {
            id: "ada".to_owned(),
            name: "Ada".to_owned(),
            email: "ada@example.com".to_owned(),
            role: None,
        }
    }

    const NOW: &str = "Mon, 30 Nov 2026 10:00:00 +0000";

    #[test]
    fn a_receipt_is_a_whole_mail() {
        assert_eq!(
            mail(&order("Tea = für zwei"), &ada(), NOW, "receipt-7"),
            "Date: Mon, 30 Nov 2026 10:00:00 +0000\r\n\
             From: The Shop <shop@example.com>\r\n\
             To: ada@example.com\r\n\
             Subject: Receipt for order 7\r\n\
             Message-ID: <receipt-7@shop.example.com>\r\n\
             MIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: quoted-printable\r\n\
             \r\n\
             Dear Ada,\r\n\
             \r\n\
             thank you for your order.\r\n\
             \r\n\
             Order 7: Tea =3D f=C3=BCr zwei\r\n\
             Amount: 12.05, paid\r\n\
             Placed: 2026-11-02T08:15:00Z\r\n\
             \r\n\
             Your shop\r\n"
        );
    }

    #[test]
    fn a_title_adds_no_header_and_no_long_line() {
        let title = format!("x\r\nBcc: eve@example.com\r\n\r\n{}", "ü".repeat(150));
        let mail = mail(&order(&title), &ada(), NOW, "receipt-7");
        let (head, body) = mail.split_once("\r\n\r\n").expect("a mail has a body");
        assert_eq!(head.lines().count(), 8);
        assert!(!head.contains("Bcc"));
        for line in body.split("\r\n") {
            assert!(line.len() <= 76, "{line}");
            assert!(
                line.bytes().all(|byte| matches!(byte, b' '..=b'~')),
                "{line}"
            );
        }
        let joined = body.replace("=\r\n", "");
        assert!(joined.contains(&"=C3=BC".repeat(150)));
    }

    #[test]
    fn a_line_as_long_as_allowed_is_not_broken() {
        assert_eq!(quoted_printable(&"a".repeat(76)), "a".repeat(76));
        let broken = format!("{}=\r\naa", "a".repeat(75));
        assert_eq!(quoted_printable(&"a".repeat(77)), broken);
        assert_eq!(quoted_printable("a \nb\t"), "a=20\r\nb=09");
    }

    #[test]
    fn a_receipt_that_is_sent_again_keeps_the_first() {
        let folder = std::env::temp_dir().join(format!("orders-outbox-{}", std::process::id()));
        let sent = |title| send(&folder, &order(title), &ada(), NOW).expect("it is written");
        assert_eq!(sent("../../etc/passwd"), "receipt-7.eml");
        assert_eq!(sent("second"), "receipt-7-2.eml");
        let first = std::fs::read_to_string(folder.join("receipt-7.eml")).expect("it is there");
        assert!(first.contains("Order 7: ../../etc/passwd\r\n"));
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 2);
        #[cfg(unix)]
        for (path, mode) in [
            (folder.clone(), 0o700),
            (folder.join("receipt-7.eml"), 0o600),
        ] {
            use std::os::unix::fs::PermissionsExt as _;
            let rights = std::fs::metadata(&path).expect("it is there").permissions();
            assert_eq!(rights.mode() & 0o777, mode, "{}", path.display());
        }
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
