//! Steps that leap from one solution of the algebraic equations to another that comes near.
//!
//! ```text
//!   h − o = 1 − t,   h o = 10⁻¹⁴      at t = 1 the solutions h, o > 0 and h, o < 0 are 2·10⁻⁷ apart
//! ```
//!
//! A long step sees two straight lines that cross: it goes on along the wrong one, and every step that it is compared with does the
//! same. But what determines the solution, the matrix of the algebraic equations or something that they divide by, has another
//! sign on the other solution. Where it changes its sign over a step, the place is found by bisection, on the equations. A smooth
//! solution that passes through a point where nothing determines it is the same from both sides there; two solutions stay apart.
//!
//! How near they may come does not depend on the tolerance: an error of the differential states moves both solutions, and mostly
//! only the time at which they are nearest. Two solutions are two unless such an error could join them, or rounding.

use super::{Plan, Run};
use crate::constraints::Errors;
use crate::{Point, Reason, Selected, Selection};

/// Bisections, and over how many of them a distance is watched.
const BISECTIONS: usize = 50;
const LATELY: usize = 10;
/// Two solutions stay apart if more than this part of their distance is left over the last bisections. That of a root, √t, shrinks
/// to 2⁻⁵.
const STAYS: f64 = 0.1;
/// A distance of fewer times what errors could make is none.
pub(super) const ERRORS: f64 = 100.0;
/// Parts of an error over which a solution is followed.
const LARGEST_PART: f64 = 0.0625;
const SMALLEST_PART: f64 = 1e-9;
/// The own solution may be so many tolerances from where the method ended.
const NEAR: f64 = 10.0;
/// Where a piece is looked into: not in the middle, where symmetric equations are singular.
const INSIDE: f64 = 0.4142;

/// What determines the algebraic states, at both ends of a step.
#[derive(Default)]
pub(super) struct Guards {
    /// Where the step begins, if it is known.
    here: Vec<f64>,
    here_at: f64,
    there: Vec<f64>,
    /// Points on the way to where they vanish, one wherever one of them has halved: what they were, time and state.
    kept: Vec<(Vec<f64>, f64, Vec<f64>)>,
}

impl Guards {
    /// Something changed: they are no longer what they were.
    pub fn forget(&mut self) {
        self.here.clear();
        self.kept.clear();
    }

    /// The step from here is taken.
    fn keep(&mut self, t: f64, y: &[f64]) {
        let pairs = |kept: &(Vec<f64>, f64, Vec<f64>), than: fn(f64, f64) -> bool| {
            kept.0.iter().zip(&self.here).any(|(last, here)| than(last.abs(), here.abs()))
        };
        let fallen = self.kept.last().is_none_or(|kept| pairs(kept, |last, here| 2.0 * here <= last));
        if self.kept.last().is_some_and(|kept| pairs(kept, |last, here| here > 2.0 * last)) {
            self.kept.clear();
        }
        if fallen && self.kept.len() < KEPT {
            self.kept.push((self.here.clone(), t, y.to_vec()));
        }
    }
}

/// So many points are kept.
const KEPT: usize = 16;

/// A point on the equations.
#[derive(Clone)]
struct Place {
    /// The part of the step.
    theta: f64,
    y: Vec<f64>,
}

impl Run<'_> {
    /// Whether the step leaps to another solution. The next one is shorter then, or the run ends.
    pub(super) fn leaps(&mut self, plan: Plan) -> Result<bool, Reason> {
        if self.flow.sliding.is_some() || self.flow.system.layout().algebraic == 0 {
            return Ok(false);
        }
        let mut guards = std::mem::take(&mut self.guards);
        if guards.here.is_empty() || guards.here_at != self.t {
            let y = std::mem::take(&mut self.y);
            self.look(self.t, &y, &mut guards.here);
            self.y = y;
        }
        let end = std::mem::take(&mut self.restored);
        self.look(plan.end, &end, &mut guards.there);
        self.restored = end;
        let mut leap = if turned(&guards) { self.leap(plan, &guards) } else { None };
        if leap.is_some() && self.return_to_own(plan, &mut guards) {
            leap = None;
        }
        if leap.is_none() && turned(&guards) {
            self.tell_crossing(plan, &guards);
            guards.kept.clear();
        } else if leap.is_none() {
            guards.keep(self.t, &self.y);
        }
        if leap.is_none() {
            std::mem::swap(&mut guards.here, &mut guards.there);
            guards.here_at = plan.end;
        }
        self.guards = guards;
        let Some((theta, component)) = leap else { return Ok(false) };
        let (t, next) = (self.t, 0.5 * theta * plan.h);
        if next < self.smallest_step() {
            return Err(Reason::BranchPoint { t, meeting: t + theta * plan.h, component });
        }
        match self.options.step {
            Some(_) => self.shorter = Some(next),
            None => self.h = next,
        }
        self.statistics.rejected += 1;
        Ok(true)
    }

    /// The solution goes smoothly through a point where the equations do not determine it: tells so if another one crosses it there,
    /// as far on the other side of the point when it was still far away.
    fn tell_crossing(&mut self, plan: Plan, guards: &Guards) {
        let turns = |(a, b): (&f64, &f64)| (a * b < 0.0).then(|| a / (a - b));
        let Some(theta) = guards.here.iter().zip(&guards.there).find_map(turns) else { return };
        let differential = self.flow.system.layout().differential();
        let mut meeting = vec![0.0; self.y.len()];
        self.method.interpolate(theta, &mut meeting);
        let free: Vec<bool> = (0..meeting.len()).map(|i| i >= differential).collect();
        let kept = guards.kept.iter().map(|(_, t, y)| (*t, y.as_slice()));
        let other = kept.chain([(self.t, self.y.as_slice())]).find_map(|(t, y)| {
            let mirrored = |i: usize| if free[i] { 2.0 * meeting[i] - y[i] } else { y[i] };
            let near = (0..y.len()).map(mirrored).collect();
            self.flow.consistency.as_mut()?.another(self.flow.system, (t, y), near, &self.d, &free)
        });
        if let Some((component, _)) = other {
            let t = self.t + theta * plan.h;
            self.events.tell(Selection { t, what: Selected::Crossing { component } });
        }
    }

    /// What the equations divide by at a point, and how well their matrix determines the algebraic states.
    fn look(&mut self, t: f64, y: &[f64], found: &mut Vec<f64>) {
        let system = &mut *self.flow.system;
        system.denominators(t, y, &self.d, found);
        if let Some(consistency) = &mut self.flow.consistency {
            consistency.determined_at(system, t, y, &self.d, found);
        }
    }

    /// After which part of the step it leaps, and which state.
    fn leap(&mut self, plan: Plan, guards: &Guards) -> Option<(f64, usize)> {
        let from = Point { t: self.t, y: &self.y, d: &self.d, f: None };
        if self.flow.with(|system| self.method.make_dense(system, &from)).is_err() {
            // A step that cannot be seen inside is none.
            return Some((1.0, self.flow.system.layout().differential()));
        }
        let places = [Place { theta: 0.0, y: self.y.clone() }, Place { theta: 1.0, y: self.restored.clone() }];
        let differential = self.flow.system.layout().differential();
        let count = guards.here.len().min(guards.there.len());
        for k in (0..count).filter(|&k| guards.here[k] * guards.there[k] < 0.0) {
            let side = guards.here[k];
            let [mut before, mut behind] = places.clone();
            let mut earlier = vec![0.0; before.y.len()];
            for bisection in 0..BISECTIONS {
                if bisection + LATELY == BISECTIONS {
                    earlier = distances(&before, &behind);
                }
                // No solution between them: they are not the same one, but for errors.
                let Some((middle, guard)) = self.between(plan, &before, &behind, k) else { break };
                if guard * side > 0.0 { before = middle } else { behind = middle }
            }
            let last = distances(&before, &behind);
            let apart = |unsure: &[f64]| {
                let apart = |&i: &usize| last[i] > STAYS * earlier[i] && last[i] > ERRORS * unsure[i - differential];
                (differential..last.len()).find(apart)
            };
            let Some(component) = apart(&self.unsure(plan, &before, Errors::OfRounding)) else { continue };
            let found = apart(&self.unsure(plan, &before, Errors::OfStates));
            if found.is_some() || self.are_two(plan, [&before, &behind], k) {
                return Some((before.theta, found.unwrap_or(component)));
            }
        }
        None
    }

    /// Where the method ended as near to its own solution as to the other, and only the way back to the equations went to the other:
    /// takes the own one as the end of the step; returns whether that was so.
    fn return_to_own(&mut self, plan: Plan, guards: &mut Guards) -> bool {
        let Some(own) = self.own_end(plan, self.restored.clone()) else { return false };
        self.look(plan.end, &own, &mut guards.there);
        if turned(guards) {
            return false;
        }
        self.method.end_was_projected(&own);
        self.restored = own;
        true
    }

    /// The end of a step with the algebraic states that continue those where it begins, if the method ended near them.
    pub(super) fn own_end(&mut self, plan: Plan, mut end: Vec<f64>) -> Option<Vec<f64>> {
        let consistency = self.flow.consistency.as_mut().filter(|consistency| !consistency.inside_f)?;
        let differential = consistency.differential();
        end[differential..].copy_from_slice(&self.y[differential..]);
        if !consistency.refine(self.flow.system, plan.end, &mut end, &self.d) {
            return None;
        }
        let found = self.method.end();
        let near = |i: usize| {
            (end[i] - found[i]).abs() <= NEAR * (self.tol.atol[i] + self.tol.rtol * end[i].abs().max(self.y[i].abs()))
        };
        (differential..end.len()).all(near).then_some(end)
    }

    /// A point between two, on the equations, and what tells the solutions apart there.
    fn between(&mut self, plan: Plan, before: &Place, behind: &Place, k: usize) -> Option<(Place, f64)> {
        let differential = self.flow.system.layout().differential();
        let theta = before.theta + INSIDE * (behind.theta - before.theta);
        let t = self.t + theta * plan.h;
        let mut along = vec![0.0; before.y.len()];
        self.method.interpolate(theta, &mut along);
        let mut guards = Vec::new();
        // The algebraic states begin between those of both ends, then at either.
        [INSIDE, 0.0, 1.0].into_iter().find_map(|part| {
            let mut y = along.clone();
            for (y, (before, behind)) in y.iter_mut().zip(before.y.iter().zip(&behind.y)).skip(differential) {
                *y = before + part * (behind - before);
            }
            let consistency = self.flow.consistency.as_mut()?;
            if !consistency.refine(self.flow.system, t, &mut y, &self.d) {
                return None;
            }
            self.look(t, &y, &mut guards);
            let guard = guards.get(k).copied().filter(|guard| guard.is_finite() && *guard != 0.0)?;
            Some((Place { theta, y }, guard))
        })
    }

    /// How far the algebraic states may be off at a point.
    fn unsure(&mut self, plan: Plan, place: &Place, errors: Errors) -> Vec<f64> {
        let (t, system) = (self.t + place.theta * plan.h, &mut *self.flow.system);
        let consistency = self.flow.consistency.as_mut().expect("there are algebraic states");
        consistency.unsure(system, t, &place.y, &self.d, errors)
    }

    /// Whether both solutions at a place remain what they are, whatever the errors of the differential states.
    fn are_two(&mut self, plan: Plan, places: [&Place; 2], k: usize) -> bool {
        let differential = self.flow.system.layout().differential();
        (0..differential).all(|i| {
            let y = places[0].y[i];
            let error = ERRORS * (self.tol.atol[i] + self.tol.rtol * y.abs());
            [error, -error]
                .into_iter()
                .all(|error| places.into_iter().all(|place| self.remains(plan, place, k, i, error)))
        })
    }

    /// Whether a solution can be followed while a differential state moves so far.
    fn remains(&mut self, plan: Plan, place: &Place, k: usize, state: usize, error: f64) -> bool {
        let t = self.t + place.theta * plan.h;
        let mut guards = Vec::new();
        self.look(t, &place.y, &mut guards);
        let Some(side) = guards.get(k).copied() else { return false };
        let (mut y, mut done, mut part) = (place.y.clone(), 0.0, LARGEST_PART);
        while done < 1.0 {
            let next: f64 = f64::min(1.0, done + part);
            let mut moved = y.clone();
            moved[state] = place.y[state] + next * error;
            let Some(consistency) = self.flow.consistency.as_mut() else { return false };
            let found = consistency.refine(self.flow.system, t, &mut moved, &self.d) && {
                self.look(t, &moved, &mut guards);
                guards.get(k).is_some_and(|guard| guard * side > 0.0)
            };
            if found {
                (y, done, part) = (moved, next, (2.0 * part).min(LARGEST_PART));
            } else {
                part *= 0.25;
            }
            if part < SMALLEST_PART {
                return false;
            }
        }
        true
    }
}

fn turned(guards: &Guards) -> bool {
    guards.here.iter().zip(&guards.there).any(|(a, b)| a * b < 0.0)
}

/// How far each state is from one point to the other.
fn distances(a: &Place, b: &Place) -> Vec<f64> {
    a.y.iter().zip(&b.y).map(|(a, b)| (a - b).abs()).collect()
}
