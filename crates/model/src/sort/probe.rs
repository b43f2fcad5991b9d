//! Whether a matrix of expressions is singular whatever its variables are: looked at in points that have nothing special.
//! An expression such as a*(b + c) − a*b − a*c is zero without looking so. Where there is arithmetic alone, the answer is exact
//! (`residue.rs`); functions and branches are looked at with doubles.

use super::residue::{self, Residue};
use crate::Model;
use ordinate_expr::{Expr, ExprId, Function, Graph, Interval, VarId};
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

/// What is known about parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub values: FxHashMap<VarId, f64>,
    /// Exact, `None` for those that are not made of decimals by arithmetic.
    residues: FxHashMap<VarId, Option<Residue>>,
}

impl Known {
    pub fn of(model: &mut Model) -> Known {
        let mut residues: FxHashMap<VarId, Option<Residue>> = FxHashMap::default();
        // they are in an order in which they can be evaluated
        for given in &model.parameters {
            let value = Residue::value(&mut model.graph, given.value, &residues);
            residues.insert(given.var, value);
        }
        residues.retain(|v, _| model.values.contains_key(v));
        Known { values: model.values.clone(), residues }
    }

    /// The residue of an expression, where it has one.
    pub fn residue(&self, g: &mut Graph, e: ExprId) -> Option<Residue> {
        Residue::value(g, e, &self.residues)
    }

    /// A value that is known in doubles only.
    pub fn insert(&mut self, v: VarId, value: f64) {
        self.values.insert(v, value);
        self.residues.insert(v, None);
    }
}

/// The first row that depends on those before it in all points; `None` if there is none.
pub(super) fn dependent_rows(g: &mut Graph, a: &[Vec<ExprId>], known: &Known) -> Option<Dependent> {
    let exact: Option<Vec<Vec<Residue>>> =
        a.iter().map(|row| row.iter().map(|&e| known.residue(g, e)).collect()).collect();
    if let Some(matrix) = exact {
        return residue::first_dependent(&matrix);
    }
    let mut found: Option<Dependent> = None;
    let mut defined = 0;
    for point in 0..POINTS {
        let matrix: Option<Vec<Vec<f64>>> =
            a.iter().map(|row| row.iter().map(|&e| value(g, e, &known.values, point)).collect()).collect();
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
fn value(g: &mut Graph, e: ExprId, known: &FxHashMap<VarId, f64>, point: u64) -> Option<f64> {
    let value = g.evaluate(e, |leaf| match leaf {
        Expr::Var(v) => Some(known.get(&v).copied().unwrap_or_else(|| coordinate(point, u64::from(v.0)))),
        Expr::Time => Some(coordinate(point, OF_TIME)),
        _ => None,
    });
    value.filter(|value| value.is_finite())
}

/// The index of time among the coordinates of a point.
const OF_TIME: u64 = 1 << 40;

/// A coordinate of a point.
fn coordinate(point: u64, index: u64) -> f64 {
    let mixed = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (point + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94D0_49BB_1331_11EB);
    let size = 0.1 + 0.8 * ((mixed >> 12) as f64 / (1u64 << 52) as f64);
    // roots and logarithms want positive values, branches both signs
    if point % 2 == 1 && mixed & 1 == 1 { -size } else { size }
}

/// Whether an expression is zero wherever one looks: its bounds, with all the rounding on the way, never leave zero out.
/// So it does not depend on units, as a number that counts as small would.
pub(super) fn vanishes(g: &mut Graph, e: ExprId, known: &Known) -> bool {
    if let Some(value) = g.constant_value(e) {
        return value == ordinate_expr::Decimal::ZERO;
    }
    if let Some(value) = known.residue(g, e) {
        return value == Residue::ZERO;
    }
    let found: Vec<Interval> = (0..POINTS).filter_map(|point| bounds(g, e, &known.values, point)).collect();
    !found.is_empty() && found.into_iter().all(Interval::contains_zero)
}

/// Bounds of an expression in a point, where there are some. Parameters are known to their last digits only.
fn bounds(g: &mut Graph, e: ExprId, known: &FxHashMap<VarId, f64>, point: u64) -> Option<Interval> {
    let mut found: FxHashMap<ExprId, Interval> = FxHashMap::default();
    for id in g.post_order(&[e]) {
        let of = |id: &ExprId| found[id];
        let truth = |value: bool| if value { Interval::ONE } else { Interval::ZERO };
        let here = match g.node(id) {
            Expr::Const(value) => Interval::decimal(value),
            Expr::Pi => Interval::PI,
            Expr::Time => Interval::point(coordinate(point, OF_TIME)),
            Expr::Var(v) => match known.get(&v) {
                Some(&value) => Interval::point(value).times(Interval::new(1.0 - f64::EPSILON, 1.0 + f64::EPSILON)),
                None => Interval::point(coordinate(point, u64::from(v.0))),
            },
            Expr::Lookup(..) => return None,
            Expr::Neg(a) => of(&a).negated(),
            Expr::Add(a, b) => of(&a).plus(of(&b)),
            Expr::Sub(a, b) => of(&a).minus(of(&b)),
            Expr::Mul(a, b) => of(&a).times(of(&b)),
            Expr::Div(a, b) => of(&a).over(of(&b)),
            Expr::Pow(a, b) => of(&a).raised(of(&b)),
            // its bounds are those of all draws
            Expr::Call(Function::Noise, a) => Interval::point(Function::Noise.evaluate(of(&a).middle())),
            Expr::Call(f, a) => of(&a).call(f),
            Expr::Atan2(a, b) => of(&a).angle(of(&b)),
            Expr::Less(a, b) => truth(of(&a).middle() < of(&b).middle()),
            Expr::LessEqual(a, b) => truth(of(&a).middle() <= of(&b).middle()),
            Expr::Equal(a, b) => truth(of(&a).middle() == of(&b).middle()),
            Expr::Not(a) => Interval::ONE.minus(of(&a)),
            Expr::And(a, b) => of(&a).times(of(&b)),
            Expr::Or(a, b) => Interval::point(of(&a).middle().max(of(&b).middle())),
            Expr::Select(c, a, b) => of(if of(&c).middle() > 0.5 { &a } else { &b }),
        };
        found.insert(id, here);
    }
    Some(found[&e]).filter(|bounds| bounds.is_bounded())
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
        let known = Known::default();
        let singular = vec![vec![a, b, zero], vec![c, d, zero], vec![s, t, zero]];
        let found = dependent_rows(&mut g, &singular, &known).expect("dependent");
        assert_eq!((found.row, found.others), (2, vec![0, 1]));
        assert_eq!(dependent_rows(&mut g, &singular[..2], &known), None);
    }

    /// a (b + c) − a b − a c is zero at any size of a, and a (b + c) − a b − a c + d is not, however small d is.
    #[test]
    fn what_vanishes_does_so_in_any_unit() {
        let mut g = Graph::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| g.variable(VarId(k)));
        let (sum, ab, ac) = (g.add(b, c), g.mul(a, b), g.mul(a, c));
        let product = g.mul(a, sum);
        let rest = g.sub(product, ab);
        let zero = g.sub(rest, ac);
        let large = g.add(zero, d);
        for unit in [1e-12, 1.0, 1e12] {
            let mut known = Known::default();
            known.insert(VarId(0), unit);
            assert!(vanishes(&mut g, zero, &known), "{unit}");
            known.insert(VarId(3), 1e-9 * unit);
            assert!(!vanishes(&mut g, large, &known), "{unit}");
        }
    }

    /// Columns of very different size, as those of different units are.
    #[test]
    fn the_size_of_a_column_says_nothing() {
        let mut g = Graph::new();
        let (one, large) = (g.integer(1), g.integer(1_000_000_000_000_000));
        let opposite = g.neg(large);
        let known = Known::default();
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
        assert_eq!(dependent_rows(&mut g, &[vec![entry]], &Known::default()), None);
    }
}
