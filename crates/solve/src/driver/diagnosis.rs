//! Why a run cannot go on: a singularity that the method or the solution shows, or a tolerance that asks for too much.

use super::{Plan, Run};
use crate::{BelowAtol, Reason, Singularity, StepFailure, Trial};

/// Where a value is larger, what is computed of it need not be finite.
const LARGEST: f64 = 1e300;

impl Run<'_> {
    /// Whether the state changes so little in a time `h` from now that no error can come from how it is passed.
    pub(super) fn is_negligible(&mut self, h: f64) -> bool {
        if h <= 100.0 * self.smallest_step() {
            return true;
        }
        self.flow.with(|system| system.derivative(self.t, &self.y, &self.d, &mut self.f));
        self.statistics.evaluations.f += 1;
        self.f_known = self.f.iter().all(|f| f.is_finite());
        let scale = |i: usize| self.tol.atol[i] + self.tol.rtol * self.y[i].abs();
        self.f_known && (0..self.y.len()).all(|i| h * self.f[i].abs() <= 0.01 * scale(i))
    }

    pub(super) fn not_finite_here(&mut self, component: usize) -> Reason {
        let (t, layout) = (self.t, self.flow.system.layout());
        if layout.algebraic + layout.invariants > 0 {
            // What these equations were solved for is divided by what they say of it, and that may be nothing.
            let mut values = Vec::new();
            self.flow.with(|system| system.denominators(t, &self.y, &self.d, &mut values));
            if values.contains(&0.0) {
                return Reason::SingularJacobian { t, h: 0.0, component };
            }
        }
        Reason::NotFinite { t, component, at_start: t == self.t_start }
    }

    /// A pole so near to the end that the tolerance cannot tell on which side of it the end is. The steps have become
    /// short for it, and y has grown large; with y ∼ C/(T−t) the distance T − t is y/y′.
    pub(super) fn pole_at_end(&mut self) -> Option<Reason> {
        let (t, elapsed) = (self.t, self.t - self.t_start);
        let usual = elapsed / self.statistics.steps.max(1) as f64;
        if self.options.step.is_some() || self.statistics.steps == 0 || self.h > 1e-2 * usual {
            return None;
        }
        self.flow.with(|system| system.derivative(t, &self.y, &self.d, &mut self.f));
        self.statistics.evaluations.f += 1;
        // Large where the relative tolerance counts: a small component that just passes through zero is no pole.
        let counts = |i: usize| self.tol.atol[i] / self.tol.rtol.max(f64::MIN_POSITIVE);
        let large = |i: usize| self.y[i].abs() > 1e3 * (self.y_start[i].abs() + counts(i));
        let near = |i: usize| (0.0..=3.0 * self.tol.rtol * elapsed).contains(&(self.y[i] / self.f[i]));
        let component = (0..self.y.len()).find(|&i| self.f[i] != 0.0 && large(i) && near(i))?;
        let pole = t + self.y[component] / self.f[component];
        Some(Reason::Singularity { t, pole, component, exponent: self.method.singularity().map(|s| s.exponent) })
    }

    /// The state that ended the run, if it had been below its absolute tolerance for most of the time: the steps before knew as
    /// little of it as of rounding, and what they made of it may have grown where the solution does not.
    pub(super) fn below_atol(&self, reason: Reason) -> Option<BelowAtol> {
        let (Reason::Singularity { component, .. } | Reason::StepTooSmall { component, .. }) = reason else {
            return None;
        };
        let size = |i: usize| self.usual[i];
        let below = |i: usize| size(i) > 0.0 && size(i) < self.tol.atol[i];
        if self.options.step.is_some() || !below(component) {
            return None;
        }
        let smallest = (0..self.y.len()).filter(|&i| below(i)).map(size).fold(f64::INFINITY, f64::min);
        let finer = 10f64.powf((self.tol.rtol * smallest).log10().floor());
        let (size, atol) = (size(component), self.tol.atol[component]);
        (finer > 0.0).then_some(BelowAtol { component, size, atol, finer })
    }

    /// A mixture of both sides of a switch fulfils differential equations, but an algebraic one must hold by itself: where it
    /// does not, there is no solution on the boundary.
    pub(super) fn check_sliding(&mut self) -> Result<(), Reason> {
        let layout = self.flow.system.layout();
        let (differential, states) = (layout.differential(), layout.states);
        if self.flow.sliding.is_none() || differential == states {
            return Ok(());
        }
        self.flow.system.derivative(self.t, &self.y, &self.d, &mut self.f);
        self.f_known = false;
        let size = self.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        let resolved = |i: usize| 1e3 * (self.tol.atol[i] + self.tol.rtol * size);
        match (differential..states).find(|&i| self.f[i].abs() > resolved(i) || self.f[i].is_nan()) {
            Some(equation) => Err(Reason::Inconsistent { t: self.t, equation, residual: self.f[equation] }),
            None => Ok(()),
        }
    }

    /// The singularity that the method sees right ahead.
    pub(super) fn seen_singularity(&self) -> Option<Reason> {
        let seen = self.method.singularity()?;
        let near = 1e-6 * (self.t - self.t_start).max(self.h_max);
        let Singularity { distance, component, exponent } = seen;
        let pole = self.t + distance;
        (distance < near).then_some(Reason::Singularity { t: self.t, pole, component, exponent: Some(exponent) })
    }

    /// The equations of a step could not be solved: a shorter one, unless it is fixed or lost against t.
    pub(super) fn newton_failed(&mut self, plan: Plan, failure: StepFailure) -> Result<(), Reason> {
        self.h = plan.h * self.controller.failed();
        if self.options.step.is_none() && self.h >= self.smallest_step() {
            return Ok(());
        }
        let (t, h) = (self.t, plan.h);
        if let Some(component) = self.y.iter().position(|y| y.abs() > LARGEST) {
            // Nothing can be solved where the numbers end.
            return Err(Reason::NotFinite { t, component, at_start: false });
        }
        Err(match failure {
            StepFailure::Singular { component } => Reason::SingularJacobian { t, h, component },
            StepFailure::Newton { component }
            | StepFailure::NotFinite { component, .. }
            | StepFailure::NotFiniteAtStart { component }
            | StepFailure::TooLong { component }
            | StepFailure::NoSeries { component, .. } => Reason::NewtonFailed { t, h, component },
        })
    }

    /// Why the step became too small: f grows beyond all bounds, or the tolerance asks for too much.
    ///
    /// At a singularity f has grown so much that at this rate y would have come from its start within a tiny part of
    /// the time that has passed. For y ∼ C/(T−t) the pole is T = t + y/y′.
    pub(super) fn lost_step(&mut self, trial: Trial) -> Reason {
        if let Some(reason) = self.seen_singularity() {
            return reason;
        }
        let (t, elapsed) = (self.t, self.t - self.t_start);
        self.flow.with(|system| system.derivative(t, &self.y, &self.d, &mut self.f));
        self.statistics.evaluations.f += 1;
        let ends = |(y, f): (&f64, &f64)| y.abs() > LARGEST || !f.is_finite();
        if let Some(component) = self.y.iter().zip(&self.f).position(ends) {
            // Before a pole steps are lost long before the numbers end.
            return Reason::NotFinite { t, component, at_start: false };
        }
        // What merely passes through zero, or comes to it, is slow compared with where it came from.
        let size =
            |i: usize| self.y[i].abs() + self.y_start[i].abs() + self.usual[i] + self.tol.atol[i] + f64::MIN_POSITIVE;
        let speed = |i: usize| self.f[i].abs() * elapsed / size(i);
        let fastest = (0..self.y.len()).max_by(|&i, &j| speed(i).total_cmp(&speed(j)));
        match fastest {
            Some(component) if speed(component) > 1e6 => {
                let (y, f) = (self.y[component], self.f[component]);
                let pole = if y * f > 0.0 { t + (y / f).min(1e-6 * elapsed) } else { t };
                Reason::Singularity { t, pole, component, exponent: None }
            }
            _ => Reason::StepTooSmall { t, h: self.h, component: trial.worst, error: trial.error },
        }
    }
}
