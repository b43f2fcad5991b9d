//! What the errors of a comparison are measured against.

use super::drawn::drawn_times;
use super::{CompareError, Watched};
use crate::{Compiled, DigitsReport, ErrorWish, GlobalError, Memory, RowTimes, Run, RunError, RunOptions, simulate};
use ordinate_solve::Status;

/// The solution as well as it can be had, at evenly spaced times.
#[derive(Clone, Debug)]
pub struct Reference {
    /// How it was made, what it was compared with, and how many digits it has.
    pub digits: DigitsReport,
    /// What these digits leave open, in the measure of the comparison: smaller errors mean nothing.
    pub error: f64,
    /// Names of the states, or of what is stored where none has a name.
    pub states: Vec<String>,
    /// The times.
    pub times: Vec<f64>,
    /// The states over these times.
    pub columns: Vec<Vec<f64>>,
    /// Where it ends: at a stop condition of the model, or with the run.
    pub t_end: f64,
    /// The states there.
    last: Vec<f64>,
    /// The times of the circle test: the last part of the run where samples of all of it would miss whole turns.
    pub drawn: Vec<f64>,
    /// The first two states at these times, if there are two.
    pub plane: Option<(Vec<f64>, Vec<f64>)>,
    /// The largest value of each state.
    scale: Vec<f64>,
}

/// Times that are compared.
pub(super) const TIMES: usize = 601;
/// Digits that are asked for: two more than the tightest tolerance that makes sense.
const DIGITS: u32 = 14;
/// A state that is so much smaller than another one is zero but for rounding.
const ROUNDING: f64 = 1e-12;
/// Steps that a reference may take.
const MOST_STEPS: u64 = 2_000_000;

/// The reference of a model: a run with 14 digits, or with as many as can be had.
pub fn reference(
    compiled: &Compiled,
    options: &RunOptions,
    keep_going: &dyn Fn() -> bool,
) -> Result<Reference, CompareError> {
    let (from, to) = crate::run::rounded_times(compiled, options)?;
    // a model may have states that nobody named; what is stored shows them
    let states = match &compiled.program.state_names[..compiled.program.visible] {
        [] => compiled.stored_names().into_iter().skip(1).collect(),
        named => named.to_vec(),
    };
    if compiled.program.layout.states == 0 || states.is_empty() {
        let nothing = "the model has no states, so there is nothing to solve and to compare";
        return Err(RunError::Usage(nothing.into()).into());
    }
    let mut end = to;
    loop {
        let times = times(from, end, end < to);
        // a first run that does not reach the end is not drawn
        let drawn = match states.as_slice() {
            [x, y, ..] => drawn_times(compiled, options, [x, y], (from, end), keep_going),
            _ => Vec::new(),
        };
        let options = RunOptions {
            digits: Some(DIGITS),
            max_steps: MOST_STEPS,
            rows: at(&joined(&times, &drawn)),
            error: ErrorWish::Off,
            ..options.clone()
        };
        let mut watched = Watched::new(keep_going);
        let run = simulate(compiled, &options, &mut watched)?;
        let reached = run.outcome.t_reached;
        match (run.outcome.status, &run.digits) {
            (Status::Interrupted, _) => return Err(CompareError::Interrupted),
            // a stop condition ends what can be compared: the times are spread over that
            (Status::Ok, Some(_)) if reached < end && end == to => end = reached,
            // fewer digits than were asked for are a reference all the same
            (_, Some(digits)) => {
                return Ok(Reference::new(digits.clone(), &states, &times, drawn, &watched.memory, &run));
            }
            (_, None) => {
                let reason = run.reason.as_ref().map_or("it stopped early", |reason| &reason.message);
                return Err(CompareError::NoReference(format!("{}: {reason}", run.methods())));
            }
        }
    }
}

/// Evenly spaced times; without the end where that is a stop, which is compared by itself.
fn times(from: f64, end: f64, stops: bool) -> Vec<f64> {
    let parts = if stops { TIMES } else { TIMES - 1 };
    let mut times: Vec<f64> = (0..TIMES).map(|k| (from + (end - from) * (k as f64 / parts as f64)).min(end)).collect();
    times.dedup();
    times
}

/// All of the times, each once.
fn joined(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut all = [one, other].concat();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

pub(super) fn at(times: &[f64]) -> RowTimes {
    RowTimes::At(times.iter().map(|t| format!("{t:?}")).collect())
}

impl Reference {
    fn new(
        digits: DigitsReport,
        states: &[String],
        times: &[f64],
        drawn: Vec<f64>,
        memory: &Memory,
        run: &Run,
    ) -> Reference {
        let plane = plane(states, memory, &drawn);
        let mut columns: Vec<Vec<f64>> = states.iter().map(|name| aligned(memory, name, times)).collect();
        let reached = (0..times.len()).take_while(|&k| columns.iter().all(|column| column[k].is_finite())).count();
        let times = &times[..reached.max(1).min(times.len())];
        columns.iter_mut().for_each(|column| column.truncate(times.len()));
        let largest = |column: &Vec<f64>| column.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale: Vec<f64> = columns.iter().map(largest).collect();
        // A state that stays zero, but for rounding, is measured by the others.
        let other = scale.iter().copied().fold(0.0, f64::max);
        let measured = |s: f64| if s > ROUNDING * other { s } else { other };
        let scale = scale.into_iter().map(measured).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
        Reference {
            // rows are doubles, whatever they were computed with
            error: 10f64.powf(-digits.reached).max(f64::EPSILON),
            digits,
            states: states.to_vec(),
            times: times.to_vec(),
            last: last_values(states, run),
            t_end: run.outcome.t_reached,
            drawn,
            plane,
            columns,
            scale,
        }
    }

    /// The rows that a run must have to be compared.
    pub fn row_times(&self) -> RowTimes {
        at(&joined(&self.times, &self.drawn))
    }

    /// max over states and times of |computed − reference| / max|reference|; infinite where a row is missing or not finite. A run
    /// that stops by itself stays at its last values, and so does the reference; the difference of the two ends counts as a
    /// part of the time compared.
    pub fn error(&self, memory: &Memory, run: &Run) -> f64 {
        let end = run.outcome.t_reached;
        let span = self.t_end - self.times[0];
        let mut largest = if end == self.t_end { 0.0 } else { (end - self.t_end).abs() / span };
        let lasts = last_values(&self.states, run);
        for (k, (name, column)) in self.states.iter().zip(&self.columns).enumerate() {
            let rows = aligned(memory, name, &self.times);
            let rows = rows.iter().zip(&self.times).map(|(row, t)| if *t > end { lasts[k] } else { *row });
            let pairs = rows.zip(column.iter().copied());
            // an end that both reach is among the times
            let stops = (end != self.t_end || self.times.last() < Some(&end)).then_some((lasts[k], self.last[k]));
            for (found, expected) in pairs.chain(stops) {
                let error = (found - expected).abs() / self.scale[k];
                largest = if error.is_nan() { f64::INFINITY } else { largest.max(error) };
            }
        }
        largest
    }

    /// What a run says of its own global error, in the same units.
    pub fn estimate(&self, error: &GlobalError) -> f64 {
        let of = |name: &String| error.names.iter().position(|known| known == name).map_or(0.0, |k| error.largest[k]);
        self.states.iter().zip(&self.scale).map(|(name, scale)| of(name) / scale).fold(0.0, f64::max)
    }

    /// The first two states of a run at the times of the circle test, if there are two.
    pub fn plane_of(&self, memory: &Memory) -> Option<(Vec<f64>, Vec<f64>)> {
        plane(&self.states, memory, &self.drawn)
    }
}

fn plane(states: &[String], memory: &Memory, times: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let column = |k: usize| Some(aligned(memory, states.get(k)?, times));
    Some((column(0)?, column(1)?))
}

/// The states where a run ended.
fn last_values(states: &[String], run: &Run) -> Vec<f64> {
    states.iter().map(|name| run.final_value(name).unwrap_or(f64::NAN)).collect()
}

/// A column at the given times; of two rows at one time, before and after an event, the second. NaN where there is none.
pub(super) fn aligned(memory: &Memory, name: &str, times: &[f64]) -> Vec<f64> {
    let (Some(t), Some(values)) = (memory.columns.first(), memory.column(name)) else {
        return vec![f64::NAN; times.len()];
    };
    let mut k = 0;
    let value = |time: &f64| {
        while k < t.len() && t[k] < *time {
            k += 1;
        }
        let mut found = f64::NAN;
        while k < t.len() && t[k] == *time {
            found = values[k];
            k += 1;
        }
        found
    };
    times.iter().map(value).collect()
}
