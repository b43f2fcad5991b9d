//! The test of Popov, Belevitch and Hautus for one mode: how small (A − λI, B) is from the left.

use ordinate_linalg::Scalar;

use crate::linear::{ComplexMatrix, conjugate, modulus};
use crate::{Complex, Matrix};

/// Steps in which λ follows the vector that was found.
const STEPS: usize = 4;

/// The smallest singular value of (A − λI, B), about, near the given λ: the size of the change that takes the mode from the
/// inputs. With w the left singular vector, λ ← wᴴAw is better.
pub(crate) fn unreached(a: &Matrix, b: &Matrix, mode: Complex) -> f64 {
    let mut mode = mode;
    let mut least = f64::INFINITY;
    for _ in 0..STEPS {
        let (value, w) = smallest(a, b, mode);
        if value >= least {
            break;
        }
        least = value;
        let mut next = Complex::default();
        for i in 0..a.rows() {
            let image = a.row(i).iter().zip(&w).fold(Complex::default(), |sum, (&a, &w)| sum + w * a);
            next += conjugate(w[i]) * image;
        }
        mode = if next.re.is_finite() && next.im.is_finite() { next } else { mode };
    }
    least
}

/// The smallest singular value of (A − λI, B) and its left vector, by inverse iteration with M Mᴴ = R Rᴴ; R from rotations of columns,
/// of which a staircase needs few.
pub(crate) fn smallest(a: &Matrix, b: &Matrix, mode: Complex) -> (f64, Vec<Complex>) {
    let (n, m) = (a.rows(), b.columns());
    let mut r = ComplexMatrix::from_fn(n, n + m, |i, j| {
        if j < m {
            b.at(i, j).into()
        } else if i == j - m {
            Complex::from(a.at(i, i)) - mode
        } else {
            a.at(i, j - m).into()
        }
    });
    for i in (0..n).rev() {
        let pivot = i + m;
        for j in (0..pivot).rev() {
            let (x, y) = (r.at(i, j), r.at(i, pivot));
            let (p, q) = (x.modulus(), y.modulus());
            if p == 0.0 {
                continue;
            }
            let size = p.hypot(q);
            // (x, y) → (0, ·): c x = s̄ y
            let (c, s) = if q == 0.0 { (0.0, Complex::from(1.0)) } else { (q / size, conjugate(x / y * (q / size))) };
            for k in 0..i + 1 {
                let (x, y) = (r.at(k, j), r.at(k, pivot));
                *r.at_mut(k, j) = x * c - conjugate(s) * y;
                *r.at_mut(k, pivot) = s * x + y * c;
            }
        }
    }
    let tiny = f64::EPSILON * f64::EPSILON * (a.largest() + b.largest()).max(f64::MIN_POSITIVE);
    for i in 0..n {
        if modulus(r.at(i, i + m)) < tiny {
            *r.at_mut(i, i + m) = tiny.into();
        }
    }
    let mut w: Vec<Complex> = (0..n).map(|i| Complex::from(1.0 + 0.1 * (i % 7) as f64)).collect();
    let mut value = f64::INFINITY;
    for _ in 0..4 {
        // R y = w, then Rᴴ w = y
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(w[i], |sum, j| sum - r.at(i, j + m) * w[j]);
            w[i] = sum / r.at(i, i + m);
        }
        for i in 0..n {
            let sum = (0..i).fold(w[i], |sum, j| sum - conjugate(r.at(j, i + m)) * w[j]);
            w[i] = sum / conjugate(r.at(i, i + m));
        }
        let length = w.iter().map(|w| w.re.hypot(w.im).powi(2)).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            break;
        }
        w.iter_mut().for_each(|w| *w = *w * (1.0 / length));
        // wᴴR
        let square = (0..n).map(|j| {
            let sum = (0..=j).fold(Complex::default(), |sum, i| sum + conjugate(w[i]) * r.at(i, j + m));
            sum.re * sum.re + sum.im * sum.im
        });
        value = square.sum::<f64>().sqrt();
    }
    (value, w)
}
