//! What keeps a run on its algebraic equations and invariants: consistent states at the start and after events, and the
//! way back to them at every step and row. A system without such equations has none of this.

mod after_event;
mod algebraic;
mod eliminated;
mod equations;
mod homotopy;
mod least_squares;
mod multiple;
mod nearest;
mod newton;
mod projection;
mod search;
mod sides;
mod simple_root;
mod start;
mod test_functions;

use algebraic::{Algebraic, At};
pub(crate) use eliminated::EliminatedSystem;
use projection::Projection;
pub(crate) use sides::Place;
pub(crate) use start::StartConditions;
use test_functions::SingularityTest;
pub(crate) use test_functions::TestValues;

use crate::options::tolerance;
use crate::{Options, Reason, StepFailure, System, Tolerance, Work};

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
    let Some(mut consistency) = ConstraintSolver::new(system, &tol, false) else { return };
    for (t, y) in rows {
        let mut restored = y.clone();
        if consistency.restore(system, *t, &mut restored, d, false).is_ok() {
            *y = restored;
        }
    }
}

/// What makes algebraic states unsure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Errors {
    OfRounding,
    /// And an error of the tolerance in the differential states.
    OfStates,
}

/// Everything about the algebraic equations and invariants of one run.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintSolver {
    tol: Tolerance,
    differential: usize,
    algebraic: Option<Algebraic>,
    projection: Option<Projection>,
    /// Says where the algebraic states are not determined, once that was asked, and if it can be said.
    determined: Option<Option<SingularityTest>>,
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

impl ConstraintSolver {
    /// `None` for a system that needs nothing of it. `inside_f` for a method that knows no algebraic states.
    pub fn new(system: &mut dyn System, tol: &Tolerance, inside_f: bool) -> Option<Box<ConstraintSolver>> {
        let layout = system.layout();
        if layout.algebraic == 0 && layout.invariants == 0 {
            return None;
        }
        Some(Box::new(ConstraintSolver::of(system, tol, inside_f)))
    }

    /// The same for any system.
    pub fn of(system: &mut dyn System, tol: &Tolerance, inside_f: bool) -> ConstraintSolver {
        let layout = system.layout();
        let direct = layout.indices.iter().any(|&index| index > 1);
        let (differential, algebraic, invariants) = (layout.differential(), layout.algebraic, layout.invariants);
        ConstraintSolver {
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
    ) -> Option<[TestValues; 2]> {
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

    /// Which algebraic state is where two solutions of its equations are the same but for rounding.
    pub fn on_fold(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> Option<usize> {
        if self.direct || self.algebraic.is_none() {
            return None;
        }
        let unsure = self.unsure(system, t, y, d, Errors::OfRounding);
        let found = self.determined(system)?.on_fold(system, (t, y), d, &unsure)?;
        Some(self.differential + found)
    }

    /// How far the algebraic states may be off at a point because the terms of their equations are rounded, and, if that is asked,
    /// because the other states have an error of the tolerance.
    pub fn unsure(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64], errors: Errors) -> Vec<f64> {
        let (differential, count) = (self.differential, y.len() - self.differential);
        let known = |i: usize| {
            let asked = match errors {
                Errors::OfStates if i < differential => self.tol.atol[i] + self.tol.rtol * y[i].abs(),
                Errors::OfStates | Errors::OfRounding => 0.0,
            };
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

    fn determined(&mut self, system: &mut dyn System) -> Option<&mut SingularityTest> {
        self.determined.get_or_insert_with(|| SingularityTest::new(system)).as_mut()
    }

    /// A state that the run has come to: what projections measure their changes by.
    pub fn seen(&mut self, y: &[f64]) {
        if let Some(projection) = &mut self.projection {
            projection.seen(y);
        }
    }

    /// The algebraic states alone, from scratch.
    pub fn resolve(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64]) -> Result<(), StepFailure> {
        let at = At { t, d, tol: &self.tol, keep: false };
        match &mut self.algebraic {
            Some(algebraic) => algebraic.solve(system, &at, y, &mut self.work).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether the algebraic states follow from the others at every instant.
    pub fn follow_at_once(&self) -> bool {
        self.algebraic.is_some()
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
}
