//! Exact decisions about zero: numbers modulo the prime 2⁶¹ − 1. A fraction has a residue, too (its denominator has an
//! inverse), arithmetic with residues is exact and short however long the numbers become, and what is not zero has the residue
//! zero with a probability of 4e-19. Variables get residues that have nothing special, so that an expression or a determinant
//! that is zero in one such point is zero everywhere (Schwartz, J. ACM 27 (1980) 701–717).

use super::probe::Dependent;
use ordinate_expr::{Decimal, Expr, ExprId, Graph, VarId};
use rustc_hash::FxHashMap;

const P: u64 = (1 << 61) - 1;

/// A number modulo P, below P.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Residue(u64);

impl Residue {
    pub const ZERO: Residue = Residue(0);
    pub const ONE: Residue = Residue(1);

    fn of(value: i128) -> Residue {
        Residue(value.rem_euclid(i128::from(P)) as u64)
    }

    /// One that has nothing special: of a variable, or of an entry that is no constant.
    pub fn random(index: u64) -> Residue {
        let mixed = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94D0_49BB_1331_11EB);
        Residue((mixed ^ mixed >> 31) % P)
    }

    pub fn plus(self, other: Residue) -> Residue {
        Residue((self.0 + other.0) % P)
    }

    pub fn minus(self, other: Residue) -> Residue {
        Residue((self.0 + P - other.0) % P)
    }

    pub fn times(self, other: Residue) -> Residue {
        let product = u128::from(self.0) * u128::from(other.0);
        // 2⁶¹ is 1
        Residue(((product as u64 & P) + (product >> 61) as u64) % P)
    }

    fn power(self, mut n: u64) -> Residue {
        let (mut result, mut square) = (Residue::ONE, self);
        while n > 0 {
            if n & 1 == 1 {
                result = result.times(square);
            }
            square = square.times(square);
            n >>= 1;
        }
        result
    }

    /// 1 / a by Fermat's little theorem; `None` for zero.
    pub fn inverse(self) -> Option<Residue> {
        (self != Residue::ZERO).then(|| self.power(P - 2))
    }

    fn decimal(value: Decimal) -> Option<Residue> {
        let (mantissa, exponent) = value.parts();
        let power = Residue(10).power(u64::from(exponent.unsigned_abs()));
        let scale = if exponent < 0 { power.inverse()? } else { power };
        Some(Residue::of(mantissa).times(scale))
    }

    /// Of an expression of numbers, variables and arithmetic; `None` where it has others, or a pole. `known`: those of
    /// parameters.
    pub fn value(g: &mut Graph, e: ExprId, known: &FxHashMap<VarId, Option<Residue>>) -> Option<Residue> {
        if let Expr::Const(value) = g.node(e) {
            return Residue::decimal(value);
        }
        let mut values: FxHashMap<ExprId, Residue> = FxHashMap::default();
        for id in g.post_order(&[e]) {
            let of = |id: &ExprId| values[id];
            let value = match g.node(id) {
                Expr::Const(value) => Residue::decimal(value)?,
                Expr::Time => Residue::random(u64::MAX >> 1),
                Expr::Var(v) => known.get(&v).copied().unwrap_or(Some(Residue::random(u64::from(v.0))))?,
                Expr::Neg(a) => Residue::ZERO.minus(of(&a)),
                Expr::Add(a, b) => of(&a).plus(of(&b)),
                Expr::Sub(a, b) => of(&a).minus(of(&b)),
                Expr::Mul(a, b) => of(&a).times(of(&b)),
                Expr::Div(a, b) => of(&a).times(of(&b).inverse()?),
                Expr::Pow(a, b) => {
                    let n = g.constant_value(b)?.as_integer()?;
                    let power = of(&a).power(n.unsigned_abs());
                    if n < 0 { power.inverse()? } else { power }
                }
                _ => return None,
            };
            values.insert(id, value);
        }
        values.remove(&e)
    }
}

/// A row from which multiples of others were taken, its pivot column (where it is 1), and what it is made of.
struct Reduced {
    entries: Vec<Residue>,
    pivot: usize,
    made: Vec<Residue>,
}

fn subtract(row: &mut [Residue], factor: Residue, other: &[Residue]) {
    row.iter_mut().zip(other).filter(|(_, p)| **p != Residue::ZERO).for_each(|(x, p)| *x = x.minus(factor.times(*p)));
}

/// The first row that the others give, with the rows and columns of the others.
pub(super) fn first_dependent(matrix: &[Vec<Residue>]) -> Option<Dependent> {
    let mut reduced: Vec<Reduced> = Vec::new();
    for (i, row) in matrix.iter().enumerate() {
        let mut entries = row.clone();
        let mut made = vec![Residue::ZERO; matrix.len()];
        made[i] = Residue::ONE;
        for other in &reduced {
            let factor = entries[other.pivot];
            if factor != Residue::ZERO {
                subtract(&mut entries, factor, &other.entries);
                subtract(&mut made, factor, &other.made);
            }
        }
        let Some(pivot) = entries.iter().position(|&x| x != Residue::ZERO) else {
            let others: Vec<usize> = (0..i).filter(|&k| made[k] != Residue::ZERO).collect();
            let part: Vec<Vec<Residue>> = others.iter().map(|&k| matrix[k].clone()).collect();
            let order: Vec<usize> = (0..row.len()).collect();
            return Some(Dependent { row: i, columns: echelon(part, &order).1, others });
        };
        let inverse = entries[pivot].inverse().expect("it is not zero");
        entries.iter_mut().chain(&mut made).for_each(|x| *x = x.times(inverse));
        reduced.push(Reduced { entries, pivot, made });
    }
    None
}

/// The reduced echelon form: rows, without those of zeros, and the column in which each has the only entry of all. The
/// columns are taken in the given order, so these are the first ones that are independent.
pub(super) fn echelon(mut rows: Vec<Vec<Residue>>, order: &[usize]) -> (Vec<Vec<Residue>>, Vec<usize>) {
    let mut pivots: Vec<usize> = Vec::new();
    for &column in order {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&i| rows[i][column] != Residue::ZERO) else { continue };
        rows.swap(done, found);
        let mut pivot = std::mem::take(&mut rows[done]);
        let inverse = pivot[column].inverse().expect("it is not zero");
        pivot.iter_mut().for_each(|x| *x = x.times(inverse));
        for row in rows.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[column];
            if factor != Residue::ZERO {
                subtract(row, factor, &pivot);
            }
        }
        rows[done] = pivot;
        pivots.push(column);
    }
    rows.truncate(pivots.len());
    (rows, pivots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[i128]]) -> Vec<Vec<Residue>> {
        rows.iter().map(|row| row.iter().map(|&x| Residue::of(x)).collect()).collect()
    }

    /// 1/3 + 1/6 − 0.5 is zero, (x + y)² − x² − 2·x·y − y² is, and x·y − 1e-30 is not.
    #[test]
    fn what_is_zero_is_known_exactly() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let [one, two, three, six] = [1, 2, 3, 6].map(|n| g.integer(n));
        let (third, sixth, half) = (g.div(one, three), g.div(one, six), g.div(one, two));
        let sum = g.add(third, sixth);
        let zero = g.sub(sum, half);
        let known = FxHashMap::default();
        assert_eq!(Residue::value(&mut g, zero, &known), Some(Residue::ZERO));
        let sum = g.add(x, y);
        let (square, xx, yy, xy) = (g.pow(sum, two), g.mul(x, x), g.mul(y, y), g.mul(x, y));
        let twice = g.mul(two, xy);
        let rest = g.sub(square, xx);
        let rest = g.sub(rest, twice);
        let rest = g.sub(rest, yy);
        assert_eq!(Residue::value(&mut g, rest, &known), Some(Residue::ZERO));
        let tiny = g.constant(Decimal::parse("1e-30").expect("a number")[0]);
        let rest = g.sub(xy, tiny);
        assert_ne!(Residue::value(&mut g, rest, &known), Some(Residue::ZERO));
        let root = g.call(ordinate_expr::Function::Sqrt, two);
        assert_eq!(Residue::value(&mut g, root, &known), None);
    }

    #[test]
    fn dependent_rows_name_the_others() {
        let found = first_dependent(&matrix(&[&[1, 2, 3], &[0, 0, 5], &[2, 4, 6]])).expect("twice the first");
        assert_eq!((found.row, found.others, found.columns), (2, vec![0], vec![0]));
        assert_eq!(first_dependent(&matrix(&[&[1, 2], &[3, 4]])), None);
    }

    /// x + y + z and x + y + 2·z: z is one of the two that follow, whatever the order of the others.
    #[test]
    fn the_echelon_form_takes_the_first_independent_columns() {
        let (rows, pivots) = echelon(matrix(&[&[1, 1, 1], &[1, 1, 2]]), &[0, 1, 2]);
        assert_eq!(pivots, [0, 2]);
        assert_eq!(rows, matrix(&[&[1, 1, 0], &[0, 0, 1]]));
    }
}
