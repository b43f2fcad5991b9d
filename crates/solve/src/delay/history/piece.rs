//! One step of the past: each delayed quantity as a polynomial, in powers of time where the method has such, otherwise through
//! its values at Chebyshev points.
//!
//! ```text
//!   powers      z = Σ cₖ θᵏ,           θ = (t − start)/unit
//!   Chebyshev   z = Σ cₖ Tₖ(x),        x = 2 (t − start)/(end − start) − 1
//! ```

use std::f64::consts::PI;

/// A polynomial.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Coefficients of the powers of θ.
    Powers(Vec<f64>),
    /// Coefficients of Chebyshev polynomials.
    Chebyshev(Vec<f64>),
}

/// What the delayed quantities were along a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// Where it begins.
    pub start: f64,
    /// Where the next one begins.
    pub end: f64,
    /// As far as the polynomials would be right, had the step not been cut short.
    pub reach: f64,
    /// The unit of time of powers.
    pub unit: f64,
    /// One polynomial per delayed quantity.
    pub forms: Vec<Form>,
}

impl Piece {
    /// The value of quantity j and its slope, a time `since` after the start.
    pub fn value_and_slope(&self, j: usize, since: f64) -> (f64, f64) {
        match &self.forms[j] {
            Form::Powers(c) => {
                let theta = since / self.unit;
                let (mut value, mut slope) = (0.0, 0.0);
                for c in c.iter().rev() {
                    slope = slope * theta + value;
                    value = value * theta + c;
                }
                (value, slope / self.unit)
            }
            Form::Chebyshev(c) => {
                let length = self.end - self.start;
                let (value, slope) = clenshaw(c, 2.0 * since / length - 1.0);
                (value, 2.0 * slope / length)
            }
        }
    }

    /// The coefficients of quantity j in powers of time / `scale`, from a time `since` after the start on; `false` if it is not
    /// known by powers. By Horner's shift.
    pub fn series(&self, j: usize, since: f64, scale: f64, c: &mut Vec<f64>) -> bool {
        let Form::Powers(own) = &self.forms[j] else { return false };
        c.clear();
        c.extend_from_slice(own);
        let (theta, n) = (since / self.unit, c.len());
        if theta != 0.0 {
            for first in 0..n.saturating_sub(1) {
                for k in (first..n - 1).rev() {
                    c[k] += theta * c[k + 1];
                }
            }
        }
        let (ratio, mut power) = (scale / self.unit, 1.0);
        for c in c.iter_mut() {
            *c *= power;
            power *= ratio;
        }
        true
    }
}

/// Σ cₖ Tₖ(x) and its derivative Σ k cₖ Uₖ₋₁(x).
fn clenshaw(c: &[f64], x: f64) -> (f64, f64) {
    let (mut b1, mut b2, mut d1, mut d2) = (0.0, 0.0, 0.0, 0.0);
    for (k, c) in c.iter().enumerate().skip(1).rev() {
        (b1, b2) = (c + 2.0 * x * b1 - b2, b1);
        (d1, d2) = (k as f64 * c + 2.0 * x * d1 - d2, d1);
    }
    (c.first().copied().unwrap_or(0.0) + x * b1 - b2, d1)
}

/// The part of a step at which value k of `n` is taken: the ends are among them.
///
/// ```text
///   θₖ = (1 − cos(π k/(n − 1)))/2
/// ```
pub(crate) fn chebyshev_point(k: usize, n: usize) -> f64 {
    if 2 * k + 1 == n { 0.5 } else { 0.5 * (1.0 - (PI * k as f64 / (n - 1) as f64).cos()) }
}

/// The coefficients of the polynomial with these values at those points.
pub(crate) fn chebyshev_coefficients(values: &[f64]) -> Vec<f64> {
    let last = values.len() - 1;
    // Point k lies at x = −cos(π k/last), so Tⱼ there is (−1)ʲ cos(π j k/last); the ends count half.
    let half = |k: usize| if k == 0 || k == last { 0.5 } else { 1.0 };
    (0..=last)
        .map(|j| {
            let sign = if j.is_multiple_of(2) { 1.0 } else { -1.0 };
            let term = |(k, value): (usize, &f64)| half(k) * value * (PI * (j * k) as f64 / last as f64).cos();
            let sum: f64 = values.iter().enumerate().map(term).sum();
            2.0 / last as f64 * half(j) * sign * sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z = 1 + 2 s − s³, from s = 0 at the start.
    fn cubic(s: f64) -> (f64, f64) {
        (1.0 + 2.0 * s - s.powi(3), 2.0 - 3.0 * s * s)
    }

    fn pieces() -> [Piece; 2] {
        let values: Vec<f64> = (0..6).map(|k| cubic(0.7 * chebyshev_point(k, 6)).0).collect();
        let u = 0.9f64;
        let forms =
            [Form::Powers(vec![1.0, 2.0 * u, 0.0, -u.powi(3)]), Form::Chebyshev(chebyshev_coefficients(&values))];
        forms.map(|form| Piece { start: 5.0, end: 5.7, reach: 5.7, unit: u, forms: vec![form] })
    }

    #[test]
    fn both_forms_have_the_values_and_slopes_of_their_polynomial() {
        for piece in pieces() {
            for s in [0.0, 0.1, 0.35, 0.7] {
                let ((value, slope), exact) = (piece.value_and_slope(0, s), cubic(s));
                assert!((value - exact.0).abs() < 1e-14, "{s}: {value} {}", exact.0);
                assert!((slope - exact.1).abs() < 1e-13, "{s}: {slope} {}", exact.1);
            }
        }
    }

    /// Around s = 0.3: 1 + 0.6 − 0.027, 2 − 0.27, −0.9, −1 times powers of the scale.
    #[test]
    fn a_series_begins_anywhere() {
        let mut c = Vec::new();
        let [powers, chebyshev] = pieces();
        assert!(powers.series(0, 0.3, 0.5, &mut c) && !chebyshev.series(0, 0.3, 0.5, &mut Vec::new()));
        for (found, exact) in c.iter().zip([1.573, 0.5 * 1.73, 0.25 * -0.9, -0.125]) {
            assert!((found - exact).abs() < 1e-15, "{c:?}");
        }
    }
}
