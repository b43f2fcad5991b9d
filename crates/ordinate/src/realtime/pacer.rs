//! The sink that keeps the time: at the end of a sample it notes how long that took, and waits for the next one.

use super::clock::{seconds, sleep_until};
use super::{OnOverrun, RealTime, RealTimeReport};
use crate::{RowError, RowSink};
use ordinate_solve::NewtonIterate;
use std::time::{Duration, Instant};

/// Whoever wants to end a run waits no longer than this and the sample at work.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Rows of more numbers than this are not kept.
const MAX_NUMBERS: f64 = 2.5e8;

/// The sink that keeps the time.
pub(super) struct Pacer<'a> {
    pub sink: &'a mut dyn RowSink,
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
    pub times: Vec<f32>,
    pub begins: Vec<f64>,
    pub report: RealTimeReport,
    pub rows: Vec<f64>,
    pub width: usize,
    expected: f64,
    pub stopped: Option<f64>,
    /// Whether whoever reads the rows wants more of them, and when that was asked last.
    wanted: bool,
    asked: Instant,
    running: bool,
    /// Rows wait for their errors, and are handed on with these.
    pub waits: bool,
}

impl<'a> Pacer<'a> {
    pub fn new(sink: &'a mut dyn RowSink, how: &'a RealTime, dt: f64, t_start: f64, samples: f64) -> Self {
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
            wanted: true,
            asked: now,
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
            self.is_wanted(now, t);
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
        self.wait(next, t);
    }

    /// Whether the run shall go on. The driver asks every few steps only, which may be minutes apart.
    fn is_wanted(&mut self, now: Instant, t: f64) -> bool {
        if self.wanted && now >= self.asked + LONGEST_SLEEP {
            self.wanted = self.sink.keep_going(t);
            self.asked = now;
        }
        self.wanted
    }

    /// Sleeps until the next sample begins, but wakes up if it is not wanted any more.
    fn wait(&mut self, next: Instant, t: f64) {
        loop {
            let now = Instant::now();
            if !self.is_wanted(now, t) {
                return;
            }
            if now + LONGEST_SLEEP >= next {
                break;
            }
            sleep_until(now + LONGEST_SLEEP);
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
        go_on && self.wanted && self.stopped.is_none()
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
