//! LU of σₖ M − J for up to four shifts σₖ at once, one matrix per lane: those of Radau's transformed systems, where they are
//! small. They differ in shifts of similar size only, so one order of pivots nearly always serves for all; where it does not,
//! [`Shifted::factor`] says so, and each has to find its own.
//!
//! A complex number of each matrix is one octet, four real parts, then four imaginary parts:
//!
//! ```text
//!   (a + ib)(x + iy):   [x | y]·[a | a] + [y | x]·[−b | b]
//! ```
//!
//! Both vectors of a factor are kept, negative, so that a product is taken off by two fused operations.

use crate::scaling::{SUSPICIOUS, row_scale};
use ordinate_numbers::Octet;
use ordinate_numbers::vector::Vector;

/// The most unknowns: more would not stay in the fastest memory.
pub const MOST_SHIFTED: usize = 10;

/// A pivot must be this part of the largest one that its matrix would choose.
const GOOD_ENOUGH: f64 = 0.1;

/// 1 for real parts.
const REAL: Octet = Octet([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
/// The sign of the imaginary part in [−b | b].
const SIGN: Octet = Octet([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0]);

/// [a | a] and [−b | b] of a + ib.
#[derive(Clone, Copy, Debug, Default)]
struct Factor {
    real: Octet,
    imaginary: Octet,
}

/// The factors of the matrices.
#[derive(Clone, Debug)]
pub struct Shifted {
    n: usize,
    /// By rows; rows are exchanged.
    matrix: Vec<Octet>,
    /// −L and −U by columns, the reciprocal pivots on the diagonal.
    factors: Vec<Factor>,
    /// The row that came to each place.
    rows: Vec<usize>,
    /// Row factors, powers of two, in the order of the places.
    scale: Vec<f64>,
    /// A right-hand side in the order of the places.
    work: Vec<Octet>,
}

impl Shifted {
    /// Room for n unknowns.
    pub fn new(n: usize) -> Shifted {
        Shifted {
            n,
            matrix: vec![Octet::default(); n * n],
            factors: vec![Factor::default(); n * n],
            rows: vec![0; n],
            scale: vec![0.0; n],
            work: vec![Octet::default(); n],
        }
    }

    /// Takes J, all elements by rows, and the shifts; the first `differential` rows have one. Whether the same pivots serve for
    /// all matrices.
    #[inline(always)]
    pub fn factor<V: Vector>(&mut self, j: &[f64], differential: usize, sigma: &Octet) -> bool {
        let n = self.n;
        let (real, sign, sigma) = (V::load(&REAL.0), V::load(&SIGN.0), V::load(&sigma.0));
        for (i, (row, j)) in self.matrix.chunks_exact_mut(n).zip(j.chunks_exact(n)).enumerate() {
            let mut largest = V::splat(0.0);
            for (k, (element, &j)) in row.iter_mut().zip(j).enumerate() {
                let mut x = real.times(V::splat(-j));
                if k == i && i < differential {
                    x = x.plus(sigma);
                }
                largest = largest.larger(x.abs());
                x.store(&mut element.0);
            }
            let scale = row_scale(most::<V>(largest).to_bits());
            (self.rows[i], self.scale[i]) = (i, scale);
            let scale = V::splat(scale);
            row.iter_mut().for_each(|x| V::load(&x.0).times(scale).store(&mut x.0));
        }
        for k in 0..n {
            let (mut place, mut best, mut largest) = (k, -1.0, V::splat(0.0));
            for i in k..n {
                let size = size(V::load(&self.matrix[i * n + k].0));
                largest = largest.larger(size);
                let total = sum::<V>(size);
                if total > best {
                    (place, best) = (i, total);
                }
            }
            if place != k {
                for j in 0..n {
                    self.matrix.swap(k * n + j, place * n + j);
                }
                self.rows.swap(k, place);
                self.scale.swap(k, place);
            }
            let pivot = V::load(&self.matrix[k * n + k].0);
            let enough = largest.times(V::splat(GOOD_ENOUGH)).larger(V::splat(SUSPICIOUS));
            // What is not a number is not enough either.
            let rest = array(size(pivot).minus(enough));
            let serves = (rest[0] >= 0.0) & (rest[1] >= 0.0) & (rest[2] >= 0.0) & (rest[3] >= 0.0);
            if !serves || !best.is_finite() {
                return false;
            }
            let inverse = reciprocal::<V>(pivot);
            let real = inverse.first_twice();
            let imaginary = inverse.second_twice().times(sign);
            real.store(&mut self.factors[k * n + k].real.0);
            imaginary.store(&mut self.factors[k * n + k].imaginary.0);
            let (above, below) = self.matrix.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let a = V::load(&row[k].0);
                let l = a.times(real).plus(a.swapped().times(imaginary));
                l.store(&mut row[k].0);
                let (minus, turned) = negative::<V>(l, sign);
                for (x, u) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    let u = V::load(&u.0);
                    let taken = u.multiply_add(minus, V::load(&x.0));
                    u.swapped().multiply_add(turned, taken).store(&mut x.0);
                }
            }
        }
        for i in 0..n {
            for k in 0..n {
                if k == i {
                    continue;
                }
                let (real, imaginary) = negative::<V>(V::load(&self.matrix[i * n + k].0), sign);
                let factor = &mut self.factors[k * n + i];
                real.store(&mut factor.real.0);
                imaginary.store(&mut factor.imaginary.0);
            }
        }
        true
    }

    /// The solutions in the place of the right-hand sides.
    #[inline(always)]
    pub fn solve<V: Vector>(&mut self, b: &mut [Octet]) {
        let n = self.n;
        for k in 0..n {
            V::load(&b[self.rows[k]].0).times(V::splat(self.scale[k])).store(&mut self.work[k].0);
        }
        for k in 0..n {
            let x = V::load(&self.work[k].0);
            take_off(x, &self.factors[k * n + k + 1..(k + 1) * n], &mut self.work[k + 1..]);
        }
        for k in (0..n).rev() {
            let (y, pivot) = (V::load(&self.work[k].0), &self.factors[k * n + k]);
            let x = y.times(V::load(&pivot.real.0)).plus(y.swapped().times(V::load(&pivot.imaginary.0)));
            x.store(&mut b[k].0);
            take_off(x, &self.factors[k * n..k * n + k], &mut self.work[..k]);
        }
    }
}

/// work −= column · x, the column being negative.
#[inline(always)]
fn take_off<V: Vector>(x: V, column: &[Factor], work: &mut [Octet]) {
    let turned = x.swapped();
    let work = &mut work[..column.len()];
    for i in 0..column.len() {
        let taken = x.multiply_add(V::load(&column[i].real.0), V::load(&work[i].0));
        turned.multiply_add(V::load(&column[i].imaginary.0), taken).store(&mut work[i].0);
    }
}

/// Both vectors of −x.
#[inline(always)]
fn negative<V: Vector>(x: V, sign: V) -> (V, V) {
    let zero = V::splat(0.0);
    (zero.minus(x.first_twice()), zero.minus(x.second_twice().times(sign)))
}

/// |re| + |im|, twice.
#[inline(always)]
fn size<V: Vector>(x: V) -> V {
    x.abs().plus(x.abs().swapped())
}

/// The pivots are neither huge nor tiny, for the rows are of size one.
#[inline(always)]
fn reciprocal<V: Vector>(x: V) -> V {
    let square = x.times(x);
    let mut modulus = Octet::default();
    square.plus(square.swapped()).store(&mut modulus.0);
    let inverse = V::load(&modulus.0.map(|m| 1.0 / m));
    let zero = V::splat(0.0);
    // The real part as it is, the imaginary one with the other sign.
    x.times(inverse).times(zero.minus(V::load(&SIGN.0)))
}

#[inline(always)]
fn array<V: Vector>(x: V) -> [f64; 8] {
    let mut array = [0.0; 8];
    x.store(&mut array);
    array
}

#[inline(always)]
fn most<V: Vector>(x: V) -> f64 {
    let x = array(x);
    x[0].max(x[1]).max(x[2].max(x[3])).max(x[4].max(x[5]).max(x[6].max(x[7])))
}

#[inline(always)]
fn sum<V: Vector>(x: V) -> f64 {
    let x = array(x);
    ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
}
