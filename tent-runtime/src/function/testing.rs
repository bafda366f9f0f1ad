//! Builder methods for the declarations of unit tests. Generated code writes struct updates instead.

use serde_json::Value;

use super::{Annotations, Complete, Declaration, Icon, Lister, Primitive, Resource};

/// Declares one method for each field: `method(field: Type = value)`.
macro_rules! setters {
    ($($name:ident($($argument:ident: $type:ty)?) => $field:ident = $value:expr;)*) => {$(
        pub(crate) const fn $name(mut self, $($argument: $type)?) -> Self {
            self.$field = $value;
            self
        }
    )*};
}

impl Declaration {
    setters! {
        needs(needs: &'static [&'static str]) => needs = needs;
        on(method: &'static str) => on = Some(method);
        icons(icons: fn() -> Vec<Icon>) => icons = Some(icons);
        meta(meta: fn() -> Value) => meta = Some(meta);
        completes(completions: &'static [Complete]) => completions = completions;
    }

    pub(crate) const fn resource(mut self, resource: Resource) -> Self {
        self.primitive = Primitive::Resource(resource);
        self.api = false;
        self
    }

    pub(crate) const fn prompt(mut self) -> Self {
        self.primitive = Primitive::Prompt;
        self.api = false;
        self
    }
}

impl Resource {
    setters! {
        media_type(media_type: &'static str) => media_type = Some(media_type);
        list(list: Lister) => list = Some(list);
        subscribe(subscribe: bool) => subscribe = subscribe;
        annotations(annotations: fn() -> Annotations) => annotations = Some(annotations);
        size(bytes: u64) => size = Some(bytes);
    }
}
