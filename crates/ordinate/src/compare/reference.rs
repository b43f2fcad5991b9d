//! What the errors of a comparison are measured against.

use super::{CompareError, Watched};
use crate::{Compiled, DigitsReport, ErrorWish, GlobalError, Memory, RowTimes, RunError, RunOptions, simulate};
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
    /// The largest value of each state.
    scale: Vec<f64>,
}

/// Times that are compared.
const TIMES: usize = 601;
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
    let (from, to) = crate::run_range(compiled, options).ok_or(RunError::NoEndTime)?;
    let times: Vec<f64> = (0..TIMES).map(|k| from + (to - from) * (k as f64 / (TIMES - 1) as f64)).collect();
    // a model may have states that nobody named; what is stored shows them
    let states = match &compiled.program.state_names[..compiled.program.visible] {
        [] => compiled.stored_names().into_iter().skip(1).collect(),
        named => named.to_vec(),
    };
    if compiled.program.layout.states == 0 || states.is_empty() {
        let nothing = "the model has no states, so there is nothing to solve and to compare";
        return Err(RunError::Usage(nothing.into()).into());
    }
    let options = RunOptions {
        digits: Some(DIGITS),
        max_steps: MOST_STEPS,
        rows: at(&times),
        error: ErrorWish::Off,
        ..options.clone()
    };
    let mut watched = Watched::new(keep_going);
    let run = simulate(compiled, &options, &mut watched)?;
    match (run.outcome.status, &run.digits) {
        (Status::Interrupted, _) => Err(CompareError::Interrupted),
        // fewer digits than were asked for are a reference all the same
        (_, Some(digits)) => Ok(Reference::new(digits.clone(), &states, &times, &watched.memory)),
        (_, None) => {
            let reason = run.reason.as_ref().map_or("it stopped early", |reason| &reason.message);
            Err(CompareError::NoReference(format!("{}: {reason}", run.methods())))
        }
    }
}

fn at(times: &[f64]) -> RowTimes {
    RowTimes::At(times.iter().map(|t| format!("{t:?}")).collect())
}

impl Reference {
    fn new(digits: DigitsReport, states: &[String], times: &[f64], memory: &Memory) -> Reference {
        let mut columns: Vec<Vec<f64>> = states.iter().map(|name| aligned(memory, name, times)).collect();
        // Where a stop condition ends the run, the last row before it may be beyond the end that others find.
        let reached = (0..times.len()).take_while(|&k| columns.iter().all(|column| column[k].is_finite())).count();
        let kept = if reached < times.len() { reached.saturating_sub(1).max(1) } else { reached };
        let times = &times[..kept.min(times.len())];
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
            columns,
            scale,
        }
    }

    /// The rows that a run must have to be compared.
    pub fn row_times(&self) -> RowTimes {
        at(&self.times)
    }

    /// max over states and times of |computed − reference| / max|reference|; infinite where a row is missing or not finite.
    pub fn error(&self, memory: &Memory) -> f64 {
        let mut largest = 0.0f64;
        for ((name, column), scale) in self.states.iter().zip(&self.columns).zip(&self.scale) {
            for (found, expected) in aligned(memory, name, &self.times).iter().zip(column) {
                let error = (found - expected).abs() / scale;
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

    /// The first two states of a run, if there are two.
    pub fn plane(&self, memory: &Memory) -> Option<(Vec<f64>, Vec<f64>)> {
        let column = |k: usize| Some(aligned(memory, self.states.get(k)?, &self.times));
        Some((column(0)?, column(1)?))
    }
}

/// A column at the given times; of two rows at one time, before and after an event, the second. NaN where there is none.
fn aligned(memory: &Memory, name: &str, times: &[f64]) -> Vec<f64> {
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
