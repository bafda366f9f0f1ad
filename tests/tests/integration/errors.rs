//! Tests of `?` between tent's errors and other error types.

use std::error::Error as StdError;

use tent::{BoxError, Error, StartError};

async fn start() -> Result<(), StartError> {
    let app = tent::App::new("errors", "1.0.0").set("limits.max_body", "many");
    app.build().await.map(drop)
}

fn fails() -> tent::Result<()> {
    Err(Error::declared(tent::code!("A0001"), 409, "closed"))
}

// R08
#[tokio::test]
async fn an_error_at_start_converts_into_every_error_type() {
    async fn into_anyhow() -> anyhow::Result<()> {
        start().await?;
        Ok(())
    }
    async fn into_shared_box() -> Result<(), BoxError> {
        start().await?;
        Ok(())
    }
    async fn into_box() -> Result<(), Box<dyn StdError>> {
        start().await?;
        Ok(())
    }
    async fn into_error() -> tent::Result<()> {
        start().await?;
        Ok(())
    }
    let problem = "limits.max_body is `many`, which is not a valid size";
    for message in [
        into_anyhow().await.map_err(|error| error.to_string()),
        into_shared_box().await.map_err(|error| error.to_string()),
        into_box().await.map_err(|error| error.to_string()),
    ] {
        let message = message.expect_err("the setting is invalid");
        assert!(message.starts_with(problem), "{message}");
    }
    let error = into_error().await.expect_err("the setting is invalid");
    assert!(error.is(tent::codes::INVALID_SETTING));
}

// R08
#[test]
fn an_error_converts_into_anyhow_and_boxes_and_back_with_its_code() {
    fn into_anyhow() -> anyhow::Result<()> {
        fails()?;
        Ok(())
    }
    fn into_shared_box() -> Result<(), BoxError> {
        fails().map_err(Error::into_boxed)?;
        Ok(())
    }
    fn into_box() -> Result<(), Box<dyn StdError>> {
        fails()?;
        Ok(())
    }
    let error = into_anyhow().expect_err("it is closed");
    assert_eq!(error.to_string(), "closed");
    assert_eq!(Error::from(error).code(), "A0001");
    let error = into_shared_box().expect_err("it is closed");
    assert_eq!(error.to_string(), "closed");
    assert_eq!(Error::from(error).code(), "A0001");
    let error = into_box().expect_err("it is closed");
    assert_eq!(error.to_string(), "closed");
}

#[test]
fn other_errors_become_internal_errors() {
    fn from_std() -> tent::Result<()> {
        std::fs::read("/no/such/file").map(drop)?;
        Ok(())
    }
    fn from_anyhow() -> tent::Result<()> {
        Err(anyhow::anyhow!("a secret cause"))?
    }
    fn from_shared_box() -> tent::Result<()> {
        Err(BoxError::from("a secret cause"))?
    }
    fn from_text() -> tent::Result<()> {
        Err("a secret cause")?
    }
    for result in [from_std(), from_anyhow(), from_shared_box(), from_text()] {
        let error = result.expect_err("it failed");
        assert!(error.is(tent::codes::INTERNAL));
        assert!(!error.to_string().contains("secret"));
        assert_eq!(error.chain().len(), 1);
    }
}
