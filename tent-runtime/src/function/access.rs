//! [`Access`]: the rule that decides which callers may call a function.
//!
//! Holds the rule and does not run it: `dispatch` does.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::BoxFuture;
use super::access_rule::IntoDecision;
use super::declaration::{AccessDeclaration, RuleDeclaration};
use crate::cx::Cx;
use crate::error::Result;

/// The rule that decides which callers may call a function.
///
/// ```
/// use tent::Access;
/// let access = Access::any([Access::role("staff"), Access::App]);
/// assert_eq!(access.to_string(), "role:staff or app");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Access {
    /// Every caller, also an anonymous one.
    Anyone,
    /// Every caller with a known identity.
    SignedIn,
    /// Callers with this role.
    Role(Cow<'static, str>),
    /// The app itself.
    App,
    /// Callers that any rule of the list allows. A list does not contain a list: [`Access::any`] flattens it.
    Any(Vec<Access>),
    /// Callers that a rule of the app allows.
    Rule(Rule),
}

impl Access {
    /// Allows callers with this role.
    pub fn role(name: impl Into<Cow<'static, str>>) -> Self {
        Access::Role(name.into())
    }

    /// Allows callers that any of these rules allows.
    pub fn any(list: impl IntoIterator<Item = Access>) -> Self {
        let flat = list.into_iter().flat_map(|one| match one {
            Access::Any(list) => list,
            one => vec![one],
        });
        Access::Any(flat.collect())
    }

    /// Allows callers that a rule of the app allows. The rule sees the caller, never the input. `name` appears in
    /// listings and in the log. A closure that is not async runs on the blocking pool, as a plain `fn` does.
    ///
    /// ```
    /// use tent::Access;
    /// let named_ada = Access::rule("named_ada", async |cx| Ok::<_, tent::Error>(cx.user()?.id == "ada"));
    /// let known = Access::rule("known", |cx| cx.caller().is_known());
    /// # let _ = (named_ada, known);
    /// ```
    pub fn rule<D, By>(
        name: impl Into<Cow<'static, str>>,
        rule: impl Fn(Cx) -> D + Send + Sync + 'static,
    ) -> Self
    where
        D: IntoDecision<'static, By>,
    {
        Access::Rule(Rule {
            name: name.into(),
            is_plain: D::IS_PLAIN,
            check: Arc::new(move |cx: &Cx| rule(cx.clone()).into_decision()),
        })
    }

    /// Whether `holds` is true for this rule or for one in its list.
    pub(crate) fn contains(&self, holds: fn(&Access) -> bool) -> bool {
        match self {
            Access::Any(list) => list.iter().any(holds),
            one => holds(one),
        }
    }
}

/// An access rule of the app: a function of the caller.
#[derive(Clone)]
pub struct Rule {
    name: Cow<'static, str>,
    is_plain: bool,
    check: Arc<Check>,
}

/// A rule as `dispatch` calls it.
type Check = dyn for<'a> Fn(&'a Cx) -> BoxFuture<'a, Result<bool>> + Send + Sync;

impl Rule {
    /// The path or the name of the rule, for listings and logs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the rule is a plain `fn`, which may block its thread.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Runs the rule for the caller of `cx`.
    pub(crate) fn check<'a>(&self, cx: &'a Cx) -> BoxFuture<'a, Result<bool>> {
        (self.check)(cx)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.name).finish()
    }
}

impl From<AccessDeclaration> for Access {
    fn from(declared: AccessDeclaration) -> Self {
        match declared {
            AccessDeclaration::Anyone => Access::Anyone,
            AccessDeclaration::SignedIn => Access::SignedIn,
            AccessDeclaration::Role(role) => Access::role(role),
            AccessDeclaration::App => Access::App,
            AccessDeclaration::Any(list) => Access::any(list.iter().copied().map(Access::from)),
            AccessDeclaration::Rule(RuleDeclaration { path, run }) => Access::Rule(Rule {
                name: path.into(),
                is_plain: run(None).is_plain(),
                check: Arc::new(move |cx: &Cx| run(Some(cx)).result()),
            }),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Anyone => f.write_str("anyone"),
            Access::SignedIn => f.write_str("signedIn"),
            Access::Role(role) => write!(f, "role:{role}"),
            Access::App => f.write_str("app"),
            Access::Rule(rule) => f.write_str(&rule.name),
            Access::Any(list) => {
                for (at, one) in list.iter().enumerate() {
                    write!(f, "{}{one}", if at > 0 { " or " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}
