//! Which rows are handed over, and when.

use super::Run;
use super::plan::Plan;
use crate::Reason;
use crate::events::Events;
use ordinate_numbers::{OCTET, Octet};

/// Eight rows take as long as so many.
const MANY: usize = 3;

impl Run<'_> {
    /// The rows at an instant: one if it is asked for, before and after where an action ran.
    pub(super) fn rows_at_event(&mut self, acted: bool) -> Result<(), Reason> {
        if acted && (self.rows.adds_rows() || self.next_row <= self.t) {
            let Events { y_before, d_before, mixture_before, .. } = &self.events;
            let (d, mixture) = match self.delayed.count {
                0 => (d_before.as_slice(), mixture_before.as_ref()),
                _ => self.delayed.extended(self.flow.system, self.t, true, d_before, mixture_before.as_ref()),
            };
            let flow = self.sink.row(self.t, y_before, d, mixture);
            self.obey(flow)?;
            while self.next_row <= self.t {
                self.next_row();
            }
            return self.here();
        }
        self.row_if_due()
    }

    /// Both sides of the event that has just happened.
    pub(super) fn tell_event(&mut self, switch: usize) {
        let Events { y_before, d_before, mixture_before, .. } = &self.events;
        let (t, system, delayed) = (self.t, &mut *self.flow.system, &mut self.delayed);
        let (d, mixture) = match delayed.count {
            0 => (d_before.as_slice(), mixture_before.as_ref()),
            _ => delayed.extended(system, t, true, d_before, mixture_before.as_ref()),
        };
        self.sink.side_of_event(switch, false, t, y_before, d, mixture);
        let mixture = self.flow.mixture(t, &self.y, &self.d).cloned();
        let (d, mixture) = match self.delayed.count {
            0 => (self.d.as_slice(), mixture.as_ref()),
            _ => self.delayed.extended(self.flow.system, t, false, &self.d, mixture.as_ref()),
        };
        self.sink.side_of_event(switch, true, t, &self.y, d, mixture);
    }

    /// The rows inside the step, up to `until` exclusively, from the dense output.
    pub(super) fn rows_before(&mut self, until: f64, plan: Plan) -> Result<(), Reason> {
        let mut last = None;
        while self.next_row < until {
            if let Some(reason) = self.refusal() {
                return Err(self.end_at_row(last, plan).unwrap_or(reason));
            }
            let (mut times, mut count) = ([self.next_row; OCTET], 0);
            while count < OCTET && self.next_row < until {
                times[count] = self.next_row;
                count += 1;
                self.next_row();
            }
            let theta = times.map(|t| (t - self.t) / plan.h);
            if self.method.errors_within(&Octet(theta), &mut self.row_errors) {
                self.move_errors(&times[..count], &theta);
                self.sink.errors(count, &self.row_errors);
            }
            let together = count >= MANY && self.method.values_of_eight(&Octet(theta), &mut self.row_values);
            for (k, (t, theta)) in times.into_iter().zip(theta).take(count).enumerate() {
                let mut y = std::mem::take(&mut self.scratch[0]);
                if together {
                    y.iter_mut().zip(&self.row_values).for_each(|(y, eight)| *y = eight.0[k]);
                } else {
                    self.method.interpolate(theta, &mut y);
                }
                let restored = match self.restored_rows.pop_front() {
                    Some(known) => {
                        y.copy_from_slice(&known);
                        Ok(())
                    }
                    None => self.restore_inside(t, theta, &mut y).map_err(|failure| failure.without_step(t)),
                };
                let result = restored.and_then(|()| self.row(t, &y));
                self.scratch[0] = y;
                result?;
                last = Some(t);
            }
        }
        Ok(())
    }

    /// A run that is ended between the rows of a step has come to the last one of them.
    fn end_at_row(&mut self, last: Option<f64>, plan: Plan) -> Option<Reason> {
        let t = last?;
        let theta = (t - self.t) / plan.h;
        let mut y = std::mem::take(&mut self.y);
        self.method.interpolate(theta, &mut y);
        let restored = self.restore_inside(t, theta, &mut y).map_err(|failure| failure.without_step(t));
        (self.y, self.t) = (y, t);
        restored.err().or_else(|| self.refusal())
    }

    /// The errors of rows are those of the dense output, from which their equations move them: the errors move with them.
    fn move_errors(&mut self, times: &[f64], theta: &[f64]) {
        if self.flow.consistency.is_none() {
            return;
        }
        let mut y = vec![0.0; self.y.len()];
        for (k, t) in times.iter().enumerate() {
            self.method.interpolate(theta[k], &mut y);
            if self.restored_rows.len() <= k {
                let mut restored = y.clone();
                if self.restore_inside(*t, theta[k], &mut restored).is_err() {
                    // The row itself will say so.
                    return;
                }
                self.restored_rows.push_back(restored);
            }
            let moved = self.restored_rows[k].iter().zip(&y).map(|(to, from)| to - from);
            self.row_errors.iter_mut().zip(moved).for_each(|(error, moved)| error.0[k] += moved);
        }
    }

    pub(super) fn next_row(&mut self) {
        self.rows.advance();
        self.next_row = self.rows.peek().unwrap_or(f64::INFINITY);
    }

    /// The rows of the current point, if any are asked for.
    #[inline]
    pub(super) fn row_if_due(&mut self) -> Result<(), Reason> {
        let steps = self.rows.is_steps();
        while self.next_row <= self.t {
            self.here()?;
            self.next_row();
        }
        if steps { self.here() } else { Ok(()) }
    }

    /// The current point as a row.
    pub(super) fn here(&mut self) -> Result<(), Reason> {
        if self.method.error_within(1.0, &mut self.scratch[1]) {
            self.tell_error();
        }
        let y = std::mem::take(&mut self.y);
        let result = self.row(self.t, &y);
        self.y = y;
        result
    }

    /// The error of the row that follows is in `scratch[1]`.
    pub(super) fn tell_error(&mut self) {
        self.row_errors.iter_mut().zip(&self.scratch[1]).for_each(|(place, error)| place.0[0] = *error);
        self.sink.errors(1, &self.row_errors);
    }

    pub(super) fn row(&mut self, t: f64, y: &[f64]) -> Result<(), Reason> {
        if let Some(component) = y.iter().position(|y| !y.is_finite()) {
            return Err(Reason::NotFinite { t, component, at_start: false });
        }
        self.last_row = t;
        let mixture = self.flow.mixture(t, y, &self.d);
        if self.delayed.count == 0 {
            let flow = self.sink.row(t, y, &self.d, mixture);
            return self.obey(flow);
        }
        let mixture = mixture.cloned();
        let (d, mixture) = self.delayed.extended(self.flow.system, t, false, &self.d, mixture.as_ref());
        let flow = self.sink.row(t, y, d, mixture);
        self.obey(flow)
    }
}
