//! How well the equations determine the algebraic states z: numbers that are zero where they do not.
//!
//! ```text
//!   1/vᵢ   with   B v = b,   B = ∂q/∂z
//! ```
//!
//! for a fixed b. Where B becomes singular on the way, v grows like 1/σ and 1/vᵢ passes through zero like σ, with a change of
//! its sign (W. Govaerts, Numerical Methods for Bifurcations of Dynamical Equilibria, SIAM 2000, section 3.2); a determinant
//! would do the same, but over- or underflows. q are the algebraic equations, or, where a system of higher index is solved as
//! it is, those of them and of the invariants that depend on z.

use std::sync::Arc;

use crate::System;
use ordinate_linalg::{Lu, Pattern, transversal};

/// A sum of some terms is rounded by so many times what one of them is.
const ROUNDINGS: f64 = 10.0;

/// Where an equation of q stands.
#[derive(Clone, Copy, Debug)]
enum Row {
    /// Among f, with the algebraic ones last.
    Algebraic(usize),
    Invariant(usize),
}

/// Memory for this.
#[derive(Clone, Debug)]
pub(crate) struct SingularityTest {
    /// The first algebraic state.
    first: usize,
    /// The equation of each algebraic state.
    rows: Vec<Row>,
    /// Where the elements of B stand among the derivatives of f and of the invariants.
    places: Vec<(Row, usize)>,
    pattern: Pattern,
    lu: Lu<f64>,
    /// The derivatives of f and of the invariants, B, b.
    of_f: Vec<f64>,
    of_invariants: Vec<f64>,
    values: Vec<f64>,
    b: Vec<f64>,
    f: Vec<f64>,
    invariants: Vec<f64>,
    q: Vec<f64>,
    displaced: Vec<f64>,
}

/// What is found at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestValues {
    /// 1/vᵢ.
    pub values: Vec<f64>,
    /// Their derivatives along the solution.
    pub slopes: Vec<f64>,
    /// The derivatives of all states.
    pub rates: Vec<f64>,
}

impl SingularityTest {
    /// `None` where no choice of equations determines the algebraic states.
    pub fn new(system: &mut dyn System) -> Option<SingularityTest> {
        let layout = system.layout();
        let (states, first, kept) = (layout.states, layout.differential(), layout.invariants);
        let of_f = system.jacobian_pattern()?;
        let of_invariants =
            system.invariants_pattern().unwrap_or_else(|| Arc::new(Pattern::from_elements(kept, [].into_iter())));
        let algebraic = |pattern: &Pattern, row: usize| -> Vec<(usize, usize)> {
            let places = pattern.starts[row]..pattern.starts[row + 1];
            places.filter_map(|k| Some((k, (pattern.columns[k] as usize).checked_sub(first)?))).collect()
        };
        let candidates: Vec<(Row, Vec<(usize, usize)>)> = (first..states)
            .map(|row| (Row::Algebraic(row), algebraic(&of_f, row)))
            .chain((0..kept).map(|row| (Row::Invariant(row), algebraic(&of_invariants, row))))
            .collect();
        let mut chosen = rows_of(&candidates, states - first)?;
        chosen.sort_unstable();
        let (mut places, mut elements) = (Vec::new(), Vec::new());
        for (i, &k) in chosen.iter().enumerate() {
            let (row, of) = &candidates[k];
            for &(place, column) in of {
                places.push((*row, place));
                elements.push((i as u32, column as u32));
            }
        }
        let pattern = Pattern::from_elements(states - first, elements.into_iter());
        Some(SingularityTest {
            first,
            rows: chosen.iter().map(|&k| candidates[k].0).collect(),
            lu: Lu::new(&pattern),
            values: vec![0.0; places.len()],
            places,
            pattern,
            of_f: vec![0.0; of_f.len()],
            of_invariants: vec![0.0; of_invariants.len()],
            b: Vec::new(),
            f: vec![0.0; states],
            invariants: vec![0.0; kept],
            q: vec![0.0; states - first],
            displaced: vec![0.0; states],
        })
    }

    /// How large the elements of each equation are here: what b is measured by, once and for all.
    fn weigh(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        self.derivatives(system, t, y, d);
        let size = |row: &[f64]| row.iter().fold(f64::MIN_POSITIVE, |most: f64, x| most.max(x.abs()));
        let rows = self.pattern.starts.windows(2).map(|ends| size(&self.values[ends[0]..ends[1]]));
        // Without a pattern of its own, so that no combination of equations is overlooked.
        self.b = rows.enumerate().map(|(i, size)| size * (1.0 + 0.5 * (i as f64 + 1.0).sin())).collect();
    }

    /// The numbers and their slopes at a point, by a look at another one a time `away` from it.
    pub fn look(&mut self, system: &mut dyn System, (t, y): (f64, &[f64]), d: &[f64], away: f64) -> TestValues {
        let values = self.numbers(system, t, y, d);
        let mut rates = vec![0.0; y.len()];
        system.derivative(t, y, d, &mut rates);
        if values.iter().all(|value| *value == 0.0) {
            rates[self.first..].fill(0.0);
            return TestValues { slopes: values.clone(), values, rates };
        }
        self.equations(system, t, y, d);
        let before = self.q.clone();
        let mut displaced = std::mem::take(&mut self.displaced);
        displaced.copy_from_slice(y);
        displaced.iter_mut().zip(&rates).take(self.first).for_each(|(y, rate)| *y += away * rate);
        self.equations(system, t + away, &displaced, d);
        let mut by_time: Vec<f64> = self.q.iter().zip(&before).map(|(after, before)| (after - before) / away).collect();
        self.lu.solve(&mut by_time);
        for ((y, rate), change) in displaced.iter_mut().zip(&mut rates).skip(self.first).zip(&by_time) {
            *rate = -change;
            *y += away * *rate;
        }
        let there = self.numbers(system, t + away, &displaced, d);
        self.displaced = displaced;
        let slopes = there.iter().zip(&values).map(|(there, here)| (there - here) / away).collect();
        TestValues { values, slopes, rates }
    }

    fn derivatives(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        system.jacobian(t, y, d, &mut self.of_f);
        if !self.of_invariants.is_empty() {
            system.invariants_jacobian(t, y, d, &mut self.of_invariants);
        }
        for (value, &(row, place)) in self.values.iter_mut().zip(&self.places) {
            *value = match row {
                Row::Algebraic(_) => self.of_f[place],
                Row::Invariant(_) => self.of_invariants[place],
            };
        }
    }

    fn equations(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        system.derivative(t, y, d, &mut self.f);
        if !self.invariants.is_empty() {
            system.invariants(t, y, d, &mut self.invariants);
        }
        for (q, row) in self.q.iter_mut().zip(&self.rows) {
            *q = match *row {
                Row::Algebraic(row) => self.f[row],
                Row::Invariant(row) => self.invariants[row],
            };
        }
    }

    /// How far each algebraic state may be off because all states have errors: |B⁻¹| |∂q/∂y| errors. Infinite where B has no
    /// inverse.
    pub fn unsure(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64], errors: &[f64]) -> Vec<f64> {
        self.derivatives(system, t, y, d);
        let count = self.q.len();
        if self.lu.factor(&self.values).is_err() {
            return vec![f64::INFINITY; count];
        }
        let of = |pattern: Option<Arc<Pattern>>, row: usize, values: &[f64]| -> f64 {
            let Some(pattern) = pattern else { return 0.0 };
            let places = pattern.starts[row]..pattern.starts[row + 1];
            places.map(|k| values[k].abs() * errors[pattern.columns[k] as usize]).sum()
        };
        let mut off = vec![0.0; count];
        for (i, row) in self.rows.iter().enumerate() {
            let mut column = vec![0.0; count];
            column[i] = match *row {
                Row::Algebraic(row) => of(system.jacobian_pattern(), row, &self.of_f),
                Row::Invariant(row) => of(system.invariants_pattern(), row, &self.of_invariants),
            };
            self.lu.solve(&mut column);
            off.iter_mut().zip(&column).for_each(|(off, x)| *off += x.abs());
        }
        off
    }

    /// Which algebraic state is on a fold of the equations but for rounding, if there is one: moved by some of that along v, which is
    /// where B takes the least, it is on its other side.
    pub fn on_fold(
        &mut self,
        system: &mut dyn System,
        (t, y): (f64, &[f64]),
        d: &[f64],
        unsure: &[f64],
    ) -> Option<usize> {
        let here = self.numbers(system, t, y, d);
        let i = (0..here.len()).min_by(|&i, &j| here[i].abs().total_cmp(&here[j].abs()))?;
        if here[i] == 0.0 {
            return Some(i);
        }
        let mut moved = std::mem::take(&mut self.displaced);
        let beyond = [-1.0, 1.0].into_iter().any(|side| {
            moved.copy_from_slice(y);
            let z = moved.iter_mut().skip(self.first);
            z.zip(&here).for_each(|(z, number)| *z += side * ROUNDINGS * unsure[i] * here[i] / number);
            self.numbers(system, t, &moved, d)[i] * here[i] <= 0.0
        });
        self.displaced = moved;
        beyond.then_some(i)
    }

    /// 1/vᵢ at a point: all zero where B has no inverse at all.
    pub fn numbers(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> Vec<f64> {
        let mut numbers = Vec::new();
        self.append_numbers(system, t, y, d, &mut numbers);
        numbers
    }

    /// The same behind other numbers.
    pub fn append_numbers(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64], numbers: &mut Vec<f64>) {
        if self.b.is_empty() {
            self.weigh(system, t, y, d);
        }
        self.derivatives(system, t, y, d);
        let start = numbers.len();
        if self.lu.factor(&self.values).is_err() {
            numbers.resize(start + self.q.len(), 0.0);
            return;
        }
        numbers.extend_from_slice(&self.b);
        let v = &mut numbers[start..];
        self.lu.solve(v);
        v.iter_mut().for_each(|v| *v = v.recip());
    }
}

/// An equation for each of the first `count` columns. Further columns, which all have, are for the equations that are left over.
fn rows_of(candidates: &[(Row, Vec<(usize, usize)>)], count: usize) -> Option<Vec<usize>> {
    let rows = candidates.len();
    let elements = candidates.iter().enumerate().flat_map(|(i, (_, of))| {
        let columns = of.iter().map(|&(_, column)| column).chain(count..rows);
        columns.map(move |column| (i as u32, column as u32))
    });
    let row_of = transversal(&Pattern::from_elements(rows, elements)).ok()?;
    Some(row_of[..count].iter().map(|&row| row as usize).collect())
}
