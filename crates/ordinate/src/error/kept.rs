//! The rows of a run and what is known of their errors, kept until the end.

use super::events::Events;
use super::path::Path;
use super::{ErrorWish, GlobalError, size};
use crate::{RowError, RowSink};
use ordinate_numbers::Octet;
use std::slice::ChunksExact;

/// Numbers that are kept of a run; of more rows every second one is.
const MAX_KEPT: usize = 1 << 24;

/// As many rows as most runs have.
const USUAL_ROWS: usize = 512;

/// Rows one after the other: to take a row must cost next to nothing.
#[derive(Default)]
pub(super) struct Flat {
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

impl Flat {
    fn push(&mut self, row: &[f64]) {
        self.values.extend(row[..self.width].iter().copied());
    }

    /// Every second row goes.
    pub(super) fn thin(&mut self) {
        let width = self.width.max(1);
        let rows = self.values.len() / width;
        for row in 1..rows.div_ceil(2) {
            self.values.copy_within(2 * row * width..(2 * row + 1) * width, row * width);
        }
        self.values.truncate(rows.div_ceil(2) * width);
    }

    /// Column by column; no rows are left.
    fn take_columns(&mut self) -> Vec<Vec<f64>> {
        let values = std::mem::take(&mut self.values);
        (0..self.width).map(|c| values.iter().copied().skip(c).step_by(self.width).collect()).collect()
    }
}

/// The rows of a run, kept for the comparison; handed on at once, or with their errors at the end.
pub(crate) struct Kept<'a> {
    pub(super) sink: &'a mut dyn RowSink,
    wish: ErrorWish,
    pub(super) names: Vec<String>,
    pub(super) stored: usize,
    rows: Flat,
    /// Every so many rows one is kept; how many there were.
    pub(super) stride: usize,
    count: usize,
    /// The errors of the states, computed − true, that methods told which carry them along: those of rows that are kept, and the
    /// largest ones of others. They come row after row, maybe later than the rows; of how many they were told.
    errors: Flat,
    gone: Vec<f64>,
    told: usize,
    /// The way of the run, and the events on it.
    pub(super) path: Path,
    pub(super) events: Events,
    /// The columns of all rows kept, once the run is over and somebody needs them.
    pub(super) columns: Vec<Vec<f64>>,
}

impl<'a> Kept<'a> {
    pub fn new(sink: &'a mut dyn RowSink, wish: ErrorWish) -> Kept<'a> {
        Kept {
            sink,
            wish,
            names: Vec::new(),
            stored: 1,
            rows: Flat::default(),
            stride: 1,
            count: 0,
            errors: Flat::default(),
            gone: Vec::new(),
            told: 0,
            path: Path::default(),
            events: Events::default(),
            columns: Vec::new(),
        }
    }

    /// The run is over, and its rows become columns.
    pub(super) fn settle(&mut self) {
        if self.columns.is_empty() {
            self.columns = self.rows.take_columns();
        }
    }

    /// The rows kept, until they are columns, one after the other, and the width of each.
    pub(super) fn values(&self) -> (&[f64], usize) {
        (&self.rows.values, self.rows.width)
    }

    /// The same one by one.
    pub(super) fn rows(&self) -> ChunksExact<'_, f64> {
        self.rows.values.chunks_exact(self.rows.width.max(1))
    }

    /// Whether the errors of all rows were told.
    pub(super) fn all_told(&self) -> bool {
        self.told == self.count && self.count > 0
    }

    /// The errors of the states of the rows kept, if all were told.
    pub(super) fn told(&self) -> ChunksExact<'_, f64> {
        self.errors.values.chunks_exact(self.errors.width.max(1))
    }

    /// The largest error of a state in rows that are not kept.
    pub(super) fn gone(&self, state: usize) -> f64 {
        self.gone.get(state).copied().unwrap_or(0.0)
    }

    /// The time of the last row.
    pub(super) fn last_time(&self) -> Option<f64> {
        self.rows().next_back().map(|row| row[0])
    }

    /// The time and the first `states` columns of the last row before this time.
    pub fn before(&mut self, t: f64, states: usize) -> Option<(f64, Vec<f64>)> {
        self.settle();
        let row = self.columns.first()?.iter().rposition(|time| *time < t)?;
        Some((self.columns[0][row], (1..=states).map(|c| self.columns[c][row]).collect()))
    }

    /// When another run is compared with this one.
    pub(super) fn times(&self, at_steps: bool, ended_early: bool) -> Vec<f64> {
        let mut times = self.columns[0].clone();
        if at_steps {
            times.extend(self.path.between(&self.columns, ended_early));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Hands on what waited, with its errors.
    pub fn release(&mut self, error: Option<&GlobalError>) -> Result<(), RowError> {
        let ErrorWish::Estimate { columns, correct } = self.wish else { return Ok(()) };
        if !self.wish.waits() || self.names.is_empty() {
            return Ok(());
        }
        self.settle();
        let (stored, own) = (self.stored, self.names.len());
        let mut names = self.names[..stored].to_vec();
        if columns {
            names.extend(self.names[1..stored].iter().map(|name| format!("error({name})")));
        }
        let shown = names.len();
        names.extend(self.names[stored..].iter().cloned());
        self.sink.begin(&names, shown)?;
        let mut values = Vec::with_capacity(names.len());
        for row in 0..self.columns[0].len() {
            let errors = (0..stored - 1).map(|c| error.map_or(f64::NAN, |error| error.rows[c][row]));
            values.clear();
            values.extend(self.columns[..stored].iter().map(|column| column[row]));
            if correct {
                // without an estimate the value stays what it is
                let known = errors.clone().map(|error| if error.is_nan() { 0.0 } else { error });
                values[1..].iter_mut().zip(known).for_each(|(value, error)| *value += error);
            }
            if columns {
                // computed − true, as everybody means it
                values.extend(errors.map(|error| 0.0 - error));
            }
            values.extend(self.columns[stored..own].iter().map(|column| column[row]));
            self.sink.row(&values)?;
        }
        Ok(())
    }

    fn keep(&mut self, values: &[f64]) -> Result<(), RowError> {
        let row = self.count;
        self.count += 1;
        if !row.is_multiple_of(self.stride) {
            return Ok(());
        }
        self.rows.push(values);
        if self.rows.values.len() <= MAX_KEPT {
            return Ok(());
        }
        if self.wish.waits() {
            return Err(RowError {
                place: "a result with its errors".into(),
                reason: "there are too many rows to keep them until their errors are known; store fewer with `--every`"
                    .into(),
                closed_pipe: false,
            });
        }
        let told = self.errors.values.chunks_exact(self.errors.width.max(1));
        told.skip(1).step_by(2).for_each(|told| let_go(&mut self.gone, told.iter().copied()));
        self.rows.thin();
        self.errors.thin();
        self.stride *= 2;
        Ok(())
    }
}

/// Of a row that is not kept only the largest error counts.
fn let_go(gone: &mut Vec<f64>, told: impl ExactSizeIterator<Item = f64>) {
    gone.resize(told.len().max(gone.len()), 0.0);
    gone.iter_mut().zip(told).for_each(|(most, error)| *most = most.max(size(error, 0.0)));
}

impl RowSink for Kept<'_> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        self.stored = stored;
        self.rows.width = if self.wish.waits() { names.len() } else { stored };
        if self.wish != ErrorWish::Off {
            self.names = names.to_vec();
            self.rows.values.reserve(USUAL_ROWS * self.rows.width);
        }
        if self.wish.waits() { Ok(()) } else { self.sink.begin(names, stored) }
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        if self.wish != ErrorWish::Off {
            self.keep(values)?;
        }
        if self.wish.waits() { Ok(()) } else { self.sink.row(values) }
    }

    fn passed(&mut self, t: f64, y: &[f64]) {
        self.path.push(t, y);
    }

    fn side_of_event(&mut self, switch: usize, behind: bool, values: &[f64]) {
        self.events.push(switch, behind, &values[..self.stored]);
    }

    fn wants_path(&self) -> bool {
        self.wish != ErrorWish::Off
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        self.sink.step(t, h, order)
    }

    fn wants_steps(&self) -> bool {
        self.sink.wants_steps()
    }

    fn errors(&mut self, rows: usize, errors: &[Octet]) {
        if self.errors.width == 0 {
            self.errors.width = errors.len();
            self.errors.values.reserve(USUAL_ROWS * errors.len());
        }
        for row in 0..rows {
            let told = errors.iter().map(|error| error.0[row]);
            if self.told.is_multiple_of(self.stride) {
                self.errors.values.extend(told);
            } else {
                let_go(&mut self.gone, told);
            }
            self.told += 1;
        }
    }

    fn iterate(&mut self, iterate: &ordinate_solve::NewtonIterate) {
        self.sink.iterate(iterate);
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.sink.keep_going(t)
    }
}

/// The rows of the companion.
pub(super) struct Beside<'a> {
    /// Asked whether to go on.
    sink: &'a mut dyn RowSink,
    rows: Flat,
    path: Path,
    events: Events,
}

/// What another run has told.
pub(super) struct Other {
    pub columns: Vec<Vec<f64>>,
    pub path: Path,
    pub events: Events,
}

impl<'a> Beside<'a> {
    pub fn new(sink: &'a mut dyn RowSink) -> Beside<'a> {
        Beside { sink, rows: Flat::default(), path: Path::default(), events: Events::default() }
    }

    pub fn take(mut self) -> Other {
        Other { columns: self.rows.take_columns(), path: self.path, events: self.events }
    }
}

impl RowSink for Beside<'_> {
    fn begin(&mut self, _names: &[String], stored: usize) -> Result<(), RowError> {
        self.rows.width = stored;
        Ok(())
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.rows.push(values);
        Ok(())
    }

    fn passed(&mut self, t: f64, y: &[f64]) {
        self.path.push(t, y);
    }

    fn side_of_event(&mut self, switch: usize, behind: bool, values: &[f64]) {
        self.events.push(switch, behind, &values[..self.rows.width]);
    }

    fn wants_path(&self) -> bool {
        true
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.sink.keep_going(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_row_goes_and_columns_keep_their_order() {
        for rows in [1usize, 4, 5] {
            let mut flat = Flat { width: 2, values: Vec::new() };
            (0..rows).for_each(|row| flat.push(&[row as f64, 10.0 + row as f64, f64::NAN]));
            flat.thin();
            let left: Vec<f64> = (0..rows).step_by(2).map(|row| row as f64).collect();
            let right = left.iter().map(|row| 10.0 + row).collect();
            assert_eq!(flat.take_columns(), [left, right], "{rows} rows");
        }
    }
}
