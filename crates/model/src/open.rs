//! A sorted model whose inputs are open: what they are is taken away, and they stand as states without a rate or as
//! constants instead. So the derivatives of everything by its inputs come out with those by its states, exactly and by
//! the same code. Parameters and held values can be opened like inputs.

use crate::{Invariant, Role, Sorted, State, Watch};
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The model with these variables as its last states, whose rate is zero. Events are left out: this is a model of one
/// instant.
pub fn with_open(sorted: &Sorted, variables: &[VarId]) -> Sorted {
    let mut result = without_events(sorted);
    loosen(&mut result, variables);
    let zero = result.model.graph.integer(0);
    for &var in variables {
        let derivative = result.model.derivative_of(var);
        result.definitions.resize(result.model.variables.len(), None);
        result.definitions[derivative.0 as usize] = Some(zero);
        result.states.push(State { var, derivative, start: None });
    }
    result
}

/// The model with these variables at constant values, without its events.
pub fn with_fixed(sorted: &Sorted, values: &[(VarId, f64)]) -> Sorted {
    let mut result = without_events(sorted);
    let variables: Vec<VarId> = values.iter().map(|&(var, _)| var).collect();
    loosen(&mut result, &variables);
    for &(var, value) in values {
        let constant = result.model.number(value);
        result.definitions[var.0 as usize] = Some(constant);
    }
    result
}

/// The model with a further invariant for each expression: what the program computes of invariants, their values and
/// derivatives, it then computes of these.
pub fn with_kept(sorted: &Sorted, values: &[ExprId]) -> Sorted {
    let mut result = sorted.clone();
    result.invariants.extend(values.iter().map(|&value| Invariant { value, equation: 0, derivative: 0 }));
    result
}

/// The model that also keeps these variables at these values.
pub fn with_pinned(sorted: &Sorted, values: &[(VarId, f64)]) -> Sorted {
    let mut result = sorted.clone();
    for &(var, value) in values {
        let constant = result.model.number(value);
        let own = result.model.graph.variable(var);
        let value = result.model.graph.sub(own, constant);
        result.invariants.push(Invariant { value, equation: 0, derivative: 0 });
    }
    result
}

/// What the rates, the other equations and the outputs depend on besides states and parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reads {
    /// On time by itself, through branches, too.
    pub time: bool,
    /// Branches: indices of switches, ascending.
    pub switches: Vec<usize>,
}

/// Looks at everything that determines the rates, and at these outputs.
pub fn reads(sorted: &Sorted, outputs: &[VarId]) -> Reads {
    let model = &sorted.model;
    let places: FxHashMap<VarId, usize> = model.switches.iter().map(|switch| switch.mode).zip(0..).collect();
    let states: FxHashSet<VarId> = sorted.states.iter().map(|state| state.var).collect();
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut open: Vec<ExprId> = sorted.algebraic.iter().map(|algebraic| algebraic.residual).collect();
    open.extend(sorted.invariants.iter().map(|invariant| invariant.value));
    let named = sorted.states.iter().map(|state| state.derivative).chain(outputs.iter().copied());
    let definition = |v: VarId| sorted.definitions.get(v.0 as usize).copied().flatten();
    open.extend(named.filter(|v| !states.contains(v)).filter_map(definition));
    let mut reads = Reads::default();
    while let Some(e) = open.pop() {
        if !seen.insert(e) {
            continue;
        }
        match model.graph.node(e) {
            Expr::Time => reads.time = true,
            Expr::Var(v) if states.contains(&v) => {}
            Expr::Var(v) => match places.get(&v) {
                Some(&switch) => {
                    reads.switches.push(switch);
                    match model.switches[switch].watch {
                        Watch::Segment(_) => reads.time = true,
                        Watch::Sign(g) | Watch::Floor(g) => open.push(g),
                    }
                }
                None => open.extend(definition(v)),
            },
            node => open.extend(node.operands()),
        }
    }
    reads.switches.sort_unstable();
    reads
}

fn without_events(sorted: &Sorted) -> Sorted {
    let mut result = sorted.clone();
    let model = &mut result.model;
    (model.samples, model.conditions, model.actions) = (Vec::new(), Vec::new(), Vec::new());
    result
}

/// Takes away what the variables are. Parameters that are made of others become named expressions of them.
fn loosen(sorted: &mut Sorted, variables: &[VarId]) {
    let mut loose: FxHashSet<VarId> = FxHashSet::default();
    for &v in variables {
        let model = &mut sorted.model;
        if model.variable(v).role == Role::Parameter {
            model.parameters.retain(|given| given.var != v);
            model.values.remove(&v);
            loose.insert(v);
        }
        model.variables[v.0 as usize].role = Role::Input;
        sorted.definitions[v.0 as usize] = None;
    }
    if loose.is_empty() {
        return;
    }
    // in an order in which they can be evaluated, so one pass is enough
    for given in std::mem::take(&mut sorted.model.parameters) {
        if sorted.model.graph.variables(given.value).iter().any(|v| loose.contains(v)) {
            loose.insert(given.var);
            sorted.model.values.remove(&given.var);
            sorted.definitions[given.var.0 as usize] = Some(given.value);
        } else {
            sorted.model.parameters.push(given);
        }
    }
}
