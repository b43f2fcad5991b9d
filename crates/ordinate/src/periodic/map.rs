//! The map of a state over one period, with its derivative from the variational equations.

use crate::exploratory_run::simulate_to;
use crate::sensitivity::{self, with_variations};
use crate::{Compiled, explain, methods};
use ordinate_expr::VarId;
use ordinate_model::Role;
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Choice, Interrupt, Mixture, Options, Rows, Sink, Start, System};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// y(t₀) ↦ y(t₀ + T) on the states that can be chosen.
pub(super) struct Map {
    compiled: Compiled,
    evaluator: Evaluator,
    /// The model without variations.
    plain: Compiled,
    choice: Choice,
    /// The map is that of equal steps.
    equal_steps: bool,
    /// Places in y of the states that can be chosen; the first unknowns are those.
    pub states: Vec<usize>,
    /// Places among the held values of the other unknowns: those that have a start value.
    pub kept: Vec<usize>,
    /// Place in y of the derivative of unknown i by unknown j, at i·n + j.
    variations: Vec<usize>,
    /// Which states are given where a run begins.
    fixed: Vec<bool>,
    /// Where a run begins: what is no unknown is a guess.
    pub y: Vec<f64>,
    pub held: Vec<f64>,
    pub t_start: f64,
    held_names: Vec<String>,
    /// Numbers of differential and algebraic states of the model.
    sizes: [usize; 2],
    /// The usual size of each unknown.
    pub scale: Vec<f64>,
}

/// How exactly the map is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Accuracy {
    /// With controlled steps.
    Tolerance(f64),
    /// With so many equal steps.
    Steps(u64),
}

/// The image of a state.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// The unknowns after the period.
    pub end: Vec<f64>,
    /// Their derivatives by those at its beginning, by rows.
    pub derivative: Vec<f64>,
    /// Their rates of change at its end and at its beginning.
    pub rate: Vec<f64>,
    pub first_rate: Vec<f64>,
    /// The estimate of the error of `end` that the method carried along.
    pub error: Option<Vec<f64>>,
    /// All states of the model at the beginning, on its equations.
    pub first: Vec<f64>,
    /// Number of steps.
    pub steps: u64,
}

impl Map {
    /// Of a compiled model; the error is a message for the user.
    pub fn new(compiled: &Compiled, choice: Choice, equal_steps: bool, t_start: f64) -> Result<Map, String> {
        let sorted = &compiled.sorted;
        let free: Vec<VarId> = match sorted.invariants.is_empty() {
            true => sorted.states.iter().map(|state| state.var).collect(),
            false => sorted.structure.free.clone(),
        };
        let model = &sorted.model;
        let held_variables: Vec<VarId> =
            (0..model.variables.len() as u32).map(VarId).filter(|&v| model.variable(v).role == Role::Held).collect();
        let started = |v: &VarId| model.starts.iter().any(|given| given.var == *v);
        let kept: Vec<usize> = (0..held_variables.len()).filter(|&k| started(&held_variables[k])).collect();
        let by: Vec<VarId> = free.iter().copied().chain(kept.iter().map(|&k| held_variables[k])).collect();
        let n = by.len();
        let with = with_variations(compiled, &by).map_err(|error| sensitivity::explain(sorted, &error))?;
        let place = |v: &VarId| sorted.states.iter().position(|state| state.var == *v).expect("a state");
        let states: Vec<usize> = free.iter().map(place).collect();
        let mut variations = vec![0; n * n];
        let row: FxHashMap<VarId, usize> = by.iter().copied().zip(0..).collect();
        let column: FxHashMap<VarId, usize> = with.sorted.states.iter().map(|state| state.var).zip(0..).collect();
        let found = &with.sorted.variations;
        for (variation, of, by) in found.of.iter().chain(&found.held) {
            if let Some(i) = row.get(of) {
                variations[i * n + by] = column[variation];
            }
        }
        let layout = &with.program.layout;
        let constrained = layout.invariants > 0;
        let mut fixed = vec![!constrained; layout.states];
        fixed[layout.differential()..].fill(false);
        states.iter().chain(&variations).chain(&layout.variations.event_time).for_each(|&k| fixed[k] = true);
        let mut evaluator = with.evaluator();
        let values = evaluator.starts(t_start);
        let y = values[..layout.states].to_vec();
        let held = values[layout.states..layout.states + layout.held].to_vec();
        let scale = vec![1.0; n];
        let held_names = kept.iter().map(|&k| model.name(held_variables[k])).collect();
        let sizes = [sorted.states.len(), sorted.algebraic.len()];
        Ok(Map {
            sizes,
            evaluator,
            choice,
            equal_steps,
            states,
            kept,
            held_names,
            variations,
            fixed,
            y,
            held,
            t_start,
            scale,
            compiled: with,
            plain: compiled.clone(),
        })
    }

    /// The unknowns where the model starts.
    pub fn start(&self) -> Vec<f64> {
        let held = self.kept.iter().map(|&k| self.held[k]);
        self.states.iter().map(|&k| self.y[k]).chain(held).collect()
    }

    /// The order of the method.
    pub fn order(&self) -> u32 {
        self.choice.order()
    }

    /// A method that controls its steps: the given one if it is to.
    pub fn free_choice(&self) -> Choice {
        if self.equal_steps { methods::automatic() } else { self.choice }
    }

    /// All states of the model where the unknowns have these values; those that follow from them are guesses.
    pub fn full(&self, unknowns: &[f64]) -> Vec<f64> {
        let mut y = self.own(&self.y);
        self.states.iter().zip(unknowns).for_each(|(&k, value)| y[k] = *value);
        y
    }

    /// All held values where the unknowns have these values.
    pub fn full_held(&self, unknowns: &[f64]) -> Vec<f64> {
        let mut held = self.held.clone();
        self.kept.iter().zip(&unknowns[self.states.len()..]).for_each(|(&k, value)| held[k] = *value);
        held
    }

    /// The unknowns of a state of the model and its held values.
    pub fn unknowns(&self, own: &[f64], held: &[f64]) -> Vec<f64> {
        self.states.iter().map(|&k| own[k]).chain(self.kept.iter().map(|&k| held[k])).collect()
    }

    /// The states of the model among those with variations.
    fn own(&self, y: &[f64]) -> Vec<f64> {
        let (all, [differential, algebraic]) = (self.compiled.program.layout.differential(), self.sizes);
        [&y[..differential], &y[all..all + algebraic]].concat()
    }

    /// The states that are shown, from all states of the model, and held values.
    pub fn shown(&self, own: &[f64], unknowns: &[f64]) -> Vec<(String, f64)> {
        let names = &self.compiled.program.state_names[..self.compiled.program.visible];
        let states = names.iter().cloned().zip(own.iter().copied());
        let held = self.names().into_iter().zip(unknowns.iter().copied()).skip(self.states.len());
        states.chain(held).collect()
    }

    /// Names of the unknowns.
    pub fn names(&self) -> Vec<String> {
        let states = self.states.iter().map(|&k| self.compiled.program.state_names[k].clone());
        states.chain(self.held_names.iter().cloned()).collect()
    }

    /// The map over `period` from given unknowns. The error says why a run ended early.
    pub fn apply(&mut self, from: &[f64], period: f64, accuracy: Accuracy) -> Result<Image, String> {
        let n = from.len();
        let mut y = self.y.clone();
        // Of the other variations none is known: they follow.
        for &[v, ..] in &self.compiled.program.layout.variations.of {
            y[v] = 0.0;
        }
        self.states.iter().zip(from).for_each(|(&k, value)| y[k] = *value);
        let held = self.full_held(from);
        for i in 0..n {
            for j in 0..n {
                y[self.variations[i * n + j]] = if i == j { 1.0 } else { 0.0 };
            }
        }
        let t_end = self.t_end(period);
        let (rtol, step) = match accuracy {
            Accuracy::Tolerance(rtol) => (rtol, None),
            Accuracy::Steps(steps) => (1e-12, Some(period / steps as f64)),
        };
        let options = Options {
            rtol,
            atol: AbsoluteTolerance::Each(self.tolerances(rtol)),
            step,
            rows: Rows::At(vec![self.t_start]),
            max_steps: self.most_steps(accuracy),
            ..Options::default()
        };
        let choice = if step.is_some() { self.choice } else { self.free_choice() };
        let mut method = choice.build(y.len(), step.is_some());
        if step.is_some() {
            method.follow_error(&vec![0.0; y.len()]);
        }
        let start = Start { t: self.t_start, y: &y, held: &held, fixed: Some(&self.fixed), start_residuals: false };
        let mut first = FirstRow::default();
        let outcome = ordinate_solve::solve(&mut self.evaluator, method.as_mut(), &start, t_end, &options, &mut first)
            .map_err(|error| explain::usage_error(&error, &self.compiled))?;
        if let Some(reason) = explain::explain(&outcome, &self.compiled) {
            return Err(reason.message);
        }
        let mut rates = vec![0.0; y.len()];
        let mut rate = |t: f64, y: &[f64], d: &[f64]| -> Vec<f64> {
            self.evaluator.derivative(t, y, d, &mut rates);
            let mut own: Vec<f64> = self.states.iter().map(|&k| rates[k]).collect();
            own.resize(n, 0.0);
            own
        };
        let (first_rate, last_rate) = (rate(self.t_start, &first.y, &first.d), rate(t_end, &outcome.y, &outcome.d));
        let held = &outcome.d[self.compiled.program.layout.switches.len()..];
        let error = |error: &[f64]| -> Vec<f64> {
            let mut own: Vec<f64> = self.states.iter().map(|&k| error[k]).collect();
            own.resize(n, 0.0);
            own
        };
        Ok(Image {
            rate: last_rate,
            first_rate,
            end: self.unknowns(&outcome.y, held),
            derivative: self.variations.iter().map(|&k| outcome.y[k]).collect(),
            error: method.error().map(error),
            first: self.own(&first.y),
            steps: outcome.statistics.steps,
        })
    }

    /// The map alone, without its derivative, with controlled steps: far cheaper where there are many states.
    pub fn end(&self, from: &[f64], period: f64, rtol: f64) -> Result<Vec<f64>, String> {
        let (y, held, layout) = (self.full(from), self.full_held(from), &self.plain.program.layout);
        let mut fixed = vec![layout.invariants == 0; y.len()];
        fixed[layout.differential()..].fill(false);
        let mut atol = vec![rtol * 1e-3; y.len()];
        for (&k, scale) in self.states.iter().zip(&self.scale) {
            (fixed[k], atol[k]) = (true, rtol * 1e-2 * scale);
        }
        let options = Options {
            rtol,
            atol: AbsoluteTolerance::Each(atol),
            rows: Rows::At(vec![self.t_start]),
            max_steps: self.most_steps(Accuracy::Tolerance(rtol)),
            ..Options::default()
        };
        let mut evaluator = self.plain.evaluator();
        let mut method = self.free_choice().build(y.len(), false);
        let start = Start { t: self.t_start, y: &y, held: &held, fixed: Some(&fixed), start_residuals: false };
        let (t_end, mut first) = (self.t_end(period), FirstRow::default());
        let outcome = ordinate_solve::solve(&mut evaluator, method.as_mut(), &start, t_end, &options, &mut first)
            .map_err(|error| explain::usage_error(&error, &self.plain))?;
        match explain::explain(&outcome, &self.plain) {
            Some(reason) => Err(reason.message),
            None => Ok(self.unknowns(&outcome.y, &outcome.d[layout.switches.len()..])),
        }
    }

    /// What is sampled at the end belongs to the next period.
    fn t_end(&self, period: f64) -> f64 {
        let sampled = !self.plain.program.layout.sampled.is_empty();
        self.t_start + if sampled { period * (1.0 - 8.0 * f64::EPSILON) } else { period }
    }

    /// Least and greatest value of each unknown on the way over a period; a held value is taken where it begins.
    pub fn extent(&self, plain: &Compiled, from: &[f64], period: f64) -> Option<Vec<(f64, f64)>> {
        const ROWS: usize = 65;
        let (y, held) = (self.full(from), self.full_held(from));
        let piece = simulate_to(plain, &methods::automatic(), (self.t_start, &y, &held), period, ROWS, 1e-13);
        let range = |(i, &own): (usize, &f64)| self.states.get(i).map_or((own, own), |&k| piece.range(k, 0));
        (piece.stopped.is_none() && !piece.y.is_empty()).then(|| from.iter().enumerate().map(range).collect())
    }

    /// Whether a held value is not touched in a period: it is a parameter there, not an unknown.
    pub fn is_idle(&self, image: &Image, unknown: usize) -> bool {
        let n = image.end.len();
        let row = &image.derivative[unknown * n..(unknown + 1) * n];
        unknown >= self.states.len() && row.iter().enumerate().all(|(j, value)| *value == f64::from(j == unknown))
    }

    /// Far more steps than a period needs: where they do not suffice, events follow each other without end.
    fn most_steps(&self, accuracy: Accuracy) -> u64 {
        let layout = &self.compiled.program.layout;
        match accuracy {
            Accuracy::Tolerance(_) if !layout.conditions.is_empty() && layout.sampled.is_empty() => 3_000,
            Accuracy::Tolerance(_) => 50_000,
            Accuracy::Steps(steps) => 4 * steps + 10_000,
        }
    }

    /// Absolute tolerances: of each unknown by its size, of its derivatives by the ratio of sizes.
    fn tolerances(&self, rtol: f64) -> Vec<f64> {
        let n = self.scale.len();
        let mut atol = vec![rtol * 1e-3; self.y.len()];
        self.states.iter().zip(&self.scale).for_each(|(&k, scale)| atol[k] = rtol * 1e-2 * scale);
        for i in 0..n {
            for j in 0..n {
                atol[self.variations[i * n + j]] = rtol * 1e-2 * self.scale[i] / self.scale[j];
            }
        }
        atol
    }
}

/// Keeps the state where a run begins.
#[derive(Default)]
struct FirstRow {
    y: Vec<f64>,
    d: Vec<f64>,
}

impl Sink for FirstRow {
    fn row(&mut self, _t: f64, y: &[f64], d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        (self.y, self.d) = (y.to_vec(), d.to_vec());
        ControlFlow::Continue(())
    }
}
