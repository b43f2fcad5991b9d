//! How near a factored matrix is to a singular one: W. W. Hager, SIAM J. Sci. Stat. Comput. 5 (1984) 311–316;
//! N. J. Higham, ACM Trans. Math. Softw. 14 (1988) 381–396.
//!
//! ‖B‖₁ of B = (DA)⁻¹ is the largest value of the convex function ‖B x‖₁ on ‖x‖₁ = 1. From x the search goes to the unit
//! vector in which the function rises most, until none is better:
//!
//! ```text
//!   y = B x,   ξ = sign y,   z = Bᴴ ξ,   x = eⱼ with |zⱼ| = ‖z‖∞
//! ```

use super::{Lu, Pattern};
use crate::scalar::Scalar;

/// Steps after which the search ends; two are usual.
const MAX_STEPS: usize = 5;

/// 1/(‖DA‖₁ ‖(DA)⁻¹‖₁), the second factor estimated from below.
pub(crate) fn reciprocal<T: Scalar>(lu: &mut Lu<T>) -> f64 {
    let n = lu.pattern.n;
    if n == 0 {
        return 1.0;
    }
    let scales = lu.scales();
    let norm = norm(&lu.pattern, &lu.values, &scales);
    let mut apply = |x: &mut [T]| {
        x.iter_mut().zip(&scales).for_each(|(x, &scale)| *x = *x * (1.0 / scale));
        lu.solve(x);
        size(x)
    };
    let mut x = vec![T::from(1.0 / n as f64); n];
    let mut found = apply(&mut x);
    // A vector of growing elements with alternating signs catches what the search cannot see (Higham, section 2).
    let growing = |i: usize| 1.0 + i as f64 / (n.max(2) - 1) as f64;
    let mut other: Vec<T> =
        (0..n).map(|i| T::from(if i.is_multiple_of(2) { growing(i) } else { -growing(i) })).collect();
    let alternative = 2.0 * apply(&mut other) / (3.0 * n as f64);
    let mut last = usize::MAX;
    for _ in 0..MAX_STEPS {
        // Bᴴ ξ is the conjugate of Bᵀ ξ̄; only its size matters.
        for x in &mut x {
            let modulus = x.modulus();
            *x = if modulus == 0.0 { T::from(1.0) } else { T::from_parts(x.re() / modulus, -x.im() / modulus) };
        }
        lu.solve_transposed(&mut x);
        let rises = |i: usize| x[i].modulus() / scales[i];
        let steepest = (0..n).fold(0, |best, i| if rises(i) > rises(best) { i } else { best });
        if steepest == last {
            break;
        }
        last = steepest;
        x.fill(T::default());
        x[steepest] = T::from(1.0 / scales[steepest]);
        lu.solve(&mut x);
        let next = size(&x);
        if next <= found {
            break;
        }
        found = next;
    }
    let inverse = found.max(alternative);
    // What overflowed is singular for any use.
    if inverse.is_finite() { 1.0 / (norm * inverse) } else { 0.0 }
}

/// ‖x‖₁
fn size<T: Scalar>(x: &[T]) -> f64 {
    x.iter().map(|x| x.modulus()).sum()
}

/// ‖DA‖₁
fn norm<T: Scalar>(pattern: &Pattern, values: &[T], scales: &[f64]) -> f64 {
    let mut sums = vec![0.0; pattern.n];
    for ((i, j), value) in pattern.elements().zip(values) {
        sums[j as usize] += (*value * scales[i as usize]).modulus();
    }
    sums.into_iter().fold(0.0, f64::max)
}
