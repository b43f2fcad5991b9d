//! The global error of a run: the difference of its rows and those of a companion with shorter steps or smaller tolerances,
//! which goes the same way through events, constraints and chaos.

use crate::recorder::{Recorder, final_values};
use crate::start::StartValues;
use crate::{Compiled, RowError, RowSink};
use ordinate_program::Evaluator;
use ordinate_solve::{Choice, Method, Options, Outcome, Rows, Sink, Status, UsageError};

/// What is wanted of the global error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorWish {
    /// Nothing: it costs time.
    Off,
    /// An estimate.
    Estimate {
        /// Every row shows it, in columns behind those of the solution.
        columns: bool,
        /// It is subtracted from the solution.
        correct: bool,
    },
}

/// The global error of a run: |computed − true|, estimated.
#[derive(Clone, Debug)]
pub struct GlobalError {
    /// The columns of the result without `time`.
    pub names: Vec<String>,
    /// The first so many of them are states; the others are functions of them.
    pub states: usize,
    /// The largest error of each column over all rows.
    pub largest: Vec<f64>,
    /// The error of each column where the run ended.
    pub last: Vec<f64>,
    /// The error of each column, row by row with its sign, true − computed; empty where there were too many rows to keep.
    pub rows: Vec<Vec<f64>>,
    /// The time of the last row with an estimate.
    pub until: f64,
    /// Whether that is the end.
    pub complete: bool,
    /// From this time on no digit of this state is right.
    pub lost: Option<(usize, f64)>,
    /// Whether it was subtracted from the result. It is the error of the result before.
    pub corrected: bool,
}

impl GlobalError {
    /// The largest error of all states, or of what there is.
    pub fn estimate(&self) -> f64 {
        let count = if self.states > 0 { self.states } else { self.names.len() };
        self.largest[..count].iter().copied().fold(0.0, f64::max)
    }
}

/// A change of a state of this part of its greatest value leaves no digit of it right.
const LOST: f64 = 0.1;
/// An error that is carried along with controlled steps is believed up to this part of the greatest value: the leading terms of
/// the errors of steps say little beyond.
const TRUSTED: f64 = 0.01;
/// Beyond that, unless no digit is right: then only a part of this size tells that what was carried along is of no use.
const BLOWN_UP: f64 = 3.0;
/// Numbers that are kept of a run; of more rows every second one is.
const MAX_KEPT: usize = 1 << 24;

/// What an estimate needs to know of the run.
pub(crate) struct Task<'a> {
    pub compiled: &'a Compiled,
    pub choice: Choice,
    pub start: &'a StartValues,
    pub t_start: f64,
    pub t_end: f64,
    pub options: &'a Options,
}

impl Task<'_> {
    /// The method, ready for a run; `follow`: it carries its error along, if it can.
    pub fn method(&self, follow: bool) -> Box<dyn Method> {
        let mut method = self.choice.build(self.compiled.program.layout.states, self.options.step.is_some());
        if follow && self.can_carry() {
            method.follow_error();
        }
        method
    }

    /// One solution.
    pub fn solve(
        &self,
        mut method: Box<dyn Method>,
        evaluator: &mut Evaluator,
        options: &Options,
        t_end: f64,
        sink: &mut dyn Sink,
    ) -> Result<Outcome, UsageError> {
        ordinate_solve::solve(evaluator, method.as_mut(), &self.start.from(self.t_start), t_end, options, sink)
    }

    /// Whether an error that the method carries along is of use.
    fn can_carry(&self) -> bool {
        let (layout, states) = (&self.compiled.program.layout, self.compiled.program.visible);
        // The error of a delayed value is not among those carried along.
        layout.discrete() == 0 && layout.delays.is_empty() && layout.states == states
    }

    /// The error that the method itself has carried along. What a function of the states makes of it is not linear.
    fn carried(&self, evaluator: &Evaluator, outcome: &Outcome, kept: &Kept) -> Option<GlobalError> {
        let at_end = outcome.error.as_ref()?;
        let (layout, states) = (&self.compiled.program.layout, self.compiled.program.visible);
        if !self.can_carry() || kept.too_many || kept.stride > 1 {
            return None;
        }
        let mut points = vec![(self.t_start, vec![0.0; layout.states])];
        points.extend(kept.points.iter().cloned());
        if points.last().is_some_and(|(t, _)| *t < outcome.t_reached) {
            points.push((outcome.t_reached, at_end.clone()));
        }
        let mut evaluator = Evaluator::new(evaluator.program().clone());
        let columns = kept.stored - 1;
        let mut rows: Vec<Vec<f64>> = vec![Vec::new(); columns];
        let mut largest = vec![0.0f64; columns];
        let mut moved = vec![0.0; states];
        let mut moved_out = vec![0.0; self.compiled.program.outputs.results.len()];
        let mut k = 0;
        for (row, &t) in kept.columns[0].iter().enumerate() {
            while k + 2 < points.len() && points[k + 1].0 < t {
                k += 1;
            }
            let [(t0, e0), (t1, e1)] = [&points[k], &points[(k + 1).min(points.len() - 1)]];
            let part = if t1 > t0 { ((t - t0) / (t1 - t0)).clamp(0.0, 1.0) } else { 1.0 };
            for i in 0..states {
                moved[i] = kept.columns[i + 1][row] - (e0[i] + part * (e1[i] - e0[i]));
            }
            if columns > states {
                evaluator.outputs(t, &moved, &[], &mut moved_out);
            }
            for c in 0..columns {
                let own = kept.columns[c + 1][row];
                let better = if c < states { moved[c] } else { moved_out[c - states] };
                largest[c] = largest[c].max(size(better - own, own));
                rows[c].push(better - own);
            }
        }
        let last = rows.iter().map(|column| column.last().copied().unwrap_or(0.0)).collect();
        let lost = lost(&kept.columns[..=states], &rows[..states]);
        if self.options.step.is_none() {
            // The error between the rows counts, too: it may be small again where a row is.
            let largest_part = (0..states).map(|state| {
                let errors = points.iter().map(|(_, error)| error[state].abs());
                errors.fold(0.0, f64::max) / greatest(&kept.columns[state + 1])
            });
            let part = largest_part.filter(|part| !part.is_nan()).fold(0.0, f64::max);
            if part > TRUSTED && (lost.is_empty() || part > BLOWN_UP) {
                return None;
            }
            replace_lost(&lost, kept, &mut largest);
        }
        let lost = lost.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let names = kept.names[1..kept.stored].to_vec();
        let until = outcome.t_reached;
        Some(GlobalError { names, states, largest, last, rows, until, complete: true, lost, corrected: false })
    }

    /// The error of `outcome`, whose rows are in `kept`.
    pub fn global_error(&self, evaluator: &Evaluator, outcome: &Outcome, kept: &mut Kept) -> Option<GlobalError> {
        if outcome.status == Status::Interrupted {
            return None;
        }
        if let Some(found) = self.carried(evaluator, outcome, kept) {
            return Some(found);
        }
        // A run that was ended by the model ends when its companion comes to that.
        let ended = outcome.status == Status::Ok && outcome.t_reached < self.t_end;
        let t_end = if ended { self.t_end } else { outcome.t_reached };
        let mut other_evaluator = evaluator.with_other_rounding();
        // Only a start value at the very edge of what is possible is wrong with another last bit.
        let start = StartValues::new(self.compiled, &mut other_evaluator, self.t_start);
        let start = StartValues { checks: Vec::new(), ..start.unwrap_or_else(|_| self.start.clone()) };
        let beside = Task { start: &start, ..*self };
        let mut best: Option<GlobalError> = None;
        for companion in self.choice.companions(self.options, outcome) {
            let options = Options { rows: Rows::At(kept.times()), ..companion.options.clone() };
            let mut rows = Beside { sink: kept.sink, columns: Vec::new() };
            let mut recorder = Recorder::new(self.compiled, &mut rows, &start);
            recorder.announce(kept.names.clone(), kept.stored);
            let Ok(other) = beside.solve(self.method(false), &mut other_evaluator, &options, t_end, &mut recorder)
            else {
                continue;
            };
            let columns = rows.columns;
            let factor = companion.factor(&outcome.statistics, &other.statistics);
            let finals = [outcome, &other].map(|outcome| final_values(self.compiled, outcome));
            let same_end = other.t_reached == outcome.t_reached || (ended && other.status == Status::Ok);
            let found = compare(self.compiled, kept, &columns, factor, same_end.then_some(&finals));
            if best.as_ref().is_none_or(|best| found.until > best.until) {
                best = Some(found);
            }
            if other.status == Status::Interrupted || best.as_ref().is_some_and(|best| best.complete) {
                break;
            }
        }
        best
    }
}

/// Differences row by row. Rows that only one of the runs has at a time are those of an event that the other one puts elsewhere:
/// they keep the error of the row before.
fn compare(
    compiled: &Compiled,
    kept: &Kept,
    other: &[Vec<f64>],
    factor: f64,
    finals: Option<&[Vec<(String, f64)>; 2]>,
) -> GlobalError {
    let columns = kept.stored - 1;
    let states = compiled.program.visible;
    let time = &kept.columns[0];
    let mut rows: Vec<Vec<f64>> = vec![Vec::with_capacity(time.len()); columns];
    let mut largest = vec![0.0f64; columns];
    let (mut i, mut j, mut until) = (0, 0, f64::NEG_INFINITY);
    let end_of = |time: &[f64], from: usize| from + time[from..].iter().take_while(|t| **t == time[from]).count();
    let there = other.first().map_or(&[][..], Vec::as_slice);
    while i < time.len() && j < there.len() {
        let next = end_of(time, i);
        if there[j] < time[i] {
            j = end_of(there, j);
            continue;
        }
        let behind = if there[j] == time[i] { end_of(there, j) } else { j };
        for k in i..next {
            // the last ones of both belong together, where an action runs at this very time in both
            let partner = (behind - j == next - i).then(|| j + k - i);
            for c in 0..columns {
                let own = kept.columns[c + 1][k];
                let before = rows[c].last().copied().unwrap_or(0.0);
                let error = partner.map_or(before, |p| factor * (other[c + 1][p] - own));
                if partner.is_some() {
                    largest[c] = largest[c].max(size(error, own));
                }
                rows[c].push(error);
            }
        }
        until = time[i];
        (i, j) = (next, behind);
    }
    let complete = i == time.len();
    if until == f64::NEG_INFINITY {
        // nothing was compared, so nothing is known
        largest.fill(f64::INFINITY);
    }
    let last: Vec<f64> = match finals {
        _ if until == f64::NEG_INFINITY => vec![f64::NAN; columns],
        Some([own, other]) => own.iter().zip(other).map(|((_, own), (_, other))| factor * (other - own)).collect(),
        None => rows.iter().map(|column| column.last().copied().unwrap_or(f64::NAN)).collect(),
    };
    let lost: Vec<(usize, f64)> = lost(&kept.columns[..=states], &rows[..states]);
    replace_lost(&lost, kept, &mut largest);
    let lost = lost.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    if kept.stride > 1 || !complete {
        // rows of the file and rows of the estimate would not be the same
        let missing = time.len() - rows.first().map_or(time.len(), Vec::len);
        match kept.stride {
            1 => rows.iter_mut().for_each(|column| column.extend(vec![f64::NAN; missing])),
            _ => rows.clear(),
        }
    }
    let names = kept.names[1..kept.stored].to_vec();
    GlobalError { names, states, largest, last, rows, until, complete, lost, corrected: false }
}

/// Two solutions that have nothing in common any more may meet by chance: the error of a lost state is as large as its range.
fn replace_lost(lost: &[(usize, f64)], kept: &Kept, largest: &mut [f64]) {
    for &(state, _) in lost {
        let values = kept.columns[state + 1].iter();
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        largest[state] = largest[state].max(high - low);
    }
}

/// The largest absolute value.
fn greatest(column: &[f64]) -> f64 {
    column.iter().fold(0.0, |most: f64, y| most.max(y.abs()))
}

/// |error|, but nothing that was computed is better than its last bit.
fn size(error: f64, value: f64) -> f64 {
    match error.abs().max(0.5 * f64::EPSILON * value.abs()) {
        size if size.is_nan() => f64::INFINITY,
        size => size,
    }
}

/// The states that have no right digit any more, and when they lost the last.
fn lost(columns: &[Vec<f64>], rows: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let when = |state: usize| {
        let greatest = greatest(&columns[state + 1]);
        let row = rows[state].iter().position(|error| error.abs() > LOST * greatest)?;
        Some((state, columns[0][row]))
    };
    (0..rows.len()).filter_map(when).collect()
}

/// The rows of a run, kept for the comparison; handed on at once, or with their errors at the end.
pub(crate) struct Kept<'a> {
    sink: &'a mut dyn RowSink,
    wish: ErrorWish,
    names: Vec<String>,
    stored: usize,
    columns: Vec<Vec<f64>>,
    stride: usize,
    skipped: usize,
    /// The error of the states at the ends of steps, from methods that carry it along, as long as there are not too many.
    points: Vec<(f64, Vec<f64>)>,
    too_many: bool,
}

impl<'a> Kept<'a> {
    pub fn new(sink: &'a mut dyn RowSink, wish: ErrorWish) -> Kept<'a> {
        Kept {
            sink,
            wish,
            names: Vec::new(),
            stored: 1,
            columns: Vec::new(),
            stride: 1,
            skipped: 0,
            points: Vec::new(),
            too_many: false,
        }
    }

    /// Whether rows wait for their error.
    fn holds(&self) -> bool {
        matches!(self.wish, ErrorWish::Estimate { columns: true, .. } | ErrorWish::Estimate { correct: true, .. })
    }

    fn times(&self) -> Vec<f64> {
        let mut times = self.columns[0].clone();
        times.dedup();
        times
    }

    /// Hands on what waited, with its errors.
    pub fn release(&mut self, error: Option<&GlobalError>) -> Result<(), RowError> {
        let ErrorWish::Estimate { columns, correct } = self.wish else { return Ok(()) };
        if !self.holds() || self.names.is_empty() {
            return Ok(());
        }
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
                values.extend(errors);
            }
            values.extend(self.columns[stored..own].iter().map(|column| column[row]));
            self.sink.row(&values)?;
        }
        Ok(())
    }

    fn keep(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.skipped += 1;
        if self.skipped < self.stride {
            return Ok(());
        }
        self.skipped = 0;
        self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
        if self.columns[0].len() * self.columns.len() <= MAX_KEPT {
            return Ok(());
        }
        if self.holds() {
            return Err(RowError {
                place: "a result with its errors".into(),
                reason: "there are too many rows to keep them until their errors are known; store fewer with `--every`"
                    .into(),
                closed_pipe: false,
            });
        }
        for column in &mut self.columns {
            let mut index = 0;
            column.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
        self.stride *= 2;
        Ok(())
    }
}

impl RowSink for Kept<'_> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        (self.names, self.stored) = (names.to_vec(), stored);
        let kept = if self.holds() { names.len() } else { stored };
        self.columns = vec![Vec::new(); kept];
        if self.holds() { Ok(()) } else { self.sink.begin(names, stored) }
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        if self.wish != ErrorWish::Off {
            self.keep(values)?;
        }
        if self.holds() { Ok(()) } else { self.sink.row(values) }
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        self.sink.step(t, h, order)
    }

    fn wants_steps(&self) -> bool {
        self.sink.wants_steps()
    }

    fn error(&mut self, t: f64, error: &[f64]) {
        self.too_many |= self.points.len() * error.len() > MAX_KEPT;
        if !self.too_many {
            self.points.push((t, error.to_vec()));
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
struct Beside<'a> {
    /// Asked whether to go on.
    sink: &'a mut dyn RowSink,
    columns: Vec<Vec<f64>>,
}

impl RowSink for Beside<'_> {
    fn begin(&mut self, _names: &[String], stored: usize) -> Result<(), RowError> {
        self.columns = vec![Vec::new(); stored];
        Ok(())
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
        Ok(())
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.sink.keep_going(t)
    }
}
