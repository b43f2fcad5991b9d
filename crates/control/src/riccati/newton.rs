//! Newton's method as a correction: with the closed loop A_c of P,
//!
//! ```text
//!   A_cᵀ D + D A_c + residual(P) = 0        D = A_cᵀ D A_c + residual(P)
//! ```
//!
//! P + D is better, and stabilises if P does; near the solution the residual is squared until it is rounding.

use super::{Equation, MOST_RESIDUAL, Time};
use crate::Matrix;
use crate::eigen::eigenvalues;
use crate::sylvester::Lyapunov;

/// Steps. From a start with too much weight the first ones only halve the error.
const MOST: usize = 60;
/// A residual so small is rounding: sums of n products.
fn rounding(n: usize) -> f64 {
    (4.0 + 0.2 * n as f64) * f64::EPSILON
}

/// Steps without a better residual after which there will be none.
const PATIENCE: usize = 6;
/// So many steps with which the residual falls by a constant factor show an eigenvalue on the border: there Newton's
/// method is only linear.
const LINEAR: usize = 8;

/// P, its gain and its relative residual; `None` if a closed loop on the way is not stable or stays on the border.
pub(super) fn refine(equation: &Equation, start: Matrix) -> Option<(Matrix, Matrix, f64)> {
    let gain = equation.gain(&start)?;
    let (mut rest, relative) = equation.residual(&start, &gain);
    let mut now = (start, gain, relative);
    let mut best = now.clone();
    let (mut idle, mut linear) = (0, 0);
    if now.2 <= rounding(equation.a.rows()) {
        return stabilises(equation, &now.1).then_some(now);
    }
    for _ in 0..MOST {
        if now.2 <= rounding(equation.a.rows()) {
            break;
        }
        // A_cᵀ in the place of A: the equation has its transpose on the left
        let closed = equation.closed(&now.1).transposed();
        let lyapunov = match equation.time {
            Time::Continuous => Lyapunov::continuous(&closed)?,
            Time::Discrete => Lyapunov::discrete(&closed)?,
        };
        if lyapunov.values().iter().any(|&value| equation.time.margin(value) <= 0.0) {
            if best.2 > MOST_RESIDUAL {
                return None;
            }
            break;
        }
        let Some(step) = lyapunov.solve(&rest) else { break };
        let next = (&now.0 + &step).symmetrised();
        let Some(gain) = equation.gain(&next) else { break };
        let (left, relative) = equation.residual(&next, &gain);
        if !relative.is_finite() {
            break;
        }
        let ratio = relative / now.2;
        linear = if (0.2..0.8).contains(&ratio) { linear + 1 } else { 0 };
        if linear == LINEAR {
            return None;
        }
        now = (next, gain, relative);
        rest = left;
        if now.2 < best.2 {
            idle = 0;
            best = now.clone();
        } else {
            // Far away the residual may grow at first, though P falls from above in every step; near, this is rounding.
            idle += if best.2 < 1e-12 { PATIENCE } else { 1 };
            if idle >= PATIENCE {
                break;
            }
        }
    }
    Some(best)
}

/// Whether the loop closed with this gain is stable.
fn stabilises(equation: &Equation, gain: &Matrix) -> bool {
    let poles = eigenvalues(&equation.closed(gain));
    poles.is_some_and(|poles| poles.iter().all(|&pole| equation.time.margin(pole) > 0.0))
}
