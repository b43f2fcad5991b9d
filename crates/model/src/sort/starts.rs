//! Start values: which states have one, which follow from the invariants, and what is missing.

use super::matching::Matching;
use super::{Algebraic, Invariant, State, Structure, report};
use crate::{Given, Model, Role};
use ordinate_expr::{ExprId, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

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
    let degrees_of_freedom = states.len() - known.invariants.len().min(states.len());
    let structure = Structure { index: known.index, degrees_of_freedom, free, follows };
    (states, checks, structure)
}

/// Which invariant gives which state: an invariant stands in the rows, a state in the columns.
fn dependence(model: &mut Model, states: &[State], known: &Known) -> Matching {
    let position: FxHashMap<VarId, usize> = states.iter().enumerate().map(|(k, state)| (state.var, k)).collect();
    let mut reached = Reached { position, definitions: known.definitions, of: FxHashMap::default() };
    let incident: Vec<Vec<usize>> =
        known.invariants.iter().map(|invariant| reached.states(model, invariant.value)).collect();
    let none = vec![None; incident.len()];
    let open: Vec<bool> = states.iter().map(|state| state.start.is_none()).collect();
    Matching::new(incident, states.len(), &none, &open)
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
