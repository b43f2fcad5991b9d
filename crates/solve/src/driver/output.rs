//! Which rows are handed over, and when.

use super::Run;
use super::plan::Plan;
use crate::Reason;
use crate::events::Events;

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

    /// The rows inside the step, up to `until` exclusively, from the dense output.
    pub(super) fn rows_before(&mut self, until: f64, plan: Plan) -> Result<(), Reason> {
        while self.next_row < until {
            let t = self.next_row;
            let mut y = std::mem::take(&mut self.scratch[0]);
            let theta = (t - self.t) / plan.h;
            self.method.interpolate(theta, &mut y);
            let restored = self.restore_inside(t, theta, &mut y);
            self.tell_error(theta);
            let result = restored.and_then(|()| self.row(t, &y));
            self.scratch[0] = y;
            result?;
            self.next_row();
        }
        Ok(())
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
        self.tell_error(1.0);
        let y = std::mem::take(&mut self.y);
        let result = self.row(self.t, &y);
        self.y = y;
        result
    }

    /// The error of the row that follows, at a part of the remembered step.
    fn tell_error(&mut self, theta: f64) {
        if self.method.error_within(theta, &mut self.scratch[1]) {
            self.sink.error(&self.scratch[1]);
        }
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
