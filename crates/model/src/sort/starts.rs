//! Start values: which states have one, which follow from the invariants, and what is missing.

use super::matching::Matching;
use super::probe::{Known as Parameters, vanishes};
use super::residue::{Residue, echelon};
use super::{Algebraic, Invariant, State, Structure, report};
use crate::{Given, Model, Role};
use ordinate_expr::{ExprId, VarId};
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

/// Attaches start values to states; those of other variables are superfluous, or checks where the equations are
/// differential-algebraic or implicit. Each invariant can give one state: those without a start value first.
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
    let matching = dependence(model, &states, known);
    let (mut free, mut follows, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let mut loose: Vec<State> = Vec::new();
    for (k, state) in states.iter().enumerate() {
        if matching.equation_of[k].is_some() {
            follows.push(state.var);
            continue;
        }
        free.push(state.var);
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
    for k in 0..model.starts.len() {
        let given = model.starts[k];
        let variable = model.variable(given.var);
        if is_state[given.var.0 as usize] || variable.role != Role::Unknown {
            continue;
        }
        let unsolved = known.algebraic.iter().any(|algebraic| algebraic.var == given.var);
        if known.index == 0 && !unsolved && (variable.primes > 0 || written.contains(&given.var)) {
            if !model.variable_excused(given.var) {
                diagnostics.push(report::superfluous_start(model, &given));
            }
        } else {
            checks.push(given);
        }
    }
    let structure = Structure { index: known.index, degrees_of_freedom: free.len(), free, follows };
    (states, checks, structure)
}

/// Which invariant gives which state: an invariant stands in the rows, a state in the columns.
fn dependence(model: &mut Model, states: &[State], known: &Known) -> Matching {
    let position: FxHashMap<VarId, usize> = states.iter().enumerate().map(|(k, state)| (state.var, k)).collect();
    let mut reached = Reached { position, definitions: known.definitions, of: FxHashMap::default() };
    let incident: Vec<Vec<usize>> =
        known.invariants.iter().map(|invariant| reached.states(model, invariant.value)).collect();
    let open: Vec<bool> = states.iter().map(|state| state.start.is_none()).collect();
    if incident.is_empty() || incident.len() > MAX_EXACT {
        let none = vec![None; incident.len()];
        return Matching::new(incident, states.len(), &none, &open);
    }
    // those without a start value are to follow, as far as they can, and derivatives rather than what has a plain name
    let mut order: Vec<usize> = (0..states.len()).collect();
    order.sort_by_key(|&k| (!open[k], std::cmp::Reverse(model.variable(states[k].var).primes)));
    let matrix = slopes(model, states, known, &incident);
    let (rows, pivots) = echelon(matrix, &order);
    let entries = |row: &Vec<Residue>| (0..states.len()).filter(|&k| row[k] != Residue::ZERO).collect();
    let pairs: Vec<Option<usize>> = pivots.into_iter().map(Some).collect();
    Matching::new(rows.iter().map(entries).collect(), states.len(), &pairs, &open)
}

/// The derivatives of the invariants by the states, in a point that has nothing special: x + y and x + y + 2·z say that z
/// follows, which the pattern does not.
fn slopes(model: &mut Model, states: &[State], known: &Known, incident: &[Vec<usize>]) -> Vec<Vec<Residue>> {
    let parameters = Parameters::of(model);
    let is_state: FxHashSet<VarId> = states.iter().map(|state| state.var).collect();
    let mut inlined = Inlined { is_state, definitions: known.definitions, of: FxHashMap::default() };
    let mut matrix = Vec::with_capacity(incident.len());
    for (invariant, list) in known.invariants.iter().zip(incident) {
        let value = inlined.expression(model, invariant.value);
        let mut row = vec![Residue::ZERO; states.len()];
        for &k in list {
            let slope = model.graph.partial(value, states[k].var);
            if !vanishes(&mut model.graph, slope, &parameters) {
                // equal functions are equal numbers
                let other = || Residue::random((1 << 40) + u64::from(slope.0));
                row[k] = parameters.residue(&mut model.graph, slope).unwrap_or_else(other);
            }
        }
        matrix.push(row);
    }
    matrix
}

/// Expressions of states, definitions put in.
struct Inlined<'a> {
    is_state: FxHashSet<VarId>,
    definitions: &'a [Option<ExprId>],
    of: FxHashMap<VarId, ExprId>,
}

impl Inlined<'_> {
    /// The depth of the recursion is that of `Reached`.
    fn expression(&mut self, model: &mut Model, e: ExprId) -> ExprId {
        for v in model.graph.variables(e) {
            let definition = self.definitions.get(v.0 as usize).copied().flatten();
            if let Some(definition) = definition.filter(|_| !self.is_state.contains(&v) && !self.of.contains_key(&v)) {
                let value = self.expression(model, definition);
                self.of.insert(v, value);
            }
        }
        model.graph.substitute(e, |v| self.of.get(&v).copied())
    }
}

/// The states that an expression depends on, through definitions.
struct Reached<'a> {
    position: FxHashMap<VarId, usize>,
    definitions: &'a [Option<ExprId>],
    of: FxHashMap<VarId, Vec<usize>>,
}

impl Reached<'_> {
    /// The depth of the recursion is that of the named expressions of the user, which are not circular.
    fn states(&mut self, model: &mut Model, e: ExprId) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for v in model.graph.variables(e) {
            if let Some(&k) = self.position.get(&v) {
                found.push(k);
            } else if let Some(definition) = self.definitions.get(v.0 as usize).copied().flatten() {
                if !self.of.contains_key(&v) {
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
