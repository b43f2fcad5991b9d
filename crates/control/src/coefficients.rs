//! Which coefficients of a transfer function are only rounding: those that are small against the terms that they are sums
//! of. The numerator and the denominator are determinants with s on the diagonal,
//!
//! ```text
//!   a(s) = det(sI − A),     b(s) = det ⎡ sI − A  b ⎤        |aₖ| ≤ eₖ(r),   |bₖ| ≤ Σ|c| Σⱼ |bⱼ| eₖ₋₁(r without rⱼ) + |d| eₖ(r)
//!                                      ⎣  −c     d ⎦
//! ```
//!
//! with the coefficient k that of sⁿ⁻ᵏ, the sums r of the absolute values of A's rows, and the elementary symmetric
//! functions eₖ: a product of elements, one of each of k rows, is one of the terms of the product of their sums.

use crate::eigen::balance;
use crate::reachability::parts;
use crate::{Matrix, StateSpace};

/// A coefficient below this part of its terms, per state, is rounding.
const ROUNDING: f64 = 100.0 * f64::EPSILON;

/// Sets coefficients to zero that are rounding. `numerator` may lack leading zeros, `denominator` has n + 1 coefficients.
pub(crate) fn without_rounding(system: &StateSpace, numerator: &mut [f64], denominator: &mut [f64]) {
    let n = system.states();
    let part = ROUNDING * n as f64;
    // what lies on no loop is no part of a determinant; in balanced units sums of rows say most
    let mut loops = on_loops(&system.a);
    balance(&mut loops);
    let plain = smaller(symmetric(&sums(&loops)), symmetric(&sums(&loops.transposed())));
    clear(denominator, &plain, part);
    let mut bordered = Matrix::zero(n + 1, n + 1);
    bordered.put(0, 0, &system.a);
    bordered.put(0, n, &system.b);
    bordered.put(n, 0, &system.c);
    let mut bordered = on_loops(&bordered);
    // D⁻¹(·)D has the same determinant
    balance(&mut bordered);
    let through = system.d.at(0, 0).abs();
    let both = smaller(terms(&bordered, through), terms(&bordered.transposed(), through));
    let lacking = n + 1 - numerator.len().min(n + 1);
    clear(numerator, &both[lacking..], part);
}

fn clear(coefficients: &mut [f64], terms: &[f64], part: f64) {
    for (c, terms) in coefficients.iter_mut().zip(terms) {
        // without any term a coefficient is zero, whatever the roots that it was made of say
        if *terms == 0.0 || (terms.is_finite() && c.abs() <= part * terms) {
            *c = 0.0;
        }
    }
}

/// Bounds of the numerator's coefficients, for a matrix (A b; c 0).
fn terms(bordered: &Matrix, through: f64) -> Vec<f64> {
    let n = bordered.rows() - 1;
    let rows = sums(&bordered.block(0..n, 0..n));
    let read: f64 = bordered.row(n).iter().map(|c| c.abs()).sum();
    let mut bounds: Vec<f64> = symmetric(&rows).iter().map(|e| through * e).collect();
    for j in 0..n {
        let fed = bordered.at(j, n).abs();
        let others: Vec<f64> = (0..n).filter(|&i| i != j).map(|i| rows[i]).collect();
        symmetric(&others).iter().enumerate().for_each(|(k, e)| bounds[k + 1] += read * fed * e);
    }
    bounds
}

/// e₀ … eₙ of numbers.
fn symmetric(values: &[f64]) -> Vec<f64> {
    let mut e = vec![1.0];
    for value in values {
        e.push(0.0);
        (1..e.len()).rev().for_each(|k| e[k] += value * e[k - 1]);
    }
    e
}

fn smaller(a: Vec<f64>, b: Vec<f64>) -> Vec<f64> {
    a.iter().zip(&b).map(|(a, b)| a.min(*b)).collect()
}

fn sums(a: &Matrix) -> Vec<f64> {
    (0..a.rows()).map(|i| a.row(i).iter().map(|a| a.abs()).sum()).collect()
}

/// The elements that lie on loops of elements other than zero.
fn on_loops(a: &Matrix) -> Matrix {
    let mut kept = Matrix::zero(a.rows(), a.rows());
    for part in parts(a) {
        part.iter().for_each(|&i| part.iter().for_each(|&j| *kept.at_mut(i, j) = a.at(i, j)));
    }
    kept
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn system(a: &[&[f64]], b: &[f64], c: &[f64]) -> StateSpace {
        let n = a.len();
        let column = Matrix::from_elements(n, 1, b.to_vec());
        let row = Matrix::from_elements(1, n, c.to_vec());
        StateSpace::new(Matrix::from_elements(n, n, a.concat()), column, row, Matrix::zero(1, 1), None).expect("fits")
    }

    /// The cart of the thesis: s² and its like are exact zeros of both polynomials, the rest is as it was.
    #[test]
    fn the_cart_has_only_the_powers_that_it_has() {
        let a: [&[f64]; 4] =
            [&[0.0, 1.0, 0.0, 0.0], &[0.0, 0.0, -1.4715, 0.0], &[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 7.521, 0.0]];
        let b = [0.0, 0.1, 0.0, -1.0 / 15.0];
        let place = system(&a, &b, &[1.0, 0.0, 0.0, 0.0]).transfer().expect("one channel");
        assert_eq!(place.denominator.iter().map(|c| *c != 0.0).collect::<Vec<_>>(), [true, false, true, false, false]);
        assert_eq!(place.numerator.iter().map(|c| *c != 0.0).collect::<Vec<_>>(), [true, false, true]);
        let angle = system(&a, &b, &[0.0, 0.0, 1.0, 0.0]).transfer().expect("one channel");
        assert_eq!(angle.numerator.iter().map(|c| *c != 0.0).collect::<Vec<_>>(), [true, false, false]);
    }

    /// A weak spring and a slow lag behind a fast one are small numbers that were meant.
    #[test]
    fn small_coefficients_that_were_given_stay() {
        let spring = system(&[&[0.0, 1.0], &[-1e-15, -1e-3]], &[0.0, 1.0], &[1.0, 0.0]);
        let found = spring.transfer().expect("one channel").denominator;
        assert!((found[2] * 1e15 - 1.0).abs() < 1e-6 && (found[1] * 1e3 - 1.0).abs() < 1e-9, "{found:?}");
        let lags =
            system(&[&[-1e6, 0.0, 0.0], &[1.0, -1e-12, 0.0], &[0.0, 1.0, -1e3]], &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0]);
        let found = lags.transfer().expect("one channel").denominator;
        assert!((found[3] * 1e-9 * 1e12 - 1.0).abs() < 1e-9, "{found:?}");
    }
}
