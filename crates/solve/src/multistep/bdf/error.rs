//! The global error of a backward differentiation formula, carried along with its solution.
//!
//! With δ the error of the solution and e the error of one step,
//!
//! ```text
//!   (α₀/h M − J) δₙ₊₁ = 1/h M (eₙ₊₁ − Σᵢ αᵢ δₙ₊₁₋ᵢ)        i = 1 … k
//!   eₙ₊₁ = ∇ᵏ⁺¹yₙ₊₁ / (k + 1)
//! ```
//!
//! which is linear, so that it costs one solution with the matrix of Newton's method: Y. Shmygelsky, V. Brygilevych, Simulation
//! of Dynamic Systems Using Global Calculation Error, eqs. (4)–(6), with the signs made consistent and the sum begun at i = 1.
//! y − δ is a better solution (8). What Newton's method has left of its equation, M (y − ψ) α₀/h − f = r, stands at the right, too;
//! every step rounds the sum of k + 1 differences, by chance up or down; and where the solution is moved onto invariants, and its
//! history with it, δ moves by as much.

use super::coefficients::bdf_coefficients;
use crate::implicit::newton::NewtonSolver;
use crate::{Point, StepFailure, System};

/// The error so far.
#[derive(Clone, Debug)]
pub(super) struct Propagated {
    alpha: Vec<f64>,
    /// δ at the end of the last steps, the latest first; at most k.
    past: Vec<Vec<f64>>,
    /// δ at the end of the step that is not yet accepted.
    next: Vec<f64>,
    /// How far the end of that step was moved; empty if it was not.
    shift: Vec<f64>,
    /// Steps by the formula, for the chance in their rounding.
    steps: u64,
    /// An event lies behind: what it did to the error is not known.
    lost: bool,
}

impl Propagated {
    /// With the error of the start values.
    pub fn new(at_start: &[f64], steps: usize) -> Propagated {
        let (alpha, next) = (bdf_coefficients(steps), at_start.to_vec());
        Propagated { alpha, past: Vec::new(), next, shift: Vec::new(), steps: 0, lost: false }
    }

    /// The error at a part of the step made last, on a line between its ends.
    pub fn within(&self, theta: f64, error: &mut [f64]) -> bool {
        let from = if theta < 1.0 { self.past.first() } else { None }.unwrap_or(&self.next);
        for (e, (from, to)) in error.iter_mut().zip(from.iter().zip(&self.next)) {
            *e = from + theta * (to - from);
        }
        !self.lost
    }

    /// The error at the end of the last step.
    pub fn now(&self) -> Option<&[f64]> {
        self.past.first().filter(|_| !self.lost).map(Vec::as_slice)
    }

    /// A new history begins, with `values` values that are known without an error or with that of now.
    pub fn begin(&mut self, values: usize) {
        let now = self.past.first().unwrap_or(&self.next).clone();
        self.past.clear();
        let exact = now.iter().all(|delta| *delta == 0.0);
        self.past.resize(if exact { values.max(1) } else { 1 }, now);
    }

    /// The system or its state changes at an event.
    pub fn restart(&mut self, at_start: bool) {
        self.lost |= !at_start;
        self.past.clear();
    }

    /// A step by the formula to `to`, its own error being `local`.
    pub fn formula(
        &mut self,
        system: &mut dyn System,
        newton: &mut NewtonSolver,
        to: &Point,
        h: f64,
        local: impl Fn(usize) -> f64,
    ) -> Result<(), StepFailure> {
        let differential = system.layout().differential();
        self.steps += 1;
        let rounding = 0.5 * f64::EPSILON * self.alpha.len() as f64 * self.alpha[0];
        for (i, next) in self.next.iter_mut().enumerate() {
            let local = local(i) + rounding * to.y[i] * chance(self.steps.wrapping_add((i as u64) << 40));
            let before: f64 = self.alpha[1..].iter().zip(&self.past).map(|(alpha, past)| alpha * past[i]).sum();
            let equation = if i < differential { (local - before) / h } else { 0.0 };
            *next = equation - newton.left_over()[i];
        }
        self.shift.clear();
        newton.solve_linearised(system, to, h / self.alpha[0], &mut self.next)
    }

    /// A step of another formula, which adds `local`: what there is goes on along the flow, by the implicit rule of order one.
    pub fn start_step(
        &mut self,
        system: &mut dyn System,
        newton: &mut NewtonSolver,
        to: &Point,
        h: f64,
        local: impl Fn(usize) -> f64,
    ) -> Result<(), StepFailure> {
        let differential = system.layout().differential();
        self.next.fill(0.0);
        self.shift.clear();
        if let Some(now) = self.past.first().filter(|now| now.iter().any(|delta| *delta != 0.0)) {
            let before = self.next.iter_mut().zip(now).take(differential);
            before.for_each(|(next, now)| *next = now / h);
            newton.solve_linearised(system, to, h, &mut self.next)?;
        }
        self.next.iter_mut().enumerate().for_each(|(i, next)| *next += local(i));
        Ok(())
    }

    /// The end of the step was moved, and the history will be.
    pub fn end_was_projected(&mut self, shift: impl Iterator<Item = f64>) {
        self.shift.clear();
        self.shift.extend(shift);
        self.next.iter_mut().zip(&self.shift).for_each(|(next, shift)| *next += shift);
    }

    /// The step becomes history.
    pub fn accept(&mut self) {
        if self.past.len() < self.alpha.len() - 1 {
            self.past.push(self.next.clone());
        }
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(&self.next);
        for past in &mut self.past[1..] {
            past.iter_mut().zip(&self.shift).for_each(|(past, shift)| *past += shift);
        }
    }
}

/// A number between −1 and 1 that looks random, the same for the same argument: the finaliser of G. L. Steele, D. Lea, C. H. Flood,
/// Fast splittable pseudorandom number generators, OOPSLA 2014.
fn chance(of: u64) -> f64 {
    let mut z = of.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    z as f64 / (u64::MAX as f64) * 2.0 - 1.0
}
