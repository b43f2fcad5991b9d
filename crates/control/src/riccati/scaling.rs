//! Units that suit an equation: x = D z with powers of two makes the Hamiltonian matrix balanced as far as a symplectic
//! diagonal can (P. Benner, SIAM J. Matrix Anal. Appl. 22 (2001) 1145–1162), and a common factor of P brings its
//! quadratic and its constant term to one size. Nothing is rounded.

use super::{Equation, Time};
use crate::Matrix;
use crate::eigen::balance_factor;
use crate::matrix::dot;

/// An equation in other units.
pub(super) struct Scaled {
    pub equation: Equation,
    /// D
    scales: Vec<f64>,
    /// P = factor² D⁻¹ P̂ D⁻¹
    factor: f64,
}

/// Rounds of balancing; a few are enough for all but the strangest.
const ROUNDS: usize = 20;

impl Scaled {
    /// The equation of A, B, Q with the weight one of the inputs.
    pub fn new(a: &Matrix, b: &Matrix, q: &Matrix, time: Time) -> Scaled {
        let n = a.rows();
        let (mut a, mut b, mut q) = (a.clone(), b.clone(), q.clone());
        let mut scales = vec![1.0; n];
        let mut factor = level(&mut b, &mut q);
        for _ in 0..ROUNDS {
            let mut changed = false;
            for (i, scale) in scales.iter_mut().enumerate() {
                let others = || (0..n).filter(|&j| j != i);
                let column = others().map(|j| a.at(j, i).abs()).sum::<f64>() + q.at(i, i).abs().sqrt();
                let row = others().map(|j| a.at(i, j).abs()).sum::<f64>() + dot(b.row(i), b.row(i)).sqrt();
                let Some(f) = balance_factor(row, column) else { continue };
                changed = true;
                *scale *= f;
                a.row_mut(i).iter_mut().for_each(|a| *a /= f);
                b.row_mut(i).iter_mut().for_each(|b| *b /= f);
                q.row_mut(i).iter_mut().for_each(|q| *q *= f);
                for j in 0..n {
                    *a.at_mut(j, i) *= f;
                    *q.at_mut(j, i) *= f;
                }
            }
            factor *= level(&mut b, &mut q);
            if !changed {
                break;
            }
        }
        Scaled { equation: Equation::new(time, a, b, q), scales, factor }
    }

    /// P in the units that were given.
    pub fn unscale(&self, p: &Matrix) -> Matrix {
        let f = self.factor * self.factor;
        Matrix::from_fn(p.rows(), p.rows(), |i, j| p.at(i, j) * f / self.scales[i] / self.scales[j])
    }

    /// K in the units of the given states.
    pub fn unscale_gain(&self, gain: &Matrix) -> Matrix {
        Matrix::from_fn(gain.rows(), gain.columns(), |i, j| gain.at(i, j) * self.factor / self.scales[j])
    }
}

/// P = f² P̂ makes B̂ = f B and Q̂ = Q/f²: the f, a power of two, for which both have one size. Of the gain
/// K = BᵀP = f B̂ᵀP̂ it is a factor, too.
fn level(b: &mut Matrix, q: &mut Matrix) -> f64 {
    let (size_b, size_q) = (b.frobenius(), q.frobenius());
    if size_b == 0.0 || size_q == 0.0 {
        return 1.0;
    }
    let f = 2f64.powi(((size_q.sqrt() / size_b).log2() / 2.0).round().clamp(-250.0, 250.0) as i32);
    *b = b.scaled(f);
    *q = q.scaled(1.0 / f / f);
    f
}
