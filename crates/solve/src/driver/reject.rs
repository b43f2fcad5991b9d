//! Attempts that were not good enough, or could not be computed at all: a shorter step, or the end of the run.

use super::{Plan, Run};
use crate::{Reason, StepFailure, Trial};

/// Pieces of a fixed step that are shorter than this part of it lead to a singularity, not to its end.
const SHORTEST_PIECE: f64 = 1e-7;

impl Run<'_> {
    pub(super) fn reject(&mut self, plan: Plan, trial: Trial) -> Result<(), Reason> {
        self.statistics.rejected += 1;
        self.h = match trial.next_h {
            Some(h) if h < plan.h => h,
            _ => plan.h * self.controller.follow(self.method.error_exponent().unwrap_or(1)).rejected(trial.error),
        };
        if self.h < self.smallest_step() && !self.leave_root()? {
            return Err(self.lost_step(trial));
        }
        Ok(())
    }

    pub(super) fn fail(&mut self, plan: Plan, failure: StepFailure) -> Result<(), Reason> {
        self.statistics.rejected += 1;
        let (t, component) = match failure {
            StepFailure::NotFinite { t, component } => match self.failure_inside_f() {
                Some(failure) => return self.newton_failed(plan, failure),
                None => (t, component),
            },
            StepFailure::NotFiniteAtStart { component } => {
                return match self.failure_inside_f() {
                    Some(failure) => Err(failure.without_step(self.t)),
                    None if self.step_off() => Ok(()),
                    None if self.return_to_domain() => self.choose_first_step(),
                    None => Err(self.not_finite_here(component)),
                };
            }
            StepFailure::NoSeries { component, order } => {
                return Err(Reason::NoSeries { t: self.t, component, order });
            }
            StepFailure::Newton { .. } | StepFailure::Singular { .. } => return self.newton_failed(plan, failure),
            StepFailure::TooLong { component } => {
                self.shorter = Some(0.5 * plan.h);
                let shortest = SHORTEST_PIECE * self.options.step.unwrap_or(0.0);
                if 0.5 * plan.h < self.smallest_step().max(shortest) {
                    let lost = Reason::StepTooSmall { t: self.t, h: plan.h, component, error: f64::INFINITY };
                    return Err(self.seen_singularity().unwrap_or(lost));
                }
                return Ok(());
            }
        };
        if self.reach_instant(plan)? {
            return Ok(());
        }
        self.h = plan.h * self.controller.failed();
        if self.h < self.smallest_step() && self.return_to_domain() {
            return self.choose_first_step();
        }
        // Perhaps a trial left the domain of its branch behind a boundary at which another branch begins.
        if let Some((time, boundary)) = self.events.nearest_boundary().filter(|(time, _)| *time <= 2.0 * plan.h) {
            let reason = Reason::NotFinite { t, component, at_start: false };
            if time == 0.0 {
                match self.step_over(time, boundary, reason) {
                    // No branch leads on from here; a shorter step may.
                    Err(same) if same == reason => {}
                    result => return result,
                }
            }
            let tiny = time > 0.0 && time <= 1e-9 * (self.t - self.t_start).max(self.h_max);
            if tiny && self.is_negligible(time) {
                return self.step_over(time, boundary, reason);
            }
            if self.options.step.is_none() && time > 0.0 {
                self.h = self.h.min(0.9 * time);
            } else if time > self.smallest_step() {
                self.shorter = Some((0.9 * time).min(0.5 * plan.h));
                return Ok(());
            }
        }
        if self.options.step.is_some() || self.h < self.smallest_step() {
            return Err(self.seen_singularity().unwrap_or(Reason::NotFinite { t, component, at_start: false }));
        }
        Ok(())
    }
}
