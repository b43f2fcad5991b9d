//! Auxiliary states that only one branch of an `if` needs. Elsewhere they may not exist (√x for x < 0), so there they
//! rest at 1, and what the other branch would add to their derivatives is left out.

use super::Closed;
use super::polynomial::Polynomial;
use super::symbols::{Kind, Symbols};
use ordinate_expr::{ExprId, Graph};
use std::collections::BTreeSet;

/// Conditions that hold together; without any it is everywhere.
pub type Branch = BTreeSet<(ExprId, bool)>;

/// More branches than this are replaced by what they have in common.
const MOST_BRANCHES: usize = 8;

/// Finds the branches of the auxiliary states and drops what they make superfluous: terms of other branches, and states
/// that nothing needs any more.
pub fn prune(table: &Symbols, closed: &mut Closed, visible: usize) {
    loop {
        let branches = used_in(table, closed, visible);
        let mut dropped = false;
        for (terms, own) in closed.equations.iter_mut().zip(&branches).skip(visible) {
            for (coefficient, _) in &mut *terms {
                let before = coefficient.len();
                coefficient.0.retain(|m, _| {
                    let conditions = conditions(table, m);
                    own.iter().any(|branch| conditions.iter().all(|&(c, truth)| !branch.contains(&(c, !truth))))
                });
                dropped |= coefficient.len() < before;
            }
            terms.retain(|(coefficient, _)| !coefficient.is_zero());
        }
        let needed: Vec<bool> = branches.iter().enumerate().map(|(k, b)| k < visible || !b.is_empty()).collect();
        if needed.contains(&false) {
            remove(closed, &needed);
        } else if !dropped {
            for (terms, own) in closed.equations.iter_mut().zip(&branches).skip(visible) {
                strip(table, terms, own);
            }
            closed.branches = branches[visible..].to_vec();
            return;
        }
    }
}

/// The choices among the factors of a constant.
fn conditions(table: &Symbols, m: &super::Monomial) -> Branch {
    let choices = m.0.iter().filter_map(|&(s, _)| match *table.kind(s) {
        Kind::Choice(condition, truth) => Some((condition, truth)),
        _ => None,
    });
    choices.collect()
}

fn used_in(table: &Symbols, closed: &Closed, visible: usize) -> Vec<BTreeSet<Branch>> {
    let mut used: Vec<BTreeSet<Branch>> = vec![BTreeSet::new(); closed.set.len()];
    used[..visible].iter_mut().for_each(|everywhere| _ = everywhere.insert(Branch::new()));
    let mut again = true;
    while again {
        again = false;
        for k in 0..closed.set.len() {
            let own = used[k].clone();
            for (coefficient, factors) in &closed.equations[k] {
                for constant in coefficient.0.keys() {
                    let conditions = conditions(table, constant);
                    for &f in factors.iter().filter(|&&f| f >= visible) {
                        let both = own.iter().map(|branch| branch.union(&conditions).copied().collect::<Branch>());
                        let possible = both.filter(|b| b.iter().all(|&(c, truth)| !b.contains(&(c, !truth))));
                        again |= add(&mut used[f], possible);
                    }
                }
            }
        }
    }
    used
}

fn add(used: &mut BTreeSet<Branch>, new: impl Iterator<Item = Branch>) -> bool {
    let before = used.clone();
    for branch in new {
        if used.iter().any(|known| known.is_subset(&branch)) {
            continue;
        }
        used.retain(|known| !branch.is_subset(known));
        used.insert(branch);
        if used.len() > MOST_BRANCHES {
            let common = used.iter().cloned().reduce(|a, b| a.intersection(&b).copied().collect());
            *used = common.into_iter().collect();
        }
    }
    *used != before
}

/// Leaves out the factors that the only branch of a state makes 1.
fn strip(table: &Symbols, terms: &mut [(Polynomial, Vec<usize>)], own: &BTreeSet<Branch>) {
    let Some(branch) = own.first().filter(|_| own.len() == 1) else { return };
    for (coefficient, _) in terms {
        let inside = |s| matches!(*table.kind(s), Kind::Choice(c, truth) if branch.contains(&(c, truth)));
        // two terms never become one by this: they would differ in a choice that excludes one of them
        let terms = std::mem::take(&mut coefficient.0);
        coefficient.0 = terms.into_iter().map(|(m, c)| (m.split(inside).1, c)).collect();
    }
}

fn remove(closed: &mut Closed, needed: &[bool]) {
    let mut number = 0;
    let new: Vec<usize> = needed
        .iter()
        .map(|&needed| {
            number += usize::from(needed);
            number.wrapping_sub(1)
        })
        .collect();
    let mut keep = needed.iter();
    closed.set.retain(|_| *keep.next().expect("one per state"));
    let mut keep = needed.iter();
    closed.equations.retain(|_| *keep.next().expect("one per state"));
    for (_, factors) in closed.equations.iter_mut().flatten() {
        factors.iter_mut().for_each(|f| *f = new[*f]);
    }
}

/// The condition under which an auxiliary state must exist, if that is not always.
pub fn guard(g: &mut Graph, branches: &BTreeSet<Branch>) -> Option<ExprId> {
    if branches.iter().any(BTreeSet::is_empty) {
        return None;
    }
    let mut any: Option<ExprId> = None;
    for branch in branches {
        let mut all: Option<ExprId> = None;
        for &(condition, truth) in branch {
            let c = if truth { condition } else { g.not(condition) };
            all = Some(all.map_or(c, |before| g.and(before, c)));
        }
        let all = all.expect("no branch is empty");
        any = Some(any.map_or(all, |before| g.or(before, all)));
    }
    any
}
