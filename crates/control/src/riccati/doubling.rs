//! A stabilising start by doubling.
//!
//! ```text
//!   W = I + GH
//!   A ← A W⁻¹ A,   G ← G + A W⁻¹ G Aᵀ,   H ← H + Aᵀ H W⁻¹ A        A → 0,  H → P
//! ```
//!
//! squares the closed loop in each step. A discrete equation begins with its own A, G, Q; a continuous one with those of
//! its Cayley transform (s + γ)/(s − γ).

use super::{Equation, Time};
use crate::Matrix;
use crate::linear::Factors;

/// Doublings; 2⁵⁰ steps of a closed loop bring everything to rest that is not on the border.
const MOST: usize = 50;

/// Candidates for a P with which the closed loop is stable, the best first. Without weight on an unstable mode the doubling
/// leaves it where it is; then a little weight on everything gives a start from which Newton's method finds the solution
/// for the weights as given.
pub(super) fn starts(equation: &Equation) -> impl Iterator<Item = Matrix> {
    let n = equation.a.rows();
    let size = equation.a.frobenius().max(equation.q.frobenius()).max(equation.g.frobenius());
    [0.0, 1e-6, 1e-3, 1.0].into_iter().filter_map(move |little| {
        let weight = &equation.q + &Matrix::identity(n).scaled(little * size);
        doubled(equation, &weight)
    })
}

fn doubled(equation: &Equation, q: &Matrix) -> Option<Matrix> {
    match equation.time {
        Time::Discrete => double(equation.a.clone(), equation.g.clone(), q.clone()),
        Time::Continuous => {
            // γ near the size of what is to be moved; one at which A − γI is nearly singular is no use.
            let size = equation.a.frobenius().max((equation.g.frobenius() * q.frobenius()).sqrt());
            let size = if size == 0.0 { 1.0 } else { size };
            let rows = (equation.a.rows() as f64).sqrt();
            [1.0 / rows, 1.0, 0.4 / rows, 2.3, 0.1 / rows].iter().find_map(|f| {
                let (a, g, h) = cayley(equation, q, f * size)?;
                double(a, g, h)
            })
        }
    }
}

/// ```text
///   A_γ = A − γI,   W = A_γᵀ + Q A_γ⁻¹ G
///   A₀ = I + 2γ W⁻ᵀ,   G₀ = 2γ A_γ⁻¹ G W⁻¹,   H₀ = 2γ W⁻¹ Q A_γ⁻¹
/// ```
fn cayley(equation: &Equation, q: &Matrix, gamma: f64) -> Option<(Matrix, Matrix, Matrix)> {
    let identity = Matrix::identity(equation.a.rows());
    let shifted = &equation.a - &identity.scaled(gamma);
    let mut factors = Factors::new(&shifted)?;
    if factors.reciprocal_condition() < 1e-8 {
        return None;
    }
    let g = factors.solve(&equation.g);
    let h = factors.solve_left(q);
    let w = &shifted.transposed() + &(q * &g);
    let mut factors = Factors::new(&w)?;
    if factors.reciprocal_condition() < 1e-10 {
        return None;
    }
    let a = &identity + &factors.solve(&identity).transposed().scaled(2.0 * gamma);
    let g = factors.solve_left(&g).scaled(2.0 * gamma).symmetrised();
    let h = factors.solve(&h).scaled(2.0 * gamma).symmetrised();
    Some((a, g, h))
}

fn double(mut a: Matrix, mut g: Matrix, mut h: Matrix) -> Option<Matrix> {
    let identity = Matrix::identity(a.rows());
    for _ in 0..MOST {
        let w = &identity + &(&g * &h);
        let mut factors = Factors::new(&w)?;
        let wa = factors.solve(&a);
        let wg = factors.solve(&g);
        let at = a.transposed();
        let grown = &(&at * &h) * &wa;
        g = (&g + &(&(&a * &wg) * &at)).symmetrised();
        a = &a * &wa;
        let size = h.frobenius();
        h = (&h + &grown).symmetrised();
        if !h.is_finite() || !g.is_finite() || !a.is_finite() {
            return None;
        }
        if grown.frobenius() <= f64::EPSILON * size.max(h.frobenius()) {
            break;
        }
    }
    Some(h)
}
