//! Many trajectories of a model: other start values, other parameters. Smooth models are computed in SIMD lanes by the
//! Taylor method, each trajectory with its own steps and orders; models with switches, events or sampled actions, and
//! trajectories that run into a singularity, go one by one through the ordinary driver with the same method.
//!
//! What comes out of a trajectory depends neither on the others nor on the number of threads.

use crate::recorder::{Recorder, final_values};
use crate::start::StartValues;
use crate::{Compiled, RowError, RowSink, RunError, explain};
use ordinate_numbers::Processor;
use ordinate_program::{Evaluator, JetCode, LaneSeries};
use ordinate_solve::{
    AbsoluteTolerance, LaneRun, LaneStart, Options, Outcome, Rows, Sink, StopFlag, by_name, solve_lanes,
};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// One trajectory. Another parameter is another compiled model: see [`crate::CompileOptions::set`]. Models that differ
/// in numbers only share the lanes.
#[derive(Clone, Debug)]
pub struct Trajectory<'a> {
    /// The model.
    pub model: &'a Compiled,
    /// Start values of all states in the order of `model.program.state_names`; otherwise those of the model.
    pub start: Option<Vec<f64>>,
}

/// How trajectories are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchOptions {
    /// Start time; otherwise that of each model, otherwise 0.
    pub t_start: Option<f64>,
    /// End time; otherwise that of each model.
    pub t_end: Option<f64>,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Maximum number of steps of each trajectory.
    pub max_steps: u64,
    /// Times of rows, ascending.
    pub at: Vec<f64>,
    /// Number of threads; 0 for as many as the machine has.
    pub threads: usize,
}

impl Default for BatchOptions {
    fn default() -> BatchOptions {
        let solver = Options::default();
        BatchOptions {
            t_start: None,
            t_end: None,
            rtol: solver.rtol,
            atol: 1e-9,
            max_steps: solver.max_steps,
            at: Vec::new(),
            threads: 1,
        }
    }
}

/// What came out of a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchResult {
    /// How it ended: time reached, states there, counts.
    pub outcome: Outcome,
    /// Why it ended early, for a person; with the variable concerned.
    pub reason: Option<explain::Explanation>,
    /// The rows asked for, with the columns of [`Compiled::stored_names`].
    pub rows: Vec<Vec<f64>>,
}

impl BatchResult {
    /// Names of the stored columns without `time`, and their values at the end.
    pub fn final_values(&self, model: &Compiled) -> Vec<(String, f64)> {
        final_values(model, &mut Evaluator::new(model.program.clone()), &self.outcome)
    }
}

/// Computes trajectories, one result for each. An error concerns its own trajectory only.
///
/// ```
/// use ordinate::{BatchOptions, CompileOptions, Source, Trajectory, batch, compile};
///
/// let source = Source::text("param k = 1; y' = -k*y; y(0) = 1; run 0 .. 1");
/// let models: Vec<_> = ["1", "2", "3"]
///     .into_iter()
///     .map(|k| {
///         let set = vec![("k".to_string(), k.to_string())];
///         compile(&source, &CompileOptions { set, ..CompileOptions::default() }).unwrap()
///     })
///     .collect();
/// let trajectories: Vec<_> = models.iter().map(|model| Trajectory { model, start: Some(vec![5.0]) }).collect();
/// for (k, result) in (1..).zip(batch(&trajectories, &BatchOptions::default())) {
///     let end = result.unwrap().outcome.y[0];
///     assert!((end - 5.0 * f64::exp(-f64::from(k))).abs() < 1e-5);
/// }
/// ```
pub fn batch(trajectories: &[Trajectory], options: &BatchOptions) -> Vec<Result<BatchResult, RunError>> {
    let mut plan = Plan::new(trajectories, options);
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let jobs = plan.jobs(threads);
    let mut results: Vec<Option<Result<BatchResult, RunError>>> = Vec::new();
    results.extend(std::mem::take(&mut plan.refused).into_iter().map(|refused| refused.map(Err)));
    let (next, results) = (AtomicUsize::new(0), Mutex::new(results));
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for (index, result) in plan.run(job) {
                results.lock().expect("no worker panics while it stores")[index] = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            // a thread that cannot be had, as in a browser, is one worker less
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let results = results.into_inner().expect("all workers have ended");
    results.into_iter().map(|result| result.expect("every trajectory belongs to a job")).collect()
}

/// Trajectories that one worker computes.
enum Job {
    /// Side by side, with codes of one structure.
    Lanes(Vec<usize>),
    OneByOne(Vec<usize>),
}

/// A start that is known to be possible.
struct Ready {
    times: [f64; 2],
    start: StartValues,
}

/// Everything that is known before the first step.
struct Plan<'a> {
    trajectories: &'a [Trajectory<'a>],
    options: &'a BatchOptions,
    /// Where each trajectory starts …
    ready: Vec<Option<Ready>>,
    /// … or why it cannot.
    refused: Vec<Option<RunError>>,
    /// Series codes, one per model that lanes can compute; and that of each trajectory.
    codes: Vec<Arc<JetCode>>,
    code_of: Vec<Option<usize>>,
    /// Trajectories of the same structure.
    groups: Vec<(JetCode<()>, Vec<usize>)>,
}

/// What trajectories of one model share.
struct Prepared {
    evaluator: Evaluator,
    code: Option<usize>,
    group: Option<usize>,
}

impl<'a> Plan<'a> {
    fn new(trajectories: &'a [Trajectory<'a>], options: &'a BatchOptions) -> Plan<'a> {
        let mut plan = Plan {
            trajectories,
            options,
            ready: Vec::with_capacity(trajectories.len()),
            refused: Vec::with_capacity(trajectories.len()),
            codes: Vec::new(),
            code_of: Vec::with_capacity(trajectories.len()),
            groups: Vec::new(),
        };
        // Only looked up: its order reaches no result.
        let mut known = HashMap::new();
        for (index, trajectory) in trajectories.iter().enumerate() {
            let model = trajectory.model;
            let prepared = known.entry(Arc::as_ptr(&model.program)).or_insert_with(|| plan.prepare(model));
            let started = plan.start(trajectory, &mut prepared.evaluator);
            if let (Ok(_), Some(group)) = (&started, prepared.group) {
                plan.groups[group].1.push(index);
            }
            plan.code_of.push(prepared.code);
            plan.refused.push(started.as_ref().err().cloned());
            plan.ready.push(started.ok());
        }
        plan
    }

    fn prepare(&mut self, model: &Compiled) -> Prepared {
        let evaluator = Evaluator::new(model.program.clone());
        let layout = &model.program.layout;
        // lanes neither solve algebraic equations nor hold invariants
        let ordinary = layout.algebraic == 0 && layout.invariants == 0;
        let smooth = ordinary && layout.states > 0 && layout.conditions.is_empty() && layout.sampled.is_empty();
        let code = evaluator.jet_code().filter(|_| smooth && model.sorted.checks.is_empty());
        let Some(code) = code else { return Prepared { evaluator, code: None, group: None } };
        let structure = code.structure();
        let group = self.groups.iter().position(|(known, _)| *known == structure).unwrap_or_else(|| {
            self.groups.push((structure, Vec::new()));
            self.groups.len() - 1
        });
        self.codes.push(Arc::new(code));
        Prepared { evaluator, code: Some(self.codes.len() - 1), group: Some(group) }
    }

    fn start(&self, trajectory: &Trajectory, evaluator: &mut Evaluator) -> Result<Ready, RunError> {
        let (model, options) = (trajectory.model, self.options);
        let t_start = options.t_start.or(model.run.map(|(from, _)| from)).unwrap_or(0.0);
        let t_end = options.t_end.or(model.run.map(|(_, to)| to)).ok_or(RunError::NoEndTime)?;
        let mut start = StartValues::new(model, evaluator, t_start)?;
        if let Some(given) = &trajectory.start {
            start.states.clone_from(given);
            start.given[..model.program.layout.differential()].fill(true);
        }
        Ok(Ready { times: [t_start, t_end], start })
    }

    fn jobs(&self, threads: usize) -> Vec<Job> {
        // Several pieces per thread, for trajectories differ; not too small, for at the end of each lanes are idle.
        let size = |members: usize| if threads == 1 { members } else { members.div_ceil(4 * threads).max(32) };
        let mut jobs = Vec::new();
        for (_, members) in &self.groups {
            let pieces = members.chunks(size(members.len()).max(1));
            jobs.extend(pieces.map(|piece| Job::Lanes(piece.to_vec())));
        }
        let alone = |index: &usize| self.ready[*index].is_some() && self.code_of[*index].is_none();
        let alone: Vec<usize> = (0..self.trajectories.len()).filter(alone).collect();
        jobs.extend(alone.chunks(4).map(|piece| Job::OneByOne(piece.to_vec())));
        jobs
    }

    fn run(&self, job: &Job) -> Vec<(usize, Result<BatchResult, RunError>)> {
        match job {
            Job::OneByOne(members) => members.iter().map(|&index| (index, self.one(index))).collect(),
            Job::Lanes(members) => self.lanes(members),
        }
    }

    fn ready(&self, index: usize) -> &Ready {
        self.ready[index].as_ref().expect("only trajectories that can start have a job")
    }

    /// Side by side; those that lanes give up are done one by one.
    fn lanes(&self, members: &[usize]) -> Vec<(usize, Result<BatchResult, RunError>)> {
        let starts: Vec<LaneStart> = members
            .iter()
            .map(|&index| {
                let Ready { times: [t, t_end], start } = self.ready(index);
                LaneStart { t: *t, y: &start.states, t_end: *t_end }
            })
            .collect();
        // the codes of these members only
        let mut codes: Vec<usize> = members.iter().filter_map(|&index| self.code_of[index]).collect();
        codes.dedup();
        let mut of = Vec::with_capacity(members.len());
        let mut at = 0;
        for &index in members {
            if Some(codes[at]) != self.code_of[index] {
                at += 1;
            }
            of.push(at);
        }
        let codes = codes.into_iter().map(|code| self.codes[code].clone()).collect();
        let stop = members.first().map_or_else(StopFlag::default, |&index| self.trajectories[index].model.stop.clone());
        let mut series = LaneSeries::new(codes, of, Processor::best()).stopped_by(stop);
        let runs = solve_lanes(&mut series, &starts, &self.solver_options(self.options.at.clone()));
        let result = |(&index, run): (&usize, Option<LaneRun>)| match run {
            None => (index, self.one(index)),
            Some(run) => (index, Ok(self.result(index, run.outcome, &run.rows))),
        };
        members.iter().zip(runs).map(result).collect()
    }

    fn solver_options(&self, times: Vec<f64>) -> Options {
        Options {
            rtol: self.options.rtol,
            atol: AbsoluteTolerance::Same(self.options.atol),
            max_steps: self.options.max_steps,
            rows: Rows::At(times),
            ..Options::default()
        }
    }

    /// The result of a trajectory from lanes.
    fn result(&self, index: usize, outcome: Outcome, rows: &[f64]) -> BatchResult {
        let model = self.trajectories[index].model;
        let mut kept = Kept::new(model);
        if !rows.is_empty() {
            let mut recorder =
                Recorder::new(model, Evaluator::new(model.program.clone()), &mut kept, &self.ready(index).start);
            for row in rows.chunks_exact(1 + outcome.y.len()) {
                if let ControlFlow::Break(_) = recorder.row(row[0], &row[1..], &[], None) {
                    unreachable!("memory takes every row, and nothing is checked");
                }
            }
        }
        let reason = explained(&outcome, model);
        BatchResult { outcome, reason, rows: kept.rows }
    }

    /// A trajectory by the ordinary driver.
    fn one(&self, index: usize) -> Result<BatchResult, RunError> {
        let model = self.trajectories[index].model;
        let Ready { times: [t_start, t_end], start } = self.ready(index);
        let mut times = self.options.at.clone();
        // A start value that must follow from the equations is checked with the first row.
        let extra = !start.checks.is_empty() && times.first() != Some(t_start);
        if extra {
            times.insert(0, *t_start);
        }
        let options = self.solver_options(times);
        let mut kept = Kept::new(model);
        let mut recorder = Recorder::new(model, Evaluator::new(model.program.clone()), &mut kept, start);
        let mut method = by_name("taylor").expect("it is a method").build(model.program.layout.states, false);
        let mut evaluator = model.evaluator();
        let from = start.from(*t_start);
        let outcome = ordinate_solve::solve(&mut evaluator, method.as_mut(), &from, *t_end, &options, &mut recorder)
            .map_err(|e| RunError::Usage(format!("trajectory {index}: {}", explain::usage_error(&e, model))))?;
        let reason =
            explain::inconsistent_start(*t_start, &recorder.inconsistent, model).or_else(|| explained(&outcome, model));
        let rows = kept.rows.split_off(usize::from(extra).min(kept.rows.len()));
        Ok(BatchResult { outcome, reason, rows })
    }
}

fn explained(outcome: &Outcome, model: &Compiled) -> Option<explain::Explanation> {
    outcome.reason.and_then(|_| explain::explain(outcome, model))
}

/// Keeps rows, without the inputs.
struct Kept {
    stored: usize,
    rows: Vec<Vec<f64>>,
}

impl Kept {
    fn new(model: &Compiled) -> Kept {
        Kept { stored: 1 + model.program.visible + model.sorted.columns.len(), rows: Vec::new() }
    }
}

impl RowSink for Kept {
    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.rows.push(values[..self.stored].to_vec());
        Ok(())
    }
}
