//! The functions of the shop. Each is at `/api`, and those with `offer = "mcp"` are also tools at `/mcp`.
//!
//! They declare who may call them and what they return. Only [`shop`](crate::shop) uses the database.

use tent::prelude::*;

use crate::shop::{Order, OrderError, Shop, Wanted};

/// The orders that are still to be paid: your own, or everybody's if you are staff.
#[query(access = "signedIn", offer = "mcp")]
async fn open_orders(cx: &Cx, shop: &Shop) -> Result<Vec<Order>> {
    let wanted = Wanted {
        paid: Some(false),
        ..Wanted::default()
    };
    Ok(shop.find(cx.user()?, wanted).await?)
}

/// Orders by what is written in them and whether they are paid, newest first: your own, or everybody's if you are
/// staff.
#[query(access = "signedIn", offer = "mcp")]
async fn find_orders(
    cx: &Cx,
    shop: &Shop,
    /// A text to look for in the title and the note. Capitals do not matter.
    text: Option<String>,
    /// Only paid orders, or only unpaid ones.
    paid: Option<bool>,
    /// At most this many orders.
    #[arg(default = 20, min = 1, max = 100)]
    limit: u32,
) -> Result<Vec<Order>> {
    let wanted = Wanted {
        text,
        paid,
        limit: Some(limit),
    };
    Ok(shop.find(cx.user()?, wanted).await?)
}

/// One order by its number.
#[query(access = "signedIn", offer = "mcp")]
async fn order(
    cx: &Cx,
    shop: &Shop,
    /// The order's number.
    #[arg(min = 1)]
    id: u32,
) -> Result<Order, OrderError> {
    shop.order(cx.user()?, id).await
}

/// Place an order in your own name.
#[change(access = "signedIn", offer = "mcp", writes = "adds")]
async fn add_order(
    cx: &Cx,
    shop: &Shop,
    /// What is ordered.
    #[arg(min_len = 1, max_len = 200)]
    title: String,
    /// The price in cents.
    #[arg(min = 1, max = 10_000_000)]
    cents: u32,
    /// A note for the shop.
    #[arg(max_len = 2000)]
    note: Option<String>,
) -> Result<Order> {
    Ok(shop.add(cx.user()?, title, cents, note).await?)
}

#[change(
    about = "Mark an order as paid",
    access = "role:staff",
    offer = "mcp",
    danger = "ask"
)]
async fn mark_paid(
    shop: &Shop,
    /// The order's number.
    #[arg(min = 1)]
    id: u32,
    /// A note for the books, in the place of the one that is there.
    #[arg(max_len = 2000)]
    note: Option<String>,
) -> Result<(), OrderError> {
    shop.mark_paid(id, note).await
}

/// Send the receipt of an order to the person who placed it, and give the name of the file that was put into the
/// outbox.
#[action(access = "role:staff", sends = true)]
async fn send_receipt(
    cx: &Cx,
    shop: &Shop,
    /// The order's number.
    #[arg(min = 1)]
    id: u32,
) -> Result<String, OrderError> {
    shop.send_receipt(cx.user()?, id).await
}

/// When the shop is open.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn shop_hours() -> Hours {
    Hours {
        days: "Monday to Saturday".to_owned(),
        opens: "09:00".to_owned(),
        closes: "18:00".to_owned(),
    }
}

/// When the shop is open.
#[data]
struct Hours {
    /// The days on which it is open.
    days: String,
    /// When it opens, as `HH:MM`.
    opens: String,
    /// When it closes, as `HH:MM`.
    closes: String,
}
