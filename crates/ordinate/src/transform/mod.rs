//! A model as an equivalent polynomial system: `ordinate transform`, and what the method `mtsm` integrates.

mod deviations;
mod diagram;
mod equations;
mod latex;
mod matrices;
mod model;

use crate::Compiled;
use ordinate_expr::{Expr, ExprId, Function};
use ordinate_model::{Model, Sorted, Term};
use ordinate_program::{Evaluator, Program};
use ordinate_solve::{SwitchKind, System};
use ordinate_syntax::Diagnostic;
use std::sync::Arc;

/// A transformed model.
#[derive(Clone, Debug)]
pub struct Polynomial {
    /// The model itself; series of its states are made by the polynomial system.
    pub compiled: Compiled,
    /// The polynomial system: the states of the model, then auxiliary ones.
    pub sorted: Arc<Sorted>,
    /// Its program.
    pub program: Arc<Program>,
    /// How many of the states are those of the model.
    pub visible: usize,
    /// The right-hand sides, one per state.
    pub equations: Vec<Vec<Term>>,
    /// What the auxiliary states stand for.
    pub meanings: Vec<ExprId>,
    /// Products of two series that one more Taylor term costs.
    pub products: usize,
}

/// The polynomial system of a compiled model. `products` bounds the factors of a product (two at least); without it
/// three are allowed, and two where that costs nothing.
pub fn polynomial(compiled: &Compiled, products: Option<usize>) -> Result<Polynomial, Vec<Diagnostic>> {
    if let Some(delayed) = compiled.sorted.model.delays.first() {
        let message = "a model with `delay` has no polynomial system: the past is no state";
        let found = Diagnostic::error("not-expressible", delayed.span, message);
        return Err(vec![found.help("use another method, such as `taylor`, or `pade(z, T, 5)` in place of the delay")]);
    }
    let found = ordinate_model::transform(&compiled.sorted, products)?;
    let mut sorted = found.sorted;
    let rounding = compiled.program.rounding;
    let program = Arc::new(Program { rounding, ..ordinate_program::compile(&mut sorted, false) });
    let own = Program { polynomial: Some(program.clone()), ..Program::clone(&compiled.program) };
    Ok(Polynomial {
        compiled: Compiled { program: Arc::new(own), ..compiled.clone() },
        sorted: Arc::new(sorted),
        program,
        visible: found.visible,
        equations: found.equations,
        meanings: found.meanings,
        products: found.products,
    })
}

impl Polynomial {
    /// The number of factors of the longest product.
    pub fn longest_product(&self) -> usize {
        self.equations.iter().flatten().map(|term| term.factors.len()).max().unwrap_or(0)
    }

    /// Start values of all states and d, where they exist.
    fn start(&self) -> Result<(Vec<f64>, Vec<f64>), Vec<Diagnostic>> {
        let mut evaluator = Evaluator::new(self.program.clone());
        let t = self.compiled.run.map_or(0.0, |(from, _)| from);
        let values = evaluator.starts(t);
        let layout = &self.program.layout;
        let mut y = values[..layout.states].to_vec();
        let held = &values[layout.states..layout.states + layout.held];
        let wrong = self.auxiliary_starts(&mut evaluator, t, &mut y, held);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok((y.clone(), modes(&mut evaluator, t, &y, held, 0.0)))
    }

    /// Puts the start values of the auxiliary states in. One that does not exist on any side of the switches at the start
    /// is a mistake that is named here, instead of a value that is no number.
    fn auxiliary_starts(&self, evaluator: &mut Evaluator, t: f64, y: &mut [f64], held: &[f64]) -> Vec<Diagnostic> {
        let own = self.program.own_states;
        let mut found: Vec<Option<f64>> = vec![None; y.len() - own];
        for on in [0.0, 1.0, -1.0] {
            let d = modes(evaluator, t, y, held, on);
            evaluator.define(t, &d, y);
            for (value, &now) in found.iter_mut().zip(&y[own..]) {
                *value = value.or(Some(now).filter(|now| now.is_finite()));
            }
        }
        let model = &self.sorted.model;
        let mut diagnostics = Vec::new();
        for (k, (value, state)) in found.into_iter().zip(&self.sorted.states[own..]).enumerate() {
            let start = state.start.expect("auxiliary states have start values");
            let wrong = match value {
                None => "which does not exist",
                Some(value) if !rests(model, start, value) => {
                    y[own + k] = value;
                    continue;
                }
                Some(value) if value.abs() == 1.0 => "which is too close to 1 for a double",
                Some(_) => "which is too small for a double",
            };
            let what = model.print(start);
            let message = format!("the polynomial system needs the start value of `{what}`, {wrong}");
            let found = Diagnostic::error("no-start-value", model.variable(state.derivative).span, message);
            diagnostics.push(found.help("change the start values; runs of the model itself do not need it"));
        }
        diagnostics.extend(self.roots_of_zero(t, y, &modes(evaluator, t, y, held, 0.0)));
        diagnostics
    }

    /// √q with q = 0: its value exists, but not its derivative, and the polynomial system would follow another one of the
    /// solutions that begin there.
    fn roots_of_zero(&self, t: f64, y: &[f64], d: &[f64]) -> Vec<Diagnostic> {
        let sorted = &self.sorted;
        if sorted.under_roots.is_empty() {
            return Vec::new();
        }
        let mut values = matrices::Values::new(sorted, t, y, d);
        let zero = sorted.under_roots.iter().filter(|&&e| values.of(e) == 0.0);
        let place = sorted.states.first().map_or(Default::default(), |s| sorted.model.variable(s.derivative).span);
        zero.map(|&e| {
            let root = sorted.model.print(e);
            let message = format!("the start lies on a singularity: a root of `{root}` is taken, which is zero there");
            Diagnostic::error("no-start-value", place, message)
                .help("change the start values; runs of the model itself do not need it")
        })
        .collect()
    }
}

/// d at a point; switches on their boundary get the mode `on`.
pub(crate) fn modes(evaluator: &mut Evaluator, t: f64, y: &[f64], held: &[f64], on: f64) -> Vec<f64> {
    let switches = evaluator.layout().switches.clone();
    let mut d = vec![0.0; switches.len()];
    d.extend_from_slice(held);
    let mut g = vec![0.0; switches.len()];
    // what a switch watches may depend on another one, of an earlier number
    for _ in 0..=switches.len().min(8) {
        evaluator.switch_values(t, y, &d, &mut g);
        for (k, switch) in switches.iter().enumerate() {
            d[k] = match switch.kind {
                _ if switch.of_time => evaluator.mode_from(k, t),
                SwitchKind::Sign if g[k] == 0.0 => on,
                SwitchKind::Sign => g[k].signum(),
                SwitchKind::Floor => g[k].floor(),
                SwitchKind::Segment => evaluator.mode_from(k, t),
            };
        }
    }
    d
}

/// Whether an auxiliary state would stay what rounding made of its start: u = e^g fulfils u' = g'u, u = σ(g) fulfils u' = g'u σ(−g),
/// and u = tanh g fulfils u' = g'(1 − u²).
fn rests(model: &Model, e: ExprId, value: f64) -> bool {
    match model.graph.node(e) {
        Expr::Call(Function::Exp | Function::Logistic, _) => value.abs() < f64::MIN_POSITIVE,
        Expr::Call(Function::Tanh, _) => value.abs() == 1.0,
        _ => false,
    }
}
