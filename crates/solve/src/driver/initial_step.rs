//! The first step, found from the size of y, f and the change of f.

use crate::{Point, System, Tolerance};

/// What the search for the first step needs besides the point.
pub(crate) struct Limits {
    /// No step is longer.
    pub h_max: f64,
    /// The error grows with this power of h.
    pub exponent: u32,
}

/// The first step after Hairer, Nørsett, Wanner I, II.4, made independent of the units of time:
///
/// ```text
///   d₀ = ‖y‖,  d₁ = ‖f(t, y)‖,  h₀ = max(0.01 d₀, 1) / d₁
///   d₂ = ‖f(t+h₀, y+h₀f) − f(t, y)‖ / h₀
///   h₁: the error d₁ h (h/T)^(p−1), with the time T = d₁/d₂ in which f changes by itself, is 0.01
///   h = min(100 h₀, h₁)
/// ```
///
/// The norm is the largest component in units of the tolerance. `f` is f(t, y). Also returns the number of
/// evaluations it took, mostly one.
pub(crate) fn initial_step(
    system: &mut dyn System,
    point: &Point,
    f: &[f64],
    tol: &Tolerance,
    limits: &Limits,
    scratch: &mut [Vec<f64>; 2],
) -> (f64, u64) {
    let norm = |v: &dyn Fn(usize) -> f64| {
        let scaled = |i: usize| {
            let (value, scale) = (v(i).abs(), tol.atol[i] + tol.rtol * point.y[i].abs());
            if value == 0.0 || scale == 0.0 { 0.0 } else { value / scale }
        };
        (0..point.y.len()).map(scaled).fold(0.0, f64::max).min(f64::MAX)
    };
    let d0 = norm(&|i| point.y[i]);
    let d1 = norm(&|i| f[i]);
    // Where f is zero nothing tells a time scale; the error control corrects a guess that is too bold.
    let mut h0 = if d1 == 0.0 { 1e-3 * limits.h_max } else { ((0.01 * d0).max(1.0) / d1).min(limits.h_max) };
    let [y, g] = scratch;
    let mut change = f64::NAN;
    let mut evaluations = 0;
    while evaluations < 8 {
        evaluations += 1;
        for (i, y) in y.iter_mut().enumerate() {
            *y = point.y[i] + h0 * f[i];
        }
        system.derivative(point.t + h0, y, point.d, g);
        if g.iter().all(|g| g.is_finite()) {
            change = norm(&|i| g[i] - f[i]);
            break;
        }
        h0 *= 1e-3; // outside of the domain of f
    }
    if change.is_nan() {
        return (h0, evaluations);
    }
    // In logarithms, because the powers may overflow.
    let (p, ln_d2) = (f64::from(limits.exponent), change.ln() - h0.ln());
    let h1 = if change == 0.0 {
        f64::INFINITY
    } else if d1 == 0.0 {
        (0.5 * (0.01f64.ln() - ln_d2)).exp()
    } else {
        ((0.01f64.ln() - d1.ln() + (p - 1.0) * (d1.ln() - ln_d2)) / p).exp()
    };
    ((100.0 * h0).min(h1).min(limits.h_max), evaluations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    /// y′ = 10⁻⁹ √(1−t): so slow that the guess leaves the domain.
    struct Root(Layout);

    impl System for Root {
        fn layout(&self) -> &Layout {
            &self.0
        }

        fn derivative(&mut self, t: f64, _y: &[f64], _d: &[f64], dy: &mut [f64]) {
            dy[0] = 1e-9 * (1.0 - t).sqrt();
        }
    }

    #[test]
    fn the_first_step_stays_in_the_domain() {
        let tol = Tolerance { rtol: 1e-6, atol: vec![1e-9] };
        let point = Point { t: 0.0, y: &[1.0], d: &[], f: None };
        let limits = Limits { h_max: 10.0, exponent: 5 };
        let mut scratch = [vec![0.0], vec![0.0]];
        let (h, evaluations) = initial_step(&mut Root(Layout::default()), &point, &[1e-9], &tol, &limits, &mut scratch);
        assert!(h > 0.0 && h <= 1.0 && evaluations == 2, "{h} after {evaluations}");
    }
}
