//! Solutions that part where f divides by zero and stays finite.
//!
//! ```text
//!   (t − 1) x′ = 3 x      every solution c (t − 1)³ comes to 0 at t = 1, and each of them goes on from there
//! ```
//!
//! Nothing grows along the solution, so the run goes on. Beside it ∂f/∂y is about A / (t − t₀), and a small difference behind the
//! point is (t − t₀)ᴬ: where A has a positive number on its diagonal, differences of any size grow out of none. The equations do not
//! say which solution follows, and that is told.

use super::{Plan, Run};
use crate::{Selected, Selection};

/// ∂f/∂y is taken at these parts of the step behind the point, or before it.
const BESIDE: [f64; 2] = [1.0 / 1024.0, 1.0 / 16384.0];
/// Products of ∂f/∂y and the distance agree so well where it is of the form A / (t − t₀); of a smooth f they fall with the distance.
const AGREE: f64 = 0.25;
/// A smaller one is no singularity: f changes smoothly, and slowly.
const LEAST: f64 = 1e-2;
/// States are varied by this part of what they change in the part of the step at hand.
const VARIED: f64 = 1e-2;
/// The point is known to this part of the step.
const ROUNDING: f64 = 1e-9;
/// States that are looked at, at most.
const STATES: usize = 200;

impl Run<'_> {
    /// Tells of solutions that part from this one after a part of the step, where something that f divides by changes its sign.
    pub(super) fn tell_parting(&mut self, plan: Plan, theta: f64) {
        let layout = self.flow.system.layout();
        let (differential, n) = (layout.differential(), self.y.len());
        if self.flow.sliding.is_some() || layout.algebraic > 0 || differential > STATES {
            return;
        }
        let side = if theta < 0.5 { 1.0 } else { -1.0 };
        let residues = BESIDE.map(|part| self.residues(plan, theta, side * part));
        let parts = |i: usize| {
            let [far, near] = [residues[0][i], residues[1][i]];
            near > LEAST && far.is_finite() && near.is_finite() && (near - far).abs() <= AGREE * near
        };
        if let Some(component) = (0..differential.min(n)).find(|&i| parts(i)) {
            let t = self.t + theta * plan.h;
            // what is left of a zero by rounding is one
            let t = if t.abs() <= ROUNDING * plan.h { 0.0 } else { t };
            self.events.tell(Selection { t, what: Selected::Parting { component } });
        }
    }

    /// (t − t₀) ∂fᵢ/∂yᵢ at a part of the step beside t₀.
    fn residues(&mut self, plan: Plan, theta: f64, beside: f64) -> Vec<f64> {
        let (n, h) = (self.y.len(), plan.h);
        let t = self.t + (theta + beside) * h;
        let (mut y, mut f, mut varied) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        self.method.interpolate(theta + beside, &mut y);
        let scale: Vec<f64> = self.y.iter().zip(self.method.end()).map(|(a, b)| a.abs().max(b.abs())).collect();
        self.statistics.evaluations.f += 1 + n as u64;
        self.flow.with(|system| {
            system.derivative(t, &y, &self.d, &mut f);
            let mut residue = |i: usize| {
                let (own, by) = (y[i], VARIED * beside.abs() * scale[i]);
                y[i] = own + by;
                let by = y[i] - own;
                system.derivative(t, &y, &self.d, &mut varied);
                y[i] = own;
                if by == 0.0 { 0.0 } else { beside * h * (varied[i] - f[i]) / by }
            };
            (0..n).map(&mut residue).collect()
        })
    }
}
