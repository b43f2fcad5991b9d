//! The algebraic states near where they are known: a few iterations of Newton's method on 0 = g(t, x, z) with x as it is.

use crate::{StepFailure, System, Tolerance, Work};
use ordinate_linalg::{Lu, Pattern};

/// Iterations.
const MOST: usize = 12;
/// A correction of so many tolerances with new derivatives is the last one: the next is about its square.
const LAST: f64 = 1e-2;
/// What may be left, in tolerances.
const REST: f64 = 1e-4;
/// An iteration with old derivatives converges where its changes fall at least so fast.
const CONVERGES: f64 = 0.5;
/// Derivatives that have changed by this part of themselves are other ones.
const OTHER: f64 = 0.5;

/// Newton's method goes to the solution that continues the one before where the second change is at most this part of the first,
/// both with the same derivatives: P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, sections 2.1 and 5.1.
const CONTRACTS: f64 = 0.25;
/// A way that must be followed in pieces shorter than this part of it ends before.
const SHORTEST: f64 = 1e-6;
/// A state is known along a way when a change is at most this part of it, or after so many changes within its tolerance.
const FINE: f64 = 1e-6;
const MOST_REFINEMENTS: usize = 30;
/// Pieces that are tried on one way: a longer one is believed.
const MOST_PIECES: usize = 2000;

/// Memory to solve for the algebraic states.
#[derive(Clone, Debug)]
pub(super) struct Algebraic {
    /// The first algebraic state.
    first: usize,
    /// Where the elements of ∂g/∂z stand among those of the Jacobian.
    places: Vec<usize>,
    /// The row of each, from 0.
    rows: Vec<usize>,
    /// Row (from 0), column and place of the elements of ∂g/∂x.
    by_others: Vec<(usize, usize, usize)>,
    jacobian: Vec<f64>,
    values: Vec<f64>,
    /// The largest element of each row.
    largest: Vec<f64>,
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
        let inner_rows = inner.iter().map(|&(row, _)| row as usize).collect();
        let inner = Pattern::from_elements(states - first, inner.into_iter());
        Algebraic {
            first,
            values: vec![0.0; places.len()],
            places,
            rows: inner_rows,
            largest: vec![0.0; states - first],
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

    /// Whether the derivatives that are decomposed are about those here. A change that is small by old ones says nothing where the
    /// new ones are smaller by orders of magnitude: a diode that conducted a moment ago and blocks now.
    fn serves(&mut self, system: &mut dyn System, at: &At, y: &[f64], work: &mut Work) -> bool {
        system.jacobian(at.t, y, at.d, &mut self.jacobian);
        work.jacobian += 1;
        let elements = || self.places.iter().zip(&self.values).zip(&self.rows);
        self.largest.fill(0.0);
        elements().for_each(|((_, value), &row)| self.largest[row] = f64::max(self.largest[row], value.abs()));
        let near = |((&place, old), &row): ((&usize, &f64), &usize)| {
            (self.jacobian[place] - old).abs() <= OTHER * old.abs() + f64::EPSILON * self.largest[row]
        };
        elements().all(near)
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
                let scaled = delta.abs() / scale(at, first + i, z);
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
            let converges = iteration > 0 && rate <= CONVERGES && norm * rate <= REST;
            let small = converges || norm <= 1e-2 * REST;
            if (fresh && norm <= LAST) || rests || (small && (fresh || self.serves(system, at, y, work))) {
                return Ok(moved);
            }
            if rate > 2.0 && fresh && iteration > 1 {
                break;
            }
            fresh = small || (iteration > 0 && rate > 0.1);
            last = norm;
        }
        self.factored = false;
        Err(StepFailure::Newton { component: first + worst })
    }

    /// Newton's method up to a few digits of every algebraic state, even of one that is small against its tolerance: it may not
    /// stay so along the way. Returns whether it converges.
    pub fn refine(&mut self, system: &mut dyn System, at: &At, y: &mut [f64], work: &mut Work) -> bool {
        let first = self.first;
        let mut norm: f64 = 0.0;
        for _ in 0..MOST_REFINEMENTS {
            system.derivative(at.t, y, at.d, &mut self.f);
            work.f += 1;
            if self.factor(system, at, y, work).is_err() {
                return false;
            }
            self.delta.copy_from_slice(&self.f[first..]);
            self.lu.solve(&mut self.delta);
            norm = 0.0;
            let mut fine = true;
            for (i, (z, delta)) in y[first..].iter_mut().zip(&self.delta).enumerate() {
                *z -= delta;
                fine &= delta.abs() <= FINE * z.abs();
                norm = norm.max(delta.abs() / scale(at, first + i, *z));
            }
            if fine || !norm.is_finite() {
                return fine;
            }
        }
        norm <= LAST
    }

    /// Whether the algebraic states at the end of a step continue those at its beginning, along a straight way of time and the
    /// other states: a step whose length is given may have jumped to another solution, behind the end of its own. The derivatives at
    /// hand, those of its end, are enough where nothing is suspicious: of another solution they would lead to that one.
    pub fn continues(
        &mut self,
        system: &mut dyn System,
        (t0, y0): (f64, &[f64]),
        (at, y1): (&At, &[f64]),
        suspicious: bool,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let first = self.first;
        let mut y = y0.to_vec();
        let place = |s: f64, y: &mut [f64]| {
            for (y, (from, to)) in y.iter_mut().zip(y0.iter().zip(y1)).take(first) {
                *y = if s < 1.0 { from + s * (to - from) } else { *to };
            }
        };
        let goes_to = |z: &[f64], most: f64| {
            let near = |i: usize| {
                let (z, own) = (z[i - first], y1[i]);
                (z - own).abs() <= most * (own - y0[i]).abs() + 10.0 * scale(at, i, own)
            };
            (first..y1.len()).find(|&i| !near(i))
        };
        let (mut s, mut length, mut old, mut worst) = (0.0, 1.0, self.factored && !suspicious, 0);
        for _ in 0..MOST_PIECES {
            let end = if s + length >= 1.0 { 1.0 } else { s + length };
            let t = if end < 1.0 { t0 + end * (at.t - t0) } else { at.t };
            let here = At { t, ..*at };
            self.start.copy_from_slice(&y[first..]);
            place(end, &mut y);
            let mut sizes = [0.0f64; 2];
            if !old && self.factor(system, &here, &y, work).is_err() {
                sizes[1] = f64::INFINITY;
            }
            for size in &mut sizes {
                system.derivative(t, &y, at.d, &mut self.f);
                work.f += 1;
                self.delta.copy_from_slice(&self.f[first..]);
                self.lu.solve(&mut self.delta);
                for (i, delta) in self.delta.iter().enumerate() {
                    let part = delta.abs() / scale(at, first + i, self.start[i].abs().max(y1[first + i].abs()));
                    if part > *size || part.is_nan() {
                        (*size, worst) = (part, i);
                    }
                }
                y[first..].iter_mut().zip(&self.delta).for_each(|(z, delta)| *z -= delta);
            }
            let contracts = sizes[1] <= (CONTRACTS * sizes[0]).max(LAST);
            if contracts && old {
                // With derivatives of another place no more than the end is looked at.
                if goes_to(&y[first..], CONTRACTS).is_none() {
                    return Ok(());
                }
            } else if contracts && self.refine(system, &here, &mut y, work) {
                if end == 1.0 {
                    let other = goes_to(&y[first..], 1e-3);
                    return other.map_or(Ok(()), |component| Err(StepFailure::Newton { component }));
                }
                (s, length) = (end, 2.0 * length);
                continue;
            }
            y[first..].copy_from_slice(&self.start);
            length = if old { length } else { 0.5 * length };
            old = false;
            if length < SHORTEST {
                return Err(StepFailure::Newton { component: first + worst });
            }
        }
        Ok(())
    }
}

/// The tolerance of an algebraic state of this size.
fn scale(at: &At, i: usize, size: f64) -> f64 {
    (at.tol.atol[i] + at.tol.rtol * size.abs()).max(4.0 * f64::EPSILON * size.abs()).max(f64::MIN_POSITIVE)
}
