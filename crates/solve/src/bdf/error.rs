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
//! y − δ is a better solution (8).

use super::coefficients::bdf_coefficients;
use crate::newton::Stage;
use crate::{Point, StepFailure, System};

/// The error so far.
#[derive(Clone, Debug)]
pub(super) struct Propagated {
    alpha: Vec<f64>,
    /// δ at the end of the last steps, the latest first; at most k.
    past: Vec<Vec<f64>>,
    /// δ at the end of the step that is not yet accepted.
    next: Vec<f64>,
    /// An event lies behind: what it did to the error is not known.
    lost: bool,
}

impl Propagated {
    /// With the error of the start values.
    pub fn new(at_start: &[f64], steps: usize) -> Propagated {
        Propagated { alpha: bdf_coefficients(steps), past: Vec::new(), next: at_start.to_vec(), lost: false }
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
        newton: &mut Stage,
        to: &Point,
        h: f64,
        local: impl Fn(usize) -> f64,
    ) -> Result<(), StepFailure> {
        let differential = system.layout().differential();
        for (i, next) in self.next.iter_mut().enumerate() {
            let before: f64 = self.alpha[1..].iter().zip(&self.past).map(|(alpha, past)| alpha * past[i]).sum();
            *next = if i < differential { (local(i) - before) / h } else { 0.0 };
        }
        newton.solve_linearised(system, to, h / self.alpha[0], &mut self.next)
    }

    /// A step that is so good that it adds no error: what there is goes on along the flow, by the implicit rule of order one.
    pub fn start_step(
        &mut self,
        system: &mut dyn System,
        newton: &mut Stage,
        to: &Point,
        h: f64,
    ) -> Result<(), StepFailure> {
        let differential = system.layout().differential();
        let Some(now) = self.past.first().filter(|now| now.iter().any(|delta| *delta != 0.0)) else {
            self.next.fill(0.0);
            return Ok(());
        };
        for (i, (next, now)) in self.next.iter_mut().zip(now).enumerate() {
            *next = if i < differential { now / h } else { 0.0 };
        }
        newton.solve_linearised(system, to, h, &mut self.next)
    }

    /// The step becomes history.
    pub fn accept(&mut self) {
        if self.past.len() < self.alpha.len() - 1 {
            self.past.push(self.next.clone());
        }
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(&self.next);
    }
}
