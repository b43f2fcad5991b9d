//! The Adams method that chooses its order, 1 to 12, and its steps: PECE with local extrapolation.
//!
//! ```text
//!   p  = y + h Σ gⱼ Φ*ⱼ(n)           j < k         predicted, order k
//!   y₁ = p + h g_k Φ_k(n+1)                        corrected, order k + 1, with f(t + h, p) in Φ(n+1)
//!   error of order k:  h (g_k − g_{k−1}) Φ_k(n+1)
//! ```
//!
//! Shampine, Gordon, Computer Solution of Ordinary Differential Equations, 1975, chapters 5–7 and 10; Hairer, Nørsett,
//! Wanner I, III.5 and III.7.

use super::differences::Differences;
use crate::stability::bashforth;
use crate::{Method, Point, StepFailure, System, Tolerance, Trial, Work};
use std::sync::OnceLock;

/// The highest order, that of the predictor.
pub(crate) const HIGHEST: usize = 12;

/// h·|λ| for real negative λ that the orders 1 to 12 bear with equal steps, found from the roots of the characteristic
/// polynomial of PECE; that of order 12 exceeds 1 by 0.02 between 0.06 and 0.11 already.
pub(crate) const REAL_STABILITY: [f64; HIGHEST] =
    [2.0, 2.4, 1.93, 1.41, 1.04, 0.77, 0.58, 0.44, 0.34, 0.26, 0.21, 0.17];

/// Adams methods of variable order and step.
#[derive(Clone, Debug)]
pub struct VariableAdams {
    /// The order, where it is given.
    given: Option<usize>,
    highest: usize,
    fixed_step: bool,
    differences: Differences,
    /// The remembered step was accepted, but its end is not in the differences yet.
    accepted: bool,
    /// The order of the next step, and of the one after a step that is accepted.
    order: usize,
    next_order: usize,
    /// The order grows and the step is doubled at every step, as long as nothing speaks against it.
    starting: bool,
    /// Attempts from here that failed.
    failures: u32,
    /// The order of the remembered step.
    used: usize,
    t: f64,
    h: f64,
    y0: Vec<f64>,
    y1: Vec<f64>,
    predicted: Vec<f64>,
    f_end: Vec<f64>,
    f_known: bool,
    difference: Vec<f64>,
    /// |γ*ⱼ|: the error of order j with equal steps is h γ*ⱼ ∇ʲf.
    constants: [f64; HIGHEST + 2],
    evaluations: u64,
}

/// The errors of a step in units of the tolerance.
#[derive(Clone, Copy, Debug)]
struct Errors {
    /// Of this step.
    step: f64,
    worst: usize,
    /// Of the orders k, k − 1 and k − 2 with equal steps of this length.
    same: f64,
    lower: f64,
    lowest: f64,
}

impl VariableAdams {
    /// For so many states, with orders up to `max_order` (at most 12), or the one order given.
    pub fn new(states: usize, order: Option<u32>, max_order: Option<u32>, fixed_step: bool) -> VariableAdams {
        let zeros = vec![0.0; states];
        let limited = |order: u32| (order as usize).clamp(1, HIGHEST);
        let highest = order.or(max_order).map_or(HIGHEST, limited);
        VariableAdams {
            given: order.map(limited),
            highest,
            fixed_step,
            differences: Differences::new(states, HIGHEST + 1),
            accepted: false,
            order: 1,
            next_order: 1,
            starting: true,
            failures: 0,
            used: 1,
            t: 0.0,
            h: 0.0,
            y0: zeros.clone(),
            y1: zeros.clone(),
            predicted: zeros.clone(),
            f_end: zeros.clone(),
            f_known: false,
            difference: zeros,
            constants: constants(),
            evaluations: 0,
        }
    }

    /// Brings the differences to the point where the step begins.
    fn settle(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if self.differences.count() > 0 && !self.accepted {
            return Ok(());
        }
        // At the end of a step it is finite, or the step would not have been accepted.
        if !(self.accepted && self.f_known) {
            from.derivative(system, &mut self.f_end, &mut self.evaluations)?;
        }
        self.differences.end().copy_from_slice(&self.f_end);
        self.differences.advance(self.h);
        (self.accepted, self.f_known, self.failures) = (false, false, 0);
        Ok(())
    }

    /// Predicts, evaluates and corrects with order k.
    fn compute(&mut self, system: &mut dyn System, from: &Point, k: usize) -> Result<(), StepFailure> {
        let (h, end) = (self.h, from.t + self.h);
        let failure = |component| StepFailure::NotFinite { t: end, component };
        self.differences.add(&self.y0, h, &self.differences.explicit(1.0, k), &mut self.predicted);
        all_finite(&self.predicted).map_err(failure)?;
        self.evaluations += 1;
        system.derivative(end, &self.predicted, from.d, self.differences.end());
        all_finite(self.differences.end()).map_err(failure)?;
        self.differences.add(&self.y0, h, &self.differences.implicit(1.0, k), &mut self.y1);
        all_finite(&self.y1).map_err(failure)
    }

    /// The largest |v| in units of the tolerance, and its component.
    fn norm(&self, tol: &Tolerance, v: &dyn Fn(usize) -> f64) -> (f64, usize) {
        let (mut largest, mut worst) = (0.0, 0);
        for i in 0..self.y0.len() {
            let value = v(i).abs();
            if value > 0.0 {
                let scale = tol.of(i, [self.y0[i], self.y1[i]]);
                if value > largest * scale {
                    (largest, worst) = (value / scale, i);
                }
            }
        }
        (largest, worst)
    }

    fn errors(&mut self, k: usize, tol: &Tolerance) -> Errors {
        // The differences from the end of the step, Φ_k, Φ_{k−1} = Φ_k + Φ*_{k−1} and Φ_{k−2}.
        let mut difference = std::mem::take(&mut self.difference);
        self.differences.sum(&self.differences.difference(k), &mut difference);
        let h = self.h;
        let g = self.differences.integrals(1.0, k);
        let (size, worst) = self.norm(tol, &|i| difference[i]);
        let mut errors = Errors {
            step: h * (g[k] - g[k - 1]).abs() * size,
            worst,
            same: h * self.equal_steps(k) * size,
            lower: 0.0,
            lowest: 0.0,
        };
        if k >= 2 {
            let (beta, phi) = self.differences.part(k - 1);
            let lower = |i: usize| difference[i] + beta * phi[i];
            errors.lower = h * self.equal_steps(k - 1) * self.norm(tol, &lower).0;
            if k >= 3 {
                let (beta, phi) = self.differences.part(k - 2);
                let lowest = |i: usize| lower(i) + beta * phi[i];
                errors.lowest = h * self.equal_steps(k - 2) * self.norm(tol, &lowest).0;
            }
        }
        self.difference = difference;
        errors
    }

    /// |γ*_k| times what makes of Φ_k the difference that equal steps would have.
    fn equal_steps(&self, k: usize) -> f64 {
        (1..=k).fold(self.constants[k], |product, i| product * i as f64 / self.differences.ahead(i - 1))
    }

    /// Whether a lower order has smaller errors.
    fn better_lower(&self, k: usize, errors: &Errors) -> bool {
        self.given.is_none()
            && match k {
                1 => false,
                2 => errors.lower <= 0.5 * errors.same,
                _ => errors.lower.max(errors.lowest) <= errors.same,
            }
    }

    /// The order and the step after a good one.
    fn choose_next(&mut self, k: usize, errors: &Errors, lower: bool, tol: &Tolerance) -> f64 {
        if lower || k >= self.highest {
            self.starting = false;
        }
        let (mut order, mut error) = (k, errors.same);
        if self.starting {
            self.next_order = k + 1;
            return 2.0 * self.h;
        }
        if lower {
            (order, error) = (k - 1, errors.lower);
        } else if self.given.is_some() {
            order = (k + 1).min(self.highest);
        } else if self.differences.uniform(k) {
            // With equal steps the error of the next order shows, too.
            let (h, mut difference) = (self.h, std::mem::take(&mut self.difference));
            self.differences.add(&self.f_end, 1.0, &self.differences.extrapolated(k + 1, -1.0), &mut difference);
            let higher = h * self.constants[k + 1] * self.norm(tol, &|i| difference[i]).0;
            self.difference = difference;
            if k > 1 && errors.lower <= errors.same.min(higher) {
                (order, error) = (k - 1, errors.lower);
            } else if k < self.highest && higher < if k == 1 { 0.5 * errors.same } else { errors.same } {
                (order, error) = (k + 1, higher);
            }
        }
        self.next_order = order;
        // Steps are doubled or kept, so that they are equal most of the time.
        let power = order as f64 + 1.0;
        if error * power.exp2() <= 0.5 {
            2.0 * self.h
        } else if error <= 0.5 {
            self.h
        } else {
            self.h * (0.5 / error).powf(1.0 / power).clamp(0.5, 0.9)
        }
    }

    /// The step after one that failed; the third failure in turn speaks against the order.
    fn choose_shorter(&mut self, k: usize, errors: &Errors, lower: bool) -> f64 {
        self.starting = false;
        self.failures += 1;
        self.order = if self.failures >= 3 && self.given.is_none() { 1 } else { k - usize::from(lower) };
        let factor = if self.failures > 3 { (0.5 / errors.same).sqrt() } else { 0.5 };
        self.h * factor.clamp(0.1, 0.5)
    }
}

impl Method for VariableAdams {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.settle(system, from)?;
        self.differences.prepare(h);
        self.y0.copy_from_slice(from.y);
        (self.t, self.h, self.f_known) = (from.t, h, false);
        let k = self.order.min(self.differences.count());
        self.used = k;
        self.compute(system, from, k).inspect_err(|_| self.starting = false)?;
        let errors = self.errors(k, tol);
        let lower = self.better_lower(k, &errors);
        let good = errors.step <= 1.0;
        let next_h = if good || self.fixed_step {
            self.evaluate_at_end(system, from).inspect_err(|_| self.starting = false)?;
            self.choose_next(k, &errors, lower, tol)
        } else {
            self.choose_shorter(k, &errors, lower)
        };
        let next_h = (!self.fixed_step).then_some(next_h);
        Ok(Trial { error: errors.step, worst: errors.worst, order: k as u32, next_h })
    }

    fn end(&self) -> &[f64] {
        &self.y1
    }

    /// The polynomial that the corrector integrated is known.
    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        self.differences.add(&self.y0, self.h, &self.differences.implicit(theta, self.used), y);
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        let end = self.t + self.h;
        if !self.f_known {
            self.evaluations += 1;
            system.derivative(end, &self.y1, from.d, &mut self.f_end);
            self.f_known = true;
        }
        all_finite(&self.f_end).map_err(|component| StepFailure::NotFinite { t: end, component })
    }

    fn accept(&mut self) {
        self.accepted = true;
        self.order = self.next_order;
    }

    fn restart(&mut self) {
        self.differences.clear();
        (self.accepted, self.f_known) = (false, false);
        (self.order, self.next_order, self.starting, self.failures) = (1, 1, true, 0);
    }

    /// That of the first step, whose order is 1; later steps are the method's own choice.
    fn error_exponent(&self) -> Option<u32> {
        Some(2)
    }

    fn order(&self) -> u32 {
        self.highest as u32
    }

    /// The corrector changes y by what f changes between the predicted and the corrected end:
    ///
    /// ```text
    ///   |λ| ≈ |f(t + h, y₁) − f(t + h, p)| / |y₁ − p|
    /// ```
    fn stiffness(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        self.evaluate_at_end(system, from).ok()?;
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let of_y = distance(&self.y1, &self.predicted);
        let of_f = distance(&self.f_end, self.differences.end());
        (of_y > 0.0).then(|| self.h * of_f / (of_y * REAL_STABILITY[self.used - 1]))
    }

    fn work(&self) -> Work {
        Work { f: self.evaluations, ..Work::default() }
    }
}

/// The first component that is not finite is the error.
fn all_finite(values: &[f64]) -> Result<(), usize> {
    values.iter().position(|v| !v.is_finite()).map_or(Ok(()), Err)
}

/// |γ*ⱼ| = γⱼ₋₁ − γⱼ: Hairer, Nørsett, Wanner I, III.1, eq. (1.10).
fn constants() -> [f64; HIGHEST + 2] {
    static ONCE: OnceLock<[f64; HIGHEST + 2]> = OnceLock::new();
    *ONCE.get_or_init(|| {
        let gamma = bashforth(HIGHEST + 2);
        let mut constants = [1.0; HIGHEST + 2];
        for (constant, pair) in constants[1..].iter_mut().zip(gamma.windows(2)) {
            *constant = pair[0].minus(&pair[1]).to_f64();
        }
        constants
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_literature() {
        let expected = [1.0, 1.0 / 2.0, 1.0 / 12.0, 1.0 / 24.0, 19.0 / 720.0, 3.0 / 160.0, 863.0 / 60480.0];
        for (found, expected) in constants().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
    }
}
