//! Model to sorted model: the highest derivatives and the algebraic variables are the unknowns; each
//! is matched with an equation, the equations are put into an order in which they can be evaluated (block lower
//! triangular form), and each block is solved for its unknowns.

mod history;
mod linear;
mod matching;
mod report;

use crate::{Equation, Given, Model, Role};
pub(crate) use linear::solve_block;
use matching::Matching;
use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

/// One state.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The state itself.
    pub var: VarId,
    /// Its derivative: the next state or an unknown with a definition.
    pub derivative: VarId,
    /// Its start value, if the text has one.
    pub start: Option<ExprId>,
}

/// Equations that are solved together.
#[derive(Clone, Debug)]
pub struct Block {
    /// Indices into [`Model::equations`].
    pub equations: Vec<usize>,
    /// What they determine.
    pub unknowns: Vec<VarId>,
    /// Whether a symbolic solution was found; otherwise the block is for an implicit solver.
    pub solved: bool,
}

/// A variable that its equation determines together with others, without a formula for it: a state without a derivative.
#[derive(Clone, Copy, Debug)]
pub struct Algebraic {
    /// The variable; it may be the derivative of a state.
    pub var: VarId,
    /// What is zero.
    pub residual: ExprId,
    /// The equation it comes from, an index into [`Model::equations`].
    pub equation: usize,
}

/// What the solution keeps at zero: an equation that was differentiated to reduce the index, or a derivative of it.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// What is zero.
    pub value: ExprId,
    /// The equation it comes from, an index into [`Model::equations`].
    pub equation: usize,
    /// How often it was differentiated.
    pub derivative: u32,
}

/// A model in the order in which it can be evaluated.
#[derive(Clone, Debug, Default)]
pub struct Sorted {
    /// The model.
    pub model: Model,
    /// The states in the order of their first appearance, those that the text does not name last.
    pub states: Vec<State>,
    /// How many of them the text names: these are stored and shown.
    pub visible: usize,
    /// What follows the states: variables of blocks that have no symbolic solution.
    pub algebraic: Vec<Algebraic>,
    /// What the solution keeps at zero.
    pub invariants: Vec<Invariant>,
    /// The index of each state, algebraic ones last, if the index is above 1 and was not reduced; otherwise empty.
    pub indices: Vec<u8>,
    /// What a variable that is no state is equal to, by [`VarId`].
    pub definitions: Vec<Option<ExprId>>,
    /// The blocks, dependencies first.
    pub blocks: Vec<Block>,
    /// What is stored besides the states: named expressions, then outputs, then held values.
    pub columns: Vec<VarId>,
    /// Start values that follow from the equations and are only compared.
    pub checks: Vec<Given>,
    /// Of a transformed model: what the last states are equal to, as functions of the others.
    pub auxiliary: Vec<ExprId>,
    /// Of a transformed model: what must be positive at the start, for a root of it is taken.
    pub under_roots: Vec<ExprId>,
}

/// Sorts a model. With `broken` (the text had mistakes of syntax) an equation may be missing, so only mistakes that
/// do not come from counting are reported.
pub fn sort(mut model: Model, broken: bool) -> (Sorted, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let (states, unknowns) = states_and_unknowns(&model);
    let position: FxHashMap<VarId, usize> = unknowns.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    let (incident, preferred) = incidence(&mut model, &position);
    let firm: Vec<bool> = unknowns.iter().map(|&v| model.quantity(v).declared).collect();
    let matching = Matching::new(incident, unknowns.len(), &preferred, &firm);

    let mut definitions: Vec<Option<ExprId>> = vec![None; model.variables.len()];
    model.inputs.iter().for_each(|input| definitions[input.var.0 as usize] = Some(input.value));
    let mut blocks = Vec::new();
    let complete = matching.spare_equations().is_empty() && matching.free_unknowns().is_empty();
    if complete {
        for equations in matching.components() {
            let block_unknowns: Vec<VarId> =
                equations.iter().map(|&e| unknowns[matching.unknown_of[e].expect("complete")]).collect();
            let sides: Vec<(ExprId, ExprId)> =
                equations.iter().map(|&e| (model.equations[e].left, model.equations[e].right)).collect();
            let solution = solve_block(&mut model.graph, &sides, &block_unknowns);
            let solved = solution.is_ok();
            match solution {
                Ok(solution) => solution.into_iter().for_each(|(v, e)| definitions[v.0 as usize] = Some(e)),
                Err(reason) => diagnostics.push(report::unsolved(&model, &equations, &block_unknowns, reason)),
            }
            blocks.push(Block { equations, unknowns: block_unknowns, solved });
        }
    } else {
        diagnostics.extend(report::incomplete(&mut model, &matching, &unknowns, &states, broken));
    }
    let explicit: Vec<Option<VarId>> = preferred.iter().map(|wish| wish.map(|k| unknowns[k])).collect();
    let (mut states, checks) = start_values(&mut model, states, &explicit, &mut diagnostics);
    if complete {
        history::start_hidden(&mut model, &mut states, &definitions, &mut diagnostics);
    }
    check_actions(&mut model, &states, &mut diagnostics);
    let free = matching.free_unknowns();
    let free: FxHashSet<usize> = free.into_iter().map(|k| model.variable(unknowns[k]).quantity).collect();
    let pending = model.pending.iter().filter(|(quantity, _)| !free.contains(quantity));
    diagnostics.extend(pending.map(|(_, diagnostic)| diagnostic.clone()).take(100));
    diagnostics.extend(report::empty_loops(&model));
    let columns = columns(&model, &states);
    diagnostics.sort_by_key(|d| d.span);
    let visible = states.iter().filter(|state| !model.quantity(state.var).hidden).count();
    let (auxiliary, under_roots) = (Vec::new(), Vec::new());
    let sorted = Sorted {
        model,
        states,
        visible,
        definitions,
        blocks,
        columns,
        checks,
        auxiliary,
        under_roots,
        ..Sorted::default()
    };
    (sorted, diagnostics)
}

/// Every quantity of an unknown kind: its lower derivatives are states, its highest is the unknown.
fn states_and_unknowns(model: &Model) -> (Vec<State>, Vec<VarId>) {
    let (mut states, mut unknowns) = (Vec::new(), Vec::new());
    for quantity in &model.quantities {
        let members: Vec<VarId> = quantity.members.iter().flatten().copied().collect();
        let Some((&highest, lower)) = members.split_last() else { continue };
        if model.variable(highest).role != Role::Unknown {
            continue;
        }
        for (k, &var) in lower.iter().enumerate() {
            states.push(State { var, derivative: members[k + 1], start: None });
        }
        unknowns.push(highest);
    }
    states.sort_by_key(|state: &State| model.quantity(state.var).hidden);
    (states, unknowns)
}

/// The unknowns of each equation, and the one it is written for.
fn incidence(model: &mut Model, position: &FxHashMap<VarId, usize>) -> (Vec<Vec<usize>>, Vec<Option<usize>>) {
    let mut incident = Vec::with_capacity(model.equations.len());
    let mut preferred = Vec::with_capacity(model.equations.len());
    for &Equation { left, right, .. } in &model.equations {
        let in_right = model.graph.variables(right);
        let mut found: Vec<usize> = in_right.iter().filter_map(|v| position.get(v).copied()).collect();
        found.extend(model.graph.variables(left).iter().filter_map(|v| position.get(v).copied()));
        found.sort_unstable();
        found.dedup();
        incident.push(found);
        preferred.push(match model.graph.node(left) {
            Expr::Var(v) if in_right.binary_search(&v).is_err() => position.get(&v).copied(),
            _ => None,
        });
    }
    (incident, preferred)
}

/// Attaches start values to states; those of other variables are superfluous, or checks where the equation is
/// implicit.
fn start_values(
    model: &mut Model,
    mut states: Vec<State>,
    explicit: &[Option<VarId>],
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<State>, Vec<Given>) {
    let starts: FxHashMap<VarId, Given> = model.starts.iter().map(|&given| (given.var, given)).collect();
    let mut is_state = vec![false; model.variables.len()];
    for state in &mut states {
        state.start = starts.get(&state.var).map(|given| given.value);
        is_state[state.var.0 as usize] = true;
    }
    report::missing_starts(model, &states, diagnostics);
    let written: FxHashSet<VarId> = explicit.iter().flatten().copied().collect();
    let mut checks = Vec::new();
    for k in 0..model.starts.len() {
        let given = &model.starts[k];
        let variable = model.variable(given.var);
        if is_state[given.var.0 as usize] || variable.role != Role::Unknown {
            continue;
        }
        if variable.primes > 0 || written.contains(&given.var) {
            let given = *given;
            if !model.variable_excused(given.var) {
                diagnostics.push(report::superfluous_start(model, &given));
            }
        } else {
            checks.push(*given);
        }
    }
    (states, checks)
}

/// Actions may assign states and held values only.
fn check_actions(model: &mut Model, states: &[State], diagnostics: &mut Vec<Diagnostic>) {
    let mut is_state = vec![false; model.variables.len()];
    states.iter().for_each(|state| is_state[state.var.0 as usize] = true);
    for action in &model.actions {
        for &(var, _) in &action.assignments {
            if model.variable(var).role == Role::Unknown && !is_state[var.0 as usize] {
                diagnostics.push(report::not_assignable(model, var, action.span));
            }
        }
    }
    report::held_without_start(model, diagnostics);
}

fn columns(model: &Model, states: &[State]) -> Vec<VarId> {
    let mut taken = vec![false; model.variables.len()];
    states.iter().for_each(|state| taken[state.var.0 as usize] = true);
    let outputs = model.outputs.iter().copied();
    let mut is_output = vec![false; model.variables.len()];
    outputs.clone().for_each(|v| is_output[v.0 as usize] = true);
    let plain = |role: Role| {
        let all = (0..model.variables.len() as u32).map(VarId);
        all.filter(move |&v| model.variable(v).role == role && model.variable(v).primes == 0)
    };
    let named = plain(Role::Unknown).filter(|v| !is_output[v.0 as usize]);
    let mut list: Vec<VarId> = Vec::new();
    let jumping = model.jumping.iter().copied();
    for v in jumping.chain(named).chain(outputs).chain(plain(Role::Held)) {
        if !std::mem::replace(&mut taken[v.0 as usize], true) {
            list.push(v);
        }
    }
    list
}
