//! The algebraic states near where they are known: a few iterations of Newton's method on 0 = g(t, x, z) with x as it is.

use crate::algebra::Lu;
use crate::{Pattern, StepFailure, System, Tolerance, Work};

/// Iterations.
const MOST: usize = 12;
/// A correction of so many tolerances with new derivatives is the last one: the next is about its square.
const LAST: f64 = 1e-2;
/// What may be left, in tolerances.
const REST: f64 = 1e-4;

/// Memory to solve for the algebraic states.
#[derive(Clone, Debug)]
pub(super) struct Algebraic {
    /// The first algebraic state.
    first: usize,
    /// Where the elements of ∂g/∂z stand among those of the Jacobian.
    places: Vec<usize>,
    /// Row (from 0), column and place of the elements of ∂g/∂x.
    by_others: Vec<(usize, usize, usize)>,
    jacobian: Vec<f64>,
    values: Vec<f64>,
    lu: Lu<f64>,
    factored: bool,
    f: Vec<f64>,
    delta: Vec<f64>,
    /// Where an iteration with old derivatives began.
    start: Vec<f64>,
}

/// Where to solve.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub t: f64,
    pub d: &'a [f64],
    pub tol: &'a Tolerance,
    /// Derivatives of a point before may serve as long as they do.
    pub keep: bool,
}

impl Algebraic {
    pub fn new(system: &mut dyn System) -> Algebraic {
        let pattern = system.jacobian_pattern().expect("a system with algebraic states knows its Jacobian");
        let (states, first) = (system.layout().states, system.layout().differential());
        let (mut places, mut inner, mut by_others) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (row, column)) in pattern.elements().enumerate().filter(|(_, (row, _))| *row as usize >= first) {
            let row = row as usize - first;
            match (column as usize).checked_sub(first) {
                Some(column) => {
                    places.push(place);
                    inner.push((row as u32, column as u32));
                }
                None => by_others.push((row, column as usize, place)),
            }
        }
        let inner = Pattern::from_elements(states - first, inner.into_iter());
        Algebraic {
            first,
            values: vec![0.0; places.len()],
            places,
            by_others,
            jacobian: vec![0.0; pattern.len()],
            lu: Lu::new(&inner),
            factored: false,
            f: vec![0.0; states],
            delta: vec![0.0; states - first],
            start: vec![0.0; states - first],
        }
    }

    /// Decomposes ∂g/∂z.
    pub fn factor(&mut self, system: &mut dyn System, at: &At, y: &[f64], work: &mut Work) -> Result<(), StepFailure> {
        self.factored = false;
        system.jacobian(at.t, y, at.d, &mut self.jacobian);
        self.values.iter_mut().zip(&self.places).for_each(|(value, &place)| *value = self.jacobian[place]);
        (work.jacobian, work.lu) = (work.jacobian + 1, work.lu + 1);
        let singular = |column: usize| StepFailure::Singular { component: self.first + column };
        self.lu.factor(&self.values).map_err(|error| singular(error.column))?;
        self.factored = true;
        Ok(())
    }

    /// The row of the derivatives of an invariant by x alone, z following x: e − vᵀ ∂g/∂x with ∂g/∂zᵀ v = ∂e/∂z.
    pub fn eliminate(&mut self, row: &mut [f64]) {
        let (by_x, by_z) = row.split_at_mut(self.first);
        self.lu.solve_transposed(by_z);
        for &(i, column, place) in &self.by_others {
            by_x[column] -= by_z[i] * self.jacobian[place];
        }
    }

    /// Changes the algebraic states so that g is zero; returns by how many tolerances.
    pub fn solve(
        &mut self,
        system: &mut dyn System,
        at: &At,
        y: &mut [f64],
        work: &mut Work,
    ) -> Result<f64, StepFailure> {
        if !(at.keep && self.factored) {
            return self.iterate(system, at, y, true, work);
        }
        self.start.copy_from_slice(&y[self.first..]);
        self.iterate(system, at, y, false, work).or_else(|_| {
            y[self.first..].copy_from_slice(&self.start);
            self.iterate(system, at, y, true, work)
        })
    }

    fn iterate(
        &mut self,
        system: &mut dyn System,
        at: &At,
        y: &mut [f64],
        mut fresh: bool,
        work: &mut Work,
    ) -> Result<f64, StepFailure> {
        let first = self.first;
        let (mut last, mut moved): (f64, f64) = (f64::INFINITY, 0.0);
        let mut worst = 0;
        for iteration in 0..MOST {
            system.derivative(at.t, y, at.d, &mut self.f);
            work.f += 1;
            if let Some(component) = self.f[first..].iter().position(|g| !g.is_finite()) {
                return Err(StepFailure::NotFinite { t: at.t, component: first + component });
            }
            if fresh {
                self.factor(system, at, y, work)?;
            }
            self.delta.copy_from_slice(&self.f[first..]);
            self.lu.solve(&mut self.delta);
            work.newton += 1;
            let mut norm: f64 = 0.0;
            for (i, delta) in self.delta.iter().enumerate() {
                let z = y[first + i].abs().max((y[first + i] - delta).abs());
                let scale = (at.tol.atol[first + i] + at.tol.rtol * z).max(4.0 * f64::EPSILON * z);
                let scaled = delta.abs() / scale.max(f64::MIN_POSITIVE);
                if scaled > norm || scaled.is_nan() {
                    (norm, worst) = (scaled, i);
                }
            }
            if !norm.is_finite() {
                return Err(StepFailure::Singular { component: first + worst });
            }
            y[first..].iter_mut().zip(&self.delta).for_each(|(z, delta)| *z -= delta);
            moved += norm;
            let rate = norm / last;
            // Where rounding ends the convergence within the tolerance, it has converged.
            let rests = norm <= 1.0 && rate > 0.5 && fresh && iteration > 1;
            let converges = iteration > 0 && norm * rate <= REST;
            if (fresh && norm <= LAST) || converges || norm <= 1e-2 * REST || rests {
                return Ok(moved);
            }
            if rate > 2.0 && fresh && iteration > 1 {
                break;
            }
            fresh = iteration > 0 && rate > 0.1;
            last = norm;
        }
        self.factored = false;
        Err(StepFailure::Newton { component: first + worst })
    }
}
