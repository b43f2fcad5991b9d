//! The cost of a regulator: J = xᵀPx from the start of the closed loop, and what simulations say about it.

use super::point::Basis;
use super::state_feedback::StateFeedback;
use super::text::{Names, Sum, deviation, number};
use super::{Design, DesignOptions, Plant};
use crate::{CompileOptions, Discard, ErrorWish, RunOptions, Source, Status, compile, short, simulate};
use ordinate_control::{Matrix, StateSpace};

/// The weights of a cost ∫ xᵀQx + uᵀRu dt, the integral's last.
pub(super) struct Weights {
    pub q: Matrix,
    pub r: Matrix,
}

/// A cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// xᵀPx from the start of the closed loop, which is the least that the linear plant can cost.
    pub value: f64,
    /// The cost of the linear loop, found by a simulation.
    pub linear: Option<f64>,
    /// The cost of the nonlinear loop, found by a simulation.
    pub nonlinear: Option<f64>,
}

/// Simulations and xᵀPx must agree to this part.
const AGREEMENT: f64 = 1e-6;

/// xᵀPx, and the same by simulations.
pub(super) fn verify(
    plant: &Plant,
    options: &DesignOptions,
    feedback: &StateFeedback,
    weights: &Weights,
    p: &Matrix,
    integral: Option<&str>,
    design: &Design,
) -> (Cost, Vec<String>) {
    let basis = feedback.basis;
    let mut notes = Vec::new();
    let start = |(name, x0): (&String, &f64)| {
        let rows = design.trial.as_ref().map(|trial| &trial.rows);
        let first = rows.and_then(|rows| rows.column(name)).and_then(|values| values.first().copied());
        first.map_or(0.0, |first| first - x0)
    };
    let mut x: Vec<f64> = basis.states.iter().zip(&basis.x0).map(start).collect();
    x.resize(p.rows(), 0.0);
    let value = x.iter().zip(p.times(&x)).map(|(x, y)| x * y).sum::<f64>();
    let mut cost = Cost { value, linear: None, nonlinear: None };
    let (Some(trial), true) = (&design.trial, value > 0.0) else { return (cost, notes) };
    let duration = 2.0 * trial.duration;
    let text = linear_text(feedback, weights, &x, duration);
    cost.linear = run(&Source::text(text), duration, value);
    if let Some(found) = cost.linear.filter(|found| (found - value).abs() > AGREEMENT * value) {
        notes.push(format!("the cost of the simulated linear loop, {}, is not x'Px = {}", short(found), short(value)));
    }
    // a reference away from the point costs for ever
    if !feedback.moves() && trial.at_rest {
        let text = nonlinear_text(basis, weights, integral, &design.closed.text);
        let source = Source { text, folder: options.folder.clone(), ..plant.source.clone() };
        cost.nonlinear = run(&source, duration, value);
    }
    (cost, notes)
}

/// The last value of `J` in a model.
fn run(source: &Source, duration: f64, size: f64) -> Option<f64> {
    let compiled =
        compile(source, &CompileOptions { units: crate::UnitCheck::Off, ..CompileOptions::default() }).ok()?;
    let name = compiled.program.state_names.iter().find(|name| name.starts_with(COST))?.clone();
    let start = compiled.run.map_or(0.0, |(from, _)| from);
    let options = RunOptions {
        t_end: Some(number(start + duration)),
        rtol: 1e-10,
        atol: 1e-12 * size.clamp(1e-12, 1.0),
        error: ErrorWish::Off,
        ..RunOptions::default()
    };
    let run = simulate(&compiled, &options, &mut Discard).ok().filter(|run| run.outcome.status == Status::Ok)?;
    run.final_value(&name)
}

/// The beginning of the name of the cost in a model.
const COST: &str = "cost_of_the_loop";

/// Σ wᵢⱼ aᵢ aⱼ
fn quadratic(sum: &mut Sum, weight: &Matrix, terms: &[String]) {
    for (i, a) in terms.iter().enumerate() {
        for (j, b) in terms.iter().enumerate().skip(i) {
            let factor = if i == j { weight.at(i, i) } else { weight.at(i, j) + weight.at(j, i) };
            sum.add_product(factor, &if i == j { format!("{a}^2") } else { format!("{a}*{b}") });
        }
    }
}

/// The linear plant with its state feedback and its cost.
fn linear_text(feedback: &StateFeedback, weights: &Weights, x: &[f64], duration: f64) -> String {
    let StateSpace { a, b, .. } = &feedback.basis.system;
    let (n, m) = (a.rows(), b.columns());
    let mut states: Vec<String> = (1..=n).map(|k| format!("x{k}")).collect();
    let inputs: Vec<String> = (1..=m).map(|k| format!("u{k}")).collect();
    let mut lines = Vec::new();
    for (i, state) in states.iter().enumerate() {
        let mut sum = Sum::default();
        states.iter().enumerate().for_each(|(k, other)| sum.add_product(a.at(i, k), other));
        inputs.iter().enumerate().for_each(|(k, input)| sum.add_product(b.at(i, k), input));
        lines.push(format!("{state}' = {}", sum.finish()));
    }
    let integral = feedback.integral.as_ref().map(|integral| {
        let mut sum = Sum::default();
        states.iter().enumerate().for_each(|(k, state)| sum.add_product(-integral.output.c.at(0, k), state));
        inputs.iter().enumerate().for_each(|(k, input)| sum.add_product(-integral.output.d.at(0, k), input));
        sum.finish()
    });
    let law = |j: usize| {
        let mut sum = Sum::default();
        states.iter().enumerate().for_each(|(k, state)| sum.add_product(-feedback.gains.k.at(j, k), state));
        feedback.gains.ki.iter().for_each(|ki| sum.add_product(ki.at(j, 0), "z"));
        sum.finish()
    };
    let laws: Vec<String> = inputs.iter().enumerate().map(|(j, input)| format!("{input} = {}", law(j))).collect();
    match feedback.system.period {
        None => {
            lines.extend(laws);
            lines.extend(integral.iter().map(|rate| format!("z' = {rate}")));
        }
        Some(period) => {
            let period = number(period);
            let next = integral.iter().map(|rate| format!("z = z + {period}*({rate})"));
            lines.push(format!("every {period}: {}", laws.into_iter().chain(next).collect::<Vec<_>>().join(", ")));
            lines.push(format!("init {}", inputs.iter().map(|u| format!("{u} = 0")).collect::<Vec<_>>().join(", ")));
        }
    }
    if integral.is_some() {
        lines.push("init z = 0".into());
    }
    lines.extend(states.iter().zip(x).map(|(state, x)| format!("init {state} = {}", number(*x))));
    states.extend(integral.map(|_| "z".to_string()));
    let mut sum = Sum::default();
    quadratic(&mut sum, &weights.q, &states);
    quadratic(&mut sum, &weights.r, &inputs);
    lines.push(format!("{COST}' = {}\ninit {COST} = 0\nrun 0 .. {}", sum.finish(), number(duration)));
    lines.join("\n")
}

/// The closed loop with its cost.
fn nonlinear_text(basis: &Basis, weights: &Weights, integral: Option<&str>, closed: &str) -> String {
    let cost = Names::new(closed).fresh(COST);
    let mut states: Vec<String> = basis.states.iter().zip(&basis.x0).map(|(name, x0)| deviation(name, *x0)).collect();
    states.extend(integral.map(str::to_string));
    let inputs: Vec<String> = basis.inputs.iter().zip(&basis.u0).map(|(name, u0)| deviation(name, *u0)).collect();
    let mut sum = Sum::default();
    quadratic(&mut sum, &weights.q, &states);
    quadratic(&mut sum, &weights.r, &inputs);
    format!("{closed}\n{cost}' = {}\ninit {cost} = 0\n", sum.finish())
}
