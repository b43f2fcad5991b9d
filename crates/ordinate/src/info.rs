//! What a model consists of.

use crate::Compiled;
use crate::rates::{MOST_STATES, eigenvalues, jacobian};
use ordinate_expr::VarId;
use ordinate_program::{Evaluator, Program};
use ordinate_solve::{Options, Rows, Sink, Start, by_name};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;

/// The facts about a compiled model.
pub struct Info {
    states: Vec<String>,
    /// States that the text does not name.
    hidden: Vec<String>,
    parameters: Vec<(String, f64)>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    named: Vec<String>,
    index: u32,
    degrees_of_freedom: usize,
    /// States whose start values can be chosen, and what follows from them.
    free: Vec<String>,
    follows: Vec<String>,
    /// Variables that an implicit method determines.
    algebraic: Vec<String>,
    linear: bool,
}

impl Info {
    fn new(compiled: &Compiled) -> Info {
        let model = &compiled.sorted.model;
        let names = |list: &mut dyn Iterator<Item = VarId>| list.map(|v| model.name(v)).collect::<Vec<_>>();
        let structure = &compiled.sorted.structure;
        // not those that are only names, `z = …`
        let implicit = names(&mut compiled.sorted.blocks.iter().flat_map(|block| {
            let algebraic = |&(&v, &e): &(&VarId, &usize)| {
                let written = model.graph.node(model.equations[e].left) == ordinate_expr::Expr::Var(v);
                model.variable(v).primes == 0 && !written
            };
            block.unknowns.iter().zip(&block.equations).filter(algebraic).map(|(&v, _)| v)
        }));
        Info {
            states: compiled.program.state_names[..compiled.program.visible].to_vec(),
            // Algebraic states have names and columns of their own.
            hidden: compiled.program.state_names[compiled.program.visible..compiled.program.layout.differential()]
                .to_vec(),
            parameters: compiled.parameter_values(),
            inputs: names(&mut model.inputs.iter().map(|given| given.var)),
            outputs: names(&mut model.outputs.iter().copied()),
            named: names(&mut compiled.sorted.columns.iter().copied().filter(|v| !model.outputs.contains(v))),
            index: structure.index,
            degrees_of_freedom: structure.degrees_of_freedom,
            free: names(&mut structure.free.iter().copied()),
            follows: match structure.index {
                0 => Vec::new(),
                _ => names(&mut structure.follows.iter().copied()).into_iter().chain(implicit).collect(),
            },
            algebraic: names(&mut compiled.sorted.algebraic.iter().map(|algebraic| algebraic.var)),
            linear: is_linear(compiled),
        }
    }
}

/// Whether f is linear in y: ∂f/∂y depends on no state, and no switch of the state is used in f. Checked on the
/// instructions, not on numbers. Events may still change the state by leaps.
pub(crate) fn is_linear(compiled: &Compiled) -> bool {
    let program = &compiled.program;
    let Some(jacobian) = &program.jacobian else { return false };
    let n = program.layout.states;
    let mut tainted = vec![false; program.registers];
    tainted[Program::STATES..Program::STATES + n].fill(true);
    for i in &jacobian.section.instructions {
        tainted[i.out as usize] = [i.a, i.b, i.c].iter().any(|&r| tainted[r as usize]);
    }
    let modes = program.discrete_register()..program.discrete_register() + program.layout.switches.len();
    let of_state = |r: u32| {
        let r = r as usize;
        modes.contains(&r) && !program.layout.switches[r - modes.start].of_time
    };
    let used = program.rhs.instructions.iter().flat_map(|i| [i.a, i.b, i.c]).chain(program.rhs.results.iter().copied());
    !used.into_iter().any(of_state) && jacobian.section.results.iter().all(|&r| !tainted[r as usize])
}

/// Whether, besides, ∂f/∂y is the same at all times: neither t nor anything that changes in leaps (switches, held values) is in it.
pub(crate) fn has_constant_rates(compiled: &Compiled) -> bool {
    let program = &compiled.program;
    let Some(jacobian) = &program.jacobian else { return false };
    // before the constants are t, the states, the discrete values, what is delayed, and the rates of algebraic states
    let constants = program.literals.iter().map(|(register, _)| *register).chain([program.first_computed]);
    let first = constants.min().unwrap_or(program.first_computed) as usize;
    let mut changing = vec![false; program.registers];
    changing[..first].fill(true);
    for i in &jacobian.section.instructions {
        changing[i.out as usize] = i.operands().any(|r| changing[r as usize]);
    }
    is_linear(compiled) && jacobian.section.results.iter().all(|&r| !changing[r as usize])
}

/// Steps from the start after which the rates are looked at again.
const LOOK_AHEAD: u64 = 50;
/// Rates below this part of the largest are zero but for rounding: a conserved sum has such a one.
const ZERO_RATE: f64 = 1e-13;

/// Ratio of the largest to the smallest |λ| of the nonzero eigenvalues of ∂f/∂y: at the start or some steps later,
/// whichever is larger, for at the start a reaction may not have begun. `None` where nothing can be said.
fn stiffness(compiled: &Compiled) -> Option<f64> {
    let n = compiled.program.layout.states;
    // the rows of algebraic states are no rates, and invariants add rates that the solution does not have
    let layout = &compiled.program.layout;
    if n == 0
        || n > MOST_STATES
        || missing_starts(compiled).next().is_some()
        || layout.algebraic > 0
        || layout.invariants > 0
        || !layout.delays.is_empty()
    {
        return None;
    }
    let (from, to) = compiled.run.unwrap_or((0.0, 0.0));
    let mut evaluator = Evaluator::new(compiled.program.clone());
    let values = evaluator.starts(from);
    let held = compiled.program.layout.held;
    let start = Start { t: from, y: &values[..n], held: &values[n..n + held], ..Start::default() };
    let mut largest: Option<f64> = None;
    let ends = if has_constant_rates(compiled) { vec![from] } else { vec![from, to] };
    for end in ends {
        let mut method = by_name("dp5").expect("a method of every version").build(n, false);
        let options = Options { rows: Rows::At(Vec::new()), max_steps: LOOK_AHEAD, ..Options::default() };
        let Ok(there) = ordinate_solve::solve(&mut evaluator, method.as_mut(), &start, end, &options, &mut Nowhere)
        else {
            continue;
        };
        let ratio = spread(&mut evaluator, there.t_reached, &there.y, &there.d);
        largest = largest.into_iter().chain(ratio).reduce(f64::max);
    }
    largest
}

/// What is said about start values that are missing.
fn missing_starts(compiled: &Compiled) -> impl Iterator<Item = &str> {
    let found = compiled.warnings.iter().filter(|found| found.code == crate::compile::MISSING_START);
    found.map(|found| found.message.as_str())
}

/// max|λ| / min|λ| at a point.
fn spread(evaluator: &mut Evaluator, t: f64, y: &[f64], d: &[f64]) -> Option<f64> {
    let values = eigenvalues(&jacobian(evaluator, t, y, d)?)?;
    let rates: Vec<f64> = values.iter().map(|(re, im)| re.hypot(*im)).collect();
    let largest = rates.iter().copied().fold(0.0, f64::max);
    let smallest = rates.iter().copied().filter(|&r| r > ZERO_RATE * largest).fold(f64::INFINITY, f64::min);
    (largest > 0.0 && smallest.is_finite()).then(|| largest / smallest)
}

/// Rows are of no interest here.
struct Nowhere;

impl Sink for Nowhere {
    fn row(
        &mut self,
        _t: f64,
        _y: &[f64],
        _d: &[f64],
        _sliding: Option<&ordinate_solve::Mixture>,
    ) -> ControlFlow<ordinate_solve::Interrupt> {
        ControlFlow::Continue(())
    }
}

/// `info --format json`.
pub fn info_json(compiled: &Compiled) -> Value {
    let info = Info::new(compiled);
    let parameters: Map<String, Value> = info.parameters.iter().map(|(name, v)| (name.clone(), json!(v))).collect();
    json!({
        "schema": "ordinate.info/1",
        "states": info.states,
        "hidden_states": info.hidden,
        "parameters": parameters,
        "inputs": info.inputs,
        "outputs": info.outputs,
        "named": info.named,
        "index": info.index,
        "degrees_of_freedom": info.degrees_of_freedom,
        "free_starts": info.free,
        "missing_starts": missing_starts(compiled).collect::<Vec<_>>(),
        "follows": info.follows,
        "algebraic": info.algebraic,
        "invariants": compiled.program.layout.invariants,
        "linear": info.linear,
        "stiffness": stiffness(compiled),
        "switches": compiled.program.layout.switches.len(),
        "events": compiled.program.layout.conditions.len(),
        "run": compiled.run.map(|(from, to)| [from, to]),
    })
}

/// `info` for people.
pub fn info(compiled: &Compiled) -> String {
    let info = Info::new(compiled);
    let mut out = String::new();
    let list = |names: &[String]| match names.len() {
        0 => "none".to_string(),
        n if n > 12 => format!("{} … {} ({n})", names[..6].join(", "), names[n - 1]),
        _ => names.join(", "),
    };
    let parameters: Vec<String> = info.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let layout = &compiled.program.layout;
    let kind = match (info.index, info.linear, layout.algebraic) {
        (0, ..) if !layout.delays.is_empty() => "delay differential equations".to_string(),
        (0, true, 0) => "linear ordinary differential equations".to_string(),
        (0, false, 0) => "nonlinear ordinary differential equations".to_string(),
        (0, ..) => "implicit ordinary differential equations".to_string(),
        (1, _, 0) => "differential-algebraic equations of index 1, solved for their algebraic variables".to_string(),
        (1, ..) => "differential-algebraic equations of index 1".to_string(),
        (index, ..) if !layout.indices.is_empty() => {
            format!("differential-algebraic equations of index {index}, solved as they are")
        }
        (index, ..) => format!("differential-algebraic equations of index {index}, reduced by differentiation"),
    };
    let mut line = |head: &str, text: &str| writeln!(out, "{head:<12}{text}").expect("a string takes all text");
    line("model", &format!("{}: {kind}", compiled.name));
    line("states", &list(&info.states));
    if !info.hidden.is_empty() {
        line("hidden", &list(&info.hidden));
    }
    if info.index > 0 {
        let free = match info.degrees_of_freedom {
            0 => "no start value is free".to_string(),
            1 => format!("1 degree of freedom: {}", list(&info.free)),
            n => format!("{n} degrees of freedom: {}", list(&info.free)),
        };
        let follow = match info.follows.as_slice() {
            [] => String::new(),
            [one] => format!("; {one} follows"),
            many => format!("; {} follow", list(many)),
        };
        line("starts", &format!("{free}{follow}"));
    }
    missing_starts(compiled).for_each(|text| line("missing", text));
    if !info.algebraic.is_empty() {
        line("algebraic", &list(&info.algebraic));
    }
    if layout.invariants > 0 && layout.indices.is_empty() {
        line("constraints", &format!("{}, which the solution is held to", layout.invariants));
    }
    line("parameters", &list(&parameters));
    line("inputs", &list(&info.inputs));
    line("named", &list(&info.named));
    line("outputs", &list(&info.outputs));
    if !layout.switches.is_empty() || !layout.conditions.is_empty() || !layout.sampled.is_empty() {
        let (s, c, e) = (layout.switches.len(), layout.conditions.len(), layout.sampled.len());
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let (s, c) = (count(s, "switch", "switches"), count(c, "condition", "conditions"));
        line("events", &format!("{s}, {c}, {}", count(e, "sampled action", "sampled actions")));
    }
    if let Some(ratio) = stiffness(compiled) {
        line(
            "stiffness",
            &format!(
                "{} (ratio of the fastest to the slowest eigenvalue, at or soon after the start)",
                crate::short((ratio * 1e3).round() / 1e3)
            ),
        );
    }
    line(
        "program",
        &match compiled.program.rhs.instructions.len() {
            1 => "1 instruction per evaluation".to_string(),
            n => format!("{n} instructions per evaluation"),
        },
    );
    match compiled.run {
        Some((from, to)) => line("run", &format!("{from} … {to}")),
        None => line("run", "no `run` line; give the end time with -t"),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Source, compile};

    fn facts(text: &str) -> (bool, Option<f64>) {
        let options = CompileOptions { jacobian: true, ..CompileOptions::default() };
        let compiled = compile(&Source::text(text), &options).expect("a model without mistakes");
        (is_linear(&compiled), stiffness(&compiled))
    }

    #[test]
    fn a_condition_of_an_event_does_not_make_a_model_nonlinear_but_a_branch_does() {
        let ball = "h'' = -9.81; when h < 0: h' = -0.8*h'; init h = 1, h' = 0; run 0 .. 1";
        assert!(facts(ball).0);
        assert!(!facts("x' = if x > 0 then 1 else -1; init x = 1; run 0 .. 1").0);
        assert!(facts("x' = if t > 1 then 1 else -1; init x = 1; run 0 .. 2").0);
        assert!(!facts("x' = -x^2; init x = 1; run 0 .. 1").0);
    }

    /// A linear model whose coefficients depend on time, on a switch, an input or a held value has other rates later.
    #[test]
    fn rates_are_constant_where_the_coefficients_are() {
        let constant = |text: &str| {
            let options = CompileOptions { jacobian: true, ..CompileOptions::default() };
            has_constant_rates(&compile(&Source::text(text), &options).expect("a model without mistakes"))
        };
        let changing = [
            "x' = -t*x; init x = 1; run 0 .. 10",
            "x' = -(1 + exp(t))*x; init x = 1; run 0 .. 10",
            "x' = (if t < 1 then -1 else -100)*x; init x = 1; run 0 .. 10",
            "input u = 1 + step(t - 1)*99; x' = -u*x; init x = 1; run 0 .. 10",
            "every 1: k = 2*k; init k = 1; x' = -k*x; init x = 1; run 0 .. 10",
            "x' = -x^2; init x = 1; run 0 .. 1",
        ];
        for text in changing {
            assert!(!constant(text), "{text}");
        }
        let same = [
            "param k = 3; x' = -k^2*x + sin(t); init x = 1; run 0 .. 10",
            "x' = -2*x + step(t - 1); init x = 1; run 0 .. 10",
            "every 1: u = -u; init u = 1; x' = -x + u; init x = 1; run 0 .. 10",
            "h'' = -9.81; when h < 0: h' = -0.8*h'; init h = 1, h' = 0; run 0 .. 1",
        ];
        for text in same {
            assert!(constant(text), "{text}");
        }
    }

    #[test]
    fn stiffness_is_the_ratio_of_the_rates() {
        let (_, ratio) = facts("x' = -1000*x; y' = -0.5*y; init x = 1, y = 1; run 0 .. 1");
        assert!((ratio.expect("two rates") - 2000.0).abs() < 1e-9);
        let (_, ratio) = facts("x'' = -4*x; init x = 1, x' = 0; run 0 .. 1");
        assert!((ratio.expect("a pair") - 1.0).abs() < 1e-12);
        assert_eq!(facts("x' = 1; init x = 0; run 0 .. 1").1, None);
    }

    /// At the very start the second reaction has not begun: only later the rates differ by a thousand and more.
    #[test]
    fn the_kinetics_of_robertson_are_stiff() {
        let text = "a' = -0.04*a + 1e4*b*c; b' = 0.04*a - 1e4*b*c - 3e7*b^2; c' = 3e7*b^2
                    init a = 1, b = 0, c = 0; run 0 .. 40";
        assert!(facts(text).1.expect("rates") > 1e3);
    }
}
