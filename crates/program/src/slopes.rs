//! dg/dt of the switches along the solution.
//!
//! Where a switch depends on algebraic states, it needs their rates of change. They follow from the equations
//! 0 = g(t, x, z), whose derivative along the solution is zero, too:
//!
//! ```text
//!   ∂g/∂z · z′ = −(∂g/∂t + ∂g/∂x · x′)
//! ```

use crate::compile::Compiler;
use crate::{Jacobian, Section, jacobian};
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::FxHashMap;

/// What the rates of change of the algebraic states follow from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// ∂g/∂t + ∂g/∂x · x′.
    pub section: Section,
    /// ∂g/∂z; its columns count all states.
    pub jacobian: Jacobian,
}

/// The slopes of what is watched and of its variations, and the rates if they need them.
pub(crate) fn compile(c: &mut Compiler, watched: &[ExprId], varied: &[ExprId]) -> ([Section; 2], Option<Rates>) {
    let derivative_of = rates_of(c);
    let algebraic: Vec<VarId> = c.sorted.algebraic.iter().map(|algebraic| algebraic.var).collect();
    let mut known: FxHashMap<VarId, ExprId> = FxHashMap::default();
    let all = watched.iter().chain(varied);
    let roots: Vec<ExprId> = all.map(|&g| total_derivative(c, g, &derivative_of, &mut known)).collect();
    let needed = roots.iter().any(|&root| {
        let variables = c.sorted.model.graph.variables(root);
        c.rates.iter().any(|rate| variables.contains(rate))
    });
    let (of_watched, of_varied) = roots.split_at(watched.len());
    let slopes = [c.section(of_watched), c.section(of_varied)];
    if !needed {
        return (slopes, None);
    }
    let zero = c.sorted.model.graph.integer(0);
    let mut known: FxHashMap<VarId, ExprId> = algebraic.iter().map(|&z| (z, zero)).collect();
    let residuals: Vec<ExprId> = c.sorted.algebraic.iter().map(|algebraic| algebraic.residual).collect();
    let others: Vec<ExprId> = residuals.iter().map(|&g| total_derivative(c, g, &derivative_of, &mut known)).collect();
    let first = c.sorted.states.len() as u32;
    let rates = Rates { section: c.section(&others), jacobian: jacobian::compile(c, &residuals, first) };
    (slopes, Some(rates))
}

/// The variables that are the rates of change of the states.
fn rates_of(c: &Compiler) -> FxHashMap<VarId, VarId> {
    let mut derivative_of: FxHashMap<VarId, VarId> =
        c.sorted.states.iter().map(|state| (state.var, state.derivative)).collect();
    let moving = c.sorted.algebraic.iter().map(|algebraic| algebraic.var).zip(c.rates.iter().copied());
    derivative_of.extend(moving);
    let delayed = c.sorted.model.delays.iter().map(|delayed| delayed.var).zip(c.delayed_slopes.iter().copied());
    derivative_of.extend(delayed);
    derivative_of
}

/// Each state has its derivative, each defined variable that of its definition. Definitions are not circular, so the depth
/// of the recursion is the depth of the user's named expressions.
fn total_derivative(
    c: &mut Compiler,
    root: ExprId,
    states: &FxHashMap<VarId, VarId>,
    known: &mut FxHashMap<VarId, ExprId>,
) -> ExprId {
    for v in c.sorted.model.graph.variables(root) {
        if known.contains_key(&v) {
            continue;
        }
        let value = if let Some(&derivative) = states.get(&v) {
            c.sorted.model.graph.variable(derivative)
        } else if let (Some(definition), false) = (c.definition(v), c.parameters.contains_key(&v)) {
            total_derivative(c, definition, states, known)
        } else {
            c.sorted.model.graph.integer(0)
        };
        known.insert(v, value);
    }
    let one = c.sorted.model.graph.integer(1);
    c.sorted.model.graph.derivative(root, |leaf| match leaf {
        Expr::Var(v) => known[&v],
        _ => one,
    })
}
