//! Whether the branches of an expression have the same value where a switch changes between them, so that it has a derivative
//! without impulses.

use super::differentiate::total;
use super::proof::{Known, vanishes};
use crate::{Model, Role, Watch};
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Constants that differ by less, as a part of them, differ by rounding: where they are not exact numbers.
const ROUNDING: f64 = 1e-12;

/// Switches that one expression may depend on: all combinations of their sides are looked at.
const MAX_MODES: usize = 8;

/// Which switches are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switches {
    /// Those of time alone.
    OfTime,
    All,
}

/// Stands for a part of an expression while a border is solved for it.
const PART: VarId = VarId(u32::MAX);

impl Model {
    /// Whether an expression and its derivatives of orders below `times` are proved to be free of jumps where switches change.
    /// For each switch with the border g = 0 the values on its two sides are compared on the border: g is solved for one of
    /// its parts, which is put into both. Sides of other switches count where they can be at the same time. `false` where
    /// this is not proved.
    pub(crate) fn is_smooth(&mut self, e: ExprId, times: u32, asked: Switches) -> bool {
        let e = if times == 1 { self.without_joined_tables(e) } else { e };
        if self.graph.post_order(&[e]).into_iter().any(|id| self.jumps_itself(id)) {
            return false;
        }
        let watches: FxHashMap<VarId, Watch> = self.switches.iter().map(|s| (s.mode, s.watch)).collect();
        let mut modes = self.modes(&[e]);
        if asked == Switches::OfTime {
            modes.retain(|mode| self.is_of_time(watches[mode]));
        }
        let all_meet = |model: &mut Model, known: &Known| {
            modes.iter().all(|&mode| Joint { model, known, watches: &watches }.is_smooth(e, mode, times))
        };
        if all_meet(self, &Known::default()) {
            return true;
        }
        for e in modes.iter().filter_map(|mode| watches[mode].sign()).chain([e]) {
            self.mark_parameters_structural(e);
        }
        let known = Known::of(self);
        all_meet(self, &known)
    }

    /// A table with straight lines between its rows is a number there: it has no jumps.
    fn without_joined_tables(&mut self, e: ExprId) -> ExprId {
        let mut e = e;
        for id in self.graph.post_order(&[e]) {
            if self.joined_tables.contains(&id) {
                let zero = self.graph.integer(0);
                e = self.graph.replace(e, id, zero);
            }
        }
        e
    }

    fn jumps_itself(&self, id: ExprId) -> bool {
        match self.graph.node(id) {
            Expr::Lookup(..) => true,
            Expr::Var(v) => matches!(self.variable(v).role, Role::Held | Role::Delayed),
            _ => false,
        }
    }

    /// Whether a switch depends on time, parameters and inputs alone.
    fn is_of_time(&mut self, watch: Watch) -> bool {
        match watch {
            Watch::Sign(g) | Watch::Floor(g) => {
                let inside = self.graph.variables(g);
                inside.into_iter().all(|v| matches!(self.variable(v).role, Role::Parameter | Role::Input))
            }
            Watch::Segment(_) => true,
        }
    }

    fn modes(&mut self, of: &[ExprId]) -> Vec<VarId> {
        let mut found: Vec<VarId> = of.iter().flat_map(|&e| self.graph.variables(e)).collect();
        found.retain(|&v| v != PART && self.variable(v).role == Role::Mode);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Expressions where a switch changes.
struct Joint<'a> {
    model: &'a mut Model,
    known: &'a Known,
    watches: &'a FxHashMap<VarId, Watch>,
}

impl Joint<'_> {
    fn is_smooth(&mut self, e: ExprId, mode: VarId, times: u32) -> bool {
        let Some(border) = self.watches[&mode].sign() else { return false };
        let mut sides = [-1, 1].map(|side| {
            let side = self.model.graph.integer(side);
            self.model.graph.substitute(e, |v| (v == mode).then_some(side))
        });
        for derivative in 0..times {
            if derivative > 0 {
                sides = sides.map(|side| total(self.model, side));
            }
            if !self.are_equal_on(border, sides) {
                return false;
            }
        }
        true
    }

    /// Whether two expressions are equal wherever the border is zero, for all sides of other switches that are possible there.
    fn are_equal_on(&mut self, border: ExprId, [a, b]: [ExprId; 2]) -> bool {
        let modes = self.model.modes(&[border, a, b]);
        let Some(watched) = modes.iter().map(|mode| self.watches[mode].sign()).collect::<Option<Vec<ExprId>>>() else {
            return false;
        };
        if modes.len() > MAX_MODES {
            return false;
        }
        (0..1usize << modes.len()).all(|combination| {
            let sides: Vec<i64> = (0..modes.len()).map(|k| if combination >> k & 1 == 1 { 1 } else { -1 }).collect();
            let numbers: Vec<ExprId> = sides.iter().map(|&side| self.model.graph.integer(side)).collect();
            let mut all = vec![border, a, b];
            all.extend(&watched);
            let meaning = |v: VarId| modes.iter().position(|&mode| mode == v).map(|k| numbers[k]);
            let found = self.model.graph.substitute_all(&all, meaning);
            self.are_equal_here(found[0], [found[1], found[2]], &sides, &found[3..])
        })
    }

    /// The same for given sides of the other switches: true also where these cannot be together.
    fn are_equal_here(&mut self, border: ExprId, ends: [ExprId; 2], sides: &[i64], watched: &[ExprId]) -> bool {
        if self.are_equal(ends) || self.sign(border).is_some_and(|sign| sign != Ordering::Equal) {
            return true;
        }
        let parts = self.model.graph.post_order(&[border]);
        parts.into_iter().any(|part| {
            let Some(value) = self.solved_for(border, part) else { return false };
            let there = ends.map(|e| self.model.graph.replace(e, part, value));
            if self.are_equal(there) {
                return true;
            }
            sides.iter().zip(watched).any(|(&side, &g)| {
                let there = self.model.graph.replace(g, part, value);
                self.sign(there) == Some(if side > 0 { Ordering::Less } else { Ordering::Greater })
            })
        })
    }

    /// The part from border = 0, where it stands there linearly: a variable, t, or a function of others.
    fn solved_for(&mut self, border: ExprId, part: ExprId) -> Option<ExprId> {
        let g = &mut self.model.graph;
        if !matches!(g.node(part), Expr::Var(_) | Expr::Time | Expr::Call(..) | Expr::Pow(..) | Expr::Atan2(..)) {
            return None;
        }
        let (unknown, zero) = (g.variable(PART), g.integer(0));
        let opened = g.replace(border, part, unknown);
        let slope = g.partial(opened, PART);
        if g.variables(slope).contains(&PART) || vanishes(g, slope, self.known) {
            return None;
        }
        let rest = g.substitute(opened, |v| (v == PART).then_some(zero));
        let quotient = g.div(rest, slope);
        Some(g.neg(quotient))
    }

    /// Whether two expressions are proved to be equal, or are constants that are equal up to rounding.
    fn are_equal(&mut self, [a, b]: [ExprId; 2]) -> bool {
        let difference = self.model.graph.sub(a, b);
        if vanishes(&mut self.model.graph, difference, self.known) {
            return true;
        }
        if self.known.exact_value(&mut self.model.graph, difference).is_some() || self.known.is_empty() {
            return false;
        }
        let (Some(a), Some(b)) = (self.model.constant(a), self.model.constant(b)) else { return false };
        (a - b).abs() <= ROUNDING * (a.abs() + b.abs())
    }

    /// The sign of a constant. What is no exact number may have the wrong one only where it is tiny.
    fn sign(&mut self, e: ExprId) -> Option<Ordering> {
        const DOUBTFUL: f64 = 1e-9;
        let terms = self.model.graph.terms(e);
        let e = self.model.graph.sum_of_terms(&terms).unwrap_or(e);
        match self.known.exact_value(&mut self.model.graph, e) {
            Some(value) => Some(value.above().sign()),
            None if self.known.is_empty() => None,
            None => self.model.constant(e).filter(|value| value.abs() > DOUBTFUL).map(|value| value.total_cmp(&0.0)),
        }
    }
}
