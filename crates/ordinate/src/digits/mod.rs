//! `--digits N`: a result whose states have N correct digits, or a refusal that says how many can be had.
//!
//! ```text
//!   |error of a state| ≤ 10^−N · max |that state|     over the run
//! ```
//!
//! Nothing is taken on trust: what is delivered was compared with another run, over numbers of more digits where the model
//! allows it, otherwise by another method. Constants are exact decimals in the former, so what doubles lose before they
//! begin is seen, too.

mod doubles;
mod samples;
mod search;

use crate::precise;
use crate::run::{self, rounded_times, solver_options};
use crate::{Compiled, ReasonKind, RowSink, Run, RunError, RunOptions, explain::Explanation};
use ordinate_solve::Status;
use samples::{Allowance, Grid};
use search::{Found, Plan, Search};
use serde_json::{Value, json};

/// What became of the digits asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct DigitsReport {
    /// Digits asked for.
    pub asked: u32,
    /// Digits in which the result agrees with the one that it was compared with.
    pub reached: f64,
    /// Whether these are enough.
    pub delivered: bool,
    /// The method.
    pub method: String,
    /// Decimal digits of the arithmetic; 16 are doubles.
    pub precision: u32,
    /// What the result was compared with.
    pub checked_by: String,
    /// Why there are no more, if these are not enough.
    pub why: Option<String>,
}

impl DigitsReport {
    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({
            "asked": self.asked,
            "reached": (self.reached * 10.0).floor() / 10.0,
            "delivered": self.delivered,
            "method": self.method,
            "precision": self.precision,
            "checked_by": self.checked_by,
            "why": self.why,
        })
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let answer = if self.delivered { "verified" } else { "not reached" };
        let reached = (self.reached * 10.0).floor() / 10.0;
        let numbers = match self.precision {
            DOUBLE_DIGITS => "in double precision".to_string(),
            digits => format!("in {digits}-digit arithmetic"),
        };
        format!(
            "{} digits {answer} ({} {numbers} agrees to {reached} with {})",
            self.asked, self.method, self.checked_by
        )
    }
}

/// Digits of doubles.
const DOUBLE_DIGITS: u32 = 16;

/// The highest number that may be asked for; chaos needs some beyond.
const MOST_ASKED: u32 = 500;

/// Products of a whole search: some minutes.
const MAX_PRODUCTS_IN_ALL: f64 = 4e9;

/// Numbers that are kept for comparison.
const MAX_SAMPLES: usize = 200_000;

/// Runs a model such that its states have `asked` correct digits.
pub(crate) fn simulate(
    compiled: &Compiled,
    options: &RunOptions,
    asked: u32,
    sink: &mut dyn RowSink,
) -> Result<Run, RunError> {
    if !(1..=MOST_ASKED).contains(&asked) {
        return Err(RunError::Usage(format!("`--digits` must lie between 1 and {MOST_ASKED}, not {asked}")));
    }
    let options = RunOptions { digits: None, ..options.clone() };
    let range = rounded_times(compiled, &options)?;
    solver_options(&options, range.0, range.1, &compiled.parameter_values())?;
    let parts = (MAX_SAMPLES / compiled.program.visible.max(1)).clamp(4, 128);
    let allowance = Allowance::new(&mut *sink, MAX_PRODUCTS_IN_ALL, compiled.stop.clone());
    let plan =
        Search { options: &options, asked, grid: Grid { compiled, allowance: &allowance, parts, range } }.plan()?;
    let interrupted = allowance.interrupted();
    match plan {
        // Whoever ends the search ends this run, too, and finds its first rows.
        _ if interrupted => run::simulate(compiled, &options, sink),
        Plan::Found(found) => deliver(compiled, asked, found, sink),
        Plan::Ended(options) => run::simulate(compiled, &options, sink),
    }
}

/// The run that was found, with what is known about it.
fn deliver(compiled: &Compiled, asked: u32, mut found: Found, sink: &mut dyn RowSink) -> Result<Run, RunError> {
    let precision = found.options.precision;
    let mut run = match precision {
        Some(digits) => precise::simulate(compiled, &found.options, digits, (asked + 2).max(17), sink)?,
        None => run::simulate(compiled, &found.options, sink)?,
    };
    // Two runs that both found nothing confirm nothing.
    if let Some((error, state)) = run.error.as_ref().and_then(|error| error.idle.map(|state| (error, state))) {
        (found.reached, found.state, found.why) = (0.0, state, error.gap());
    }
    let delivered = found.why.is_none();
    let report = DigitsReport {
        asked,
        reached: found.reached,
        delivered,
        method: run.methods(),
        precision: precision.unwrap_or(DOUBLE_DIGITS),
        checked_by: found.checked_by,
        why: found.why,
    };
    if !delivered && run.outcome.status == Status::Ok {
        run.outcome.status = Status::Stopped;
        let names = compiled.stored_names();
        run.reason = Some(refusal(&report, run.outcome.t_reached, names.get(found.state + 1)));
    }
    run.digits = Some(report);
    Ok(run)
}

fn refusal(report: &DigitsReport, t: f64, variable: Option<&String>) -> Explanation {
    let reached = report.reached.max(0.0).floor() as u32;
    let name = variable.map_or_else(String::new, |name| format!(", mainly in `{name}`"));
    let why = report.why.as_deref().unwrap_or("double precision gives no more");
    Explanation {
        kind: ReasonKind::PrecisionUnreachable.word(),
        t,
        variable: variable.cloned(),
        message: format!("{} digits cannot be reached, {reached} can{name}: {why}", report.asked),
        hint: match reached {
            0 => "shorten the run with `-t` if digits are lost on the way; give `--max-step` if a pulse may be \
                  stepped over"
                .into(),
            _ => {
                format!("the result is stored anyway; ask for `--digits {reached}`, or shorten the run with `-t`")
            }
        },
    }
}
