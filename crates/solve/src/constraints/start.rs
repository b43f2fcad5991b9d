//! The start of a run: states that fulfil the equations, near what is guessed, and where there are several solutions, the one
//! with the values that are given of other variables.

use super::equations::{Equations, Which};
use super::search::{self, Effort};
use super::{ConstraintSolver, Inconsistency, multiple};
use crate::{Reason, System, Tolerance};

/// What is known of a start besides its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartConditions<'a> {
    /// Which states are given. `None`: all that are not algebraic.
    pub fixed: Option<&'a [bool]>,
    /// Whether what the system states of other variables belongs to this start.
    pub start_residuals: bool,
    /// For a system that otherwise needs no consistency.
    pub tol: &'a Tolerance,
}

impl StartConditions<'_> {
    /// The states that may change.
    pub fn free(&self, states: usize, differential: usize) -> Vec<bool> {
        match self.fixed {
            Some(fixed) => fixed.iter().map(|fixed| !fixed).collect(),
            None => (0..states).map(|i| i >= differential).collect(),
        }
    }
}

impl ConstraintSolver {
    /// Moves the states that may change to where what is given or guessed of variables that follow from them is fulfilled
    /// best: that is where a search begins.
    pub fn approach(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64], wishes: &StartConditions) {
        let free = wishes.free(y.len(), self.differential);
        let mut equations = Equations::of(Which::Stated, system, t, d, &self.tol, &mut self.work);
        if !wishes.start_residuals || equations.count == 0 {
            return;
        }
        let mut near = y.to_vec();
        search::find(&mut equations, &free, &mut near, Effort::Near);
        if near.iter().all(|y| y.is_finite()) {
            y.copy_from_slice(&near);
        }
    }

    /// For modes as they are; states that are not fixed are guesses.
    pub(super) fn start(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &mut [f64],
        d: &[f64],
        wishes: &StartConditions,
        effort: Effort,
    ) -> Result<(), Reason> {
        let free = wishes.free(y.len(), self.differential);
        let layout = system.layout();
        if !wishes.start_residuals || layout.start_residuals[0] == 0 {
            return self.solve_start(Which::Always, (system, effort), t, y, d, &free);
        }
        // More states are open than the equations determine: what is given of other variables does.
        let open = free[..self.differential].iter().filter(|free| **free).count() > layout.invariants;
        let guess = y.to_vec();
        let mut own = if open { None } else { Some(self.solve_start(Which::Always, (system, effort), t, y, d, &free)) };
        if matches!(own, Some(Ok(()))) && self.violates_given(system, t, y, d).is_empty() {
            return Ok(());
        }
        let mut chosen = guess.clone();
        let found = self.found.take();
        if self.solve_start(Which::Given, (system, effort), t, &mut chosen, d, &free).is_ok() {
            // What is given is rounded: where the equations alone determine all, they do, from here.
            if !open {
                let mut near = chosen.clone();
                let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
                if search::find(&mut equations, &free, &mut near, Effort::Near) {
                    chosen = near;
                    self.polish(system, t, &mut chosen, d);
                }
            }
            y.copy_from_slice(&chosen);
            return Ok(());
        }
        // The equations alone say what is wrong with them, or what they give instead.
        self.found = found;
        own.take().unwrap_or_else(|| self.solve_start(Which::Always, (system, effort), t, y, d, &free))
    }

    /// The given values of variables that are no states and differ from those at y.
    fn violates_given(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> Vec<usize> {
        let mut equations = Equations::of(Which::Given, system, t, d, &self.tol, &mut self.work);
        let first = equations.count - equations.system.layout().start_residuals[0];
        search::violated(&mut equations, y).into_iter().map(|(row, _)| row).filter(|row| *row >= first).collect()
    }

    /// States that fulfil these equations.
    fn solve_start(
        &mut self,
        which: Which,
        (system, effort): (&mut dyn System, Effort),
        t: f64,
        y: &mut [f64],
        d: &[f64],
        free: &[bool],
    ) -> Result<(), Reason> {
        let guess = y.to_vec();
        let mut equations = Equations::of(which, system, t, d, &self.tol, &mut self.work);
        if search::find(&mut equations, free, y, effort) {
            // A system of higher index that is solved as it is determines its algebraic states only by derivatives.
            let undetermined = search::undetermined(&mut equations, free, y).filter(|_| !self.direct);
            let Some(component) = undetermined else {
                self.polish(system, t, y, d);
                return Ok(());
            };
            match multiple::at(&mut equations, free, y) {
                multiple::Singular::Alone(root) => {
                    y.copy_from_slice(&root);
                    return Ok(());
                }
                multiple::Singular::Open(component) => return Err(Reason::SingularJacobian { t, h: 0.0, component }),
                multiple::Singular::Nowhere => {}
            }
            // The nearest thing to a solution says nothing; what the given values violate does.
            y.copy_from_slice(&guess);
            if search::violated(&mut equations, y).is_empty() {
                return Err(Reason::SingularJacobian { t, h: 0.0, component });
            }
        }
        if which != Which::Always || effort != Effort::All {
            // nobody asks why
            return Err(Inconsistency::default().reason());
        }
        let found = search::explain(&mut equations, free, &guess, y);
        let reason = found.reason();
        // where the search ended may be at the ends of the world
        if !found.sought.is_empty() {
            y.copy_from_slice(&guess);
        }
        self.found = Some(found);
        Err(reason)
    }
}
