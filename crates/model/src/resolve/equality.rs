//! Equalities along a solution. A value that moves continuously meets a given number for an instant only: an
//! event at `x == 0.5` would never happen, a branch on it would never be taken, and nothing would say so. Values that
//! jump (counters, held values, `sign`, `floor`) may be compared.

use super::{Resolver, View};
use crate::Role;
use ordinate_expr::{Expr as Term, ExprId, VarId};
use ordinate_syntax::{BinaryOp, Diagnostic, Expr, NodeKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// An `==` or `!=` that is seen along the solution.
pub(super) struct Equality {
    difference: ExprId,
    /// `!=` and not `==`.
    negated: bool,
    span: Span,
    /// In the condition of `when` or `stop when`.
    in_condition: bool,
}

impl Resolver<'_> {
    /// Notes an equality; what its sides are is known only after all equations.
    pub(super) fn note_equality(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span, view: View) {
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) && view == View::Trajectory {
            let difference = self.model.graph.sub(a, b);
            self.equalities.push(Equality {
                difference,
                negated: op == BinaryOp::NotEqual,
                span,
                in_condition: self.in_condition,
            });
        }
    }

    /// Reports the equalities of values that do not jump.
    pub(super) fn check_equalities(&mut self) {
        let equalities = std::mem::take(&mut self.equalities);
        if equalities.is_empty() {
            return;
        }
        let explicit = self.explicit_equations();
        for equality in equalities {
            if self.jumps_only(equality.difference, &explicit) {
                continue;
            }
            let (left, right) = self.sides_of(equality.span);
            let of_time = matches!(left, "t" | "time");
            let side = if of_time {
                format!("write `{left} >= {right}`")
            } else {
                format!("write `{left} > {right}` or `{left} < {right}`")
            };
            // What cannot be evaluated at the place itself, as sin(t)/t at 0, needs a neighbourhood of it.
            let difference = if right == "0" { left.to_string() } else { format!("{left} - {right}") };
            let (sign, branch) = if equality.negated { (">=", "else") } else { ("<", "then") };
            let around = format!("`abs({difference}) {sign} 1e-6` with the value at equality in the `{branch}` branch");
            self.report(if equality.in_condition {
                let truth = if equality.negated { "false" } else { "true" };
                let message = format!("this is {truth} for an instant only, which an event does not see");
                Diagnostic::error("instant-equality", equality.span, message)
                    .help(format!("{side}: the event happens when it becomes true"))
            } else {
                let branch = if equality.negated { "the other" } else { "this" };
                let message = format!("these values are equal for an instant only, so {branch} branch has no effect");
                let help = format!("if the formula cannot be evaluated at this place, write {around}; for what lies on one side of it {side}");
                Diagnostic::warning("instant-equality", equality.span, message).help(help)
            });
        }
    }

    /// Right-hand sides of `v = …`, and zero for the v of `v' = 0`, which only events change.
    fn explicit_equations(&mut self) -> FxHashMap<VarId, ExprId> {
        let zero = self.model.graph.integer(0);
        let mut explicit = FxHashMap::default();
        for equation in &self.model.equations {
            let Term::Var(v) = self.model.graph.node(equation.left) else { continue };
            let variable = self.model.variable(v);
            let members = &self.model.quantities[variable.quantity].members;
            match variable.primes {
                0 if members.len() == 1 => _ = explicit.insert(v, equation.right),
                1 if members.len() == 2 && equation.right == zero => {
                    explicit.extend(members[0].map(|below| (below, zero)));
                }
                _ => {}
            }
        }
        for input in &self.model.inputs {
            explicit.insert(input.var, input.value);
        }
        explicit
    }

    /// Whether an expression changes by jumps only: it is made of parameters, held values, modes of switches and
    /// named expressions of such.
    fn jumps_only(&mut self, e: ExprId, explicit: &FxHashMap<VarId, ExprId>) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if self.model.graph.uses_time(e) {
                return false;
            }
            for v in self.model.graph.variables(e) {
                match (self.model.variable(v).role, explicit.get(&v)) {
                    (Role::Parameter | Role::Held | Role::Mode, _) => {}
                    (Role::Input | Role::Unknown, Some(&value)) => {
                        if seen.insert(v) {
                            open.push(value);
                        }
                    }
                    (Role::Input | Role::Unknown, None) | (Role::Delayed, _) => return false,
                }
            }
        }
        true
    }

    /// The texts of the two sides, for the help.
    fn sides_of(&self, span: Span) -> (&str, &str) {
        let text = &self.text[span.start as usize..span.end as usize];
        let operator = ["==", "!=", "≠", "<>", "~="].into_iter().find_map(|sign| text.split_once(sign));
        match operator {
            Some((left, right)) if text.len() <= 40 && !text.contains('\n') => (left.trim(), right.trim()),
            _ => ("a", "b"),
        }
    }

    /// Whether an expression of the text is not there because of a mistake that is already reported.
    pub(super) fn is_missing(&self, e: Expr) -> bool {
        e.range().any(|at| self.tree.nodes[at].kind == NodeKind::Error)
    }
}
