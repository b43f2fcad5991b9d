//! What a model consists of.

use crate::Compiled;
use ordinate_expr::VarId;
use ordinate_program::Evaluator;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The facts about a compiled model.
pub struct Info {
    states: Vec<String>,
    parameters: Vec<(String, f64)>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    named: Vec<String>,
    index: u32,
    linear: bool,
}

impl Info {
    fn new(compiled: &Compiled) -> Info {
        let model = &compiled.sorted.model;
        let names = |list: &mut dyn Iterator<Item = VarId>| list.map(|v| model.name(v)).collect::<Vec<_>>();
        // An algebraic unknown whose equation is not written as `z = …` makes a differential-algebraic system.
        let implicit = compiled.sorted.blocks.iter().any(|block| {
            block.unknowns.iter().zip(&block.equations).any(|(&v, &e)| {
                let written = model.graph.node(model.equations[e].left) == ordinate_expr::Expr::Var(v);
                model.variable(v).primes == 0 && !written
            })
        });
        Info {
            states: compiled.program.state_names.clone(),
            parameters: compiled.parameter_values(),
            inputs: names(&mut model.inputs.iter().map(|given| given.var)),
            outputs: names(&mut model.outputs.iter().copied()),
            named: names(&mut compiled.sorted.columns.iter().copied().filter(|v| !model.outputs.contains(v))),
            index: u32::from(implicit),
            linear: is_linear(compiled),
        }
    }
}

/// Whether ∂f/∂y depends on no state: checked on the instructions of the Jacobian, not on numbers.
fn is_linear(compiled: &Compiled) -> bool {
    let Some(jacobian) = &compiled.program.jacobian else { return false };
    let n = compiled.program.layout.states as u32;
    let mut tainted = vec![false; compiled.program.registers];
    (1..=n).for_each(|r| tainted[r as usize] = true);
    for i in &jacobian.section.instructions {
        tainted[i.out as usize] = [i.a, i.b, i.c].iter().any(|&r| tainted[r as usize]);
    }
    let no_switch_of_state = compiled.program.layout.switches.iter().all(|s| s.of_time);
    no_switch_of_state && jacobian.section.results.iter().all(|&r| !tainted[r as usize])
}

/// Ratio of the largest to the smallest growth rate in magnitude at the start, from the rows of ∂f/∂y (Gershgorin);
/// `None` where nothing can be said.
fn stiffness(compiled: &Compiled) -> Option<f64> {
    let jacobian = compiled.program.jacobian.as_ref()?;
    let (t, _) = compiled.run_times().unwrap_or((0.0, 0.0));
    let mut evaluator = Evaluator::new(compiled.program.clone());
    let n = compiled.program.layout.states;
    let y = evaluator.starts(t)[..n].to_vec();
    let d = vec![0.0; compiled.program.layout.discrete()];
    let mut elements = vec![0.0; jacobian.pattern.len()];
    evaluator.jacobian(t, &y, &d, &mut elements);
    let mut rows = vec![0.0; n];
    for (&(row, _), element) in jacobian.pattern.iter().zip(&elements) {
        rows[row as usize] += element.abs();
    }
    let largest = rows.iter().copied().fold(0.0, f64::max);
    let smallest = rows.iter().copied().filter(|&r| r > 0.0).fold(f64::INFINITY, f64::min);
    (largest.is_finite() && smallest.is_finite()).then(|| largest / smallest)
}

/// `info --format json`.
pub fn info_json(compiled: &Compiled) -> Value {
    let info = Info::new(compiled);
    let parameters: Map<String, Value> = info.parameters.iter().map(|(name, v)| (name.clone(), json!(v))).collect();
    json!({
        "schema": "ordinate.info/1",
        "states": info.states,
        "parameters": parameters,
        "inputs": info.inputs,
        "outputs": info.outputs,
        "named": info.named,
        "index": info.index,
        "degrees_of_freedom": info.states.len(),
        "linear": info.linear,
        "stiffness": stiffness(compiled),
        "switches": compiled.program.layout.switches.len(),
        "events": compiled.program.layout.conditions.len(),
        "run": compiled.run_times().map(|(from, to)| [from, to]),
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
    let kind = match (info.index, info.linear) {
        (0, true) => "linear ordinary differential equations",
        (0, false) => "nonlinear ordinary differential equations",
        _ => "differential-algebraic equations of index 1, solved for their algebraic variables",
    };
    let layout = &compiled.program.layout;
    let mut line = |head: &str, text: &str| writeln!(out, "{head:<12}{text}").expect("a string takes all text");
    line("model", &format!("{}: {kind}", compiled.name));
    line("states", &list(&info.states));
    line("parameters", &list(&parameters));
    line("inputs", &list(&info.inputs));
    line("named", &list(&info.named));
    line("outputs", &list(&info.outputs));
    if !layout.switches.is_empty() || !layout.conditions.is_empty() || !layout.sampled.is_empty() {
        let (s, c, e) = (layout.switches.len(), layout.conditions.len(), layout.sampled.len());
        line("events", &format!("{s} switches, {c} conditions, {e} sampled actions"));
    }
    line("program", &format!("{} instructions per evaluation", compiled.program.rhs.instructions.len()));
    match compiled.run_times() {
        Some((from, to)) => line("run", &format!("{from} … {to}")),
        None => line("run", "no `run` line; give the end time with -t"),
    }
    out
}
