//! Rows of a run beyond double precision: their times, and their values with all digits.

use super::session::{Session, as_written};
use crate::{Compiled, RowError, RowSink, RowTimes, RunError, RunOptions};
use ordinate_program::{Constant, PreciseProgram};
use ordinate_solve::PreciseSink;
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

/// Evaluates the outputs of each row in its precision and hands it on.
pub(super) struct Writer<'a, N> {
    program: PreciseProgram<N>,
    sink: &'a mut dyn RowSink,
    times: Times<N>,
    states: usize,
    stored: usize,
    shown: usize,
    wants_steps: bool,
    pub rows: usize,
    pub failure: Option<RowError>,
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
        sink.begin(&all, stored.len()).map_err(RunError::Rows)?;
        let program = PreciseProgram::new(compiled.program.clone(), session.bits);
        Ok(Writer {
            program: program.expect("the session has one"),
            times: Times::new(&options.rows, session),
            states: compiled.program.visible,
            stored: stored.len(),
            shown: shown as usize,
            wants_steps: sink.wants_steps(),
            sink,
            rows: 0,
            failure: None,
        })
    }

    /// All values of a row but the time.
    fn values(&mut self, t: &N, y: &[N]) -> Vec<N> {
        let outputs = self.program.outputs(t, y);
        y[..self.states].iter().cloned().chain(outputs).collect()
    }

    /// The stored values of a row but the time, as doubles and as text.
    pub fn texts(&mut self, t: &N, y: &[N]) -> (Vec<f64>, Vec<String>) {
        let values = self.values(t, y);
        let stored = &values[..self.stored - 1];
        (stored.iter().map(N::to_f64).collect(), stored.iter().map(|value| value.to_decimal(self.shown)).collect())
    }
}

impl<N: Constant> PreciseSink<N> for Writer<'_, N> {
    fn row_time(&mut self, k: usize) -> Option<N> {
        self.times.get(k)
    }

    fn row(&mut self, t: &N, y: &[N]) -> ControlFlow<()> {
        self.rows += 1;
        let mut values = self.values(t, y);
        values.insert(0, t.clone());
        let rounded: Vec<f64> = values.iter().map(N::to_f64).collect();
        let texts: Vec<String> = values[..self.stored].iter().map(|value| value.to_decimal(self.shown)).collect();
        match self.sink.precise_row(&rounded, &texts) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn step(&mut self, t: f64, h: f64, order: usize) -> ControlFlow<()> {
        let wanted = !self.wants_steps || self.sink.step(t, h, order as u32);
        if wanted && self.sink.keep_going(t) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
