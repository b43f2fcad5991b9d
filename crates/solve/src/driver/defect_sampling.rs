//! A look inside of long steps.
//!
//! A method sees an input at the points where it evaluates f only, a Taylor series at a single one. A pulse between two of them,
//! such as exp(−(t − 50)²) from t = 0 on, leaves no trace in the error of the step, and a solution that knows nothing of it would
//! pass for exact. So steps are looked into, above all where f depends on time by itself and steps are long.

use super::{Plan, Run};
use crate::driver::local_features::{self, LocalFeatures};
use crate::implicit::newton::NewtonSolver;
use crate::{NewtonOptions, Point, Trial};
use ordinate_numbers::{OCTET, Octet};

/// Steps with a larger error, in tolerances, have seen something.
const SILENT: f64 = 1e-3;
/// One that is so many times as long as the one before has seen nothing if its error is not larger than this.
const LEAP: f64 = 2.0;
const CALM: f64 = 0.1;
/// What stages do not tell of the inside of a step is a small part of f.
const NOTICEABLE: f64 = 0.1;
/// A change that would move the solution by fewer tolerances than this is none.
const VISIBLE: f64 = 10.0;

/// What the step and f say at up to eight places of a step.
#[derive(Default)]
pub(super) struct Places {
    theta: Octet,
    y: Vec<Octet>,
    /// h·y′ of the step.
    slope: Vec<Octet>,
    f: Vec<Octet>,
}

impl Run<'_> {
    /// How long the step may be at most so that it ends before something that it overlooked. With the solution y of the step, what
    /// it does not know of f is
    ///
    /// ```text
    ///   r = f(τ, y(τ)) − y′(τ)
    /// ```
    ///
    /// A visible r between the ends is what was overlooked, where steps are polynomials of high order. Those of other methods have
    /// an r of their own, and in a stiff model it is large where y is right to the last digits: there it must be at least half of
    /// the change of f by time alone, φ = f(τ, y(τ)) − f(t, y(τ)), or, if there is none, of f itself. Implicit methods, without an
    /// input, ask for what is left of it where fast motions die out at once, (M − s J)⁻¹ s r over the distance s of two looks.
    pub(super) fn overlooked(&mut self, plan: Plan, trial: Trial) -> Option<f64> {
        let part = plan.h / (self.t_end - self.t_start);
        // Most steps: this must cost nothing.
        let sleeps = self.pulses != LocalFeatures::None;
        if self.options.step.is_some() || !(self.timed || sleeps || part > local_features::VERY_LONG) {
            return None;
        }
        let of_series = self.method.gave_polynomial();
        let count = match of_series {
            true => local_features::of_series(part, self.pulses),
            // Of a stiff model nothing but an input or what sleeps is overlooked.
            false if !self.timed && !sleeps && self.method.solves_algebraic() => 0,
            false => {
                let leaps = plan.h > LEAP * self.last_h && trial.error <= CALM;
                let silent = trial.error <= SILENT || (leaps && self.pulses == LocalFeatures::InState);
                local_features::of_stages(part, self.timed, self.pulses, silent, trial.order)
            }
        };
        if count == 0 {
            return None;
        }
        let n = self.y.len();
        let spacing = plan.h / count as f64;
        if !of_series && self.timed {
            // An input that is awake at both ends was seen: to look into every step of a driven model would cost more than the step.
            let [here, there] = &mut self.scratch;
            let end = self.method.end();
            self.flow.with(|system| {
                system.derivative(self.t + plan.h, end, &self.d, here);
                system.derivative(self.t, end, &self.d, there);
            });
            self.statistics.evaluations.f += 2;
            if (0..n).any(|i| (here[i] - there[i]).abs() * spacing > VISIBLE * self.tol.of(i, [end[i], self.y[i]])) {
                return None;
            }
        }
        let from = Point { t: self.t, y: &self.y, d: &self.d, f: None };
        self.flow.with(|system| self.method.make_dense(system, &from)).ok()?;
        let differential = self.flow.consistency.as_ref().map_or(n, |consistency| consistency.differential());
        let mut places = std::mem::take(&mut self.places);
        for octets in [&mut places.y, &mut places.slope, &mut places.f] {
            octets.resize(n, Octet::default());
        }
        let silent = self.first_visible(plan, (count, of_series, differential), &mut places);
        self.places = places;
        silent.map(|silent| silent * spacing)
    }

    /// Whether a step that ends at an event in this part of it knows f there. Friction that grows towards a standstill is
    /// awake where the motion stops, and may be nowhere else.
    pub(super) fn knows_event(&mut self, plan: Plan, theta: f64) -> bool {
        let length = theta * plan.h;
        let fixed = self.options.step.is_some() || length < 100.0 * self.smallest_step();
        if fixed || self.pulses == LocalFeatures::None {
            return true;
        }
        let n = self.y.len();
        let mut places = std::mem::take(&mut self.places);
        for octets in [&mut places.y, &mut places.slope] {
            octets.resize(n, Octet::default());
        }
        self.method.interpolate_eight(&Octet([theta; OCTET]), &mut places.y, &mut places.slope);
        let [y, f] = &mut self.scratch;
        y.iter_mut().zip(&places.y).for_each(|(y, column)| *y = column.0[0]);
        self.flow.with(|system| system.derivative(self.t + length, y, &self.d, f));
        self.statistics.evaluations.f += 1;
        // not a number is seen by others
        let differential = self.flow.consistency.as_ref().map_or(n, |consistency| consistency.differential());
        let slope = |i: usize| if i < differential { places.slope[i].0[0] / plan.h } else { 0.0 };
        let usual: Vec<f64> = (0..n).map(|i| f[i].abs().max(slope(i).abs())).collect();
        let mut rest: Vec<f64> = (0..n).map(|i| f[i] - slope(i)).collect();
        let visible =
            |i: usize, rest: f64| rest.abs() * length > OCTET as f64 * VISIBLE * self.tol.of(i, [y[i], self.y[i]]);
        let mut overlooked = (0..n).any(|i| visible(i, rest[i]));
        if overlooked && !self.method.gave_polynomial() {
            // The inside of a step of stages is less accurate than its end: what was overlooked is a great part of f.
            let noticeable: Vec<bool> = (0..n).map(|i| rest[i].abs() >= NOTICEABLE * usual[i]).collect();
            if self.method.solves_algebraic() {
                // where fast motions have died out
                let at = Point { t: self.t + length, y, d: &self.d, f: None };
                let filter = self.filter.get_or_insert_with(|| NewtonSolver::new(n, NewtonOptions::default()));
                filter.restart();
                let left = self.flow.with(|system| filter.solve_linearised(system, &at, length, &mut rest));
                rest.iter_mut().for_each(|rest| *rest /= length);
                overlooked = left.is_ok() && (0..differential).any(|i| noticeable[i] && visible(i, rest[i]));
            } else {
                overlooked = (0..n).any(|i| noticeable[i] && visible(i, rest[i]));
            }
        }
        self.places = places;
        !overlooked
    }

    /// How many of `count` places are left behind before something can be seen that the step does not know.
    fn first_visible(
        &mut self,
        plan: Plan,
        (count, of_series, differential): (usize, bool, usize),
        places: &mut Places,
    ) -> Option<f64> {
        let (n, spacing) = (self.y.len(), plan.h / count as f64);
        for first in (0..count).step_by(OCTET) {
            let looks = OCTET.min(count - first);
            self.look_at(plan, (first, looks, count), places);
            for k in 0..looks {
                let of = |column: &[Octet], i: usize| column[i].0[k];
                // not a number is seen by others
                let visible = |i: usize, change: f64| {
                    change.abs() * spacing > VISIBLE * self.tol.of(i, [of(&places.y, i), self.y[i]])
                };
                let rest = |i: usize| {
                    let slope = if i < differential { of(&places.slope, i) / plan.h } else { 0.0 };
                    of(&places.f, i) - slope
                };
                let mut overlooked = (0..n).any(|i| visible(i, rest(i)));
                if overlooked && !of_series {
                    let [y, there] = &mut self.scratch;
                    y.iter_mut().zip(&places.y).for_each(|(y, column)| *y = column.0[k]);
                    if !self.timed && self.method.solves_algebraic() {
                        there.iter_mut().enumerate().for_each(|(i, there)| *there = rest(i));
                        let at = Point { t: self.t + places.theta.0[k] * plan.h, y, d: &self.d, f: None };
                        let filter = self.filter.get_or_insert_with(|| NewtonSolver::new(n, NewtonOptions::default()));
                        filter.restart();
                        let left = self.flow.with(|system| filter.solve_linearised(system, &at, spacing, there));
                        let end = self.method.end();
                        let remains = |i: usize| {
                            let usual = of(&places.f, i).abs().max((end[i] - self.y[i]).abs() / plan.h);
                            visible(i, there[i] / spacing) && rest(i).abs() >= NOTICEABLE * usual
                        };
                        overlooked = left.is_err() || (0..differential).any(remains);
                    } else {
                        there.fill(0.0);
                        if self.timed {
                            self.flow.with(|system| system.derivative(self.t, y, &self.d, there));
                            self.statistics.evaluations.f += 1;
                        }
                        overlooked = (0..n).any(|i| {
                            let by_time = of(&places.f, i) - there[i];
                            visible(i, by_time) && rest(i).abs() >= 0.5 * by_time.abs()
                        });
                    }
                }
                if overlooked {
                    // The place before was still silent; at the first one nothing is known but that it is too far.
                    let silent = if first + k == 0 { 0.25 } else { (first + k) as f64 - 0.5 };
                    return Some(silent);
                }
            }
        }
        None
    }

    /// Evaluates the step and f at `looks` of `count` places, from number `first` on.
    fn look_at(&mut self, plan: Plan, (first, looks, count): (usize, usize, usize), places: &mut Places) {
        // The others repeat the last one.
        places.theta = Octet(std::array::from_fn(|k| ((first + k.min(looks - 1)) as f64 + 0.5) / count as f64));
        self.method.interpolate_eight(&places.theta, &mut places.y, &mut places.slope);
        let t = Octet(places.theta.0.map(|theta| self.t + theta * plan.h));
        self.statistics.evaluations.f += looks as u64;
        let together =
            self.flow.with(|system| system.derivative_of_eight(looks, &t, &places.y, &self.d, &mut places.f));
        if together {
            return;
        }
        for k in 0..looks {
            let [y, f] = &mut self.scratch;
            y.iter_mut().zip(&places.y).for_each(|(y, column)| *y = column.0[k]);
            self.flow.with(|system| system.derivative(t.0[k], y, &self.d, f));
            places.f.iter_mut().zip(f).for_each(|(column, f)| column.0[k] = *f);
        }
    }
}
