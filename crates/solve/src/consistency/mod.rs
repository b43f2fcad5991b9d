//! What keeps a run on its algebraic equations and invariants: consistent states at the start and after events, and the
//! way back to them at every step and row. A system without such equations has none of this.

mod algebraic;
mod determined;
mod equations;
mod homotopy;
mod least_squares;
mod multiple;
mod newton;
mod projection;
mod resolved;
mod search;
mod sides;
mod start;

use algebraic::{Algebraic, At};
use determined::Determined;
pub(crate) use determined::Look;
use equations::Equations;
use projection::Projection;
pub(crate) use resolved::Resolved;
use search::Effort;
pub(crate) use sides::Place;
pub(crate) use start::Wishes;

use crate::options::tolerance;
use crate::{Options, Reason, StepFailure, System, Tolerance, Work};

/// After an event a few states make up for what it broke, if they change by no more than so many times what all of them
/// together would.
const FEW: f64 = 100.0;
/// A state that must move by so much more than the smallest change of all states after an event is not the answer to it.
const EXTREME: f64 = 1e3;

/// Equations of an instant that contradict what is given there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inconsistency {
    /// When.
    pub t: f64,
    /// The violated equations, the worst first: the algebraic state that each stands for, or the invariant counted behind
    /// the states; and its residual, with the given states as they are and the others where it is violated least.
    pub violated: Vec<(usize, f64)>,
    /// Unknowns of the violated equations: with other values of these there may be a solution that was not found. Empty: there
    /// is none.
    pub sought: Vec<usize>,
    /// Sets of given states: if those of one set were not given, there would be a solution. The one that changes least is
    /// the first.
    pub free: Vec<Vec<usize>>,
}

impl Inconsistency {
    fn reason(&self) -> Reason {
        let (equation, residual) = self.violated.first().copied().unwrap_or((0, f64::NAN));
        Reason::Inconsistent { t: self.t, equation, residual }
    }
}

/// Moves states at given times onto the algebraic equations and the invariants of their system, as a run does with its rows;
/// those for which that is not possible stay what they are. `d` holds the discrete values.
pub fn restore(system: &mut dyn System, options: &Options, d: &[f64], rows: &mut [(f64, Vec<f64>)]) {
    let Ok(tol) = tolerance(options, system.layout().states) else { return };
    let Some(mut consistency) = Consistency::new(system, &tol, false) else { return };
    for (t, y) in rows {
        let mut restored = y.clone();
        if consistency.restore(system, *t, &mut restored, d, false).is_ok() {
            *y = restored;
        }
    }
}

/// Everything about the algebraic equations and invariants of one run.
#[derive(Clone, Debug)]
pub(crate) struct Consistency {
    tol: Tolerance,
    differential: usize,
    algebraic: Option<Algebraic>,
    projection: Option<Projection>,
    /// Says where the algebraic states are not determined, once that was asked, and if it can be said.
    determined: Option<Option<Determined>>,
    /// The method knows nothing of algebraic states: they are solved for in every evaluation of f.
    pub inside_f: bool,
    /// The index is above 1 and not reduced: the algebraic states do not follow from the others.
    direct: bool,
    /// Why an evaluation could not be made, if it was the last one.
    pub failure: Option<StepFailure>,
    /// What was found wrong.
    pub found: Option<Inconsistency>,
    /// Evaluations.
    pub work: Work,
}

impl Consistency {
    /// `None` for a system that needs nothing of it. `inside_f` for a method that knows no algebraic states.
    pub fn new(system: &mut dyn System, tol: &Tolerance, inside_f: bool) -> Option<Box<Consistency>> {
        let layout = system.layout();
        if layout.algebraic == 0 && layout.invariants == 0 {
            return None;
        }
        Some(Box::new(Consistency::of(system, tol, inside_f)))
    }

    /// The same for any system.
    pub fn of(system: &mut dyn System, tol: &Tolerance, inside_f: bool) -> Consistency {
        let layout = system.layout();
        let direct = layout.indices.iter().any(|&index| index > 1);
        let (differential, algebraic, invariants) = (layout.differential(), layout.algebraic, layout.invariants);
        Consistency {
            tol: tol.clone(),
            differential,
            algebraic: (algebraic > 0 && !direct).then(|| Algebraic::new(system)),
            projection: (invariants > 0 && !direct).then(|| Projection::new(system)),
            determined: None,
            inside_f: inside_f && algebraic > 0,
            direct,
            failure: None,
            found: None,
            work: Work::default(),
        }
    }

    /// Solves for the algebraic states near where they are and moves the others onto the invariants; returns by how many
    /// tolerances the state moved, algebraic states counting only if the method computes them.
    pub fn restore(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &mut [f64],
        d: &[f64],
        keep: bool,
    ) -> Result<f64, StepFailure> {
        let at = At { t, d, tol: &self.tol, keep };
        let mut moved = 0.0;
        if let Some(algebraic) = &mut self.algebraic {
            let change = algebraic.solve(system, &at, y, &mut self.work)?;
            moved = if self.inside_f { 0.0 } else { change };
        }
        if let Some(projection) = &mut self.projection {
            moved += projection.project(system, &at, y, self.algebraic.as_mut(), &mut self.work)?;
            // What is a function of the states that moved moves with them.
            system.refresh(t, d, y);
        }
        Ok(moved)
    }

    /// Whether the algebraic states at the end of a step whose length is given continue those at its beginning.
    pub fn continues(
        &mut self,
        system: &mut dyn System,
        from: (f64, &[f64]),
        (t, y): (f64, &[f64]),
        d: &[f64],
        suspicious: bool,
    ) -> Result<(), StepFailure> {
        let at = At { t, d, tol: &self.tol, keep: false };
        match &mut self.algebraic {
            Some(algebraic) => algebraic.continues(system, from, (&at, y), suspicious, &mut self.work),
            None => Ok(()),
        }
    }

    /// How well the algebraic states are determined at both ends of a step, looked at from outside of it over the time `away`.
    pub fn look_at_ends(
        &mut self,
        system: &mut dyn System,
        ends: [(f64, &[f64]); 2],
        d: &[f64],
        away: f64,
    ) -> Option<[Look; 2]> {
        let determined = self.determined(system)?;
        Some([determined.look(system, ends[0], d, -away), determined.look(system, ends[1], d, away)])
    }

    /// How well they are determined at a point, where that is not seen by any denominator of f: in a system of higher index that
    /// is solved as it is.
    pub fn determined_directly(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> Option<Vec<f64>> {
        if !self.direct {
            return None;
        }
        Some(self.determined(system)?.numbers(system, t, y, d))
    }

    /// The same, behind other numbers, in a system whose algebraic states follow from the others; whether it is one.
    pub fn determined_at(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        d: &[f64],
        numbers: &mut Vec<f64>,
    ) -> bool {
        if self.direct || self.algebraic.is_none() {
            return false;
        }
        let Some(determined) = self.determined(system) else { return false };
        determined.append_numbers(system, t, y, d, numbers);
        true
    }

    /// How far the algebraic states may be off at a point because the other states have an error of the tolerance, and because the
    /// terms of their equations are rounded.
    pub fn unsure(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> Vec<f64> {
        let (differential, count) = (self.differential, y.len() - self.differential);
        let known = |i: usize| {
            let asked = if i < differential { self.tol.atol[i] + self.tol.rtol * y[i].abs() } else { 0.0 };
            asked + f64::EPSILON * y[i].abs()
        };
        let errors: Vec<f64> = (0..y.len()).map(known).collect();
        let determined = self.determined(system);
        determined.map_or(vec![f64::INFINITY; count], |determined| determined.unsure(system, t, y, d, &errors))
    }

    /// The algebraic states near where they are, to a few digits each; whether that converges.
    pub fn refine(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64]) -> bool {
        let at = At { t, d, tol: &self.tol, keep: false };
        self.algebraic.as_mut().is_some_and(|algebraic| algebraic.refine(system, &at, y, &mut self.work))
    }

    fn determined(&mut self, system: &mut dyn System) -> Option<&mut Determined> {
        self.determined.get_or_insert_with(|| Determined::new(system)).as_mut()
    }

    /// A state that the run has come to: what projections measure their changes by.
    pub fn seen(&mut self, y: &[f64]) {
        if let Some(projection) = &mut self.projection {
            projection.seen(y);
        }
    }

    /// The algebraic states alone, from scratch.
    fn resolve(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64]) -> Result<(), StepFailure> {
        let at = At { t, d, tol: &self.tol, keep: false };
        match &mut self.algebraic {
            Some(algebraic) => algebraic.solve(system, &at, y, &mut self.work).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Number of states that are not algebraic.
    pub fn differential(&self) -> usize {
        self.differential
    }

    /// What is within the tolerances is made exact, if that is possible at once.
    fn polish(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64]) {
        let mut better = y.to_vec();
        if self.restore(system, t, &mut better, d, false).is_ok() {
            y.copy_from_slice(&better);
        }
    }

    /// After an event, which found the state at `before`: what it assigned stays. What moves is velocities that were not
    /// assigned, or else whatever was not, as little as possible; if that is not enough, the event asks the impossible.
    pub fn settle(
        &mut self,
        system: &mut dyn System,
        t: f64,
        before: &[f64],
        y: &mut [f64],
        d: &[f64],
    ) -> Result<(), Reason> {
        let n = y.len();
        if self.direct && y[..self.differential] == before[..self.differential] {
            // Nothing was assigned. The method need not keep to the derivatives of the constraints, but what is shown should.
            let free: Vec<bool> = (0..n).map(|i| i >= self.differential).collect();
            let mut found = y.to_vec();
            let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
            if search::find(&mut equations, &free, &mut found, Effort::Near) {
                y.copy_from_slice(&found);
            }
            return Ok(());
        }
        let mut near = y.to_vec();
        // A system of higher index that is solved as it is has no way back to its equations but the search.
        let moved = if self.direct { Err(()) } else { self.restore(system, t, &mut near, d, false).map_err(|_| ()) };
        let within = |i: usize| {
            let scale = self.tol.atol[i] + self.tol.rtol * y[i].abs();
            (near[i] - y[i]).abs() <= 10.0 * scale
        };
        if moved.is_ok() && (0..self.differential).all(within) {
            y.copy_from_slice(&near);
            return Ok(());
        }
        let mut is_velocity = vec![false; n];
        system.layout().velocity.iter().flatten().for_each(|&state| is_velocity[state as usize] = true);
        let algebraic = |i: usize| i >= self.differential;
        let kept = |i: usize| y[i] == before[i];
        let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
        let weights = equations.weights(y);
        let change = |found: &[f64]| {
            let scaled = (0..self.differential).map(|i| (found[i] - y[i]).abs() / weights[i]);
            scaled.fold(0.0, f64::max)
        };
        let mut solution = |free: Vec<bool>, effort| {
            let mut found = y.to_vec();
            search::find(&mut equations, &free, &mut found, effort).then_some(found)
        };
        // The algebraic states alone; or else what takes the smallest change of all that were not assigned, unless
        // velocities can do it.
        let mut best = solution((0..n).map(algebraic).collect(), Effort::All);
        if best.is_none() {
            // A velocity that was set is no reason for a position to jump.
            let mut assigned = (0..self.differential).filter(|&i| !kept(i)).peekable();
            let fixed_positions = assigned.peek().is_some() && assigned.all(|i| is_velocity[i]);
            let may_move = |i: usize| kept(i) && (is_velocity[i] || !fixed_positions);
            // Near where what was set cannot be, the others would have to move to the ends of the world.
            let smallest = solution(vec![true; n], Effort::Near).map_or(f64::INFINITY, |all| change(&all));
            best = solution((0..n).map(|i| algebraic(i) || may_move(i)).collect(), Effort::Near)
                .filter(|found| change(found) <= EXTREME * smallest);
            // A position that jumps would have to cross the boundary of its event once more.
            let velocities = (0..n).map(|i| algebraic(i) || (kept(i) && is_velocity[i])).collect();
            let few = solution(velocities, Effort::Near).filter(|y| change(y) <= FEW * smallest);
            best = few.or(best);
        }
        if let Some(found) = best {
            y.copy_from_slice(&found);
            self.polish(system, t, y, d);
            return Ok(());
        }
        let violated = search::violated(&mut equations, y);
        let places = violated.iter().map(|&(row, r)| (equations.place(row), r)).collect();
        let found = Inconsistency { t, violated: places, ..Inconsistency::default() };
        let reason = found.reason();
        self.found = Some(found);
        Err(reason)
    }
}
