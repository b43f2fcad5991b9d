//! Steps of large linear systems.
//!
//! ```text
//!   y₁ = y + h u₁,    u_k = f + h/(k+1) A u_{k+1},    u_m = f = A y + b
//! ```
//!
//! Systems of one pattern have loops that compute several levels while a piece of the state is in the fast memory.

use super::form::LinearForm;
use super::kernels::{self, Accumulate, Instructions, Level};
use super::lanes::{HiddenLevels, LaneOperator};
use super::operator::{Operator, Rows, find_patterns};
use super::scaling::MAX_TERMS;

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

    /// Whether the loops for systems of one pattern are used.
    #[cfg(test)]
    pub fn has_lanes(&self) -> bool {
        matches!(self.kind, Kind::Lanes(_))
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
    pub fn next_term(&mut self, current: &[f64], hidden: &[f64], next: &mut [f64], hidden_next: &mut [f64], factor: f64) {
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

    /// One step of m terms; zero, unless a state is not finite at its end.
    pub fn step(&mut self, vectors: Vectors, hidden_f: &[f64], h: f64, m: usize) -> f64 {
        self.hidden_levels(hidden_f, h, m);
        let hidden = self.hidden_rows.len();
        let Vectors { y, f, lost, limit, end, lost_next } = vectors;
        let u = match &mut self.kind {
            Kind::Lanes(lanes) => {
                lanes.horner(f, &HiddenLevels { values: &self.hidden_levels, count: hidden }, h, m)
            }
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
        kernels::accumulate(self.instructions, Accumulate { limit, y, u, lost, end, lost_next }, h)
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
