//! Start values: which states have one, which follow from the invariants, and what is missing.

use super::inlined::Inlined;
use super::matching::Matching;
use super::proof::{Known as Parameters, vanishes};
use super::residue::{Modular, Residue, echelon};
use super::{Algebraic, Invariant, State, Structure, report, solve_block};
use crate::{Given, Model, Role};
use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

/// With more invariants it is looked at which states they have, not whether they say the same of them.
const MAX_EXACT: usize = 300;

/// What is known about the system when start values are looked at.
pub(super) struct Known<'a> {
    pub definitions: &'a [Option<ExprId>],
    pub invariants: &'a [Invariant],
    pub algebraic: &'a [Algebraic],
    pub index: u32,
}

/// Attaches start values to states; those of other variables are checks, unless they contradict an explicit equation. Each
/// invariant can give one state, those without a start value first; and so can what is given of a variable that is none.
pub(super) fn start_values(
    model: &mut Model,
    mut states: Vec<State>,
    known: &Known,
    explicit: &[VarId],
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<State>, Vec<Given>, Structure) {
    let starts: FxHashMap<VarId, Given> = model.starts.iter().map(|&given| (given.var, given)).collect();
    let mut is_state = vec![false; model.variables.len()];
    for state in &mut states {
        state.start = starts.get(&state.var).map(|given| given.value);
        is_state[state.var.0 as usize] = true;
    }
    let others: Vec<Given> = model.starts.iter().copied().filter(|given| !is_state[given.var.0 as usize]).collect();
    let others: Vec<Given> =
        others.into_iter().filter(|given| model.variable(given.var).role == Role::Unknown).collect();
    let (matching, invariants) = dependence(model, &states, &others, known);
    let (mut free, mut follows, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let mut loose: Vec<State> = Vec::new();
    let mut pairs: Vec<(VarId, Given)> = Vec::new();
    for (k, state) in states.iter().enumerate() {
        match matching.equation_of[k].map(|row| row.checked_sub(invariants)) {
            Some(None) => {
                follows.push(state.var);
                continue;
            }
            Some(Some(other)) => {
                pairs.push((state.var, others[other]));
                free.push(state.var);
                continue;
            }
            None => free.push(state.var),
        }
        match matching.uses[k].is_empty() {
            true => loose.push(*state),
            false if state.start.is_none() => missing.push(k),
            false => {}
        }
    }
    report::missing_starts(model, &loose, diagnostics);
    diagnostics.extend(underdetermined(model, &states, &matching, &missing));
    let written: FxHashSet<VarId> = explicit.iter().copied().collect();
    let mut checks = Vec::new();
    for given in others {
        let used = pairs.iter().any(|(_, other)| other.var == given.var);
        // of an implicit equation another solution may be meant
        let explicit = known.index == 0 && !used && written.contains(&given.var);
        match explicit.then(|| contradicted(model, known, &given)).flatten() {
            Some(found) if !model.variable_excused(given.var) => {
                diagnostics.push(report::superfluous_start(model, &given, found));
            }
            Some(_) => {}
            None => checks.push(given),
        }
    }
    let stated = follow_from(model, &mut states, &pairs, known);
    let structure = Structure { index: known.index, degrees_of_freedom: free.len(), free, follows, stated };
    (states, checks, structure)
}

/// Which invariant gives which state: an invariant stands in the rows, a state in the columns. Behind the invariants stand
/// start values of other variables, which can give states that have none of their own. The number of the first is returned.
fn dependence(model: &mut Model, states: &[State], others: &[Given], known: &Known) -> (Matching, usize) {
    let position: FxHashMap<VarId, usize> = states.iter().enumerate().map(|(k, state)| (state.var, k)).collect();
    let residuals = known.algebraic.iter().map(|algebraic| (algebraic.var, algebraic.residual)).collect();
    let mut reached = Reached { position, definitions: known.definitions, residuals, of: FxHashMap::default() };
    let mut incident: Vec<Vec<usize>> =
        known.invariants.iter().map(|invariant| reached.states(model, invariant.value)).collect();
    let open: Vec<bool> = states.iter().map(|state| state.start.is_none()).collect();
    let mut pairs: Vec<Option<usize>> = vec![None; incident.len()];
    if !incident.is_empty() && incident.len() <= MAX_EXACT {
        // those without a start value are to follow, as far as they can, and derivatives rather than what has a plain name
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_by_key(|&k| (!open[k], std::cmp::Reverse(model.variable(states[k].var).primes)));
        let matrix = slopes(model, states, known, &incident);
        let (rows, pivots) = echelon(matrix, &order);
        let entries = |row: &Vec<Residue>| (0..states.len()).filter(|&k| row[k] != Residue::ZERO).collect();
        incident = rows.iter().map(entries).collect();
        pairs = pivots.into_iter().map(Some).collect();
    }
    let invariants = incident.len();
    if open.contains(&true) {
        for given in others {
            let variable = model.graph.variable(given.var);
            let mut found = reached.states(model, variable);
            found.retain(|&k| open[k]);
            incident.push(found);
            pairs.push(None);
        }
    }
    (Matching::new(incident, states.len(), &pairs, &open), invariants)
}

/// The derivatives of the invariants by the states, in a point that has nothing special: x + y and x + y + 2·z say that z
/// follows, which the pattern does not.
fn slopes(model: &mut Model, states: &[State], known: &Known, incident: &[Vec<usize>]) -> Vec<Vec<Residue>> {
    let parameters = Parameters::of(model);
    let is_state: FxHashSet<VarId> = states.iter().map(|state| state.var).collect();
    let mut inlined = Inlined::new(known.definitions, is_state);
    let mut matrix = Vec::with_capacity(incident.len());
    for (invariant, list) in known.invariants.iter().zip(incident) {
        let value = inlined.expression(model, invariant.value);
        let mut row = vec![Residue::ZERO; states.len()];
        for &k in list {
            let slope = model.graph.partial(value, states[k].var);
            if !vanishes(&mut model.graph, slope, &parameters) {
                // a pole at the random point: any number but zero
                let other = || Residue::random((1 << 40) + u64::from(slope.0));
                row[k] = parameters.residue(&mut model.graph, slope).unwrap_or_else(other);
            }
        }
        matrix.push(row);
    }
    matrix
}

/// States that follow from what is given of other variables, as expressions where they enter linearly: these are start values
/// like those of the text. The others, which are returned, are searched for when a run begins.
fn follow_from(model: &mut Model, states: &mut [State], pairs: &[(VarId, Given)], known: &Known) -> Vec<VarId> {
    let unknowns: Vec<VarId> = pairs.iter().map(|(state, _)| *state).collect();
    let leaves: FxHashSet<VarId> = states.iter().map(|state| state.var).collect();
    let mut inlined = Inlined::new(known.definitions, leaves.clone());
    let mut sides = Vec::with_capacity(pairs.len());
    for (_, given) in pairs {
        let variable = model.graph.variable(given.var);
        sides.push((inlined.expression(model, variable), given.value));
    }
    let computed = |model: &mut Model, e: ExprId| {
        let mut variables = model.graph.variables(e).into_iter();
        variables.all(|v| leaves.contains(&v) || model.variable(v).role == Role::Parameter)
    };
    let explicit = known.invariants.is_empty() && sides.iter().all(|&(left, _)| computed(model, left));
    let parameters = Parameters::of(model);
    let Some(Ok(solution)) =
        (explicit && !pairs.is_empty()).then(|| solve_block(&mut model.graph, &sides, &unknowns, &parameters))
    else {
        return unknowns;
    };
    for (var, value) in solution {
        let (_, given) = pairs.iter().find(|(state, _)| *state == var).expect("one of the unknowns");
        model.starts.push(Given { var, value, span: given.span, at: None });
        states.iter_mut().filter(|state| state.var == var).for_each(|state| state.start = Some(value));
    }
    Vec::new()
}

/// What an explicit equation gives for a variable at the start, if that is known and not its start value.
fn contradicted(model: &mut Model, known: &Known, given: &Given) -> Option<f64> {
    /// As for start values that are compared when a run begins.
    const CONSISTENT: f64 = 1e-6;
    let starts: FxHashMap<VarId, ExprId> =
        model.starts.iter().filter(|other| other.var != given.var).map(|other| (other.var, other.value)).collect();
    let mut found = model.graph.variable(given.var);
    let mut value = given.value;
    for e in [&mut found, &mut value] {
        // names of names are few
        for _ in 0..100 {
            let definition = |v: VarId| known.definitions.get(v.0 as usize).copied().flatten();
            let next = model.graph.substitute(*e, |v| starts.get(&v).copied().or_else(|| definition(v)));
            if next == *e {
                break;
            }
            *e = next;
        }
    }
    let run = model.run;
    let t = run.map_or(Some(0.0), |(from, _)| model.constant(from))?;
    let values = &model.values;
    let mut number = |e: ExprId| {
        model.graph.evaluate(e, |leaf| match leaf {
            Expr::Var(v) => values.get(&v).copied(),
            Expr::Time => Some(t),
            _ => None,
        })
    };
    let (found, value) = (number(found)?, number(value)?);
    ((found - value).abs() > CONSISTENT * found.abs().max(value.abs()).max(1.0)).then_some(found)
}

/// The states that an expression depends on, through definitions and through the equations of algebraic variables.
struct Reached<'a> {
    position: FxHashMap<VarId, usize>,
    definitions: &'a [Option<ExprId>],
    residuals: FxHashMap<VarId, ExprId>,
    of: FxHashMap<VarId, Vec<usize>>,
}

impl Reached<'_> {
    /// The depth of the recursion is that of the named expressions of the user, which are not circular.
    fn states(&mut self, model: &mut Model, e: ExprId) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for v in model.graph.variables(e) {
            if let Some(&k) = self.position.get(&v) {
                found.push(k);
            } else if let Some(definition) =
                self.definitions.get(v.0 as usize).copied().flatten().or_else(|| self.residuals.get(&v).copied())
            {
                if !self.of.contains_key(&v) {
                    // an algebraic variable stands in its own equation
                    self.of.insert(v, Vec::new());
                    let below = self.states(model, definition);
                    self.of.insert(v, below);
                }
                found.extend(&self.of[&v]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Start values that are missing among states that constraints relate: any of several can be given.
fn underdetermined(model: &mut Model, states: &[State], matching: &Matching, missing: &[usize]) -> Vec<Diagnostic> {
    let mut told = vec![false; states.len()];
    let mut is_missing = vec![false; states.len()];
    missing.iter().for_each(|&k| is_missing[k] = true);
    let mut found = Vec::new();
    for &first in missing {
        if told[first] {
            continue;
        }
        // all states that could be missing instead, by exchange through the invariants
        let mut group = vec![first];
        told[first] = true;
        let mut at = 0;
        while at < group.len() {
            for &e in &matching.uses[group[at]] {
                let open = matching.incident[e].iter().filter(|&&k| is_missing[k]);
                for &k in matching.unknown_of[e].iter().chain(open) {
                    if !std::mem::replace(&mut told[k], true) {
                        group.push(k);
                    }
                }
            }
            at += 1;
        }
        group.sort_unstable();
        let open: Vec<VarId> = group.iter().map(|&k| &states[k]).filter(|s| s.start.is_none()).map(|s| s.var).collect();
        let count = group.iter().filter(|&&k| is_missing[k]).count();
        if !open.iter().any(|&v| model.variable_excused(v)) {
            found.push(report::underdetermined(model, count, &open));
        }
    }
    found
}
