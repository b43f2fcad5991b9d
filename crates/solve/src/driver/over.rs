//! A step over a boundary behind which the branch of now cannot be evaluated.

use super::Run;
use crate::Reason;
use crate::crossings::Crossing;
use crate::events::Now;
use crate::sliding::Boundary;

impl Run<'_> {
    /// Goes on by the tiny time to a boundary along f as it is, to where the branch beyond can be evaluated: a bit
    /// behind the boundary if the motion goes on there, or else a bit before it. If neither can, the run ends for
    /// `reason`.
    pub(super) fn step_over(&mut self, time: f64, boundary: Boundary, reason: Reason) -> Result<(), Reason> {
        self.flow.with(|system| system.derivative(self.t, &self.y, &self.d, &mut self.f));
        let stop = self.t_end.min(self.events.next_instant());
        let mut t = self.t;
        let across: Vec<f64> = self.f.iter().map(|f| 0.25 * time * f).collect();
        let mut y = self.y.clone();
        let found = [1.125, 0.875].into_iter().find(|part| {
            for (y, (start, f)) in y.iter_mut().zip(self.y.iter().zip(&self.f)) {
                *y = start + part * time * f;
            }
            t = (self.t + part * time).min(stop);
            self.events.set_across(&across);
            let now = Now { t, y: &mut y, d: &mut self.d, scale: self.h_max };
            self.events.stays_finite(&mut self.flow, &now, boundary)
        });
        if found.is_none() {
            return Err(reason);
        }
        while self.next_row < t {
            let row = self.next_row;
            self.row(row, &y)?;
            self.next_row();
        }
        self.y.copy_from_slice(&y);
        self.t = t;
        self.keep_denominators(false);
        self.f_known = false;
        let crossing = Crossing { theta: 1.0, boundary, touch: false, jump: None, leaves: None };
        self.event(Some(crossing), self.h_max)?;
        if self.t < self.t_end { self.choose_first_step() } else { Ok(()) }
    }
}
