//! Index reduction to the underlying system with invariants: equation i is differentiated cᵢ times (`signature.rs`), the
//! highest derivatives are what is solved for, everything below is a state, and each less differentiated version of a
//! differentiated equation is an invariant, which the driver holds the solution to.
//!
//! No state is chosen to be dependent, so no choice can become singular on the way, and every method can solve the
//! result. A differentiated equation that is explicit, such as `x' = v` or `u = x^2`, needs no invariant: what it gives is
//! put in with its derivatives.

use super::differentiate::{Jump, jump, total};
use super::joints::Switches;
use super::proof::divisor;
use super::signature::{Offsets, Signature};
use super::{Invariant, State, report};
use crate::{Model, Role, Watch};
use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::FxHashSet;

/// Differentiation makes expressions longer: beyond so many it has got out of hand.
const MAX_EXPRESSIONS: usize = 4_000_000;

/// An equation as it is solved: that of the model, a derivative of it, or a combination of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub left: ExprId,
    pub right: ExprId,
    /// Where it comes from, an index into [`Model::equations`].
    pub equation: usize,
}

/// The system whose unknowns are the highest derivatives.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub lines: Vec<Line>,
    /// For each line that determines a highest derivative the line that it is the derivative of.
    pub base: Vec<Option<usize>>,
    pub unknowns: Vec<VarId>,
    pub states: Vec<State>,
    pub invariants: Vec<Invariant>,
    /// By line before differentiation, and by position in `quantities`.
    pub offsets: Offsets,
    /// Indices into [`Model::quantities`].
    pub quantities: Vec<usize>,
}

/// The quantities that the equations determine.
pub(super) fn determined(model: &Model) -> Vec<usize> {
    let unknown = |k: &usize| {
        let highest = model.quantities[*k].members.iter().flatten().next_back();
        highest.is_some_and(|&v| model.variable(v).role == Role::Unknown)
    };
    (0..model.quantities.len()).filter(|&k| !model.quantities[k].reported).filter(unknown).collect()
}

/// The signature matrix of lines, and the quantity that each is written for.
pub(super) fn signature(model: &mut Model, lines: &[Line], quantities: &[usize]) -> (Signature, Vec<Option<usize>>) {
    let mut position = vec![None; model.quantities.len()];
    quantities.iter().enumerate().for_each(|(j, &quantity)| position[quantity] = Some(j));
    let (mut rows, mut preferred) = (Vec::with_capacity(lines.len()), Vec::with_capacity(lines.len()));
    for line in lines {
        let right = model.graph.variables(line.right);
        let mut row: Vec<(usize, u32)> = Vec::new();
        for v in right.iter().copied().chain(model.graph.variables(line.left)) {
            let variable = model.variable(v);
            let j = position[variable.quantity].filter(|_| variable.role == Role::Unknown);
            row.extend(j.map(|j| (j, variable.primes)));
        }
        row.sort_unstable_by_key(|&(j, sigma)| (j, std::cmp::Reverse(sigma)));
        row.dedup_by_key(|&mut (j, _)| j);
        rows.push(row);
        preferred.push(match model.graph.node(line.left) {
            Expr::Var(v) if right.binary_search(&v).is_err() => position[model.variable(v).quantity],
            _ => None,
        });
    }
    (Signature { rows, columns: quantities.len() }, preferred)
}

/// The variables that something besides the equations asks for.
pub(super) fn asked(model: &mut Model) -> Vec<VarId> {
    let mut roots: Vec<ExprId> = Vec::new();
    for switch in &model.switches {
        match switch.watch {
            Watch::Sign(g) | Watch::Floor(g) => roots.push(g),
            Watch::Segment(_) => {}
        }
    }
    for action in &model.actions {
        for &(target, value) in &action.assignments {
            roots.extend([model.graph.variable(target), value]);
        }
    }
    // A start value is compared with what the equations say, also where they lost the derivative it belongs to: m x'' with m = 0.
    let stated = model.starts.iter().map(|given| given.var);
    let mut found: Vec<VarId> =
        stated.filter(|&v| model.variable(v).role == Role::Unknown).chain(model.outputs.iter().copied()).collect();
    for root in roots {
        found.extend(model.graph.variables(root));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The highest derivative of each quantity that something besides the equations asks for.
fn needed(model: &mut Model, quantities: &[usize]) -> Vec<u32> {
    let mut most = vec![0; model.quantities.len()];
    for v in asked(model) {
        let variable = model.variable(v);
        most[variable.quantity] = most[variable.quantity].max(variable.primes);
    }
    quantities.iter().map(|&quantity| most[quantity]).collect()
}

/// What a differentiated line gives explicitly: y⁽ᵖ⁾ = value.
#[derive(Clone, Copy, Debug)]
struct Explicit {
    line: usize,
    p: u32,
    /// How often it is differentiated.
    c: u32,
    value: ExprId,
}

/// Reduces the index. `Ok(None)`: structurally singular. `free`: names for messages, what could not be determined
/// without differentiation. `kept`: quantities for which nothing is put in.
pub(super) fn reduce(
    model: &mut Model,
    lines: &[Line],
    free: &[VarId],
    kept: &FxHashSet<usize>,
) -> Result<Option<System>, Diagnostic> {
    let quantities = determined(model);
    let (matrix, preferred) = signature(model, lines, &quantities);
    let needed = needed(model, &quantities);
    let Some(offsets) = matrix.offsets(&preferred, &needed) else { return Ok(None) };
    let explicit = explicit_lines(model, lines, &matrix, &preferred, &offsets, &quantities, kept);
    check_jumps(model, lines, &offsets.c, &asked_for(&matrix, &explicit), free)?;
    let mut system = System { quantities, ..System::default() };
    let mut taken = vec![false; lines.len()];
    for (j, &quantity) in system.quantities.clone().iter().enumerate() {
        let d = offsets.d[j];
        let below = explicit[j].map_or(d, |explicit| explicit.p);
        let members = members(model, quantity, d);
        for k in 0..below as usize {
            system.states.push(State { var: members[k], derivative: members[k + 1], start: None });
        }
        let Some(Explicit { line, p, value, .. }) = explicit[j] else {
            system.unknowns.push(members[d as usize]);
            continue;
        };
        taken[line] = true;
        let mut value = value;
        for k in p..=d {
            let left = model.graph.variable(members[k as usize]);
            system.unknowns.push(members[k as usize]);
            system.lines.push(Line { left, right: value, equation: lines[line].equation });
            system.base.push((k == d).then_some(line));
            if k < d {
                value = total(model, value);
                check_size(model, &lines[line])?;
            }
        }
    }
    for (i, line) in lines.iter().enumerate().filter(|&(i, _)| !taken[i]) {
        let mut top = *line;
        for derivative in 0..offsets.c[i] {
            let value = model.graph.sub(top.left, top.right);
            system.invariants.push(Invariant { value, equation: line.equation, derivative });
            top = Line { left: total(model, value), right: model.graph.integer(0), ..*line };
            check_size(model, line)?;
        }
        system.lines.push(top);
        system.base.push(Some(i));
    }
    system.states.sort_by_key(|state| model.quantity(state.var).hidden);
    system.offsets = offsets;
    Ok(Some(system))
}

/// y, y′, … y⁽ᵈ⁾ of a quantity.
pub(super) fn members(model: &mut Model, quantity: usize, d: u32) -> Vec<VarId> {
    let first = model.quantities[quantity].members[0].expect("a quantity has its lower derivatives");
    let mut list = vec![first];
    for k in 0..d as usize {
        list.push(model.derivative_of(list[k]));
    }
    list
}

fn check_size(model: &Model, line: &Line) -> Result<(), Diagnostic> {
    if model.graph.len() <= MAX_EXPRESSIONS {
        return Ok(());
    }
    let span = model.equations[line.equation].span;
    let message = "the derivatives of this equation, which index reduction needs, become too long";
    Err(Diagnostic::error("too-large", span, message).help("write the model with a lower index"))
}

/// Refuses lines that jump and are differentiated. Where the solution makes a constraint jump the driver sees it, since the
/// constraint is an invariant; where a derivative stands in the text, nothing is compared with what it is the derivative of, so
/// all branches must be proved to meet. Expressions that only the check needs stay out of the model.
fn check_jumps(
    model: &mut Model,
    lines: &[Line],
    times: &[u32],
    asked_for: &[u32],
    free: &[VarId],
) -> Result<(), Diagnostic> {
    let mut scratch: Option<Model> = None;
    for ((line, &c), &asked_for) in lines.iter().zip(times).zip(asked_for).filter(|((_, c), _)| **c > 0) {
        let inside = [line.left, line.right].map(|side| model.graph.variables(side)).concat();
        if inside.iter().all(|&v| matches!(model.variable(v).role, Role::Parameter | Role::Unknown)) {
            continue;
        }
        let scratch = scratch.get_or_insert_with(|| model.clone());
        let value = scratch.graph.sub(line.left, line.right);
        let found = jump(scratch, value, c, Switches::OfTime)
            .or_else(|| jump(scratch, value, asked_for, Switches::All).filter(|_| asked_for > 0));
        model.structural.clone_from(&scratch.structural);
        match found {
            None => {}
            Some(Jump::Of(v)) if model.variable(v).role == Role::Delayed => {
                return Err(report::delay_differentiated(model, line.equation, v, free));
            }
            Some(found) => {
                let what = match found {
                    Jump::Of(v) => Some(model.name(v)),
                    Jump::Branch => None,
                };
                return Err(report::impulse(model, line.equation, what, c, free));
            }
        }
    }
    Ok(())
}

/// How often each line is differentiated because derivatives of what it gives stand in the text, or in what is differentiated for
/// that reason.
fn asked_for(matrix: &Signature, explicit: &[Option<Explicit>]) -> Vec<u32> {
    let mut order = vec![0; explicit.len()];
    let mut times = vec![0; matrix.rows.len()];
    matrix.rows.iter().flatten().for_each(|&(j, sigma)| order[j] = order[j].max(sigma));
    // definitions are in no circle, so this ends
    loop {
        let mut changed = false;
        for (j, explicit) in explicit.iter().enumerate() {
            let Some(Explicit { line, p, .. }) = *explicit else { continue };
            if order[j] > p + times[line] {
                times[line] = order[j] - p;
                changed = true;
                for &(other, sigma) in matrix.rows[line].iter().filter(|&&(other, _)| other != j) {
                    order[other] = order[other].max(sigma + times[line]);
                }
            }
        }
        if !changed {
            return times;
        }
    }
}

/// For each quantity the differentiated line that gives it explicitly, if there is one: not in a circle.
fn explicit_lines(
    model: &mut Model,
    lines: &[Line],
    matrix: &Signature,
    preferred: &[Option<usize>],
    offsets: &Offsets,
    quantities: &[usize],
    kept: &FxHashSet<usize>,
) -> Vec<Option<Explicit>> {
    let mut chosen = Chosen::new(quantities.len());
    let started: FxHashSet<VarId> = model.starts.iter().map(|given| given.var).collect();
    let mut differentiated: Vec<usize> = (0..lines.len()).filter(|&i| offsets.c[i] > 0).collect();
    // constraints first, then definitions: x from 0 = x - sin(t) before x' from x' = v
    differentiated.sort_by_key(|&i| (std::cmp::Reverse(offsets.c[i]), preferred[i].is_none()));
    for i in differentiated {
        let row = &matrix.rows[i];
        let tight = |&(j, sigma): &(usize, u32)| sigma + offsets.c[i] == offsets.d[j];
        let mut candidates: Vec<(usize, u32)> = row.iter().copied().filter(tight).collect();
        let written = match model.graph.node(lines[i].left) {
            Expr::Var(v) if preferred[i].is_some() => Some(v),
            _ => None,
        };
        // x' before v in 0 = x' - v: the names of the text stay states, above all those with a start value
        let key = |j: usize, p: u32| {
            let v = model.quantities[quantities[j]].members.get(p as usize).copied().flatten();
            (written.is_none() || v != written, v.is_some_and(|v| started.contains(&v)))
        };
        candidates.sort_by_key(|&(j, sigma)| (key(j, sigma), std::cmp::Reverse(sigma)));
        for (j, p) in candidates {
            if chosen.of[j].is_some() || kept.contains(&quantities[j]) {
                continue;
            }
            let v = members(model, quantities[j], p)[p as usize];
            let value = match written == Some(v) {
                true => Some(lines[i].right),
                false => isolated(model, &lines[i], v),
            };
            let explicit = value.map(|value| Explicit { line: i, p, c: offsets.c[i], value });
            if explicit.is_some_and(|explicit| chosen.try_add(j, explicit, row)) {
                break;
            }
        }
    }
    chosen.of
}

/// v from a line in which it stands with a constant coefficient only.
pub(super) fn isolated(model: &mut Model, line: &Line, v: VarId) -> Option<ExprId> {
    let residual = model.graph.sub(line.left, line.right);
    let slope = model.graph.partial(residual, v);
    divisor(model, slope)?;
    let zero = model.graph.integer(0);
    let rest = model.graph.substitute(residual, |w| (w == v).then_some(zero));
    let quotient = model.graph.div(rest, slope);
    Some(model.graph.neg(quotient))
}

/// Explicit lines chosen so far.
struct Chosen {
    of: Vec<Option<Explicit>>,
    /// The other quantities in the line of each chosen one, with the highest derivatives that it comes to need.
    needs: Vec<Vec<(usize, u32)>>,
    /// The highest derivative of each quantity that a chosen line needs.
    needed: Vec<Option<u32>>,
}

impl Chosen {
    fn new(n: usize) -> Chosen {
        Chosen { of: vec![None; n], needs: vec![Vec::new(); n], needed: vec![None; n] }
    }

    /// Adds a line unless a definition would need itself.
    fn try_add(&mut self, j: usize, explicit: Explicit, row: &[(usize, u32)]) -> bool {
        if self.of[j].is_some() {
            return false;
        }
        // lower derivatives of y itself lead down to its states
        self.needs[j] = row.iter().filter(|&&(l, _)| l != j).map(|&(l, q)| (l, q + explicit.c)).collect();
        self.of[j] = Some(explicit);
        // nobody needs it: then no circle can go through it
        if self.needed[j].is_some_and(|q| q >= explicit.p) && self.reaches_itself(j) {
            self.of[j] = None;
            return false;
        }
        for &(l, q) in &self.needs[j] {
            self.needed[l] = self.needed[l].max(Some(q));
        }
        true
    }

    fn reaches_itself(&self, start: usize) -> bool {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut open = vec![start];
        while let Some(j) = open.pop() {
            for &(l, q) in &self.needs[j] {
                if self.of[l].is_some_and(|explicit| q >= explicit.p) {
                    if l == start {
                        return true;
                    }
                    if seen.insert(l) {
                        open.push(l);
                    }
                }
            }
        }
        false
    }
}
