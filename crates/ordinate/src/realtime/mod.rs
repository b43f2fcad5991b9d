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
mod report;

use crate::{Compiled, ErrorWish, RowError, RowSink, RowTimes, Run, RunError, RunOptions, Status, run_range, simulate};
pub use clock::Privileges;
use clock::{Granted, seconds, sleep_until};
use ordinate_solve::{BLOCK_ITERATIONS, NewtonIterate, NewtonOptions, by_name};
pub use report::RealTimeReport;
use std::time::{Duration, Instant};

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
            Some(choice) if choice.with_newton(options.newton).is_ok() => {
                let most = options.newton.most.or(Some(BLOCK_ITERATIONS));
                NewtonOptions { most, in_time: true, ..options.newton }
            }
            _ => options.newton,
        };
        let step = Some(1.0 / self.rate / f64::from(self.substeps));
        RunOptions { method, step, newton, ..options.clone() }
    }
}

fn is_automatic(options: &RunOptions) -> bool {
    options.method.eq_ignore_ascii_case("auto")
}

/// The method when none is named: two stages of Radau IIA take stiff and algebraic equations in their stride.
const METHOD: &str = "radau3";

/// More samples than this are not kept.
const MAX_SAMPLES: f64 = 1e8;

/// Rows of more numbers than this are not kept.
const MAX_NUMBERS: f64 = 2.5e8;

/// Runs a model against the clock, one second of the model in one second.
pub fn realtime(
    compiled: &Compiled,
    options: &RunOptions,
    how: &RealTime,
    sink: &mut dyn RowSink,
) -> Result<(Run, RealTimeReport), RunError> {
    if !(how.rate > 0.0 && how.rate.is_finite()) || how.substeps == 0 {
        return Err(RunError::Usage(format!("`--rate {}` must be positive, and `--substeps` at least 1", how.rate)));
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
    let period = 1.0 / how.rate;
    let (from, to) = run_range(compiled, options).unwrap_or((0.0, 0.0));
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
    let automatic = is_automatic(options);
    let options = how.options(options);
    // Nothing but the steps themselves may take time.
    let wish = options.error;
    let repeat = options.repeat;
    let options = RunOptions { error: ErrorWish::Off, repeat: 1, ..options };
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
        estimate(compiled, &RunOptions { error: wish, ..options.clone() }, &mut run, sink)?;
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

/// The sink that keeps the time.
struct Pacer<'a> {
    sink: &'a mut dyn RowSink,
    how: &'a RealTime,
    period: Duration,
    /// In the time of the model.
    t_start: f64,
    dt: f64,
    /// The sample at work, counted from 0, and those of the clock, which skipping advances.
    sample: u64,
    ticks: u64,
    /// When the first sample began, and the present one.
    zero: Instant,
    begin: Instant,
    times: Vec<f32>,
    begins: Vec<f64>,
    report: RealTimeReport,
    rows: Vec<f64>,
    width: usize,
    expected: f64,
    stopped: Option<f64>,
    running: bool,
    /// Rows wait for their errors, and are handed on with these.
    waits: bool,
}

impl<'a> Pacer<'a> {
    fn new(sink: &'a mut dyn RowSink, how: &'a RealTime, dt: f64, t_start: f64, samples: f64) -> Self {
        let capacity = samples as usize + 2;
        let now = Instant::now();
        Pacer {
            sink,
            how,
            period: Duration::from_secs_f64(dt),
            t_start,
            dt,
            sample: 0,
            ticks: 0,
            zero: now,
            begin: now,
            times: Vec::with_capacity(capacity),
            begins: Vec::with_capacity(capacity),
            report: RealTimeReport {
                period: dt,
                dry: how.dry,
                late: Vec::with_capacity(32),
                ..RealTimeReport::default()
            },
            rows: Vec::new(),
            width: 0,
            expected: samples,
            stopped: None,
            running: false,
            waits: false,
        }
    }

    /// A sample is complete: notes the time, and waits for the next one.
    fn complete(&mut self, t: f64) {
        let now = Instant::now();
        let spent = seconds(now - self.begin);
        self.times.push(spent as f32);
        self.begins.push(self.t_start + self.sample as f64 * self.dt);
        self.sample += 1;
        self.ticks += 1;
        // Sums of durations would drift; a product does not.
        let deadline = self.zero + Duration::from_secs_f64(self.ticks as f64 * self.dt);
        if self.how.dry {
            self.begin = Instant::now();
            return;
        }
        let missed = now > deadline;
        if missed {
            self.report.missed += 1;
            self.report.first_missed.get_or_insert(t);
        }
        if missed && self.how.on_overrun == OnOverrun::Stop {
            self.stopped = Some(t);
        }
        let mut next = deadline;
        if missed && self.how.on_overrun == OnOverrun::Skip {
            while next < now {
                next += self.period;
                self.ticks += 1;
                self.report.skipped += 1;
            }
        }
        sleep_until(next);
        self.begin = Instant::now();
        self.report.count_late(seconds(self.begin.saturating_duration_since(next)));
    }
}

impl RowSink for Pacer<'_> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        if !self.waits {
            self.sink.begin(names, stored)?;
        }
        self.width = names.len();
        // Pages that were never touched would be asked of the system in the middle of a sample; zeros do not touch them.
        let numbers = ((self.expected + 1024.0) * self.width as f64).min(MAX_NUMBERS) as usize;
        self.rows.resize(numbers.min(1 << 22), f64::NAN);
        self.rows.clear();
        Ok(())
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        if self.rows.len() + values.len() > MAX_NUMBERS as usize {
            return Err(RowError {
                place: "the memory of a run against the clock".into(),
                reason: "there are too many rows to keep; store fewer with `--every`".into(),
                closed_pipe: false,
            });
        }
        self.rows.extend_from_slice(values);
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        let go_on = self.sink.step(t, h, order);
        // Steps end at samples and, before them, at events.
        let end = self.t_start + (self.sample + 1) as f64 * self.dt;
        if t >= end - 1e-6 * self.dt {
            self.complete(t);
        }
        go_on && self.stopped.is_none()
    }

    fn iterate(&mut self, iterate: &NewtonIterate) {
        self.sink.iterate(iterate);
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn keep_going(&mut self, t: f64) -> bool {
        // The driver asks for the first time when all is prepared for the first step.
        if !std::mem::replace(&mut self.running, true) {
            self.zero = Instant::now();
            self.begin = self.zero;
        }
        self.sink.keep_going(t)
    }
}
