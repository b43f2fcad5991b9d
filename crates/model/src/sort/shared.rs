//! Residuals that share an unknown whose formula is linear, as the current of a source through its resistance does:
//!
//! ```text
//!   i := (u − (a − b))/R      0 = i − d₁(a) + d₃(a),   0 = i + d₂(b) − d₄(b)
//! ```
//!
//! Beside 1/R in both lines the conductances of blocked diodes are nothing, 10⁻⁸⁵ say, and with them goes what holds a + b. In the
//! difference of the two lines they are all there is once the saturation currents −Is of all diodes have cancelled, too:
//!
//! ```text
//!   0 = i − d₁ + d₃,   0 = Is (exp₁ + exp₂ − exp₃ − exp₄)
//! ```
//!
//! It is one step of elimination made before values are known.

use super::inlined::Inlined;
use super::proof::divisor;
use crate::{Model, Role};
use ordinate_expr::{Expr, ExprId, Function, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Takes a line from the others with which it shares an unknown that has a linear formula, and constants out of lines in which
/// they cancel. `explicit` are the unknowns with a formula, `open` those without.
pub(super) fn separate(
    model: &mut Model,
    residuals: &mut [(ExprId, usize)],
    explicit: &[VarId],
    open: &FxHashSet<VarId>,
    definitions: &[Option<ExprId>],
) {
    let mut inlined = Inlined::new(definitions, FxHashSet::default());
    for &v in explicit {
        let formula = model.graph.variable(v);
        let formula = inlined.expression(model, formula);
        if !is_linear(model, formula, open) {
            continue;
        }
        let slopes: Vec<(usize, ExprId)> = (0..residuals.len())
            .filter_map(|k| {
                let slope = model.graph.partial(residuals[k].0, v);
                divisor(model, slope).map(|_| (k, slope))
            })
            .collect();
        let Some((&(first, by), others)) = slopes.split_first() else { continue };
        for &(k, slope) in others {
            let factor = model.graph.div(slope, by);
            let product = model.graph.mul(factor, residuals[first].0);
            let rest = model.graph.sub(residuals[k].0, product);
            let zero = model.graph.integer(0);
            let rest = model.graph.substitute(rest, |w| (w == v).then_some(zero));
            residuals[k].0 = rest;
        }
    }
    for (residual, _) in residuals {
        let full = inlined.expression(model, *residual);
        *residual = without_constants(model, full).unwrap_or(*residual);
    }
}

/// Whether an expression has open unknowns, all with constant factors.
fn is_linear(model: &mut Model, e: ExprId, open: &FxHashSet<VarId>) -> bool {
    let inside: Vec<VarId> = model.graph.variables(e).into_iter().filter(|v| open.contains(v)).collect();
    !inside.is_empty()
        && inside.into_iter().all(|v| {
            let slope = model.graph.partial(e, v);
            model.constant(slope).is_some()
        })
}

/// A sum whose constant terms cancel without them: −Is beside Is·exp(−170) is all that is left of it. `None` where there are none,
/// or some stay.
fn without_constants(model: &mut Model, e: ExprId) -> Option<ExprId> {
    let all = distributed(model, e);
    let is_constant = |model: &mut Model, e: ExprId| model.constant(e).is_some();
    let parts = summands(model, all);
    // eˣ − 1 has a constant, too
    let has_constant = |model: &mut Model, e: ExprId| {
        matches!(model.graph.node(e), Expr::Call(Function::Expm1, _)) || is_constant(model, e)
    };
    if !parts.into_iter().any(|part| has_constant(model, part)) {
        return None;
    }
    let terms = model.graph.terms(all);
    if terms.iter().any(|(term, _)| is_constant(model, term)) {
        return None;
    }
    model.graph.sum_of_terms(&terms)
}

/// The parts of a sum, without their signs.
fn summands(model: &Model, e: ExprId) -> Vec<ExprId> {
    let (mut open, mut seen, mut found) = (vec![e], FxHashSet::default(), Vec::new());
    while let Some(id) = open.pop() {
        match model.graph.node(id) {
            _ if !seen.insert(id) => {}
            Expr::Neg(a) => open.push(a),
            Expr::Add(a, b) | Expr::Sub(a, b) => open.extend([a, b]),
            _ => found.push(id),
        }
    }
    found
}

/// c·(a ± b) as c·a ± c·b for all c of numbers and parameters.
fn distributed(model: &mut Model, e: ExprId) -> ExprId {
    let mut fixed: FxHashSet<ExprId> = FxHashSet::default();
    let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for id in model.graph.post_order(&[e]) {
        let node = model.graph.node(id);
        let is_fixed = match node {
            Expr::Const(_) | Expr::Pi => true,
            Expr::Var(v) => model.variable(v).role == Role::Parameter,
            Expr::Neg(a) => fixed.contains(&a),
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
                fixed.contains(&a) && fixed.contains(&b)
            }
            _ => false,
        };
        if is_fixed {
            fixed.insert(id);
        }
        let new = match node {
            _ if is_fixed => id,
            Expr::Neg(a) => model.graph.neg(made[&a]),
            Expr::Add(a, b) => model.graph.add(made[&a], made[&b]),
            Expr::Sub(a, b) => model.graph.sub(made[&a], made[&b]),
            Expr::Mul(a, b) if fixed.contains(&a) => over_sum(model, made[&b], &|g, part| g.mul(a, part)),
            Expr::Mul(a, b) if fixed.contains(&b) => over_sum(model, made[&a], &|g, part| g.mul(b, part)),
            Expr::Div(a, b) if fixed.contains(&b) => over_sum(model, made[&a], &|g, part| g.div(part, b)),
            // no sum: what is inside stays as it is
            _ => id,
        };
        made.insert(id, new);
    }
    made[&e]
}

/// An operation on each part of a sum.
fn over_sum(model: &mut Model, sum: ExprId, on: &dyn Fn(&mut ordinate_expr::Graph, ExprId) -> ExprId) -> ExprId {
    let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut open = vec![sum];
    while let Some(&id) = open.last() {
        let operands: Vec<ExprId> = match model.graph.node(id) {
            Expr::Neg(a) => vec![a],
            Expr::Add(a, b) | Expr::Sub(a, b) => vec![a, b],
            _ => Vec::new(),
        };
        let before = open.len();
        open.extend(operands.iter().filter(|operand| !made.contains_key(operand)));
        if open.len() > before {
            continue;
        }
        let g = &mut model.graph;
        let new = match g.node(id) {
            Expr::Neg(a) => g.neg(made[&a]),
            Expr::Add(a, b) => g.add(made[&a], made[&b]),
            Expr::Sub(a, b) => g.sub(made[&a], made[&b]),
            Expr::Call(Function::Expm1, a) => {
                let (power, one) = (g.call(Function::Exp, a), g.integer(1));
                let (power, one) = (on(g, power), on(g, one));
                g.sub(power, one)
            }
            _ => on(g, id),
        };
        made.insert(id, new);
        open.pop();
    }
    made[&sum]
}
