//! The decoupling matrix: how the inputs move the highest derivatives of the outputs.

use super::lie::{Chain, zero_factors};
use crate::design::field::Field;
use crate::design::symbolic::SymbolicError;
use crate::short;
use ordinate_expr::{ExprId, Interval};

/// The decoupling term is taken as zero at the point if it may be zero this near to it.
const NEAR: f64 = 1e-9;

/// det(L_gⱼ L_fʳ⁻¹ hᵢ) as a formula.
pub(super) fn determinant(field: &mut Field, chains: &[Chain]) -> ExprId {
    let rows: Vec<Vec<ExprId>> = chains.iter().map(|chain| chain.gains.clone()).collect();
    let g = &mut field.graph;
    let determinant = match rows.as_slice() {
        [one] => one[0],
        [a, b] => {
            let (p, q) = (g.mul(a[0], b[1]), g.mul(a[1], b[0]));
            g.sub(p, q)
        }
        rows => {
            let mut sum = g.integer(0);
            for j in 0..3 {
                let (k, l) = ((j + 1) % 3, (j + 2) % 3);
                let (p, q) = (g.mul(rows[1][k], rows[2][l]), g.mul(rows[1][l], rows[2][k]));
                let minor = g.sub(p, q);
                let term = g.mul(rows[0][j], minor);
                sum = g.add(sum, term);
            }
            sum
        }
    };
    field.simple(determinant)
}

/// The determinant must not be zero: neither everywhere nor at the point.
pub(super) fn decoupled(
    field: &mut Field,
    chains: &[Chain],
    determinant: ExprId,
    point: &[Interval],
    t: f64,
) -> Result<f64, SymbolicError> {
    if field.vanishes(determinant) {
        let degrees: Vec<String> =
            chains.iter().map(|chain| format!("{} of `{}`", chain.degree(), chain.output)).collect();
        return Err(SymbolicError::model(
            format!(
                "the decoupling matrix is singular everywhere (relative degrees {}): the inputs move the outputs together",
                degrees.join(", ")
            ),
            "choose other outputs, or put an integrator before the input that acts first (dynamic extension)",
        ));
    }
    let mut place: Vec<Interval> = point
        .iter()
        .map(|side| {
            let margin = NEAR * side.size().max(1.0);
            Interval::new(side.low - margin, side.high + margin)
        })
        .collect();
    place.extend(vec![Interval::ZERO; field.inputs.len()]);
    place.push(Interval::point(t));
    let tape = field.tape(&[determinant]);
    let bounds = tape.bounds(&place)[0];
    let middle: Vec<f64> = place.iter().map(|side| side.middle()).collect();
    let value = tape.values(&middle)[0];
    if bounds.contains_zero() || !value.is_finite() {
        let at: Vec<String> =
            field.names.iter().zip(&middle).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
        let factors = zero_factors(field, determinant);
        let factors: Vec<String> = factors.into_iter().map(|factor| format!("{} = 0", field.text(factor))).collect();
        let whole = field.text(determinant);
        return Err(SymbolicError::none(
            format!(
                "the decoupling term {whole} vanishes at the point ({}): the relative degree is not defined there",
                at.join(", ")
            ),
            format!("choose a point away from {} with `--at`, or another output", factors.join(" and ")),
        ));
    }
    Ok(value)
}
