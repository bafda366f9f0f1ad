//! Declares functions in several modules, so that they come to lie in several object files, and is good
//! for nothing else: no program has a reason to name anything of it.

#![forbid(unsafe_code)]

use tent::prelude::*;

#[query(access = "anyone")]
fn at_the_root() {}

/// A module beside.
pub mod beside {
    use tent::prelude::*;

    #[query(access = "anyone")]
    fn in_a_module() {}

    /// A module below.
    pub mod below {
        use tent::prelude::*;

        #[query(access = "anyone")]
        fn further_down() {}
    }
}

mod kept {
    use tent::prelude::*;

    #[query(access = "anyone")]
    fn in_a_private_module() {}
}

#[cfg(test)]
/// The types of an app in the edition before, in a crate that names tent alone.
mod types {
    use tent::prelude::*;

    #[data]
    struct Order {
        id: u32,
        #[tent(secret)]
        note: Option<String>,
    }

    #[derive(State)]
    struct Shop {
        orders: Vec<Order>,
    }

    #[derive(Debug, Failure)]
    enum OrderError {
        #[failure(code = "A0001", status = 404, message = "There is no order {id:>4}")]
        None { id: u32 },
        #[failure(transparent)]
        Other(#[from] Error),
    }

    fn note(shop: &Shop, id: u32) -> Result<&str, OrderError> {
        let order = shop.orders.iter().find(|order| order.id == id);
        let order = order.ok_or(OrderError::None { id })?;
        let note = order.note.as_deref();
        Ok(note
            .ok_or_else(|| Error::declared(tent::code!("A0002"), 404, "The order has no note"))?)
    }

    #[test]
    fn the_derives_work_in_the_edition_before() {
        let note_of = |id, note: Option<&str>| Order {
            id,
            note: note.map(str::to_owned),
        };
        let shop = Shop {
            orders: vec![note_of(1, Some("red")), note_of(2, None)],
        };
        assert_eq!(note(&shop, 1).expect("there is one"), "red");
        let code = |id| Error::from(note(&shop, id).expect_err("there is none")).code();
        assert_eq!((code(2), code(3)), ("A0002", "A0001"));
    }
}
