//! The driver: it owns time. It chooses the steps of a [`Method`], hits the end exactly, hands rows to the [`Sink`]
//! and says why a run ended.

mod accept;
mod branch;
pub(crate) mod controller;
mod defect_sampling;
mod delay_record;
mod diagnosis;
mod domain_restart;
mod examination;
mod fold;
pub(crate) mod grid;
pub(crate) mod initial_step;
pub(crate) mod local_features;
mod near_fold;
mod output;
mod output_domain;
mod parting;
mod pieces;
mod plan;
mod pole;
mod projection;
mod reject;
mod series_order;
mod stall;
pub(crate) mod stiffness;

use std::collections::VecDeque;
use std::ops::ControlFlow;

use delay_record::Delayed;
use plan::Plan;

use crate::constraints::{ConstraintSolver, StartConditions};
use crate::driver::controller::Controller;
use crate::driver::grid::Grid;
use crate::driver::initial_step::{Limits, initial_step};
use crate::driver::stiffness::Stiffness;
use crate::events::location::Crossing;
use crate::events::sliding::Flow;
use crate::events::{EventPoint, Events};
use crate::implicit::newton::NewtonSolver;
use crate::options::{check_index, check_past, check_start, tolerance};
use crate::rows::RowTimes;
use crate::{
    CarriedError, LocalFeatures, Method, Options, Outcome, Past, Point, Reason, Refusal, Sink, Start, Statistics,
    Status, StepFailure, System, Tolerance, UsageError, Work,
};
use ordinate_numbers::Octet;

/// Integrates `system` from `start` to `t_end` by `method`. A run that ends early is no error: its outcome says why,
/// and the rows up to there have been handed over.
pub fn solve(
    system: &mut dyn System,
    method: &mut dyn Method,
    start: &Start,
    t_end: f64,
    options: &Options,
    sink: &mut dyn Sink,
) -> Result<Outcome, UsageError> {
    solve_with_past(system, method, &[], start, t_end, options, sink)
}

/// The same where exact values before the start are known, the latest last: a multistep method begins with them instead
/// of finding its own.
pub fn solve_with_past(
    system: &mut dyn System,
    method: &mut dyn Method,
    past: &[Past],
    start: &Start,
    t_end: f64,
    options: &Options,
    sink: &mut dyn Sink,
) -> Result<Outcome, UsageError> {
    check_past(past, start)?;
    let mut run = Run::new(system, method, start, t_end, options, sink)?;
    // What a refusal leads to is not the cause.
    let reason = run.go(past).err().map(|reason| run.refusal().unwrap_or(reason));
    Ok(run.finish(reason))
}

/// The sink is asked whether to go on every so many attempts.
const PROGRESS_EVERY: u64 = 16;

struct Run<'a> {
    flow: Flow<'a>,
    events: Events,
    method: &'a mut dyn Method,
    sink: &'a mut dyn Sink,
    rows: RowTimes<'a>,
    /// The sink wants the polynomials of all steps.
    keeps_pieces: bool,
    /// Time of the next row, infinite if there is none.
    next_row: f64,
    /// Time of the last row handed over.
    last_row: f64,
    tol: Tolerance,
    controller: Controller,
    options: &'a Options,
    t_start: f64,
    y_start: Vec<f64>,
    /// Which states are given at the start.
    fixed: Option<Vec<bool>>,
    /// Whether what the system states of other variables belongs to the start.
    start_residuals: bool,
    t_end: f64,
    h_max: f64,
    /// Where crossings are proven, steps may be longer than that.
    h_proven: f64,
    /// f depends on time by itself.
    timed: bool,
    /// What f may hold that is not known from afar.
    pulses: LocalFeatures,
    /// For looks into steps.
    places: defect_sampling::Places,
    /// The length of the last step.
    last_h: f64,
    /// Lets fast motions die out in what a step did not see.
    filter: Option<NewtonSolver>,

    t: f64,
    y: Vec<f64>,
    d: Vec<f64>,
    /// The step wished for next.
    h: f64,
    /// At the last instant modes changed and nothing jumped, so that `h` is a step of the motion before.
    switched: bool,
    /// `h` is what the method wished for from here.
    wished: bool,
    /// What the method had done before this run.
    earlier: Work,
    /// The method knows where this part of the run begins.
    prepared: bool,
    /// A fixed step must be shorter than this to be computed at all.
    shorter: Option<f64>,
    /// Where the fixed steps are counted from, and how long they are.
    grid: Grid,
    /// f(t, y, d), if `f_known`.
    f: Vec<f64>,
    f_known: bool,
    scratch: [Vec<f64>; 2],
    /// What f divides by, at the ends of a step.
    denominators: [Vec<f64>; 2],
    /// Whether they are what they are at these points.
    denominators_known: [bool; 2],
    /// Where the step before began.
    before: fold::Before,
    /// What determines the algebraic states.
    guards: branch::Guards,
    /// How fast the run comes along.
    pace: stall::Pace,
    /// The way of each denominator towards zero.
    ways: Vec<near_fold::Way>,
    /// The end of the step on its equations, where the system has such.
    restored: Vec<f64>,
    statistics: Statistics,
    stiffness: Stiffness,
    delayed: Delayed,
    examination: examination::Examination,
    /// Where the last time lies that had to be hit.
    instant: f64,
    /// The last of these behind which a root was left.
    left_root: Option<f64>,
    /// The largest error of each state at the ends of steps, from methods that carry it along.
    largest_error: Vec<f64>,
    /// Rows inside of the step on their equations, as far as they are known already.
    restored_rows: VecDeque<Vec<f64>>,
    /// The mean size of each state over about the last quarter of the time passed.
    usual: Vec<f64>,
    /// Rows inside of a step and their errors.
    row_values: Vec<Octet>,
    row_errors: Vec<Octet>,
}

impl<'a> Run<'a> {
    fn new(
        system: &'a mut dyn System,
        method: &'a mut dyn Method,
        start: &Start,
        t_end: f64,
        options: &'a Options,
        sink: &'a mut dyn Sink,
    ) -> Result<Run<'a>, UsageError> {
        method.check(system)?;
        let (n, held) = (system.layout().states, system.layout().held);
        check_start(start, t_end, n, held)?;
        let tol = tolerance(options, n)?;
        if !method.solves_algebraic() {
            check_index(system.layout())?;
        }
        let consistency = ConstraintSolver::new(system, &tol, !method.solves_algebraic());
        let layout = system.layout();
        let positive = |what, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => Err(UsageError::BadStep { what, value }),
            _ => Ok(()),
        };
        positive("step", options.step)?;
        positive("first step", options.first_step)?;
        positive("longest step", options.h_max)?;
        let shortest = layout.shortest_delay();
        // A step of this length would be lost against t.
        if shortest < 1e3 * f64::EPSILON * start.t.abs().max(t_end.abs()) {
            return Err(UsageError::DelayTooShort { delay: shortest });
        }
        if let Some((step, delay)) = options.step.and_then(|step| Some((step, layout.delay_within(step)?))) {
            return Err(UsageError::StepBeyondDelay { step, delay });
        }
        let controller = match (options.step, method.error_exponent()) {
            (None, None) => return Err(UsageError::StepRequired),
            (_, exponent) => Controller::new(exponent.unwrap_or(1)),
        };
        let mut d = vec![0.0; layout.discrete()];
        d[layout.switches.len()..].copy_from_slice(start.held);
        let rows = RowTimes::new(&options.rows, start.t, t_end)?;
        let span = t_end - start.t;
        // Switches are looked for at a number of places of each step, so steps must not be too long; unless their crossings
        // are roots of polynomials.
        let searched = layout.switches.iter().any(|switch| !switch.of_time);
        let h_max = options.h_max.unwrap_or(if searched { 0.1 * span } else { span }).min(span);
        let proven = options.h_max.is_none() && method.is_polynomial();
        let (timed, pulses) = (layout.timed, layout.pulses);
        let delayed = Delayed::new(layout.delays.len());
        let examination = examination::Examination::new(sink);
        method.restart();
        method.runs_until(t_end);
        Ok(Run {
            events: Events::new(layout, (start.t, t_end), options.max_steps, &tol)?,
            earlier: method.work(),
            restored: if consistency.is_some() { vec![0.0; n] } else { Vec::new() },
            start_residuals: start.start_residuals,
            fixed: start.fixed.map(<[bool]>::to_vec),
            flow: Flow::new(system, consistency),
            method,
            keeps_pieces: sink.keeps_pieces(),
            sink,
            next_row: rows.peek().unwrap_or(f64::INFINITY),
            last_row: f64::NAN,
            rows,
            tol,
            controller,
            options,
            t_start: start.t,
            y_start: start.y.to_vec(),
            t_end,
            h_max,
            h_proven: if proven { span } else { h_max },
            timed,
            pulses,
            places: defect_sampling::Places::default(),
            filter: None,
            last_h: 0.0,
            t: start.t,
            y: start.y.to_vec(),
            d,
            h: 0.0,
            switched: false,
            wished: false,
            prepared: false,
            shorter: None,
            grid: Grid::new(start.t, options.step.unwrap_or(0.0)),
            f: vec![0.0; n],
            f_known: false,
            scratch: [vec![0.0; n], vec![0.0; n]],
            denominators: [Vec::new(), Vec::new()],
            denominators_known: [false; 2],
            before: fold::Before::default(),
            guards: branch::Guards::default(),
            pace: stall::Pace::default(),
            ways: Vec::new(),
            statistics: Statistics::default(),
            stiffness: Stiffness::every(50, options.step.is_some()),
            delayed,
            examination,
            instant: start.t,
            left_root: None,
            largest_error: Vec::new(),
            restored_rows: VecDeque::new(),
            usual: vec![0.0; n],
            row_values: vec![Octet::default(); n],
            row_errors: vec![Octet::default(); n],
        })
    }

    fn go(&mut self, past: &[Past]) -> Result<(), Reason> {
        let flow = self.sink.begin();
        self.obey(flow)?;
        self.begin()?;
        if !past.is_empty() {
            let points: Vec<Point> =
                past.iter().map(|value| Point { t: value.t, y: value.y, d: &self.d, f: None }).collect();
            self.flow.with(|system| self.method.remember(system, &points));
        }
        while self.t < self.t_end {
            self.check_limits()?;
            self.ask_wish()?;
            self.look_ahead_in_past();
            let plan = self.plan()?;
            let from = Point { t: self.t, y: &self.y, d: &self.d, f: self.f_known.then_some(&self.f) };
            let tried = self.flow.with(|system| self.method.try_step(system, &from, plan.h, &self.tol));
            self.method.iterates().iter().for_each(|iterate| self.sink.iterate(iterate));
            match tried {
                Ok(trial) if trial.error <= 1.0 || self.options.step.is_some() => match self.overlooked(plan, trial) {
                    None if self.is_beyond_pole(plan)? => self.statistics.rejected += 1,
                    None => self.advance(plan, trial)?,
                    Some(h) => {
                        self.statistics.rejected += 1;
                        self.h = h;
                    }
                },
                Ok(trial) => self.reject(plan, trial)?,
                Err(failure) => self.fail(plan, failure)?,
            }
        }
        self.check_refusal()?;
        if let Some(reason) = self.pole_at_end() {
            return Err(reason);
        }
        self.examine_here()
    }

    /// The row at the end of a run that ended early, and the result.
    fn finish(mut self, reason: Option<Reason>) -> Outcome {
        let largest_error = std::mem::take(&mut self.largest_error);
        let interrupted = matches!(reason, Some(Reason::Interrupted { .. }));
        if reason.is_some() && !interrupted && self.rows.adds_rows() && self.last_row != self.t {
            // A sink that wants to end here gets its wish.
            let mixture = self.flow.mixture(self.t, &self.y, &self.d).cloned();
            if let Some(error) = self.method.error() {
                self.scratch[1].copy_from_slice(error);
                self.tell_error();
            }
            let (d, mixture) = self.delayed.extended(self.flow.system, self.t, false, &self.d, mixture.as_ref());
            let _ = self.sink.row(self.t, &self.y, d, mixture);
        }
        let mut delayed = vec![0.0; self.delayed.count];
        self.flow.system.delayed_values(self.t, &self.d, &mut delayed);
        let mut sliding = self.flow.mixture(self.t, &self.y, &self.d).cloned();
        if let Some(mixture) = &mut sliding {
            mixture.extend(&delayed);
        }
        let unseen = self.statistics.evaluations.f + self.flow.extra_evaluations + self.events.evaluations();
        self.statistics.evaluations = self.method.work().minus(self.earlier);
        self.statistics.evaluations.f += unseen;
        if let Some(filter) = &self.filter {
            self.statistics.evaluations = self.statistics.evaluations.plus(filter.work());
        }
        let inconsistent = matches!(reason, Some(Reason::Inconsistent { .. }));
        let mut inconsistency = None;
        if let Some(consistency) = &mut self.flow.consistency {
            self.statistics.evaluations = self.statistics.evaluations.plus(consistency.work);
            inconsistency = consistency.found.take().filter(|_| inconsistent);
        }
        let below_atol = reason.and_then(|reason| self.below_atol(reason));
        Outcome {
            defect: self.examination.defect,
            inconsistency,
            below_atol,
            status: reason.map_or(Status::Ok, |reason| reason.status()),
            reason,
            t_reached: self.t,
            sliding,
            y: self.y,
            d: self.d,
            delayed,
            step: self.options.step,
            statistics: self.statistics,
            stiff: self.stiffness.found,
            chosen: self.method.chosen(),
            exceeds: self.method.insensitive_to_tolerance(),
            error: self.method.error().map(|at_end| CarriedError {
                at_end: at_end.to_vec(),
                largest: at_end
                    .iter()
                    .enumerate()
                    .map(|(i, e)| e.abs().max(largest_error.get(i).copied().unwrap_or(0.0)))
                    .collect(),
            }),
            energy: self.method.energy(),
            conflict: self.events.conflict,
            selections: std::mem::take(self.events.selections()),
            grazes: self.events.take_grazes(),
            true_at_start: self.events.true_at_start(),
        }
    }

    /// Asks the method how long the step from here should be, if it chooses its steps.
    fn ask_wish(&mut self) -> Result<(), Reason> {
        self.prepare_method();
        if self.wished || self.options.step.is_some() || !self.method.chooses_step() {
            return Ok(());
        }
        let from = Point { t: self.t, y: &self.y, d: &self.d, f: self.f_known.then_some(&self.f) };
        let wish = self.flow.with(|system| self.method.preferred_step(system, &from, &self.tol));
        match wish {
            Ok(_) if !self.method.chooses_step() => self.choose_first_step()?,
            Ok(h) => self.h = h.max(2.0 * self.smallest_step()),
            Err(StepFailure::NotFiniteAtStart { .. }) if self.step_off() => return self.ask_wish(),
            Err(
                StepFailure::NotFinite { component, .. }
                | StepFailure::NotFiniteAtStart { component }
                | StepFailure::Newton { component }
                | StepFailure::Singular { component }
                | StepFailure::TooLong { component },
            ) => {
                return Err(self.not_finite_here(component));
            }
            Err(StepFailure::NoSeries { component, order }) => {
                return Err(Reason::NoSeries { t: self.t, component, order });
            }
        }
        self.wished = true;
        Ok(())
    }

    /// Tells the method where a run, or a new part of it, begins.
    fn prepare_method(&mut self) {
        if !std::mem::replace(&mut self.prepared, true) {
            let from = Point { t: self.t, y: &self.y, d: &self.d, f: self.f_known.then_some(&self.f) };
            self.flow.with(|system| self.method.prepare(system, &from, &self.tol));
        }
    }

    fn restart_method(&mut self) {
        self.method.restart();
        self.prepared = false;
        self.denominators_known = [false; 2];
        self.before.h = 0.0;
        self.guards.forget();
    }

    fn choose_first_step(&mut self) -> Result<(), Reason> {
        if self.options.step.is_some() {
            return Ok(());
        }
        self.prepare_method();
        if let Some(h) = self.options.first_step.filter(|_| self.t == self.t_start) {
            (self.h, self.wished) = (h, true);
            return Ok(());
        }
        if self.method.chooses_step() {
            return Ok(());
        }
        self.flow.with(|system| system.derivative(self.t, &self.y, &self.d, &mut self.f));
        self.statistics.evaluations.f += 1;
        if let Some(component) = self.f.iter().position(|f| !f.is_finite()) {
            return if self.step_off() { self.choose_first_step() } else { Err(self.not_finite_here(component)) };
        }
        self.f_known = true;
        let point = Point { t: self.t, y: &self.y, d: &self.d, f: None };
        let exponent = self.method.error_exponent().unwrap_or(1);
        let known = self.flow.system.history().map_or(f64::INFINITY, |history| history.shortest());
        let limits = Limits { h_max: self.h_max.min(self.t_end - self.t).min(known), exponent };
        let (h, evaluations) =
            self.flow.with(|system| initial_step(system, &point, &self.f, &self.tol, &limits, &mut self.scratch));
        self.statistics.evaluations.f += evaluations;
        self.h = h.max(2.0 * self.smallest_step());
        Ok(())
    }

    /// A step shorter than this is lost against t.
    fn smallest_step(&self) -> f64 {
        (10.0 * f64::EPSILON * self.t.abs().max(self.t - self.t_start)).max(f64::MIN_POSITIVE)
    }

    /// Attempts at steps so far, and events.
    fn attempts(&self) -> u64 {
        self.statistics.steps + self.statistics.rejected + self.statistics.events
    }

    fn check_limits(&mut self) -> Result<(), Reason> {
        self.check_refusal()?;
        self.check_sliding()?;
        let attempts = self.attempts();
        if attempts >= self.options.max_steps {
            return Err(Reason::MaxSteps { t: self.t, h: self.h, limit: self.options.max_steps });
        }
        // Events that come too often are told as such.
        let of_steps = attempts.saturating_sub(2 * self.statistics.events);
        self.pace.check(self.t, of_steps, (self.t_start, self.t_end), self.options.max_steps)?;
        if attempts.is_multiple_of(PROGRESS_EVERY) {
            let flow = self.sink.progress(self.t);
            self.obey(flow)?;
        }
        Ok(())
    }

    /// Why the system refuses to be evaluated, if it does.
    fn refusal(&mut self) -> Option<Reason> {
        self.flow.system.refusal().map(|refusal| match refusal {
            Refusal::Interrupted => Reason::Interrupted { t: self.t },
            Refusal::Failed => Reason::External { t: self.t },
        })
    }

    fn check_refusal(&mut self) -> Result<(), Reason> {
        self.refusal().map_or(Ok(()), Err)
    }

    fn obey(&self, flow: ControlFlow<crate::Interrupt>) -> Result<(), Reason> {
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(_) => Err(Reason::Interrupted { t: self.t }),
        }
    }

    /// The start: the modes and what happens at once.
    fn begin(&mut self) -> Result<(), Reason> {
        let scale = self.h_max.max(self.smallest_step());
        if let Some(history) = self.flow.system.history() {
            history.begin(self.t_start);
        }
        self.keep_delayed();
        let attempts = self.attempts();
        let mut now = EventPoint { t: self.t, y: &mut self.y, d: &mut self.d, scale, attempts };
        let wishes =
            StartConditions { fixed: self.fixed.as_deref(), start_residuals: self.start_residuals, tol: &self.tol };
        let happened = self.events.begin(&mut self.flow, &mut now, &wishes)?;
        self.rows_at_event(happened.acted)?;
        self.examine_here()?;
        self.sink.passed(self.t, &self.y);
        if let Some(condition) = happened.stop {
            return Err(Reason::StopCondition { t: self.t, condition });
        }
        if self.t < self.t_end {
            // Before the sink is asked to go on for the first time, which is when a clock starts.
            self.flow.with(|system| self.method.preallocate(system));
            self.choose_first_step()
        } else {
            Ok(())
        }
    }

    /// The current point is an instant at which something may happen; `h` is the length of the step that led here.
    fn event(&mut self, crossing: Option<Crossing>, h: f64) -> Result<(), Reason> {
        self.keep_delayed();
        self.keep_denominators(false);
        self.instant = self.t;
        let (scale, attempts) = (h.min(self.h_max), self.attempts());
        let mut now = EventPoint { t: self.t, y: &mut self.y, d: &mut self.d, scale, attempts };
        let happened = self.events.at(&mut self.flow, &mut now, crossing)?;
        self.wished = false;
        self.switched = happened.changed && !happened.jumped;
        if let Some(crossing) = crossing {
            self.tell_event(crossing.boundary.switch);
        }
        self.rows_at_event(happened.acted)?;
        self.examine_event(happened.changed)?;
        if happened.acted {
            self.sink.passed(self.t, &self.y);
        }
        if let Some(condition) = happened.stop {
            return Err(Reason::StopCondition { t: self.t, condition });
        }
        if !happened.changed && !happened.broke {
            self.method.accept();
            self.events.accept();
            return Ok(());
        }
        self.statistics.events += u64::from(happened.changed);
        self.restart_method();
        self.controller.restart();
        // A state that jumped says nothing about the next step; a mode that changed often does.
        if happened.jumped && self.t < self.t_end { self.choose_first_step() } else { Ok(()) }
    }
}
