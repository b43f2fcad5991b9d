//! Points of a run at which its equations are looked at once more: the start, both sides of events, fixed parts of the run, the end.
//! The sink compares them with what was asked for; the driver compares the curve between two points with the model.

use super::Run;
use super::plan::Plan;
use crate::implicit::newton::NewtonSolver;
use crate::outcome::Defect;
use crate::{NewtonOptions, Point, Reason, Sink};

/// So many points divide a run evenly.
const POINTS: usize = 8;
/// The curve between two points is this many tolerances beside the model at most: 70 was the most among all models of the gallery and
/// methods with tolerances from 1e-3 to 1e-9.
const MOST_DEFECT: f64 = 1e3;
/// A second place is this part of the rest of the step behind the first.
const BESIDE: f64 = 0.1;
/// A step is halved so often for that.
const MOST_HALVED: u32 = 6;
/// After so many events no more are looked at.
const MOST_EVENTS: u32 = 60;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Examination {
    /// Somebody looks.
    wanted: bool,
    /// The next point.
    next: usize,
    /// The end of the step at hand stands for a point in it.
    due: bool,
    events: u32,
    /// How often the step at hand was halved.
    halved: u32,
    /// The first defect that stayed.
    pub defect: Option<Defect>,
}

impl Examination {
    pub fn new(sink: &dyn Sink) -> Examination {
        Examination { wanted: sink.examines(), ..Examination::default() }
    }
}

impl Run<'_> {
    /// The next of the points that divide the run; infinite behind the last.
    fn next_point(&self) -> f64 {
        match self.examination {
            Examination { wanted: true, next, .. } if next < POINTS => {
                self.t_start + (self.t_end - self.t_start) * ((next + 1) as f64 / (POINTS + 1) as f64)
            }
            _ => f64::INFINITY,
        }
    }

    /// Whether a step is the first one or has one of these points in it.
    pub(super) fn examines_step(&self, plan: Plan) -> bool {
        self.examination.wanted && (self.statistics.steps == 0 || self.next_point() < plan.end)
    }

    /// The points inside of the step up to this part of it. Where its dense output was not made its end stands for them.
    pub(super) fn examine_inside(&mut self, plan: Plan, part: f64, dense: bool) -> Result<(), Reason> {
        let until = self.t + part * plan.h;
        while self.next_point() <= until {
            let t = self.next_point();
            self.examination.next += 1;
            let theta = (t - self.t) / plan.h;
            if !(dense && theta > 0.0 && t < until) {
                self.examination.due = true;
                continue;
            }
            let mut y = std::mem::take(&mut self.scratch[0]);
            self.method.interpolate(theta, &mut y);
            let restored = self.restore_inside(t, theta, &mut y);
            // where a point has no solution the row at it says so
            let result = if restored.is_ok() { self.examine(t, &y) } else { Ok(()) };
            self.scratch[0] = y;
            result?;
        }
        Ok(())
    }

    /// The defect of the curve of a step, taken over the whole step and in units of the tolerance:
    ///
    /// ```text
    ///   (1 − h J)⁻¹ δ,      δ = h (f(t, p) − p′)
    /// ```
    ///
    /// Fast motions die out at once in a stiff model, and what they leave of a defect moves the solution.
    ///
    /// Returns whether it is small at the points inside of the step. Where it is not the step is tried again with half its length;
    /// a defect that stays is told.
    pub(super) fn is_solved_inside(&mut self, plan: Plan, part: f64, dense: bool) -> bool {
        let until = self.t + part * plan.h;
        let first = self.next_point();
        if first >= until || !dense || self.options.step.is_some() {
            return true;
        }
        let theta = (first - self.t) / plan.h;
        // f may have no value at a single point, as 0/0 has none
        let found = self.defect(plan, theta).and_then(|_| self.defect(plan, theta + BESIDE * (part - theta)));
        match found {
            Some(_) if self.examination.halved < MOST_HALVED && plan.h > 100.0 * self.smallest_step() => {
                self.examination.halved += 1;
                false
            }
            found => {
                let defect = found.map(|(component, size)| Defect { t: first, component, size });
                self.examination.defect = self.examination.defect.or(defect);
                self.examination.halved = 0;
                true
            }
        }
    }

    fn defect(&mut self, plan: Plan, theta: f64) -> Option<(usize, f64)> {
        let (t, n) = (self.t + theta * plan.h, self.y.len());
        let differential = self.flow.consistency.as_ref().map_or(n, |consistency| consistency.differential());
        let [y, defect] = &mut self.scratch;
        self.method.interpolate_with_slope(theta, y, defect);
        let mut f = vec![0.0; n];
        self.flow.with(|system| system.derivative(t, y, &self.d, &mut f));
        self.statistics.evaluations.f += 1;
        defect.iter_mut().zip(&f).for_each(|(defect, f)| *defect = f - *defect / plan.h);
        defect[differential..].copy_from_slice(&f[differential..]);
        let (tol, from) = (&self.tol, &self.y);
        let largest = |scale: f64, defect: &[f64], y: &[f64]| {
            let size = |i: usize| (scale * defect[i]).abs() / tol.of(i, [y[i], from[i]]);
            (0..differential)
                .map(|i| (i, size(i)))
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .filter(|(_, size)| *size > MOST_DEFECT)
        };
        let mut found = largest(plan.h, defect, y);
        if found.is_some() {
            let at = Point { t, y, d: &self.d, f: None };
            let filter = self.filter.get_or_insert_with(|| NewtonSolver::new(n, NewtonOptions::default()));
            filter.restart();
            // a matrix that cannot be had says nothing
            let solved = self.flow.with(|system| filter.solve_linearised(system, &at, plan.h, defect));
            found = if solved.is_ok() { largest(1.0, defect, y) } else { None };
        }
        found
    }

    /// The end of a step that stands for points in it.
    pub(super) fn examine_end(&mut self) -> Result<(), Reason> {
        if std::mem::take(&mut self.examination.due) { self.examine_here() } else { Ok(()) }
    }

    /// The current point.
    pub(super) fn examine_here(&mut self) -> Result<(), Reason> {
        let y = std::mem::take(&mut self.y);
        let result = self.examine(self.t, &y);
        self.y = y;
        result
    }

    fn examine(&mut self, t: f64, y: &[f64]) -> Result<(), Reason> {
        if !self.examination.wanted {
            return Ok(());
        }
        let mixture = self.flow.mixture(t, y, &self.d).cloned();
        let flow = match self.delayed.count {
            0 => self.sink.examine(t, y, &self.d, mixture.as_ref()),
            _ => {
                let (d, mixture) = self.delayed.extended(self.flow.system, t, false, &self.d, mixture.as_ref());
                self.sink.examine(t, y, d, mixture)
            }
        };
        self.obey(flow)
    }

    /// Both sides of an event.
    pub(super) fn examine_event(&mut self, changed: bool) -> Result<(), Reason> {
        if !(self.examination.wanted && changed && self.examination.events < MOST_EVENTS) {
            return Ok(());
        }
        self.examination.events += 1;
        let before = (&self.events.y_before, &self.events.d_before, self.events.mixture_before.as_ref());
        let flow = match self.delayed.count {
            0 => self.sink.examine(self.t, before.0, before.1, before.2),
            _ => {
                let (d, mixture) = self.delayed.extended(self.flow.system, self.t, true, before.1, before.2);
                self.sink.examine(self.t, before.0, d, mixture)
            }
        };
        self.obey(flow)?;
        self.examine_here()
    }
}
