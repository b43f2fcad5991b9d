//! What must be zero at one instant: the residuals of the algebraic states, then the invariants, then what is given of other
//! variables; and their derivatives.

use std::sync::Arc;

use crate::events::modes::modes_of;
use crate::{Switch, SwitchKind, System, Tolerance, Work};
use ordinate_linalg::Pattern;

/// Constants of size one are known to this.
const KNOWN: f64 = 4.0 * f64::EPSILON;
/// How often tolerances are made smaller by ten.
const FINER: usize = 12;

/// Which equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Which {
    /// Those that always hold.
    Always,
    /// At the start the given values of variables that are no states, too.
    Given,
    /// Only what is given or guessed of variables.
    Stated,
}

/// The equations at a time and for discrete values.
pub(super) struct Equations<'a> {
    pub system: &'a mut dyn System,
    pub t: f64,
    pub d: Vec<f64>,
    pub tol: &'a Tolerance,
    pub work: &'a mut Work,
    /// Number of states that are not algebraic.
    pub differential: usize,
    /// Number of algebraic states, of invariants and of stated variables among them.
    parts: [usize; 3],
    /// Number of equations.
    pub count: usize,
    /// Row and column of each element of the derivatives, the part it belongs to and where its value stands there.
    elements: Vec<(usize, usize, usize, usize)>,
    patterns: [Option<Arc<Pattern>>; 3],
    values: [Vec<f64>; 3],
    f: Vec<f64>,
    /// The differences of all stated variables.
    start_residuals: Vec<f64>,
    /// Switches whose modes are those of the state wherever it is; the others stay what they are.
    follow: Vec<(usize, SwitchKind)>,
    g: Vec<f64>,
}

impl<'a> Equations<'a> {
    /// Those that always hold.
    pub fn new(system: &'a mut dyn System, t: f64, d: &[f64], tol: &'a Tolerance, work: &'a mut Work) -> Equations<'a> {
        Equations::of(Which::Always, system, t, d, tol, work)
    }

    pub fn of(
        which: Which,
        system: &'a mut dyn System,
        t: f64,
        d: &[f64],
        tol: &'a Tolerance,
        work: &'a mut Work,
    ) -> Equations<'a> {
        let layout = system.layout();
        let (states, differential, switches) = (layout.states, layout.differential(), layout.switches.len());
        let [given, guessed] = layout.start_residuals;
        let parts = match which {
            Which::Always => [layout.algebraic, layout.invariants, 0],
            Which::Given => [layout.algebraic, layout.invariants, given],
            Which::Stated => [0, 0, given + guessed],
        };
        let patterns = [
            if parts[0] > 0 { system.jacobian_pattern() } else { None },
            if parts[1] > 0 { system.invariants_pattern() } else { None },
            if parts[2] > 0 { system.start_residuals_pattern() } else { None },
        ];
        let mut elements = Vec::new();
        let mut first = 0;
        for (part, pattern) in patterns.iter().enumerate() {
            // those of the algebraic states stand last in f
            let skipped = if part == 0 { differential } else { 0 };
            let rows = skipped..skipped + parts[part];
            let all = pattern.iter().flat_map(|pattern| pattern.elements().enumerate());
            let own = all.filter(|(_, (row, _))| rows.contains(&(*row as usize)));
            elements.extend(own.map(|(k, (row, column))| (first + row as usize - skipped, column as usize, part, k)));
            first += parts[part];
        }
        let length = |pattern: &Option<Arc<Pattern>>| vec![0.0; pattern.as_ref().map_or(0, |pattern| pattern.len())];
        Equations {
            t,
            d: d.to_vec(),
            tol,
            work,
            differential,
            parts,
            count: first,
            elements,
            values: patterns.each_ref().map(length),
            patterns,
            f: vec![0.0; states],
            start_residuals: vec![0.0; given + guessed],
            follow: Vec::new(),
            g: vec![0.0; switches],
            system,
        }
    }

    /// The same, the modes of all switches but some following the state.
    pub fn following(mut self, but: &[usize]) -> Equations<'a> {
        let switches = self.system.layout().switches.iter().enumerate();
        let follows = |(k, switch): &(usize, &Switch)| !switch.of_time && !but.contains(k);
        self.follow = switches.filter(follows).map(|(k, switch)| (k, switch.kind)).collect();
        self
    }

    /// The modes at y, if they follow it.
    fn take_sides(&mut self, y: &[f64]) {
        if !self.follow.is_empty() {
            modes_of(&self.follow, self.system, self.t, y, &mut self.d, &mut self.g);
        }
    }

    /// All residuals; returns whether they are finite. Where the system refuses to be evaluated none is: so every search ends.
    pub fn residuals(&mut self, y: &[f64], r: &mut [f64]) -> bool {
        if self.system.refusal().is_some() {
            r.fill(f64::NAN);
            return false;
        }
        self.take_sides(y);
        let [algebraic, invariants, stated] = self.parts;
        if algebraic > 0 {
            self.system.derivative(self.t, y, &self.d, &mut self.f);
            self.work.f += 1;
            r[..algebraic].copy_from_slice(&self.f[self.differential..]);
        }
        if invariants > 0 {
            self.system.invariants(self.t, y, &self.d, &mut r[algebraic..algebraic + invariants]);
        }
        if stated > 0 {
            self.system.start_residuals(self.t, y, &self.d, &mut self.start_residuals);
            r[algebraic + invariants..].copy_from_slice(&self.start_residuals[..stated]);
        }
        r.iter().all(|r| r.is_finite())
    }

    /// The derivatives of all residuals: row, column, value. Returns whether they are finite.
    pub fn derivatives(&mut self, y: &[f64]) -> bool {
        self.take_sides(y);
        let [of_f, kept, stated] = &mut self.values;
        if self.patterns[0].is_some() {
            self.system.jacobian(self.t, y, &self.d, of_f);
            self.work.jacobian += 1;
        }
        if self.patterns[1].is_some() {
            self.system.invariants_jacobian(self.t, y, &self.d, kept);
        }
        if self.patterns[2].is_some() {
            self.system.start_residuals_jacobian(self.t, y, &self.d, stated);
        }
        self.elements().all(|(_, _, value)| value.is_finite())
    }

    /// Row, column and value of each element, where the derivatives were evaluated last.
    pub fn elements(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.elements.iter().map(|&(row, column, part, place)| (row, column, self.values[part][place]))
    }

    /// The tolerance of each state, never zero: a state that is zero must be able to move. Where all values are small, so
    /// is what counts as nothing: an absolute tolerance above all of them would let them be anything.
    pub fn weights(&self, y: &[f64]) -> Vec<f64> {
        let largest = largest(y);
        let least = (self.tol.rtol * largest).max(KNOWN);
        let cap = |atol: &f64| if largest > 0.0 { atol.min(least) } else { *atol };
        let tol = Tolerance { atol: self.tol.atol.iter().map(cap).collect(), ..self.tol.clone() };
        let mut weights = Vec::with_capacity(y.len());
        weights_into(&tol, y.iter().map(|y| y.abs()), &mut weights);
        weights
    }

    /// What counts as the size of a state: its own, or one where its tolerance takes it for zero.
    pub fn unit(&self, y: &[f64], state: usize) -> f64 {
        let counts = if self.tol.rtol > 0.0 { self.tol.atol[state] / self.tol.rtol } else { 0.0 };
        if y[state].abs() > counts { y[state].abs() } else { 1.0 }
    }

    /// [`Equations::scales`] that the equations bear out: where one bends within the tolerances, so that it is not known
    /// whether they can make up for its residual, those are made smaller. Far out, where doubles are coarser than a
    /// wave, no residual is small.
    pub fn resolved_scales(&mut self, y: &[f64], r: &[f64]) -> Vec<f64> {
        let mut weights = self.weights(y);
        let mut scales = self.scales(&weights, r);
        let mut open: Vec<usize> = (0..self.count).collect();
        let (mut trial, mut moved) = (y.to_vec(), vec![0.0; self.count]);
        for _ in 0..FINER {
            let mut change = vec![0.0; self.count];
            let sign = |j: usize| if (j * j / 3).is_multiple_of(2) { 1.0 } else { -1.0 };
            (0..y.len()).for_each(|j| trial[j] = y[j] + sign(j) * weights[j]);
            self.elements().for_each(|(row, column, value)| change[row] += value * (trial[column] - y[column]));
            self.residuals(&trial, &mut moved);
            let bends = |&row: &usize| {
                let apart = moved[row] - r[row] - change[row];
                apart.is_nan() || apart.abs() > 0.5 * scales[row]
            };
            open.retain(bends);
            if open.is_empty() {
                break;
            }
            for (weight, y) in weights.iter_mut().zip(y) {
                *weight = (0.1 * *weight).max(4.0 * f64::EPSILON * y.abs()).max(f64::MIN_POSITIVE / f64::EPSILON);
            }
            let finer = self.scales(&weights, r);
            open.iter().for_each(|&row| scales[row] = finer[row]);
        }
        scales
    }

    /// How much each residual changes when every state changes by its tolerance, where the derivatives were evaluated
    /// last. What does not depend on any state has no scale: it counts as far off.
    pub fn scales(&self, weights: &[f64], r: &[f64]) -> Vec<f64> {
        let mut scales = vec![0.0; self.count];
        self.elements().for_each(|(row, column, value)| scales[row] += (value * weights[column]).abs());
        for (scale, r) in scales.iter_mut().zip(r) {
            if *scale == 0.0 || !scale.is_finite() {
                *scale = (self.tol.rtol.max(1e-12) * r.abs()).max(f64::MIN_POSITIVE);
            }
        }
        scales
    }

    /// The equations in which one of the unknowns occurs.
    pub fn rows_of(&self, free: &[bool]) -> Vec<usize> {
        let mut occurs = vec![false; self.count];
        self.elements.iter().for_each(|&(row, column, ..)| occurs[row] |= free[column]);
        (0..self.count).filter(|&row| occurs[row]).collect()
    }

    /// The unknowns of these equations among all states.
    pub fn states_of(&self, rows: &[usize]) -> Vec<usize> {
        let mut occurs = vec![false; self.f.len()];
        let mut wanted = vec![false; self.count];
        rows.iter().for_each(|&row| wanted[row] = true);
        self.elements.iter().for_each(|&(row, column, ..)| occurs[column] |= wanted[row]);
        (0..occurs.len()).filter(|&j| occurs[j]).collect()
    }

    /// The place of an equation in machine-readable results: the state it stands for, or the invariant behind the states.
    pub fn place(&self, row: usize) -> usize {
        self.differential + row
    }
}

fn largest(y: &[f64]) -> f64 {
    y.iter().fold(0.0, |most: f64, y| most.max(y.abs())).min(f64::MAX)
}

/// The tolerance of states of these sizes, never zero and never below rounding.
pub(super) fn weights_into(tol: &Tolerance, sizes: impl Iterator<Item = f64> + Clone, weights: &mut Vec<f64>) {
    let largest = sizes.clone().fold(0.0, f64::max).min(f64::MAX);
    let least = (1e-6 * tol.rtol * largest).max(f64::MIN_POSITIVE / f64::EPSILON);
    let weight = |(size, atol): (f64, &f64)| (atol + tol.rtol * size).max(4.0 * f64::EPSILON * size).max(least);
    weights.clear();
    weights.extend(sizes.zip(&tol.atol).map(weight));
}
