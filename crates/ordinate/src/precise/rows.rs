//! Rows of a run beyond double precision: their times, and their values with all digits.

use super::error::Kept;
use super::session::{Session, as_written};
use crate::{Compiled, ErrorWish, GlobalError, RowError, RowSink, RowTimes, RunError, RunOptions};
use ordinate_program::{Constant, PreciseProgram};
use ordinate_solve::{PreciseSink, StopFlag};
use std::ops::ControlFlow;

/// The times of rows.
pub(crate) enum Times<N> {
    /// t₀ + k · distance, up to the end; so many parts of the run, or a given distance.
    Even {
        from: N,
        to: N,
        parts: f64,
    },
    Every {
        from: N,
        to: N,
        distance: N,
    },
    At(Vec<N>),
}

impl<N: Constant> Times<N> {
    /// What the options ask for.
    pub fn new(rows: &RowTimes, session: &Session<N>) -> Times<N> {
        let (from, to) = (session.t_start.clone(), session.t_end.clone());
        match rows {
            RowTimes::Even(count) => Times::Even { from, to, parts: (*count).max(2) as f64 - 1.0 },
            RowTimes::Every(distance) => Times::Every { from, to, distance: as_written(*distance, session.bits) },
            RowTimes::At(_) => Times::At(session.at.clone()),
            RowTimes::Steps => Times::At(Vec::new()),
        }
    }

    /// The time of row k.
    pub fn get(&self, k: usize) -> Option<N> {
        let number = k as f64;
        match self {
            Times::Even { from, to, parts } => match k {
                0 => Some(from.clone()),
                _ if number > *parts || from == to => None,
                _ if number == *parts => Some(to.clone()),
                _ => Some(from.clone() + (to.clone() - from.clone()) * N::splat(number) / N::splat(*parts)),
            },
            Times::Every { from, to, distance } => {
                let t = from.clone() + distance.clone() * N::splat(number);
                (t <= *to).then_some(t)
            }
            Times::At(times) => times.get(k).cloned(),
        }
    }
}

/// Digits of the errors in a result file.
const ERROR_DIGITS: usize = 17;

/// Evaluates the outputs of each row in its precision and hands it on, at once or with its error at the end.
pub(super) struct Writer<'a, N> {
    program: PreciseProgram<N>,
    pub sink: &'a mut dyn RowSink,
    times: Times<N>,
    states: usize,
    names: Vec<String>,
    stored: usize,
    shown: usize,
    wish: ErrorWish,
    pub kept: Kept<N>,
    wants_steps: bool,
    pub rows: usize,
    pub failure: Option<RowError>,
    stop: StopFlag,
}

impl<'a, N: Constant> Writer<'a, N> {
    pub fn new(
        compiled: &Compiled,
        options: &RunOptions,
        session: &Session<N>,
        shown: u32,
        sink: &'a mut dyn RowSink,
    ) -> Result<Writer<'a, N>, RunError> {
        let stored = compiled.stored_names();
        let mut all = stored.clone();
        all.extend(compiled.program.output_names[compiled.sorted.columns.len()..].iter().cloned());
        if !options.error.waits() {
            sink.begin(&all, stored.len()).map_err(RunError::Rows)?;
        }
        let program = PreciseProgram::new(compiled.program.clone(), session.bits);
        Ok(Writer {
            program: program.expect("the session has one"),
            times: Times::new(&options.rows, session),
            states: compiled.program.visible,
            names: all,
            stored: stored.len(),
            shown: shown as usize,
            wish: options.error,
            kept: Kept::new(),
            wants_steps: sink.wants_steps(),
            sink,
            rows: 0,
            failure: None,
            stop: compiled.stop.clone(),
        })
    }

    /// All values of a row.
    pub fn values(&mut self, t: &N, y: &[N]) -> Vec<N> {
        let outputs = self.program.outputs(t, y);
        std::iter::once(t).chain(&y[..self.states]).cloned().chain(outputs).collect()
    }

    /// The stored values of the last row but the time, as doubles and as text.
    pub fn texts(&self, end: &[N]) -> (Vec<f64>, Vec<String>) {
        let stored = &end[1..self.stored];
        (stored.iter().map(N::to_f64).collect(), stored.iter().map(|value| value.to_decimal(self.shown)).collect())
    }

    fn write(&mut self, values: &[N], errors: &[f64]) -> Result<(), RowError> {
        let mut rounded: Vec<f64> = values.iter().map(N::to_f64).collect();
        let mut texts: Vec<String> = values[..self.stored].iter().map(|value| value.to_decimal(self.shown)).collect();
        texts.extend(errors.iter().map(|error| format!("{error:.*e}", ERROR_DIGITS - 1)));
        rounded.splice(self.stored..self.stored, errors.iter().copied());
        self.sink.precise_row(&rounded, &texts)
    }

    /// Hands on what waited, with its errors.
    pub fn release(&mut self, error: &GlobalError) -> Result<(), RowError> {
        let ErrorWish::Estimate { columns, correct } = self.wish else { return Ok(()) };
        if !self.wish.waits() {
            return Ok(());
        }
        if self.kept.thinned {
            return Err(RowError {
                place: "a result with its errors".into(),
                reason: "there are too many rows to keep them until their errors are known; store fewer with `--every`"
                    .into(),
                closed_pipe: false,
            });
        }
        let mut names = self.names.clone();
        if columns {
            let errors: Vec<String> = names[1..self.stored].iter().map(|name| format!("error({name})")).collect();
            names.splice(self.stored..self.stored, errors);
        }
        let shown = names.len() - (self.names.len() - self.stored);
        self.sink.begin(&names, shown)?;
        for (k, mut values) in std::mem::take(&mut self.kept.rows).into_iter().enumerate() {
            let errors: Vec<f64> = error.rows.iter().map(|column| column[k]).collect();
            if correct {
                add(&mut values[1..], &errors);
            }
            let shown: Vec<f64> = errors.iter().filter(|_| columns).map(|error| 0.0 - error).collect();
            self.write(&values, &shown)?;
        }
        Ok(())
    }
}

/// Corrects values by their errors; without an estimate a value stays what it is.
pub(super) fn add<N: Constant>(values: &mut [N], errors: &[f64]) {
    for (value, error) in values.iter_mut().zip(errors).filter(|(_, error)| error.is_finite()) {
        *value = value.clone() + N::splat(*error);
    }
}

impl<N: Constant> PreciseSink<N> for Writer<'_, N> {
    fn row_time(&mut self, k: usize) -> Option<N> {
        self.times.get(k)
    }

    fn row(&mut self, t: &N, y: &[N]) -> ControlFlow<()> {
        self.rows += 1;
        let values = self.values(t, y);
        let written = if self.wish.waits() { Ok(()) } else { self.write(&values, &[]) };
        if self.wish != ErrorWish::Off {
            self.kept.keep(values);
        }
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn step(&mut self, t: f64, h: f64, order: usize) -> ControlFlow<()> {
        let wanted = !self.wants_steps || self.sink.step(t, h, order as u32);
        if wanted && !self.stop.is_raised() && self.sink.keep_going(t) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
