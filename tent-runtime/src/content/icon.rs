//! [`Icon`]: an image that a client shows beside a name, and the rules for its URL, media type, sizes and theme.
//! Must not fetch a URL and must not read image data: clients check both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;

/// The maximum length of an icon's URL in bytes. Every list repeats the icons of its items, so a larger image needs a URL
/// that clients fetch.
const MAX_URL: usize = 128 << 10;

/// An image that a client shows beside the app, a tool, a resource or a prompt.
///
/// An icon is a URL, or an embedded file that becomes a `data:` URL. Clients fetch `https:` URLs, and may restrict the hosts.
/// Every client that shows icons shows PNG and JPEG (MCP 2025-11-25 and 2026-07-28, basic, `icons`). Clients of older
/// revisions get no icons.
///
/// An icon that clients reject is an error at start (T7034), and so is one whose URL is longer than 128 KiB.
///
/// ```
/// use tent::{Icon, Theme};
/// let embedded = Icon::svg(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>"#);
/// let linked = Icon::new("https://shop.example/dark.png")
///     .media_type("image/png")
///     .sizes(["48x48", "96x96"])
///     .theme(Theme::Dark);
/// # let _ = (embedded, linked);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    pub(crate) src: String,
    pub(crate) media_type: Option<String>,
    pub(crate) sizes: Vec<String>,
    pub(crate) theme: Option<Theme>,
}

/// The background that an icon is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// A light background.
    Light,
    /// A dark background.
    Dark,
}

impl Theme {
    /// MCP's name of the theme.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

impl Icon {
    /// An icon with this URL: `https:`, `http:`, or `data:` with an image in base64.
    pub fn new(src: impl Into<String>) -> Self {
        Icon {
            src: src.into(),
            media_type: None,
            sizes: Vec::new(),
            theme: None,
        }
    }

    /// An embedded SVG image, which has any size: `Icon::svg(include_str!("icon.svg"))`. Clients may reject an SVG with
    /// scripts.
    pub fn svg(image: impl AsRef<str>) -> Self {
        Icon::data(image.as_ref(), "image/svg+xml").sizes(["any"])
    }

    /// An embedded PNG image: `Icon::png(include_bytes!("icon.png")).sizes(["48x48"])`.
    pub fn png(image: impl AsRef<[u8]>) -> Self {
        Icon::data(image, "image/png")
    }

    /// An embedded image with this media type, such as `image/jpeg` or `image/webp`.
    pub fn data(image: impl AsRef<[u8]>, media_type: impl Into<String>) -> Self {
        let media_type = media_type.into();
        let src = format!("data:{media_type};base64,{}", STANDARD.encode(image));
        Icon::new(src).media_type(media_type)
    }

    /// Sets the media type, for a URL whose server reports none or a generic one.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Sets the sizes: `48x48`, or `any`. Without sizes, clients use the icon at any size.
    #[must_use]
    pub fn sizes<S: Into<String>>(mut self, sizes: impl IntoIterator<Item = S>) -> Self {
        self.sizes = sizes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the theme. Without one, clients use the icon for both.
    #[must_use]
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// The URL as messages show it, cut to [`MOST_SHOWN`] characters.
    pub(crate) fn abridged_src(&self) -> String {
        let mut abridged: String = self.src.chars().take(MOST_SHOWN).collect();
        if abridged.len() < self.src.len() {
            abridged.push('…');
        }
        abridged
    }

    /// Why clients reject the icon, as the end of a sentence about it.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.src.len() > MAX_URL {
            return Some(format!("has a URL of more than {MAX_URL} bytes"));
        }
        let url = match self.src.split_once(':') {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("data") => data_url(rest),
            _ => web_address(&self.src),
        };
        if let Err(problem) = url {
            return Some(problem);
        }
        if let Some(other) = self.media_type.as_deref().filter(|one| !is_image(one)) {
            return Some(format!(
                "has the media type {other:?}, which is not an image type"
            ));
        }
        let invalid = self.sizes.iter().find(|size| !is_size(size));
        invalid.map(|size| format!("has the size {size:?}: write a size such as 48x48, or any"))
    }

    /// Whether clients load it: the specification forbids unencrypted URLs.
    pub(crate) fn is_fetched(&self) -> bool {
        !scheme(&self.src).eq_ignore_ascii_case("http")
    }

    pub(crate) fn bytes(&self) -> usize {
        self.src.len()
    }
}

/// The number of characters of a URL that a message shows.
const MOST_SHOWN: usize = 60;

fn scheme(url: &str) -> &str {
    url.split_once(':').map_or("", |(scheme, _)| scheme)
}

/// Checks a URL that a client fetches or a person opens.
pub(crate) fn web_address(url: &str) -> Result<(), String> {
    let scheme = scheme(url);
    if !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")) {
        return Err("has a URL that is neither https: nor http:".to_owned());
    }
    let uri: Option<Uri> = url.parse().ok();
    // `Uri` parses `https:` without the slashes as a host of that name.
    let uri = uri.as_ref().filter(|uri| uri.scheme().is_some());
    let host = uri.and_then(Uri::authority);
    let Some(host) = host.filter(|host| !host.host().is_empty()) else {
        return Err("has a URL that is not valid".to_owned());
    };
    // Every client that gets the list would get the credentials, and clients send none.
    if host.as_str().contains('@') {
        return Err("has a URL with a user name or password".to_owned());
    }
    Ok(())
}

/// Checks the part of a URL after `data:`: an image type and data in base64.
fn data_url(rest: &str) -> Result<(), String> {
    let (head, data) = rest.split_once(',').unwrap_or((rest, ""));
    let Some(media_type) = head.strip_suffix(";base64") else {
        return Err("has a data: URL that is not base64".to_owned());
    };
    if !is_image(media_type) {
        return Err(format!(
            "has a data: URL of the type {media_type:?}, which is not an image type"
        ));
    }
    match STANDARD.decode(data) {
        Err(_) => Err("has a data: URL whose base64 is not valid".to_owned()),
        Ok(data) if data.is_empty() => Err("has a data: URL without data".to_owned()),
        Ok(_) => Ok(()),
    }
}

fn is_image(media_type: &str) -> bool {
    let kind = media_type.strip_prefix("image/");
    kind.is_some_and(|kind| {
        let mut characters = kind.chars();
        let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
        characters.next().is_some_and(|c| c.is_ascii_alphanumeric()) && characters.all(is_inner)
    })
}

/// Whether `size` is `any`, or a width, an `x` and a height in pixels.
fn is_size(size: &str) -> bool {
    let is_length = |text: &str| {
        let digits = (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        digits && !text.starts_with('0')
    };
    size == "any"
        || size
            .split_once('x')
            .is_some_and(|(width, height)| is_length(width) && is_length(height))
}

/// The values that `icons = …` and `.icons(…)` accept: an [`Icon`], an array or a list of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an icon",
    label = "expected a `tent::Icon`, or an array of them",
    note = "use tent::Icon::new(\"https://…\") for a URL, tent::Icon::svg(include_str!(…)) for a file, or an array of them"
)]
pub trait Icons {
    /// The icons, in the order that clients get them.
    fn icons(self) -> Vec<Icon>;
}

impl Icons for Icon {
    fn icons(self) -> Vec<Icon> {
        vec![self]
    }
}

impl Icons for Vec<Icon> {
    fn icons(self) -> Vec<Icon> {
        self
    }
}

impl<const N: usize> Icons for [Icon; N] {
    fn icons(self) -> Vec<Icon> {
        self.into()
    }
}

impl Icons for &[Icon] {
    fn icons(self) -> Vec<Icon> {
        self.to_vec()
    }
}

/// The icons of an option, for the code that the macros write.
#[doc(hidden)]
pub fn icons(declared: impl Icons) -> Vec<Icon> {
    declared.icons()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_icons_that_clients_accept() {
        for good in [
            Icon::new("https://shop.example/icon.png"),
            Icon::new("HTTPS://[::1]:8080/a?b=c").sizes(["any", "1x99999"]),
            Icon::new("http://shop.example/icon.png").media_type("image/vnd.microsoft.icon"),
            Icon::new("data:image/jpeg;base64,/9j/4A==").theme(Theme::Light),
            Icon::svg("<svg/>"),
            Icon::png(b"\x89PNG").sizes(["48x256"]),
            Icon::data(b"RIFF....WEBP", "image/webp"),
            Icon::data(b"\0\0\0 ftypavif", "image/avif"),
        ] {
            assert_eq!(good.problem(), None, "{good:?}");
        }
        assert!(Icon::new("https://a.example").is_fetched() && Icon::svg("<svg/>").is_fetched());
        assert!(!Icon::new("Http://a.example").is_fetched());
    }

    #[test]
    fn reports_the_icons_that_clients_reject() {
        let icon = || Icon::new("https://shop.example/icon.png");
        for (bad, part) in [
            (Icon::new(""), "neither https: nor http:"),
            (Icon::new("icon.png"), "neither https: nor http:"),
            (Icon::new("javascript:alert(1)"), "neither https: nor http:"),
            (Icon::new("file:///etc/passwd"), "neither https: nor http:"),
            (
                Icon::new("ftp://shop.example/a.png"),
                "neither https: nor http:",
            ),
            (
                Icon::new("ws://shop.example/a.png"),
                "neither https: nor http:",
            ),
            (Icon::new("https:"), "not valid"),
            (Icon::new("https://"), "not valid"),
            (Icon::new("https://shop.example/my icon.png"), "not valid"),
            (
                Icon::new("https://ada:secret@shop.example/a.png"),
                "password",
            ),
            (Icon::new("data:image/svg+xml,<svg/>"), "not base64"),
            (Icon::new("data:text/html;base64,PGI+"), "not an image type"),
            (Icon::new("data:;base64,PGI+"), "not an image type"),
            (Icon::new("data:image/png;base64,?"), "base64 is not valid"),
            (Icon::new("data:image/png;base64,"), "without data"),
            (Icon::data("x", "text/plain"), "not an image type"),
            (icon().media_type("text/html"), "not an image type"),
            (icon().media_type("image/"), "not an image type"),
            (icon().media_type("image/png\r\nx"), "not an image type"),
            (icon().sizes(["48"]), "size \"48\""),
            (icon().sizes(["any", "48X48"]), "size \"48X48\""),
            (icon().sizes(["0x48"]), "size"),
            (icon().sizes(["48x"]), "size"),
            (icon().sizes(["48x123456"]), "size"),
            (Icon::data(vec![b'.'; MAX_URL], "image/avif"), "more than"),
        ] {
            let found = bad.problem().unwrap_or_default();
            assert!(found.contains(part), "{}: {found}", bad.abridged_src());
        }
        assert!(
            Icon::data([0; 1000], "image/avif")
                .abridged_src()
                .ends_with('…')
        );
    }

    #[test]
    fn converts_one_icon_and_several() {
        let icon = || Icon::svg("<svg/>");
        assert_eq!(icons(icon()), [icon()]);
        assert_eq!(icons([icon(), icon()]), [icon(), icon()]);
        assert_eq!(icons(vec![icon()]), icons(&[icon()][..]));
    }
}
