//! A run against the wall clock.
//!
//! ```text
//!        begin of a sample                        deadline = begin of the next
//!   ─────┼── late ──┼── computing ──┼── budget left ──┼──
//! ```
//!
//! The driver is the same as for every run, with a fixed step; what is special is the sink: at the end of a sample it notes
//! the time and waits. Deadlines are absolute, so delays do not add up. Rows are kept until the end: writing is not
//! part of a sample.

mod clock;
mod pacer;
mod report;

use crate::run::rounded_times;
use crate::{Compiled, ErrorWish, Inputs, RowError, RowSink, RowTimes, Run, RunError, RunOptions, Status, simulate};
use clock::Granted;
pub use clock::Privileges;
use ordinate_solve::{BLOCK_ITERATIONS, Block, by_name};
use pacer::Pacer;
pub use report::RealTimeReport;

/// What happens when a deadline is missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnOverrun {
    /// It is counted; the run goes on without waiting until it has caught up.
    #[default]
    Warn,
    /// It is counted; the clock of the model stands still for the samples that were missed.
    Skip,
    /// The run ends.
    Stop,
}

/// How a run against the clock is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealTime {
    /// Samples per second.
    pub rate: f64,
    /// Steps of the method in a sample.
    pub substeps: u32,
    /// As fast as possible, to measure what a sample costs.
    pub dry: bool,
    /// What happens when a deadline is missed.
    pub on_overrun: OnOverrun,
    /// What is asked of the operating system.
    pub privileges: Privileges,
}

impl Default for RealTime {
    fn default() -> Self {
        RealTime {
            rate: 1000.0,
            substeps: 1,
            dry: false,
            on_overrun: OnOverrun::default(),
            privileges: Privileges::default(),
        }
    }
}

impl RealTime {
    /// The options of the run itself: its method and its step, and iterations whose time is bounded.
    pub fn options(&self, options: &RunOptions) -> RunOptions {
        let method = if is_automatic(options) { METHOD.into() } else { options.method.clone() };
        let newton = match by_name(&method) {
            Some(choice) if choice.with_newton(options.newton).is_ok() => Block::newton(options.newton),
            _ => options.newton,
        };
        RunOptions { method, step: Some(self.step()), newton, ..options.clone() }
    }

    /// The time between two samples.
    fn period(&self) -> f64 {
        1.0 / self.rate
    }

    /// The length of a step of the method.
    fn step(&self) -> f64 {
        self.period() / f64::from(self.substeps)
    }

    /// How a model is compiled for it: its inputs are read when a sample begins, and held until the next one.
    pub fn inputs(&self) -> Inputs {
        Inputs::Sampled { period: self.period() }
    }
}

fn is_automatic(options: &RunOptions) -> bool {
    options.method.eq_ignore_ascii_case("auto")
}

/// The method when none is named: two stages of Radau IIA take stiff and algebraic equations in their stride.
const METHOD: &str = "radau3";

/// More samples than this are not kept.
const MAX_SAMPLES: f64 = 1e8;

/// Samples that are rehearsed before the clock starts: more than a formula of several steps needs for its start.
const REHEARSED: u32 = 16;

/// Runs a model against the clock, one second of the model in one second.
pub fn realtime(
    compiled: &Compiled,
    options: &RunOptions,
    how: &RealTime,
    sink: &mut dyn RowSink,
) -> Result<(Run, RealTimeReport), RunError> {
    if !crate::clock::EXISTS {
        return Err(RunError::Usage("this platform has no clock to run against".into()));
    }
    if !(how.rate > 0.0 && how.rate.is_finite()) || how.substeps == 0 {
        return Err(RunError::Usage(format!(
            "`--rate {}` must be a positive frequency, and `--substeps` at least 1",
            how.rate
        )));
    }
    if options.h_max.is_some() || options.h_scale.is_some() {
        return Err(RunError::Usage(
            "with `--realtime` every step is as long as `--rate` and `--substeps` say; leave `--max-step` and `--h-scale` out".into(),
        ));
    }
    if options.step.is_some() {
        return Err(RunError::Usage(
            "with `--realtime` the step follows from `--rate` and `--substeps`; leave `--step` out".into(),
        ));
    }
    if options.repeat > 1 && !how.dry {
        return Err(RunError::Usage(
            "there is one run against the clock; `--repeat` needs `--dry`, or leave it out".into(),
        ));
    }
    let period = how.period();
    check_inputs(compiled, how)?;
    let (from, to) = rounded_times(compiled, options)?;
    let samples = (to - from) / period;
    if samples > MAX_SAMPLES {
        return Err(RunError::Usage(format!(
            "{samples:.1e} samples are more than {MAX_SAMPLES:.0e}; use a lower `--rate` or a shorter run"
        )));
    }
    if samples < 1.0 {
        return Err(RunError::Usage(format!(
            "the run is shorter than one sample of {period} s; use a higher `--rate` or a longer run"
        )));
    }
    check_step(compiled, how, samples, options.max_steps)?;
    let automatic = is_automatic(options);
    let options = how.options(options);
    // Nothing but the steps themselves may take time.
    let wish = options.error;
    let repeat = options.repeat;
    let rehearsal = REHEARSED * how.substeps.min(REHEARSED);
    let options = RunOptions { error: ErrorWish::Off, repeat: 1, rehearsal, ..options };
    let granted = Granted::ask(how.privileges);
    let mut pacer = Pacer::new(sink, how, period, from, samples);
    pacer.waits = wish.waits();
    let result = simulate(compiled, &options, &mut pacer);
    // All runs do the same: what took longer in one of them was the machine, not the model.
    for _ in 1..repeat {
        let mut nowhere = Afterwards { wanted: false, sink: &mut *pacer.sink };
        let mut again = Pacer::new(&mut nowhere, how, period, from, samples);
        simulate(compiled, &options, &mut again)?;
        let took = again.times;
        pacer.times.iter_mut().zip(&took).for_each(|(time, again)| *time = time.min(*again));
    }
    let refused = granted.refused.clone();
    drop(granted);
    let Pacer { mut times, begins, mut report, rows, width, sink, stopped, .. } = pacer;
    if how.dry {
        report.miss(&times, &begins);
    }
    report.set_times(&mut times, &begins);
    (report.runs, report.refused) = (repeat.max(1), refused);
    let mut run = result?;
    run.automatic = automatic;
    if !wish.waits() {
        rows.chunks_exact(width.max(1)).try_for_each(|row| sink.row(row)).map_err(RunError::Rows)?;
    }
    if wish != ErrorWish::Off {
        estimate(compiled, &RunOptions { error: wish, rehearsal: 0, ..options.clone() }, &mut run, sink)?;
    }
    if let Some(reason) = run.reason.as_mut().filter(|reason| reason.kind == "newton_failed") {
        let most = options.newton.most.unwrap_or(BLOCK_ITERATIONS);
        reason.hint =
            format!("a higher `--rate`, more `--substeps`, or more iterations than {most} with `--newton-max`");
    }
    if stopped.is_some() {
        // It did what it was asked to do; that a deadline was missed is a matter of the clock.
        (run.outcome.status, run.reason) = (Status::Ok, None);
        report.stopped = stopped;
    }
    Ok((run, report))
}

/// Inputs that are not held would be read within a sample, too.
fn check_inputs(compiled: &Compiled, how: &RealTime) -> Result<(), RunError> {
    let model = &compiled.sorted.model;
    if compiled.inputs == how.inputs() || model.inputs.is_empty() && model.held_inputs.is_empty() {
        return Ok(());
    }
    Err(RunError::Usage(
        "in real time inputs are sampled: compile the model with `inputs` as `RealTime::inputs` says".into(),
    ))
}

/// What the driver says about a step, in words of the options that it follows from.
fn check_step(compiled: &Compiled, how: &RealTime, samples: f64, limit: u64) -> Result<(), RunError> {
    // An event counts like a step, and so does every sample of an input.
    let events = if compiled.program.layout.sampled.is_empty() { 0.0 } else { samples };
    let (steps, step) = (samples * f64::from(how.substeps) + events, how.step());
    if steps > limit as f64 {
        return Err(RunError::Usage(format!(
            "`--rate {}` makes {steps:.1e} steps and samples, more than `--max-steps` {limit} allows; use a lower `--rate`, a shorter run, or raise the limit",
            how.rate
        )));
    }
    match compiled.program.layout.delay_within(step) {
        None => Ok(()),
        Some(delay) => Err(RunError::Usage(format!(
            "the step {step} is longer than the shortest delay of the model, {delay}: it would need values of the future; choose a higher `--rate` or more `--substeps`"
        ))),
    }
}

/// The error of a run against the clock: the same run once more, which takes the same steps without waiting, and its
/// companion.
fn estimate(compiled: &Compiled, options: &RunOptions, run: &mut Run, sink: &mut dyn RowSink) -> Result<(), RunError> {
    sink.solved();
    let ended = run.outcome.t_reached < run.t_end;
    let mut options = options.clone();
    if ended {
        options.t_end = Some(format!("{:?}", run.outcome.t_reached));
        if let RowTimes::At(times) = &mut options.rows {
            times.retain(|text| compiled.time(text, "--at").is_ok_and(|t| t <= run.outcome.t_reached));
        }
    }
    let mut afterwards = Afterwards { wanted: options.error.waits(), sink };
    let again = simulate(compiled, &options, &mut afterwards)?;
    run.error = again.error;
    if matches!(options.error, ErrorWish::Estimate { correct: true, .. }) {
        run.final_values = again.final_values;
    }
    Ok(())
}

/// Rows of the repeated run, which are wanted where they waited for their errors.
struct Afterwards<'a> {
    wanted: bool,
    sink: &'a mut dyn RowSink,
}

impl RowSink for Afterwards<'_> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        if self.wanted { self.sink.begin(names, stored) } else { Ok(()) }
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        if self.wanted { self.sink.row(values) } else { Ok(()) }
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.sink.keep_going(t)
    }
}
