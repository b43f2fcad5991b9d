//! Which rows are handed over, and when.

use super::Run;
use super::plan::Plan;
use crate::{Mixture, Reason};

impl Run<'_> {
    /// The rows at an instant: one if it is asked for, before and after where an action ran.
    pub(super) fn rows_at_event(&mut self, acted: bool) -> Result<(), Reason> {
        if acted && (self.rows.adds_rows() || self.next_row <= self.t) {
            let (y, d) = (self.events.y_before.clone(), self.events.d_before.clone());
            let mixture = self.events.mixture_before.clone();
            self.hand_over(self.t, true, &y, &d, mixture.as_ref())?;
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
            let result = self.restore_inside(t, theta, &mut y).and_then(|()| self.row(t, &y));
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
        let y = std::mem::take(&mut self.y);
        let result = self.row(self.t, &y);
        self.y = y;
        result
    }

    pub(super) fn row(&mut self, t: f64, y: &[f64]) -> Result<(), Reason> {
        if let Some(component) = y.iter().position(|y| !y.is_finite()) {
            return Err(Reason::NotFinite { t, component, at_start: false });
        }
        self.last_row = t;
        if self.delayed.count == 0 {
            let mixture = self.flow.mixture(t, y, &self.d);
            let flow = self.sink.row(t, y, &self.d, mixture);
            return self.obey(flow);
        }
        let (mixture, d) = (self.flow.mixture(t, y, &self.d).cloned(), self.d.clone());
        self.hand_over(t, false, y, &d, mixture.as_ref())
    }

    /// A row with the delayed values behind its discrete ones.
    fn hand_over(
        &mut self,
        t: f64,
        before: bool,
        y: &[f64],
        d: &[f64],
        mixture: Option<&Mixture>,
    ) -> Result<(), Reason> {
        let flow = match self.delayed.count {
            0 => self.sink.row(t, y, d, mixture),
            _ => {
                let (d, mixture) = self.delayed.extended(self.flow.system, t, before, d, mixture);
                self.sink.row(t, y, d, mixture)
            }
        };
        self.obey(flow)
    }
}
