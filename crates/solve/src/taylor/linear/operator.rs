//! The matrix of a large linear system as loops: runs of rows with the same diagonals, and single rows.

use std::ops::Range;

use super::form::LinearForm;
use super::kernels::{self, Level, MAX_DIAGONALS, Single};
use super::ordering;
use ordinate_numbers::Instructions;
use ordinate_numbers::vector::{LANES, Lanes};

/// Runs shorter than this are single rows.
const SHORTEST_RUN: usize = 4 * LANES;
/// Bands wider than this are worth another order of the states.
const WIDE: usize = 16;

/// Rows of one pattern, repeated with a period that divides the number of lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern {
    pub rows: Range<usize>,
    /// After how many rows it repeats.
    pub period: usize,
    /// Column − row, ascending, of every diagonal.
    pub offsets: Vec<isize>,
    /// Offsets from the smallest one.
    shifts: Vec<usize>,
    /// Coefficients of the diagonals; lane l belongs to the rows that begin + l, begin + l + 8, …
    pub coefficients: Vec<Lanes>,
}

impl Pattern {
    /// Whether a row has the pattern, too, with the phase that it has in this place.
    pub fn fits(&self, row: usize, elements: &[(u32, f64)], n: usize) -> bool {
        let phase = (row + LANES - self.rows.start % LANES) % LANES;
        let mut found = 0;
        let all = self.offsets.iter().zip(&self.coefficients).all(|(&offset, coefficients)| {
            let column = row as isize + offset;
            let given = elements.iter().find(|&&(c, _)| c as isize == column).map(|&(_, value)| value);
            found += usize::from(given.is_some());
            (0..n as isize).contains(&column) && given.unwrap_or(0.0).to_bits() == coefficients[phase].to_bits()
        });
        all && found == elements.len()
    }
}

/// The rows of the states in some order, between states and from hidden states.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Columns and values, columns ascending.
    pub states: Vec<Vec<(u32, f64)>>,
    /// Hidden states and values.
    pub inputs: Vec<Vec<(u32, f64)>>,
    /// The state of each row, if not in the order given.
    pub order: Option<Vec<u32>>,
    /// The largest distance of an element from the diagonal.
    pub band: usize,
}

impl Rows {
    /// The rows of a form, in an order of narrow band if its own is wide.
    pub fn new(form: &LinearForm) -> Rows {
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
        let n = form.states();
        let inputs = |row: usize| {
            let state = order.as_ref().map_or(row, |order: &Vec<u32>| order[row] as usize);
            form.matrix.row(state).filter(|&(j, _)| j >= n).map(|(j, a)| ((j - n) as u32, a)).collect()
        };
        Rows { states: ordered_rows(form, order.as_deref()), inputs: (0..n).map(inputs).collect(), order, band }
    }
}

/// The part of a matrix that acts on states: runs of patterns, single rows, inputs.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    instructions: Instructions,
    patterns: Vec<Pattern>,
    /// Rows without a pattern: row, range of elements.
    single: Vec<(u32, u32, u32)>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Row, hidden state, coefficient.
    inputs: Vec<(u32, u32, f64)>,
}

impl Operator {
    pub fn new(rows: &Rows, patterns: Vec<Pattern>, instructions: Instructions) -> Operator {
        let n = rows.states.len();
        let mut operator = Operator {
            instructions,
            single: Vec::new(),
            columns: Vec::new(),
            values: Vec::new(),
            inputs: Vec::new(),
            patterns,
        };
        let mut next = 0;
        let covered: Vec<Range<usize>> =
            operator.patterns.iter().map(|s| s.rows.clone()).chain(std::iter::once(n..n)).collect();
        for covered in covered {
            for (i, row) in rows.states.iter().enumerate().take(covered.start).skip(next) {
                let from = operator.columns.len() as u32;
                operator.columns.extend(row.iter().map(|&(column, _)| column));
                operator.values.extend(row.iter().map(|&(_, value)| value));
                operator.single.push((i as u32, from, operator.columns.len() as u32));
            }
            next = covered.end;
        }
        for (i, inputs) in rows.inputs.iter().enumerate() {
            operator.inputs.extend(inputs.iter().map(|&(hidden, c)| (i as u32, hidden, c)));
        }
        operator
    }

    /// next = base + factor · (A · current + C · hidden)
    pub fn apply(&self, level: &mut Level, factor: f64, hidden: &[f64]) {
        for pattern in &self.patterns {
            let Range { start, end } = pattern.rows;
            let mut coefficients = [[0.0; LANES]; MAX_DIAGONALS];
            for (scaled, given) in coefficients.iter_mut().zip(&pattern.coefficients) {
                *scaled = given.map(|c| factor * c);
            }
            let lowest = pattern.offsets.first().copied().unwrap_or(0);
            let run = kernels::Run {
                next: &mut level.next[start..end],
                base: &level.base[start..end],
                current: &level.current[start.wrapping_add_signed(lowest)..],
            };
            kernels::run(self.instructions, run, &pattern.shifts, &coefficients[..pattern.shifts.len()]);
        }
        let single = Single { rows: &self.single, columns: &self.columns, values: &self.values };
        kernels::single(self.instructions, &single, level, factor);
        for &(row, input, c) in &self.inputs {
            level.next[row as usize] += factor * c * hidden[input as usize];
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

/// The runs of rows of one pattern.
pub(crate) fn find_patterns(rows: &[Vec<(u32, f64)>]) -> Vec<Pattern> {
    let n = rows.len();
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
    let mut patterns = Vec::new();
    let mut i = 0;
    while i < n {
        let length = |p: usize| if repeats[p][i] == 0 { 0 } else { repeats[p][i] + periods[p] };
        // the longest run; of equal ones that of the shortest period
        let best = (0..periods.len()).rev().max_by_key(|&p| length(p)).expect("there are periods");
        let pattern =
            (length(best) >= SHORTEST_RUN).then(|| pattern(rows, i..i + length(best), periods[best], n)).flatten();
        match pattern {
            Some(pattern) => {
                i = pattern.rows.end;
                patterns.push(pattern);
            }
            None => i += 1,
        }
    }
    patterns
}

/// The pattern of some rows, if it has few diagonals. Where a row lacks a diagonal of another, its coefficient is zero;
/// rows for which that diagonal would leave the matrix are cut off.
fn pattern(rows: &[Vec<(u32, f64)>], range: Range<usize>, period: usize, n: usize) -> Option<Pattern> {
    let begin = range.start;
    let offset = |i: usize, column: u32| column as isize - i as isize;
    let mut offsets: Vec<isize> =
        (begin..begin + period).flat_map(|i| rows[i].iter().map(move |&(c, _)| offset(i, c))).collect();
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
    Some(Pattern { rows: begin..end, period, shifts, coefficients, offsets })
}
