//! Whether a matrix of expressions is singular whatever its variables are: looked at in points that have nothing special.
//! An expression such as a*(b + c) − a*b − a*c is zero without looking so.

use ordinate_expr::{Expr, ExprId, Graph, VarId};
use rustc_hash::FxHashMap;

/// Points that are looked at; the rank of one is enough to know that a matrix is regular.
const POINTS: u64 = 12;
/// At least in so many of them the matrix must be defined.
const ENOUGH: usize = 2;
/// What is smaller in comparison is rounding.
const TINY: f64 = 1e-12;

/// Rows that depend on each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependent {
    /// The row that the others give.
    pub row: usize,
    /// The others: they do not depend on each other.
    pub others: Vec<usize>,
    /// As many columns, in which the others are independent.
    pub columns: Vec<usize>,
}

/// The first row that depends on those before it in all points; `None` if there is none. Parameters have the values
/// `known`.
pub(super) fn dependent_rows(g: &mut Graph, a: &[Vec<ExprId>], known: &FxHashMap<VarId, f64>) -> Option<Dependent> {
    let mut found: Option<Dependent> = None;
    let mut defined = 0;
    for point in 0..POINTS {
        let matrix: Option<Vec<Vec<f64>>> =
            a.iter().map(|row| row.iter().map(|&e| value(g, e, known, point)).collect()).collect();
        let Some(matrix) = matrix else { continue };
        defined += 1;
        let here = first_dependent(matrix)?;
        // in a special point more rows depend on each other than in general
        if found.as_ref().is_none_or(|best| (best.row, best.others.len()) < (here.row, here.others.len())) {
            found = Some(here);
        }
    }
    found.filter(|_| defined >= ENOUGH)
}

/// The value of an expression in a point, where it is defined there.
pub(super) fn value(g: &mut Graph, e: ExprId, known: &FxHashMap<VarId, f64>, point: u64) -> Option<f64> {
    let coordinate = |index: u64| {
        let mixed = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (point + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94D0_49BB_1331_11EB);
        let size = 0.1 + 0.8 * ((mixed >> 12) as f64 / (1u64 << 52) as f64);
        // roots and logarithms want positive values, branches both signs
        if point % 2 == 1 && mixed & 1 == 1 { -size } else { size }
    };
    let value = g.evaluate(e, |leaf| match leaf {
        Expr::Var(v) => Some(known.get(&v).copied().unwrap_or_else(|| coordinate(u64::from(v.0)))),
        Expr::Time => Some(coordinate(1 << 40)),
        _ => None,
    });
    value.filter(|value| value.is_finite())
}

/// Elimination row by row: the first row of which nothing is left, and the rows that it is made of.
fn first_dependent(mut matrix: Vec<Vec<f64>>) -> Option<Dependent> {
    let columns = matrix.first().map_or(0, Vec::len);
    // a farad and an ampere differ by powers of ten, which says nothing about dependence
    for j in 0..columns {
        let largest = matrix.iter().fold(0.0f64, |m, row| m.max(row[j].abs()));
        matrix.iter_mut().filter(|_| largest > 0.0).for_each(|row| row[j] /= largest);
    }
    // each reduced row with the pivot column, and what it is made of
    let mut reduced: Vec<(Vec<f64>, usize, Vec<f64>)> = Vec::new();
    for (i, row) in matrix.iter().enumerate() {
        let mut rest = row.clone();
        let mut made = vec![0.0; matrix.len()];
        made[i] = 1.0;
        let mut size = norm(row);
        for (pivot_row, pivot, of) in &reduced {
            let factor = rest[*pivot] / pivot_row[*pivot];
            if factor != 0.0 {
                rest.iter_mut().zip(pivot_row).for_each(|(x, p)| *x -= factor * p);
                rest[*pivot] = 0.0;
                made.iter_mut().zip(of).for_each(|(x, p)| *x -= factor * p);
                size = size.max(factor.abs() * norm(pivot_row));
            }
        }
        let pivot = (0..columns).max_by(|&p, &q| rest[p].abs().total_cmp(&rest[q].abs()));
        match pivot.filter(|&p| rest[p].abs() > TINY * size) {
            Some(pivot) => reduced.push((rest, pivot, made)),
            None => {
                let largest = made.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let others: Vec<usize> = (0..i).filter(|&k| made[k].abs() > TINY * largest).collect();
                let part: Vec<Vec<f64>> = others.iter().map(|&k| matrix[k].clone()).collect();
                return Some(Dependent { row: i, columns: pivots(part), others });
            }
        }
    }
    None
}

fn norm(row: &[f64]) -> f64 {
    row.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Columns in which independent rows are independent.
fn pivots(mut rows: Vec<Vec<f64>>) -> Vec<usize> {
    let mut found = Vec::new();
    for i in 0..rows.len() {
        let row = rows[i].clone();
        let Some(p) = (0..row.len()).max_by(|&p, &q| row[p].abs().total_cmp(&row[q].abs())) else { break };
        found.push(p);
        for later in &mut rows[i + 1..] {
            let factor = later[p] / row[p];
            later.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
            later[p] = 0.0;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows (a, b), (c, d), (a + c, b + d): the third is the sum of the others, which no constructor sees.
    #[test]
    fn a_hidden_dependence_is_found() {
        let mut g = Graph::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| g.variable(VarId(k)));
        let zero = g.integer(0);
        let (s, t) = (g.add(a, c), g.add(b, d));
        let known = FxHashMap::default();
        let singular = vec![vec![a, b, zero], vec![c, d, zero], vec![s, t, zero]];
        let found = dependent_rows(&mut g, &singular, &known).expect("dependent");
        assert_eq!((found.row, found.others), (2, vec![0, 1]));
        assert_eq!(dependent_rows(&mut g, &singular[..2], &known), None);
    }

    /// Columns of very different size, as those of different units are.
    #[test]
    fn the_size_of_a_column_says_nothing() {
        let mut g = Graph::new();
        let (one, large) = (g.integer(1), g.integer(1_000_000_000_000_000));
        let opposite = g.neg(large);
        let known = FxHashMap::default();
        assert_eq!(dependent_rows(&mut g, &[vec![one, large], vec![one, opposite]], &known), None);
        assert!(dependent_rows(&mut g, &[vec![one, large], vec![one, large]], &known).is_some());
    }

    /// A coefficient that vanishes on one side of a switch only is no dependence.
    #[test]
    fn what_vanishes_in_a_branch_only_is_regular() {
        let mut g = Graph::new();
        let (mode, zero, one) = (g.variable(VarId(0)), g.integer(0), g.integer(1));
        let low = g.less(mode, zero);
        let entry = g.select(low, one, zero);
        assert_eq!(dependent_rows(&mut g, &[vec![entry]], &FxHashMap::default()), None);
    }
}
