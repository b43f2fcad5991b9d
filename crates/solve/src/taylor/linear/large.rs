//! Steps of large linear systems.
//!
//! ```text
//!   y₁ = y + h u₁,    u_k = f + h/(k+1) A u_{k+1},    u_m = f = A y + b
//! ```
//!
//! Systems of one pattern have loops that compute several levels while a piece of the state is in the fast memory.

use super::form::LinearForm;
use super::kernels::{self, Accumulate, Level};
use super::lanes::{HiddenLevels, LaneOperator};
use super::operator::{Operator, Rows, find_patterns};
use super::scaling::MAX_TERMS;
use ordinate_numbers::Instructions;

#[derive(Clone, Debug)]
enum Kind {
    Rows(Operator),
    Lanes(LaneOperator),
}

/// A place without a state, which fills up a vector.
pub(crate) const NO_STATE: u32 = u32::MAX;

/// A large linear system and the memory its steps need.
#[derive(Clone, Debug)]
pub(crate) struct Large {
    kind: Kind,
    pub instructions: Instructions,
    /// The state at each place, if not in the order given.
    order: Option<Vec<u32>>,
    /// Rows are states.
    straight: bool,
    /// Places without a state.
    empty: Vec<u32>,
    /// b by places.
    constant: Vec<f64>,
    zeros: Vec<f64>,
    /// H by rows: (column, value).
    hidden_rows: Vec<Vec<(usize, f64)>>,
    /// u of the hidden states, level by level.
    hidden_levels: Vec<f64>,
    buffers: [Vec<f64>; 2],
}

/// The vectors of one step, all by places.
pub(crate) struct Vectors<'a> {
    pub y: &'a [f64],
    pub f: &'a [f64],
    pub lost: &'a [f64],
    /// States smaller than this become zero.
    pub limit: &'a [f64],
    pub end: &'a mut [f64],
    pub lost_next: &'a mut [f64],
}

impl Large {
    pub fn new(form: &LinearForm, instructions: Instructions) -> Large {
        let (n, hidden) = (form.states(), form.inputs.len());
        let rows = Rows::new(form);
        let patterns = find_patterns(&rows.states);
        let longest = patterns.iter().max_by_key(|pattern| pattern.rows.len());
        let lanes = longest.and_then(|pattern| LaneOperator::new(&rows, pattern, rows.band, instructions));
        let straight = rows.order.is_none();
        let (kind, order) = match lanes {
            None => (Kind::Rows(Operator::new(&rows, patterns, instructions)), rows.order),
            Some(lanes) => {
                let state = |row: usize| match &rows.order {
                    _ if row >= n => NO_STATE,
                    None => row as u32,
                    Some(order) => order[row],
                };
                let order = (0..lanes.len()).map(|place| state(lanes.row(place))).collect();
                (Kind::Lanes(lanes), Some(order))
            }
        };
        let places = order.as_ref().map_or(n, Vec::len);
        let is_empty = |&place: &u32| order.as_ref().is_some_and(|order| order[place as usize] == NO_STATE);
        let mut large = Large {
            empty: (0..places as u32).filter(is_empty).collect(),
            kind,
            instructions,
            straight,
            order,
            constant: vec![0.0; places],
            zeros: vec![0.0; places],
            hidden_rows: (n..n + hidden).map(|i| form.matrix.row(i).map(|(j, a)| (j - n, a)).collect()).collect(),
            hidden_levels: vec![0.0; hidden * (MAX_TERMS + 1)],
            buffers: Default::default(),
        };
        if matches!(large.kind, Kind::Rows(_)) {
            large.buffers = [vec![0.0; places], vec![0.0; places]];
        }
        large.set_constant(form);
        large
    }

    /// Takes another b.
    pub fn set_constant(&mut self, form: &LinearForm) {
        match &self.order {
            None => self.constant.copy_from_slice(&form.constant),
            Some(order) => {
                for (c, &state) in self.constant.iter_mut().zip(order).filter(|(_, state)| **state != NO_STATE) {
                    *c = form.constant[state as usize];
                }
            }
        }
    }

    /// The state at each place, if not in the order given.
    pub fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// A vector by states.
    pub fn to_states(&self, places: &[f64], y: &mut [f64]) {
        match (&self.kind, &self.order) {
            (_, None) => y.copy_from_slice(places),
            (Kind::Lanes(lanes), Some(_)) if self.straight => lanes.to_rows(places, y),
            (_, Some(order)) => {
                for (place, &i) in places.iter().zip(order).filter(|(_, i)| **i != NO_STATE) {
                    y[i as usize] = *place;
                }
            }
        }
    }

    fn apply(&mut self, current: &[f64], constant: bool, factor: f64, hidden: &[f64], next: &mut [f64]) {
        let base = if constant { &self.constant } else { &self.zeros };
        match &mut self.kind {
            Kind::Rows(operator) => operator.apply(&mut Level { next, current, base }, factor, hidden),
            Kind::Lanes(lanes) => {
                lanes.apply(current, base, factor, hidden, next);
                self.empty.iter().for_each(|&place| next[place as usize] = 0.0);
            }
        }
    }

    /// next = factor · (matrix · current), hidden states too: from one term of the series to the next.
    pub fn next_term(
        &mut self,
        current: &[f64],
        hidden: &[f64],
        next: &mut [f64],
        hidden_next: &mut [f64],
        factor: f64,
    ) {
        self.apply(current, false, factor, hidden, next);
        for (next, row) in hidden_next.iter_mut().zip(&self.hidden_rows) {
            *next = factor * row.iter().map(|&(j, a)| a * hidden[j]).sum::<f64>();
        }
    }

    /// f = A y + b + C g, and f of the hidden states.
    pub fn derivative(&mut self, y: &[f64], hidden: &[f64], f: &mut [f64], hidden_f: &mut [f64]) {
        self.apply(y, true, 1.0, hidden, f);
        for (f, row) in hidden_f.iter_mut().zip(&self.hidden_rows) {
            *f = row.iter().map(|&(j, a)| a * hidden[j]).sum();
        }
    }

    /// One step of m terms.
    pub fn step(&mut self, vectors: Vectors, hidden_f: &[f64], h: f64, m: usize) {
        self.hidden_levels(hidden_f, h, m);
        let hidden = self.hidden_rows.len();
        let Vectors { y, f, lost, limit, end, lost_next } = vectors;
        let u = match &mut self.kind {
            Kind::Lanes(lanes) => lanes.horner(f, &HiddenLevels { values: &self.hidden_levels, count: hidden }, h, m),
            Kind::Rows(operator) => {
                for s in 1..m {
                    let (even, odd) = self.buffers.split_at_mut(1);
                    let (next, current) = if s % 2 == 0 { (&mut even[0], &odd[0]) } else { (&mut odd[0], &even[0]) };
                    let current = if s == 1 { f } else { &current[..] };
                    let values = &self.hidden_levels[(s - 1) * hidden..s * hidden];
                    operator.apply(&mut Level { next, current, base: f }, h / (m - s + 1) as f64, values);
                }
                if m == 1 { f } else { &self.buffers[(m - 1) % 2] }
            }
        };
        kernels::accumulate(self.instructions, Accumulate { limit, y, u, lost, end, lost_next }, h);
    }

    /// u of the hidden states on all levels: they depend on no state.
    fn hidden_levels(&mut self, f: &[f64], h: f64, m: usize) {
        let hidden = self.hidden_rows.len();
        self.hidden_levels[..hidden].copy_from_slice(f);
        for s in 1..m {
            let (known, next) = self.hidden_levels.split_at_mut(s * hidden);
            let current = &known[(s - 1) * hidden..];
            let factor = h / (m - s + 1) as f64;
            for ((next, f), row) in next.iter_mut().zip(f).zip(&self.hidden_rows) {
                *next = f + factor * row.iter().map(|&(j, a)| a * current[j]).sum::<f64>();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::{Input, SparseRows};
    use super::*;

    /// A chain of masses with a source at its start, and a row of its own in the middle.
    fn chain(masses: usize) -> LinearForm {
        let (n, mut matrix) = (2 * masses, SparseRows::new());
        for k in 0..masses {
            let (x, v) = (2 * k as u32, 2 * k as u32 + 1);
            matrix.push([(v, 1.0)]);
            let mut row = Vec::new();
            if k > 0 {
                row.push((x - 2, 1.0));
            }
            row.push((x, if k == masses / 2 { -3.5 } else { -2.0 }));
            if k + 1 < masses {
                row.push((x + 2, 1.0));
            }
            if k == 0 {
                row.push((n as u32, 0.25));
            }
            matrix.push(row);
        }
        matrix.push([(n as u32 + 1, 0.7)]);
        matrix.push([(n as u32, -0.7)]);
        let wave = |sine| Input { power: 0, rate: 0.0, frequency: 0.7, sine };
        LinearForm { matrix, constant: vec![0.125; n], inputs: vec![wave(true), wave(false)], origin: 0.0 }
    }

    /// A line of band one, with a row of its own in the middle.
    fn line(n: usize) -> LinearForm {
        let mut form = chain(n / 2);
        let mut matrix = SparseRows::new();
        for i in 0..n as u32 {
            let scale = if i % 2 == 0 { 0.5 } else { 2.0 };
            let mut row = Vec::new();
            if i > 0 {
                row.push((i - 1, scale));
            }
            if i == 0 || i + 1 == n as u32 || i == n as u32 / 2 {
                row.push((i, -0.75));
            }
            if i + 1 < n as u32 {
                row.push((i + 1, -scale));
            }
            if i == 0 || i == 777 {
                row.push((n as u32, 0.25));
            }
            matrix.push(row);
        }
        matrix.push([(n as u32 + 1, 0.7)]);
        matrix.push([(n as u32, -0.7)]);
        form.matrix = matrix;
        form
    }

    fn state(n: usize) -> Vec<f64> {
        (0..n).map(|k| ((k * 7919 % 1000) as f64 - 500.0) / 500.0).collect()
    }

    /// f and the end of a step of 40 terms, by states.
    fn step(form: &LinearForm, instructions: Instructions, as_rows: bool) -> (Vec<f64>, Vec<f64>) {
        let n = form.states();
        let mut large = Large::new(form, instructions);
        if as_rows {
            let rows = Rows::new(form);
            let operator = Operator::new(&rows, find_patterns(&rows.states), instructions);
            large.kind = Kind::Rows(operator);
            large.order = None;
            large.empty.clear();
            large.constant = form.constant.clone();
            large.zeros = vec![0.0; n];
            large.buffers = [vec![0.0; n], vec![0.0; n]];
        }
        let places = large.order.as_ref().map_or(n, Vec::len);
        let mut y = vec![0.0; places];
        let given = state(n);
        match &large.order {
            None => y.copy_from_slice(&given),
            Some(order) => {
                for (y, &i) in y.iter_mut().zip(order).filter(|(_, i)| **i != NO_STATE) {
                    *y = given[i as usize];
                }
            }
        }
        let (hidden, mut hidden_f) = ([0.3, 0.9], [0.0; 2]);
        let (mut f, mut end, mut lost_next) = (vec![0.0; places], vec![0.0; places], vec![0.0; places]);
        large.derivative(&y, &hidden, &mut f, &mut hidden_f);
        let (lost, mut limit) = (vec![0.0; places], vec![1e-40; places]);
        large.empty.iter().for_each(|&place| limit[place as usize] = f64::INFINITY);
        let vectors = Vectors { y: &y, f: &f, lost: &lost, limit: &limit, end: &mut end, lost_next: &mut lost_next };
        large.step(vectors, &hidden_f, 1.5, 40);
        let (mut f_states, mut end_states) = (vec![0.0; n], vec![0.0; n]);
        large.to_states(&f, &mut f_states);
        large.to_states(&end, &mut end_states);
        (f_states, end_states)
    }

    /// In one tile and in several, with and without places left over.
    #[test]
    fn lanes_and_rows_make_the_same_steps() {
        for (masses, form) in [1200, 1203, 4000, 9997].into_iter().flat_map(|m| [(m, chain(m)), (m, line(2 * m))]) {
            assert!(matches!(Large::new(&form, Instructions::best()).kind, Kind::Lanes(_)), "{masses}");
            let (f, end) = step(&form, Instructions::best(), false);
            let (f_rows, end_rows) = step(&form, Instructions::best(), true);
            for k in 0..2 * masses {
                assert!((f[k] - f_rows[k]).abs() <= 1e-14, "{masses}: f[{k}] {} {}", f[k], f_rows[k]);
                assert!((end[k] - end_rows[k]).abs() <= 1e-13, "{masses}: y[{k}] {} {}", end[k], end_rows[k]);
            }
        }
    }

    #[test]
    fn all_instructions_with_fused_multiplication_give_the_same_bits() {
        let all: Vec<_> = Instructions::all().collect();
        for (as_rows, form) in [(false, chain(1600)), (true, chain(1600)), (false, line(3200)), (true, line(3200))] {
            let results: Vec<_> = all.iter().map(|&kind| step(&form, kind, as_rows)).collect();
            let fused = all.iter().zip(&results).filter(|(kind, _)| **kind != Instructions::Portable);
            assert!(fused.into_iter().all(|(_, result)| *result == results[0]), "{all:?}");
            // without it, but for rounding
            let portable = results.last().expect("at least one");
            assert!(portable.1.iter().zip(&results[0].1).all(|(a, b)| (a - b).abs() <= 1e-13));
        }
    }
}
