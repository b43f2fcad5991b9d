//! Variables that stand in an expression and mean nothing there, since what they are multiplied with is zero.

use super::proof::{Known, dependent_rows, vanishes};
use super::reduce::Line;
use crate::{Model, Role};
use ordinate_expr::{Expr, ExprId, Graph, VarId};

/// Lines with more unknowns are taken as they are: each of them is looked at alone.
const MANY: usize = 64;

/// A sum of terms without those that cancel, and without variables that it does not depend on.
pub(super) fn tidy(model: &mut Model, e: ExprId, known: &Known) -> ExprId {
    let terms = model.graph.terms(e);
    let mut e = model.graph.sum_of_terms(&terms).unwrap_or(e);
    for v in model.graph.variables(e) {
        if model.variable(v).role != Role::Unknown {
            continue;
        }
        let slope = model.graph.partial(e, v);
        if !vanishes(&mut model.graph, slope, known) {
            continue;
        }
        mark_if_by_value(model, &[vec![slope]]);
        e = without(model, &[e], v)[0];
    }
    e
}

/// Takes variables out of lines that do not depend on them, such as x in (a − 3·b)·x with a = 0.3, b = 0.1: what stands in a
/// line counts as something that it can determine.
pub(super) fn drop_vanishing(model: &mut Model, lines: &mut [Line]) {
    let known = Known::of(model);
    // most derivatives are of no use later, and the order of nodes is that of operands in what is printed and evaluated
    let mut scratch = model.graph.clone();
    for line in lines {
        let residual = scratch.sub(line.left, line.right);
        let mut inside = scratch.variables(residual);
        inside.retain(|&v| model.variable(v).role == Role::Unknown);
        if inside.len() > MANY {
            continue;
        }
        for v in inside {
            let slope = scratch.partial(residual, v);
            if scratch.constant_value(slope).is_none() && vanishes(&mut scratch, slope, &known) {
                let residual = model.graph.sub(line.left, line.right);
                let slope = model.graph.partial(residual, v);
                mark_if_by_value(model, &[vec![slope]]);
                let sides = without(model, &[line.left, line.right], v);
                (line.left, line.right) = (sides[0], sides[1]);
            }
        }
    }
}

/// Expressions with any value for a variable that they do not depend on.
fn without(model: &mut Model, sides: &[ExprId], v: VarId) -> Vec<ExprId> {
    let (zero, one) = (model.graph.integer(0), model.graph.integer(1));
    let found = model.graph.substitute_all(sides, |w| (w == v).then_some(zero));
    // (x/v)·v has no value at v = 0
    match found.iter().any(|&e| has_pole(model, e)) {
        true => model.graph.substitute_all(sides, |w| (w == v).then_some(one)),
        false => found,
    }
}

/// Whether an expression divides by the number zero.
fn has_pole(model: &mut Model, e: ExprId) -> bool {
    let zero = model.graph.integer(0);
    let divisor = |g: &Graph, id: ExprId| match g.node(id) {
        Expr::Div(_, b) => Some(b),
        Expr::Pow(b, n) if g.constant_value(n).is_none_or(|n| n.is_negative()) => Some(b),
        _ => None,
    };
    model.graph.post_order(&[e]).into_iter().any(|id| divisor(&model.graph, id) == Some(zero))
}

/// Where rows depend on each other for the values of parameters only, these decide which equations there are.
pub(super) fn mark_if_by_value(model: &mut Model, rows: &[Vec<ExprId>]) {
    if dependent_rows(&mut model.graph, rows, &Known::default()).is_none() {
        rows.iter().flatten().for_each(|&e| model.mark_parameters_structural(e));
    }
}
