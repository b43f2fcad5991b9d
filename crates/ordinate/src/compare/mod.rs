//! The method laboratory: every method on one model, its true error against what it costs.

mod figures;
mod reference;
mod report;

pub use figures::Chart;
pub use reference::{Reference, reference};

use crate::{Compiled, ErrorWish, Memory, RowTimes, Run, RunError, RunOptions, Strip, methods, simulate};
use ordinate_solve::{Status, Work};

/// What is compared.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Names of the methods; all if empty.
    pub methods: Vec<String>,
    /// Relative tolerances, which are also the errors that methods of fixed steps are brought to.
    pub rtols: Vec<f64>,
    /// How often a run is timed.
    pub repeats: usize,
    /// Start time, an expression.
    pub t_start: Option<String>,
    /// End time, an expression.
    pub t_end: Option<String>,
    /// No run takes more steps than this.
    pub max_steps: u64,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            methods: Vec::new(),
            rtols: vec![1e-3, 1e-6, 1e-9, 1e-12],
            repeats: 5,
            t_start: None,
            t_end: None,
            max_steps: 100_000,
        }
    }
}

/// One run of one method.
#[derive(Clone, Debug)]
pub struct Row {
    /// The method.
    pub method: String,
    /// The relative tolerance, or the first of the errors that a fixed step was chosen for.
    pub rtol: f64,
    /// The fixed step, where the method does not choose its steps.
    pub step: Option<f64>,
    /// Steps taken.
    pub steps: u64,
    /// Steps rejected.
    pub rejected: u64,
    /// Evaluations of all kinds.
    pub work: Work,
    /// The mean order of the steps.
    mean_order: f64,
    /// The true error: the largest one over states and times, relative to the largest value of the state.
    pub error: f64,
    /// What the run itself says of it, in the same measure.
    pub estimate: Option<f64>,
    /// Median time of the repeated runs.
    pub seconds: f64,
    /// That time over the shortest one of any row that is at least as accurate.
    pub ratio: f64,
}

impl Row {
    /// Evaluations as one number: those of f, and of a series of order p as many as its p terms.
    pub fn evaluations(&self) -> f64 {
        self.work.f as f64 + self.work.jets as f64 * self.mean_order
    }
}

/// A method that did not do what it was asked for.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// The method.
    pub method: String,
    /// At which tolerance; `None` if it does not fit the model at all.
    pub rtol: Option<f64>,
    /// Why.
    pub reason: String,
}

/// What the pictures show of a method besides its rows.
#[derive(Clone, Debug)]
pub struct Traces {
    /// The method.
    pub method: String,
    /// The first two states over the times of the comparison at the loosest tolerance, and that tolerance.
    pub plane: Option<(f64, Vec<f64>, Vec<f64>)>,
    /// The steps at the tightest tolerance, and that tolerance.
    pub strip: Option<(f64, Strip)>,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What the source is called.
    pub name: String,
    /// Start and end of the runs.
    pub range: (f64, f64),
    /// What the errors are measured against.
    pub reference: Reference,
    /// All runs, by method and tolerance.
    pub rows: Vec<Row>,
    /// What could not be done.
    pub skipped: Vec<Skipped>,
    /// For pictures.
    pub traces: Vec<Traces>,
}

/// Why there is no comparison.
#[derive(Clone, Debug)]
pub enum CompareError {
    /// The runs cannot be begun.
    Run(RunError),
    /// No method reaches the end of the run, so there is nothing to compare with: what each of them says.
    NoReference(String),
}

impl From<RunError> for CompareError {
    fn from(error: RunError) -> CompareError {
        CompareError::Run(error)
    }
}

/// Runs a model with all methods that are asked for. `tell` hears the name of each method before its first run, and says
/// whether to go on.
pub fn compare(
    compiled: &Compiled,
    options: &CompareOptions,
    tell: &mut dyn FnMut(&str) -> bool,
) -> Result<Comparison, CompareError> {
    let asked = RunOptions {
        t_start: options.t_start.clone(),
        t_end: options.t_end.clone(),
        max_steps: options.max_steps,
        ..RunOptions::default()
    };
    let names = chosen_methods(options)?;
    let mut rtols = options.rtols.clone();
    rtols.sort_by(|a, b| b.total_cmp(a));
    rtols.dedup();
    tell("reference");
    let reference = reference(compiled, &asked)?;
    let range = crate::run_range(compiled, &asked).ok_or(RunError::NoEndTime)?;
    let (span, skipped) = (range.1 - range.0, Vec::new());
    let mut laboratory = Laboratory { compiled, asked, repeats: options.repeats, reference, span, skipped };
    let (mut rows, mut traces) = (Vec::new(), Vec::new());
    for (name, fixed) in names {
        if !tell(&name) {
            break;
        }
        let (found, trace) = laboratory.method(&name, fixed, &rtols);
        rows.extend(found);
        traces.push(trace);
    }
    set_ratios(&mut rows);
    let Laboratory { reference, skipped, .. } = laboratory;
    Ok(Comparison { name: compiled.name.clone(), range, reference, rows, skipped, traces })
}

/// The methods with whether they run with a fixed step only; the error names one that does not exist.
fn chosen_methods(options: &CompareOptions) -> Result<Vec<(String, bool)>, RunError> {
    let all = methods();
    if options.methods.is_empty() {
        return Ok(all.iter().map(|method| (method.name.to_string(), method.needs_step)).collect());
    }
    let mut chosen: Vec<(String, bool)> = Vec::new();
    for name in &options.methods {
        // an alias counts as the method it stands for
        let step = Some(1.0);
        let (choice, _) = crate::methods::choose(&RunOptions { method: name.clone(), step, ..RunOptions::default() })?;
        let entry = (choice.name().to_string(), choice.needs_step());
        if !chosen.contains(&entry) {
            chosen.push(entry);
        }
    }
    Ok(chosen)
}

/// Runs are timed again only if that costs less than this.
const WORTH_REPEATING: f64 = 0.2;
/// Fixed steps begin with so many per run.
const FIRST_STEPS: f64 = 16.0;
/// The absolute tolerance in units of the relative one, as in the defaults of a run.
const ATOL: f64 = 1e-3;

struct Laboratory<'a> {
    compiled: &'a Compiled,
    asked: RunOptions,
    repeats: usize,
    reference: Reference,
    /// Length of the run.
    span: f64,
    skipped: Vec<Skipped>,
}

impl Laboratory<'_> {
    fn skip(&mut self, method: &str, rtol: Option<f64>, reason: String) {
        self.skipped.push(Skipped { method: method.into(), rtol, reason });
    }

    /// All rows of a method, the loosest first.
    fn method(&mut self, name: &str, fixed: bool, rtols: &[f64]) -> (Vec<Row>, Traces) {
        let mut rows = Vec::new();
        let mut traces = Traces { method: name.into(), plane: None, strip: None };
        let mut step = self.span / FIRST_STEPS;
        for &rtol in rtols {
            let tried = match fixed {
                false => self.once(name, rtol, None),
                true => self.halved(name, rtol, &mut step),
            };
            match tried {
                Ok((row, memory)) => {
                    if traces.plane.is_none() {
                        traces.plane = self.reference.plane(&memory).map(|(x, y)| (rtol, x, y));
                    }
                    traces.strip = Some((rtol, memory.strip));
                    // a step that is short enough for the next error, too, is one row
                    let same = rows.last().is_some_and(|last: &Row| last.step.is_some() && last.step == row.step);
                    if !same {
                        rows.push(row);
                    }
                }
                Err(Refusal::Unfit(reason)) => {
                    self.skip(name, None, reason);
                    break;
                }
                Err(Refusal::Stopped { reason, last }) => {
                    self.skip(name, Some(rtol), reason);
                    if last {
                        break;
                    }
                }
            }
        }
        (rows, traces)
    }

    /// One run, timed.
    fn once(&self, name: &str, rtol: f64, step: Option<f64>) -> Result<(Row, Memory), Refusal> {
        let options = RunOptions {
            method: name.into(),
            rtol,
            atol: ATOL * rtol,
            step,
            rows: self.reference.row_times(),
            ..self.asked.clone()
        };
        let mut memory = Memory::default();
        let run = simulate(self.compiled, &options, &mut memory).map_err(unfit)?;
        finished(&run)?;
        let error = self.reference.error(&memory);
        if !error.is_finite() {
            return Err(Refusal::Stopped { reason: "the result is not finite".into(), last: false });
        }
        let mut seconds = run.seconds.solution;
        if self.repeats > 1 && seconds * self.repeats as f64 <= WORTH_REPEATING {
            // without the rows of the comparison, which only the error needs
            let rows = RowTimes::At(vec![format!("{:?}", run.t_end)]);
            let again = RunOptions { repeat: self.repeats, rows, error: ErrorWish::Off, ..options };
            seconds = simulate(self.compiled, &again, &mut crate::Discard).map_err(unfit)?.seconds.solve_median;
        }
        let statistics = &run.outcome.statistics;
        let row = Row {
            method: name.into(),
            rtol,
            step,
            steps: statistics.steps,
            rejected: statistics.rejected,
            work: statistics.evaluations,
            mean_order: statistics.order_mean(),
            error,
            estimate: run.error.as_ref().map(|error| self.reference.estimate(error)),
            seconds,
            ratio: 1.0,
        };
        Ok((row, memory))
    }

    /// The longest of the steps h, h/2, h/4, … whose error is at most `goal`; h is left where it ended.
    fn halved(&self, name: &str, goal: f64, h: &mut f64) -> Result<(Row, Memory), Refusal> {
        loop {
            if self.span / *h > self.asked.max_steps as f64 {
                let reason = format!("needs more than {} steps for this error", self.asked.max_steps);
                return Err(Refusal::Stopped { reason, last: true });
            }
            match self.once(name, goal, Some(*h)) {
                Ok((row, memory)) if row.error <= goal => return Ok((row, memory)),
                // too long a step may blow up where a shorter one does not
                Ok(_) | Err(Refusal::Stopped { last: false, .. }) => *h /= 2.0,
                Err(other) => return Err(other),
            }
        }
    }
}

/// Why there is no row.
enum Refusal {
    /// The method does not fit the model.
    Unfit(String),
    /// This run did not reach the end; with `last` no tighter one will.
    Stopped { reason: String, last: bool },
}

fn unfit(error: RunError) -> Refusal {
    match error {
        RunError::Usage(text) => Refusal::Unfit(text),
        RunError::NoEndTime => Refusal::Unfit("the run has no end time".into()),
        RunError::Model(found) => {
            Refusal::Unfit(found.first().map_or_else(|| "the model has mistakes".into(), |d| d.message.clone()))
        }
        RunError::Rows(error) => Refusal::Unfit(error.reason),
    }
}

fn finished(run: &Run) -> Result<(), Refusal> {
    match (&run.reason, run.outcome.status) {
        (_, Status::Ok) => Ok(()),
        (Some(reason), _) => Err(Refusal::Stopped {
            reason: format!("stopped at t = {}: {}", crate::short(reason.t), reason.message),
            last: reason.kind == "max_steps",
        }),
        (None, _) => Err(Refusal::Stopped { reason: "stopped early".into(), last: true }),
    }
}

/// Times over the shortest one of any row that is at least as accurate.
fn set_ratios(rows: &mut [Row]) {
    let all: Vec<(f64, f64)> = rows.iter().map(|row| (row.error, row.seconds)).collect();
    for row in rows {
        let as_accurate = all.iter().filter(|(error, _)| *error <= row.error).map(|(_, seconds)| *seconds);
        row.ratio = row.seconds / as_accurate.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Source, compile};

    fn of(text: &str, methods: &[&str], rtols: &[f64]) -> Comparison {
        let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
        let options = CompareOptions {
            methods: methods.iter().map(|m| m.to_string()).collect(),
            rtols: rtols.to_vec(),
            repeats: 1,
            ..CompareOptions::default()
        };
        compare(&compiled, &options, &mut |_| true).expect("a comparison")
    }

    const CIRCLE: &str = "x' = y; y' = -x; init x = 1, y = 0; run 0 .. 10";

    #[test]
    fn tighter_tolerances_have_smaller_errors_and_more_work() {
        let found = of(CIRCLE, &["dp5", "taylor", "rk4"], &[1e-3, 1e-6, 1e-9]);
        assert_eq!(found.rows.len(), 9);
        assert!(found.reference.error < 1e-11, "{}", found.reference.error);
        for method in ["dp5", "rk4"] {
            let rows: Vec<&Row> = found.rows.iter().filter(|row| row.method == method).collect();
            for pair in rows.windows(2) {
                assert!(pair[1].error < 0.1 * pair[0].error, "{method}: {} {}", pair[0].error, pair[1].error);
                assert!(pair[1].steps > pair[0].steps && pair[1].evaluations() > pair[0].evaluations());
            }
        }
        assert!(found.rows.iter().all(|row| row.ratio >= 1.0));
        assert!(found.rows.iter().any(|row| row.ratio == 1.0));
    }

    /// 3 s for 1e-3 is thrice the 1 s of another row, 8 s for 1e-6 four times 2 s; the most accurate row has no rival.
    #[test]
    fn times_are_compared_at_equal_error() {
        let some = of(CIRCLE, &["dp5"], &[1e-3]).rows.remove(0);
        let given = [(1e-3, 1.0), (1e-3, 3.0), (1e-6, 2.0), (1e-6, 8.0), (1e-9, 50.0)];
        let mut rows: Vec<Row> = given.iter().map(|&(error, seconds)| Row { error, seconds, ..some.clone() }).collect();
        set_ratios(&mut rows);
        assert_eq!(rows.iter().map(|row| row.ratio).collect::<Vec<f64>>(), [1.0, 3.0, 1.0, 4.0, 1.0]);
    }

    /// A method of fixed steps gets the longest of the halved steps that reaches each error.
    #[test]
    fn fixed_steps_are_halved_until_the_error_is_reached() {
        let found = of(CIRCLE, &["ab2"], &[1e-2, 1e-4]);
        let steps: Vec<f64> = found.rows.iter().map(|row| row.step.expect("a fixed step")).collect();
        assert!(found.rows.iter().all(|row| row.error <= row.rtol && row.error > 0.1 * row.rtol), "{:?}", found.rows);
        // order 2: a hundredth of the error takes a tenth of the step, the next power of two
        assert!((steps[0] / steps[1]).log2() >= 3.0 && (steps[0] / steps[1]).log2().fract() == 0.0, "{steps:?}");
    }

    #[test]
    fn methods_that_do_not_fit_are_listed_with_the_reason() {
        let damped = of("x'' = -x - x'; init x = 1, x' = 0; run 0 .. 1", &["ge3", "dp5"], &[1e-3]);
        assert_eq!(damped.rows.len(), 1);
        assert_eq!(damped.skipped.len(), 1);
        assert!(damped.skipped[0].method == "ge3" && damped.skipped[0].reason.contains("x'"), "{:?}", damped.skipped);
        let algebraic =
            of("x' = -x + z; 0 = z + z^3 - x; init x = 1; guess z = 1; run 0 .. 1", &["rk4", "radau5"], &[1e-6]);
        assert!(algebraic.rows.iter().all(|row| row.method == "radau5" || row.method == "rk4"));
        assert!(algebraic.rows.iter().any(|row| row.method == "radau5"));
    }

    /// A run that ends itself is compared up to that, at times that all methods reach.
    #[test]
    fn a_stop_condition_ends_the_comparison() {
        let falling = "h'' = -9.81 - 0.1*h'; stop when h < 0; init h = 1, h' = 0; run 0 .. 5";
        let found = of(falling, &["dp5", "rk4"], &[1e-6]);
        assert!(found.reference.times.last().is_some_and(|t| *t < 0.46), "{:?}", found.reference.times.last());
        assert!(found.rows.len() == 2 && found.rows.iter().all(|row| row.error < 1e-5), "{:?}", found.rows);
    }

    /// v stays zero but for rounding, which is no error of order one.
    #[test]
    fn a_state_that_stays_zero_is_measured_by_the_others() {
        let rest = "x' = v; v' = -3*(x - 1/3) + sin(pi) - 3*v; init x = 1/3, v = 0; run 0 .. 5";
        let found = of(rest, &["dp5"], &[1e-6]);
        assert!(found.reference.error < 1e-10 && found.rows[0].error < 1e-10, "{:?}", found.rows);
    }

    /// The states of a transfer function have no names; its output is compared.
    #[test]
    fn a_model_without_named_states_is_compared_by_what_it_stores() {
        let found = of("output y = laplace(1/(s + 1), step(t)); run 0 .. 5", &["dp5"], &[1e-6]);
        assert!(found.reference.states == ["y"] && found.rows[0].error < 1e-5, "{:?}", found.rows);
    }

    #[test]
    fn without_a_reference_there_is_no_comparison() {
        let source = Source::text("y' = y^2; init y = 1; run 0 .. 2");
        let compiled = compile(&source, &CompileOptions::default()).expect("a model");
        let found = compare(&compiled, &CompareOptions::default(), &mut |_| true);
        assert!(
            matches!(found, Err(CompareError::NoReference(text)) if text.contains("taylor") && text.contains("pole"))
        );
    }

    /// Euler's method would need 10⁹ steps.
    #[test]
    fn what_costs_too_much_is_not_tried_again_tighter() {
        let found = of(CIRCLE, &["euler"], &[1e-2, 1e-9, 1e-10]);
        let reasons: Vec<Option<f64>> = found.skipped.iter().map(|skipped| skipped.rtol).collect();
        assert_eq!(reasons, [Some(1e-9)]);
    }
}
