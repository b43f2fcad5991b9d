//! A system whose index is not reduced: what no equation determines without differentiation is an algebraic state, and the
//! equations that are left over are its residuals. Methods for stiff systems solve it as it is, with errors that grow with
//! the index of a variable (Hairer, Lubich, Roche, Lecture Notes in Mathematics 1409, 1989).
//!
//! Regularisation replaces 0 = g by
//!
//! ```text
//!   ξ z′ = ± g,     the sign opposite to that of ∂g/∂z at the start, so that z returns to g = 0
//! ```
//!
//! and where g does not depend on z, at an index above 1, by ξ z′ = g as it is written.

use super::blocks::Solved;
use super::combine::combine;
use super::differentiate::total;
use super::inlined::Inlined;
use super::matching::Matching;
use super::reduce::{Line, System, members, signature};
use super::signature::Offsets;
use super::structure::highest_indices;
use super::{
    Algebraic, Analysis, IndexTreatment, Invariant, MAX_ROUNDS, Sorted, State, blocks, columns, incidence,
    input_definitions,
};
use crate::{Given, Model, Role};
use ordinate_expr::{Decimal, Expr, ExprId, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

/// The system as it is written, with the start values of the reduced one.
pub(super) fn direct(
    mut model: Model,
    reduced: Sorted,
    analysis: &Analysis,
    treatment: IndexTreatment,
    mut diagnostics: Vec<Diagnostic>,
) -> (Sorted, Vec<Diagnostic>) {
    let regularise = match treatment {
        IndexTreatment::Reduce | IndexTreatment::Direct => None,
        IndexTreatment::Regularise(xi) => match Decimal::parse(&format!("{xi:e}")).as_deref() {
            Some(&[xi]) if xi != Decimal::ZERO => Some(xi),
            _ => {
                let message = format!("the factor {xi} of a regularisation must be a positive number");
                diagnostics
                    .push(Diagnostic::error("bad-value", Default::default(), message).help("use one such as 1e-3"));
                return (reduced, diagnostics);
            }
        },
    };
    if regularise.is_none() && reduced.invariants.is_empty() && analysis.system.offsets.c.iter().all(|&c| c == 0) {
        return (reduced, diagnostics);
    }
    // derivatives and start values that the analysis made belong to the model now
    model.graph = reduced.model.graph.clone();
    model.variables = reduced.model.variables.clone();
    model.quantities = reduced.model.quantities.clone();
    model.starts = reduced.model.starts.clone();
    let Some(Written { system, matching, solved, mut definitions }) =
        told_apart(&mut model, analysis, regularise.is_some())
    else {
        diagnostics.push(not_told_apart());
        return (reduced, diagnostics);
    };
    super::signed_powers::watch_roots(&mut model, &solved.roots);
    let mut algebraic = solved.algebraic;
    algebraic.extend(constraints(&mut model, &system, &matching));
    let starts: FxHashMap<VarId, ExprId> = model.starts.iter().map(|given| (given.var, given.value)).collect();
    let mut states = system.states;
    states.iter_mut().for_each(|state| state.start = starts.get(&state.var).copied());
    let indices = match regularise {
        Some(xi) => {
            diagnostics.push(super::report::regularised(&model, &algebraic));
            for algebraic in std::mem::take(&mut algebraic) {
                let state = regularised(&mut model, &algebraic, &mut definitions, xi);
                states.push(state);
            }
            Vec::new()
        }
        None => indices(&model, analysis, &states, &algebraic),
    };
    let invariants = match regularise {
        Some(_) => Vec::new(),
        None => hidden_constraints(&mut model, analysis, &states, &algebraic, &mut definitions),
    };
    definitions.resize(model.variables.len(), None);
    if let Some(diagnostic) = undefined(&mut model, &states, &algebraic, &definitions) {
        diagnostics.push(diagnostic);
        return (reduced, diagnostics);
    }
    // regularised variables belong to the quantities of the text like other states
    states.sort_by_key(|state| model.quantity(state.var).hidden);
    let visible = states.iter().filter(|state| !model.quantity(state.var).hidden).count();
    let leaf = |v: VarId| states.iter().any(|s| s.var == v) || algebraic.iter().any(|a| a.var == v);
    let given = |given: &&Given| !states.iter().any(|state| state.var == given.var);
    let known = |given: &&Given| leaf(given.var) || definitions[given.var.0 as usize].is_some();
    // a state of the reduced system may be an algebraic one here: its start value is a condition on the others
    let was_state = |given: &&Given| reduced.states.iter().any(|state| state.var == given.var);
    let stated = reduced.checks.iter().chain(model.starts.iter().filter(was_state));
    let checks: Vec<Given> = stated.filter(given).filter(known).copied().collect();
    let columns = columns::columns(&model, &states, &checks, &[]);
    let sorted = Sorted {
        model,
        states,
        visible,
        algebraic,
        invariants,
        indices,
        definitions,
        blocks: solved.blocks,
        columns,
        checks,
        structure: reduced.structure.clone(),
        ..Sorted::default()
    };
    (sorted, diagnostics)
}

/// The system without differentiation, its blocks solved.
struct Written {
    system: System,
    matching: Matching,
    solved: Solved,
    definitions: Vec<Option<ExprId>>,
}

/// Lines in which the same combination of unknowns stands, as in `x' + y' = a, x' + y' + z = b`, determine fewer of them
/// than they promise, even where the reduction had a use for each: one is replaced by a combination without these
/// unknowns, as often as it takes. `None` where there is none, or no end.
fn told_apart(model: &mut Model, analysis: &Analysis, regularise: bool) -> Option<Written> {
    let mut lines = analysis.lines.clone();
    for _ in 0..=MAX_ROUNDS.max(lines.len()) {
        let (system, matching) = as_written(model, &lines, &analysis.system.quantities);
        let mut definitions = input_definitions(model);
        match blocks::solve(model, &system, &matching, &mut definitions, regularise) {
            Ok(solved) => return Some(Written { system, matching, solved, definitions }),
            // that nothing is left of a line is no contradiction here: the reduced system has a solution
            Err(block) => combine(model, &mut lines, &system, &block).ok()?,
        }
    }
    None
}

/// The lines without differentiation, and which determines what; derivatives come first, so that what is left is
/// algebraic where possible.
fn as_written(model: &mut Model, lines: &[Line], quantities: &[usize]) -> (System, Matching) {
    let (matrix, _) = signature(model, lines, quantities);
    let mut d = vec![0; quantities.len()];
    matrix.rows.iter().flatten().for_each(|&(j, sigma)| d[j] = d[j].max(sigma));
    let (mut states, mut unknowns) = (Vec::new(), Vec::new());
    for (&quantity, &order) in quantities.iter().zip(&d) {
        let members = members(model, quantity, order);
        for k in 0..order as usize {
            states.push(State { var: members[k], derivative: members[k + 1], start: None });
        }
        unknowns.push(members[order as usize]);
    }
    states.sort_by_key(|state: &State| model.quantity(state.var).hidden);
    let position: FxHashMap<VarId, usize> = unknowns.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    let (incident, preferred) = incidence(model, lines, &position);
    let firm: Vec<bool> = unknowns.iter().map(|&v| model.variable(v).primes > 0).collect();
    let matching = Matching::new(incident, unknowns.len(), &preferred, &firm);
    let offsets = Offsets { c: vec![0; lines.len()], d };
    let base = (0..lines.len()).map(Some).collect();
    let system = System {
        lines: lines.to_vec(),
        base,
        unknowns,
        states,
        offsets,
        quantities: quantities.to_vec(),
        ..System::default()
    };
    (system, matching)
}

/// What no line determines, with the lines that determine nothing.
fn constraints(model: &mut Model, system: &System, matching: &Matching) -> Vec<Algebraic> {
    let pairs = matching.free_unknowns().into_iter().zip(matching.spare_equations());
    pairs
        .map(|(unknown, line)| {
            let Line { left, right, equation } = system.lines[line];
            Algebraic { var: system.unknowns[unknown], residual: model.graph.sub(left, right), equation }
        })
        .collect()
}

/// The derivatives of the constraints, as far as the system gives all that occurs in them: consistent start values keep to
/// them, too.
fn hidden_constraints(
    model: &mut Model,
    analysis: &Analysis,
    states: &[State],
    algebraic: &[Algebraic],
    definitions: &mut Vec<Option<ExprId>>,
) -> Vec<Invariant> {
    let leaves = states.iter().map(|state| state.var).chain(algebraic.iter().map(|algebraic| algebraic.var));
    let mut known: FxHashMap<VarId, bool> = leaves.map(|v| (v, true)).collect();
    let mut found = Vec::new();
    for &Algebraic { residual, equation, .. } in algebraic {
        let mut value = residual;
        for derivative in 1..=analysis.system.offsets.c[equation] {
            value = total(model, value);
            if !is_given(model, value, definitions, &mut known) {
                break;
            }
            found.push(Invariant { value, equation, derivative });
        }
    }
    found
}

/// Whether all variables of an expression are given; derivatives of definitions are made.
fn is_given(
    model: &mut Model,
    e: ExprId,
    definitions: &mut Vec<Option<ExprId>>,
    known: &mut FxHashMap<VarId, bool>,
) -> bool {
    for v in model.graph.variables(e) {
        if model.variable(v).role != Role::Unknown {
            continue;
        }
        if let Some(&given) = known.get(&v) {
            if given {
                continue;
            }
            return false;
        }
        // until it is found otherwise: a definition does not need itself
        known.insert(v, false);
        definitions.resize(model.variables.len(), None);
        if definitions[v.0 as usize].is_none() {
            let variable = model.variable(v);
            let below = (variable.primes as usize).checked_sub(1).and_then(|k| model.quantity(v).members[k]);
            let Some(value) = below.and_then(|below| definitions[below.0 as usize]) else { return false };
            let slope = total(model, value);
            definitions.resize(model.variables.len(), None);
            definitions[v.0 as usize] = Some(slope);
        }
        let given = definitions[v.0 as usize].is_some_and(|value| is_given(model, value, definitions, known));
        known.insert(v, given);
        if !given {
            return false;
        }
    }
    true
}

/// The index of y⁽ᵏ⁾ falls by one with each derivative below the highest.
fn indices(model: &Model, analysis: &Analysis, states: &[State], algebraic: &[Algebraic]) -> Vec<u8> {
    let system = &analysis.system;
    let highest = highest_indices(system, &analysis.matching, model);
    let mut position: FxHashMap<usize, usize> = FxHashMap::default();
    position.extend(system.quantities.iter().enumerate().map(|(j, &quantity)| (quantity, j)));
    let all = states.iter().map(|state| state.var).chain(algebraic.iter().map(|algebraic| algebraic.var));
    all.map(|v| {
        let variable = model.variable(v);
        let j = position[&variable.quantity];
        let below = system.offsets.d[j].saturating_sub(variable.primes);
        highest[j].saturating_sub(below).clamp(1, u32::from(u8::MAX)) as u8
    })
    .collect()
}

/// z becomes a state with z′ = ± g/ξ.
fn regularised(model: &mut Model, algebraic: &Algebraic, definitions: &mut Vec<Option<ExprId>>, xi: Decimal) -> State {
    let derivative = model.derivative_of(algebraic.var);
    definitions.resize(model.variables.len(), None);
    let g = Inlined::new(definitions, FxHashSet::default()).expression(model, algebraic.residual);
    let slope = model.graph.partial(g, algebraic.var);
    let given: FxHashMap<VarId, ExprId> =
        model.starts.iter().chain(&model.guesses).rev().map(|given| (given.var, given.value)).collect();
    let values: FxHashMap<VarId, f64> =
        given.into_iter().filter_map(|(v, value)| Some((v, model.constant(value)?))).collect();
    let known = &model.values;
    let at_start = model.graph.evaluate(slope, |leaf| match leaf {
        Expr::Var(v) => Some(known.get(&v).or(values.get(&v)).copied().unwrap_or(0.0)),
        Expr::Time => Some(0.0),
        _ => None,
    });
    let xi = model.graph.constant(xi);
    let rate = model.graph.div(algebraic.residual, xi);
    // The residual is left − right: of a line 0 = g it is −g.
    let zero = model.graph.integer(0);
    let as_written = at_start == Some(0.0) && model.equations[algebraic.equation].left == zero;
    let turned = as_written || at_start.is_some_and(|slope| slope > 0.0);
    let rate = if turned { model.graph.neg(rate) } else { rate };
    definitions[derivative.0 as usize] = Some(rate);
    let start = model.starts.iter().chain(&model.guesses).find(|given| given.var == algebraic.var);
    State { var: algebraic.var, derivative, start: start.map(|given| given.value) }
}

/// The reduced system has a solution, so the equations neither contradict nor repeat each other.
fn not_told_apart() -> Diagnostic {
    let message = "without differentiation, several equations determine the same combination of unknowns only";
    Diagnostic::error("index-direct", Default::default(), message).help("leave `--index direct` or `--regularise` out")
}

/// A derivative that an output or a switch asks for and that only differentiation gives.
fn undefined(
    model: &mut Model,
    states: &[State],
    algebraic: &[Algebraic],
    definitions: &[Option<ExprId>],
) -> Option<Diagnostic> {
    let mut known: Vec<bool> = definitions.iter().map(Option::is_some).collect();
    states.iter().for_each(|state| known[state.var.0 as usize] = true);
    algebraic.iter().for_each(|algebraic| known[algebraic.var.0 as usize] = true);
    let asked = super::reduce::asked(model);
    let v = asked.into_iter().find(|&v| model.variable(v).role == Role::Unknown && !known[v.0 as usize])?;
    let message = format!("`{}` follows only by differentiation of the equations", model.name(v));
    Some(Diagnostic::error("index-direct", model.variable(v).span, message).help("leave `--index direct` out"))
}
