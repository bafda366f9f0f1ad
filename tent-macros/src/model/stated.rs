//! What the options of an attribute state, each read on its own. Part of `model`.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Expr, Path};
use tent_core::codes;

use super::Kind;
use crate::fault::{Faults, choose, fault};
use crate::options::{At, Known, Written};
use crate::values::{self, Access};

/// The options of the attribute, each as it was written or absent.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) krate: Option<Path>,
    pub(crate) access: Option<At<Access>>,
    pub(crate) about: Option<At<String>>,
    pub(crate) name: Option<At<String>>,
    pub(crate) title: Option<At<String>>,
    pub(crate) mcp: Option<Span>,
    pub(crate) api: Option<At<bool>>,
    pub(crate) danger: Option<Span>,
    pub(crate) asks: Option<Span>,
    pub(crate) scope: Option<At<String>>,
    pub(crate) writes: Option<Span>,
    pub(crate) changes: Option<At<bool>>,
    pub(crate) sends: Option<At<bool>>,
    pub(crate) idempotent: Option<At<bool>>,
    pub(crate) retry: Option<At<bool>>,
    pub(crate) blocking: Option<At<bool>>,
    pub(crate) timeout: Option<u64>,
    pub(crate) limit: Option<(u32, u64)>,
    pub(crate) needs: Vec<At<String>>,
    pub(crate) on: Option<At<String>>,
    pub(crate) icons: Option<Expr>,
    pub(crate) uri: Option<At<String>>,
    pub(crate) media_type: Option<At<String>>,
    pub(crate) list: Option<Path>,
    pub(crate) subscribe: Option<At<bool>>,
    pub(crate) annotations: Option<Expr>,
    pub(crate) size: Option<Expr>,
    pub(crate) meta: Option<Expr>,
}

/// Every option of this attribute.
pub(super) fn known(kind: Kind) -> &'static Known<'static> {
    match kind {
        Kind::Query | Kind::Change | Kind::Action => &CALLED,
        Kind::Resource => &RESOURCE,
        Kind::Prompt => &PROMPT,
    }
}

const RESOURCE: Known<'static> = Known {
    on: "a resource",
    example: "`name = value`",
    names: &[
        "about",
        "access",
        "annotations",
        "blocking",
        "crate",
        "icons",
        "limit",
        "list",
        "media_type",
        "meta",
        "name",
        "needs",
        "scope",
        "size",
        "subscribe",
        "timeout",
        "title",
        "uri",
    ],
};

const PROMPT: Known<'static> = Known {
    on: "a prompt",
    example: "`name = value`",
    names: &[
        "about", "access", "blocking", "crate", "icons", "limit", "meta", "name", "needs", "scope",
        "timeout", "title",
    ],
};

const CALLED: Known<'static> = Known {
    on: "a function",
    example: "`name = value`",
    names: &[
        "about",
        "access",
        "api",
        "asks",
        "blocking",
        "changes",
        "crate",
        "danger",
        "icons",
        "idempotent",
        "limit",
        "meta",
        "name",
        "needs",
        "offer",
        "on",
        "retry",
        "scope",
        "sends",
        "timeout",
        "title",
        "writes",
    ],
};

/// One option into its place.
pub(super) fn take(one: &Written, stated: &mut Options) -> syn::Result<()> {
    match one.name.unraw().to_string().as_str() {
        "about" => stated.about = Some(one.text()?),
        "access" => {
            let value = one.expression()?;
            stated.access = Some(At {
                value: values::access(value)?,
                span: value.span(),
            });
        }
        "annotations" => stated.annotations = Some(one.expression()?.clone()),
        "api" => stated.api = Some(one.flag()?),
        "asks" => stated.asks = Some(one.one_of(&["page"])?.span),
        "blocking" => stated.blocking = Some(one.flag()?),
        "changes" => stated.changes = Some(one.flag()?),
        "crate" => stated.krate = Some(one.krate()?.clone()),
        "danger" => stated.danger = Some(one.one_of(&["ask"])?.span),
        "icons" => stated.icons = Some(one.expression()?.clone()),
        "idempotent" => stated.idempotent = Some(one.flag()?),
        "limit" => stated.limit = Some(values::rate(&one.text()?)?),
        "list" => stated.list = Some(one.path("list")?.clone()),
        "media_type" => {
            let media_type = one.text()?;
            values::media_type(&media_type)?;
            stated.media_type = Some(media_type);
        }
        "meta" => stated.meta = Some(one.expression()?.clone()),
        "name" => stated.name = Some(one.text()?),
        "needs" => {
            stated.needs = one.texts()?;
            each(&stated.needs, values::capability)?;
        }
        "offer" => {
            let offers = one.texts()?;
            stated.mcp = offers.first().map(|offer| offer.span);
            each(&offers, offer)?;
        }
        "on" => {
            let method = one.text()?;
            values::method(&method)?;
            stated.on = Some(method);
        }
        "retry" => stated.retry = Some(one.flag()?),
        "scope" => {
            let scope = one.text()?;
            values::scope(&scope)?;
            stated.scope = Some(scope);
        }
        "sends" => stated.sends = Some(one.flag()?),
        "size" => stated.size = Some(one.expression()?.clone()),
        "subscribe" => stated.subscribe = Some(one.flag()?),
        "timeout" => stated.timeout = Some(values::duration(&one.text()?)?),
        "title" => stated.title = Some(one.text()?),
        "uri" => stated.uri = Some(one.text()?),
        "writes" => stated.writes = Some(one.one_of(&["adds"])?.span),
        _ => {}
    }
    Ok(())
}

fn each(all: &[At<String>], check: fn(&At<String>) -> syn::Result<()>) -> syn::Result<()> {
    let mut faults = Faults::default();
    for one in all {
        faults.handle(check(one));
    }
    faults.finish_with(())
}

fn offer(offer: &At<String>) -> syn::Result<()> {
    if offer.value == "mcp" {
        return Ok(());
    }
    let what = format!("there is no offer {:?}", offer.value);
    let help = match offer.value.as_str() {
        "api" => "leave it out: a function is at /api unless it states `api = false`".to_owned(),
        other => choose(other, &["mcp"]),
    };
    Err(fault(codes::UNKNOWN_OFFER, offer.span, &what, &help))
}
