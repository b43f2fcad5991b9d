//! Systems without a text: a right-hand side that is computed elsewhere, by all methods, with rows, dense output and the estimate
//! of the global error.

use crate::error::{WithoutDigits, without_digits};
use crate::methods::choose;
use crate::run::solver_options;
use crate::{GlobalError, RunError, RunOptions};
use ordinate_solve::{
    Choice, DenseOutput, Interrupt, Layout, Mixture, Options, Outcome, Piece, Reason, Refusal, Rows, Sink, Start,
    Status, System, UsageError,
};
use std::ops::ControlFlow;

/// y′ = f(t, y) as a function that may fail. After a failure it is not called again, and the run ends with [`Reason::External`].
pub struct FunctionSystem<F, E> {
    layout: Layout,
    f: F,
    failure: Option<E>,
}

impl<F, E> FunctionSystem<F, E>
where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
{
    /// Of so many states; `f` writes the derivatives. Where these are not defined it writes what is not finite: then a shorter
    /// step is tried. An error ends the run.
    pub fn new(states: usize, f: F) -> Self {
        FunctionSystem { layout: Layout { states, timed: true, ..Layout::default() }, f, failure: None }
    }

    /// Why a run failed, as `f` said it.
    pub fn take_failure(&mut self) -> Option<E> {
        self.failure.take()
    }
}

impl<F, E> System for FunctionSystem<F, E>
where
    F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
{
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        if self.failure.is_none() {
            self.failure = (self.f)(t, y, dy).err();
        }
        if self.failure.is_some() {
            dy.fill(f64::NAN);
        }
    }

    fn refusal(&mut self) -> Option<Refusal> {
        self.failure.as_ref().map(|_| Refusal::Failed)
    }
}

/// What came out of a system that is computed elsewhere.
#[derive(Clone, Debug)]
pub struct SystemRun {
    /// The method named.
    pub method: &'static str,
    /// What the driver says; with [`Reason::External`] the system knows why.
    pub outcome: Outcome,
    /// The states at the times of rows.
    pub rows: Vec<(f64, Vec<f64>)>,
    /// The states as functions of time, if that was asked for.
    pub dense: Option<DenseOutput>,
    /// The global error, if it was asked for and the system could be evaluated again; states are called y0, y1, …
    pub error: Option<GlobalError>,
}

/// Why a run did not begin.
#[derive(Clone, Debug)]
pub enum SystemError {
    /// An option does not make sense.
    Options(RunError),
    /// The system cannot be solved so.
    Usage(UsageError),
}

/// Solves a system from a start to `t_end`. The times are those given here, not those of the options, and there are no digits
/// beyond doubles. The error is the difference of the run and one with shorter steps or smaller tolerances, as for models.
pub fn simulate_system(
    system: &mut dyn System,
    start: &Start,
    t_end: f64,
    options: &RunOptions,
) -> Result<SystemRun, SystemError> {
    let unfit = |text: &str| SystemError::Options(RunError::Usage(text.into()));
    if options.digits.is_some() || options.precision.is_some() {
        return Err(unfit("a system without a text is computed in doubles: leave `digits` and `precision` out"));
    }
    let (choice, _) = choose(options).map_err(SystemError::Options)?;
    let solver = solver_options(options, start.t, t_end, &[]).map_err(SystemError::Options)?;
    let mut kept = Kept { rows: Vec::new(), dense: options.dense.then(DenseOutput::default) };
    let outcome = solve(system, &choice, start, t_end, &solver, &mut kept).map_err(SystemError::Usage)?;
    let again = !matches!(outcome.reason, Some(Reason::External { .. } | Reason::Interrupted { .. }));
    let wanted = options.error != crate::ErrorWish::Off && again;
    let error = if wanted { global_error(system, &choice, start, t_end, &solver, &outcome, &kept.rows) } else { None };
    Ok(SystemRun { method: choice.name(), outcome, rows: kept.rows, dense: kept.dense, error })
}

fn solve(
    system: &mut dyn System,
    choice: &Choice,
    start: &Start,
    t_end: f64,
    options: &Options,
    kept: &mut Kept,
) -> Result<Outcome, UsageError> {
    let mut method = choice.build(system.layout().states, options.step.is_some());
    ordinate_solve::solve(system, method.as_mut(), start, t_end, options, kept)
}

/// Rows in memory.
struct Kept {
    rows: Vec<(f64, Vec<f64>)>,
    dense: Option<DenseOutput>,
}

impl Sink for Kept {
    fn row(&mut self, t: f64, y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        self.rows.push((t, y.to_vec()));
        ControlFlow::Continue(())
    }

    fn keeps_pieces(&self) -> bool {
        self.dense.is_some()
    }

    fn piece(&mut self, piece: Piece) {
        if let Some(dense) = &mut self.dense {
            dense.push(piece);
        }
    }
}

/// The error by the first companion that comes to the end, otherwise by the one that comes farthest; `None` where none begins.
fn global_error(
    system: &mut dyn System,
    choice: &Choice,
    start: &Start,
    t_end: f64,
    options: &Options,
    outcome: &Outcome,
    rows: &[(f64, Vec<f64>)],
) -> Option<GlobalError> {
    // A run that the system ended ends when its companion comes to that.
    let ended = outcome.status == Status::Ok && outcome.t_reached < t_end;
    let t_end = if ended { t_end } else { outcome.t_reached };
    let mut times: Vec<f64> = rows.iter().map(|(t, _)| *t).filter(|t| *t <= t_end).collect();
    times.push(outcome.t_reached);
    times.dedup();
    let mut best: Option<GlobalError> = None;
    for companion in choice.companions(options, outcome, false) {
        let options = Options { rows: Rows::At(times.clone()), ..companion.options.clone() };
        let mut beside = Kept { rows: Vec::new(), dense: None };
        let Ok(other) = solve(system, &choice.converging(), start, t_end, &options, &mut beside) else { continue };
        let factor = companion.factor(&outcome.statistics, &other.statistics);
        let found = compared(outcome, rows, &beside.rows, factor, options_atol(&options));
        let complete = found.complete;
        if best.as_ref().is_none_or(|best| found.until > best.until) {
            best = Some(found);
        }
        if complete {
            break;
        }
    }
    best
}

fn options_atol(options: &Options) -> impl Fn(usize) -> f64 + '_ {
    move |state| if options.step.is_some() { 0.0 } else { options.atol.of(state) }
}

/// Differences row by row. Where an event makes several rows of one time in one of the runs only, the error of the row before stands.
fn compared(
    outcome: &Outcome,
    rows: &[(f64, Vec<f64>)],
    beside: &[(f64, Vec<f64>)],
    factor: f64,
    asked: impl Fn(usize) -> f64,
) -> GlobalError {
    let states = outcome.y.len();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); states + 1];
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); states];
    let (mut i, mut j, mut until) = (0, 0, f64::NEG_INFINITY);
    let same =
        |rows: &[(f64, Vec<f64>)], from: usize| rows[from..].iter().take_while(|row| row.0 == rows[from].0).count();
    while i < rows.len() && j < beside.len() {
        if beside[j].0 < rows[i].0 {
            j += 1;
            continue;
        }
        let own = same(rows, i);
        let there = if beside[j].0 == rows[i].0 { same(beside, j) } else { 0 };
        for k in 0..own {
            columns[0].push(rows[i + k].0);
            for c in 0..states {
                let y = rows[i + k].1[c];
                let before = errors[c].last().copied().unwrap_or(0.0);
                columns[c + 1].push(y);
                errors[c].push(if there == own { factor * (beside[j + k].1[c] - y) } else { before });
            }
        }
        until = rows[i].0;
        (i, j) = (i + own, j + there);
    }
    let mut largest: Vec<f64> =
        errors.iter().map(|errors| errors.iter().fold(0.0, |most: f64, error| most.max(error.abs()))).collect();
    let complete = i == rows.len() && until == outcome.t_reached;
    let last = match beside.last().filter(|(t, _)| *t == outcome.t_reached) {
        Some((_, y)) => y.iter().zip(&outcome.y).map(|(y, own)| factor * (y - own)).collect(),
        None => vec![f64::NAN; states],
    };
    if until == f64::NEG_INFINITY {
        // nothing was compared, so nothing is known
        largest.fill(f64::INFINITY);
    }
    let WithoutDigits { lost, faint } = without_digits(&columns, &errors, &mut largest, &asked);
    GlobalError {
        names: (0..states).map(|state| format!("y{state}")).collect(),
        states,
        variables: vec![true; states],
        largest,
        last,
        rows: errors,
        until,
        complete,
        lost,
        faint,
        ..GlobalError::default()
    }
}
