//! `tools/list`: pages of bytes that are made once.
//!
//! Each tool is written once for each form that revisions differ by, when the server starts. The pages of
//! one set of tools are put together when that set is first asked for, and kept; so a list costs one
//! copy of its bytes, however many tools there are.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::dispatch::{Endpoint, Visible};
use crate::function::Meta;
use crate::function::{Function, OutputShape, ToolAnnotations};
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::common;
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::content;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::response::{self, Response, RpcError};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::negotiated::Negotiated;
use crate::registry::Registry;
use crate::seal::{Sealer, Use};

/// The most bytes of tools on one page; a single tool may be larger.
const PAGE: usize = 1 << 20;

/// The most bytes of pages that are kept together.
const KEPT: usize = 8 << 20;

/// Serves `tools/list`, which differs between the eras by its bytes alone.
pub(crate) async fn serve(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let listed = common::list(mcp, context, request, negotiated, Endpoint::Mcp);
    let started = mcp.state.start(context.key(negotiated, request.id));
    let Some(listed) = started.unless_cancelled(listed).await else {
        return Ok(common::cancelled());
    };
    let (cursor, visible) = listed?;
    let sealer = mcp.dispatcher.sealer();
    let Visible {
        registry,
        positions,
    } = visible;
    let page = mcp.with_lists(&registry, |lists| {
        lists.page(request.id, negotiated.revision, positions, cursor, sealer)
    });
    page.map(Response::ok)
}

/// The forms of a list that revisions differ by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Name, description and input.
    Plain,
    /// And annotations, the title among them.
    Annotated,
    /// And title and output, as members of their own.
    Titled,
    /// And icons.
    Pictured,
    /// The same in a result that says how long it may be kept.
    Modern,
}

impl Form {
    fn of(revision: Revision) -> Self {
        if revision.is_modern() {
            Form::Modern
        } else if revision.has_icons() {
            Form::Pictured
        } else if revision.has_titles_and_structure() {
            Form::Titled
        } else if revision.has_annotations_and_audio() {
            Form::Annotated
        } else {
            Form::Plain
        }
    }
}

/// One page, from its opening brace to the one that closes the whole answer.
type Bytes = Arc<[u8]>;

/// The pages of one list.
struct Listing {
    /// With each page the position in the registry of its first tool.
    pages: Vec<(usize, Bytes)>,
    size: usize,
}

/// A list is told by its form and by which tools are on it.
type Key = (Form, Arc<[usize]>);

/// The lists that were asked for, the oldest first to go.
#[derive(Default)]
struct Kept {
    lists: HashMap<Key, Arc<Listing>>,
    order: VecDeque<Key>,
    size: usize,
}

impl Kept {
    fn keep(&mut self, key: &Key, listing: &Arc<Listing>) {
        if listing.size > KEPT || self.lists.contains_key(key) {
            return;
        }
        while self.size + listing.size > KEPT {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            let gone = self.lists.remove(&oldest);
            self.size -= gone.map_or(0, |gone| gone.size);
        }
        self.size += listing.size;
        self.order.push_back(key.clone());
        self.lists.insert(key.clone(), listing.clone());
    }
}

/// Every tool of an app, ready to be listed.
pub(crate) struct Lists {
    /// By position in the registry; `None` for what is no tool. One array for each of the first three
    /// forms; the others have the tools of the third, but for those in `pictured`.
    tools: [Vec<Option<Box<[u8]>>>; 3],
    /// By position in the registry: the tools with icons.
    pictured: BTreeMap<usize, Box<[u8]>>,
    names: Vec<Box<str>>,
    /// What a modern result has beside the tools.
    modern: Vec<u8>,
    kept: Mutex<Kept>,
}

impl Lists {
    /// `server` is the member of `_meta` that names the server.
    pub(crate) fn new(registry: &Registry, kept_for: Duration, server: &str) -> Self {
        let each = |form| {
            let tools = registry.functions().iter();
            tools
                .map(|f| f.mcp.then(|| bytes(&tool(f, form)).into()))
                .collect()
        };
        let all = registry.functions().iter().enumerate();
        let pictured = all.filter(|(_, f)| f.mcp && !f.icons.is_empty());
        let pictured = pictured.map(|(at, f)| (at, bytes(&tool(f, Form::Pictured)).into()));
        Lists {
            pictured: pictured.collect(),
            tools: [Form::Plain, Form::Annotated, Form::Titled].map(each),
            names: registry
                .functions()
                .iter()
                .map(|f| f.name.as_str().into())
                .collect(),
            modern: hints(kept_for, Scope::Private, server),
            kept: Mutex::default(),
        }
    }

    /// The answer under `id`: the page of these tools that `cursor` tells.
    ///
    /// # Errors
    /// −32602 for a cursor that no page of this list has.
    pub(crate) fn page(
        &self,
        id: &str,
        revision: Revision,
        visible: Vec<usize>,
        cursor: Option<&str>,
        sealer: &Sealer,
    ) -> Result<Vec<u8>, RpcError> {
        let unknown = || RpcError::params("Unknown cursor: begin again without one.");
        let mut key: Key = (Form::of(revision), Arc::from(visible));
        let mut listing = self.listing(&key, sealer);
        let mut at = 0;
        if let Some(cursor) = cursor {
            let first = self.position(cursor, sealer).ok_or_else(unknown)?;
            at = match listing.pages.iter().position(|page| page.0 == first) {
                Some(at) => at,
                // It stood elsewhere when the cursor was given, and is listed still: what is left is a list of its own.
                None => {
                    let from = key.1.binary_search(&first).map_err(|_| unknown())?;
                    key.1 = Arc::from(&key.1[from..]);
                    listing = self.listing(&key, sealer);
                    0
                }
            };
        }
        let (_, page) = listing.pages.get(at).ok_or_else(unknown)?;
        let mut out = response::begin(id, page.len());
        out.extend_from_slice(page);
        Ok(out)
    }

    /// The tool at which a cursor's page begins. The cursor holds its name, so that it stays good while
    /// other tools come and go.
    fn position(&self, cursor: &str, sealer: &Sealer) -> Option<usize> {
        let name = sealer.open(Use::Cursor, cursor, b"").ok()?;
        let name = std::str::from_utf8(&name).ok()?;
        self.names.binary_search_by(|one| (**one).cmp(name)).ok()
    }

    fn listing(&self, key: &Key, sealer: &Sealer) -> Arc<Listing> {
        // Nothing panics while the lock is held.
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = kept().lists.get(key) {
            return listing.clone();
        }
        // Two may make the same list at once; that is cheaper than to have all others wait for it.
        let listing = Arc::new(self.make(key, sealer));
        kept().keep(key, &listing);
        listing
    }

    fn make(&self, (form, visible): &Key, sealer: &Sealer) -> Listing {
        let tools = match form {
            Form::Plain => &self.tools[0],
            Form::Annotated => &self.tools[1],
            Form::Titled | Form::Pictured | Form::Modern => &self.tools[2],
        };
        let pictured = |at| match form {
            Form::Pictured | Form::Modern => self.pictured.get(at),
            Form::Plain | Form::Annotated | Form::Titled => None,
        };
        let tools = visible.iter().filter_map(|at| {
            let tool = pictured(at).or(tools.get(*at)?.as_ref())?;
            Some((*at, &**tool))
        });
        let mut pages: Vec<(usize, Vec<u8>)> = Vec::new();
        for (at, tool) in tools {
            match pages.last_mut() {
                Some((_, page)) if page.len() + tool.len() < PAGE => {
                    page.push(b',');
                    page.extend_from_slice(tool);
                }
                _ => pages.push((at, [b"{\"tools\":[", tool].concat())),
            }
        }
        if pages.is_empty() {
            pages.push((0, b"{\"tools\":[".to_vec()));
        }
        let firsts: Vec<_> = pages.iter().map(|page| page.0).collect();
        let mut size = visible.len() * size_of::<usize>();
        let pages = pages
            .into_iter()
            .enumerate()
            .map(|(at, (first, mut page))| {
                page.push(b']');
                if let Some(&next) = firsts.get(at + 1) {
                    let cursor = sealer.seal(Use::Cursor, self.names[next].as_bytes(), b"");
                    page.extend_from_slice(b",\"nextCursor\":");
                    response::write(&mut page, &*cursor);
                }
                if *form == Form::Modern {
                    page.extend_from_slice(&self.modern);
                }
                page.extend_from_slice(b"}}");
                size += page.len();
                (first, page.into())
            });
        let pages = pages.collect();
        Listing { pages, size }
    }
}

/// Who may share what is kept.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// All callers are answered the same.
    Public,
    /// The answer depends on the caller. A list of tools always does: each tool wants a scope, and keys
    /// differ in theirs.
    Private,
}

/// The members that a modern result has when a client may keep it, with a comma before the first.
pub(crate) fn hints(kept_for: Duration, scope: Scope, server: &str) -> Vec<u8> {
    let mut hints = kept(kept_for, scope);
    response::meta(&mut hints, Some(server), None, &Meta::default());
    hints
}

/// The same members but for `_meta`.
pub(crate) fn kept(kept_for: Duration, scope: Scope) -> Vec<u8> {
    let scope = match scope {
        Scope::Public => "public",
        Scope::Private => "private",
    };
    let millis = kept_for.as_millis();
    format!(r#","resultType":"complete","ttlMs":{millis},"cacheScope":"{scope}""#).into_bytes()
}

fn bytes(tool: &Tool<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    response::write(&mut out, tool);
    out
}

/// A tool as it is listed, its members in the order that people read them in.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icons: Option<Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    read_only_hint: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

fn tool(function: &Function, form: Form) -> Tool<'_> {
    let title = Some(&*function.title);
    let titled = !matches!(form, Form::Plain | Form::Annotated);
    let pictured = matches!(form, Form::Pictured | Form::Modern);
    Tool {
        name: &function.name,
        title: title.filter(|_| titled),
        description: &function.about,
        input_schema: function.input.published(),
        output_schema: output(&function.output).filter(|_| titled),
        annotations: (form != Form::Plain).then(|| {
            let ToolAnnotations {
                read_only,
                destructive,
                idempotent,
                open_world,
            } = function.annotations;
            Annotations {
                title: title.filter(|_| !titled),
                read_only_hint: read_only,
                destructive_hint: destructive,
                idempotent_hint: idempotent,
                open_world_hint: open_world,
            }
        }),
        icons: content::icons(&function.icons, Revision::V2025_11_25).filter(|_| pictured),
        meta: Some(function.meta.members()).filter(|meta| titled && !meta.is_empty()),
    }
}

/// The schema of what a call gives as structured content; `None` where nothing can be said.
fn output(shape: &OutputShape) -> Option<Value> {
    match shape {
        OutputShape::Value(Some(schema)) if schema.is_object() => Some(schema.published().clone()),
        OutputShape::Value(Some(schema)) => Some(schema.wrapped()),
        OutputShape::Value(None) | OutputShape::Nothing | OutputShape::Content => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
        let key = |n: usize| -> Key { (Form::Modern, Arc::from([n])) };
        let of = |size| {
            Arc::new(Listing {
                pages: Vec::new(),
                size,
            })
        };
        let mut kept = Kept::default();
        kept.keep(&key(0), &of(KEPT + 1));
        assert!(kept.lists.is_empty(), "too large to be kept at all");
        for n in 0..3 {
            kept.keep(&key(n), &of(KEPT / 2));
            kept.keep(&key(n), &of(KEPT / 2));
        }
        assert!(!kept.lists.contains_key(&key(0)));
        assert!(kept.lists.contains_key(&key(1)) && kept.lists.contains_key(&key(2)));
        assert_eq!((kept.order.len(), kept.size), (2, KEPT / 2 * 2));
    }
}
