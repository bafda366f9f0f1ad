//! The extensions that clients declare: those that the app declares or a function needs are kept.
//! Must not interpret their settings.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::cx::Extensions;
use crate::dispatch::AppInfo;
use crate::json::{self, Strict};
use crate::registry::Registry;

/// The extensions that this app knows.
#[derive(Debug, Default)]
pub(crate) struct KnownExtensions(BTreeSet<Box<str>>);

impl KnownExtensions {
    pub(crate) fn new(registry: &Registry, about: &AppInfo) -> Self {
        let needs = registry.all().flat_map(|one| &one.needs).map(AsRef::as_ref);
        let needed = needs.filter(|need: &&str| need.contains('/'));
        let declared = about.extensions.keys().map(String::as_str);
        KnownExtensions(needed.chain(declared).map(Into::into).collect())
    }

    /// Reads the member `extensions` of a client's capabilities. A value that is not an object counts as absent.
    ///
    /// # Errors
    /// For a duplicate or reserved key, also in an extension that the app does not know.
    pub(crate) fn read(
        &self,
        extensions: Option<&RawValue>,
    ) -> Result<Extensions, serde_json::Error> {
        let declared = extensions
            .map(|text| json::read(text.get(), Strict))
            .transpose()?;
        let Some(Value::Object(declared)) = declared else {
            return Ok(Extensions::default());
        };
        let is_known =
            |(id, settings): &(String, Value)| settings.is_object() && self.0.contains(&**id);
        Ok(declared.into_iter().filter(is_known).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(extensions: &str) -> Result<Extensions, String> {
        let known = KnownExtensions(["a/ui", "a/tasks"].map(Into::into).into());
        let extensions = RawValue::from_string(extensions.to_owned()).expect("it is JSON");
        known
            .read(Some(&extensions))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn keeps_the_extensions_that_the_app_knows() {
        let ui = ("a/ui".to_owned(), json!({"mimeTypes": ["text/html"]}));
        let sent = r#"{"b/x":{"y":1},"a/ui":{"mimeTypes":["text/html"]},"a/tasks":true}"#;
        assert_eq!(read(sent), Ok([ui].into_iter().collect()));
        for none in ["{}", "[]", "null", r#"{"ui":{}}"#, r#"{"a/ui":null}"#] {
            assert_eq!(read(none), Ok(Extensions::default()), "{none}");
        }
        let none = KnownExtensions::default().read(None);
        assert_eq!(none.expect("nothing is sent"), Extensions::default());
    }

    #[test]
    fn rejects_a_duplicate_key_also_in_an_unknown_extension() {
        for twice in [
            r#"{"a/ui":{},"a/ui":{}}"#,
            r#"{"b/x":{},"b/x":{}}"#,
            r#"{"b/x":{"y":1,"y":1}}"#,
            r#"{"a/ui":{"y":{"z":1,"z":1}}}"#,
        ] {
            let error = read(twice).expect_err(twice);
            assert!(error.contains("duplicate key"), "{error}");
        }
    }
}
