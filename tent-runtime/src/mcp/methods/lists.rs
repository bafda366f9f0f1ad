//! The lists of tools, resources, resource templates and prompts, in pages.
//! Must not decide which items a caller sees: dispatch does.
//!
//! An item that the app declares is written when the functions change, once for each form that revisions differ by. A
//! page of such items is made when it is first requested, and cached. So a list costs one copy of its bytes, however
//! many items the app has.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::dispatch::Endpoint;
use crate::error::Error;
use crate::function::ResourceInfo;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::{common, prompts, resources};
use crate::mcp::protocol::content;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::{ObjectShape, Text};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{CacheHints, CacheScope, ListItems, ListResult, ResultMeta};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::protocol::tool::Tool;
use crate::mcp::session::negotiated::Negotiated;
use crate::registry::Registry;
use crate::seal::{Sealer, Use};

/// The most bytes of items on one page; a single item may be larger.
const MAX_PAGE: usize = 1 << 20;

/// The most bytes of cached pages.
const MAX_CACHED: usize = 8 << 20;

/// The lists of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum List {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl List {
    /// The list that this method returns.
    pub(crate) fn of(method: &str) -> Option<Self> {
        match method {
            "tools/list" => Some(List::Tools),
            "resources/list" => Some(List::Resources),
            "resources/templates/list" => Some(List::ResourceTemplates),
            "prompts/list" => Some(List::Prompts),
            _ => None,
        }
    }

    fn endpoint(self) -> Endpoint {
        match self {
            List::Tools => Endpoint::Mcp,
            List::Resources | List::ResourceTemplates => Endpoint::Resource,
            List::Prompts => Endpoint::Prompt,
        }
    }

    /// What a cursor is bound to, so that the cursor of one list is not valid for another.
    fn scope(self) -> &'static [u8] {
        match self {
            List::Tools => b"tools",
            List::Resources => b"resources",
            List::ResourceTemplates => b"resourceTemplates",
            List::Prompts => b"prompts",
        }
    }
}

/// Serves a method that returns a list.
pub(crate) async fn serve(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
    list: List,
) -> Result<Response, RpcError> {
    let (params, revision) = (&request.params, negotiated.revision);
    if params.shape == ObjectShape::Invalid || params.cursor == Text::Invalid {
        return Err(RpcError::params(format!(
            "The params of {} are an object, its cursor a string.",
            request.method
        )));
    }
    let started = mcp.state.start(context.key(negotiated, request.id));
    let found = started.unless_cancelled(async {
        let requester = context.requester(&negotiated.client, None);
        let mut visible = mcp.dispatcher.visible(requester, list.endpoint()).await?;
        let resources = visible.registry.resources();
        let is_one = |position: &usize| resources[*position].is_one();
        let mut dynamic = Vec::new();
        match list {
            List::Resources => {
                let (declared, templates): (Vec<_>, Vec<_>) =
                    visible.positions.into_iter().partition(is_one);
                // A template that fails, or has no time left, fails the list: a client would take what is left for the
                // whole list.
                for position in templates {
                    let template = &resources[position];
                    dynamic.extend(mcp.dispatcher.listed(template, requester).await?);
                }
                visible.positions = declared;
            }
            List::ResourceTemplates => visible.positions.retain(|position| !is_one(position)),
            List::Tools | List::Prompts => {}
        }
        Ok::<_, Error>((visible, dynamic))
    });
    let Some(found) = found.await else {
        return Ok(common::cancelled());
    };
    let (visible, dynamic) =
        found.map_err(|error| RpcError::of_method(&error, revision, mcp.realm()))?;
    let page = mcp.with_lists(&visible.registry, |lists| {
        let page = Page {
            list,
            revision,
            cursor: params.cursor.get(),
            sealer: mcp.dispatcher.sealer(),
        };
        match dynamic.is_empty() {
            true => lists.declared(&page, &visible.positions),
            false => lists.with_dynamic(&page, &visible.positions, &dynamic),
        }
    })?;
    Ok(Response::result(request.id, page.get().len(), &page))
}

/// A request for a page of a list.
struct Page<'a> {
    list: List,
    revision: Revision,
    cursor: Option<&'a str>,
    sealer: &'a Sealer,
}

impl Page<'_> {
    /// The index of the first item. `find` finds an item by its key.
    ///
    /// A cursor holds the key of an item, so that it stays valid while other items come and go.
    ///
    /// # Errors
    /// −32602 for a cursor of another list, and for an item that is not listed any more.
    fn first(&self, find: impl FnOnce(&str) -> Option<usize>) -> Result<usize, RpcError> {
        let Some(cursor) = self.cursor else {
            return Ok(0);
        };
        let key = self.sealer.open(Use::Cursor, cursor, self.list.scope());
        let key = key.ok().and_then(|key| String::from_utf8(key).ok());
        key.and_then(|key| find(&key))
            .ok_or_else(|| RpcError::params("Unknown cursor: begin again without one."))
    }
}

/// An item of a list. Its key is unique in the list: a name, a URI or a template.
struct Item<'a> {
    key: &'a str,
    json: &'a RawValue,
}

/// The revisions from which on an item may have another form. 2026-07-28 lists what 2025-11-25 lists.
const FORMS: [Revision; 4] = [
    Revision::V2024_11_05,
    Revision::V2025_03_26,
    Revision::V2025_06_18,
    Revision::V2025_11_25,
];

/// An item in each form. Equal forms share their bytes.
type Forms = [Arc<RawValue>; FORMS.len()];

fn forms<T: Serialize>(item: impl Fn(Revision) -> T) -> Forms {
    let mut last: Option<Arc<RawValue>> = None;
    FORMS.map(|revision| {
        let json = json(&item(revision));
        match &last {
            Some(last) if last.get() == json.get() => last.clone(),
            _ => last.insert(json.into()).clone(),
        }
    })
}

/// Writes an item.
fn json(item: &impl Serialize) -> Box<RawValue> {
    to_raw_value(item).expect("texts and JSON values are written to memory")
}

/// The items that an app declares, and the cached pages.
pub(crate) struct Lists {
    registry: Arc<Registry>,
    /// By position in the registry; `None` for a function that is not a tool.
    tools: Vec<Option<Forms>>,
    resources: Vec<Option<Forms>>,
    prompts: Vec<Option<Forms>>,
    ttl: Duration,
    server: Arc<RawValue>,
    cache: Mutex<PageCache>,
}

impl Lists {
    /// Writes the items of a registry. A client may cache each page for `ttl`.
    pub(crate) fn new(registry: Arc<Registry>, ttl: Duration, server: Arc<RawValue>) -> Self {
        let tools = registry.functions().iter();
        let tools = tools.map(|f| f.mcp.then(|| forms(|revision| Tool::new(f, revision))));
        let resources = registry.resources().iter();
        let resources = resources.map(|one| Some(forms(|revision| resources::item(one, revision))));
        let prompts = registry.prompts().iter();
        let prompts = prompts.map(|one| Some(forms(|revision| prompts::item(one, revision))));
        Lists {
            tools: tools.collect(),
            resources: resources.collect(),
            prompts: prompts.collect(),
            registry,
            ttl,
            server,
            cache: Mutex::default(),
        }
    }

    /// Whether these are the lists of this registry.
    pub(crate) fn is_of(&self, registry: &Arc<Registry>) -> bool {
        Arc::ptr_eq(&self.registry, registry)
    }

    /// A page of the items at these positions.
    fn declared(&self, page: &Page<'_>, positions: &[usize]) -> Result<Arc<RawValue>, RpcError> {
        let find = |key: &str| {
            let found = positions.binary_search_by(|&one| self.key(page.list, one).cmp(key));
            found.ok()
        };
        let first = page.first(find)?;
        // The page depends on nothing else.
        let key: PageKey = (page.list, page.revision, Arc::from(&positions[first..]));
        // Nothing panics while the lock is held.
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache().pages.get(&key) {
            return Ok(cached.clone());
        }
        // Two requests may make the same page at once. That is cheaper than to have all others wait for it.
        let made: Arc<RawValue> = self.write(page, self.items(page, &key.2)).into();
        cache().insert(&key, &made);
        Ok(made)
    }

    /// A page of the items at these positions and, after them, of resources that exist for one request. Of several
    /// resources with one URI the first is listed.
    fn with_dynamic(
        &self,
        page: &Page<'_>,
        positions: &[usize],
        dynamic: &[ResourceInfo],
    ) -> Result<Arc<RawValue>, RpcError> {
        let written = dynamic
            .iter()
            .map(|one| json(&content::resource_info(one, page.revision)));
        let written: Vec<_> = written.collect();
        let dynamic = dynamic.iter().zip(&written).map(|(one, json)| Item {
            key: &one.uri,
            json,
        });
        let mut seen = HashSet::new();
        let mut items: Vec<_> = self.items(page, positions).chain(dynamic).collect();
        items.retain(|item| seen.insert(item.key));
        let first = page.first(|key| items.iter().position(|item| item.key == key))?;
        Ok(self.write(page, items.into_iter().skip(first)).into())
    }

    fn items<'a>(
        &'a self,
        page: &Page<'_>,
        positions: &'a [usize],
    ) -> impl Iterator<Item = Item<'a>> {
        let (list, revision) = (page.list, page.revision);
        let items = match list {
            List::Tools => &self.tools,
            List::Resources | List::ResourceTemplates => &self.resources,
            List::Prompts => &self.prompts,
        };
        let form = FORMS.iter().rposition(|&form| form <= revision);
        positions.iter().filter_map(move |&position| {
            let forms = items.get(position)?.as_ref()?;
            Some(Item {
                key: self.key(list, position),
                json: &forms[form?],
            })
        })
    }

    /// The key of the item at this position. Positions are in the order of the keys.
    fn key(&self, list: List, position: usize) -> &str {
        match list {
            List::Tools => &self.registry.functions()[position].name,
            List::Resources | List::ResourceTemplates => self.registry.resources()[position].uri(),
            List::Prompts => &self.registry.prompts()[position].name,
        }
    }

    /// Writes the page that starts with the first of these items.
    fn write<'a>(&self, page: &Page<'_>, items: impl Iterator<Item = Item<'a>>) -> Box<RawValue> {
        let mut listed = Vec::new();
        let mut size = 0;
        let mut next_cursor = None;
        for Item { key, json } in items {
            size += json.get().len() + 1;
            if size > MAX_PAGE && !listed.is_empty() {
                let scope = page.list.scope();
                next_cursor = Some(page.sealer.seal(Use::Cursor, key.as_bytes(), scope));
                break;
            }
            listed.push(json);
        }
        let is_modern = page.revision.is_modern();
        json(&ListResult {
            items: match page.list {
                List::Tools => ListItems::Tools(listed),
                List::Resources => ListItems::Resources(listed),
                List::ResourceTemplates => ListItems::ResourceTemplates(listed),
                List::Prompts => ListItems::Prompts(listed),
            },
            next_cursor,
            cache_hints: is_modern.then(|| CacheHints::new(self.ttl, CacheScope::Private)),
            meta: ResultMeta::of_server(is_modern.then_some(&*self.server)),
        })
    }
}

/// A page is identified by its list, its revision, and the positions of its first item and all that follow.
type PageKey = (List, Revision, Arc<[usize]>);

/// The pages that were requested last, of bounded size. Its entries do not expire, since they belong to one snapshot of
/// the functions.
#[derive(Default)]
struct PageCache {
    pages: HashMap<PageKey, Arc<RawValue>>,
    /// The oldest first, which is the first to be removed.
    order: VecDeque<PageKey>,
    size: usize,
}

impl PageCache {
    fn insert(&mut self, key: &PageKey, page: &Arc<RawValue>) {
        let size = |key: &PageKey, page: &RawValue| page.get().len() + size_of_val(&*key.2);
        let added = size(key, page);
        if added > MAX_CACHED || self.pages.contains_key(key) {
            return;
        }
        while self.size + added > MAX_CACHED
            && let Some(oldest) = self.order.pop_front()
        {
            let removed = self.pages.remove(&oldest);
            self.size -= removed.map_or(0, |page| size(&oldest, &page));
        }
        self.size += added;
        self.order.push_back(key.clone());
        self.pages.insert(key.clone(), page.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded_and_removes_the_oldest_page() {
        let key = |n: usize| -> PageKey { (List::Tools, Revision::V2026_07_28, Arc::from([n])) };
        let page = |size: usize| -> Arc<RawValue> {
            let text = "x".repeat(size - 2 - size_of::<usize>());
            json(&text).into()
        };
        let mut cache = PageCache::default();
        cache.insert(&key(0), &page(MAX_CACHED + 1));
        assert!(cache.pages.is_empty(), "it is larger than the cache");
        for n in 0..3 {
            cache.insert(&key(n), &page(MAX_CACHED / 2));
            cache.insert(&key(n), &page(MAX_CACHED / 2));
        }
        assert!(!cache.pages.contains_key(&key(0)));
        assert!(cache.pages.contains_key(&key(1)) && cache.pages.contains_key(&key(2)));
        assert_eq!((cache.order.len(), cache.size), (2, MAX_CACHED));
    }
}
