//! Lie derivatives of the outputs: how often an output must be differentiated until an input shows.
//!
//! ```text
//!   x′ = f(x) + Σⱼ gⱼ(x) uⱼ        y⁽ᵏ⁾ = L_fᵏ h   for k < r        y⁽ʳ⁾ = L_fʳ h + Σⱼ L_gⱼ L_fʳ⁻¹ h uⱼ
//! ```
//!
//! A. Isidori, Nonlinear Control Systems (3rd ed., Springer 1995), sections 4.1, 5.1.

use crate::design::field::Field;
use crate::design::symbolic::SymbolicError;
use ordinate_expr::{ExprId, Interval};

/// An output, its derivatives, and how the inputs move the highest of them.
pub(super) struct Chain {
    pub output: String,
    /// h, L_f h, …, L_fʳ⁻¹ h
    pub derivatives: Vec<ExprId>,
    /// L_fʳ h
    pub drift: ExprId,
    /// L_gⱼ L_fʳ⁻¹ h, one per input.
    pub gains: Vec<ExprId>,
}

impl Chain {
    /// r
    pub fn degree(&self) -> usize {
        self.derivatives.len()
    }
}

/// Every rate must be affine in the inputs: ∂²f/∂uⱼ∂uₗ = 0.
pub(super) fn affine(field: &mut Field) -> Result<(), SymbolicError> {
    let inputs = field.inputs.clone();
    for k in 0..field.order() {
        for &u in &inputs {
            let slope = field.graph.partial(field.rates[k], u);
            for &other in &inputs {
                let second = field.graph.partial(slope, other);
                if !field.vanishes(second) {
                    let slope = field.simple(slope);
                    let (state, input, slope) = (field.names[k].clone(), field.name(u), field.text(slope));
                    return Err(SymbolicError::model(
                        format!(
                            "the rate of `{state}` is not affine in `{input}`: its slope by `{input}` is {slope}, which depends on `{}`",
                            field.name(other)
                        ),
                        format!(
                            "add an integrator, `{input}' = w` with `input w = 0`, and linearise with `w` as the input"
                        ),
                    ));
                }
            }
        }
    }
    Ok(())
}

/// The expression for inputs of zero.
fn without_inputs(field: &mut Field, e: ExprId) -> ExprId {
    let inputs = field.inputs.clone();
    let zero = field.graph.integer(0);
    field.graph.substitute(e, |v| inputs.contains(&v).then_some(zero))
}

/// Differentiates an output until an input shows.
pub(super) fn chain(field: &mut Field, output: &str, h: ExprId) -> Result<Chain, SymbolicError> {
    let inputs = field.inputs.clone();
    let mut derivatives = vec![h];
    for &u in &inputs {
        let direct = field.graph.partial(h, u);
        if !field.vanishes(direct) {
            return Err(SymbolicError::model(
                format!("`{output}` contains the input `{}` itself: its relative degree is 0", field.name(u)),
                "choose an output of the states",
            ));
        }
    }
    for _ in 0..field.order() {
        let last = *derivatives.last().expect("h is there");
        let next = field.along(last);
        let mut gains = Vec::new();
        let mut shows = false;
        for &u in &inputs {
            let gain = field.graph.partial(next, u);
            let zero = field.vanishes(gain);
            shows |= !zero;
            let gain = if zero { field.graph.integer(0) } else { without_inputs(field, gain) };
            gains.push(field.simple(gain));
        }
        let drift = without_inputs(field, next);
        let drift = field.simple(drift);
        if shows {
            return Ok(Chain { output: output.into(), derivatives, drift, gains });
        }
        derivatives.push(drift);
    }
    let names: Vec<String> = inputs.iter().map(|&u| format!("`{}`", field.name(u))).collect();
    Err(SymbolicError::model(
        format!(
            "{} does not reach `{output}`: no derivative of it up to order {} has it",
            names.join(", "),
            field.order()
        ),
        "choose an output that the input moves; `ordinate linearize` shows what is controllable",
    ))
}

/// Factors of an expression that can be zero for some value of the states: where a decoupling term vanishes.
pub(super) fn zero_factors(field: &mut Field, e: ExprId) -> Vec<ExprId> {
    use ordinate_expr::Expr;
    let mut open = vec![e];
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        match field.graph.node(id) {
            Expr::Mul(a, b) => open.extend([b, a]),
            Expr::Div(a, _) | Expr::Neg(a) | Expr::Pow(a, _) => open.push(a),
            _ => {
                let everywhere = everywhere(field, id);
                if everywhere.contains_zero() && !found.contains(&id) {
                    found.push(id);
                }
            }
        }
    }
    found
}

/// Bounds of an expression whatever the states are.
pub(super) fn everywhere(field: &mut Field, e: ExprId) -> Interval {
    let places = field.order() + field.inputs.len() + 1;
    field.tape(&[e]).bounds(&vec![Interval::ALL; places])[0]
}
