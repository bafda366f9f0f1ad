//! [`Icon`]: a picture that a client shows beside a name. Plain data and the rules for it; how it looks on a
//! wire is an envelope's to know, and nothing here fetches anything.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;

/// The most bytes of an icon's address. Every list has the icons of what it lists, so a picture that stands in its
/// address is small or has an address of its own.
const LONGEST: usize = 128 << 10;

/// A picture that a client shows beside the app, or beside a tool, a resource or a prompt.
///
/// It is named by an address, or made of a file of the app's own, which then stands in the address itself as
/// a `data:` URI. Clients fetch no address that is not `https:`, and not from where they choose not to; every client
/// that shows icons shows PNG and JPEG (MCP 2025-11-25 and 2026-07-28, basic, `icons`). Revisions before 2025-11-25 have
/// no icons: their clients are told none.
///
/// An icon that clients refuse keeps the app from starting (T7034). So does one whose address is longer than
/// 128 KiB: every list has it.
///
/// ```
/// use tent::{Icon, Theme};
/// let drawn = Icon::svg(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>"#);
/// let named = Icon::new("https://shop.example/dark.png")
///     .media_type("image/png")
///     .sizes(["48x48", "96x96"])
///     .theme(Theme::Dark);
/// # let _ = (drawn, named);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    pub(crate) src: String,
    pub(crate) media_type: Option<String>,
    pub(crate) sizes: Vec<String>,
    pub(crate) theme: Option<Theme>,
}

/// The background that an icon is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

impl Theme {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

impl Icon {
    /// The picture at this address: `https:`, `http:`, or `data:` with a picture in base64.
    pub fn new(src: impl Into<String>) -> Self {
        Icon {
            src: src.into(),
            media_type: None,
            sizes: Vec::new(),
            theme: None,
        }
    }

    /// An SVG drawing without any script, which fits any size: `Icon::svg(include_str!("icon.svg"))`.
    pub fn svg(drawing: impl AsRef<str>) -> Self {
        Icon::data(drawing.as_ref(), "image/svg+xml").sizes(["any"])
    }

    /// A PNG picture: `Icon::png(include_bytes!("icon.png"))`. Its size is read from it.
    ///
    /// ```
    /// use tent::Icon;
    /// let dot = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    /// assert_eq!(Icon::png(dot), Icon::data(dot, "image/png").sizes(["1x1"]));
    /// ```
    pub fn png(picture: impl AsRef<[u8]>) -> Self {
        let picture = picture.as_ref();
        let icon = Icon::data(picture, "image/png");
        match size_of_png(picture) {
            Some((width, height)) => icon.sizes([format!("{width}x{height}")]),
            None => icon,
        }
    }

    /// A picture of this media type, such as `image/jpeg` or `image/webp`.
    pub fn data(picture: impl AsRef<[u8]>, media_type: impl Into<String>) -> Self {
        let media_type = media_type.into();
        let src = format!("data:{media_type};base64,{}", STANDARD.encode(picture));
        Icon::new(src).media_type(media_type)
    }

    /// Its media type, for where the address says none, or a general one.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The sizes that it is good for, in place of any before: `48x48`, or `any`. Without one it is taken to be
    /// good for all.
    #[must_use]
    pub fn sizes<S: Into<String>>(mut self, sizes: impl IntoIterator<Item = S>) -> Self {
        self.sizes = sizes.into_iter().map(Into::into).collect();
        self
    }

    /// The background that it is drawn for. Without one it is taken to be good for both.
    #[must_use]
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// Its address as a message shows it: what stands in a `data:` URI is left out.
    pub(crate) fn shown(&self) -> String {
        let mut shown: String = self.src.chars().take(SHOWN).collect();
        if shown.len() < self.src.len() {
            shown.push('…');
        }
        shown
    }

    /// What clients refuse of it, as the end of a sentence about it.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.src.len() > LONGEST {
            return Some(format!("has an address of more than {LONGEST} bytes"));
        }
        let refused = match self.src.split_once(':') {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("data") => drawn(rest),
            _ => web_address(&self.src),
        };
        if let Err(refused) = refused {
            return Some(refused);
        }
        if let Some(other) = self.media_type.as_deref().filter(|one| !is_picture(one)) {
            return Some(format!(
                "has the media type {other:?}, which is no picture's"
            ));
        }
        let wrong = self.sizes.iter().find(|size| !is_size(size));
        wrong.map(|size| format!("has the size {size:?}"))
    }

    /// Whether clients that hold to the specification fetch it: what is not encrypted they do not.
    pub(crate) fn is_fetched(&self) -> bool {
        !scheme(&self.src).eq_ignore_ascii_case("http")
    }

    pub(crate) fn bytes(&self) -> usize {
        self.src.len()
    }
}

/// How many characters of an address a message shows.
const SHOWN: usize = 60;

fn scheme(address: &str) -> &str {
    address.split_once(':').map_or("", |(scheme, _)| scheme)
}

/// Checks an address that a client fetches or a person opens.
pub(crate) fn web_address(address: &str) -> Result<(), String> {
    let scheme = scheme(address);
    if !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")) {
        return Err("has an address that is neither https: nor http:".to_owned());
    }
    let uri: Option<Uri> = address.parse().ok();
    // Without a scheme it is `https:` for the host of that name.
    let uri = uri.as_ref().filter(|uri| uri.scheme().is_some());
    let host = uri.and_then(Uri::authority);
    let Some(host) = host.filter(|host| !host.host().is_empty()) else {
        return Err("has an address that is no URL".to_owned());
    };
    // Everybody who lists it would be told them, and clients send none.
    if host.as_str().contains('@') {
        return Err("has an address with a name or a password in it".to_owned());
    }
    Ok(())
}

/// Checks what stands behind `data:`: a picture in base64, of the kind that it says.
fn drawn(rest: &str) -> Result<(), String> {
    let (says, data) = rest.split_once(',').unwrap_or((rest, ""));
    let Some(media_type) = says.strip_suffix(";base64") else {
        return Err("has a data: address that is not in base64".to_owned());
    };
    if !is_picture(media_type) {
        return Err(format!("holds a {media_type:?}, which is no picture"));
    }
    let Ok(data) = STANDARD.decode(data) else {
        return Err("has a data: address whose base64 cannot be read".to_owned());
    };
    if data.is_empty() {
        return Err("holds no picture: it is empty".to_owned());
    }
    if media_type == "image/svg+xml" {
        return a_drawing(&data);
    }
    let begins: Option<&[u8]> = match media_type {
        "image/png" => Some(PNG),
        "image/jpeg" | "image/jpg" => Some(b"\xff\xd8\xff"),
        "image/webp" => Some(b"RIFF"),
        "image/gif" => Some(b"GIF8"),
        _ => None,
    };
    match begins {
        // Clients look at the first bytes too, and show no picture that is another than it says.
        Some(begins) if !data.starts_with(begins) => Err(format!(
            "says that it is {media_type}, and holds something else"
        )),
        _ => Ok(()),
    }
}

/// Checks an SVG drawing: it is one, and holds no script, for clients run none and some show nothing then.
fn a_drawing(data: &[u8]) -> Result<(), String> {
    let holds = |part: &[u8]| {
        let mut all = data.windows(part.len());
        all.any(|window| window.eq_ignore_ascii_case(part))
    };
    if !holds(b"<svg") {
        return Err("says that it is image/svg+xml, and holds something else".to_owned());
    }
    if holds(b"<script") || holds(b"javascript:") {
        return Err("holds a drawing with a script in it".to_owned());
    }
    Ok(())
}

fn is_picture(media_type: &str) -> bool {
    let kind = media_type.strip_prefix("image/");
    kind.is_some_and(|kind| {
        let mut characters = kind.chars();
        let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
        characters.next().is_some_and(|c| c.is_ascii_alphanumeric()) && characters.all(is_inner)
    })
}

/// Whether it is `any`, or a width, an `x` and a height in pixels.
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

/// What a PNG begins with (PNG specification, 5.2).
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The width and height that a PNG's first chunk says (PNG specification, 11.2.1).
fn size_of_png(picture: &[u8]) -> Option<(u32, u32)> {
    let header = picture.strip_prefix(PNG)?.get(4..)?.strip_prefix(b"IHDR")?;
    let (width, header) = header.split_first_chunk()?;
    let (height, _) = header.split_first_chunk()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(*height)))
}

/// What `icons = …` and `.icons(…)` take: an [`Icon`], or several of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an icon",
    label = "this is neither a `tent::Icon` nor several of them",
    note = "write tent::Icon::new(\"https://…\") for an address, tent::Icon::svg(include_str!(…)) for a file, or an array of them"
)]
pub trait Icons {
    /// The icons, in the order in which clients are told them.
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

/// What the macros' code names: the icons that an option states.
#[doc(hidden)]
pub fn icons(stated: impl Icons) -> Vec<Icon> {
    stated.icons()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x30\0\0\x01\0";

    #[test]
    fn what_clients_take_is_taken() {
        for good in [
            Icon::new("https://shop.example/icon.png"),
            Icon::new("HTTPS://[::1]:8080/a?b=c").sizes(["any", "1x99999"]),
            Icon::new("http://shop.example/icon.png").media_type("image/vnd.microsoft.icon"),
            Icon::new("data:image/jpeg;base64,/9j/4A==").theme(Theme::Light),
            Icon::svg("<svg/>"),
            Icon::png(DOT),
            Icon::data(b"RIFF....WEBP", "image/webp"),
            Icon::data(b"\0\0\0 ftypavif", "image/avif"),
        ] {
            assert_eq!(good.problem(), None, "{good:?}");
        }
        assert_eq!(Icon::png(DOT).sizes, ["48x256"]);
        assert!(Icon::new("https://a.example").is_fetched() && Icon::svg("<svg/>").is_fetched());
        assert!(!Icon::new("Http://a.example").is_fetched());
    }

    #[test]
    fn what_clients_refuse_is_a_problem_that_says_what() {
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
            (Icon::new("https:"), "no URL"),
            (Icon::new("https://"), "no URL"),
            (Icon::new("https://shop.example/my icon.png"), "no URL"),
            (
                Icon::new("https://ada:secret@shop.example/a.png"),
                "password",
            ),
            (Icon::new("data:image/svg+xml,<svg/>"), "not in base64"),
            (Icon::new("data:text/html;base64,PGI+"), "no picture"),
            (Icon::new("data:;base64,PGI+"), "no picture"),
            (Icon::new("data:image/png;base64,?"), "cannot be read"),
            (Icon::new("data:image/png;base64,"), "empty"),
            (Icon::png("<svg/>"), "holds something else"),
            (Icon::svg("<html/>"), "holds something else"),
            (Icon::svg("<svg><SCRIPT>1</SCRIPT></svg>"), "script"),
            (Icon::svg("<svg><a href='javascript:1'/></svg>"), "script"),
            (Icon::data("RIFF", "image/jpeg"), "holds something else"),
            (Icon::data("x", "text/plain"), "no picture"),
            (icon().media_type("text/html"), "no picture's"),
            (icon().media_type("image/"), "no picture's"),
            (icon().media_type("image/png\r\nx"), "no picture's"),
            (icon().sizes(["48"]), "size \"48\""),
            (icon().sizes(["any", "48X48"]), "size \"48X48\""),
            (icon().sizes(["0x48"]), "size"),
            (icon().sizes(["48x"]), "size"),
            (icon().sizes(["48x123456"]), "size"),
            (Icon::data(vec![b'.'; LONGEST], "image/avif"), "more than"),
        ] {
            let found = bad.problem().unwrap_or_default();
            assert!(found.contains(part), "{}: {found}", bad.shown());
        }
        assert!(Icon::data([0; 1000], "image/avif").shown().ends_with('…'));
    }

    #[test]
    fn one_icon_and_several_are_icons() {
        let icon = || Icon::svg("<svg/>");
        assert_eq!(icons(icon()), [icon()]);
        assert_eq!(icons([icon(), icon()]), [icon(), icon()]);
        assert_eq!(icons(vec![icon()]), icons(&[icon()][..]));
    }
}
