//! A system whose algebraic states are solved for wherever it is evaluated: for methods that know no such states, and for
//! switches, which must see the state on its equations even inside a step.

use std::sync::Arc;

use super::ConstraintSolver;
use crate::{History, JacobianCost, Jets, Layout, LinearForm, Path, Refusal, StepFailure, System};
use ordinate_linalg::Pattern;
use ordinate_numbers::Octet;

/// A view of a system.
pub(crate) struct EliminatedSystem<'a> {
    pub system: &'a mut dyn System,
    pub consistency: &'a mut ConstraintSolver,
}

impl EliminatedSystem<'_> {
    /// y with its algebraic states solved for.
    fn algebraic(&mut self, t: f64, y: &[f64], d: &[f64]) -> Result<Vec<f64>, StepFailure> {
        if let Some(component) = y.iter().position(|y| !y.is_finite()) {
            // What follows from an earlier failure is not the cause.
            return Err(StepFailure::NotFinite { t, component });
        }
        let mut own = y.to_vec();
        let result = self.consistency.resolve(self.system, t, &mut own, d);
        self.consistency.failure = result.err();
        result.map(|()| own)
    }

    /// y on all equations; where the way to the invariants is too far, on the algebraic ones.
    fn restored(&mut self, t: f64, y: &[f64], d: &[f64]) -> Result<Vec<f64>, StepFailure> {
        let mut own = y.to_vec();
        match self.consistency.restore(self.system, t, &mut own, d, false) {
            Ok(_) => Ok(own),
            Err(_) => self.algebraic(t, y, d),
        }
    }
}

impl System for EliminatedSystem<'_> {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    /// The algebraic states do not move with the others: they are solved for when the step is done.
    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        if !self.consistency.inside_f {
            return self.system.derivative(t, y, d, dy);
        }
        match self.algebraic(t, y, d) {
            Ok(y) => {
                self.system.derivative(t, &y, d, dy);
                dy[self.consistency.differential()..].fill(0.0);
            }
            Err(_) => dy.fill(f64::NAN),
        }
    }

    fn refusal(&mut self) -> Option<Refusal> {
        self.system.refusal()
    }

    fn cost_of_f(&mut self) -> f64 {
        self.system.cost_of_f()
    }

    fn cost_of_jacobian(&mut self, most: f64) -> Option<JacobianCost> {
        self.system.cost_of_jacobian(most)
    }

    fn derivative_of_eight(&mut self, count: usize, t: &Octet, y: &[Octet], d: &[f64], dy: &mut [Octet]) -> bool {
        !self.consistency.inside_f && self.system.derivative_of_eight(count, t, y, d, dy)
    }

    fn denominators(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut Vec<f64>) {
        self.system.denominators(t, y, d, values);
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        match self.restored(t, y, d) {
            Ok(y) => self.system.switch_values(t, &y, d, g),
            Err(_) => g.fill(f64::NAN),
        }
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        match self.restored(t, y, d) {
            Ok(y) => self.system.switch_slopes(t, &y, d, slope),
            Err(_) => slope.fill(f64::NAN),
        }
    }

    fn switch_variations(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.switch_variations(t, y, d, values);
    }

    fn switch_variation_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slopes: &mut [f64]) {
        self.system.switch_variation_slopes(t, y, d, slopes);
    }

    fn next_crossing(&mut self, switch: usize, after: f64, until: f64) -> Option<f64> {
        self.system.next_crossing(switch, after, until)
    }

    fn mode_from(&mut self, switch: usize, t: f64) -> f64 {
        self.system.mode_from(switch, t)
    }

    fn conditions(&mut self, d: &[f64], truth: &mut [bool]) {
        self.system.conditions(d, truth);
    }

    fn act(&mut self, action: usize, t: f64, y: &[f64], d: &[f64], new_y: &mut [f64], new_d: &mut [f64]) {
        self.system.act(action, t, y, d, new_y, new_d);
    }

    fn assigned(&self, action: usize) -> Vec<usize> {
        self.system.assigned(action)
    }

    /// The series of f know nothing of the equations that are solved inside.
    fn jets(&mut self, d: &[f64]) -> Option<&mut dyn Jets> {
        if self.consistency.inside_f { None } else { self.system.jets(d) }
    }

    fn linear(&mut self, t: f64, d: &[f64]) -> Option<LinearForm> {
        if self.consistency.inside_f { None } else { self.system.linear(t, d) }
    }

    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        if self.consistency.inside_f { None } else { self.system.jacobian_pattern() }
    }

    fn jacobian(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.jacobian(t, y, d, values);
    }

    fn invariants(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.invariants(t, y, d, values);
    }

    fn invariants_pattern(&mut self) -> Option<Arc<Pattern>> {
        self.system.invariants_pattern()
    }

    fn invariants_jacobian(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.invariants_jacobian(t, y, d, values);
    }

    fn start_residuals(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.start_residuals(t, y, d, values);
    }

    fn start_residuals_pattern(&mut self) -> Option<Arc<Pattern>> {
        self.system.start_residuals_pattern()
    }

    fn start_residuals_jacobian(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.start_residuals_jacobian(t, y, d, values);
    }

    fn history(&mut self) -> Option<&mut History> {
        self.system.history()
    }

    fn delayed(&mut self, t: f64, y: &[f64], d: &[f64], z: &mut [f64]) {
        self.system.delayed(t, y, d, z);
    }

    fn delayed_series(&mut self, path: &Path, d: &[f64], order: usize, z: &mut [Vec<f64>]) -> bool {
        self.system.delayed_series(path, d, order, z)
    }

    fn delayed_values(&mut self, t: f64, d: &[f64], w: &mut [f64]) {
        self.system.delayed_values(t, d, w);
    }
}
