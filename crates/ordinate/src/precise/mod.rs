//! Runs beyond double precision: the Taylor series method over numbers of as many digits as are asked for. Everything
//! that a run begins with, times, parameters, start values, is evaluated in its own precision.

mod error;
mod rows;
mod session;

use crate::clock::Stopwatch;
use crate::methods::choose;
use crate::residual::{At, TextCheck};
use crate::run::{rounded_times, solver_options};
use crate::{Compiled, ErrorWish, GlobalError, Run, RunError, RunOptions, Seconds, explain};
use ordinate_numbers::{Big, DoubleDouble, MAX_DIGITS};
use ordinate_program::Constant;
use ordinate_solve::{Outcome, PreciseOutcome, Status};
pub(crate) use rows::Times;
use rows::{Writer, add};
pub(crate) use session::{Session, obstacle};

/// The result of a run beyond double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct PreciseResult {
    /// Decimal digits of its arithmetic.
    pub digits: u32,
    /// The last values of the stored columns, with all digits.
    pub final_text: Vec<(String, String)>,
}

/// So many digits double-doubles have, without those that a run loses on its way.
pub(crate) const DOUBLE_DOUBLE_DIGITS: u32 = 28;

/// Highest order that may be given.
const HIGHEST_ORDER: u32 = 4096;

/// Runs a model with numbers of `digits` decimal digits; rows show `shown` of them.
pub(crate) fn simulate(
    compiled: &Compiled,
    options: &RunOptions,
    digits: u32,
    shown: u32,
    sink: &mut dyn crate::RowSink,
) -> Result<Run, RunError> {
    check(options, digits)?;
    if let Some(why) = obstacle(compiled) {
        return Err(RunError::Usage(format!(
            "{why}: such a model runs in double precision only; leave `--precision` out"
        )));
    }
    if digits <= DOUBLE_DOUBLE_DIGITS {
        write::<DoubleDouble>(compiled, options, digits, shown, sink)
    } else {
        write::<Big>(compiled, options, digits, shown, sink)
    }
}

/// Refuses options that mean nothing in another precision.
fn check(options: &RunOptions, digits: u32) -> Result<(), RunError> {
    let usage = |text: String| Err(RunError::Usage(text));
    let plain = RunOptions { order: None, max_order: None, ..options.clone() };
    let (choice, automatic) = choose(&plain)?;
    if !automatic && choice.name() != "taylor" {
        return usage(format!(
            "`{}` runs in double precision only; beyond it there is `taylor`, whose order grows with the digits",
            choice.name()
        ));
    }
    if digits == 0 || digits > MAX_DIGITS {
        return usage(format!("the precision must lie between 1 and {MAX_DIGITS} digits, not {digits}"));
    }
    if options.max_order.is_some() || options.h_scale.is_some() || options.h_max.is_some() {
        return usage(
            "`--max-order`, `--h-scale` and `--max-step` cannot be combined with `--precision`: order and step \
             follow from it"
                .into(),
        );
    }
    match options.order.filter(|order| !(1..=HIGHEST_ORDER).contains(order)) {
        Some(order) => usage(format!("the order must lie between 1 and {HIGHEST_ORDER}, not {order}")),
        None => Ok(()),
    }
}

fn write<N: Constant>(
    compiled: &Compiled,
    options: &RunOptions,
    digits: u32,
    shown: u32,
    sink: &mut dyn crate::RowSink,
) -> Result<Run, RunError> {
    let (t_start, t_end) = rounded_times(compiled, options)?;
    // for its messages about rows and steps that make no sense
    solver_options(options, t_start, t_end, &compiled.parameter_values())?;
    let mut session = Session::<N>::new(compiled, options, digits)?;
    let mut writer = Writer::new(compiled, options, &session, shown, &mut *sink)?;
    let begin = Stopwatch::start();
    let precise = session.run(options, f64::INFINITY, &mut writer);
    let mut seconds = vec![begin.seconds()];
    if let Some(error) = writer.failure {
        return Err(RunError::Rows(error));
    }
    let rows = writer.rows;
    let mut end = writer.values(&precise.t, &precise.y);
    let mut error = None;
    if let ErrorWish::Estimate { correct, .. } = options.error {
        writer.sink.solved();
        let mut found = error::global_error(compiled, options, [digits, shown], &writer.kept, &end, writer.sink);
        writer.release(&found).map_err(RunError::Rows)?;
        if correct {
            found.corrected = true;
            add(&mut end[1..], &found.last);
        }
        error = Some(found);
    }
    let (values, texts) = writer.texts(&end);
    let interrupted = matches!(precise.reason, Some(ordinate_solve::Reason::Interrupted { .. }));
    for _ in 1..if interrupted { 1 } else { options.repeat.max(1) } {
        let silent = RunOptions { error: ErrorWish::Off, ..options.clone() };
        let mut nowhere = crate::Discard;
        let mut writer = Writer::new(compiled, &silent, &session, shown, &mut nowhere)?;
        let begin = Stopwatch::start();
        session.run(options, f64::INFINITY, &mut writer);
        seconds.push(begin.seconds());
    }
    let solution = seconds[0];
    seconds.sort_by(f64::total_cmp);
    let mut outcome = rounded(&precise);
    let violation = violated_at_end(compiled, options, (t_start, t_end), &outcome)?;
    if violation.is_some() {
        outcome.status = Status::Stopped;
        error.iter_mut().for_each(GlobalError::lose);
    }
    let names: Vec<String> = compiled.stored_names().into_iter().skip(1).collect();
    Ok(Run {
        method: "taylor",
        order: outcome.statistics.order_max,
        automatic: options.method.eq_ignore_ascii_case("auto"),
        step: options.step,
        t_start,
        t_end,
        reason: violation.or_else(|| explain::explain(&outcome, compiled)),
        final_values: names.iter().cloned().zip(values).collect(),
        error,
        rows,
        conflict: None,
        notes: Vec::new(),
        not_finite: None,
        beyond: None,
        dense: None,
        seconds: Seconds { solve: seconds[0], solve_median: seconds[seconds.len() / 2], solution },
        outcome,
        precise: Some(PreciseResult { digits, final_text: names.into_iter().zip(texts).collect() }),
        digits: None,
    })
}

/// The equations as typed, compared with the end of a run, rounded to doubles.
fn violated_at_end(
    compiled: &Compiled,
    options: &RunOptions,
    (t_start, t_end): (f64, f64),
    outcome: &Outcome,
) -> Result<Option<explain::Explanation>, RunError> {
    let solver_options = solver_options(options, t_start, t_end, &compiled.parameter_values())?;
    let Some(mut check) = TextCheck::new(compiled, compiled.evaluator(), &solver_options, t_end - t_start) else {
        return Ok(None);
    };
    if outcome.status == Status::Ok {
        check.holds(&At { t: outcome.t_reached, y: &outcome.y, d: &outcome.d, sliding: None });
    }
    Ok(check.violation.as_ref().map(explain::violated))
}

/// The outcome in double precision.
fn rounded<N: Constant>(precise: &PreciseOutcome<N>) -> Outcome {
    Outcome {
        defect: None,
        status: precise.reason.map_or(Status::Ok, |reason| reason.status()),
        reason: precise.reason,
        t_reached: precise.t.to_f64(),
        y: precise.y.iter().map(N::to_f64).collect(),
        d: Vec::new(),
        delayed: Vec::new(),
        sliding: None,
        inconsistency: None,
        below_atol: None,
        step: None,
        statistics: precise.statistics,
        stiff: false,
        chosen: None,
        exceeds: false,
        error: None,
        energy: None,
        conflict: None,
        selections: Vec::new(),
        grazes: Vec::new(),
        true_at_start: Vec::new(),
    }
}
