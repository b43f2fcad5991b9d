//! Expressions with the definitions of their variables put in.

use crate::Model;
use ordinate_expr::{ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What definitions become when those of their own variables are put in, each made once.
pub(super) struct Inlined<'a> {
    definitions: &'a [Option<ExprId>],
    /// Variables that stay what they are.
    kept: FxHashSet<VarId>,
    of: FxHashMap<VarId, ExprId>,
}

impl<'a> Inlined<'a> {
    pub fn new(definitions: &'a [Option<ExprId>], kept: FxHashSet<VarId>) -> Inlined<'a> {
        Inlined { definitions, kept, of: FxHashMap::default() }
    }

    /// The depth of the recursion is that of the definitions, which are not circular.
    pub fn expression(&mut self, model: &mut Model, e: ExprId) -> ExprId {
        for v in model.graph.variables(e) {
            let definition = self.definitions.get(v.0 as usize).copied().flatten();
            if let Some(definition) = definition.filter(|_| !self.kept.contains(&v) && !self.of.contains_key(&v)) {
                let value = self.expression(model, definition);
                self.of.insert(v, value);
            }
        }
        model.graph.substitute(e, |v| self.of.get(&v).copied())
    }
}
