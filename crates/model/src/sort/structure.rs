//! The index of a system: of the whole, and of each variable.

use super::Algebraic;
use super::matching::Matching;
use super::pencil;
use super::reduce::{Line, System, determined, members, signature};
use super::signature::{Offsets, Signature};
use crate::Model;
use ordinate_expr::{Expr, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The index of linear equations with constant coefficients; of others the structural one (Pryce): so many differentiations as
/// some equation needs, and one more than the equations behind a quantity without a derivative of its own (dⱼ = 0). It is that
/// of the equations as they are written, whatever was put in. A named expression, `z = …`, is no reason to call ordinary
/// differential equations differential-algebraic: it counts only where it names what is known after differentiation.
pub(super) fn index(
    model: &mut Model,
    lines: &[Line],
    system: &System,
    matching: &Matching,
    unsolved: &[Algebraic],
) -> u32 {
    let unsolved: FxHashSet<VarId> = unsolved.iter().map(|algebraic| algebraic.var).collect();
    let as_it_is = model.named_derivatives.is_empty() && system.offsets.c.iter().all(|&c| c == 0);
    let promised = match (!as_it_is).then(|| Written::of(model, lines)).flatten() {
        Some(Written { lines, unknowns, offsets, matching }) => {
            let view = View { lines: &lines, unknowns: &unknowns, matching: &matching };
            view.index(model, &offsets.c, &offsets.d, &unsolved)
        }
        // as it is, or derivatives of functions of time were combined with other equations
        None => {
            let position = positions(system);
            let c: Vec<u32> = system.base.iter().map(|base| base.map_or(0, |i| system.offsets.c[i])).collect();
            let place = |&v: &VarId| system.offsets.d[position[&model.variable(v).quantity]];
            let d: Vec<u32> = system.unknowns.iter().map(place).collect();
            View { lines: &system.lines, unknowns: &system.unknowns, matching }.index(model, &c, &d, &unsolved)
        }
    };
    match promised > 0 {
        true => pencil::index(model).unwrap_or(promised),
        false => 0,
    }
}

/// The equations before anything is put in: derivatives of named functions of time are derivatives again.
struct Written {
    lines: Vec<Line>,
    unknowns: Vec<VarId>,
    offsets: Offsets,
    matching: Matching,
}

impl Written {
    fn of(model: &mut Model, lines: &[Line]) -> Option<Written> {
        let named = model.named_derivatives.clone();
        let is_derivative = |quantity: usize| named.iter().find(|derivative| derivative.quantity == quantity);
        let all = determined(model);
        let (matrix, preferred) = signature(model, lines, &all);
        let mut place = vec![0; all.len()];
        let kept: Vec<usize> = (0..all.len()).filter(|&j| is_derivative(all[j]).is_none()).collect();
        kept.iter().enumerate().for_each(|(to, &j)| place[j] = to);
        let position: FxHashMap<usize, usize> = kept.iter().map(|&j| (all[j], place[j])).collect();
        let mut written = Signature { rows: Vec::new(), columns: kept.len() };
        let (mut wishes, mut own) = (Vec::new(), Vec::new());
        for (i, row) in matrix.rows.iter().enumerate() {
            if named.iter().any(|derivative| derivative.equation == lines[i].equation) {
                continue;
            }
            let back = |&(j, sigma): &(usize, u32)| match is_derivative(all[j]) {
                Some(derivative) => Some((*position.get(&derivative.of)?, derivative.primes)),
                None => Some((place[j], sigma)),
            };
            let mut row = row.iter().map(back).collect::<Option<Vec<(usize, u32)>>>()?;
            row.sort_unstable_by_key(|&(j, sigma)| (j, std::cmp::Reverse(sigma)));
            row.dedup_by_key(|&mut (j, _)| j);
            written.rows.push(row);
            wishes.push(preferred[i].filter(|&j| is_derivative(all[j]).is_none()).map(|j| place[j]));
            own.push(lines[i]);
        }
        let offsets = written.offsets(&wishes, &vec![0; kept.len()])?;
        let tight = |(i, row): (usize, &Vec<(usize, u32)>)| {
            row.iter().filter(|&&(j, sigma)| sigma + offsets.c[i] == offsets.d[j]).map(|&(j, _)| j).collect()
        };
        let incident: Vec<Vec<usize>> = written.rows.iter().enumerate().map(tight).collect();
        let wishes: Vec<Option<usize>> =
            wishes.iter().zip(&incident).map(|(wish, row)| wish.filter(|j| row.contains(j))).collect();
        let unknowns: Vec<VarId> = kept.iter().map(|&j| members(model, all[j], 0)[0]).collect();
        let firm: Vec<bool> = unknowns.iter().map(|&v| model.quantity(v).declared).collect();
        let matching = Matching::new(incident, kept.len(), &wishes, &firm);
        Some(Written { lines: own, unknowns, offsets, matching })
    }
}

/// What determines the highest derivatives, and what has none.
struct View<'a> {
    lines: &'a [Line],
    unknowns: &'a [VarId],
    matching: &'a Matching,
}

impl View<'_> {
    /// `c` by line, `d` by unknown.
    fn index(&self, model: &Model, c: &[u32], d: &[u32], unsolved: &FxHashSet<VarId>) -> u32 {
        let mut most = c.iter().copied().max().unwrap_or(0);
        for (k, behind) in self.matching.behind(|line| c[line]).into_iter().enumerate() {
            let (v, Some(line)) = (self.unknowns[k], self.matching.equation_of[k]) else { continue };
            let names = model.graph.node(self.lines[line].left) == Expr::Var(v) && !unsolved.contains(&v);
            // x = cos(y), y = sin(x) names nothing
            if d[k] == 0 && !(behind == 0 && names) {
                most = most.max(1 + behind);
            }
        }
        most
    }
}

fn positions(system: &System) -> FxHashMap<usize, usize> {
    system.quantities.iter().enumerate().map(|(j, &quantity)| (quantity, j)).collect()
}

/// The index of the highest derivative of each quantity, by position: one more than the differentiations of its block and
/// of the blocks it needs.
pub(super) fn highest_indices(system: &System, matching: &Matching, model: &Model) -> Vec<u32> {
    let position = positions(system);
    let place = |v: VarId| position[&model.variable(v).quantity];
    let mut found = vec![1; system.quantities.len()];
    let behind = matching.behind(|e| system.base[e].map_or(0, |i| system.offsets.c[i]));
    for (&v, behind) in system.unknowns.iter().zip(behind) {
        if model.variable(v).primes == system.offsets.d[place(v)] {
            found[place(v)] = 1 + behind;
        }
    }
    found
}
