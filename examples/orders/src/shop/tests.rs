use super::*;

async fn shop() -> Shop {
    opened(":memory:".into(), "outbox".into()).await
}

async fn opened(file: PathBuf, outbox: PathBuf) -> Shop {
    Shop::open(file, outbox).await.expect("it opens")
}

fn ada() -> User {
    User::new("ada")
}

fn grace() -> User {
    User::new("grace").role("staff")
}

fn ids(orders: &[Order]) -> Vec<u32> {
    orders.iter().map(|order| order.id).collect()
}

async fn found(shop: &Shop, user: &User, wanted: Wanted) -> Vec<u32> {
    ids(&shop.find(user, wanted).await.expect("the shop answers"))
}

fn words(text: &str) -> Wanted {
    Wanted {
        text: Some(text.to_owned()),
        ..Wanted::default()
    }
}

#[tokio::test]
async fn a_new_shop_has_two_people_and_a_dozen_orders() {
    let shop = shop().await;
    let person = async |id: &str| shop.person(id.to_owned()).await.expect("it answers");
    assert_eq!(person("ada").await, Some(ada().name("Ada")));
    assert_eq!(person("grace").await, Some(grace().name("Grace")));
    assert_eq!(person("Ada").await, None);
    assert_eq!(
        found(&shop, &grace(), Wanted::default()).await,
        Vec::from_iter((1..=12).rev())
    );
    let first = shop.order(&ada(), 1).await.expect("order 1 is ada's");
    assert_eq!(
        (first.owner.as_str(), first.cents, first.paid),
        ("ada", 650, false)
    );
}

#[tokio::test]
async fn a_person_sees_the_own_orders_and_staff_see_all() {
    let shop = shop().await;
    assert_eq!(
        found(&shop, &ada(), Wanted::default()).await,
        [12, 11, 9, 7, 5, 4, 2, 1]
    );
    assert_eq!(
        found(&shop, &User::new("eve"), Wanted::default()).await,
        [0; 0]
    );
    assert!(shop.order(&grace(), 1).await.is_ok());
    for (user, id) in [
        (ada(), 3),
        (ada(), 99),
        (grace(), 99),
        (User::new("eve"), 1),
    ] {
        let refused = shop.order(&user, id).await;
        assert!(matches!(refused, Err(OrderError::NoSuchOrder { id: of }) if of == id));
    }
}

#[tokio::test]
async fn orders_are_found_by_text_by_what_is_paid_and_to_a_limit() {
    let shop = shop().await;
    assert_eq!(found(&shop, &grace(), words("tea")).await, [8, 1]);
    assert_eq!(found(&shop, &grace(), words("LARGE")).await, [11]);
    assert_eq!(found(&shop, &grace(), words("%")).await, [0; 0]);
    assert_eq!(found(&shop, &ada(), words("")).await.len(), 8);
    let paid = |paid, limit| Wanted {
        text: None,
        paid: Some(paid),
        limit,
    };
    assert_eq!(found(&shop, &ada(), paid(true, None)).await, [9, 4, 2]);
    assert_eq!(found(&shop, &ada(), paid(false, Some(2))).await, [12, 11]);
}

#[tokio::test]
async fn an_order_is_added_in_the_name_of_who_asks() {
    let shop = shop().await;
    let added = shop
        .add(
            &ada(),
            "Größe; DROP TABLE orders".to_owned(),
            10_000_000,
            Some("Now".to_owned()),
        )
        .await
        .expect("it is added");
    assert_eq!(
        (added.id, added.owner.as_str(), added.paid),
        (13, "ada", false)
    );
    assert_eq!(shop.order(&ada(), 13).await.expect("it is kept"), added);
    assert_eq!(added.placed.len(), "2026-11-30T10:00:00Z".len());

    let stranger = shop.add(&User::new("eve"), "Tea".to_owned(), 1, None).await;
    assert!(
        matches!(stranger, Err(OrderError::Other(_))),
        "orders are people's"
    );
}

#[tokio::test]
async fn an_order_is_paid_once() {
    let shop = shop().await;
    let note = |id| {
        let shop = shop.clone();
        async move { shop.order(&grace(), id).await.expect("it is there").note }
    };
    shop.mark_paid(1, Some("In cash".to_owned()))
        .await
        .expect("it was open");
    shop.mark_paid(5, None).await.expect("it was open");
    assert_eq!(note(1).await.as_deref(), Some("In cash"));
    assert_eq!(note(5).await.as_deref(), Some("Keep them dry"));

    let again = shop.mark_paid(1, Some("Twice".to_owned())).await;
    assert!(matches!(again, Err(OrderError::AlreadyPaid { id: 1 })));
    assert_eq!(note(1).await.as_deref(), Some("In cash"));
    let nothing = shop.mark_paid(99, None).await;
    assert!(matches!(nothing, Err(OrderError::NoSuchOrder { id: 99 })));
}

#[tokio::test]
async fn a_receipt_goes_to_who_placed_the_order() {
    let folder = std::env::temp_dir().join(format!("orders-shop-{}", std::process::id()));
    let shop = opened(":memory:".into(), folder.join("outbox")).await;
    assert_eq!(
        shop.send_receipt(&grace(), 2).await.expect("it is sent"),
        "receipt-2.eml"
    );
    let mail = std::fs::read_to_string(folder.join("outbox/receipt-2.eml")).expect("it is there");
    assert!(
        mail.contains("\r\nTo: ada@example.com\r\n") && mail.contains("Amount: 12.05, paid\r\n")
    );
    assert!(matches!(
        shop.send_receipt(&ada(), 3).await,
        Err(OrderError::NoSuchOrder { id: 3 })
    ));
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[tokio::test]
async fn two_processes_may_open_a_new_file_at_once() {
    let folder = std::env::temp_dir().join(format!("orders-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let opening: Vec<_> = (0..4)
        .map(|_| tokio::spawn(opened(folder.join("orders.db"), folder.join("outbox"))))
        .collect();
    let mut shops = Vec::new();
    for opening in opening {
        shops.push(opening.await.expect("it opens"));
    }
    shops[0].mark_paid(1, None).await.expect("it was open");
    assert!(shops[3].order(&ada(), 1).await.expect("it is there").paid);
    assert_eq!(
        found(&shops[3], &grace(), Wanted::default()).await.len(),
        12
    );
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[tokio::test]
async fn reports_a_file_that_cannot_be_opened() {
    let opened = Shop::open(std::env::temp_dir(), PathBuf::from("outbox")).await;
    let error = opened.expect_err("a folder is no database");
    assert_eq!(error.code(), "T0012");
}

#[tokio::test]
async fn the_date_of_a_mail_is_of_its_form() {
    let date = shop()
        .await
        .run(|db| Ok(mail_date(db)?))
        .await
        .expect("it answers");
    let parts: Vec<&str> = date.split(' ').collect();
    let [day, of_month, month, year, time, zone] = parts[..] else {
        panic!("{date}");
    };
    assert!(
        ["Sun,", "Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,"].contains(&day),
        "{date}"
    );
    assert!(
        of_month.len() == 2 && month.len() == 3 && year.len() == 4,
        "{date}"
    );
    assert!(time.len() == 8 && zone == "+0000", "{date}");
}
