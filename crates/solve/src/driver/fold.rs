//! Steps that turn to another solution where two of them meet.
//!
//! ```text
//!   x′ = z,   x² = cos²t      at π/2 the solutions cos t and |cos t| meet, and z follows from 2 x z = −sin 2t: 0 = 0
//! ```
//!
//! What determines the solution vanishes at such a point: something that f divides by, or the matrix of the algebraic equations.
//! Along a smooth solution it changes its sign there, and the run goes on. A step over the point may come down on the other
//! solution instead. Then what vanishes has come back: seen from both ends of the step it goes to zero inside of it. Shorter
//! steps end before that point, and the run ends where they lead to it; a solution that merely turns near it is followed.
//!
//! An error of the size of the tolerance may also make the solution turn by itself, as x = √(ε + cos²t) does: `near_fold.rs`.

use super::branch::ERRORS;
use super::{Plan, Run};
use crate::Reason;
use crate::constraints::Errors;

/// What is left of a number that vanishes and stays zero, as where y′² = 1 − y² comes to y = 1.
const GONE: f64 = 1e-6;
/// Slopes are taken over this part of the step, away from what it holds.
const AWAY: f64 = 1.0 / 1024.0;
/// The zeros as seen from both ends of a step may be so much of it apart: those of √(ε + t²) are not, those of t² half of it.
const APART: f64 = 0.25;
/// The same for two steps, of which the first is done: there is no shorter one to see more.
const HARDLY_APART: f64 = 0.05;
/// A zero in the past is seen at most so many times as far away from a point between as from the end: up to 1.1 times where solutions
/// met, from 8 times on, or not at all, where they did not.
const STRAIGHT: f64 = 1.5;
/// Steps shorter than this part of the run so far show what they are rounded by near such a point.
const ROUNDED: f64 = 1e-5;
/// What loses no more than this part of itself in a step, at the pace of the step before, is not looked at.
const LOST: f64 = 0.75;
/// Nor are algebraic states that change about as they did before: of methods that see their error, and of others.
const STEADY: [f64; 2] = [0.5, 0.1];
/// Steps shorter than this part of the run so far lead to the point, unless two solutions are still farther apart than their errors
/// there. Much nearer to it, what determines the solution is rounding: x² = c with an error of 1e-16 gives x to 1e-8.
const SHORTEST: f64 = 1e-6;
/// The same of a fixed step.
const SHORTEST_PIECE: f64 = 1e-3;
/// What changes so many times as fast as it did on the whole does not go on as it came.
const FAST: f64 = 1e3;

/// The beginning of the step before.
#[derive(Default)]
pub(super) struct Before {
    /// The length of that step; 0: there was none.
    pub h: f64,
    pub denominators: Vec<f64>,
    y: Vec<f64>,
}

/// Both ends of a part of the run.
pub(super) type Ends<'a> = [(f64, &'a [f64]); 2];

/// Something that determines the solution, and its slope, at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guard {
    pub values: [f64; 2],
    pub slopes: [f64; 2],
}

/// Where two solutions seem to meet.
struct Met {
    t: f64,
    /// The state that turns there.
    component: usize,
    /// If the algebraic equations say so: by how much its rate of change differs between the ends, and what determines it there.
    by_equations: Option<(f64, Guard)>,
}

impl Guard {
    /// After which time it would vanish, if it has the same sign at both ends of the time h and vanishes as seen from both.
    pub fn meeting(&self, h: f64, apart: f64) -> Option<f64> {
        let Guard { values, slopes } = self;
        let side = values[0].signum();
        let (falls, rises) = (-side * slopes[0], side * slopes[1]);
        if !(values[0] * values[1] > 0.0 && falls > 0.0 && rises > 0.0) {
            return None;
        }
        let (from_here, from_there) = (values[0].abs() / falls, h - values[1].abs() / rises);
        let within = from_here <= (1.0 + apart) * h && from_there >= -apart * h;
        (within && from_there - from_here <= apart * h).then_some(from_here.min(h))
    }
}

impl Run<'_> {
    /// Whether the step turns where two solutions meet. The next one is shorter then, or the run ends.
    pub(super) fn turns(&mut self, plan: Plan) -> Result<bool, Reason> {
        if self.flow.sliding.is_some() {
            return Ok(false);
        }
        self.stays_where_two_meet(plan)?;
        let suspects = self.suspects(plan);
        let suspicious = self.is_suspicious(plan);
        if suspects.is_empty() && !suspicious {
            return Ok(false);
        }
        let end = self.end_of_step();
        if suspicious && self.options.step.is_none() && self.is_inside_f() {
            // The method does not see the error of these states: they may belong to another solution.
            let continued = self.flow.continues((self.t, &self.y), (plan.end, &end), &self.d, true);
            if let Err(failure) = continued {
                return self.fail(plan, failure).map(|()| true);
            }
        }
        let (t, y) = (self.t, self.y.clone());
        let mut met = self.meeting([(t, &y), (plan.end, &end)], &suspects, suspicious, APART);
        if met.is_none() && suspicious && self.before.h > 0.0 {
            let before = std::mem::take(&mut self.before.y);
            let start = t - self.before.h;
            met = self.meeting([(start, &before), (plan.end, &end)], &[], true, HARDLY_APART);
            // Where it would have been in the step before, which is done, no shorter one can tell; but the point between can.
            met = met.filter(|met| met.t > t || self.points_to(met, [(start, &before), (t, &y)]));
            self.before.y = before;
        }
        let Some(met) = met else { return Ok(false) };
        let Met { t: meeting, component, .. } = met;
        let (fixed, next) = (self.options.step, 0.5 * (meeting - t));
        let shortest = fixed.map_or(SHORTEST * (t - self.t_start), |step| SHORTEST_PIECE * step);
        if next < self.smallest_step() || (next < shortest && !self.are_apart(&met)) {
            return Err(Reason::BranchPoint { t, meeting, component });
        }
        match fixed {
            Some(_) => self.shorter = Some(next),
            None => self.h = next,
        }
        self.statistics.rejected += 1;
        Ok(true)
    }

    /// The step is over: where it began is the past of the next one.
    pub(super) fn keep_before(&mut self, h: f64) {
        if self.denominators[0].is_empty() && self.restored.is_empty() {
            return;
        }
        self.before.h = h;
        self.before.denominators.clone_from(&self.denominators[0]);
        self.before.y.clone_from(&self.y);
    }

    /// Steps that shrink to nothing lead to the point where two solutions meet if they end there: so does z of x′ = z, z² = 1 − x²
    /// where it is solved for in every evaluation of f, which has no other side of z = 0 to go to.
    fn stays_where_two_meet(&mut self, plan: Plan) -> Result<(), Reason> {
        if self.restored.is_empty() || plan.h > SHORTEST * (self.t - self.t_start) {
            return Ok(());
        }
        let (t, system) = (plan.end, &mut *self.flow.system);
        let found = self.flow.consistency.as_mut().and_then(|all| all.on_fold(system, t, &self.restored, &self.d));
        // Where z turns back it is infinitely fast, and the solution has an end, not two ways on.
        let turns_back = |i: usize| {
            let usual = (self.usual[i] + self.y[i].abs()) / (self.t - self.t_start);
            (self.restored[i] - self.y[i]).abs() > FAST * usual * plan.h
        };
        match found.filter(|&i| !turns_back(i)) {
            Some(component) => Err(Reason::BranchPoint { t: self.t, meeting: t, component }),
            None => Ok(()),
        }
    }

    fn end_of_step(&self) -> Vec<f64> {
        if self.restored.is_empty() { self.method.end().to_vec() } else { self.restored.clone() }
    }

    fn is_inside_f(&self) -> bool {
        self.flow.consistency.as_ref().is_some_and(|consistency| consistency.inside_f)
    }

    /// Whether the solution is surely not yet the one that it is going to meet: farther from it than errors of the differential
    /// states and rounding make.
    fn are_apart(&mut self, met: &Met) -> bool {
        let (differential, Some((turn, guard))) = (self.flow.system.layout().differential(), met.by_equations) else {
            return false;
        };
        let Some(consistency) = self.flow.consistency.as_mut().filter(|consistency| consistency.follow_at_once())
        else {
            return false;
        };
        let i = met.component;
        let unsure = consistency.unsure(self.flow.system, self.t, &self.y, &self.d, Errors::OfStates)[i - differential];
        let least = guard.values[0].abs().min(guard.values[1].abs());
        // What the terms of the equations are rounded by is not known: they are taken to be as large as the state made them.
        let rounding = f64::EPSILON * (self.y[i].abs() + self.usual[i]) / least;
        turn.abs() * (met.t - self.t) > ERRORS * (unsure + rounding)
    }

    /// Whether a meeting is where it is seen from the end of `first`, too, which is behind it; and where all this may be rounding. A
    /// smooth number that is small on both sides of a long step may have no zero between.
    fn points_to(&mut self, met: &Met, first: Ends) -> bool {
        let (t, differential) = (first[1].0, self.flow.system.layout().differential());
        if met.by_equations.is_none() || t - first[0].0 < ROUNDED * (t - self.t_start) {
            return true;
        }
        let between = self.rates_at(first).and_then(|(_, guards)| guards.get(met.component - differential).copied());
        between.is_none_or(|Guard { values: [_, value], slopes: [_, slope] }| {
            let since = value / slope;
            since > 0.0 && since <= STRAIGHT * (t - met.t)
        })
    }

    /// Where two solutions meet between the ends of a part of the run: by the algebraic equations, if they are asked, and by some
    /// of the denominators.
    fn meeting(&mut self, ends: Ends, denominators: &[usize], algebraic: bool, apart: f64) -> Option<Met> {
        let (start, h) = (ends[0].0, ends[1].0 - ends[0].0);
        let (rates, determined) = self.rates_at(ends)?;
        let differential = self.flow.system.layout().differential();
        let by_equations = determined.iter().enumerate().filter(|_| algebraic);
        let gone = |guard: &Guard| guard.values[0] != 0.0 && guard.values[1].abs() <= GONE * guard.values[0].abs();
        let by_equations = by_equations.filter_map(|(i, guard)| {
            let component = differential + i;
            if gone(guard) {
                return Some(Met { t: start + h, component, by_equations: None });
            }
            let time = guard.meeting(h, apart)?;
            let turn = rates[1][component] - rates[0][component];
            Some(Met { t: start + time, component, by_equations: Some((turn, *guard)) })
        });
        if let Some(met) = by_equations.min_by(|a, b| a.t.total_cmp(&b.t)) {
            return Some(met);
        }
        if denominators.is_empty() {
            return None;
        }
        let guards = self.denominators_at(ends, &rates);
        let times = denominators.iter().filter_map(|&k| guards.get(k)?.meeting(h, apart));
        let time = times.min_by(f64::total_cmp)?;
        Some(Met { t: start + time, component: self.most_turned(&rates), by_equations: None })
    }

    /// The rates of change of all states at both ends, and what determines the algebraic ones.
    pub(super) fn rates_at(&mut self, ends: Ends) -> Option<([Vec<f64>; 2], Vec<Guard>)> {
        let system = &mut *self.flow.system;
        let n = self.y.len();
        self.statistics.evaluations.f += 2;
        if system.layout().algebraic > 0 {
            let away = AWAY * (ends[1].0 - ends[0].0);
            let [here, there] = self.flow.consistency.as_mut()?.look_at_ends(system, ends, &self.d, away)?;
            let guards = (0..here.values.len())
                .map(|i| Guard { values: [here.values[i], there.values[i]], slopes: [here.slopes[i], there.slopes[i]] })
                .collect();
            return Some(([here.rates, there.rates], guards));
        }
        let mut rates = [vec![0.0; n], vec![0.0; n]];
        for ((t, y), rates) in ends.into_iter().zip(&mut rates) {
            system.derivative(t, y, &self.d, rates);
        }
        Some((rates, Vec::new()))
    }

    /// What f divides by, at both ends.
    pub(super) fn denominators_at(&mut self, ends: Ends, rates: &[Vec<f64>; 2]) -> Vec<Guard> {
        let away = AWAY * (ends[1].0 - ends[0].0);
        let system = &mut *self.flow.system;
        let mut found = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
        for (((t, y), rates), (found, away)) in ends.into_iter().zip(rates).zip(found.iter_mut().zip([-away, away])) {
            let moved: Vec<f64> = y.iter().zip(rates).map(|(y, rate)| y + away * rate).collect();
            system.denominators(t, y, &self.d, &mut found.0);
            system.denominators(t + away, &moved, &self.d, &mut found.1);
            found.1.iter_mut().zip(&found.0).for_each(|(slope, here)| *slope = (*slope - here) / away);
        }
        let [(here, here_slopes), (there, there_slopes)] = &found;
        (0..here.len())
            .map(|k| Guard { values: [here[k], there[k]], slopes: [here_slopes[k], there_slopes[k]] })
            .collect()
    }

    /// The state whose rate of change is another one at the other end.
    pub(super) fn most_turned(&self, rates: &[Vec<f64>; 2]) -> usize {
        let turn = |i: &usize| {
            let (before, after) = (rates[0][*i], rates[1][*i]);
            (after - before).abs() / (after.abs() + before.abs() + f64::MIN_POSITIVE)
        };
        let differential = self.flow.system.layout().differential();
        (0..differential).max_by(|i, j| turn(i).total_cmp(&turn(j))).unwrap_or(0)
    }

    /// The denominators that keep their sign although they were on the way to zero.
    fn suspects(&mut self, plan: Plan) -> Vec<usize> {
        if self.denominators[0].is_empty() {
            return Vec::new();
        }
        if !std::mem::replace(&mut self.denominators_known[1], true) {
            let (end, values) = (self.method.end(), &mut self.denominators[1]);
            self.flow.with(|system| system.denominators(plan.end, end, &self.d, values));
        }
        let [here, there] = &self.denominators;
        let before = &self.before;
        let known = before.h > 0.0 && before.denominators.len() == here.len();
        let ratio = plan.h / before.h;
        let falls = |k: usize| {
            let lost = (before.denominators[k] - here[k]) * ratio;
            here[k].signum() * lost > LOST * here[k].abs()
        };
        (0..here.len()).filter(|&k| here[k] * there[k] > 0.0 && (!known || falls(k))).collect()
    }

    /// Whether an algebraic state changes otherwise than in the step before.
    pub(super) fn is_suspicious(&self, plan: Plan) -> bool {
        let differential = self.flow.system.layout().differential();
        let Some(there) = self.restored.get(differential..).filter(|there| !there.is_empty()) else { return false };
        let (here, before) = (&self.y[differential..], &self.before);
        let past = before.y.get(differential..).filter(|_| before.h > 0.0);
        let ratio = plan.h / before.h;
        let steady = STEADY[usize::from(self.is_inside_f())];
        (0..here.len()).any(|i| {
            let change = there[i] - here[i];
            let (pace, size) = match past {
                Some(past) => {
                    let pace = (here[i] - past[i]) * ratio;
                    (pace, change.abs().max(pace.abs()))
                }
                None => (0.0, here[i].abs()),
            };
            (change - pace).abs() > steady * size + 1e-12 * here[i].abs().max(there[i].abs())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{APART, Guard};

    /// g at −1 and 1 with its slopes.
    fn met(g: fn(f64) -> f64) -> Option<f64> {
        let slope = |t: f64| (g(t + 1e-6) - g(t - 1e-6)) / 2e-6;
        Guard { values: [g(-1.0), g(1.0)], slopes: [slope(-1.0), slope(1.0)] }.meeting(2.0, APART)
    }

    #[test]
    fn a_number_that_comes_back_from_zero_is_told_from_one_that_turns_before_it() {
        assert!((met(|t| t.abs()).unwrap() - 1.0).abs() < 1e-6);
        assert!(met(|t| -(0.5 * t - 0.1).sin().abs()).is_some());
        assert!(met(|t| t.abs() + 0.2 * t * t).is_some());
        assert!(met(|t| (0.01 + t * t).sqrt()).is_some());
        for smooth in
            [|t| t, |t: f64| 0.1 + t * t, |t: f64| t.exp(), |t: f64| 2.0 + t.cos(), |t: f64| (4.0 + t * t).sqrt()]
        {
            assert_eq!(met(smooth), None);
        }
    }
}
