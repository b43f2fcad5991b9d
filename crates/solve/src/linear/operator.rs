//! The matrix of a large linear system as loops: runs of rows with the same diagonals, and single rows.

use std::ops::Range;

use super::form::LinearForm;
use super::kernels::{self, Instructions, LANES, Lanes, Level, MAX_DIAGONALS, Single};
use super::ordering;

/// Runs shorter than this are single rows.
const SHORTEST_RUN: usize = 4 * LANES;
/// Bands wider than this are worth another order of the states.
const WIDE: usize = 16;

/// Rows of one pattern, repeated with a period that divides the number of lanes.
#[derive(Clone, Debug, PartialEq)]
struct Stencil {
    rows: Range<usize>,
    /// Column − row, ascending, of every diagonal.
    offsets: Vec<isize>,
    /// Offsets from the smallest one.
    shifts: Vec<usize>,
    /// Coefficients of the diagonals; lane l belongs to the rows that begin + l, begin + l + 8, …
    coefficients: Vec<Lanes>,
}

/// The part of a matrix that acts between states, and what the hidden states do to them.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    instructions: Instructions,
    n: usize,
    /// The state at each place, if not in the order given.
    order: Option<Vec<u32>>,
    stencils: Vec<Stencil>,
    /// Rows without a pattern: row, range of elements.
    single: Vec<(u32, u32, u32)>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Row, hidden state, coefficient.
    inputs: Vec<(u32, u32, f64)>,
    band: usize,
}

impl Operator {
    pub fn new(form: &LinearForm, instructions: Instructions) -> Operator {
        let n = form.states();
        let mut band = ordering::bandwidth(form, |i| i);
        let mut order = None;
        if band > WIDE {
            let narrow = ordering::narrow(form);
            let place = places(&narrow);
            let width = ordering::bandwidth(form, |i| place[i] as usize);
            if 2 * width <= band {
                (order, band) = (Some(narrow), width);
            }
        }
        let rows = ordered_rows(form, order.as_deref());
        let mut operator = Operator {
            instructions,
            n,
            order,
            stencils: find_stencils(&rows, n),
            single: Vec::new(),
            columns: Vec::new(),
            values: Vec::new(),
            inputs: Vec::new(),
            band,
        };
        operator.collect_rest(form, &rows);
        operator
    }

    fn collect_rest(&mut self, form: &LinearForm, rows: &[Vec<(u32, f64)>]) {
        let mut next = 0;
        let ends: Vec<Range<usize>> = self.stencils.iter().map(|s| s.rows.clone()).chain([self.n..self.n]).collect();
        for covered in ends {
            for (i, row) in rows.iter().enumerate().take(covered.start).skip(next) {
                let from = self.columns.len() as u32;
                self.columns.extend(row.iter().map(|&(column, _)| column));
                self.values.extend(row.iter().map(|&(_, value)| value));
                self.single.push((i as u32, from, self.columns.len() as u32));
            }
            next = covered.end;
        }
        for place in 0..self.n {
            let inputs = form.matrix.row(self.state(place)).filter(|&(j, _)| j >= self.n);
            self.inputs.extend(inputs.map(|(j, a)| (place as u32, (j - self.n) as u32, a)));
        }
    }

    fn state(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order[place] as usize)
    }

    /// The state at each place, if not in the order given.
    pub fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// The largest distance of an element from the diagonal.
    pub fn band(&self) -> usize {
        self.band
    }

    /// How many rows are not part of a run.
    #[cfg(test)]
    pub fn single_rows(&self) -> usize {
        self.single.len()
    }

    /// next = base + factor · (A · current + C · hidden) in some rows.
    pub fn apply(&self, rows: Range<usize>, level: &mut Level, factor: f64, hidden: &[f64]) {
        let from = self.stencils.partition_point(|s| s.rows.end <= rows.start);
        for stencil in self.stencils[from..].iter().take_while(|s| s.rows.start < rows.end) {
            let (begin, end) = (stencil.rows.start.max(rows.start), stencil.rows.end.min(rows.end));
            let phase = begin - stencil.rows.start;
            let mut coefficients = [[0.0; LANES]; MAX_DIAGONALS];
            for (scaled, given) in coefficients.iter_mut().zip(&stencil.coefficients) {
                for (l, c) in scaled.iter_mut().enumerate() {
                    *c = factor * given[(phase + l) % LANES];
                }
            }
            let lowest = stencil.offsets.first().copied().unwrap_or(0);
            let read = (begin as isize + lowest - level.current_first) as usize;
            let run = kernels::Run {
                next: &mut level.next[begin - level.next_first..end - level.next_first],
                base: &level.base[begin..end],
                current: &level.current[read..],
            };
            kernels::run(self.instructions, run, &stencil.shifts, &coefficients[..stencil.shifts.len()]);
        }
        let within = |list: &[(u32, u32, u32)]| {
            list.partition_point(|s| (s.0 as usize) < rows.start)..list.partition_point(|s| (s.0 as usize) < rows.end)
        };
        let single = &self.single[within(&self.single)];
        if !single.is_empty() {
            let single = Single { rows: single, columns: &self.columns, values: &self.values };
            kernels::single(self.instructions, &single, level, factor);
        }
        let from = self.inputs.partition_point(|s| (s.0 as usize) < rows.start);
        for &(row, input, c) in self.inputs[from..].iter().take_while(|s| (s.0 as usize) < rows.end) {
            level.next[row as usize - level.next_first] += factor * c * hidden[input as usize];
        }
    }
}

/// The place of each state.
fn places(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &state)| place[state as usize] = k as u32);
    place
}

/// The rows between states in the order of the places, columns ascending.
fn ordered_rows(form: &LinearForm, order: Option<&[u32]>) -> Vec<Vec<(u32, f64)>> {
    let n = form.states();
    let place = order.map(places);
    let row = |k: usize| {
        let state = order.map_or(k, |order| order[k] as usize);
        let elements = form.matrix.row(state).filter(|&(j, _)| j < n);
        let mut row: Vec<(u32, f64)> =
            elements.map(|(j, a)| (place.as_ref().map_or(j as u32, |place| place[j]), a)).collect();
        row.sort_by_key(|&(column, _)| column);
        row
    };
    (0..n).map(row).collect()
}

/// Whether two rows have the same elements, seen from their diagonals.
fn alike(a: &[(u32, f64)], i: usize, b: &[(u32, f64)], j: usize) -> bool {
    let distance = (j - i) as u32;
    a.len() == b.len() && a.iter().zip(b).all(|(&(p, x), &(q, y))| p + distance == q && x.to_bits() == y.to_bits())
}

fn find_stencils(rows: &[Vec<(u32, f64)>], n: usize) -> Vec<Stencil> {
    let periods = [1, 2, 4, 8];
    // how many rows from each on repeat with each period
    let mut repeats = periods.map(|_| vec![0usize; n + LANES]);
    for (&period, length) in periods.iter().zip(&mut repeats) {
        for i in (0..n.saturating_sub(period)).rev() {
            if alike(&rows[i], i, &rows[i + period], i + period) {
                length[i] = length[i + 1] + 1;
            }
        }
    }
    let mut stencils = Vec::new();
    let mut i = 0;
    while i < n {
        let length = |p: usize| if repeats[p][i] == 0 { 0 } else { repeats[p][i] + periods[p] };
        // the longest run; of equal ones that of the shortest period
        let best = (0..periods.len()).rev().max_by_key(|&p| length(p)).expect("there are periods");
        let stencil = (length(best) >= SHORTEST_RUN).then(|| stencil(rows, i..i + length(best), periods[best], n)).flatten();
        match stencil {
            Some(stencil) => {
                i = stencil.rows.end;
                stencils.push(stencil);
            }
            None => i += 1,
        }
    }
    stencils
}

/// The pattern of some rows, if it has few diagonals. Where a row lacks a diagonal of another, its coefficient is zero;
/// rows for which that diagonal would leave the matrix are cut off.
fn stencil(rows: &[Vec<(u32, f64)>], range: Range<usize>, period: usize, n: usize) -> Option<Stencil> {
    let begin = range.start;
    let offset = |i: usize, column: u32| column as isize - i as isize;
    let mut offsets: Vec<isize> = (begin..begin + period).flat_map(|i| rows[i].iter().map(move |&(c, _)| offset(i, c))).collect();
    offsets.sort_unstable();
    offsets.dedup();
    if offsets.len() > MAX_DIAGONALS {
        return None;
    }
    let (lowest, highest) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    let last = n as isize - highest.max(0);
    let end = range.end.min(last.max(0) as usize);
    if (begin as isize) + lowest < 0 || end < begin + SHORTEST_RUN {
        return None;
    }
    let coefficient = |o: isize, l: usize| {
        let i = begin + l % period;
        rows[i].iter().find(|&&(c, _)| offset(i, c) == o).map_or(0.0, |&(_, a)| a)
    };
    let coefficients = offsets.iter().map(|&o| std::array::from_fn(|l| coefficient(o, l))).collect();
    let shifts = offsets.iter().map(|&o| (o - lowest) as usize).collect();
    Some(Stencil { rows: begin..end, shifts, coefficients, offsets })
}
