//! The index of a system: of the whole, and of each variable.

use super::Algebraic;
use super::matching::Matching;
use super::pencil;
use super::reduce::{Line, System, signature};
use crate::Model;
use ordinate_expr::{Expr, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The index of linear equations with constant coefficients; of others the structural index max cᵢ, plus 1 if some quantity has
/// no derivative to be solved for (dⱼ = 0). A named expression, `z = …`, is no reason to call ordinary differential equations
/// differential-algebraic: it counts only where it names what is known after differentiation.
pub(super) fn index(
    model: &mut Model,
    lines: &[Line],
    system: &System,
    matching: &Matching,
    unsolved: &[Algebraic],
) -> u32 {
    let offsets = &system.offsets;
    let most = offsets.c.iter().copied().max().unwrap_or(0);
    let mut position: FxHashMap<usize, usize> = FxHashMap::default();
    position.extend(system.quantities.iter().enumerate().map(|(j, &quantity)| (quantity, j)));
    let (matrix, _) = match most {
        0 => Default::default(),
        _ => signature(model, lines, &system.quantities),
    };
    let unsolved: FxHashSet<VarId> = unsolved.iter().map(|algebraic| algebraic.var).collect();
    let algebraic = system.unknowns.iter().enumerate().any(|(k, &v)| {
        let j = position[&model.variable(v).quantity];
        if offsets.d[j] > 0 {
            return false;
        }
        let Some(line) = matching.equation_of[k] else { return false };
        let named = model.graph.node(system.lines[line].left) == Expr::Var(v);
        let of_highest = || {
            let row = system.base[line].map(|i| (i, &matrix.rows[i]));
            row.is_some_and(|(i, row)| {
                row.iter().any(|&(l, sigma)| l != j && sigma + offsets.c[i] == offsets.d[l] && offsets.d[l] > 0)
            })
        };
        // x = cos(y), y = sin(x) names nothing
        !named || unsolved.contains(&v) || most > 0 && of_highest()
    });
    let promised = most + u32::from(algebraic);
    match promised > 0 {
        true => pencil::index(model).unwrap_or(promised),
        false => 0,
    }
}

/// The index of the highest derivative of each quantity, by position: one more than the differentiations of its block and
/// of the blocks it needs.
pub(super) fn highest_indices(system: &System, matching: &Matching, model: &Model) -> Vec<u32> {
    let mut position: FxHashMap<usize, usize> = FxHashMap::default();
    position.extend(system.quantities.iter().enumerate().map(|(j, &quantity)| (quantity, j)));
    let place = |v: VarId| position[&model.variable(v).quantity];
    let mut found = vec![1; system.quantities.len()];
    let mut of_unknown = vec![1; system.unknowns.len()];
    for block in matching.components() {
        let mut index = 1;
        for &e in &block {
            index = index.max(system.base[e].map_or(1, |i| 1 + system.offsets.c[i]));
            index = matching.incident[e].iter().map(|&u| of_unknown[u]).fold(index, u32::max);
        }
        for &u in block.iter().filter_map(|&e| matching.unknown_of[e].as_ref()) {
            of_unknown[u] = index;
            let (v, j) = (system.unknowns[u], place(system.unknowns[u]));
            if model.variable(v).primes == system.offsets.d[j] {
                found[j] = index;
            }
        }
    }
    found
}
