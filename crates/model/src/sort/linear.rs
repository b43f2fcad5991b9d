//! Solving a block of equations for its unknowns, symbolically where they enter linearly.

use super::proof::{Known, dependent_rows};
use ordinate_exact::Rational;
use ordinate_expr::{Expr, ExprId, Graph, Terms, VarId};
use rustc_hash::FxHashMap;

/// The largest core that is solved by Cramer's rule. It needs no pivots, so it cannot fail where a pivot such
/// as cos(phi) passes through zero; minors are shared, which makes n·2ⁿ⁻¹ products.
pub(super) const MAX_CORE: usize = 8;

/// The largest block in which what is explicit is put into the rest: the work grows with the square of the size.
const MAX_BLOCK: usize = 2000;

/// From this size on the solution is refined once.
const REFINED: usize = 4;

/// Why a block has no symbolic solution.
pub(crate) enum Unsolved {
    /// An unknown enters nonlinearly.
    Nonlinear,
    /// The equations contradict or repeat each other.
    Singular,
    /// It is larger than what is done symbolically.
    TooLarge,
}

/// Finds `unknown = expression` for each unknown of a block. The expressions may refer to other unknowns of the
/// block, but not in a circle. `known`: parameters.
pub(crate) fn solve_block(
    g: &mut Graph,
    equations: &[(ExprId, ExprId)],
    unknowns: &[VarId],
    known: &Known,
) -> Result<Vec<(VarId, ExprId)>, Unsolved> {
    if unknowns.len() > MAX_BLOCK {
        return Err(Unsolved::TooLarge);
    }
    let mut solved: Vec<(VarId, ExprId)> = Vec::new();
    let mut rest: Vec<(ExprId, ExprId)> = equations.to_vec();
    let mut open: Vec<VarId> = unknowns.to_vec();
    // Eliminate what is written explicitly: F = -k*x'' inside a larger loop is put into the others.
    while let Some((k, v)) = explicit(g, &rest, &open) {
        let (_, right) = rest.remove(k);
        open.retain(|&other| other != v);
        let sides: Vec<ExprId> = rest.iter().flat_map(|&(l, r)| [l, r]).collect();
        let sides = g.substitute_all(&sides, |w| (w == v).then_some(right));
        rest = sides.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        solved.push((v, right));
    }
    if !rest.is_empty() {
        solved.extend(linear_core(g, &rest, &open, known)?);
    }
    Ok(solved)
}

/// An equation `v = …` whose right-hand side does not contain v.
fn explicit(g: &mut Graph, rest: &[(ExprId, ExprId)], open: &[VarId]) -> Option<(usize, VarId)> {
    for (k, &(left, right)) in rest.iter().enumerate() {
        if let Expr::Var(v) = g.node(left)
            && open.contains(&v)
            && g.variables(right).binary_search(&v).is_err()
        {
            return Some((k, v));
        }
    }
    None
}

/// A u = b by Cramer's rule.
fn linear_core(
    g: &mut Graph,
    equations: &[(ExprId, ExprId)],
    unknowns: &[VarId],
    known: &Known,
) -> Result<Vec<(VarId, ExprId)>, Unsolved> {
    let n = unknowns.len();
    if n > MAX_CORE {
        return Err(Unsolved::TooLarge);
    }
    let zero = g.integer(0);
    let (mut a, mut b) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for &(left, right) in equations {
        let residual = g.sub(left, right);
        let mut row = Vec::with_capacity(n);
        for &u in unknowns {
            let coefficient = g.partial(residual, u);
            if g.variables(coefficient).iter().any(|v| unknowns.contains(v)) {
                return Err(Unsolved::Nonlinear);
            }
            row.push(coefficient);
        }
        let constant = g.substitute(residual, |v| unknowns.contains(&v).then_some(zero));
        a.push(row);
        b.push(g.neg(constant));
    }
    if dependent_rows(g, &a, known).is_some() {
        return Err(Unsolved::Singular);
    }
    if let Some(solution) = exact_solution(g, &a, &b) {
        return Ok(unknowns.iter().copied().zip(solution).collect());
    }
    let determinant = Minors::new(&a, n).determinant(g);
    if determinant == zero {
        return Err(Unsolved::Singular);
    }
    let mut solution = cramer(g, &a, &b, determinant);
    if n >= REFINED {
        // The rule loses more digits than elimination with pivots; the solution for the residual gives them back.
        let residual: Vec<ExprId> = (0..n)
            .map(|i| {
                let mut rest = b[i];
                for (&entry, &x) in a[i].iter().zip(&solution) {
                    let product = g.mul(entry, x);
                    rest = g.sub(rest, product);
                }
                rest
            })
            .collect();
        let correction = cramer(g, &a, &residual, determinant);
        solution = solution.iter().zip(&correction).map(|(&x, &d)| g.add(x, d)).collect();
    }
    Ok(unknowns.iter().copied().zip(solution).collect())
}

/// A⁻¹ b of a matrix of numbers, whose inverse is exact; `None` for others. Two factors lose no more digits than they must.
fn exact_solution(g: &mut Graph, a: &[Vec<ExprId>], b: &[ExprId]) -> Option<Vec<ExprId>> {
    let n = b.len();
    // one equation looks better as a quotient
    if n < 2 {
        return None;
    }
    let mut rows: Vec<Vec<Rational>> = Vec::with_capacity(n);
    for (i, row) in a.iter().enumerate() {
        let numbers: Option<Vec<Rational>> = row.iter().map(|&e| g.exact_value(e, |_| None)).collect();
        rows.push(numbers?);
        rows[i].extend((0..n).map(|j| Rational::from(i128::from(i == j))));
    }
    for k in 0..n {
        let found = (k..n).find(|&i| !rows[i][k].is_zero())?;
        rows.swap(k, found);
        let pivot = rows[k][k].clone();
        let scaled: Option<Vec<Rational>> = rows[k].iter().map(|x| x.over(&pivot)).collect();
        let scaled = scaled?;
        for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k].clone();
            if i != k && !factor.is_zero() {
                row.iter_mut().zip(&scaled).for_each(|(x, p)| *x = x.minus(&factor.times(p)));
            }
        }
        rows[k] = scaled;
    }
    let apart: Vec<Terms> = b.iter().map(|&e| g.terms(e)).collect();
    let inverse: Vec<&[Rational]> = rows.iter().map(|row| &row[n..]).collect();
    let cancels = inverse.iter().any(|row| loses_digits(row, &apart));
    let mut solution = Vec::with_capacity(n);
    for row in inverse {
        let mut terms = Terms::default();
        for (j, factor) in row.iter().enumerate().filter(|(_, factor)| !factor.is_zero()) {
            match cancels {
                true => terms.add_all(&apart[j], factor),
                false => terms.add(b[j], factor),
            }
        }
        solution.push(g.sum_of_terms(&terms)?);
    }
    Some(solution)
}

/// Whether terms of the right-hand sides nearly cancel in their sum. Then they are added exactly, before a run rounds them;
/// otherwise what was written together stays together.
fn loses_digits(row: &[Rational], right: &[Terms]) -> bool {
    const LOSS: f64 = 16.0;
    let mut sums: FxHashMap<ExprId, (f64, f64)> = FxHashMap::default();
    for (factor, terms) in row.iter().zip(right) {
        for (e, part) in terms.iter() {
            let product = factor.to_f64() * part.to_f64();
            let (sum, size) = sums.entry(e).or_default();
            *sum += product;
            *size += product.abs();
        }
    }
    sums.values().any(|&(sum, size)| size > LOSS * sum.abs())
}

/// xₖ = det(A with column k replaced by b) / det A
fn cramer(g: &mut Graph, a: &[Vec<ExprId>], b: &[ExprId], determinant: ExprId) -> Vec<ExprId> {
    let n = b.len();
    (0..n)
        .map(|k| {
            let entry = |i: usize, j: usize| if j == k { b[i] } else { a[i][j] };
            let replaced: Vec<Vec<ExprId>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
            let numerator = Minors::new(&replaced, n).determinant(g);
            g.div(numerator, determinant)
        })
        .collect()
}

/// Determinants of the lower rows over subsets of columns, each computed once (Laplace expansion).
pub(super) struct Minors<'a> {
    a: &'a [Vec<ExprId>],
    n: usize,
    known: FxHashMap<u32, ExprId>,
}

impl<'a> Minors<'a> {
    pub fn new(a: &'a [Vec<ExprId>], n: usize) -> Self {
        Minors { a, n, known: FxHashMap::default() }
    }

    pub fn determinant(&mut self, g: &mut Graph) -> ExprId {
        self.minor(g, 0, (1 << self.n) - 1)
    }

    /// Rows `row ..` over the columns of the bit set; the depth is at most MAX_CORE.
    fn minor(&mut self, g: &mut Graph, row: usize, columns: u32) -> ExprId {
        if row == self.n {
            return g.integer(1);
        }
        if let Some(&known) = self.known.get(&columns) {
            return known;
        }
        let mut sum = g.integer(0);
        let mut position = 0;
        for j in 0..self.n {
            if columns & (1 << j) == 0 {
                continue;
            }
            let entry = self.a[row][j];
            if g.constant_value(entry).is_none_or(|value| value != ordinate_expr::Decimal::ZERO) {
                let below = self.minor(g, row + 1, columns & !(1 << j));
                let product = g.mul(entry, below);
                sum = if position % 2 == 0 { g.add(sum, product) } else { g.sub(sum, product) };
            }
            position += 1;
        }
        self.known.insert(columns, sum);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random-looking dense 4×4 system: the solution put back gives zero residuals.
    #[test]
    fn the_solution_satisfies_the_equations() {
        let mut g = Graph::new();
        let unknowns: Vec<VarId> = (0..4).map(VarId).collect();
        let u: Vec<ExprId> = unknowns.iter().map(|&v| g.variable(v)).collect();
        let mut equations = Vec::new();
        for i in 0..4i64 {
            let mut sum = g.integer(i - 7);
            for (j, &uj) in u.iter().enumerate() {
                let coefficient = g.integer((i * 5 + j as i64 * 3) * (i + 2) % 11 - 4);
                let term = g.mul(coefficient, uj);
                sum = g.add(sum, term);
            }
            let zero = g.integer(0);
            equations.push((zero, sum));
        }
        let Ok(solution) = solve_block(&mut g, &equations, &unknowns, &Known::default()) else {
            panic!("it is linear")
        };
        let values: FxHashMap<VarId, f64> =
            solution.iter().map(|&(v, e)| (v, g.evaluate(e, |_| None).unwrap())).collect();
        for (_, residual) in equations {
            let value = g.evaluate(residual, |leaf| match leaf {
                Expr::Var(v) => values.get(&v).copied(),
                _ => None,
            });
            assert!(value.unwrap().abs() < 1e-12);
        }
    }

    /// The Hilbert matrix of order 6 has the condition 1.5e7: elimination with pivots leaves an error of about 1e-9, the
    /// plain rule one of 1e-6.
    #[test]
    fn an_ill_conditioned_block_keeps_the_digits_that_elimination_keeps() {
        let mut g = Graph::new();
        let unknowns: Vec<VarId> = (0..6).map(VarId).collect();
        let mut equations = Vec::new();
        for i in 0..6i64 {
            let (mut left, mut right) = (g.integer(0), g.integer(0));
            for j in 0..6i64 {
                let (one, sum) = (g.integer(1), g.integer(i + j + 1));
                let entry = g.div(one, sum);
                let u = g.variable(unknowns[j as usize]);
                let term = g.mul(entry, u);
                left = g.add(left, term);
                right = g.add(right, entry);
            }
            equations.push((left, right));
        }
        let Ok(solution) = solve_block(&mut g, &equations, &unknowns, &Known::default()) else {
            panic!("it is linear")
        };
        for (_, e) in solution {
            let value = g.evaluate(e, |_| None).unwrap();
            assert!((value - 1.0).abs() < 2e-9, "{value}");
        }
    }

    #[test]
    fn what_cannot_be_solved_says_why() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let (one, two) = (g.integer(1), g.integer(2));
        let product = g.mul(x, y);
        let sum = g.add(x, y);
        let unknowns = [VarId(0), VarId(1)];
        let none = Known::default();
        let nonlinear = solve_block(&mut g, &[(sum, one), (product, two)], &unknowns, &none);
        assert!(matches!(nonlinear, Err(Unsolved::Nonlinear)));
        assert!(matches!(solve_block(&mut g, &[(sum, one), (sum, two)], &unknowns, &none), Err(Unsolved::Singular)));
    }
}
