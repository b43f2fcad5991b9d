//! The runs of a comparison: each method at each tolerance, and what keeps it from them.

use super::{Reference, Row, Skipped, Traces, Watched};
use crate::{Compiled, Discard, ErrorWish, Memory, RowTimes, Run, RunError, RunOptions, simulate};
use ordinate_solve::Status;

/// Runs are timed again only if that costs less than this.
const WORTH_REPEATING: f64 = 0.2;
/// Fixed steps begin with so many per run.
const FIRST_STEPS: f64 = 16.0;
/// The absolute tolerance in units of the relative one, as in the defaults of a run.
const ATOL: f64 = 1e-3;
/// A forecast of so many times the steps that are allowed is believed without a trial.
const SURELY: f64 = 2.0;
/// Two observed orders that differ by less are an order that lasts.
const SAME_ORDER: f64 = 0.3;

/// Runs methods on one model.
pub(super) struct Laboratory<'a> {
    pub compiled: &'a Compiled,
    pub asked: RunOptions,
    pub repeats: usize,
    pub reference: Reference,
    /// Length of what is compared.
    pub span: f64,
    pub skipped: Vec<Skipped>,
    pub keep_going: &'a dyn Fn() -> bool,
}

/// Why there is no row.
pub(super) enum Refusal {
    /// The method does not fit the model.
    Unfit(String),
    /// This run did not reach the end; with `last` no tighter one will.
    Stopped { reason: String, last: bool },
    /// Somebody ended it.
    Interrupted,
}

/// A run that came through, with its true error.
#[derive(Clone)]
struct Trial {
    options: RunOptions,
    run: Run,
    memory: Memory,
    error: f64,
}

/// Where the halving of a step stands: tighter errors go on from there.
struct Halving {
    /// The next step.
    h: f64,
    last: Option<Trial>,
    /// The orders that the last two halvings showed.
    orders: [f64; 2],
}

impl Halving {
    /// Notes a trial, if it came through: too long a step may blow up where a shorter one does not.
    fn note(&mut self, trial: Option<Trial>) {
        let errors = [&self.last, &trial].map(|trial| trial.as_ref().map_or(f64::NAN, |trial| trial.error));
        self.orders = [self.orders[1], (errors[0] / errors[1]).log2()];
        self.last = trial;
        self.h /= 2.0;
    }

    /// The order p of error ~ hᵖ, once it lasts.
    fn order(&self) -> Option<f64> {
        let [before, now] = self.orders;
        ((now - before).abs() < SAME_ORDER && now > 0.5).then_some(now)
    }
}

impl Laboratory<'_> {
    fn skip(&mut self, method: &str, rtol: Option<f64>, reason: String) {
        self.skipped.push(Skipped { method: method.into(), rtol, reason });
    }

    /// All rows of a method, the loosest first; whether somebody ended it.
    pub fn method(&mut self, name: &str, fixed: bool, rtols: &[f64]) -> (Vec<Row>, Traces, bool) {
        let mut rows: Vec<Row> = Vec::new();
        let mut traces = Traces { method: name.into(), plane: None, strip: None };
        let mut halving = Halving { h: self.first_step(), last: None, orders: [f64::NAN; 2] };
        for &rtol in rtols {
            let tried = match fixed {
                false => self.controlled(name, rtol, &rows),
                true => self.halved(name, rtol, &mut halving),
            };
            // a step that is short enough for this error, too, is one row
            let same = |trial: &Trial| rows.last().is_some_and(|row| fixed && row.step == trial.options.step);
            let tried = tried.and_then(|trial| Ok((if same(&trial) { None } else { Some(self.row(&trial)?) }, trial)));
            match tried {
                Ok((row, trial)) => {
                    if traces.plane.is_none() {
                        traces.plane = self.reference.plane_of(&trial.memory).map(|(x, y)| (rtol, x, y));
                    }
                    traces.strip = Some((rtol, trial.memory.strip));
                    rows.extend(row);
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
                Err(Refusal::Interrupted) => return (rows, traces, true),
            }
        }
        (rows, traces, false)
    }

    /// The first of the halved steps: no step may be longer than a delay, for it would need values of the future.
    fn first_step(&self) -> f64 {
        let delays = self.compiled.program.layout.delays.iter();
        let shortest = delays.map(|delay| delay.time).fold(f64::INFINITY, f64::min);
        let mut h = self.span / FIRST_STEPS;
        while h > shortest {
            h /= 2.0;
        }
        h
    }

    /// One run, without the estimate of its error: many of them only show that the step was too long.
    fn trial(&self, name: &str, rtol: f64, step: Option<f64>) -> Result<Trial, Refusal> {
        let options = RunOptions {
            method: name.into(),
            rtol,
            atol: ATOL * rtol,
            step,
            rows: self.reference.row_times(),
            error: ErrorWish::Off,
            ..self.asked.clone()
        };
        let mut watched = Watched::new(self.keep_going);
        let run = simulate(self.compiled, &options, &mut watched).map_err(unfit)?;
        finished(&run)?;
        let error = self.reference.error(&watched.memory, &run);
        if !error.is_finite() {
            return Err(Refusal::Stopped { reason: "the result is not finite".into(), last: false });
        }
        Ok(Trial { options, run, memory: watched.memory, error })
    }

    /// A row of the table: what the run says of its error, and its time.
    fn row(&self, trial: &Trial) -> Result<Row, Refusal> {
        let estimating = RunOptions { error: self.asked.error, ..trial.options.clone() };
        let mut watched = Watched::new(self.keep_going);
        let estimated = simulate(self.compiled, &estimating, &mut watched).map_err(unfit)?;
        let mut seconds = trial.run.seconds.solution.min(estimated.seconds.solution);
        if self.repeats > 1 && seconds * self.repeats as f64 <= WORTH_REPEATING {
            // without the rows of the comparison, which only the error needs
            let rows = RowTimes::At(vec![format!("{:?}", trial.run.t_end)]);
            let again = RunOptions { repeat: self.repeats, rows, ..trial.options.clone() };
            seconds = simulate(self.compiled, &again, &mut Discard).map_err(unfit)?.seconds.solve_median;
        }
        if !(self.keep_going)() {
            return Err(Refusal::Interrupted);
        }
        let statistics = &trial.run.outcome.statistics;
        Ok(Row {
            method: trial.options.method.clone(),
            rtol: trial.options.rtol,
            step: trial.options.step,
            steps: statistics.steps,
            rejected: statistics.rejected,
            work: statistics.evaluations,
            mean_order: statistics.order_mean(),
            error: trial.error,
            estimate: estimated.error.as_ref().map(|error| self.reference.estimate(error)),
            seconds,
            ratio: 1.0,
        })
    }

    fn refuse_if_too_long(&self, steps: f64) -> Result<(), Refusal> {
        let most = self.asked.max_steps;
        if steps <= SURELY * most as f64 {
            return Ok(());
        }
        Err(Refusal::Stopped { reason: format!("needs about {steps:.0e} steps, more than {most}"), last: true })
    }

    /// A method that chooses its steps. Two rows tell how many the next one needs, as their number is a power of the tolerance:
    ///
    /// ```text
    ///   log n₃ = log n₂ + log (n₂/n₁) · log (r₃/r₂) / log (r₂/r₁)
    /// ```
    fn controlled(&self, name: &str, rtol: f64, rows: &[Row]) -> Result<Trial, Refusal> {
        if let [.., one, two] = rows {
            let growth = two.steps.max(1) as f64 / one.steps.max(1) as f64;
            let exponent = (rtol / two.rtol).ln() / (two.rtol / one.rtol).ln();
            self.refuse_if_too_long(two.steps as f64 * growth.powf(exponent))?;
        }
        self.trial(name, rtol, None)
    }

    /// The longest of the steps h, h/2, h/4, … whose error is at most `goal`. Once the order p is seen, it tells how many steps
    /// are needed:
    ///
    /// ```text
    ///   error ~ hᵖ:    n · (error / goal)^(1/p)
    /// ```
    fn halved(&self, name: &str, goal: f64, halving: &mut Halving) -> Result<Trial, Refusal> {
        loop {
            if let Some(last) = &halving.last {
                if last.error <= goal {
                    let options = RunOptions { rtol: goal, ..last.options.clone() };
                    return Ok(Trial { options, ..last.clone() });
                }
                if let Some(p) = halving.order() {
                    let steps = last.run.outcome.statistics.steps as f64;
                    self.refuse_if_too_long(steps * (last.error / goal).powf(1.0 / p))?;
                }
            }
            if self.span / halving.h > self.asked.max_steps as f64 {
                let reason = format!("needs more than {} steps for this error", self.asked.max_steps);
                return Err(Refusal::Stopped { reason, last: true });
            }
            match self.trial(name, goal, Some(halving.h)) {
                Ok(trial) => halving.note(Some(trial)),
                Err(Refusal::Stopped { last: false, .. }) => halving.note(None),
                Err(other) => return Err(other),
            }
        }
    }
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
        (_, Status::Interrupted) => Err(Refusal::Interrupted),
        (Some(reason), _) => Err(Refusal::Stopped {
            reason: format!("stopped at t = {}: {}", crate::short(reason.t), reason.message),
            last: reason.kind == "max_steps",
        }),
        (None, _) => Err(Refusal::Stopped { reason: "stopped early".into(), last: true }),
    }
}
