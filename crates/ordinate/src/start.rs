//! Start values: which are given, which are guesses, and what is wrong with them.

use crate::{Compiled, Discard, ErrorWish, Run, RunError, RunOptions, simulate};
use ordinate_model::Given;
use ordinate_program::Evaluator;
use ordinate_solve::Start;
use ordinate_syntax::{Diagnostic, Span};

/// Values at the start, checked.
#[derive(Clone)]
pub(crate) struct StartValues {
    pub states: Vec<f64>,
    pub held: Vec<f64>,
    /// Which states are given; the others are guesses, and follow from the equations.
    pub given: Vec<bool>,
    /// Whether what is given and guessed of other variables is still to be found; the model with its index reduced has found it.
    pub start_residuals: bool,
    /// Column, name and value of start values that must follow from the equations.
    pub checks: Vec<(usize, String, f64)>,
}

impl StartValues {
    /// Where the driver begins.
    pub fn from(&self, t: f64) -> Start<'_> {
        Start { t, y: &self.states, held: &self.held, fixed: Some(&self.given), start_residuals: self.start_residuals }
    }

    pub fn new(compiled: &Compiled, evaluator: &mut Evaluator, t_start: f64) -> Result<StartValues, RunError> {
        let model = &compiled.sorted.model;
        let mut diagnostics = Vec::new();
        for (given, time) in model.starts.iter().zip(&compiled.start_times) {
            if let Some((_, span)) = given.at.filter(|_| *time != Some(t_start)) {
                diagnostics.push(start_time_mistake(&model.name(given.var), *time, t_start, span));
            }
        }
        let values = evaluator.starts(t_start);
        let (n, m) = (compiled.program.layout.states, compiled.program.layout.held);
        for (state, value) in compiled.sorted.states.iter().zip(&values) {
            if !value.is_finite() {
                let name = model.name(state.var);
                let span = model.starts.iter().find(|given| given.var == state.var).map_or(Span::default(), |g| g.span);
                diagnostics.push(
                    Diagnostic::error(
                        "bad-value",
                        span,
                        format!("the start value of `{name}` is not finite ({value})"),
                    )
                    .help("a division by zero or a function outside of its domain; change the expression"),
                );
            }
        }
        let (mut states, held) = (values[..n].to_vec(), values[n..n + m].to_vec());
        if !diagnostics.is_empty() {
            return Err(RunError::Model(diagnostics));
        }
        if let Some(reduced) = &compiled.reduced {
            follow(compiled, reduced, t_start, &mut states);
        }
        let column = |var| compiled.sorted.columns.iter().position(|&v| v == var).expect("a check is a column");
        let checks = compiled.sorted.checks.iter().zip(&values[n + m..]);
        Ok(StartValues {
            states,
            held,
            given: given_states(compiled),
            start_residuals: compiled.reduced.is_none(),
            checks: checks.map(|(given, &value)| (column(given.var), model.name(given.var), value)).collect(),
        })
    }
}

/// What follows from the given start values only by derivatives of the constraints comes from the model with its index reduced.
/// Where that cannot begin, the values stay what they are, and the run will say why.
fn follow(compiled: &Compiled, reduced: &Compiled, t_start: f64, states: &mut [f64]) {
    let Ok(run) = at_start(reduced, t_start) else { return };
    if run.reason.is_some() {
        return;
    }
    for (name, state) in compiled.program.state_names.iter().zip(states) {
        if let Some(value) = run.final_value(name).filter(|value| value.is_finite()) {
            *state = value;
        }
    }
}

/// A run of no length.
pub(crate) fn at_start(compiled: &Compiled, t_start: f64) -> Result<Run, RunError> {
    let at = Some(format!("{t_start:?}"));
    let options =
        RunOptions { t_start: at.clone(), t_end: at, error: ErrorWish::Off, repeat: 1, ..RunOptions::default() };
    simulate(compiled, &options, &mut Discard)
}

/// The states that have a start value, in the order of y. What stands for the value of an algebraic state is compared when
/// it is found.
pub(crate) fn given_states(compiled: &Compiled) -> Vec<bool> {
    let sorted = &compiled.sorted;
    let constrained = !sorted.invariants.is_empty();
    let open = |var| constrained || sorted.structure.stated.contains(&var);
    let mut given: Vec<bool> = sorted.states.iter().map(|state| state.start.is_some() || !open(state.var)).collect();
    given.resize(compiled.program.layout.states, false);
    given
}

/// Mistakes of start values that show only when they are evaluated. Without a `run` line the start time is left to
/// the command, and only the values are looked at.
pub fn check_starts(compiled: &Compiled) -> Vec<Diagnostic> {
    let own = compiled.run;
    let mut evaluator = Evaluator::new(compiled.program.clone());
    match StartValues::new(compiled, &mut evaluator, own.map_or(0.0, |(from, _)| from)) {
        Err(RunError::Model(mut found)) => {
            found.retain(|d| own.is_some() || d.code != "start-time");
            found
        }
        Ok(_) => inconsistent(compiled, own.map_or(0.0, |(from, _)| from)).into_iter().collect(),
        Err(RunError::NoEndTime | RunError::Usage(_) | RunError::Rows(_)) => Vec::new(),
    }
}

/// Start values that contradict the constraints, or leave something open, as a run of no length finds them. That takes the
/// derivatives of the constraints: a model that was compiled without them is not looked at.
fn inconsistent(compiled: &Compiled, t_start: f64) -> Option<Diagnostic> {
    let layout = &compiled.program.layout;
    if (layout.algebraic == 0 && layout.invariants == 0) || compiled.program.jacobian.is_none() {
        return None;
    }
    let found = at_start(compiled, t_start).ok()?.reason?;
    if !matches!(found.kind, "inconsistent_start" | "singular_jacobian") {
        return None;
    }
    let model = &compiled.sorted.model;
    let named = |given: &&Given| found.variable.as_ref().is_some_and(|name| model.name(given.var) == *name);
    let place = model.starts.iter().find(named).or(model.starts.first()).map_or(Span::default(), |given| given.span);
    Some(Diagnostic::error("inconsistent-start", place, found.message).help(found.hint))
}

fn start_time_mistake(name: &str, given: Option<f64>, t_start: f64, span: Span) -> Diagnostic {
    let given = given.map_or_else(|| "this time".to_string(), |t| t.to_string());
    Diagnostic::error(
        "start-time",
        span,
        format!("the start value of `{name}` is given at {given}, but the run starts at {t_start}"),
    )
    .help("give it at the start time, or change the start time by `run` or `--t-start`")
}
