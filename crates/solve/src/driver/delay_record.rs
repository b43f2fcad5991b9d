//! What delayed values need: the past is written down, steps end where it says so, and rows carry what was read of it.

use super::{Plan, Run};
use crate::delay::history::{chebyshev_coefficients, chebyshev_point};
use crate::{Form, Mixture, Path, Piece, Reason, System, Trial};

/// Values per step by which a method without series is remembered, at least and at most; in between two more than its order.
const VALUES: [usize; 2] = [5, 15];

/// Where the dense output of a step is looked at.
const INSIDE: [f64; 2] = [0.27, 0.73];

/// Its slope there, from places beside: offsets and weights of the five-point formula.
const DIFFERENCE: [(f64, f64); 4] =
    [(-0.02, 1.0 / 0.12), (-0.01, -8.0 / 0.12), (0.01, 8.0 / 0.12), (0.02, -1.0 / 0.12)];

/// At so many points what is remembered is compared with what was, and where more is to be feared.
const FEW: u32 = 3;
const MANY: u32 = 96;
/// Steps longer than this part of the run are looked at there.
const LONG: f64 = 1.0 / 64.0;

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
        let series = self.method.chooses_step();
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
        let mut reach = end;
        let forms = match self.powers(plan, trial.order as usize) {
            Some(powers) => {
                // A step that was cut short would have been right for longer.
                let longest = powers.iter().map(|c| self.range(c)).fold(self.h / plan.h, f64::min);
                reach = end.max(self.t + longest * plan.h);
                powers.into_iter().map(Form::Powers).collect()
            }
            None => self.values(plan, trial.order as usize, theta)?,
        };
        Ok(Some(Piece { start: self.t, end, reach, unit: plan.h, forms }))
    }

    /// As far as the last terms of a series are small against the tolerance, in its unit.
    fn range(&self, c: &[f64]) -> f64 {
        let atol = self.tol.atol.iter().copied().fold(f64::INFINITY, f64::min);
        let size = c.iter().take(2).fold(0.0, |size: f64, c| size.max(c.abs()));
        let tolerance = 0.1 * (atol + self.tol.rtol * size);
        let last = c.iter().enumerate().skip(1).rev().take(3).filter(|(_, c)| **c != 0.0);
        last.map(|(k, c)| (tolerance / c.abs()).powf(1.0 / k as f64)).fold(f64::INFINITY, f64::min)
    }

    /// Where steps are polynomials, the series of the quantities along them.
    fn powers(&mut self, plan: Plan, order: usize) -> Option<Vec<Vec<f64>>> {
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
        found.then_some(z)
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
                    self.restore_inside(t, part, &mut y).map_err(|failure| failure.without_step(t))?;
                }
            }
            self.flow.with(|system| system.delayed(t, &y, &self.d, &mut z));
            if z.iter().any(|z| !z.is_finite()) {
                return Err(Reason::DelayNotFinite { t });
            }
            values.iter_mut().zip(&z).for_each(|(values, z)| values[k] = *z);
        }
        // What is held is known exactly.
        let form = |values: &Vec<f64>| match values.iter().all(|value| *value == values[0]) {
            true => Form::Powers(vec![values[0]]),
            false => Form::Chebyshev(chebyshev_coefficients(values)),
        };
        Ok(values.iter().map(form).collect())
    }

    /// Whether the polynomials of a piece do not show what the quantities were: these may change faster than the states.
    pub(super) fn misfits(&mut self, plan: Plan, piece: &Piece) -> bool {
        if self.options.step.is_some() || plan.h < 4.0 * self.smallest_step() {
            return false;
        }
        // What depends on time by itself may wake up between a few points, as in `defect_sampling.rs`.
        let long = plan.h > LONG * (self.t_end - self.t_start);
        let timed = self.flow.system.layout().delays.iter().any(|delay| delay.timed);
        let count = if long && timed { MANY } else { FEW };
        let atol = self.tol.atol.iter().copied().fold(f64::INFINITY, f64::min);
        let (mut y, mut z) = (vec![0.0; self.y.len()], vec![0.0; self.delayed.count]);
        // Of each quantity the largest value, and the largest error beyond rounding of t: a zero needs no more digits than
        // what is around it.
        let mut found = vec![[0.0f64; 2]; z.len()];
        for k in 0..=count {
            let part = if k == count { 1.0 } else { (f64::from(k) + 0.37) / f64::from(count) };
            let since = part * (piece.end - piece.start);
            let (t, theta) = (self.t + since, since / plan.h);
            self.method.interpolate(theta, &mut y);
            if self.restore_inside(t, theta, &mut y).is_err() {
                return true;
            }
            self.flow.with(|system| system.delayed(t, &y, &self.d, &mut z));
            for (j, (z, [size, error])) in z.iter().zip(&mut found).enumerate() {
                let (value, slope) = piece.value_and_slope(j, since);
                let own = (value - z).abs() - 8.0 * f64::EPSILON * (t * slope).abs();
                // not a number counts, too
                (*size, *error) = (size.max(z.abs()), if own <= *error { *error } else { own });
            }
        }
        let tolerance = |size: f64| atol + self.tol.rtol.max(64.0 * f64::EPSILON) * size;
        !found.iter().all(|[size, error]| *error <= tolerance(*size))
    }

    /// The error of the dense output of a step in units of the tolerance, where it is too large: it is what is remembered, and
    /// the error of the end does not know it. As in the verification of Taylor steps the equation itself tells:
    ///
    /// ```text
    ///   error ≈ h (p′ − f(t, p))/(order + 1)
    /// ```
    ///
    /// Only for explicit methods: where the equations are stiff, a small error makes a large defect.
    pub(super) fn error_inside(&mut self, plan: Plan, trial: Trial) -> Option<f64> {
        if self.delayed.count == 0 || self.options.step.is_some() || self.method.solves_algebraic() {
            return None;
        }
        if self.flow.consistency.is_some() || self.method.gave_polynomial() {
            return None;
        }
        let n = self.y.len();
        let [mut y, mut f, mut beside, mut slope] = [(); 4].map(|()| vec![0.0; n]);
        let mut worst: f64 = 0.0;
        for theta in INSIDE {
            slope.fill(0.0);
            for (offset, weight) in DIFFERENCE {
                self.method.interpolate(theta + offset, &mut beside);
                slope.iter_mut().zip(&beside).for_each(|(slope, y)| *slope += weight * y);
            }
            self.method.interpolate(theta, &mut y);
            self.flow.with(|system| system.derivative(self.t + theta * plan.h, &y, &self.d, &mut f));
            self.statistics.evaluations.f += 1;
            for i in 0..n {
                let scale = self.tol.of(i, [y[i], self.y[i]]);
                worst = worst.max((slope[i] - plan.h * f[i]).abs() / f64::from(trial.order + 1) / scale);
            }
        }
        (worst > 1.0).then_some(worst)
    }

    /// Writes a piece down; the step ended at the present time.
    pub(super) fn remember(&mut self, piece: Option<Piece>, order: u32) {
        if let (Some(mut piece), Some(history)) = (piece, self.flow.system.history()) {
            // Terms of a series shrink by about e² from one to the next where its step is as long as it should be.
            let needed = 3 + (-0.5 * self.tol.rtol.max(f64::EPSILON).ln()).ceil() as u32;
            piece.end = self.t;
            history.set_order((order + 1).min(needed));
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
