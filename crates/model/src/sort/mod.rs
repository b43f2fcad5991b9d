//! Model to sorted model: the highest derivatives and the algebraic variables are the unknowns; each
//! is matched with an equation, the equations are put into an order in which they can be evaluated (block lower
//! triangular form), and each block is solved for its unknowns. Where that is not possible without differentiation, the
//! index is reduced first (`reduce.rs`).

mod blocks;
mod columns;
mod combine;
mod differentiate;
mod direct;
mod history;
mod inlined;
mod inverse;
mod joints;
mod linear;
mod matching;
mod pencil;
mod proof;
mod reduce;
mod report;
mod residue;
mod shared;
mod signature;
mod signed_powers;
mod starts;
mod structure;
mod vanishing;

use crate::{Equation, Given, Model, Role, Variations};
use blocks::Solved;
pub(crate) use joints::Switches;
pub(crate) use linear::solve_block;
use matching::Matching;
use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_syntax::{Diagnostic, has_errors};
pub(crate) use proof::Known;
use reduce::{Line, System};
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
    /// What the solution keeps at zero. Where the index is not reduced these are the derivatives of the constraints, which
    /// hold at the start and after events.
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
    /// Index, degrees of freedom, and which start values are free.
    pub structure: Structure,
    /// Of a transformed model: what the last states are equal to, as functions of the others.
    pub auxiliary: Vec<ExprId>,
    /// Derivatives of the solution among the states.
    pub variations: Variations,
    /// Of a transformed model: what must be positive at the start, for a root of it is taken.
    pub under_roots: Vec<ExprId>,
}

/// How a system whose index is above 1 is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum IndexTreatment {
    /// Constraints are differentiated until the index is at most 1; the constraints themselves are invariants.
    #[default]
    Reduce,
    /// As it is: variables that no equation determines without differentiation are algebraic states.
    Direct,
    /// As it is, with 0 = g replaced by ξ z′ = ±g: stiff, and wrong by an amount of the order of ξ.
    Regularise(f64),
}

/// What the equations determine, as Pryce's analysis sees it.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Differentiations after which the equations are ordinary differential equations for all variables.
    pub index: u32,
    /// Start values that can be chosen.
    pub degrees_of_freedom: usize,
    /// States whose start values are free: those given, as far as they are independent, then others.
    pub free: Vec<VarId>,
    /// States whose start values follow from the equations.
    pub follows: Vec<VarId>,
    /// States whose start values are searched for, because others are given in their place.
    pub stated: Vec<VarId>,
}

/// Sorts a model, reducing its index. With `broken` (the text had mistakes of syntax) an equation may be missing, so only
/// mistakes that do not come from counting are reported.
pub fn sort(model: Model, broken: bool) -> (Sorted, Vec<Diagnostic>) {
    sort_as(model, broken, IndexTreatment::Reduce)
}

/// Sorts a model with a choice of what is done about its index.
pub fn sort_as(model: Model, broken: bool, treatment: IndexTreatment) -> (Sorted, Vec<Diagnostic>) {
    let written = (treatment != IndexTreatment::Reduce).then(|| model.clone());
    let (sorted, analysis, diagnostics) = reduced(model, broken);
    match written.filter(|_| !has_errors(&diagnostics)) {
        Some(model) => direct::direct(model, sorted, &analysis, treatment, diagnostics),
        None => (sorted, diagnostics),
    }
}

/// What the reduction found, for those who go another way.
#[derive(Default)]
struct Analysis {
    lines: Vec<Line>,
    system: System,
    matching: Matching,
}

/// Replacements of equations that only repeat others beyond which the structure is given up, where there are not more lines.
const MAX_ROUNDS: usize = 64;

/// Of what a differentiated equation gives explicitly the start value is only compared. Where such values are given and
/// those of states are missing or follow from them, what has a start value stays a state, and the equation is one for the start.
fn reduced(model: Model, broken: bool) -> (Sorted, Analysis, Vec<Diagnostic>) {
    let mut written = None;
    let first = reduced_with(model, broken, &FxHashSet::default(), &mut written);
    let missing = |found: &[Diagnostic]| found.iter().any(|diagnostic| diagnostic.code == report::MISSING_START);
    let (sorted, _, diagnostics) = &first;
    let stands_for_others =
        |written: &Model| sorted.model.starts.len() > written.starts.len() || !sorted.structure.stated.is_empty();
    let again = |written: &Model| (missing(diagnostics) || stands_for_others(written)) && !sorted.checks.is_empty();
    match written.filter(again) {
        Some(model) => {
            let given: FxHashSet<usize> = model.starts.iter().map(|given| model.variable(given.var).quantity).collect();
            let second = reduced_with(model, broken, &given, &mut None);
            if has_errors(&second.2) { first } else { second }
        }
        None => first,
    }
}

/// `kept`: quantities that stay states. The model goes to `written` before its index is reduced, if it has start values.
fn reduced_with(
    mut model: Model,
    broken: bool,
    kept: &FxHashSet<usize>,
    written: &mut Option<Model>,
) -> (Sorted, Analysis, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut lines: Vec<Line> = plain_lines(&model);
    let mut system = plain(&model, &lines);
    let (mut matching, mut preferred) = pairs(&mut model, &system);
    let free: Vec<VarId> = matching.free_unknowns().into_iter().map(|k| system.unknowns[k]).collect();
    let mut failed = false;
    if !matching.is_complete() && !broken {
        *written = (!model.starts.is_empty()).then(|| model.clone());
        vanishing::drop_vanishing(&mut model, &mut lines);
        match reduce::reduce(&mut model, &lines, &free, kept) {
            Ok(Some(found)) => {
                system = found;
                (matching, preferred) = pairs(&mut model, &system);
            }
            Ok(None) => {}
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                failed = true;
            }
        }
    }
    let mut definitions = input_definitions(&model);
    let mut solved = Solved::default();
    let complete = matching.is_complete() && !failed;
    if complete {
        for round in 0.. {
            let block = match blocks::solve(&mut model, &system, &matching, &mut definitions, false) {
                Ok(found) => {
                    solved = found;
                    break;
                }
                Err(block) => block,
            };
            if written.is_none() && !model.starts.is_empty() {
                *written = Some(model.clone());
            }
            if round == 0 {
                vanishing::drop_vanishing(&mut model, &mut lines);
            }
            let again = match combine::combine(&mut model, &mut lines, &system, &block) {
                Ok(()) if round < MAX_ROUNDS.max(lines.len()) => {
                    reduce::reduce(&mut model, &lines, &block.unknowns, kept)
                }
                Ok(()) => Ok(None),
                Err(diagnostic) => Err(diagnostic),
            };
            match again {
                Ok(Some(found)) => {
                    system = found;
                    (matching, preferred) = pairs(&mut model, &system);
                    definitions = input_definitions(&model);
                }
                Ok(None) => {
                    let equations: Vec<usize> = block.lines.iter().map(|&e| system.lines[e].equation).collect();
                    diagnostics.push(report::singular(&model, &equations, &block.unknowns));
                    failed = true;
                }
                Err(diagnostic) => {
                    diagnostics.push(diagnostic);
                    failed = true;
                }
            }
            if failed {
                break;
            }
        }
    } else if !failed {
        diagnostics.extend(report::incomplete(&mut model, &matching, &system.unknowns, &system.states, broken));
    }
    let index = match complete && !failed {
        true => structure::index(&mut model, &lines, &system, &matching, &solved.algebraic),
        false => 0,
    };
    let explicit: Vec<VarId> = preferred.iter().flatten().map(|&k| system.unknowns[k]).collect();
    signed_powers::watch_roots(&mut model, &solved.roots);
    definitions.resize(model.variables.len(), None);
    let known = starts::Known {
        definitions: &definitions,
        invariants: &system.invariants,
        algebraic: &solved.algebraic,
        index,
    };
    let mut found = Vec::new();
    let (mut states, checks, structure) =
        starts::start_values(&mut model, system.states.clone(), &known, &explicit, &mut found);
    // which states there are is not known then
    if !failed {
        diagnostics.append(&mut found);
    }
    let neutral = check_delays(&mut model, &states, &mut diagnostics);
    if complete && !failed && !neutral {
        history::start_hidden(&mut model, &mut states, &definitions, &mut diagnostics);
    }
    check_actions(&mut model, &states, &mut diagnostics);
    let open: FxHashSet<usize> =
        if complete { FxHashSet::default() } else { free.iter().map(|&v| model.variable(v).quantity).collect() };
    let pending = model.pending.iter().filter(|(quantity, _)| !open.contains(quantity));
    diagnostics.extend(pending.map(|(_, diagnostic)| diagnostic.clone()).take(100));
    diagnostics.extend(report::empty_loops(&model));
    let below = columns::below_highest(&mut model, &definitions);
    let columns = columns::columns(&model, &states, &checks, &below);
    diagnostics.sort_by_key(|d| d.span);
    let visible = states.iter().filter(|state| !model.quantity(state.var).hidden).count();
    definitions.resize(model.variables.len(), None);
    let sorted = Sorted {
        model,
        states,
        visible,
        algebraic: solved.algebraic,
        invariants: system.invariants.clone(),
        definitions,
        blocks: solved.blocks,
        columns,
        checks,
        structure,
        ..Sorted::default()
    };
    (sorted, Analysis { lines, system, matching }, diagnostics)
}

fn plain_lines(model: &Model) -> Vec<Line> {
    let lines = model.equations.iter().enumerate();
    lines.map(|(equation, &Equation { left, right, .. })| Line { left, right, equation }).collect()
}

fn input_definitions(model: &Model) -> Vec<Option<ExprId>> {
    let mut definitions: Vec<Option<ExprId>> = vec![None; model.variables.len()];
    model.inputs.iter().for_each(|input| definitions[input.var.0 as usize] = Some(input.value));
    definitions
}

/// The system without differentiation: the highest derivatives of the text are the unknowns.
fn plain(model: &Model, lines: &[Line]) -> System {
    let (states, unknowns) = states_and_unknowns(model);
    let d = unknowns.iter().map(|&v| model.variable(v).primes).collect();
    let quantities = unknowns.iter().map(|&v| model.variable(v).quantity).collect();
    System {
        lines: lines.to_vec(),
        base: (0..lines.len()).map(Some).collect(),
        unknowns,
        states,
        invariants: Vec::new(),
        offsets: signature::Offsets { c: vec![0; lines.len()], d },
        quantities,
    }
}

/// Which line determines which unknown, and the unknown that each line is written for.
fn pairs(model: &mut Model, system: &System) -> (Matching, Vec<Option<usize>>) {
    let position: FxHashMap<VarId, usize> = system.unknowns.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    let (incident, preferred) = incidence(model, &system.lines, &position);
    let firm: Vec<bool> = system.unknowns.iter().map(|&v| model.quantity(v).declared).collect();
    (Matching::new(incident, system.unknowns.len(), &preferred, &firm), preferred)
}

/// Every quantity of an unknown kind: its lower derivatives are states, its highest is the unknown. One that nothing but a start value
/// names is a mistake that was told, and makes no others.
fn states_and_unknowns(model: &Model) -> (Vec<State>, Vec<VarId>) {
    let (mut states, mut unknowns) = (Vec::new(), Vec::new());
    for quantity in &model.quantities {
        let members: Vec<VarId> = quantity.members.iter().flatten().copied().collect();
        let Some((&highest, lower)) = members.split_last() else { continue };
        if model.variable(highest).role != Role::Unknown || quantity.reported {
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
fn incidence(
    model: &mut Model,
    lines: &[Line],
    position: &FxHashMap<VarId, usize>,
) -> (Vec<Vec<usize>>, Vec<Option<usize>>) {
    let mut incident = Vec::with_capacity(lines.len());
    let mut preferred = Vec::with_capacity(lines.len());
    for &Line { left, right, .. } in lines {
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

/// Derivatives that are no states are not delayed; returns whether one is.
fn check_delays(model: &mut Model, states: &[State], diagnostics: &mut Vec<Diagnostic>) -> bool {
    let before = diagnostics.len();
    for delayed in model.delays.clone() {
        let variables = model.graph.variables(delayed.of);
        let derivative = |v: &&VarId| model.variable(**v).role == Role::Unknown && model.variable(**v).primes > 0;
        let found = variables.iter().filter(derivative).find(|v| !states.iter().any(|state| state.var == **v));
        diagnostics.extend(found.map(|&v| report::neutral(model, &delayed, v)));
    }
    diagnostics.len() > before
}
