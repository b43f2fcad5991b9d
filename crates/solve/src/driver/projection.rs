//! Steps and rows on the algebraic equations and invariants, for systems that have such.

use super::{Plan, Run};
use crate::{Reason, StepFailure, Trial};

/// A step whose end must be moved by more tolerances than this was not as good as its error says.
const FAR: f64 = 4.0;
/// An end that moves by less is left where it is: f there is known already.
const NEAR: f64 = 1e-3;

impl Run<'_> {
    /// Takes the end of the step back onto its equations and tells the method. Returns whether the step stays good.
    pub(super) fn restore_end(&mut self, plan: Plan, trial: Trial) -> Result<bool, Reason> {
        let mut end = std::mem::take(&mut self.restored);
        end.copy_from_slice(self.method.end());
        let mut restored = self.flow.restore(plan.end, &mut end, &self.d);
        self.restored = end;
        if let (Ok(moved), true) = (&restored, self.options.step.is_some()) {
            // Controlled steps become shorter before a solution ends; these would jump to another one.
            let (from, suspicious) = ((self.t, self.y.as_slice()), self.is_suspicious(plan));
            let continued = self.flow.continues(from, (plan.end, &self.restored), &self.d, suspicious);
            restored = continued.map(|()| *moved);
        }
        if restored.is_err() && self.options.step.is_none() {
            // A state that is small against its tolerance may end where no iteration leads back to its own solution.
            let end = self.method.end().to_vec();
            if let Some(own) = self.own_end(plan, end) {
                self.method.end_was_projected(&own);
                self.restored = own;
                return Ok(true);
            }
        }
        match restored {
            Err(failure) => self.fail(plan, failure).map(|()| false),
            Ok(moved) if moved > FAR && self.options.step.is_none() => {
                self.reject(plan, Trial { error: moved / FAR, next_h: None, ..trial })?;
                Ok(false)
            }
            Ok(moved) if moved > NEAR => {
                self.method.end_was_projected(&self.restored);
                Ok(true)
            }
            Ok(_) => {
                let differential = self.differential();
                self.restored[..differential].copy_from_slice(&self.method.end()[..differential]);
                Ok(true)
            }
        }
    }

    /// What the run has come to, for whoever keeps it on its equations.
    pub(super) fn seen(&mut self) {
        if let Some(consistency) = &mut self.flow.consistency {
            consistency.seen(&self.y);
        }
    }

    fn differential(&self) -> usize {
        self.flow.consistency.as_ref().map_or(self.y.len(), |consistency| consistency.differential())
    }

    /// Takes a point inside the step, from its dense output, back onto its equations.
    pub(super) fn restore_inside(&mut self, t: f64, theta: f64, y: &mut [f64]) -> Result<(), StepFailure> {
        let Some(consistency) = &self.flow.consistency else { return Ok(()) };
        if consistency.inside_f {
            // The method knows nothing of these states: the search begins between those at the ends.
            for (i, y) in y.iter_mut().enumerate().skip(consistency.differential()) {
                *y = self.y[i] + theta * (self.restored[i] - self.y[i]);
            }
        }
        self.flow.restore(t, y, &self.d).map(|_| ())
    }

    /// Takes all rows inside of the step onto their equations before any is handed over: where that fails the step was too long,
    /// and what ends a run must not depend on the rows that are asked for.
    pub(super) fn restore_rows(&mut self, plan: Plan) -> Result<(), StepFailure> {
        self.restored_rows.clear();
        if self.flow.consistency.is_none() || self.options.step.is_some() {
            return Ok(());
        }
        let mut times = self.rows.clone();
        while let Some(t) = times.peek().filter(|t| *t < plan.end) {
            let (theta, mut y) = ((t - self.t) / plan.h, vec![0.0; self.y.len()]);
            self.method.interpolate(theta, &mut y);
            self.restore_inside(t, theta, &mut y)?;
            self.restored_rows.push_back(y);
            times.advance();
        }
        Ok(())
    }

    /// Why f could not be evaluated, if that is because the algebraic equations inside of it could not be solved.
    pub(super) fn failure_inside_f(&mut self) -> Option<StepFailure> {
        let failure = self.flow.consistency.as_mut()?.failure.take();
        failure.filter(|failure| matches!(failure, StepFailure::Newton { .. } | StepFailure::Singular { .. }))
    }
}
