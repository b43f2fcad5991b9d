//! The factors of a sparse matrix by columns, and how a column is computed: from the matrix and the columns before it,
//!
//! ```text
//!   x = a_k;   for each j < k with x_j ≠ 0, in an order that respects L:   x −= l_j x_j
//! ```
//!
//! The first time the j are found by a search along the columns of L; later they are known.

use crate::scalar::Scalar;
use crate::scaling::{ROUNDING, SUSPICIOUS, or_nothing};
use crate::sparse::Given;

/// The diagonal is the pivot if it is at least this part of the largest candidate: the order of the unknowns was chosen
/// for it.
const PREFER_DIAGONAL: f64 = 0.1;

/// Old pivots are good enough as long as they are at least this part of the largest candidate.
const KEEP_PIVOT: f64 = 0.01;

const NONE: u32 = u32::MAX;

/// Why a search for pivots ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// There is none for the column at this place.
    Singular(usize),
    /// There are more elements than one wants.
    Fill,
}

/// Lists of (step, value), one per column.
#[derive(Clone, Debug)]
struct Lists<T> {
    starts: Vec<usize>,
    steps: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Lists<T> {
    fn new(n: usize, room: usize) -> Lists<T> {
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        Lists { starts, steps: Vec::with_capacity(room), values: Vec::with_capacity(room) }
    }

    fn clear(&mut self) {
        self.starts.truncate(1);
        self.steps.clear();
        self.values.clear();
    }

    fn make_room(&mut self, room: usize) {
        self.steps.reserve(room.saturating_sub(self.steps.len()));
        self.values.reserve(room.saturating_sub(self.values.len()));
    }

    fn push(&mut self, step: u32, value: T) {
        self.steps.push(step);
        self.values.push(value);
    }

    fn end_column(&mut self) {
        self.starts.push(self.steps.len());
    }

    fn column(&self, k: usize) -> (&[u32], &[T]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.steps[range.clone()], &self.values[range])
    }
}

/// L and U of the diagonal blocks, and what stands beside the blocks.
#[derive(Clone, Debug)]
pub(crate) struct Columns<T> {
    n: usize,
    /// Below the diagonal; while pivots are searched for, with places of rows instead of steps.
    lower: Lists<T>,
    /// Above the diagonal, in an order in which they can be computed.
    upper: Lists<T>,
    /// Elements of later blocks.
    beside: Lists<T>,
    inverse: Vec<T>,
    /// The place of the row that is the pivot row of a step.
    pub pivot_rows: Vec<u32>,
    /// The step of a place.
    step_of: Vec<u32>,
}

/// Vectors for the computation of a column.
#[derive(Clone, Debug)]
pub(crate) struct Worker<T> {
    /// Zero between columns.
    x: Vec<T>,
    visited: Vec<u32>,
    /// Columns of L on the way, and how far each was looked through.
    path: Vec<(u32, usize)>,
    /// Rows of the column in reverse topological order; those without a step are candidates.
    found: Vec<u32>,
}

impl<T: Scalar> Worker<T> {
    pub fn new(n: usize) -> Worker<T> {
        Worker {
            x: vec![T::default(); n],
            visited: vec![NONE; n],
            path: Vec::with_capacity(n),
            found: Vec::with_capacity(n),
        }
    }
}

impl<T: Scalar> Columns<T> {
    pub fn new(n: usize, room: usize) -> Columns<T> {
        Columns {
            n,
            lower: Lists::new(n, room / 2),
            upper: Lists::new(n, room / 2),
            beside: Lists::new(n, 0),
            inverse: vec![T::default(); n],
            pivot_rows: vec![0; n],
            step_of: vec![NONE; n],
        }
    }

    /// Takes memory for so many elements above the diagonal, as many below it, and so many of later blocks.
    pub fn make_room(&mut self, elements: usize, beside: usize) {
        self.lower.make_room(elements);
        self.upper.make_room(elements);
        self.beside.make_room(beside);
    }

    /// Elements of all lists, and the diagonal.
    pub fn len(&self) -> usize {
        self.lower.steps.len() + self.upper.steps.len() + self.beside.steps.len() + self.n
    }

    /// Factors with a search for pivots. More elements than `limit` end it.
    pub fn pivot(
        &mut self,
        blocks: &[u32],
        matrix: &Given,
        values: &[T],
        worker: &mut Worker<T>,
        prefer_diagonal: bool,
        limit: usize,
    ) -> Result<(), Stop> {
        self.lower.clear();
        self.upper.clear();
        self.beside.clear();
        self.step_of.fill(NONE);
        worker.visited.fill(NONE);
        worker.x.fill(T::default());
        for pair in blocks.windows(2) {
            for k in pair[0] as usize..pair[1] as usize {
                self.pivot_column(k, pair[1], matrix, values, worker, prefer_diagonal).map_err(Stop::Singular)?;
                if self.len() > limit {
                    return Err(Stop::Fill);
                }
            }
        }
        for step in self.lower.steps.iter_mut().chain(&mut self.beside.steps) {
            *step = self.step_of[*step as usize];
        }
        Ok(())
    }

    fn pivot_column(
        &mut self,
        k: usize,
        end: u32,
        matrix: &Given,
        values: &[T],
        worker: &mut Worker<T>,
        prefer_diagonal: bool,
    ) -> Result<(), usize> {
        let range = matrix.starts[k]..matrix.starts[k + 1];
        worker.found.clear();
        for (&row, &value) in matrix.rows[range.clone()].iter().zip(&values[range]) {
            if row < end {
                self.reach(row, k as u32, worker);
                worker.x[row as usize] = value;
            } else {
                self.beside.push(row, value);
            }
        }
        self.beside.end_column();
        for &row in worker.found.iter().rev() {
            let step = self.step_of[row as usize];
            if step != NONE {
                let u = worker.x[row as usize];
                self.upper.push(step, u);
                let (rows, factors) = self.lower.column(step as usize);
                for (&i, &l) in rows.iter().zip(factors) {
                    worker.x[i as usize] -= l * u;
                }
            }
        }
        let (mut row, mut best) = (NONE, -1.0);
        for &i in worker.found.iter().rev().filter(|&&i| self.step_of[i as usize] == NONE) {
            let size = worker.x[i as usize].size();
            if size > best {
                (row, best) = (i, size);
            }
        }
        // The order of the unknowns was chosen for the diagonal of the plan, if that row is still to be had.
        let diagonal = k as u32;
        if prefer_diagonal
            && worker.visited[k] == diagonal
            && self.step_of[k] == NONE
            && worker.x[k].size() >= PREFER_DIAGONAL * best
            && worker.x[k].size() > 0.0
        {
            row = diagonal;
        }
        let pivot = if row == NONE { T::default() } else { worker.x[row as usize] };
        let doubtful = !(best >= SUSPICIOUS && pivot.is_finite());
        if doubtful && (best <= 0.0 || !pivot.is_finite() || self.is_rounding(k, worker)) {
            return Err(k);
        }
        let inverse = pivot.reciprocal();
        self.inverse[k] = inverse;
        self.pivot_rows[k] = row;
        for &i in worker.found.iter().rev() {
            let x = std::mem::take(&mut worker.x[i as usize]);
            if self.step_of[i as usize] == NONE && i != row {
                self.lower.push(i, x * inverse);
            }
        }
        self.step_of[row as usize] = k as u32;
        self.lower.end_column();
        self.upper.end_column();
        Ok(())
    }

    /// Adds a row, and all rows that its elimination fills, to what was found: a depth-first search along L.
    fn reach(&self, row: u32, k: u32, worker: &mut Worker<T>) {
        if worker.visited[row as usize] == k {
            return;
        }
        worker.visited[row as usize] = k;
        worker.path.push((row, 0));
        while let Some((row, next)) = worker.path.last_mut() {
            let step = self.step_of[*row as usize];
            let below = if step == NONE { &[] } else { self.lower.column(step as usize).0 };
            match below[*next..].iter().position(|&i| worker.visited[i as usize] != k) {
                Some(skipped) => {
                    let i = below[*next + skipped];
                    *next += skipped + 1;
                    worker.visited[i as usize] = k;
                    worker.path.push((i, 0));
                }
                None => {
                    worker.found.push(*row);
                    worker.path.pop();
                }
            }
        }
    }

    /// Whether all candidates are rounding, as in [`super::scaling::is_rounding`]. Column k of U is the newest one, without
    /// its end, and its elements come in an order in which errors are taken over.
    #[cold]
    fn is_rounding(&self, k: usize, worker: &Worker<T>) -> bool {
        let (mut own, mut carried) = (vec![0.0; self.n], vec![0.0; self.n]);
        let newest = self.upper.starts[k]..self.upper.steps.len();
        for (&step, u) in self.upper.steps[newest.clone()].iter().zip(&self.upper.values[newest]) {
            let row = self.pivot_rows[step as usize] as usize;
            let error = f64::EPSILON * own[row] + carried[row];
            let (rows, factors) = self.lower.column(step as usize);
            for (&i, l) in rows.iter().zip(factors) {
                own[i as usize] += l.size() * u.size();
                carried[i as usize] = f64::max(carried[i as usize], l.size() * error);
            }
        }
        let mut candidates = worker.found.iter().map(|&i| i as usize).filter(|&i| self.step_of[i] == NONE);
        candidates.all(|i| worker.x[i].size() <= ROUNDING * (f64::EPSILON * own[i] + carried[i]))
    }

    /// Factors with the pivots of the last time; false, with factors of no use, if one of them is not good any more.
    pub fn repeat(&mut self, matrix: &Given, values: &[T], worker: &mut Worker<T>) -> bool {
        let x = &mut worker.x[..];
        let mut beside = 0;
        for k in 0..self.n {
            let range = matrix.starts[k]..matrix.starts[k + 1];
            for (&row, &value) in matrix.rows[range.clone()].iter().zip(&values[range]) {
                let step = self.step_of[row as usize];
                // Elements beside the blocks come in the order in which they were stored.
                if beside < self.beside.starts[k + 1] && self.beside.steps[beside] == step {
                    self.beside.values[beside] = value;
                    beside += 1;
                } else {
                    x[step as usize] = value;
                }
            }
            for place in self.upper.starts[k]..self.upper.starts[k + 1] {
                let step = self.upper.steps[place] as usize;
                let u = std::mem::take(&mut x[step]);
                self.upper.values[place] = u;
                let (steps, factors) = self.lower.column(step);
                for (&i, &l) in steps.iter().zip(factors) {
                    x[i as usize] -= l * u;
                }
            }
            let pivot = std::mem::take(&mut x[k]);
            let inverse = pivot.reciprocal();
            self.inverse[k] = inverse;
            let mut largest: f64 = 0.0;
            for place in self.lower.starts[k]..self.lower.starts[k + 1] {
                let value = std::mem::take(&mut x[self.lower.steps[place] as usize]);
                largest = largest.max(value.size());
                self.lower.values[place] = value * inverse;
            }
            let size = pivot.size();
            if !(size >= SUSPICIOUS && size >= KEEP_PIVOT * largest && pivot.is_finite()) {
                return false;
            }
        }
        true
    }

    /// Solves the equations of a block and takes its unknowns out of the later ones.
    pub fn solve_block(&self, begin: usize, end: usize, b: &mut [T]) {
        if end - begin > 1 {
            for k in begin..end {
                let y = or_nothing(b[k]);
                b[k] = y;
                subtract(b, self.lower.column(k), y);
            }
        }
        for k in (begin..end).rev() {
            let x = or_nothing(b[k] * self.inverse[k]);
            b[k] = x;
            subtract(b, self.upper.column(k), x);
            subtract(b, self.beside.column(k), x);
        }
    }

    /// The same with the transposed matrix, whose blocks come in the opposite order.
    pub fn solve_block_transposed(&self, begin: usize, end: usize, b: &mut [T]) {
        for k in begin..end {
            let beside = product(b, self.beside.column(k));
            let upper = product(b, self.upper.column(k));
            b[k] = (b[k] - beside - upper) * self.inverse[k];
        }
        for k in (begin..end).rev() {
            let lower = product(b, self.lower.column(k));
            b[k] -= lower;
        }
    }
}

fn subtract<T: Scalar>(b: &mut [T], (steps, values): (&[u32], &[T]), factor: T) {
    for (&i, &value) in steps.iter().zip(values) {
        b[i as usize] -= value * factor;
    }
}

fn product<T: Scalar>(b: &[T], (steps, values): (&[u32], &[T])) -> T {
    steps.iter().zip(values).fold(T::default(), |sum, (&i, &value)| sum + value * b[i as usize])
}
