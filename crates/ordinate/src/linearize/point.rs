//! The point: start values or what the solution reaches, with what the command names in their place; in a model with
//! algebraic equations made consistent.

use super::{LinearizeError, LinearizeOptions};
use crate::start::StartValues;
use crate::transform::modes;
use crate::{Compiled, RunError, explain, methods, number_hint, short};
use ordinate_expr::VarId;
use ordinate_model::{Model, Role, constant, instead, with_open};
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Interrupt, Mixture, Options, Outcome, Rows, Sink, Start, Status};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// Values of everything that is not computed from others.
pub(super) struct Point {
    pub t: f64,
    values: FxHashMap<VarId, f64>,
    /// What the command names.
    pub named: FxHashSet<VarId>,
    /// States with a start value, which need not move to fulfil the equations.
    given: FxHashSet<VarId>,
    pub notes: Vec<String>,
}

/// Start values of more states are not moved one by one.
const MOST_MOVABLE: usize = 12;

impl Point {
    pub fn new(compiled: &Compiled, inputs: &[VarId], options: &LinearizeOptions) -> Result<Point, LinearizeError> {
        let sorted = &compiled.sorted;
        let model = &sorted.model;
        let from = compiled.run.map_or(0.0, |(from, _)| from);
        let mut evaluator = compiled.evaluator();
        let start = StartValues::new(compiled, &mut evaluator, from).map_err(|error| match error {
            RunError::Model(found) => LinearizeError::Model(found),
            RunError::Usage(text) => LinearizeError::Usage(text),
            RunError::NoEndTime | RunError::Rows(_) => unreachable!("start values need neither an end nor rows"),
        })?;
        let t = options.time.unwrap_or(from);
        let (y, held) = match options.time {
            None => (start.states.clone(), start.held.clone()),
            Some(time) => {
                let outcome = run(&mut evaluator, compiled, &start, from, time)?;
                let held = outcome.d[compiled.program.layout.switches.len()..].to_vec();
                (outcome.y, held)
            }
        };
        let d = modes(&mut evaluator, t, &y, &held, 0.0);
        let mut shown = vec![0.0; compiled.program.output_names.len()];
        evaluator.outputs(t, &y, &d, &mut shown);
        let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
        let own = sorted.states.iter().map(|state| state.var).chain(algebraic);
        let mut values: FxHashMap<VarId, f64> = own.zip(y.iter().copied()).collect();
        values.extend(held_variables(model).zip(held));
        let first = shown.len() - model.inputs.len();
        values.extend(model.inputs.iter().map(|given| given.var).zip(shown[first..].iter().copied()));
        values.extend(inputs.iter().filter_map(|v| model.values.get(v).map(|&value| (*v, value))));
        let starts = sorted.states.iter().zip(&start.given);
        let given = match options.time {
            None => starts.filter(|(_, given)| **given).map(|(state, _)| state.var).collect(),
            Some(_) => FxHashSet::default(),
        };
        let mut point = Point { t, values, named: FxHashSet::default(), given, notes: Vec::new() };
        point.name(compiled, inputs, &options.at)?;
        Ok(point)
    }

    /// The value of a variable.
    pub fn value(&self, v: VarId) -> f64 {
        self.values.get(&v).copied().unwrap_or(f64::NAN)
    }

    /// Gives a variable another value.
    pub fn set(&mut self, v: VarId, value: f64) {
        self.values.insert(v, value);
    }

    /// The values of a model's y and of its held variables.
    pub fn of(&self, sorted: &ordinate_model::Sorted) -> (Vec<f64>, Vec<f64>) {
        let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
        let own = sorted.states.iter().map(|state| state.var).chain(algebraic);
        (own.map(|v| self.value(v)).collect(), held_variables(&sorted.model).map(|v| self.value(v)).collect())
    }

    /// Puts in what `--at` says.
    fn name(&mut self, compiled: &Compiled, inputs: &[VarId], at: &[(String, String)]) -> Result<(), LinearizeError> {
        let model = &compiled.sorted.model;
        let usage = |text: String| Err(LinearizeError::Usage(text));
        let parameters = compiled.parameter_values();
        let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
        for (name, text) in at {
            let fits = |v: VarId| self.values.contains_key(&v);
            let Some(v) = find(model, name) else { return Err(unknown(model, name, "--at", &fits)) };
            if !fits(v) {
                return usage(match model.variable(v).role {
                    Role::Parameter => {
                        format!("`--at {name}=…`: `{name}` is a parameter; write `--set {name}={text}`")
                    }
                    _ => format!("`--at {name}=…`: `{name}` follows from the equations; name states and inputs"),
                });
            }
            match constant(text, &lookup) {
                Some(value) if value.is_finite() => self.set(v, value),
                _ => {
                    let hint = number_hint(text)
                        .unwrap_or("write a number or an expression of parameters such as pi/2".into());
                    return usage(format!("`--at {name}={text}`: the value is not a finite constant; {hint}"));
                }
            }
            if !self.named.insert(v) {
                return usage(format!("`--at` names `{name}` twice"));
            }
        }
        // an input that is not finite has no slope either
        if let Some(&v) = inputs.iter().find(|&&v| !self.value(v).is_finite()) {
            let name = model.name(v);
            return usage(format!(
                "the input `{name}` is not finite at t = {}; give it with `--at {name}=…`",
                short(self.t)
            ));
        }
        Ok(())
    }

    /// Moves what is not given until the algebraic equations and invariants hold.
    pub fn make_consistent(&mut self, compiled: &Compiled, inputs: &[VarId]) -> Result<(), LinearizeError> {
        let layout = &compiled.program.layout;
        if layout.algebraic == 0 && layout.invariants == 0 {
            return Ok(());
        }
        let opened = super::slopes::recompiled(compiled, with_open(&compiled.sorted, inputs));
        let sorted = &opened.sorted;
        let (y, held) = self.of(sorted);
        let mut evaluator = opened.evaluator();
        let mut attempt = |fixed: &dyn Fn(VarId) -> bool| {
            let mut flags: Vec<bool> = sorted.states.iter().map(|s| fixed(s.var) || inputs.contains(&s.var)).collect();
            flags.resize(y.len(), false);
            let start = Start { t: self.t, y: &y, held: &held, fixed: Some(&flags), start_residuals: false };
            solve(&mut evaluator, &opened, &start, self.t, 1e-12)
        };
        let strict = attempt(&|v| self.named.contains(&v) || self.given.contains(&v))?;
        // start values that are in the way: one or two of them, or else all that the command does not name
        let states: Vec<VarId> = sorted.states.iter().map(|state| state.var).collect();
        let own = |v: &VarId| self.given.contains(v) && !self.named.contains(v) && !inputs.contains(v);
        let movable: Vec<VarId> = states.iter().rev().copied().filter(own).take(MOST_MOVABLE).collect();
        let pairs = movable.iter().enumerate().flat_map(|(k, &v)| movable[k..].iter().map(move |&w| [v, w]));
        let singles = movable.iter().map(|&v| [v, v]);
        let mut outcome = strict;
        for set in singles.chain(pairs) {
            if outcome.status != Status::Ok {
                let given = |v: VarId| self.given.contains(&v) && !set.contains(&v);
                outcome = attempt(&|v| self.named.contains(&v) || given(v))?;
            }
        }
        if outcome.status != Status::Ok {
            outcome = attempt(&|v| self.named.contains(&v))?;
        }
        if outcome.status != Status::Ok {
            let why = explain::explain(&outcome, &opened);
            let message = why.map_or("the equations do not hold at the point".into(), |why| why.message);
            return Err(LinearizeError::None {
                message,
                hint: "name fewer states with `--at`: the others follow from the equations".into(),
            });
        }
        let mut moved = Vec::new();
        for (&v, &value) in states.iter().zip(&outcome.y) {
            let before = self.value(v);
            if self.given.contains(&v) && (value - before).abs() > 1e-9 * (1.0 + before.abs()) {
                moved.push(format!("`{}` = {}", sorted.model.name(v), short(value)));
            }
        }
        if !moved.is_empty() {
            self.notes.push(format!(
                "inconsistent start values were changed to satisfy the equations at this point: {}",
                moved.join(", ")
            ));
        }
        let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
        for (v, &value) in states.into_iter().chain(algebraic).zip(&outcome.y) {
            self.values.insert(v, value);
        }
        Ok(())
    }
}

/// The held variables in the order of d.
fn held_variables(model: &Model) -> impl Iterator<Item = VarId> + '_ {
    (0..model.variables.len() as u32).map(VarId).filter(|&v| model.variable(v).role == Role::Held)
}

/// The variable of a name with primes.
pub(super) fn find(model: &Model, name: &str) -> Option<VarId> {
    let all = (0..model.variables.len() as u32).map(VarId);
    all.filter(|&v| model.variable(v).role != Role::Mode).find(|&v| model.name(v) == name)
}

/// A name that the model does not have.
pub(super) fn unknown(model: &Model, name: &str, option: &str, fits: &dyn Fn(VarId) -> bool) -> LinearizeError {
    let all = (0..model.variables.len() as u32).map(VarId).filter(|&v| fits(v) && !model.quantity(v).hidden);
    let names: Vec<String> = all.map(|v| model.name(v)).collect();
    let instead = instead(name, names.iter().map(String::as_str));
    LinearizeError::Usage(format!("`{option} {name}`: the model has no `{name}`; {instead}"))
}

/// The solution at a time.
fn run(
    evaluator: &mut Evaluator,
    compiled: &Compiled,
    start: &StartValues,
    from: f64,
    time: f64,
) -> Result<Outcome, LinearizeError> {
    let outcome = solve(evaluator, compiled, &start.from(from), time, 1e-10)?;
    match explain::explain(&outcome, compiled) {
        None => Ok(outcome),
        Some(why) => Err(LinearizeError::None {
            message: format!("the solution does not reach t = {}: {}", short(time), why.message),
            hint: why.hint,
        }),
    }
}

fn solve(
    evaluator: &mut Evaluator,
    compiled: &Compiled,
    start: &Start,
    end: f64,
    rtol: f64,
) -> Result<Outcome, LinearizeError> {
    let mut method = methods::automatic().build(compiled.program.layout.states, false);
    let atol = AbsoluteTolerance::Same(1e-3 * rtol);
    let options = Options { rtol, atol, rows: Rows::At(Vec::new()), ..Options::default() };
    ordinate_solve::solve(evaluator, method.as_mut(), start, end, &options, &mut NoRows)
        .map_err(|error| LinearizeError::Usage(explain::usage_error(&error, compiled)))
}

/// Rows are of no interest here.
struct NoRows;

impl Sink for NoRows {
    fn row(&mut self, _t: f64, _y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }
}
