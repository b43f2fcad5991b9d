//! Fixed step, fixed order, precalculated matrices, for repeated runs: P. Veigend, thesis (Brno 2023), 3.3.1.
//!
//! ```text
//!   y(t+h) = y + E y + Ψ b + G g(t)      E, Ψ, G: the Taylor polynomial of the given order
//! ```
//!
//! Columns are made, and rows multiplied, by all threads of the current pool; every element is one sum in one order, so
//! the bits do not depend on their number.

use rayon::prelude::*;

use super::form::LinearForm;
use super::scaling::{MAX_TERMS, Scaling, Tails};

/// Rows multiplied by one thread at a time.
const ROWS_AT_A_TIME: usize = 64;

/// The step of a linear system as matrices.
#[derive(Clone, Debug, PartialEq)]
pub struct Propagator {
    form: LinearForm,
    h: f64,
    order: usize,
    tail: f64,
    /// By rows of `width`: E, then G.
    matrix: Vec<f64>,
    width: usize,
    /// Ψ b
    constant: Vec<f64>,
}

/// Why there is no propagator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropagatorError {
    /// The step is not positive and finite.
    BadStep {
        /// Its length.
        h: f64,
    },
    /// The order is 0, or above the highest.
    BadOrder {
        /// The order asked for.
        order: usize,
        /// The highest one.
        highest: usize,
    },
    /// The step is so long that no order suffices for all digits: it must be shorter than this.
    StepTooLong {
        /// The longest step.
        longest: f64,
    },
    /// An element is not finite.
    NotFinite {
        /// Its column.
        column: usize,
    },
}

impl Propagator {
    /// The matrices of a step of length h by the Taylor polynomial of a given order.
    pub fn new(form: &LinearForm, h: f64, order: usize) -> Result<Propagator, PropagatorError> {
        if !(h > 0.0 && h.is_finite()) {
            return Err(PropagatorError::BadStep { h });
        }
        if order == 0 || order > MAX_TERMS {
            return Err(PropagatorError::BadOrder { order, highest: MAX_TERMS });
        }
        let (n, width) = (form.states(), form.matrix.len());
        let unit = |j: usize| (0..width).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> =
            (0..width).into_par_iter().map(|j| series(form, product(form, &unit(j)), h, order)).collect();
        let mut b = form.constant.clone();
        b.resize(width, 0.0);
        let mut constant = series(form, b, h, order);
        constant.truncate(n);
        let bad = |column: &Vec<f64>| column.iter().any(|e| !e.is_finite());
        if let Some(column) = columns.iter().chain([&constant]).position(bad) {
            return Err(PropagatorError::NotFinite { column });
        }
        let mut matrix = vec![0.0; n * width];
        for (j, column) in columns.iter().enumerate() {
            (0..n).for_each(|i| matrix[i * width + j] = column[i]);
        }
        let tail = Tails::new(h * Scaling::new(form).norm).tail(order);
        Ok(Propagator { form: form.clone(), h, order, tail, matrix, width, constant })
    }

    /// The matrices of a step of length h, of an order that leaves nothing but rounding.
    pub fn accurate(form: &LinearForm, h: f64) -> Result<Propagator, PropagatorError> {
        let norm = Scaling::new(form).norm;
        // Beyond 10 the terms cancel so much that an order would not help.
        if h * norm > LONGEST {
            return Err(PropagatorError::StepTooLong { longest: LONGEST / norm });
        }
        let order = Tails::new(h * norm).order(0.25 * f64::EPSILON).expect("short steps have few terms");
        Propagator::new(form, h, order)
    }

    /// The length of its steps.
    pub fn step_length(&self) -> f64 {
        self.h
    }

    /// The order of its polynomial.
    pub fn order(&self) -> usize {
        self.order
    }

    /// A bound of the error of one step, relative to h·f, both in the norm that weighs the states alike.
    pub fn bound(&self) -> f64 {
        self.tail
    }

    /// One step from y at time t.
    pub fn step(&self, t: f64, y: &[f64], end: &mut [f64]) {
        let n = self.form.states();
        let mut all = vec![0.0; self.width];
        all[..n].copy_from_slice(y);
        self.form.hidden(t, &mut all[n..]);
        let rows = |(chunk, end): (usize, &mut [f64])| {
            for (k, end) in end.iter_mut().enumerate() {
                let i = chunk * ROWS_AT_A_TIME + k;
                let row = &self.matrix[i * self.width..(i + 1) * self.width];
                *end = y[i] + (dot(row, &all) + self.constant[i]);
            }
        };
        if n <= ROWS_AT_A_TIME {
            rows((0, end));
        } else {
            end.par_chunks_mut(ROWS_AT_A_TIME).enumerate().for_each(rows);
        }
    }

    /// Many steps from y at time t; `each` sees every end.
    pub fn run(&self, t: f64, y: &mut [f64], steps: usize, mut each: impl FnMut(f64, &[f64])) {
        let mut end = vec![0.0; y.len()];
        for k in 0..steps {
            self.step(t + k as f64 * self.h, y, &mut end);
            y.copy_from_slice(&end);
            each(t + (k + 1) as f64 * self.h, y);
        }
    }
}

/// h·N of the longest step.
const LONGEST: f64 = 10.0;

/// Four sums side by side, in a fixed order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (quads_a, rest_a) = a.as_chunks::<4>();
    let (quads_b, rest_b) = b.as_chunks::<4>();
    for (a, b) in quads_a.iter().zip(quads_b) {
        for l in 0..4 {
            sums[l] += a[l] * b[l];
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn product(form: &LinearForm, v: &[f64]) -> Vec<f64> {
    (0..form.matrix.len()).map(|i| form.matrix.row(i).map(|(j, a)| a * v[j]).sum()).collect()
}

/// Σ hᵏ/k! Aᵏ⁻¹ f, k = 1 … order, smallest terms first.
fn series(form: &LinearForm, f: Vec<f64>, h: f64, order: usize) -> Vec<f64> {
    let mut u = f.clone();
    for k in (2..=order).rev() {
        let step = h / k as f64;
        u = product(form, &u).iter().zip(&f).map(|(a, f)| f + step * a).collect();
    }
    u.iter().map(|u| h * u).collect()
}
