//! Differentiation in time along the solution: each quantity has its next derivative, an input that of its expression;
//! modes of switches and held values are constant between events.

use super::joints::Switches;
use crate::{Model, Role};
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::FxHashMap;

/// de/dt. Derivatives that the text does not have become variables of the model.
pub(super) fn total(model: &mut Model, e: ExprId) -> ExprId {
    let (zero, one) = (model.graph.integer(0), model.graph.integer(1));
    let mut slopes: FxHashMap<VarId, ExprId> = FxHashMap::default();
    for v in model.graph.variables(e) {
        let slope = match model.variable(v).role {
            // a delayed value is refused before it comes to this, see `jump`
            Role::Mode | Role::Delayed => zero,
            Role::Parameter | Role::Held => {
                model.differentiated.insert(v);
                zero
            }
            Role::Input => match model.inputs.iter().find(|input| input.var == v).map(|input| input.value) {
                // inputs are made of earlier ones, so this ends
                Some(value) => {
                    model.differentiated.insert(v);
                    total(model, value)
                }
                None => zero,
            },
            Role::Unknown => {
                let next = model.derivative_of(v);
                model.graph.variable(next)
            }
        };
        slopes.insert(v, slope);
    }
    model.graph.derivative(e, |leaf| match leaf {
        Expr::Var(v) => slopes[&v],
        _ => one,
    })
}

/// What jumps in an equation that is differentiated.
pub(super) enum Jump {
    /// An input or a held value.
    Of(VarId),
    /// A branch whose sides do not meet.
    Branch,
}

/// What would make impulses of an expression differentiated `times` times: a jump of its value, or of its slope if it is
/// differentiated twice, and so on, at the switches asked about.
pub(super) fn jump(model: &mut Model, e: ExprId, times: u32, asked: Switches) -> Option<Jump> {
    let mut has_branches = false;
    for v in model.graph.variables(e) {
        match model.variable(v).role {
            Role::Held | Role::Delayed => return Some(Jump::Of(v)),
            Role::Input => {
                let value = model.inputs.iter().find(|input| input.var == v).map(|input| input.value);
                if value.is_some_and(|value| jump(model, value, times, asked).is_some()) {
                    return Some(Jump::Of(v));
                }
            }
            Role::Mode => has_branches = true,
            Role::Parameter | Role::Unknown => {}
        }
    }
    (has_branches && !model.is_smooth(e, times, asked)).then_some(Jump::Branch)
}
