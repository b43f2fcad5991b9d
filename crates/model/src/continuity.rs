//! Whether the branches of an expression meet where time changes from one to another.

use crate::{Model, Role, Watch};
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values that differ by less, as a part of them, differ by rounding: where they are not exact numbers.
const ROUNDING: f64 = 1e-12;

/// The two sides of a time at which branches change.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Before,
    Behind,
}

impl Model {
    /// Whether an expression and its derivatives of orders below `times` are free of jumps in time: its branches meet as those
    /// of `abs`, `ramp`, `min`, `max` and of a table with straight lines do, or have the same values where a straight line
    /// of time changes its sign. `false` where this is not seen.
    pub(crate) fn is_smooth(&mut self, e: ExprId, times: u32) -> bool {
        let watches: FxHashMap<VarId, Watch> = self.switches.iter().map(|s| (s.mode, s.watch)).collect();
        let mut seen = FxHashSet::default();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if !seen.insert(e) || (times == 1 && self.joined_tables.contains(&e)) {
                continue;
            }
            match self.graph.node(e) {
                Expr::Lookup(..) => return false,
                Expr::Var(v) if matches!(self.variable(v).role, Role::Mode | Role::Held | Role::Delayed) => {
                    return false;
                }
                Expr::Select(condition, a, b) => {
                    let modes = self.graph.variables(condition);
                    for mode in &modes {
                        let Some(&Watch::Sign(border)) = watches.get(mode) else { return false };
                        let meet = times == 1 && modes.len() == 1 && self.meet_at_border(a, b, border);
                        if !meet && !self.meet_in_time(e, border, times, &watches) {
                            return false;
                        }
                    }
                    open.extend([a, b]);
                }
                node => open.extend(node.operands()),
            }
        }
        true
    }

    /// Whether two branches differ by a multiple of what changes its sign between them.
    fn meet_at_border(&mut self, a: ExprId, b: ExprId, border: ExprId) -> bool {
        let difference = self.graph.sub(a, b);
        let (mut rest, border) = (self.graph.terms(difference), self.graph.terms(border));
        let factor = match (rest.iter().next(), border.iter().next()) {
            (None, _) => return true,
            (Some((of, first)), Some((by, unit))) if of == by => first.over(unit),
            _ => None,
        };
        let Some(factor) = factor else { return false };
        rest.add_all(&border, &factor.negated());
        rest.iter().next().is_none()
    }

    /// Whether a branch has the same value, and derivatives below `times`, on both sides of the time at which the border, a
    /// straight line, is zero.
    fn meet_in_time(&mut self, e: ExprId, border: ExprId, times: u32, watches: &FxHashMap<VarId, Watch>) -> bool {
        let Some(at) = self.crossing(border) else { return false };
        let [Some(before), Some(behind)] = [Side::Before, Side::Behind].map(|side| self.on_side(e, at, side, watches))
        else {
            return false;
        };
        let (zero, one) = (self.graph.integer(0), self.graph.integer(1));
        let mut sides = [before, behind];
        for _ in 0..times {
            let values = sides.map(|side| self.graph.at_time(side, at));
            if !self.are_equal(values) {
                return false;
            }
            sides = sides.map(|side| self.graph.derivative(side, |leaf| if leaf == Expr::Time { one } else { zero }));
        }
        true
    }

    /// The time at which a straight line of time, with parameters as coefficients, is zero.
    fn crossing(&mut self, line: ExprId) -> Option<ExprId> {
        let of_parameters = self.graph.variables(line).iter().all(|&v| self.variable(v).role == Role::Parameter);
        let (zero, one) = (self.graph.integer(0), self.graph.integer(1));
        let slope = self.graph.derivative(line, |leaf| if leaf == Expr::Time { one } else { zero });
        if !of_parameters || self.graph.uses_time(slope) || self.constant(slope).is_none_or(|slope| slope == 0.0) {
            return None;
        }
        let start = self.graph.at_time(line, zero);
        let quotient = self.graph.div(start, slope);
        Some(self.graph.neg(quotient))
    }

    /// An expression of time on one side of a time: the modes in it are what they are there.
    fn on_side(&mut self, e: ExprId, at: ExprId, side: Side, watches: &FxHashMap<VarId, Watch>) -> Option<ExprId> {
        let mut modes: FxHashMap<VarId, ExprId> = FxHashMap::default();
        let (zero, one) = (self.graph.integer(0), self.graph.integer(1));
        for v in self.graph.variables(e) {
            match self.variable(v).role {
                Role::Parameter => {}
                Role::Mode => {
                    let &Watch::Sign(g) = watches.get(&v)? else { return None };
                    self.crossing(g)?;
                    let now = self.graph.at_time(g, at);
                    let sign = if self.are_equal([now, zero]) {
                        let slope = self.graph.derivative(g, |leaf| if leaf == Expr::Time { one } else { zero });
                        let slope = self.constant(slope)?;
                        if side == Side::Before { -slope } else { slope }
                    } else {
                        self.constant(now)?
                    };
                    let mode = self.graph.integer(if sign < 0.0 { -1 } else { 1 });
                    modes.insert(v, mode);
                }
                Role::Unknown | Role::Input | Role::Held | Role::Delayed => return None,
            }
        }
        Some(self.graph.substitute(e, |v| modes.get(&v).copied()))
    }

    /// Whether two constants are the same number: exactly where they are made of decimals, or are the same for all values of the
    /// parameters; else up to rounding, for the values that those have.
    fn are_equal(&mut self, [a, b]: [ExprId; 2]) -> bool {
        let (difference, one) = (self.graph.sub(a, b), self.graph.integer(1));
        let terms = self.graph.terms(difference);
        if terms.iter().all(|(e, _)| e == one) {
            return terms.iter().next().is_none();
        }
        self.mark_parameters_structural(difference);
        let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) else { return false };
        (a - b).abs() <= ROUNDING * (a.abs() + b.abs())
    }
}
