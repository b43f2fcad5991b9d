//! A look inside of long steps that found nothing to do.
//!
//! A method sees an input at the points where it evaluates f only. One that is silent there, such as exp(−(t − 50)²) from t = 0
//! on, leaves no trace in the error of the step, and a solution that knows nothing of it would pass for exact. So a step that is
//! a good part of the run and has next to no error is looked at in between, where f depends on time by itself but does not show it
//! at the ends of the step.

use super::{Plan, Run};
use crate::{Point, Trial};

/// Steps with a larger error, in tolerances, have seen something.
const SILENT: f64 = 1e-3;
/// Up to this order no error says that, and long steps are rare enough to look into each.
const LOW: u32 = 4;
/// Steps shorter than this part of the run are not looked into.
const LONG: f64 = 1.0 / 64.0;
/// So many points are looked at.
const POINTS: u32 = 128;
/// A change that would move the solution by fewer tolerances than this is none.
const VISIBLE: f64 = 10.0;
/// The slope of the solution comes from so much of the step on both sides of a point.
const NEAR: f64 = 1e-5;

impl Run<'_> {
    /// How long the step may be at most so that it ends before something that it overlooked. With the solution y of the step
    /// the change by time alone, and what the solution knows of it, are
    ///
    /// ```text
    ///   φ = f(τ, y(τ)) − f(t, y(τ)),      r = f(τ, y(τ)) − y′(τ)
    /// ```
    ///
    /// Overlooked is a φ that is visible and at least half of which is in r. r alone would not do: in a stiff model it is
    /// large where y is right to the last digits.
    pub(super) fn overlooked(&mut self, plan: Plan, trial: Trial) -> Option<f64> {
        let long = LONG * (self.t_end - self.t_start);
        let seen = trial.error > SILENT && trial.order > LOW;
        if seen || plan.h < long || self.options.step.is_some() || !self.timed {
            return None;
        }
        let n = self.y.len();
        let visible = |i: usize, change: f64, y: f64| {
            change * plan.h > VISIBLE * (self.tol.atol[i] + self.tol.rtol * y.abs()) * f64::from(POINTS)
        };
        // An input that is awake at both ends was seen: to look into every step of a driven model would cost more than the step.
        let [here, there] = &mut self.scratch;
        let end = self.method.end();
        self.flow.with(|system| {
            system.derivative(self.t + plan.h, end, &self.d, here);
            system.derivative(self.t, end, &self.d, there);
        });
        self.statistics.evaluations.f += 2;
        if (0..n).any(|i| visible(i, (here[i] - there[i]).abs(), end[i])) {
            return None;
        }
        let from = Point { t: self.t, y: &self.y, d: &self.d, f: None };
        self.flow.with(|system| self.method.make_dense(system, &from)).ok()?;
        let differential = self.flow.consistency.as_ref().map_or(n, |consistency| consistency.differential());
        let [mut y, mut before, mut behind, mut here, mut there] = [(); 5].map(|()| vec![0.0; n]);
        for k in 1..POINTS {
            let theta = f64::from(k) / f64::from(POINTS);
            let t = self.t + theta * plan.h;
            self.method.interpolate(theta, &mut y);
            self.flow.with(|system| {
                system.derivative(t, &y, &self.d, &mut here);
                system.derivative(self.t, &y, &self.d, &mut there);
            });
            self.statistics.evaluations.f += 2;
            self.method.interpolate(theta - NEAR, &mut before);
            self.method.interpolate(theta + NEAR, &mut behind);
            let is_overlooked = |i: usize| {
                let slope = if i < differential { (behind[i] - before[i]) / (2.0 * NEAR * plan.h) } else { 0.0 };
                let (change, rest) = ((here[i] - there[i]).abs(), (here[i] - slope).abs());
                visible(i, change, y[i]) && rest >= 0.5 * change
            };
            if (0..n).any(is_overlooked) {
                // The point before was still silent; at the first one nothing is known but that it is too far.
                let silent = if k == 1 { 0.5 } else { f64::from(k - 1) };
                return Some(plan.h * silent / f64::from(POINTS));
            }
        }
        None
    }
}
