//! The method laboratory: every method on one model, its true error against what it costs.

mod drawn;
mod figures;
mod laboratory;
mod reference;
mod report;

pub use figures::Chart;
pub use reference::{Reference, reference};

use crate::{Compiled, Memory, RowError, RowSink, RunError, RunOptions, Strip, methods};
use laboratory::Laboratory;
use ordinate_solve::Work;

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
    /// The method that was running when somebody ended the comparison.
    pub interrupted: Option<String>,
}

/// Why there is no comparison.
#[derive(Clone, Debug)]
pub enum CompareError {
    /// The runs cannot be begun.
    Run(RunError),
    /// The end of the run is not reached, so there is nothing to compare with: who says what.
    NoReference(String),
    /// Somebody ended it before there was anything to compare with.
    Interrupted,
}

impl From<RunError> for CompareError {
    fn from(error: RunError) -> CompareError {
        CompareError::Run(error)
    }
}

/// Runs a model with all methods that are asked for. `tell` is called with the name of each method before its first run; `keep_going` is
/// asked now and then, and may end the comparison with what it has.
pub fn compare(
    compiled: &Compiled,
    options: &CompareOptions,
    tell: &mut dyn FnMut(&str),
    keep_going: &dyn Fn() -> bool,
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
    let reference = reference(compiled, &asked, keep_going)?;
    let range = crate::run::rounded_times(compiled, &asked)?;
    let all = if reference.t_end > range.0 { reference.t_end } else { range.1 };
    let (span, skipped) = (all - range.0, Vec::new());
    // Who does not stop where the reference does is far off after twice that time; all of the rest would be lost on it.
    let late = range.0 + 2.0 * span;
    let t_end = if late < range.1 { Some(format!("{late:?}")) } else { asked.t_end.clone() };
    let asked = RunOptions { t_end, ..asked };
    let mut laboratory = Laboratory { compiled, asked, repeats: options.repeats, reference, span, skipped, keep_going };
    let (mut rows, mut traces, mut interrupted) = (Vec::new(), Vec::new(), None);
    for (name, fixed) in names {
        tell(&name);
        let (found, trace, ended) = laboratory.method(&name, fixed, &rtols);
        rows.extend(found);
        traces.push(trace);
        if ended {
            interrupted = Some(name);
            break;
        }
    }
    set_ratios(&mut rows);
    let Laboratory { reference, skipped, .. } = laboratory;
    Ok(Comparison { name: compiled.name.clone(), range, reference, rows, skipped, traces, interrupted })
}

/// Rows in memory, of a run that can be ended.
struct Watched<'a> {
    memory: Memory,
    keep_going: &'a dyn Fn() -> bool,
}

impl<'a> Watched<'a> {
    fn new(keep_going: &'a dyn Fn() -> bool) -> Self {
        Watched { memory: Memory::default(), keep_going }
    }
}

impl RowSink for Watched<'_> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        self.memory.begin(names, stored)
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.memory.row(values)
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        self.memory.step(t, h, order)
    }

    fn wants_steps(&self) -> bool {
        self.memory.wants_steps()
    }

    fn keep_going(&mut self, _t: f64) -> bool {
        (self.keep_going)()
    }
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
        compare(&compiled, &options, &mut |_| (), &|| true).expect("a comparison")
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

    /// x″ = −50 − x′² falls by 0.1 in acos(e^−0.1)/√50 = 0.0622 of the 60 asked for. All times compared are within that, and a
    /// method that stops elsewhere is told so: Euler's steps of a ninth of it cannot be right to rounding.
    #[test]
    fn a_stop_early_in_the_run_is_compared_up_to_it() {
        let text = "x'' = -50 - x'^2; init x = 1, x' = 0; stop when x < 0.9; run 0 .. 60";
        let found = of(text, &["euler", "rk4", "ab2"], &[1e-3]);
        let stop = (-0.1f64).exp().acos() / 50f64.sqrt();
        let reference = &found.reference;
        assert!((reference.t_end - stop).abs() < 1e-9 && reference.times.len() == 601, "{}", reference.t_end);
        assert!(reference.times.last().is_some_and(|t| *t > 0.99 * stop && *t < stop));
        let error = |name: &str| found.rows.iter().find(|row| row.method == name).map(|row| row.error);
        assert!(error("euler").is_some_and(|error| error > 1e-3 && error < 0.2), "{:?}", found.rows);
        assert!(error("rk4").is_some_and(|error| error < 1e-4), "{:?}", found.rows);
        // halved steps reach the error as on any other run
        assert!(error("ab2").is_some_and(|error| error > 1e-5 && error <= 1e-3), "{:?}", found.skipped);
        assert!((found.to_json()["t_compared"][1].as_f64().expect("a number") - stop).abs() < 1e-9);
        assert!(found.to_text().contains("compared over 0 … 0.0621969"), "{}", found.to_text());
    }

    /// One run stops at 1, another one that steps over the narrow condition would not: its rows after 1 are its error.
    #[test]
    fn a_run_that_ends_elsewhere_has_the_difference_as_its_error() {
        let compile = |text: &str| compile(&Source::text(text), &CompileOptions::default()).expect("a model");
        let options = RunOptions::default();
        let stops = "x' = 1; init x = 0; stop when x > 1; run 0 .. 4";
        let reference = reference(&compile(stops), &options, &|| true).expect("a reference");
        let error_of = |text: &str| {
            let mut memory = Memory::default();
            let rows = reference.row_times();
            let run = crate::simulate(&compile(text), &RunOptions { rows, ..options.clone() }, &mut memory);
            reference.error(&memory, &run.expect("a run"))
        };
        assert!(error_of(stops) < 1e-12);
        let scale = 600.0 / 601.0;
        // at the end x is 4 where it should be 1, and the time is thrice the span off
        assert!((error_of("x' = 1; init x = 0; run 0 .. 4") - 3.0 / scale).abs() < 1e-6);
        // at the end x is 0.5 where it should be 1, and half of the time is missing
        assert!((error_of("x' = 1; init x = 0; stop when x > 0.5; run 0 .. 4") - 0.5 / scale).abs() < 1e-6);
    }

    /// The first step of a sixteenth of the run is longer than the delay.
    #[test]
    fn fixed_steps_begin_below_the_shortest_delay() {
        let text = "x' = -pi/2*delay(x, 1, cos(pi/2*t)); init x = 1; run 0 .. 40";
        let found = of(text, &["ab2", "bdf2"], &[1e-2]);
        assert!(found.rows.len() == 2 && found.rows.iter().all(|row| row.error <= 1e-2), "{:?}", found.skipped);
    }

    /// 800 turns have fewer than one of 601 samples each: the picture shows the last of them, where lines follow the circle.
    #[test]
    fn the_circle_test_shows_turns_and_not_chords() {
        let fast = of("y' = 100*z; z' = -100*y; init y = 0, z = 1; run 0 .. 50", &["dp8"], &[1e-6]);
        let (x, y) = fast.reference.plane.as_ref().expect("two states");
        let chord = |k: usize| 0.5 * (x[k] + x[k + 1]).hypot(y[k] + y[k + 1]);
        assert!((0..x.len() - 1).all(|k| chord(k) > 0.99), "no line crosses the circle");
        assert!(fast.reference.drawn.first().is_some_and(|t| *t > 45.0) && fast.reference.times[0] == 0.0);
        let title = &fast.figures(Chart::Circle)[0].title;
        assert!(title.contains("the last turns, t = 49.22 … 50"), "{title}");
        let slow = of(CIRCLE, &["dp5"], &[1e-3]);
        assert_eq!(slow.reference.drawn.first(), Some(&0.0));
        assert!(!slow.figures(Chart::Circle)[0].title.contains("last"));
    }

    /// Nobody has a row: that is not `ok`.
    #[test]
    fn a_comparison_without_rows_is_stopped() {
        let found = of("x' = -x; init x = 1; run 0 .. 1", &["ge3"], &[1e-3]).to_json();
        assert_eq!((&found["status"], &found["reason"]["kind"]), (&"stopped".into(), &"no_rows".into()), "{found}");
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
        let found = compare(&compiled, &CompareOptions::default(), &mut |_| (), &|| true);
        assert!(
            matches!(found, Err(CompareError::NoReference(text)) if text.contains("taylor") && text.contains("pole"))
        );
    }

    /// Whoever ends a comparison gets the rows that are complete.
    #[test]
    fn an_interrupted_comparison_keeps_its_rows() {
        let compiled = compile(&Source::text(CIRCLE), &CompileOptions::default()).expect("a model without mistakes");
        let of = |methods: &[&str], tell: &mut dyn FnMut(&str), keep_going: &dyn Fn() -> bool| {
            let methods = methods.iter().map(|m| m.to_string()).collect();
            let options = CompareOptions { methods, rtols: vec![1e-3, 1e-6], repeats: 1, ..CompareOptions::default() };
            compare(&compiled, &options, tell, keep_going)
        };
        let at_work = std::cell::RefCell::new(String::new());
        let mut tell = |name: &str| *at_work.borrow_mut() = name.into();
        let found = of(&["dp5", "euler", "rk4"], &mut tell, &|| *at_work.borrow() != "euler").expect("a comparison");
        assert!(found.rows.len() == 2 && found.rows.iter().all(|row| row.method == "dp5"), "{:?}", found.rows);
        assert_eq!(found.interrupted.as_deref(), Some("euler"));
        assert_eq!(found.to_json()["status"], "interrupted");
        assert!(found.to_text().contains("interrupted while euler"), "{}", found.to_text());
        let nothing = of(&["dp5"], &mut |_| (), &|| false);
        assert!(matches!(nothing, Err(CompareError::Interrupted)), "{nothing:?}");
    }

    /// The reference has 14 digits, or says how many it has and why not more.
    #[test]
    fn the_reference_has_fourteen_digits_where_they_can_be_had() {
        let smooth = of(CIRCLE, &["dp5"], &[1e-6]).reference;
        assert!(smooth.digits.asked == 14 && smooth.digits.delivered && smooth.error <= 1e-14, "{:?}", smooth.digits);
        let exact = |k: usize| smooth.times[k].cos();
        let error = smooth.columns[0].iter().enumerate().map(|(k, x)| (x - exact(k)).abs()).fold(0.0, f64::max);
        assert!(error < 1e-14, "{error:e}");
        let ball = of("h'' = -9.81; when h < 0: h' = -0.8*h'; init h = 1, h' = 0; run 0 .. 2", &["dp5"], &[1e-6]);
        let digits = &ball.reference.digits;
        assert!(!digits.delivered && digits.reached > 9.0 && ball.reference.error < 1e-9, "{digits:?}");
        assert!(ball.to_text().contains("14 digits not reached") && ball.to_text().contains("switches or events"));
    }

    /// Two rows, or two halvings, tell that the next one would take too long: it is not tried.
    #[test]
    fn a_forecast_saves_the_trial() {
        let found = of(CIRCLE, &["euler", "ab1"], &[1e-2, 1e-4, 1e-10]);
        let reasons: Vec<(&str, &str)> =
            found.skipped.iter().map(|skipped| (skipped.method.as_str(), skipped.reason.as_str())).collect();
        assert!(
            matches!(reasons[..], [("euler", a), ("ab1", b)] if a.contains("needs about") && b.contains("needs about")),
            "{reasons:?}"
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
