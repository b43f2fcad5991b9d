//! Exact arithmetic for decisions about zero: numbers modulo two primes of 61 digits. A fraction has a residue, too (its
//! denominator has an inverse), and arithmetic with residues is exact and short however long the numbers become. A polynomial
//! that is zero at a random point modulo both primes is the zero polynomial but for a chance below 2⁻¹⁰⁰
//! (J. T. Schwartz, J. ACM 27 (1980) 701–717). The points are fixed, so every run of the program decides alike.
//!
//! ```text
//!   P = 4 Q + 1 with Q prime:   g has the order Q in ℤ/P, so gᵘ is a homomorphism from ℤ/Q to the numbers modulo P,
//!                               and ℤ/P has an i with i² = −1
//! ```
//!
//! That gives exponentials and circular functions their addition theorems (`proof.rs`).

use super::proof::Dependent;
use ordinate_exact::Rational;
use ordinate_expr::Decimal;

/// A prime P = 4 Q + 1 with Q prime.
struct Field {
    p: u64,
    q: u64,
    /// The square root of −1.
    i: u64,
}

const FIELDS: [Field; 2] = [
    Field { p: 2_305_843_009_213_691_357, q: 576_460_752_303_422_839, i: 1_018_197_504_712_963_086 },
    Field { p: 2_305_843_009_213_688_909, q: 576_460_752_303_422_227, i: 1_184_352_285_803_117_425 },
];

/// A fourth power other than 1: its order is Q.
const GENERATOR: u64 = 16;

fn product(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn power(a: u64, mut n: u64, modulus: u64) -> u64 {
    let (mut result, mut square) = (1, a);
    while n > 0 {
        if n & 1 == 1 {
            result = product(result, square, modulus);
        }
        square = product(square, square, modulus);
        n >>= 1;
    }
    result
}

/// A number without special properties for each index: D. Steele et al., "Fast splittable pseudorandom number generators",
/// OOPSLA 2014.
fn mixed(index: u64) -> u64 {
    let mixed = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// Arithmetic modulo two primes at once.
pub(super) trait Modular: Copy + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    /// From its values modulo each of the primes.
    fn new(values: [u64; 2]) -> Self;
    fn values(self) -> [u64; 2];
    fn modulus(which: usize) -> u64;

    fn each(f: impl Fn(usize) -> u64) -> Self {
        Self::new([f(0), f(1)])
    }

    fn integer(value: i128) -> Self {
        Self::each(|k| value.rem_euclid(i128::from(Self::modulus(k))) as u64)
    }

    /// One without special properties for each index.
    fn random(index: u64) -> Self {
        Self::each(|k| mixed(mixed(index) ^ k as u64) % Self::modulus(k))
    }

    fn plus(self, other: Self) -> Self {
        Self::each(|k| (self.values()[k] + other.values()[k]) % Self::modulus(k))
    }

    fn negated(self) -> Self {
        Self::each(|k| (Self::modulus(k) - self.values()[k]) % Self::modulus(k))
    }

    fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    fn times(self, other: Self) -> Self {
        Self::each(|k| product(self.values()[k], other.values()[k], Self::modulus(k)))
    }

    fn power(self, n: u64) -> Self {
        Self::each(|k| power(self.values()[k], n, Self::modulus(k)))
    }

    /// 1 / a by Fermat's little theorem; `None` where it is zero modulo one of the primes.
    fn inverse(self) -> Option<Self> {
        (!self.values().contains(&0))
            .then(|| Self::each(|k| power(self.values()[k], Self::modulus(k) - 2, Self::modulus(k))))
    }

    fn decimal(value: Decimal) -> Option<Self> {
        let (mantissa, exponent) = value.parts();
        let power = Self::integer(10).power(u64::from(exponent.unsigned_abs()));
        let scale = if exponent < 0 { power.inverse()? } else { power };
        Some(Self::integer(mantissa).times(scale))
    }

    fn rational(value: &Rational) -> Option<Self> {
        let [above, below] = [value.above(), value.below()].map(|n| Self::each(|k| n.remainder(Self::modulus(k))));
        Some(above.times(below.inverse()?))
    }
}

/// A number modulo both P.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residue([u64; 2]);

/// A number modulo both Q: what exponentials and circular functions are taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exponent([u64; 2]);

impl Modular for Residue {
    const ZERO: Residue = Residue([0; 2]);
    const ONE: Residue = Residue([1; 2]);

    fn new(values: [u64; 2]) -> Residue {
        Residue(values)
    }

    fn values(self) -> [u64; 2] {
        self.0
    }

    fn modulus(which: usize) -> u64 {
        FIELDS[which].p
    }
}

impl Modular for Exponent {
    const ZERO: Exponent = Exponent([0; 2]);
    const ONE: Exponent = Exponent([1; 2]);

    fn new(values: [u64; 2]) -> Exponent {
        Exponent(values)
    }

    fn values(self) -> [u64; 2] {
        self.0
    }

    fn modulus(which: usize) -> u64 {
        FIELDS[which].q
    }
}

impl Residue {
    /// √−1
    pub fn imaginary() -> Residue {
        Residue(FIELDS.map(|field| field.i))
    }

    /// gᵘ
    pub fn exponential(exponent: Exponent) -> Residue {
        Residue::each(|k| power(GENERATOR, exponent.0[k], FIELDS[k].p))
    }

    /// The fraction n/d with n and d below 2¹⁰ that this is modulo both primes, if there is one: it is found from the first by
    /// the Euclidean algorithm (P. S. Wang, Proc. SYMSAC (1981) 212–217) and confirmed by the second.
    pub fn fraction(self) -> Option<Rational> {
        const BOUND: i128 = 1 << 10;
        let (mut before, mut rest) = (i128::from(FIELDS[0].p), i128::from(self.0[0]));
        let (mut last, mut below) = (0i128, 1i128);
        while rest >= BOUND {
            let quotient = before / rest;
            (before, rest) = (rest, before - quotient * rest);
            (last, below) = (below, last - quotient * below);
        }
        let value = Rational::new(rest.into(), below.into()).filter(|_| below.abs() < BOUND)?;
        (Residue::rational(&value)? == self).then_some(value)
    }

    /// An index that tells residues apart, for unknowns that are functions of them.
    pub fn index(self, of: u64) -> u64 {
        mixed(mixed(mixed(of) ^ self.0[0]) ^ self.0[1])
    }

    /// Of a and −a the same one, and whether it is −a.
    pub fn magnitude(self) -> (Residue, bool) {
        let opposite = self.negated();
        if self.0 <= opposite.0 { (self, false) } else { (opposite, true) }
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
        let Some((pivot, inverse)) = entries.iter().enumerate().find_map(|(j, x)| Some((j, x.inverse()?))) else {
            if entries.iter().any(|&x| x != Residue::ZERO) {
                return None;
            }
            let others: Vec<usize> = (0..i).filter(|&k| made[k] != Residue::ZERO).collect();
            let part: Vec<Vec<Residue>> = others.iter().map(|&k| matrix[k].clone()).collect();
            let order: Vec<usize> = (0..row.len()).collect();
            return Some(Dependent { row: i, columns: echelon(part, &order).1, others });
        };
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
        let mut candidates = (done..rows.len()).filter_map(|i| Some((i, rows[i][column].inverse()?)));
        let Some((found, inverse)) = candidates.next() else { continue };
        rows.swap(done, found);
        let mut pivot = std::mem::take(&mut rows[done]);
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
        rows.iter().map(|row| row.iter().map(|&x| Residue::integer(x)).collect()).collect()
    }

    /// The constants are what the arithmetic takes them for.
    #[test]
    fn the_fields_have_what_functions_need() {
        let i = Residue::imaginary();
        assert_eq!(i.times(i), Residue::ONE.negated());
        for (k, field) in FIELDS.iter().enumerate() {
            assert_eq!(field.p, 4 * field.q + 1);
            assert_ne!(power(2, 4, field.p), 1);
            assert_eq!(power(GENERATOR, field.q, field.p), 1, "field {k}");
            // Fermat's test with several bases
            for base in [2, 3, 5, 7, 11] {
                assert_eq!((power(base, field.p - 1, field.p), power(base, field.q - 1, field.q)), (1, 1));
            }
        }
        let third = Rational::new(1.into(), 3.into()).expect("below is not zero");
        let third = Residue::rational(&third).expect("3 has an inverse");
        assert_eq!(third.times(Residue::integer(3)), Residue::ONE);
        assert_eq!(third.negated().fraction().map(|value| value.to_string()).as_deref(), Some("-1/3"));
        assert_eq!(Residue::random(7).fraction(), None);
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
