//! Steps over what no method can evaluate: a boundary behind which the branch of now ends, and a single instant.

use super::{Plan, Run};
use crate::Reason;
use crate::domain::boundary::Edge;
use crate::events::EventPoint;
use crate::events::location::Crossing;
use crate::events::sliding::Boundary;

/// How much larger f may become, by rounding, towards an instant at which it cannot be evaluated.
const ROUNDING: f64 = 1e-9;
/// How far that is looked for, each time four times as far.
const LOOKS: i32 = 6;

/// Behind a root a step of so many times the shortest one is made along f as it is.
const AWAY: f64 = 64.0;

/// How far a state goes back to the domain of f, in tolerances.
const RETURNS: [f64; 6] = [0.01, -0.01, 0.1, -0.1, 1.0, -1.0];

impl Run<'_> {
    /// Goes off the present time if f cannot be evaluated at it but right behind, where it does not grow towards it: sin(t)/t at
    /// 0, or the root of a function of time that is negative by rounding where its sign changes. Nothing happens within a time
    /// so short that it is lost against t. Returns whether it did.
    pub(super) fn step_off(&mut self) -> bool {
        if self.delayed.count > 0 || self.flow.consistency.is_some() {
            return false;
        }
        let stop = self.t_end.min(self.events.next_instant());
        for k in 0..LOOKS {
            let by = self.smallest_step() * 4f64.powi(k);
            if self.t + 2.0 * by >= stop {
                return false;
            }
            let [near, far] = &mut self.scratch;
            self.flow.with(|system| {
                system.derivative(self.t + by, &self.y, &self.d, near);
                system.derivative(self.t + 2.0 * by, &self.y, &self.d, far);
            });
            self.statistics.evaluations.f += 2;
            if near.iter().chain(far.iter()).any(|f| !f.is_finite()) {
                continue;
            }
            if grows(near, far) {
                return false;
            }
            self.t += by;
            self.instant = self.t;
            (self.f_known, self.wished) = (false, false);
            self.restart_method();
            return true;
        }
        false
    }

    /// Goes off the present state along f as it is, for a time that is lost against t, if f hardly changes within it: a series is
    /// good for less where a root has just begun, as right behind a boundary in |s|. Returns whether it did.
    pub(super) fn leave_root(&mut self) -> Result<bool, Reason> {
        let h = AWAY * self.smallest_step();
        let stop = self.t_end.min(self.events.next_instant());
        let other = self.delayed.count > 0 || self.flow.consistency.is_some() || self.options.step.is_some();
        if other || self.t == self.t_start || self.left_root == Some(self.instant) || self.t + h >= stop {
            return Ok(false);
        }
        let [here, there] = &mut self.scratch;
        let y: Vec<f64> = self.flow.with(|system| {
            system.derivative(self.t, &self.y, &self.d, here);
            let y: Vec<f64> = self.y.iter().zip(&*here).map(|(y, f)| y + h * f).collect();
            system.derivative(self.t + h, &y, &self.d, there);
            y
        });
        self.statistics.evaluations.f += 2;
        let changes = |i: usize| h * (there[i] - here[i]).abs() <= 0.01 * self.tol.of(i, [self.y[i], y[i]]);
        if !(0..y.len()).all(changes) {
            return Ok(false);
        }
        self.move_to(self.t + h, &y)?;
        self.left_root = Some(self.instant);
        self.wished = false;
        self.restart_method();
        self.choose_first_step()?;
        Ok(true)
    }

    /// Moves one state within its tolerance if f does not exist where the last step ended, but there, and the solution comes to rest at
    /// the edge: a method that does not evaluate f at the end of a step may have gone beyond the edge of its domain by as much. Returns
    /// whether it did.
    pub(super) fn return_to_domain(&mut self) -> bool {
        let fixed = self.options.step.is_some() || self.t == self.t_start;
        if fixed || self.delayed.count > 0 || self.flow.consistency.is_some() {
            return false;
        }
        let scale: Vec<f64> = self.y.iter().enumerate().map(|(i, y)| self.tol.of(i, [*y; 2])).collect();
        let mut y = self.y.clone();
        let [near, far] = &mut self.scratch;
        let mut exists = |y: &[f64], f: &mut [f64]| {
            self.flow.with(|system| system.derivative(self.t, y, &self.d, f));
            self.statistics.evaluations.f += 1;
            f.iter().all(|f| f.is_finite())
        };
        if exists(&y, near) {
            return false;
        }
        for i in 0..y.len() {
            for part in RETURNS {
                let by = part * scale[i];
                y[i] = self.y[i] + 2.0 * by;
                let finite = exists(&y, far);
                y[i] = self.y[i] + by;
                if finite && exists(&y, near) && !grows(near, far) {
                    let edge = Edge { t: self.t, d: &self.d, inside: &y, outside: &self.y, scale: &scale };
                    if self.flow.with(|system| edge.is_left(system, &mut self.statistics.evaluations.f)) {
                        return false;
                    }
                    self.y.copy_from_slice(&y);
                    (self.f_known, self.wished) = (false, false);
                    self.restart_method();
                    return true;
                }
            }
            y[i] = self.y[i];
        }
        false
    }

    /// Goes to the end of a step that could not be computed, along f as it is, if the step ends at a given time and is so short
    /// that no error can come from how it is passed: the time at which the sign of a root's argument changes is rounded, and may
    /// lie behind. Returns whether it did.
    pub(super) fn reach_instant(&mut self, plan: Plan) -> Result<bool, Reason> {
        // What lies at the end of the run may be a pole.
        let among = self.events.next_instant() <= plan.end && plan.end < self.t_end;
        if self.options.step.is_some() || !among || !self.is_negligible(plan.h) {
            return Ok(false);
        }
        self.flow.with(|system| system.derivative(self.t, &self.y, &self.d, &mut self.f));
        self.statistics.evaluations.f += 1;
        if self.f.iter().any(|f| !f.is_finite()) || self.flow.consistency.is_some() || self.delayed.count > 0 {
            return Ok(false);
        }
        let y: Vec<f64> = self.y.iter().zip(&self.f).map(|(y, f)| y + plan.h * f).collect();
        self.move_to(plan.end, &y)?;
        self.event(None, plan.h)?;
        Ok(true)
    }

    /// The run goes on from another point; rows before it get what is there.
    fn move_to(&mut self, t: f64, y: &[f64]) -> Result<(), Reason> {
        while self.next_row < t {
            let row = self.next_row;
            self.row(row, y)?;
            self.next_row();
        }
        self.y.copy_from_slice(y);
        self.t = t;
        self.keep_denominators(false);
        self.f_known = false;
        Ok(())
    }

    /// Goes on by the tiny time to a boundary along f as it is, to where the branch beyond can be evaluated: a bit
    /// behind the boundary if the motion goes on there, or else a bit before it. If neither can, the run ends for
    /// `reason`.
    pub(super) fn step_over(&mut self, time: f64, boundary: Boundary, reason: Reason) -> Result<(), Reason> {
        self.flow.with(|system| system.derivative(self.t, &self.y, &self.d, &mut self.f));
        let stop = self.t_end.min(self.events.next_instant());
        let (mut t, attempts) = (self.t, self.attempts());
        let across: Vec<f64> = self.f.iter().map(|f| 0.25 * time * f).collect();
        let mut y = self.y.clone();
        let found = [1.125, 0.875].into_iter().find(|part| {
            for (y, (start, f)) in y.iter_mut().zip(self.y.iter().zip(&self.f)) {
                *y = start + part * time * f;
            }
            t = (self.t + part * time).min(stop);
            self.events.set_across(&across);
            let now = EventPoint { t, y: &mut y, d: &mut self.d, scale: self.h_max, attempts };
            self.events.stays_finite(&mut self.flow, &now, boundary)
        });
        if found.is_none() {
            return Err(reason);
        }
        self.move_to(t, &y)?;
        let crossing = Crossing { theta: 1.0, boundary, touch: None, jump: None, leaves: None };
        self.event(Some(crossing), self.h_max)?;
        if self.t < self.t_end { self.choose_first_step() } else { Ok(()) }
    }
}

/// Whether f becomes larger towards what is near.
fn grows(near: &[f64], far: &[f64]) -> bool {
    near.iter().zip(far).any(|(near, far)| near.abs() > (1.0 + ROUNDING) * far.abs())
}
