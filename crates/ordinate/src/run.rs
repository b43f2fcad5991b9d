//! A run: start values, method, driver, rows; and what came out.

use crate::clock::Stopwatch;
use crate::error::{Kept, Task};
use crate::methods::choose;
use crate::output_domain::variables;
use crate::recorder::{Recorder, final_values};
use crate::residual::TextCheck;
use crate::stability::Place;
use crate::start::StartValues;
use crate::transform::polynomial;
use crate::{
    BeyondStability, Compiled, DigitsReport, Discard, ErrorWish, GlobalError, Note, PreciseResult, RowError, RowSink,
    along, digits, explain, number_hint, precise, short, stability,
};
use ordinate_model::constant;
use ordinate_solve::{
    AbsoluteTolerance, Choice, Chosen, DenseOutput, EnergyDrift, FirstIterate, NewtonOptions, NoEnergy, Options,
    Outcome, Reason, Rows, Status, UsageError, Why,
};
use ordinate_syntax::Diagnostic;

/// At which times rows are stored.
#[derive(Clone, Debug, PartialEq)]
pub enum RowTimes {
    /// So many, evenly spaced.
    Even(usize),
    /// At these times, which may be expressions.
    At(Vec<String>),
    /// At every multiple of this.
    Every(f64),
    /// After every step.
    Steps,
}

/// How a run is done.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Start time, an expression; otherwise that of the model, otherwise 0.
    pub t_start: Option<String>,
    /// End time, an expression; otherwise that of the model.
    pub t_end: Option<String>,
    /// Name of the method.
    pub method: String,
    /// φ of `rk2`.
    pub phi: Option<f64>,
    /// Order of the Taylor methods, if it is fixed.
    pub order: Option<u32>,
    /// Highest order of the Taylor methods.
    pub max_order: Option<u32>,
    /// Factor by which a fixed step of the Taylor methods grows once.
    pub h_scale: Option<f64>,
    /// The order that must not be exceeded for that.
    pub min_ord: Option<u32>,
    /// How implicit methods solve their equations.
    pub newton: NewtonOptions,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// One per state instead of that.
    pub atol_each: Option<Vec<f64>>,
    /// Correct digits asked for; tolerances, method and precision follow from them.
    pub digits: Option<u32>,
    /// Decimal digits of the arithmetic, instead of doubles.
    pub precision: Option<u32>,
    /// Fixed step.
    pub step: Option<f64>,
    /// Maximum step size.
    pub h_max: Option<f64>,
    /// Maximum number of steps.
    pub max_steps: u64,
    /// Rows.
    pub rows: RowTimes,
    /// How often to solve; rows are stored the first time.
    pub repeat: usize,
    /// What is wanted of the global error.
    pub error: ErrorWish,
    /// So many steps are taken from the start and forgotten before the run begins, so that its own first steps cost what later
    /// ones do.
    pub rehearsal: u32,
    /// The polynomials of all steps are kept: see [`Run::dense`]. As with rows inside of steps, these are only as long as that is
    /// as accurate as their ends.
    pub dense: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        let solver = Options::default();
        RunOptions {
            t_start: None,
            t_end: None,
            method: "auto".into(),
            phi: None,
            order: None,
            max_order: None,
            h_scale: None,
            min_ord: None,
            newton: NewtonOptions::default(),
            rtol: solver.rtol,
            atol: 1e-9,
            atol_each: None,
            digits: None,
            precision: None,
            step: None,
            h_max: None,
            max_steps: solver.max_steps,
            rows: RowTimes::Even(501),
            repeat: 1,
            error: ErrorWish::Estimate { columns: false, correct: false },
            rehearsal: 0,
            dense: false,
        }
    }
}

/// Why a run did not begin, or could not be stored.
#[derive(Clone, Debug)]
pub enum RunError {
    /// The model has no end time and none was given.
    NoEndTime,
    /// An option does not make sense: the text says which and what to do.
    Usage(String),
    /// A mistake of the model that shows only now.
    Model(Vec<Diagnostic>),
    /// Rows could not be stored.
    Rows(RowError),
}

/// Where the time went; not numbers where there is no clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seconds {
    /// Fastest solution, with its global error where that is wanted.
    pub solve: f64,
    /// Median of the repeated solutions.
    pub solve_median: f64,
    /// The first solution alone, without its error.
    pub solution: f64,
}

/// What came out of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The method used.
    pub method: &'static str,
    /// Its own order.
    pub order: u32,
    /// Whether it was chosen automatically.
    pub automatic: bool,
    /// The fixed step, if there was one.
    pub step: Option<f64>,
    /// Start time.
    pub t_start: f64,
    /// The end asked for.
    pub t_end: f64,
    /// What the driver says.
    pub outcome: Outcome,
    /// Why it ended early, for a person; with the variable concerned.
    pub reason: Option<explain::Explanation>,
    /// Names of the stored columns without `time`, and their values at the end.
    pub final_values: Vec<(String, f64)>,
    /// The global error; `None` if it was not wanted, or the run did not begin.
    pub error: Option<GlobalError>,
    /// Rows stored.
    pub rows: usize,
    /// The first value that two events changed at one instant to different values: name, time.
    pub conflict: Option<(String, f64)>,
    /// The first value among the rows that is not finite: name, time.
    pub not_finite: Option<(String, f64)>,
    /// What else is to be said of it.
    pub notes: Vec<Note>,
    /// All states as functions of time, in the order of the program's, if that was asked for.
    pub dense: Option<DenseOutput>,
    /// Where the time went.
    pub seconds: Seconds,
    /// What the fixed step was too long for, where the result shows it.
    pub beyond: Option<BeyondStability>,
    /// More about a run beyond double precision.
    pub precise: Option<PreciseResult>,
    /// What became of the digits asked for.
    pub digits: Option<DigitsReport>,
}

impl Run {
    /// The method, or all that took steps.
    pub fn methods(&self) -> String {
        let shares = self.outcome.chosen.iter().flat_map(|chosen| &chosen.shares);
        let names: Vec<&str> = shares.map(|(name, _)| *name).collect();
        if names.is_empty() { self.method.into() } else { names.join(" + ") }
    }

    /// Which methods `auto` took and why, in words; `None` if the method was named.
    pub fn choice_text(&self) -> Option<String> {
        let Chosen { shares, why } = self.outcome.chosen.as_ref().filter(|chosen| !chosen.shares.is_empty())?;
        let steps = |(name, steps): &(&str, u64)| format!("{name} {steps} step{}", if *steps == 1 { "" } else { "s" });
        let all: Vec<String> = shares.iter().map(steps).collect();
        let why = match why {
            Why::Algebraic => {
                "the model has algebraic equations that are solved together with the differential ones".into()
            }
            Why::Linear => "the model is linear".into(),
            Why::GivenStep => "the step size is fixed, and this method is stable with any".into(),
            Why::Smooth => "the model is not stiff".into(),
            Why::Stiff { t } => {
                format!("from t = {} on an implicit method costs less: the model is stiff", short(*t))
            }
            Why::NoSeries { t } => format!("the solution has no Taylor series at t = {}", short(*t)),
        };
        Some(format!("{}: {why}", all.join(", ")))
    }

    /// Whether `auto` took what it takes where nothing speaks against it.
    pub fn is_plain_choice(&self) -> bool {
        self.outcome.chosen.as_ref().is_none_or(|Chosen { why, .. }| match why {
            Why::Smooth | Why::Linear => true,
            Why::Algebraic | Why::GivenStep | Why::Stiff { .. } | Why::NoSeries { .. } => false,
        })
    }

    /// Whether stability limited the steps of an explicit method, be it that `auto` took another one then.
    pub fn is_stiff(&self) -> bool {
        self.outcome.stiff || self.outcome.chosen.as_ref().is_some_and(|chosen| matches!(chosen.why, Why::Stiff { .. }))
    }

    /// Lowest, highest and mean order of the steps; without any, the order that they would have had.
    pub fn orders(&self) -> (u32, u32, f64) {
        let statistics = &self.outcome.statistics;
        match statistics.steps {
            0 => (self.order, self.order, f64::from(self.order)),
            _ => (statistics.order_min, statistics.order_max, statistics.order_mean()),
        }
    }

    /// What became of the energy, in words; `None` if the method is none that keeps it.
    pub fn energy_text(&self) -> Option<String> {
        let unknown = |why: &str| format!("unknown: {why}");
        Some(match self.outcome.energy? {
            EnergyDrift::Changed(drift) => {
                format!("changed by {drift:.1e} of its size at most, as this method counts it")
            }
            EnergyDrift::Unbounded => "unbounded: its terms grow without end, and only cancel each other".into(),
            EnergyDrift::Unknown(NoEnergy::NotLinear) => {
                unknown("only that of linear equations with constant coefficients is counted")
            }
            EnergyDrift::Unknown(NoEnergy::Driven) => unknown("forces that depend on time do work"),
            EnergyDrift::Unknown(NoEnergy::NoMasses) => {
                unknown("no masses, one for each equation, make the forces symmetric (action = reaction)")
            }
            EnergyDrift::Unknown(NoEnergy::Events) => unknown("what happens at events may do work"),
        })
    }

    /// The last value of a column.
    pub fn final_value(&self, name: &str) -> Option<f64> {
        self.final_values.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
    }
}

fn usage(message: String) -> RunError {
    RunError::Usage(message)
}

/// The value of a time given as an expression, in which parameters of the model may occur.
fn time_value(text: &str, option: &str, parameters: &[(String, f64)]) -> Result<f64, RunError> {
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    constant(text, &lookup).ok_or_else(|| {
        let hint = number_hint(text).unwrap_or("write a number or an expression such as 4*pi".into());
        usage(format!("`{option} {text}` is not a finite constant; {hint}"))
    })
}

/// Runs a compiled model; `mtsm` makes its series by the polynomial system that it is transformed to.
pub fn simulate(compiled: &Compiled, options: &RunOptions, sink: &mut dyn RowSink) -> Result<Run, RunError> {
    if options.dense && (options.digits.is_some() || options.precision.is_some()) {
        return Err(usage(
            "the solution as a function of time is kept in doubles: leave `digits` and `precision` out".into(),
        ));
    }
    if let Some(digits) = options.digits {
        return digits::simulate(compiled, options, digits, sink);
    }
    if let Some(digits) = options.precision {
        // two more are shown than are asked for: enough to read the same number back
        return precise::simulate(compiled, options, digits, digits.saturating_add(2), sink);
    }
    let (choice, automatic) = choose(options)?;
    if choice.name() == "mtsm" {
        let polynomial = polynomial(compiled, None).map_err(RunError::Model)?;
        return run((&polynomial.compiled, compiled), options, choice, automatic, sink);
    }
    run((compiled, compiled), options, choice, automatic, sink)
}

/// `typed`: the model as it was typed, of the same states.
fn run(
    (compiled, typed): (&Compiled, &Compiled),
    options: &RunOptions,
    choice: Choice,
    automatic: bool,
    sink: &mut dyn RowSink,
) -> Result<Run, RunError> {
    let parameters = compiled.parameter_values();
    let (t_start, t_end) = times(compiled, options, &parameters)?;
    let mut solver_options = solver_options(options, t_start, t_end, &parameters)?;
    let mut evaluator = compiled.evaluator();
    let start = StartValues::new(compiled, &mut evaluator, t_start)?;

    let stored = compiled.stored_names();
    let mut all = stored.clone();
    all.extend(compiled.program.output_names[compiled.sorted.columns.len()..].iter().cloned());
    let mut unasked = false;
    // Start values that must follow from the equations are compared at the start, whether or not a row is wanted there.
    if let Rows::At(times) = &mut solver_options.rows
        && !start.checks.is_empty()
        && times.first() != Some(&t_start)
    {
        times.insert(0, t_start);
        unasked = true;
    }
    let task = Task { compiled, choice, start: &start, t_start, t_end, options: &solver_options };
    let wrong = |e: UsageError| usage(explain::usage_error(&e, compiled));

    let mut kept = Kept::new(sink, options.error);
    let follow = options.error != ErrorWish::Off;
    let mut outputs = evaluator.another();
    let mut method = task.method(follow, &mut outputs);
    if options.rehearsal > 0 {
        // A method that carries its error along, or begins with a given iterate, would not begin again as it began.
        let once = follow || matches!(options.newton.first, FirstIterate::Given(_));
        let mut other = once.then(|| task.method(follow, &mut outputs));
        let actor = other.as_deref_mut().unwrap_or(method.as_mut());
        task.rehearse(actor, &mut evaluator, &solver_options, options.rehearsal).map_err(wrong)?;
    }
    let mut recorder = Recorder::new(compiled, evaluator.another(), &mut kept, &start);
    recorder.announce(all.clone(), stored.len());
    recorder.unasked = unasked;
    recorder.dense = options.dense.then(DenseOutput::default);
    recorder.check = TextCheck::new(typed, typed.evaluator(), &solver_options, t_end - t_start);
    let begin = Stopwatch::start();
    let mut outcome = task.solve(method, &mut evaluator, &solver_options, t_end, &mut recorder).map_err(wrong)?;
    if outcome.status == Status::Interrupted && !matches!(options.rows, RowTimes::At(_)) {
        recorder.last_row(&outcome);
    }
    let Recorder { rows, failure, inconsistent, not_finite, undetermined, check, dense, .. } = recorder;
    let (violation, unchecked) = check.map_or((None, None), |check| (check.violation.clone(), check.note()));
    if let Some(error) = failure {
        return Err(RunError::Rows(error));
    }
    let solution = begin.seconds();
    // Of a run that was ended before it moved there is nothing to estimate, and its companion would search as long.
    let begun = outcome.status != Status::Interrupted || outcome.statistics.steps > 0 || rows > 1;
    let wanted = options.error != ErrorWish::Off && inconsistent.is_empty() && begun;
    // Who wished the end of the run has an error of what there is.
    let later = compiled.heeding_later_wishes();
    let task = Task { compiled: &later, ..task };
    let mut evaluator = evaluator.stopped_by(later.stop.clone());
    let mut outputs = outputs.stopped_by(later.stop.clone());
    let mut error = if wanted { task.global_error(&evaluator, &mut outputs, &outcome, &mut kept) } else { None };
    let mut seconds = vec![begin.seconds()];
    error.iter_mut().for_each(|error| error.variables = variables(compiled));
    if outcome.status == Status::Ok && error.as_ref().is_some_and(|error| error.interrupted) {
        // The rows are complete, what was asked for is not.
        (outcome.status, outcome.reason) = (Status::Interrupted, Some(Reason::Interrupted { t: outcome.t_reached }));
    }
    if outcome.status != Status::Interrupted {
        for _ in 1..options.repeat.max(1) {
            // All that the first run did, without messages.
            let mut nobody = Discard;
            let mut kept = Kept::new(&mut nobody, options.error);
            let method = task.method(follow, &mut outputs);
            let mut recorder = Recorder::new(compiled, evaluator.another(), &mut kept, &start);
            recorder.announce(all.clone(), stored.len());
            recorder.unasked = unasked;
            let begin = Stopwatch::start();
            let again = task.solve(method, &mut evaluator, &solver_options, t_end, &mut recorder).map_err(wrong)?;
            if wanted {
                task.global_error(&evaluator, &mut outputs, &again, &mut kept);
            }
            seconds.push(begin.seconds());
        }
    }
    seconds.sort_by(f64::total_cmp);
    if violation.is_some() {
        outcome.status = Status::Stopped;
        error.iter_mut().for_each(GlobalError::lose);
    }
    if let (ErrorWish::Estimate { correct: true, .. }, Some(error)) = (options.error, &mut error) {
        task.keep_to_constraints(&mut evaluator, &outcome, &mut kept, error);
    }
    let undetermined = match outcome.reason {
        Some(Reason::Undefined { t }) => undetermined.map(|column| explain::undetermined(&all[column], t)),
        _ => None,
    };
    let beyond = beyond_stability(&task, &outcome, &mut kept, error.as_ref());
    kept.release(error.as_ref()).map_err(RunError::Rows)?;
    let not_finite = not_finite.map(|(column, t)| (all[column].clone(), t));
    let mut final_values = final_values(compiled, &mut outputs, &outcome);
    if let (ErrorWish::Estimate { correct: true, .. }, Some(error)) = (options.error, &mut error) {
        error.corrected = true;
        let known = final_values.iter_mut().zip(&error.last).filter(|(_, error)| error.is_finite());
        known.for_each(|((_, value), error)| *value += error);
    }
    let mut reason = explain::inconsistent_start(t_start, &inconsistent, compiled)
        .or(violation.map(|violation| explain::violated(&violation)))
        .or(undetermined)
        .or_else(|| explain::baseless(&outcome, error.as_ref()?, options.rtol))
        .or_else(|| explain::explain(&outcome, compiled));
    if let (Some(reason), Some(beyond)) = (&mut reason, &beyond)
        && matches!(outcome.reason, Some(Reason::NotFinite { .. }))
    {
        reason.hint = beyond.to_text();
    }
    if let (Some(reason), Some(hint)) = (&mut reason, hint_of_order(options, &outcome)) {
        reason.hint = hint;
    }
    if let Some(reason) = &mut reason
        && let Some(hint) = task.hint_of_tolerance(reason, &outcome)
    {
        reason.hint = hint;
    }
    if let Some(reason) = &mut reason
        && let Some(hint) = explain::hint_of_iterations(options.newton.most, reason)
    {
        reason.hint = hint;
    }
    // Of several methods the one that took most of the steps gives its name.
    let most = |chosen: &Chosen| chosen.shares.iter().rev().max_by_key(|(_, steps)| *steps).map(|(name, _)| *name);
    Ok(Run {
        method: outcome.chosen.as_ref().and_then(most).unwrap_or(choice.name()),
        order: choice.order(),
        automatic,
        step: options.step,
        t_start,
        t_end,
        reason,
        final_values,
        error,
        rows,
        conflict: outcome.conflict.and_then(|(t, place)| Some((explain::value_name(place, compiled)?.to_string(), t))),
        not_finite,
        notes: unchecked.into_iter().chain(along::notes(compiled, t_start, &outcome)).collect(),
        beyond,
        dense,
        seconds: Seconds { solve: seconds[0], solve_median: seconds[seconds.len() / 2], solution },
        outcome,
        precise: None,
        digits: None,
    })
}

impl Compiled {
    /// A time given as an expression, in which parameters may occur; the error is a message that names the option.
    pub fn time(&self, text: &str, option: &str) -> Result<f64, String> {
        time_value(text, option, &self.parameter_values()).map_err(|error| match error {
            RunError::Usage(text) => text,
            RunError::NoEndTime | RunError::Model(_) | RunError::Rows(_) => unreachable!("only the text can be wrong"),
        })
    }

    /// `time`, the states that the text names, the named expressions and outputs: the columns of a result file.
    pub fn stored_names(&self) -> Vec<String> {
        let time = std::iter::once("time".to_string());
        let columns = &self.program.output_names[..self.sorted.columns.len()];
        let states = &self.program.state_names[..self.program.visible];
        time.chain(states.iter().cloned()).chain(columns.iter().cloned()).collect()
    }

    /// Names and values of the parameters.
    pub fn parameter_values(&self) -> Vec<(String, f64)> {
        let model = &self.sorted.model;
        model.parameters.iter().map(|given| (model.name(given.var), model.values[&given.var])).collect()
    }
}

/// A solution that has grown by less than this has not run away.
const GROWN: f64 = 10.0;

/// Whether a fixed step was too long for the method. It is looked for where no digit is right at last, or where the run came to no
/// end or its error is not known and the solution has grown: at the start and at the last row before that. What depends on events is
/// known at the end only.
fn beyond_stability(
    task: &Task,
    outcome: &Outcome,
    kept: &mut Kept,
    error: Option<&GlobalError>,
) -> Option<BeyondStability> {
    let step = task.options.step?;
    let most = |y: &[f64]| y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let (start, layout) = (&task.start.states, &task.compiled.program.layout);
    let known = outcome.status == Status::Ok && error.is_some_and(|error| error.complete);
    let lost = match error.and_then(|error| error.lost) {
        Some((_, t)) => t,
        None if !known && most(&outcome.y) > GROWN * most(start) => outcome.t_reached,
        None => return None,
    };
    let mut places = Vec::new();
    if layout.discrete() == 0 {
        let solved = layout.algebraic == 0;
        places.extend(solved.then(|| (task.t_start, start.clone())));
        let all = task.compiled.program.visible == layout.states;
        places.extend(all.then(|| kept.before(lost, layout.states)).flatten());
    } else {
        places.push((outcome.t_reached, outcome.y.clone()));
    }
    let steps = (step, outcome.statistics.steps);
    places.iter().find_map(|(t, y)| {
        let place = Place { t: *t, y, d: &outcome.d };
        stability::beyond(task.compiled, &task.choice, steps, &place)
    })
}

/// What helps a fixed step of the Taylor method whose order is bounded: it ends with terms below the absolute tolerance.
fn hint_of_order(options: &RunOptions, outcome: &Outcome) -> Option<String> {
    let highest = options.max_order.filter(|_| options.step.is_some())?;
    let Some(Reason::StepTooSmall { error: f64::INFINITY, .. }) = outcome.reason else { return None };
    Some(format!(
        "a step needs three terms in a row below `--atol`, which orders up to {highest} do not reach: raise \
         `--max-order`, \
         loosen `--atol`, or take steps of a given order with `--order {highest}`"
    ))
}

/// Start and end of a run, where the options make sense.
pub fn run_range(compiled: &Compiled, options: &RunOptions) -> Option<(f64, f64)> {
    rounded_times(compiled, options).ok()
}

/// Start and end of a run.
pub(crate) fn rounded_times(compiled: &Compiled, options: &RunOptions) -> Result<(f64, f64), RunError> {
    times(compiled, options, &compiled.parameter_values())
}

fn times(compiled: &Compiled, options: &RunOptions, parameters: &[(String, f64)]) -> Result<(f64, f64), RunError> {
    let own = compiled.run;
    let varied = &compiled.sorted.variations;
    if let (Some(_), Some(&k)) = (&options.t_start, varied.moves_start.first()) {
        let name = compiled.sorted.model.name(varied.by[k]);
        return Err(usage(format!(
            "`--t-start` replaces the start of the `run` line, which moves with `{name}`, and the derivatives by `{name}` follow the line; leave `--t-start` out, or write the time into the line"
        )));
    }
    let t_start = match &options.t_start {
        Some(text) => time_value(text, "--t-start", parameters)?,
        None => own.map_or(0.0, |(from, _)| from),
    };
    let t_end = match &options.t_end {
        Some(text) => time_value(text, "-t", parameters)?,
        None => own.map(|(_, to)| to).ok_or(RunError::NoEndTime)?,
    };
    for (what, t) in [("start", t_start), ("end", t_end)] {
        if !t.is_finite() {
            return Err(usage(format!("the {what} time of the run is not a finite number ({t})")));
        }
    }
    if t_end < t_start {
        return Err(usage(format!("the end time {t_end} lies before the start time {t_start}")));
    }
    Ok((t_start, t_end))
}

/// More rows than this are a mistake: they would fill a disk.
const MAX_ROWS: f64 = 1e8;

/// Refuses what could never come to an end.
fn check_counts(options: &RunOptions, span: f64) -> Result<(), RunError> {
    if let (RowTimes::Every(dt), true) = (&options.rows, span > 0.0)
        && span / dt > MAX_ROWS
    {
        let rows = span / dt;
        return Err(usage(format!(
            "`--every {dt:?}` makes {rows:.1e} rows, more than {MAX_ROWS:.0e}; use a longer one"
        )));
    }
    if let Some(h) = options.step.filter(|h| span / h > options.max_steps as f64) {
        let (steps, limit) = (span / h, options.max_steps);
        return Err(usage(format!(
            "`--step {h:?}` makes {steps:.1e} steps, more than `--max-steps` {limit} allows; use a longer step or raise the limit"
        )));
    }
    Ok(())
}

pub(crate) fn solver_options(
    options: &RunOptions,
    t_start: f64,
    t_end: f64,
    parameters: &[(String, f64)],
) -> Result<Options, RunError> {
    check_counts(options, t_end - t_start)?;
    let rows = match &options.rows {
        RowTimes::Even(count) => Rows::Even(*count),
        RowTimes::Every(dt) => Rows::Every(*dt),
        RowTimes::Steps => Rows::Steps,
        RowTimes::At(texts) => {
            let mut times = Vec::with_capacity(texts.len());
            for text in texts {
                let t = time_value(text, "--at", parameters)?;
                if !(t_start..=t_end).contains(&t) {
                    return Err(usage(format!(
                        "`--at {text}` lies outside of the run from {} to {}",
                        short(t_start),
                        short(t_end)
                    )));
                }
                times.push(t);
            }
            times.sort_by(f64::total_cmp);
            times.dedup();
            Rows::At(times)
        }
    };
    Ok(Options {
        rtol: options.rtol,
        atol: options.atol_each.clone().map_or(AbsoluteTolerance::Same(options.atol), AbsoluteTolerance::Each),
        step: options.step,
        h_max: options.h_max,
        max_steps: options.max_steps,
        rows,
        ..Options::default()
    })
}
