//! `--digits N`: a result whose states have N correct digits, or a refusal that says how many can be had.
//!
//! ```text
//!   |error of a state| ≤ 10^−N · max |that state|     over the run
//! ```
//!
//! Nothing is taken on trust: what is delivered was compared with another run, over numbers of more digits where the model
//! allows it, otherwise by another method. Constants are exact decimals in the former, so what doubles lose before they
//! begin is seen, too.

mod samples;

use crate::precise::{self, obstacle};
use crate::run::{self, rounded_times, solver_options};
use crate::{Compiled, GlobalError, RowSink, Run, RunError, RunOptions, explain::Explanation, short};
use ordinate_model::Sorted;
use ordinate_solve::{AUTOMATIC, MAX_DIGITS, Reason, Status, by_name};
use samples::{Allowance, Difference, Grid, Samples};
use serde_json::{Value, json};
use std::sync::Arc;

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
        let answer = if self.delivered { "yes" } else { "no" };
        let reached = (self.reached * 10.0).floor() / 10.0;
        let numbers = match self.precision {
            DOUBLE_DIGITS => "doubles".to_string(),
            digits => format!("numbers of {digits} digits"),
        };
        format!(
            "{} digits: {answer} ({reached} by comparison of {} in {numbers} with {})",
            self.asked, self.method, self.checked_by
        )
    }
}

/// Digits of doubles.
const DOUBLE_DIGITS: u32 = 16;

/// More digits than this are not tried in double precision.
const MOST_IN_DOUBLES: u32 = 14;

/// The highest number that may be asked for; chaos needs some beyond.
const MOST_ASKED: u32 = 500;

/// Products of numbers that one run may cost: less than a minute; and where the model is stiff, for which this method is
/// not made.
const MAX_PRODUCTS: f64 = 1e9;
const MAX_PRODUCTS_STIFF: f64 = 6e7;

/// Products of a whole search: some minutes.
const MAX_PRODUCTS_IN_ALL: f64 = 4e9;

/// Steps of a method that is only compared with, an explicit or an implicit one.
const MAX_STEPS_OF_CHECK: u64 = 2_000_000;
const MAX_IMPLICIT_STEPS: u64 = 300_000;

/// By so many times its rounding a constant is moved to see what that does.
const DISTURBANCE: f64 = 32.0;

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
    let allowance = Allowance::new(&mut *sink, MAX_PRODUCTS_IN_ALL);
    let plan =
        Search { options: &options, asked, grid: Grid { compiled, allowance: &allowance, parts, range } }.plan()?;
    let interrupted = allowance.interrupted();
    match plan {
        // Whoever ends the search ends this run, too, and finds its first rows.
        _ if interrupted => run::simulate(compiled, &options, sink),
        Plan::Found(found) => deliver(compiled, &options, asked, found, sink),
        Plan::Ended(options) => run::simulate(compiled, &options, sink),
    }
}

/// The global error of a run beyond double precision: its difference from one of more digits or, where steps or order are given,
/// of shorter steps.
pub(crate) fn precise_error(
    compiled: &Compiled,
    options: &RunOptions,
    digits: u32,
    sink: &mut dyn RowSink,
) -> Option<GlobalError> {
    let range = rounded_times(compiled, options).ok()?;
    let parts = (MAX_SAMPLES / compiled.program.visible.max(1)).clamp(4, 128);
    let allowance = Allowance::new(sink, f64::INFINITY);
    let grid = Grid { compiled, allowance: &allowance, parts, range };
    let (own, ended) = grid.precise(options, digits, f64::INFINITY).ok()?;
    let step = options.step.map(|h| 0.5 * h);
    let more =
        RunOptions { step, order: options.order.map(|p| if step.is_some() { p } else { p + 2 }), ..options.clone() };
    let (other, _) = grid.precise(&more, digits + 4, f64::INFINITY).ok()?;
    if allowance.interrupted() {
        return None;
    }
    let (mut largest, last) = own.differences(&other);
    // Both may compute with the same number of words; more digits than were asked for are not promised.
    let last_digit = 10f64.powf(-f64::from(digits));
    largest.iter_mut().zip(own.scales()).for_each(|(error, scale)| *error = error.max(last_digit * scale));
    let states = compiled.program.visible;
    let names: Vec<String> = compiled.stored_names()[1..].iter().take(largest.len()).cloned().collect();
    Some(GlobalError {
        names,
        states: states.min(largest.len()),
        largest,
        last,
        rows: Vec::new(),
        until: range.1,
        complete: ended.is_none() && own.reaches_as_far_as(&other),
        lost: None,
        corrected: false,
    })
}

/// What is run in the end.
enum Plan {
    Found(Found),
    /// The run ends early, digits or not.
    Ended(RunOptions),
}

/// A way to solve the model, and what is known about it.
struct Found {
    options: RunOptions,
    precision: Option<u32>,
    reached: f64,
    state: usize,
    checked_by: String,
    why: Option<String>,
}

struct Search<'a, 's> {
    options: &'a RunOptions,
    asked: u32,
    grid: Grid<'a, 's>,
}

impl Search<'_, '_> {
    /// Finds a way with the digits asked for, or with as many as there are.
    fn plan(&self) -> Result<Plan, RunError> {
        // A first look: how large the states are, whether the run reaches its end, whether it is stiff.
        let first = RunOptions { rtol: 1e-9, atol: 1e-12, ..self.options.clone() };
        let (look, samples) = self.grid.doubles(&first)?;
        if look.outcome.status != Status::Ok || look.reason.as_ref().is_some_and(|r| r.kind == "inconsistent_start") {
            return Ok(Plan::Ended(RunOptions { rtol: 1e-12, atol: 1e-14, ..self.options.clone() }));
        }
        let implicit = |name: &str| ["radau", "bdf"].iter().any(|family| name.contains(family));
        let stiff = look.outcome.stiff || implicit(&look.methods());
        let named = !self.options.method.eq_ignore_ascii_case(AUTOMATIC);
        let taylor = by_name(&self.options.method).is_some_and(|choice| choice.name() == "taylor");
        match obstacle(self.grid.compiled) {
            Some(why) => self.in_doubles(&samples, stiff, why),
            None if named && !taylor => self.named_method(&samples),
            None => self.beyond_doubles(&samples, stiff),
        }
    }

    /// Tolerances for so many digits of states of these sizes.
    fn tolerances(&self, method: &str, exponent: f64, scales: &[f64]) -> RunOptions {
        let rtol = 10f64.powf(-exponent).max(1e-15);
        let mut atol: Vec<f64> = scales.iter().map(|scale| (scale * rtol).max(1e-300)).collect();
        let largest = scales.iter().copied().fold(1.0, f64::max);
        // states that are not shown are measured by what is
        atol.truncate(self.grid.compiled.program.visible);
        atol.resize(self.grid.compiled.program.layout.states, rtol * largest);
        RunOptions { method: method.into(), rtol, atol_each: Some(atol), ..self.options.clone() }
    }

    fn enough(&self, found: &Difference) -> bool {
        found.digits >= f64::from(self.asked)
    }

    /// Runs in doubles compared with one of more digits; then runs of more digits compared with each other.
    fn beyond_doubles(&self, look: &Samples, stiff: bool) -> Result<Plan, RunError> {
        let limit = if stiff { MAX_PRODUCTS_STIFF } else { MAX_PRODUCTS };
        let mut digits = (self.asked + 8).max(20);
        let (mut candidate, ended) = self.grid.precise(self.options, digits, limit)?;
        if matches!(ended, Some(Reason::MaxSteps { .. })) {
            let why = "the model is too stiff or too long for the method that works beyond double precision";
            return self.in_doubles(look, stiff, why.into());
        }
        if ended.is_some() {
            return Ok(Plan::Ended(RunOptions { precision: Some(digits), ..self.options.clone() }));
        }
        let scales = candidate.scales();
        if self.asked <= MOST_IN_DOUBLES {
            for exponent in [1.0, 3.0] {
                let options = self.tolerances(&self.options.method, f64::from(self.asked) + exponent, &scales);
                let (_, samples) = self.grid.doubles(&options)?;
                let found = candidate.difference(&samples);
                if self.enough(&found) && samples.reaches_as_far_as(&candidate) {
                    let checked_by = self.second_opinion(&candidate, &scales, stiff, digits)?;
                    return Ok(Plan::Found(Found {
                        options,
                        precision: None,
                        reached: found.digits,
                        state: found.state,
                        checked_by,
                        why: None,
                    }));
                }
            }
        }
        let mut best: Option<(u32, Difference)> = None;
        let mut needed = None;
        for _ in 0..6 {
            let more = digits + 4;
            let (reference, ended) = self.grid.precise(self.options, more, limit)?;
            if ended.is_some() {
                break;
            }
            let found = reference.difference(&candidate);
            if best.is_none_or(|(_, known)| known.digits < found.digits) {
                best = Some((more, found));
            }
            if self.enough(&found) {
                break;
            }
            digits = self.next_digits(digits, &found);
            if digits > MAX_DIGITS - 4 || !self.grid.allowance.affords(digits, limit) {
                needed = Some(digits);
                break;
            }
            let (next, ended) = self.grid.precise(self.options, digits, limit)?;
            if ended.is_some() {
                break;
            }
            candidate = next;
        }
        let Some((digits, found)) = best else {
            return self.in_doubles(look, stiff, "a run beyond double precision did not reach the end".into());
        };
        let why = (!self.enough(&found)).then(|| {
            let lost = found.lost.map_or_else(String::new, |part| {
                let (from, to) = self.grid.range;
                format!("; with {digits} digits the last one is lost at t = {}", short(from + part * (to - from)))
            });
            let needed = needed.map_or_else(String::new, |needed| {
                format!("; about {needed} would be needed, which is too much work for a search (`--precision {needed}` does it unasked)")
            });
            format!("the solution amplifies every error too much{lost}{needed}")
        });
        Ok(Plan::Found(Found {
            options: self.options.clone(),
            precision: Some(digits),
            reached: found.digits,
            state: found.state,
            checked_by: format!("taylor in numbers of {} digits", digits - 4),
            why,
        }))
    }

    /// How many digits the arithmetic needs, as far as two runs tell. Errors grow exponentially where they grow much, so a
    /// run that lost all its digits after a part of its time needs so many for each such part.
    fn next_digits(&self, digits: u32, found: &Difference) -> u32 {
        let needed = match found.lost {
            Some(part) => f64::from(digits) / part + f64::from(self.asked) + 2.0,
            None => f64::from(digits + self.asked) - found.digits + 3.0,
        };
        (needed.ceil() as u32).clamp(digits + 4, 4 * MAX_DIGITS)
    }

    /// What a result in doubles was compared with: numbers of more digits, and an independent method where that can tell.
    fn second_opinion(
        &self,
        reference: &Samples,
        scales: &[f64],
        stiff: bool,
        digits: u32,
    ) -> Result<String, RunError> {
        let own = format!("taylor in numbers of {digits} digits");
        if stiff {
            return Ok(own);
        }
        let exponent = f64::from(self.asked.min(11)) + 2.0;
        let options = self.tolerances("dp8", exponent, scales);
        let (run, samples) = self.grid.doubles(&RunOptions { max_steps: MAX_STEPS_OF_CHECK, ..options })?;
        let found = reference.difference(&samples);
        if run.outcome.status != Status::Ok {
            return Ok(own);
        }
        Ok(format!("{own}, which dp8 confirms to {:.1}", found.digits))
    }

    /// A method that was asked for, compared with numbers of more digits.
    fn named_method(&self, look: &Samples) -> Result<Plan, RunError> {
        let digits = (self.asked + 8).max(20);
        let (reference, ended) = self.grid.precise(self.options, digits, MAX_PRODUCTS)?;
        if ended.is_some() {
            let why = format!("`{}` runs in double precision only", self.options.method);
            return self.in_doubles(look, true, why);
        }
        let mut best: Option<Found> = None;
        for exponent in [1.0, 2.5, 4.0] {
            let options = self.tolerances(&self.options.method, f64::from(self.asked) + exponent, &reference.scales());
            let (run, samples) = self.grid.doubles(&options)?;
            let found = reference.difference(&samples);
            if run.outcome.status != Status::Ok || best.as_ref().is_some_and(|known| known.reached >= found.digits) {
                break;
            }
            best = Some(Found {
                options,
                precision: None,
                reached: found.digits,
                state: found.state,
                checked_by: format!("taylor in numbers of {digits} digits"),
                why: (!self.enough(&found))
                    .then(|| format!("`{}` loses them; without `-m` there may be more", self.options.method)),
            });
            if self.enough(&found) {
                break;
            }
        }
        match best {
            Some(found) => Ok(Plan::Found(found)),
            None => Ok(Plan::Ended(self.options.clone())),
        }
    }

    /// Runs in doubles compared with a finer tolerance and with another method.
    fn in_doubles(&self, look: &Samples, stiff: bool, why: String) -> Result<Plan, RunError> {
        let scales = look.scales();
        let implicit = stiff || self.grid.compiled.program.layout.algebraic > 0;
        let other = if implicit { "bdf" } else { "dp8" };
        let mut best: Option<Found> = None;
        let mut before: Option<Samples> = None;
        for exponent in [1.0, 2.0, 3.0, 4.0] {
            let exponent = (f64::from(self.asked.min(12)) + exponent).min(14.5);
            let options = self.tolerances(&self.options.method, exponent, &scales);
            let (run, samples) = self.grid.doubles(&options)?;
            if run.outcome.status != Status::Ok {
                break;
            }
            if let Some(coarser) = before.replace(samples) {
                let samples = before.as_ref().expect("it was put there");
                let mut found = samples.difference(&coarser);
                let mut opinion = String::new();
                // The other method is asked only where there is something to confirm.
                if self.enough(&found) || best.as_ref().is_none_or(|known| known.reached < found.digits) {
                    let (confirmed, text) = self.other_method(samples, other, implicit, &scales)?;
                    opinion = text;
                    if confirmed.digits < found.digits {
                        found = confirmed;
                    }
                }
                if best.as_ref().is_none_or(|known| known.reached < found.digits) {
                    best = Some(Found {
                        options,
                        precision: None,
                        reached: found.digits,
                        state: found.state,
                        checked_by: format!("a coarser tolerance and {opinion}"),
                        why: (!self.enough(&found)).then(|| format!("doubles give no more here, and {why}")),
                    });
                }
                if self.enough(&found) {
                    break;
                }
            }
        }
        match best {
            Some(found) => self.with_rounded_constants(found, before.as_ref(), &why),
            None => Ok(Plan::Ended(RunOptions { rtol: 1e-12, atol: 1e-14, ..self.options.clone() })),
        }
    }

    /// What rounding of the constants costs, which all runs in doubles share: found by a run with constants that are
    /// wrong by a multiple of it.
    fn with_rounded_constants(&self, found: Found, samples: Option<&Samples>, why: &str) -> Result<Plan, RunError> {
        let Some(samples) = samples else { return Ok(Plan::Found(found)) };
        let mut program = ordinate_program::compile(&mut Sorted::clone(&self.grid.compiled.sorted), true);
        program.disturb_constants(DISTURBANCE);
        let compiled = Compiled { program: Arc::new(program), ..self.grid.compiled.clone() };
        let Grid { allowance, parts, range, .. } = self.grid;
        let grid = Grid { compiled: &compiled, allowance, parts, range };
        let (run, disturbed) = grid.doubles(&found.options)?;
        let cost = samples.difference(&disturbed);
        let digits = cost.digits + DISTURBANCE.log10();
        if run.outcome.status != Status::Ok || digits >= found.reached {
            return Ok(Plan::Found(found));
        }
        let enough = digits >= f64::from(self.asked);
        Ok(Plan::Found(Found {
            reached: digits,
            state: cost.state,
            checked_by: format!("{}, and with other roundings of its constants", found.checked_by),
            why: (!enough).then(|| format!("rounding of the constants costs the others, and {why}")),
            ..found
        }))
    }

    /// How another method sees it. It may have fewer digits itself; that it comes nearer with a finer tolerance is then as
    /// much as it can say, and its digits do not count.
    fn other_method(
        &self,
        samples: &Samples,
        method: &str,
        implicit: bool,
        scales: &[f64],
    ) -> Result<(Difference, String), RunError> {
        let max_steps = if implicit { MAX_IMPLICIT_STEPS } else { MAX_STEPS_OF_CHECK };
        let look = |exponent: f64| {
            let options = self.tolerances(method, exponent, scales);
            let (run, other) = self.grid.doubles(&RunOptions { max_steps, ..options })?;
            Ok((run.outcome.status == Status::Ok).then(|| samples.difference(&other)))
        };
        let finest = (f64::from(self.asked) + 2.0).min(if implicit { 11.0 } else { 13.5 });
        // A tolerance that it cannot bear says nothing; a coarser one may.
        let mut exponent = finest;
        let mut fine = look(exponent)?;
        while fine.is_none() && exponent > 7.0 {
            exponent -= 3.0;
            fine = look(exponent)?;
        }
        let Some(fine) = fine else {
            let none = Difference { digits: 0.0, state: 0, lost: None };
            return Ok((none, format!("{method}, which does not reach the end")));
        };
        if fine.digits < f64::from(self.asked) {
            let coarse = look(exponent - 2.0)?;
            if coarse.is_some_and(|coarse| fine.digits > coarse.digits + 1.0 && fine.digits > 4.0) {
                let all = Difference { digits: f64::INFINITY, ..fine };
                return Ok((all, format!("{method}, which comes near it (to {:.1} digits)", fine.digits)));
            }
        }
        Ok((fine, method.to_string()))
    }
}

/// The run that was found, with what is known about it.
fn deliver(
    compiled: &Compiled,
    options: &RunOptions,
    asked: u32,
    found: Found,
    sink: &mut dyn RowSink,
) -> Result<Run, RunError> {
    let mut run = match found.precision {
        Some(digits) => precise::simulate(compiled, options, digits, (asked + 2).max(17), sink)?,
        None => run::simulate(compiled, &found.options, sink)?,
    };
    let delivered = found.why.is_none();
    let report = DigitsReport {
        asked,
        reached: found.reached,
        delivered,
        method: run.methods(),
        precision: found.precision.unwrap_or(DOUBLE_DIGITS),
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
    let name = variable.map_or_else(String::new, |name| format!(", mostly in `{name}`"));
    let why = report.why.as_deref().unwrap_or("doubles give no more");
    Explanation {
        kind: "precision_unreachable",
        t,
        variable: variable.cloned(),
        message: format!("{} digits cannot be had, {reached} can{name}: {why}", report.asked),
        hint: match reached {
            0 => "shorten the run with `-t`: the digits are lost on the way".into(),
            _ => {
                format!("the result is stored all the same; ask for `--digits {reached}`, or shorten the run with `-t`")
            }
        },
    }
}
