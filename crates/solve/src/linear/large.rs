//! Steps of large linear systems, several terms of the series while a piece of the state is in the fast memory.
//!
//! ```text
//!   y₁ = y + h u₁,    u_k = f + h/(k+1) A u_{k+1},    u_m = f = A y + b
//! ```
//!
//! Row i of u_k needs the rows i ± band of u_{k+1}. So a tile of rows goes through all levels, each a band further to the
//! left than the one before; what the next tile needs of each level are its last 2·band rows.
//!
//! ```text
//!   level 3   ────────┤lo₃      hi₃├──
//!   level 2   ─────────┤lo₂      hi₂├─          tile: rows lo … hi of every level
//!   level 1   ──────────┤lo₁      hi₁├
//! ```

use super::form::LinearForm;
use super::kernels::{self, Accumulate, Instructions, Level};
use super::operator::Operator;
use super::scaling::MAX_TERMS;

/// Rows of a tile: three vectors of this length fit into the fastest memory of any processor of today.
const TILE: usize = 1024;

/// A large linear system and the memory its steps need.
#[derive(Clone, Debug)]
pub(crate) struct Large {
    pub operator: Operator,
    pub instructions: Instructions,
    n: usize,
    /// b in the order of the operator.
    pub constant: Vec<f64>,
    /// H by rows: (column, value).
    hidden_rows: Vec<Vec<(usize, f64)>>,
    /// u of the hidden states, level by level.
    hidden_levels: Vec<f64>,
    buffers: [Vec<f64>; 2],
    /// The last rows of each level of the tile before.
    edges: Vec<f64>,
}

/// The vectors of one step, all in the order of the operator.
pub(crate) struct Vectors<'a> {
    pub y: &'a [f64],
    pub f: &'a [f64],
    pub lost: &'a [f64],
    pub end: &'a mut [f64],
    pub lost_next: &'a mut [f64],
}

impl Large {
    pub fn new(form: &LinearForm, instructions: Instructions) -> Large {
        let operator = Operator::new(form, instructions);
        let (n, hidden) = (form.states(), form.inputs.len());
        let hidden_rows = (n..n + hidden).map(|i| form.matrix.row(i).map(|(j, a)| (j - n, a)).collect()).collect();
        let mut large = Large {
            instructions,
            n,
            constant: Vec::new(),
            hidden_rows,
            hidden_levels: vec![0.0; hidden * (MAX_TERMS + 1)],
            buffers: Default::default(),
            edges: vec![0.0; 2 * operator.band() * (MAX_TERMS + 1)],
            operator,
        };
        large.set_constant(form);
        large
    }

    /// Takes another b.
    pub fn set_constant(&mut self, form: &LinearForm) {
        self.constant = form.constant.clone();
        if let Some(order) = self.operator.order() {
            for (c, &state) in self.constant.iter_mut().zip(order) {
                *c = form.constant[state as usize];
            }
        }
    }

    /// next = factor · (matrix · current), hidden states too: from one term of the series to the next.
    pub fn next_term(&self, current: &[f64], hidden: &[f64], next: &mut [f64], hidden_next: &mut [f64], factor: f64, zeros: &[f64]) {
        let mut level = Level { next, next_first: 0, current, current_first: 0, base: zeros };
        self.operator.apply(0..self.n, &mut level, factor, hidden);
        for (next, row) in hidden_next.iter_mut().zip(&self.hidden_rows) {
            *next = factor * row.iter().map(|&(j, a)| a * hidden[j]).sum::<f64>();
        }
    }

    /// f = A y + b + C g
    pub fn derivative(&self, y: &[f64], hidden: &[f64], f: &mut [f64]) {
        let mut level = Level { next: f, next_first: 0, current: y, current_first: 0, base: &self.constant };
        self.operator.apply(0..self.n, &mut level, 1.0, hidden);
    }

    /// f of the hidden states.
    pub fn hidden_derivative(&self, hidden: &[f64], f: &mut [f64]) {
        for (f, row) in f.iter_mut().zip(&self.hidden_rows) {
            *f = row.iter().map(|&(j, a)| a * hidden[j]).sum();
        }
    }

    /// One step of m terms; zero, unless a state is not finite at its end.
    pub fn step(&mut self, vectors: Vectors, hidden_f: &[f64], h: f64, m: usize) -> f64 {
        self.hidden_levels(hidden_f, h, m);
        let (n, band, levels) = (self.n, self.operator.band(), m - 1);
        let edge = 2 * band;
        // the rows of a buffer begin where a vector does
        let margin = edge.next_multiple_of(kernels::LANES);
        let tiled = n > 3 * TILE / 2 && band * (levels + 2) <= TILE / 2;
        let tile = if tiled { TILE } else { n };
        let room = margin + (3 * tile / 2 + band * levels).min(n);
        for buffer in &mut self.buffers {
            if buffer.len() < room {
                buffer.resize(room, 0.0);
            }
        }
        let hidden = self.hidden_rows.len();
        let Vectors { y, f, lost, end, lost_next } = vectors;
        let mut finite = 0.0;
        let mut right = 0;
        while right < n {
            let before = right;
            right += tile;
            if right + tile / 2 >= n {
                right = n;
            }
            let low = |s: usize| if before == 0 { 0 } else { before - band * s };
            let high = |s: usize| if right == n { n } else { right - band * s };
            for s in 1..=levels {
                let rows = low(s)..high(s);
                let (even, odd) = self.buffers.split_at_mut(1);
                let (next, current) = if s % 2 == 0 { (&mut even[0], &odd[0]) } else { (&mut odd[0], &even[0]) };
                let saved = &mut self.edges[s * edge..(s + 1) * edge];
                if before > 0 {
                    next[margin - edge..margin].copy_from_slice(saved);
                }
                let (current, current_first) = if s == 1 {
                    (f, 0)
                } else {
                    (&current[..], low(s - 1) as isize - margin as isize)
                };
                let mut level = Level { next: &mut next[margin..], next_first: rows.start, current, current_first, base: f };
                let factor = h / (m - s + 1) as f64;
                let values = &self.hidden_levels[(s - 1) * hidden..s * hidden];
                self.operator.apply(rows.clone(), &mut level, factor, values);
                if right < n {
                    let last = margin + rows.len();
                    saved.copy_from_slice(&next[last - edge..last]);
                }
            }
            let rows = low(levels)..high(levels);
            let u = if levels == 0 { &f[rows.clone()] } else { &self.buffers[levels % 2][margin..margin + rows.len()] };
            let accumulate = Accumulate {
                y: &y[rows.clone()],
                u,
                lost: &lost[rows.clone()],
                end: &mut end[rows.clone()],
                lost_next: &mut lost_next[rows],
            };
            finite += kernels::accumulate(self.instructions, accumulate, h);
        }
        finite
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
