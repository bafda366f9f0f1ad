//! The base URL of tent's own pages, wherever its router is mounted.

use axum::extract::NestedPath;
use http::request::Parts;

use crate::settings::PublicUrl;

/// The base of URLs to tent's own pages, without a slash at its end: the public URL of the settings, or else a path at
/// this host, which is empty at the root.
///
/// A router that an axum app nests is below the public URL, unless that URL names its path already.
pub(crate) fn base(parts: &Parts, public: Option<&PublicUrl>) -> String {
    let nested = parts.extensions.get::<NestedPath>();
    let nested = nested.map_or("", |nested| nested.as_str().trim_end_matches('/'));
    match public.map(|public| public.as_str().trim_end_matches('/')) {
        None => nested.to_owned(),
        Some(public) if public.ends_with(nested) => public.to_owned(),
        Some(public) => format!("{public}{nested}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_url_may_name_the_mount() {
        let (parts, ()) = http::Request::new(()).into_parts();
        let public = |text| PublicUrl::parse(text).expect("a URL");
        let url = public("https://shop.example/tools");
        assert_eq!(base(&parts, None), "");
        assert_eq!(base(&parts, Some(&url)), "https://shop.example/tools");
    }
}
