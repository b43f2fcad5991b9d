//! A function of the states that can be bounded over a box: several forms of it, its gradient, its Hessian.
//!
//! ```text
//!   g(X) ⊂ g₁(X) ∩ g₂(X) ∩ … ∩ ( g(m) + ∇g(X)·(X − m) )                    forms, and the mean value form
//!   g(x) = ½ (x − x₀)ᵀ ∇²g(ξ) (x − x₀),   ξ between x₀ and x               where g and ∇g vanish at x₀
//! ```
//!
//! R. E. Moore, R. B. Kearfott, M. J. Cloud, Introduction to Interval Analysis (SIAM 2009), chapters 5, 6.

use crate::design::field::Field;
use ordinate_expr::{ExprId, Interval, Tape};

/// A box: one interval per state.
pub(super) type Box = Vec<Interval>;

/// A function with its derivatives.
pub(super) struct Function {
    forms: Tape,
    gradient: Tape,
    hessian: Tape,
    n: usize,
}

impl Function {
    /// A function by expressions that all have its value; the first one is differentiated.
    pub fn new(field: &mut Field, forms: &[ExprId]) -> Function {
        let n = field.order();
        let gradient = field.gradient(forms[0]);
        let mut hessian = Vec::with_capacity(n * (n + 1) / 2);
        for (i, &slope) in gradient.iter().enumerate() {
            hessian.extend(field.gradient(slope).into_iter().take(i + 1));
        }
        Function { forms: field.tape(forms), gradient: field.tape(&gradient), hessian: field.tape(&hessian), n }
    }

    /// Bounds of the value over a box; where its sign is open, those of the mean value form, too.
    pub fn bounds(&self, x: &[Interval]) -> Interval {
        let natural = self.natural(x);
        if natural.low > 0.0 || natural.high <= 0.0 {
            return natural;
        }
        natural.both(self.mean_value(x))
    }

    fn natural(&self, x: &[Interval]) -> Interval {
        self.forms.bounds(x).into_iter().fold(Interval::ALL, Interval::both)
    }

    /// As narrow as it gets.
    pub fn tight_bounds(&self, x: &[Interval]) -> Interval {
        self.natural(x).both(self.mean_value(x))
    }

    fn mean_value(&self, x: &[Interval]) -> Interval {
        let middle: Vec<Interval> = x.iter().map(|side| Interval::point(side.middle())).collect();
        let slopes = self.gradient.bounds(x);
        let mut value = self.natural(&middle);
        for ((slope, side), middle) in slopes.into_iter().zip(x).zip(&middle) {
            value = value.plus(slope.times(side.minus(*middle)));
        }
        if value.low.is_nan() || value.high.is_nan() { Interval::ALL } else { value }
    }

    /// Bounds of the value at a point.
    pub fn at(&self, point: &[f64]) -> Interval {
        let place: Vec<Interval> = point.iter().map(|&x| Interval::point(x)).collect();
        self.natural(&place)
    }

    /// The value at a point in double precision.
    pub fn value(&self, point: &[f64]) -> f64 {
        self.forms.values(point)[0]
    }

    /// Bounds of the gradient.
    pub fn slopes(&self, x: &[Interval]) -> Vec<Interval> {
        self.gradient.bounds(x)
    }

    /// Whether the Hessian is definite over a box: positive for `sign` 1, negative for −1.
    pub fn is_definite(&self, x: &[Interval], sign: f64) -> bool {
        let lower = self.hessian.bounds(x);
        let mut matrix = vec![Interval::ZERO; self.n * self.n];
        let mut next = lower.into_iter();
        for i in 0..self.n {
            for j in 0..=i {
                let element = next.next().expect("the lower triangle").times(Interval::point(sign));
                matrix[i * self.n + j] = element;
                matrix[j * self.n + i] = element;
            }
        }
        positive_definite(matrix, self.n)
    }
}

/// Whether all pivots of Gaussian elimination are positive for every symmetric matrix within the bounds.
fn positive_definite(mut a: Vec<Interval>, n: usize) -> bool {
    for k in 0..n {
        let pivot = a[k * n + k];
        if !(pivot.low > 0.0 && pivot.is_bounded()) {
            return false;
        }
        for i in k + 1..n {
            let factor = a[i * n + k].over(pivot);
            for j in k + 1..=i {
                let element = a[i * n + j].minus(factor.times(a[j * n + k]));
                a[i * n + j] = element;
                a[j * n + i] = element;
            }
        }
    }
    true
}

/// The smallest box around both.
pub(super) fn hull(a: &[Interval], b: &[Interval]) -> Box {
    a.iter().zip(b).map(|(a, b)| a.hull(*b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definite_means_every_matrix_within_the_bounds() {
        let point = |x: f64| Interval::point(x);
        let with = |off: Interval| positive_definite(vec![point(2.0), off, off, point(1.0)], 2);
        assert!(with(Interval::new(-1.4, 1.4)), "1.4² < 2");
        assert!(!with(Interval::new(-1.0, 1.5)), "1.5² > 2");
        assert!(!positive_definite(vec![point(0.0)], 1));
    }
}
