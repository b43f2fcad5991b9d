//! How long the next step is: as long as wished, but it ends where it must.

use super::Run;
use crate::Reason;

/// One step about to be tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Its length.
    pub h: f64,
    /// Where it ends: t + h but for rounding.
    pub end: f64,
    /// Shorter than wished, to end at a given time.
    pub cut: bool,
}

impl Run<'_> {
    /// The next step: as long as wished, but no further than the next time that must be hit.
    pub(super) fn plan(&self) -> Result<Plan, Reason> {
        let instant = self.t_end.min(self.events.next_instant());
        let stop = instant.min(self.delayed.horizon);
        if self.options.step.is_some() {
            return self.plan_fixed(stop);
        }
        // Never so short that t + h would be t.
        let divided = self.options.divide && (self.delayed.count > 0 || self.method.chooses_step());
        let longest = if divided { 0.55 * (instant - self.instant) } else { f64::INFINITY };
        let h = self.h.min(self.h_proven).min(longest).max(self.smallest_step());
        if self.t + 1.01 * h >= stop {
            return Ok(Plan { h: stop - self.t, end: stop, cut: true });
        }
        let end = self.t + h;
        Ok(Plan { h: end - self.t, end, cut: false })
    }

    /// The fixed steps end at t₀ + k·step, computed anew each time, so that rounding does not add up.
    pub(super) fn plan_fixed(&self, stop: f64) -> Result<Plan, Reason> {
        let step = self.grid.distance;
        let grid = |k: f64| self.grid.at(k);
        let ratio = (self.t - self.grid.start) / step;
        // Behind an event t is between two points of the grid; otherwise on one but for rounding.
        let on_grid = (self.t - grid(ratio.round())).abs() <= 4.0 * f64::EPSILON * self.t.abs();
        let done = if on_grid { ratio.round() } else { ratio.floor() };
        let end = grid(done + 1.0);
        if end <= self.t {
            return Err(Reason::StepTooSmall { t: self.t, h: step, component: 0, error: 0.0 });
        }
        if let Some(h) = self.shorter.filter(|h| self.t + h < end.min(stop)) {
            return Ok(Plan { h, end: self.t + h, cut: true });
        }
        if end >= stop - 1e-9 * step {
            // The run that this one is compared with may have come there by the very same step.
            if self.options.divide && self.t == self.instant {
                let h = 0.5 * (stop - self.t);
                return Ok(Plan { h, end: self.t + h, cut: true });
            }
            let whole = on_grid && end <= stop + 1e-9 * step;
            return Ok(Plan { h: if whole { step } else { stop - self.t }, end: stop, cut: !whole });
        }
        Ok(Plan { h: if on_grid { step } else { end - self.t }, end, cut: !on_grid })
    }
}
