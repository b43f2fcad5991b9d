//! Back to the invariants by the smallest change of the states in units of their tolerances.
//!
//! ```text
//!   min ‖W⁻¹Δ‖,  G Δ = −e(y):      Δ = −W² Gᵀ λ,   (G W² Gᵀ) λ = e(y)
//! ```
//!
//! iterated, with new G where that is slow. E. Eich, SIAM J. Numer. Anal. 30 (1993) 1467–1482; Hairer, Wanner, Solving Ordinary Differential
//! Equations II, VII.2. W are the tolerances of states of the sizes they have had lately: a velocity that passes through zero
//! with a tolerance of its own would make the change an oblique one, along the solution and not only towards it. Algebraic states follow the others: G is the derivative through them.

use std::sync::Arc;

use super::algebraic::{Algebraic, At};
use super::equations::weights_into;
use crate::{StepFailure, System, Work};
use ordinate_linalg::{Lu, Pattern};

/// Iterations.
const MOST: usize = 8;
/// A correction of so many tolerances is the last one: the next is about its square.
const LAST: f64 = 1e-2;
/// A correction that is not smaller than this part of the last one asks for new derivatives.
const SLOW: f64 = 0.1;
/// Invariants that follow from each other make the matrix singular; this much of its diagonal more does not, and changes
/// nothing else, for the iteration goes on.
const REGULAR: f64 = 1e-12;
/// How much of the size of a state is forgotten in one step.
const FORGOTTEN: f64 = 0.01;

/// Memory to project.
#[derive(Clone, Debug)]
pub(super) struct Projection {
    /// Number of states that may be moved: those that are not algebraic.
    differential: usize,
    /// The invariants depend on algebraic states.
    through: bool,
    pattern: Arc<Pattern>,
    /// The elements of G: row, column. All of them where G is the derivative through algebraic states.
    elements: Vec<(usize, usize)>,
    /// Where the elements without algebraic states stand among the derivatives of the invariants.
    places: Vec<usize>,
    derivatives: Vec<f64>,
    g: Vec<f64>,
    /// The sums of G W² Gᵀ: the element of the result, the two elements of G.
    terms: Vec<(usize, usize, usize)>,
    diagonal: Vec<usize>,
    normal: Vec<f64>,
    lu: Lu<f64>,
    residuals: Vec<f64>,
    weights: Vec<f64>,
    /// What changes are measured by: the weights, but no finer than invariants can be.
    units: Vec<f64>,
    /// What rounding leaves of each invariant.
    noise: Vec<f64>,
    /// The sizes that the states have had lately.
    sizes: Vec<f64>,
    before: Vec<f64>,
    delta: Vec<f64>,
}

impl Projection {
    pub fn new(system: &mut dyn System) -> Projection {
        let pattern = system.invariants_pattern().expect("a system with invariants knows their derivatives");
        let (count, differential) = (system.layout().invariants, system.layout().differential());
        let through = pattern.elements().any(|(_, column)| column as usize >= differential);
        let (elements, places): (Vec<(usize, usize)>, Vec<usize>) = if through {
            ((0..count).flat_map(|row| (0..differential).map(move |column| (row, column))).collect(), Vec::new())
        } else {
            pattern.elements().enumerate().map(|(place, (i, j))| ((i as usize, j as usize), place)).unzip()
        };
        let mut of_column: Vec<Vec<(usize, usize)>> = vec![Vec::new(); differential];
        elements.iter().enumerate().for_each(|(place, &(row, column))| of_column[column].push((row, place)));
        let pairs =
            || of_column.iter().flat_map(|list| list.iter().flat_map(move |a| list.iter().map(move |b| (a, b))));
        let diagonal = (0..count as u32).map(|i| (i, i));
        let normal = Pattern::from_elements(count, pairs().map(|(a, b)| (a.0 as u32, b.0 as u32)).chain(diagonal));
        let place = |i: usize, j: usize| normal.place(i, j).expect("an element of the pattern");
        Projection {
            differential,
            through,
            derivatives: vec![0.0; pattern.len()],
            pattern,
            g: vec![0.0; elements.len()],
            elements,
            places,
            terms: pairs().map(|(a, b)| (place(a.0, b.0), a.1, b.1)).collect(),
            diagonal: (0..count).map(|i| place(i, i)).collect(),
            normal: vec![0.0; normal.len()],
            lu: Lu::new(&normal),
            residuals: vec![0.0; count],
            weights: Vec::new(),
            units: vec![0.0; differential],
            noise: vec![0.0; count],
            sizes: Vec::new(),
            before: vec![0.0; differential],
            delta: vec![0.0; differential],
        }
    }

    /// A state that the run has come to.
    pub fn seen(&mut self, y: &[f64]) {
        self.sizes.resize(y.len(), 0.0);
        for (size, y) in self.sizes.iter_mut().zip(y) {
            *size = y.abs().max((1.0 - FORGOTTEN) * *size);
        }
    }

    /// G at y. Where the invariants depend on algebraic states, these are solved for and decomposed here.
    fn derivatives(
        &mut self,
        system: &mut dyn System,
        at: &At,
        y: &[f64],
        algebraic: Option<&mut Algebraic>,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        system.invariants_jacobian(at.t, y, at.d, &mut self.derivatives);
        match algebraic.filter(|_| self.through) {
            None => self.g.iter_mut().zip(&self.places).for_each(|(g, &place)| *g = self.derivatives[place]),
            Some(algebraic) => {
                algebraic.factor(system, at, y, work)?;
                for (i, g) in self.g.chunks_exact_mut(self.differential).enumerate() {
                    let mut row = vec![0.0; y.len()];
                    let places = self.pattern.starts[i]..self.pattern.starts[i + 1];
                    places.for_each(|k| row[self.pattern.columns[k] as usize] = self.derivatives[k]);
                    algebraic.eliminate(&mut row);
                    g.copy_from_slice(&row[..self.differential]);
                }
            }
        }
        Ok(())
    }

    /// The units of the states. Rounding leaves about ε Σ|gᵢₖ yₖ| of invariant i, and that moves state j by the part 1/gᵢⱼ of it: a small
    /// state that is tied to large ones is not determined better than they are.
    fn measure(&mut self, y: &[f64]) {
        self.noise.fill(0.0);
        for (&(row, column), g) in self.elements.iter().zip(&self.g) {
            self.noise[row] += 4.0 * f64::EPSILON * (g * y[column]).abs();
        }
        self.units.fill(f64::INFINITY);
        for (&(row, column), g) in self.elements.iter().zip(&self.g).filter(|(_, g)| **g != 0.0) {
            self.units[column] = self.units[column].min(self.noise[row] / g.abs());
        }
        for (unit, weight) in self.units.iter_mut().zip(&self.weights) {
            *unit = if unit.is_finite() { unit.max(*weight) } else { *weight };
        }
    }

    /// The factors of G W² Gᵀ at y; what is violated stands in `residuals`.
    fn factor(
        &mut self,
        system: &mut dyn System,
        at: &At,
        y: &[f64],
        algebraic: Option<&mut Algebraic>,
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        self.derivatives(system, at, y, algebraic, work)?;
        self.measure(y);
        self.normal.fill(0.0);
        for &(place, a, b) in &self.terms {
            self.normal[place] += self.g[a] * self.g[b] * self.weights[self.elements[a].1].powi(2);
        }
        self.diagonal.iter().for_each(|&place| self.normal[place] *= 1.0 + REGULAR);
        if let Some(row) =
            self.diagonal.iter().position(|&place| self.normal[place].is_nan() || self.normal[place] <= 0.0)
        {
            // An invariant that no state can change here: fine if it holds.
            if self.residuals[row] != 0.0 || self.normal[self.diagonal[row]].is_nan() {
                return Err(StepFailure::Singular { component: y.len() + row });
            }
            self.diagonal.iter().for_each(|&place| {
                if self.normal[place] == 0.0 {
                    self.normal[place] = 1.0;
                }
            });
        }
        work.lu += 1;
        let singular = |row: usize| StepFailure::Singular { component: y.len() + row };
        self.lu.factor(&self.normal).map_err(|error| singular(error.column))
    }

    /// Moves y onto the invariants, and lets the algebraic states follow; returns by how many tolerances it moved.
    pub fn project(
        &mut self,
        system: &mut dyn System,
        at: &At,
        y: &mut [f64],
        mut algebraic: Option<&mut Algebraic>,
        work: &mut Work,
    ) -> Result<f64, StepFailure> {
        self.sizes.resize(y.len(), 0.0);
        let sizes = y.iter().zip(&self.sizes).map(|(y, size)| y.abs().max(*size));
        weights_into(at.tol, sizes, &mut self.weights);
        self.before.copy_from_slice(&y[..self.differential]);
        let (mut last, mut worst, mut stale) = (f64::INFINITY, 0, true);
        for iteration in 0..MOST {
            system.invariants(at.t, y, at.d, &mut self.residuals);
            if stale {
                self.factor(system, at, y, algebraic.as_deref_mut(), work)?;
            }
            self.lu.solve(&mut self.residuals);
            self.delta.fill(0.0);
            for (&(row, column), g) in self.elements.iter().zip(&self.g) {
                self.delta[column] += g * self.residuals[row];
            }
            let mut norm: f64 = 0.0;
            let scales = self.weights.iter().zip(&self.units);
            for (j, ((delta, (weight, unit)), y)) in self.delta.iter().zip(scales).zip(&mut *y).enumerate() {
                let change = weight.powi(2) * delta;
                let scaled = change.abs() / unit;
                if scaled > norm || scaled.is_nan() {
                    (norm, worst) = (scaled, j);
                }
                *y -= change;
            }
            if !norm.is_finite() {
                return Err(StepFailure::NotFinite { t: at.t, component: worst });
            }
            if let Some(algebraic) = algebraic.as_deref_mut() {
                algebraic.solve(system, at, y, work)?;
            }
            work.newton += 1;
            let rests = norm <= 1.0 && norm > 0.5 * last;
            if norm <= LAST || rests {
                let moved =
                    y.iter().zip(&self.before).zip(&self.units).map(|((y, before), unit)| (y - before).abs() / unit);
                return Ok(moved.fold(0.0, f64::max));
            }
            if iteration > 1 && norm > 2.0 * last {
                break;
            }
            stale = iteration == 0 && norm > 1.0 || norm > SLOW * last;
            last = norm;
        }
        Err(StepFailure::Newton { component: worst })
    }
}
