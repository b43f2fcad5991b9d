//! Walking an expression without recursion: post-order, each node once. Also what is built on it:
//! the variables of an expression and substitution.

use crate::{Expr, ExprId, Graph, VarId};
use rustc_hash::FxHashMap;

/// Marks of visited nodes. A new walk takes a new epoch instead of clearing the marks, so that many
/// small walks over a large graph stay cheap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamps {
    epoch: u32,
    marks: Vec<u32>,
}

impl Graph {
    /// The nodes of an expression, operands before what they are used in, each once.
    pub fn post_order(&mut self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut stamps = std::mem::take(&mut self.stamps);
        stamps.marks.resize(self.len(), 0);
        stamps.epoch += 1;
        let mut order = Vec::new();
        let mut stack: Vec<(ExprId, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((id, expanded)) = stack.pop() {
            let mark = &mut stamps.marks[id.0 as usize];
            if expanded {
                order.push(id);
                continue;
            }
            if *mark == stamps.epoch {
                continue;
            }
            *mark = stamps.epoch;
            stack.push((id, true));
            let from = stack.len();
            stack.extend(self.node(id).operands().map(|operand| (operand, false)));
            stack[from..].reverse();
        }
        self.stamps = stamps;
        order
    }

    /// The variables of an expression, each once, in increasing order.
    pub fn variables(&mut self, root: ExprId) -> Vec<VarId> {
        let mut found: Vec<VarId> = self
            .post_order(&[root])
            .into_iter()
            .filter_map(|id| match self.node(id) {
                Expr::Var(v) => Some(v),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Whether t occurs in an expression.
    pub fn uses_time(&mut self, root: ExprId) -> bool {
        self.post_order(&[root]).into_iter().any(|id| self.node(id) == Expr::Time)
    }

    /// A node over other operands, with simplification.
    pub fn rebuilt(&mut self, id: ExprId, new: impl Fn(ExprId) -> ExprId) -> ExprId {
        self.rebuild(self.node(id), new)
    }

    /// The expression with variables replaced; `replacement` answers `None` for those that stay.
    pub fn substitute(&mut self, root: ExprId, replacement: impl FnMut(VarId) -> Option<ExprId>) -> ExprId {
        self.substitute_all(&[root], replacement)[0]
    }

    /// An expression with another one in place of one of its parts, wherever that stands.
    pub fn replace(&mut self, root: ExprId, part: ExprId, by: ExprId) -> ExprId {
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in self.post_order(&[root]) {
            let image = if id == part { by } else { self.rebuild(self.node(id), |operand| new[&operand]) };
            new.insert(id, image);
        }
        new[&root]
    }

    /// The expression at another time: t replaced.
    pub fn at_time(&mut self, root: ExprId, time: ExprId) -> ExprId {
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in self.post_order(&[root]) {
            let image = match self.node(id) {
                Expr::Time => time,
                node => self.rebuild(node, |operand| new[&operand]),
            };
            new.insert(id, image);
        }
        new[&root]
    }

    /// The same for several expressions, sharing the work on common parts.
    pub fn substitute_all(
        &mut self,
        roots: &[ExprId],
        mut replacement: impl FnMut(VarId) -> Option<ExprId>,
    ) -> Vec<ExprId> {
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in self.post_order(roots) {
            let image = match self.node(id) {
                Expr::Var(v) => replacement(v).unwrap_or(id),
                node => self.rebuild(node, |operand| new[&operand]),
            };
            new.insert(id, image);
        }
        roots.iter().map(|root| new[root]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_terms_do_not_overflow_the_stack() {
        let mut g = Graph::new();
        let mut sum = g.variable(VarId(0));
        for k in 1..1_000_000 {
            let v = g.variable(VarId(k));
            sum = g.sub(sum, v);
        }
        assert_eq!(g.variables(sum).len(), 1_000_000);
        let zero = g.integer(0);
        assert_eq!(g.substitute(sum, |_| Some(zero)), zero);
    }

    #[test]
    fn substitution_replaces_every_occurrence_and_simplifies() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let xy = g.mul(x, y);
        let e = g.add(xy, x);
        let two = g.integer(2);
        let result = g.substitute(e, |v| (v == VarId(0)).then_some(two));
        let two_y = g.mul(two, y);
        assert_eq!(result, g.add(two_y, two));
    }
}
