//! A good step: its rows, and the way to its end or to the first event in it.

use super::{Plan, Run};
use crate::driver::controller::bearable;
use crate::driver::grid::Grid;
use crate::events::functions::Step;
use crate::events::location::{Crossing, Found, Limits};
use crate::{Point, Reason, Trial};

/// A step from one switch to the next is too long where it finds that in this first part of it.
const EARLY: f64 = 0.25;

impl Run<'_> {
    /// The step is good: hand over its rows and go to its end, or to the first event in it.
    pub(super) fn advance(&mut self, plan: Plan, trial: Trial) -> Result<(), Reason> {
        if self.flow.consistency.is_some() && !self.restore_end(plan, trial)? {
            return Ok(());
        }
        if self.turns(plan)? || self.leaps(plan)? {
            return Ok(());
        }
        let from = Point { t: self.t, y: &self.y, d: &self.d, f: None };
        let instant = plan.end >= self.t_end.min(self.events.next_instant());
        let (inside, searching) = (self.next_row < plan.end, self.events.searching());
        let fixed = self.options.step.is_some();
        let prepared = self.flow.with(|system| {
            if !instant {
                self.method.evaluate_at_end(system, &from)?;
                self.stiffness.watch(self.method, system, (&from, plan.h), &self.tol, self.t_end);
            }
            if !(inside || searching || self.delayed.count > 0 || self.keeps_pieces) {
                return Ok(None);
            }
            self.method.make_dense(system, &from)?;
            Ok(if fixed { None } else { self.method.error_inside(system, &from, &self.tol) })
        });
        let error_inside = match prepared {
            Ok(told) => told.or_else(|| self.error_inside(plan, trial)),
            Err(failure) => return self.fail(plan, failure),
        };
        if inside && let Err(failure) = self.restore_rows(plan) {
            return self.fail(plan, failure);
        }
        let mut longest = f64::INFINITY;
        if let Some(error) = error_inside {
            longest = plan.h * bearable(error, self.method.error_exponent().unwrap_or(1));
            if error.is_nan() || error > 1.0 {
                return self.reject(plan, Trial { error, next_h: Some(longest), ..trial });
            }
        }
        let found = if searching {
            let step = Step { t: self.t, h: plan.h, d: &self.d };
            // The last step may be stretched a little, and a fixed one is as long as it is.
            let limited = self.options.step.is_none() && self.h_proven > self.h_max;
            let longest = if limited { 1.02 * self.h_max } else { f64::INFINITY };
            let limits = Limits { rtol: self.tol.rtol, longest };
            self.events.search(&mut self.flow, self.method, &step, limits)
        } else {
            Found::Nothing
        };
        if found == Found::TooLong {
            self.statistics.rejected += 1;
            self.h_proven = self.h_max;
            return Ok(());
        }
        if let Found::Crossing(Crossing { theta, .. }) = found
            && self.options.divide
            && self.t == self.instant
            && self.method.gave_polynomial()
            && !self.is_negligible(theta * plan.h)
        {
            // The run that this one is compared with may have come here by the very same series.
            return self.again_with(0.5 * theta * plan.h);
        }
        if let Found::Crossing(Crossing { theta, .. }) = found
            && !self.knows_event(plan, theta)
        {
            return self.again_with(0.5 * theta * plan.h);
        }
        if let Found::Crossing(Crossing { theta, .. }) = found
            && theta < EARLY
            && self.switched
            && self.t == self.instant
            && self.options.step.is_none()
            && !self.method.gave_polynomial()
            && theta * plan.h > 100.0 * self.smallest_step()
        {
            // The step was chosen for another motion. Between two events that follow each other closely the solution may move by
            // less than the tolerances, and a dense output that is within them over the whole step says nothing of it.
            return self.again_with(2.0 * theta * plan.h);
        }
        if let Found::Crossing(Crossing { theta, jump: Some(_), .. }) = found
            && self.options.step.is_none()
            && !self.is_negligible(theta * plan.h)
        {
            // Behind the jump f may be another one, too: the step must end before it.
            // So much shorter that the plan does not stretch it again.
            return self.again_with(0.98 * theta * plan.h);
        }
        if self.options.step.is_none() && !self.method.chooses_step() {
            let exponent = self.method.error_exponent().unwrap_or(1);
            let mut growth = || self.controller.follow(exponent).accepted(trial.error);
            let wished = trial.next_h.unwrap_or_else(|| plan.h * growth());
            // A step cut short says nothing against the longer one.
            self.h = if plan.cut { wished.max(self.h) } else { wished };
            // Its end may bear a longer step than its inside.
            self.h = self.h.min(longest);
        }
        let t = self.t;
        let part = match found {
            Found::Crossing(Crossing { theta, .. }) => theta,
            Found::Undefined { theta, .. } | Found::Unfinished { theta } => theta,
            Found::Nothing | Found::TooLong => 1.0,
        };
        let dense = inside || searching || self.delayed.count > 0 || self.keeps_pieces;
        let piece = self.piece(plan, trial, part)?;
        let misfits = piece.as_ref().is_some_and(|piece| self.misfits(plan, piece));
        if misfits || !self.is_solved_inside(plan, part, dense) {
            if searching {
                self.events.reject();
            }
            self.statistics.rejected += 1;
            self.h = 0.5 * plan.h;
            return Ok(());
        }
        if self.examines_step(plan) {
            self.check_series_order(plan, trial.order)?;
        }
        if self.sink.watches() {
            let quiet = found == Found::Nothing && plan.end < self.events.next_instant();
            match self.defined_part(plan, part, quiet) {
                Ok(None) => {}
                Ok(Some((part, t))) => {
                    self.end_inside(plan, part, trial.order)?;
                    return Err(Reason::Undefined { t });
                }
                Err(failure) => return self.fail(plan, failure),
            }
        }
        self.examine_inside(plan, part, dense)?;
        let states = self.dense_pieces(plan, trial.order, part);
        match found {
            Found::Crossing(crossing) => self.go_inside(plan, crossing.theta, crossing.jump.is_none())?,
            Found::Undefined { theta, .. } | Found::Unfinished { theta } => self.go_inside(plan, theta, false)?,
            Found::Nothing | Found::TooLong => {
                if inside {
                    self.rows_before(plan.end, plan)?;
                }
                self.go_to_end(plan);
            }
        }
        self.f_known = false;
        self.wished = false;
        self.shorter = None;
        self.seen();
        if let (true, Some(step)) = (self.options.step.is_some(), trial.next_h) {
            self.grid = Grid::new(self.t, step);
        }
        if self.t > t {
            self.remember(piece, trial.order);
            self.hand_over(states);
            let h = if found == Found::Nothing { plan.h } else { self.t - t };
            self.statistics.count_step(h, trial.order);
            self.last_h = h;
            self.method.count_step();
            let weight = (4.0 * h / (self.t - self.t_start)).min(1.0);
            self.usual.iter_mut().zip(&self.y).for_each(|(usual, y)| *usual += weight * (y.abs() - *usual));
            self.sink.passed(self.t, &self.y);
            let flow = self.sink.step(self.t, h, trial.order);
            self.obey(flow)?;
        }
        self.examine_end()?;
        match found {
            Found::Crossing(crossing) => return self.event(Some(crossing), plan.h),
            Found::Undefined { switch, .. } => return Err(Reason::SwitchNotFinite { t: self.t, switch }),
            Found::Unfinished { .. } => self.restart_method(),
            Found::Nothing if instant => return self.event(None, plan.h),
            Found::Nothing | Found::TooLong => self.method.accept(),
        }
        if let Some(error) = self.method.error() {
            self.largest_error.resize(error.len(), 0.0);
            self.largest_error.iter_mut().zip(error).for_each(|(most, error)| *most = most.max(error.abs()));
        }
        self.events.accept();
        self.row_if_due()?;
        self.through_narrows()
    }

    /// The step is not made, but another one of this length, although its end was good.
    fn again_with(&mut self, h: f64) -> Result<(), Reason> {
        self.events.reject();
        self.statistics.rejected += 1;
        self.h = h;
        Ok(())
    }

    /// Goes to the end of a run inside the step.
    fn end_inside(&mut self, plan: Plan, part: f64, order: u32) -> Result<(), Reason> {
        let t = self.t;
        let states = self.dense_pieces(plan, order, part);
        self.go_inside(plan, part, false)?;
        if self.t > t {
            self.hand_over(states);
            self.statistics.count_step(self.t - t, order);
            self.sink.passed(self.t, &self.y);
        }
        Ok(())
    }

    /// Goes to a point inside the step. If it may be `moved` and falls on the end of the step or on a row but for
    /// rounding, it is there; a jump must not be moved, for its other side is another world.
    pub(super) fn go_inside(&mut self, plan: Plan, mut theta: f64, moved: bool) -> Result<(), Reason> {
        let mut t = self.t + theta * plan.h;
        let resolution = if moved { 4.0 * f64::EPSILON * self.t.abs().max(plan.h) } else { 0.0 };
        self.rows_before(t - resolution, plan)?;
        if (t - plan.end).abs() <= resolution {
            self.go_to_end(plan);
            return Ok(());
        }
        if moved && (t - self.next_row).abs() <= resolution {
            t = self.next_row;
            theta = ((t - self.t) / plan.h).clamp(0.0, 1.0);
        }
        if t > self.t {
            let mut y = std::mem::take(&mut self.scratch[0]);
            self.method.interpolate(theta, &mut y);
            let result = self.restore_inside(t, theta, &mut y).map_err(|failure| failure.without_step(t));
            self.y.copy_from_slice(&y);
            self.scratch[0] = y;
            self.t = t;
            self.keep_denominators(false);
            self.before.h = 0.0;
            return result;
        }
        Ok(())
    }

    pub(super) fn go_to_end(&mut self, plan: Plan) {
        self.keep_before(plan.h);
        let end = if self.restored.is_empty() { self.method.end() } else { &self.restored };
        self.y.copy_from_slice(end);
        self.t = plan.end;
        self.keep_denominators(self.restored.is_empty());
    }
}
