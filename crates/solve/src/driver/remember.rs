//! What delayed values need: the past is written down, steps end where it says so, and rows carry what was read of it.

use super::{Plan, Run};
use crate::history::{chebyshev_coefficients, chebyshev_point};
use crate::{Form, Mixture, Path, Piece, Reason, System, Trial};

/// Values per step by which a method without series is remembered, at least and at most; in between two more than its order.
const VALUES: [usize; 2] = [5, 15];

/// Where a run has delayed values: memory for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Delayed {
    /// How many.
    pub count: usize,
    /// How far a step from here may go for their sake.
    pub horizon: f64,
    /// The values at a row, behind the discrete values.
    d: Vec<f64>,
    mixture: Option<Mixture>,
    /// The values before an event.
    before: Vec<f64>,
}

impl Delayed {
    pub fn new(count: usize) -> Delayed {
        Delayed { count, horizon: f64::INFINITY, before: vec![0.0; count], ..Delayed::default() }
    }
}

impl Delayed {
    /// d and the mixture of a row with the delayed values behind the discrete ones: those before the event at hand, or those
    /// of now.
    pub fn extended(
        &mut self,
        system: &mut dyn System,
        t: f64,
        before: bool,
        d: &[f64],
        mixture: Option<&Mixture>,
    ) -> (&[f64], Option<&Mixture>) {
        let row = &mut self.d;
        row.clear();
        row.extend_from_slice(d);
        row.resize(d.len() + self.count, 0.0);
        let w = &mut row[d.len()..];
        match before {
            true => w.copy_from_slice(&self.before),
            false => system.delayed_values(t, d, w),
        }
        self.mixture = mixture.cloned().map(|mut mixture| {
            mixture.extend(w);
            mixture
        });
        (row, self.mixture.as_ref())
    }
}

impl Run<'_> {
    /// Looks how far the next step may go.
    pub(super) fn look_ahead_in_past(&mut self) {
        let series = self.method.wishes();
        if let Some(history) = self.flow.system.history() {
            self.delayed.horizon = history.horizon(self.t, series);
        }
    }

    /// The delayed quantities along the step that the method remembers, up to a part of it.
    pub(super) fn piece(&mut self, plan: Plan, trial: Trial, theta: f64) -> Result<Option<Piece>, Reason> {
        if self.delayed.count == 0 || theta <= 0.0 {
            return Ok(None);
        }
        let end = self.t + theta * plan.h;
        // A step that was cut short would have been right for longer.
        let reach = if self.method.wishes() { end.max(self.t + self.h) } else { end };
        let forms = match self.powers(plan, trial.order as usize) {
            Some(forms) => forms,
            None => self.values(plan, trial.order as usize, theta)?,
        };
        Ok(Some(Piece { start: self.t, end, reach, unit: plan.h, forms }))
    }

    /// Where steps are polynomials, the series of the quantities along them.
    fn powers(&mut self, plan: Plan, order: usize) -> Option<Vec<Form>> {
        let n = self.y.len();
        let mut y: Vec<Vec<f64>> = vec![Vec::new(); n];
        if self.flow.sliding.is_some() || self.flow.consistency.is_some() {
            return None;
        }
        if !y.iter_mut().enumerate().all(|(state, c)| self.method.polynomial(state, c)) {
            return None;
        }
        let path = Path { t: self.t, length: plan.h, y: &y };
        let mut z = vec![Vec::new(); self.delayed.count];
        let found = self.flow.system.delayed_series(&path, &self.d, order, &mut z);
        found.then(|| z.into_iter().map(Form::Powers).collect())
    }

    /// Elsewhere their values at a number of points.
    fn values(&mut self, plan: Plan, order: usize, theta: f64) -> Result<Vec<Form>, Reason> {
        let count = (order + 2).clamp(VALUES[0], VALUES[1]);
        let mut values = vec![vec![0.0; count]; self.delayed.count];
        let (mut y, mut z) = (vec![0.0; self.y.len()], vec![0.0; self.delayed.count]);
        for k in 0..count {
            let part = theta * chebyshev_point(k, count);
            let t = if part == 1.0 { plan.end } else { self.t + part * plan.h };
            match k {
                0 => y.copy_from_slice(&self.y),
                _ => {
                    self.method.interpolate(part, &mut y);
                    self.restore_inside(t, part, &mut y)?;
                }
            }
            self.flow.with(|system| system.delayed(t, &y, &self.d, &mut z));
            if z.iter().any(|z| !z.is_finite()) {
                return Err(Reason::DelayNotFinite { t });
            }
            values.iter_mut().zip(&z).for_each(|(values, z)| values[k] = *z);
        }
        Ok(values.iter().map(|values| Form::Chebyshev(chebyshev_coefficients(values))).collect())
    }

    /// Writes a piece down; the step ended at the present time.
    pub(super) fn remember(&mut self, piece: Option<Piece>, order: u32) {
        if let (Some(mut piece), Some(history)) = (piece, self.flow.system.history()) {
            piece.end = self.t;
            history.set_order(order);
            history.push(piece);
        }
    }

    /// Keeps what is read now, before something happens.
    pub(super) fn keep_delayed(&mut self) {
        if self.delayed.count > 0 {
            self.flow.system.delayed_values(self.t, &self.d, &mut self.delayed.before);
        }
    }
}
