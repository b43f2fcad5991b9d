//! The index of linear equations with constant coefficients, as it is and not as the pattern promises: where equations are
//! combined, what was differentiated on the way stands in no pattern.
//!
//! ```text
//!   E x′ + A x = f(t):   M = (s E + A)⁻¹ E for any s with a regular matrix;
//!   the index is the smallest k with rank Mᵏ = rank Mᵏ⁺¹
//! ```
//!
//! (E. Griepentrog, R. März, Differential-Algebraic Equations and Their Numerical Treatment, 1986, appendix A.) Ranks are
//! exact, modulo a prime (`residue.rs`).

use super::proof::Known;
use super::reduce::determined;
use super::residue::{Modular, Residue, echelon};
use crate::{Model, Role};
use ordinate_expr::VarId;
use rustc_hash::FxHashMap;

/// The largest system for which it is computed: the work grows with the third power.
const LARGEST: usize = 120;

/// `None` if the equations are not linear with constant exact coefficients, are too many, or determine no solution.
/// Derivatives of named functions of time count as such, so that it does not matter whether a prescribed motion is written
/// `q = sin(t)` or `q - sin(t) = 0`.
pub(super) fn index(model: &mut Model) -> Option<u32> {
    let named = model.named_derivatives.clone();
    let quantities: Vec<usize> =
        determined(model).into_iter().filter(|k| !named.iter().any(|derivative| derivative.quantity == *k)).collect();
    if quantities.len() > LARGEST {
        return None;
    }
    let position: FxHashMap<usize, usize> = quantities.iter().enumerate().map(|(j, &k)| (k, j)).collect();
    let known = Known::of(model);
    // (quantity, derivative, coefficient) of each equation
    let mut rows: Vec<Vec<(usize, u32, Residue)>> = Vec::new();
    for k in 0..model.equations.len() {
        if named.iter().any(|derivative| derivative.equation == k) {
            continue;
        }
        let residual = model.graph.sub(model.equations[k].left, model.equations[k].right);
        let mut row = Vec::new();
        for v in model.graph.variables(residual) {
            let variable = model.variable(v);
            if variable.role != Role::Unknown {
                continue;
            }
            let derivative = named.iter().find(|derivative| derivative.quantity == variable.quantity);
            let (quantity, order) = derivative.map_or((variable.quantity, variable.primes), |d| (d.of, d.primes));
            let slope = model.graph.partial(residual, v);
            let constant = |v: &VarId| model.variables[v.0 as usize].role == Role::Parameter;
            if model.graph.uses_time(slope) || !model.graph.variables(slope).iter().all(constant) {
                return None;
            }
            let factor = Residue::rational(&known.exact_value(&mut model.graph, slope)?)?;
            row.push((*position.get(&quantity)?, order, factor));
        }
        rows.push(row);
    }
    nilpotency(&rows, quantities.len())
}

/// With the lower derivatives as variables of their own the equations are of the first order.
fn nilpotency(rows: &[Vec<(usize, u32, Residue)>], quantities: usize) -> Option<u32> {
    let mut orders = vec![0u32; quantities];
    for &(j, order, _) in rows.iter().flatten().filter(|entry| entry.2 != Residue::ZERO) {
        orders[j] = orders[j].max(order);
    }
    let mut first = Vec::with_capacity(quantities);
    let mut n = 0;
    for &order in &orders {
        first.push(n);
        n += order.max(1) as usize;
    }
    if n > LARGEST {
        return None;
    }
    let zeros = || (vec![Residue::ZERO; n], vec![Residue::ZERO; n]);
    let mut pencil: Vec<(Vec<Residue>, Vec<Residue>)> = Vec::with_capacity(n);
    for row in rows {
        let (mut e, mut a) = zeros();
        for &(j, order, factor) in row.iter().filter(|entry| entry.2 != Residue::ZERO) {
            match order > 0 && order == orders[j] {
                true => e[first[j] + order as usize - 1] = factor,
                false => a[first[j] + order as usize] = factor,
            }
        }
        pencil.push((e, a));
    }
    for (j, &order) in orders.iter().enumerate() {
        for k in 1..order as usize {
            let (mut e, mut a) = zeros();
            e[first[j] + k - 1] = Residue::ONE;
            a[first[j] + k] = Residue::ONE.negated();
            pencil.push((e, a));
        }
    }
    if pencil.len() != n {
        return None;
    }
    let s = Residue::random(1 << 50);
    let beside = |(e, a): &(Vec<Residue>, Vec<Residue>)| -> Vec<Residue> {
        let sum = e.iter().zip(a).map(|(&e, &a)| s.times(e).plus(a));
        sum.chain(e.iter().copied()).collect()
    };
    let order: Vec<usize> = (0..n).collect();
    let (solved, pivots) = echelon(pencil.iter().map(beside).collect(), &order);
    if pivots.len() < n {
        return None;
    }
    let m: Vec<Vec<Residue>> = solved.into_iter().map(|row| row[n..].to_vec()).collect();
    let rank = |matrix: &Vec<Vec<Residue>>| echelon(matrix.clone(), &order).1.len();
    let (mut power, mut before) = (m.clone(), n);
    for k in 0..=n as u32 {
        let here = rank(&power);
        if here == before {
            return Some(k);
        }
        before = here;
        power = product(&power, &m);
    }
    None
}

fn product(a: &[Vec<Residue>], b: &[Vec<Residue>]) -> Vec<Vec<Residue>> {
    let row = |row: &Vec<Residue>| {
        let mut sum = vec![Residue::ZERO; b.len()];
        for (&x, other) in row.iter().zip(b).filter(|(x, _)| **x != Residue::ZERO) {
            sum.iter_mut().zip(other).for_each(|(s, &y)| *s = s.plus(x.times(y)));
        }
        sum
    };
    a.iter().map(row).collect()
}
