//! Dense LU of up to [`MAX_SMALL`] unknowns, for Newton's method in real time: no allocation, no row is ever moved.
//!
//! The matrix stands by columns, each of a whole number of vectors, so that every inner loop is a few operations whose
//! number the compiler knows. A row that has been a pivot row is masked instead of exchanged:
//!
//! ```text
//!   pₖ      = argmax |aᵢₖ|             i not yet a pivot row
//!   lᵢₖ     = aᵢₖ / aₚₖ                 0 for pivot rows
//!   aᵢⱼ    −= lᵢₖ aₚⱼ                   j > k, all i
//! ```
//!
//! Complex columns are two planes, real parts and imaginary parts.

use crate::scalar::Scalar;
use crate::scaling::{SUSPICIOUS, is_rounding, row_scale};
#[cfg(target_arch = "x86_64")]
use ordinate_numbers::vector::x86;
use ordinate_numbers::vector::{LANES, Lanes, Vector};
use ordinate_numbers::{Instructions, Octet};

/// The most unknowns.
pub(crate) const MAX_SMALL: usize = 32;

/// Low bits of a number's size that give way to the number of its row, when the largest one is looked for.
const ROW_BITS: u64 = 63;

#[derive(Clone, Debug)]
pub(crate) struct Small<T> {
    n: usize,
    /// Vectors of a column, or of each of its planes.
    groups: usize,
    /// The scaled matrix, then U: column k in the rows that were pivot rows before step k.
    upper: Vec<Octet>,
    /// L, zero in pivot rows.
    lower: Vec<Octet>,
    /// Row factors, powers of two.
    scale: Vec<f64>,
    /// The pivot row of each step.
    pivots: Vec<u32>,
    /// Reciprocal pivots.
    inverse: Vec<T>,
    instructions: Instructions,
}

impl<T: Scalar> Small<T> {
    pub fn new(n: usize) -> Small<T> {
        assert!(n <= MAX_SMALL, "small matrices have at most {MAX_SMALL} rows");
        let groups = n.div_ceil(LANES).max(1);
        let vectors = vec![Octet::default(); n * groups * T::PARTS];
        Small {
            n,
            groups,
            upper: vectors.clone(),
            lower: vectors,
            scale: vec![0.0; groups * LANES],
            pivots: vec![0; n],
            inverse: vec![T::default(); n],
            instructions: Instructions::best(),
        }
    }

    /// Where the real part of an element stands.
    pub fn place(&self, row: usize, column: usize) -> usize {
        column * self.groups * T::PARTS * LANES + row
    }

    /// Takes the values of the elements at some places; `whole` if those are all places.
    pub fn fill(&mut self, places: &[u32], values: &[T], whole: bool) {
        if !whole {
            self.upper.fill(Octet::default());
        }
        for (&place, value) in places.iter().zip(values) {
            let (vector, lane) = (place as usize / LANES, place as usize % LANES);
            self.upper[vector].0[lane] = value.re();
            if T::PARTS == 2 {
                self.upper[vector + self.groups].0[lane] = value.im();
            }
        }
    }

    /// Row factors.
    pub fn scale(&self) -> &[f64] {
        &self.scale[..self.n]
    }

    /// Gives the column without a pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        match self.groups {
            1 => self.factor_of::<1>(),
            2 => self.factor_of::<2>(),
            3 => self.factor_of::<3>(),
            4 => self.factor_of::<4>(),
            other => unreachable!("no column has {other} vectors"),
        }
    }

    fn factor_of<const G: usize>(&mut self) -> Result<(), usize> {
        match self.instructions {
            // SAFETY: these instructions are chosen only where they were detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { factor_avx512::<T, G>(self) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { factor_avx2::<T, G>(self) },
            Instructions::Portable => factor_body::<T, Lanes, G>(self),
        }
    }

    pub fn solve(&self, b: &mut [T]) {
        match self.groups {
            1 => self.solve_of::<1>(b),
            2 => self.solve_of::<2>(b),
            3 => self.solve_of::<3>(b),
            4 => self.solve_of::<4>(b),
            other => unreachable!("no column has {other} vectors"),
        }
    }

    fn solve_of<const G: usize>(&self, b: &mut [T]) {
        match self.instructions {
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { solve_avx512::<T, G>(self, b) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { solve_avx2::<T, G>(self, b) },
            Instructions::Portable => solve_body::<T, Lanes, G>(self, b),
        }
    }

    /// An element of `upper` or `lower`.
    fn at(&self, matrix: &[Octet], row: usize, column: usize) -> T {
        let size = self.groups * T::PARTS;
        element(&matrix[column * size..(column + 1) * size], self.groups, row)
    }

    /// Aᵀ = Uᵀ Lᵀ of the scaled rows: first along the columns of U, then backwards along those of L.
    pub fn solve_transposed(&self, b: &mut [T]) {
        let n = self.n;
        let mut z = [T::default(); MAX_SMALL];
        for k in 0..n {
            let u = |j: usize| self.at(&self.upper, self.pivots[j] as usize, k);
            b[k] = (0..k).fold(b[k], |sum, j| sum - u(j) * b[j]) * self.inverse[k];
        }
        for k in (0..n).rev() {
            z[self.pivots[k] as usize] = (0..n).fold(b[k], |sum, i| sum - self.at(&self.lower, i, k) * z[i]);
        }
        for (b, (&z, &scale)) in b.iter_mut().zip(z.iter().zip(&self.scale)) {
            *b = z * scale;
        }
    }

    /// Whether what is left of column k is rounding, in every open row.
    #[cold]
    fn is_rounding(&self, k: usize, open: &[Octet]) -> bool {
        let mut rows = [0; MAX_SMALL];
        let candidates = (0..self.n).filter(|&i| open[i / LANES].0[i % LANES] != 0.0);
        let pivots = self.pivots[..k].iter().map(|&row| row as usize);
        rows.iter_mut().zip(pivots.chain(candidates)).for_each(|(place, row)| *place = row);
        let lower = |i: usize, j: usize| self.at(&self.lower, rows[i], j).size();
        let upper = |i: usize| self.at(&self.upper, rows[i], k).size();
        is_rounding(0, k, self.n, lower, upper, upper, &mut [0.0; MAX_SMALL])
    }

    /// The first column with an element that is not a finite number.
    #[cold]
    fn not_finite(&self) -> usize {
        let not_finite = |j: usize| (0..self.n).any(|i| !self.at(&self.upper, i, j).is_finite());
        (0..self.n).find(|&j| not_finite(j)).expect("an element that is not finite was seen")
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn factor_avx512<T: Scalar, const G: usize>(m: &mut Small<T>) -> Result<(), usize> {
    factor_body::<T, std::arch::x86_64::__m512d, G>(m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn factor_avx2<T: Scalar, const G: usize>(m: &mut Small<T>) -> Result<(), usize> {
    factor_body::<T, x86::Pair, G>(m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn solve_avx512<T: Scalar, const G: usize>(m: &Small<T>, b: &mut [T]) {
    solve_body::<T, std::arch::x86_64::__m512d, G>(m, b);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn solve_avx2<T: Scalar, const G: usize>(m: &Small<T>, b: &mut [T]) {
    solve_body::<T, x86::Pair, G>(m, b);
}

/// target −= factor · source
#[inline(always)]
fn subtract<T: Scalar, V: Vector, const G: usize>(target: &mut [Octet], factor: T, source: &[Octet]) {
    let (target, source) = (&mut target[..G * T::PARTS], &source[..G * T::PARTS]);
    let minus_re = V::splat(-factor.re());
    if T::PARTS == 1 {
        for g in 0..G {
            V::load(&source[g].0).multiply_add(minus_re, V::load(&target[g].0)).store(&mut target[g].0);
        }
    } else {
        let (im, minus_im) = (V::splat(factor.im()), V::splat(-factor.im()));
        for g in 0..G {
            let (re_source, im_source) = (V::load(&source[g].0), V::load(&source[G + g].0));
            let re = re_source.multiply_add(minus_re, V::load(&target[g].0));
            let imaginary = im_source.multiply_add(minus_re, V::load(&target[G + g].0));
            im_source.multiply_add(im, re).store(&mut target[g].0);
            re_source.multiply_add(minus_im, imaginary).store(&mut target[G + g].0);
        }
    }
}

/// Element i of a column with so many vectors to a plane.
#[inline(always)]
fn element<T: Scalar>(column: &[Octet], groups: usize, i: usize) -> T {
    let (vector, lane) = (i / LANES, i % LANES);
    T::from_parts(column[vector].0[lane], if T::PARTS == 2 { column[vector + groups].0[lane] } else { 0.0 })
}

/// Scales the rows to size one; false if there is something that is not finite.
#[inline(always)]
fn scale_rows<T: Scalar, V: Vector, const G: usize>(m: &mut Small<T>) -> bool {
    let zero = V::splat(0.0);
    for g in 0..G {
        // 0 · x is not zero where x is not finite.
        let (mut largest, mut check) = (zero, zero);
        for vector in m.upper.iter().skip(g).step_by(G) {
            let x = V::load(&vector.0);
            largest = x.abs().larger(largest);
            check = x.multiply_add(zero, check);
        }
        let (mut scale, mut checked) = ([0.0; LANES], [0.0; LANES]);
        largest.store(&mut scale);
        check.store(&mut checked);
        if checked.iter().sum::<f64>() != 0.0 {
            return false;
        }
        scale = scale.map(|largest| row_scale(largest.to_bits()));
        m.scale[g * LANES..(g + 1) * LANES].copy_from_slice(&scale);
        let scale = V::load(&scale);
        for vector in m.upper.iter_mut().skip(g).step_by(G) {
            V::load(&vector.0).times(scale).store(&mut vector.0);
        }
    }
    true
}

/// The row with the largest element among the open ones: sizes of numbers compare like their bits.
#[inline(always)]
fn largest_row<T: Scalar, const G: usize>(column: &[Octet], open: &[Octet; G]) -> usize {
    let mut best = 0;
    for (g, open) in open.iter().enumerate() {
        for (lane, open) in open.0.iter().enumerate() {
            let size = element::<T>(column, G, g * LANES + lane).size() * open;
            let key = (size.to_bits() & !ROW_BITS) | (ROW_BITS - (g * LANES + lane) as u64);
            best = best.max(key as i64);
        }
    }
    (ROW_BITS - (best as u64 & ROW_BITS)) as usize % (G * LANES)
}

#[inline(always)]
fn factor_body<T: Scalar, V: Vector, const G: usize>(m: &mut Small<T>) -> Result<(), usize> {
    let (n, size) = (m.n, G * T::PARTS);
    if !scale_rows::<T, V, G>(m) {
        return Err(m.not_finite());
    }
    // One where a row may still be a pivot row.
    let mut open = [Octet::default(); G];
    for i in 0..n {
        open[i / LANES].0[i % LANES] = 1.0;
    }
    for k in 0..n {
        let current = &m.upper[k * size..(k + 1) * size];
        let row = largest_row::<T, G>(current, &open);
        let pivot: T = element(current, G, row);
        // Where nothing is left of the column in the open rows, the row found is one of the others.
        let is_open = open[row / LANES].0[row % LANES] != 0.0;
        if !(is_open && pivot.size() >= SUSPICIOUS && pivot.is_finite()) && no_pivot(m, k, row, &open) {
            return Err(k);
        }
        open[row / LANES].0[row % LANES] = 0.0;
        m.pivots[k] = row as u32;
        let inverse = pivot.reciprocal();
        m.inverse[k] = inverse;
        let (done, rest) = m.upper.split_at_mut((k + 1) * size);
        let current = &done[k * size..];
        let lower = &mut m.lower[k * size..(k + 1) * size];
        let (re, im) = (V::splat(inverse.re()), V::splat(inverse.im()));
        for g in 0..G {
            let mask = V::load(&open[g].0);
            let x = V::load(&current[g].0);
            if T::PARTS == 1 {
                x.times(re).times(mask).store(&mut lower[g].0);
            } else {
                let y = V::load(&current[G + g].0);
                x.times(re).minus(y.times(im)).times(mask).store(&mut lower[g].0);
                x.times(im).plus(y.times(re)).times(mask).store(&mut lower[G + g].0);
            }
        }
        for column in rest.chunks_exact_mut(size) {
            let factor: T = element(column, G, row);
            subtract::<T, V, G>(column, factor, lower);
        }
    }
    Ok(())
}

/// Whether the largest element left of column k is no pivot.
#[cold]
fn no_pivot<T: Scalar>(m: &Small<T>, k: usize, row: usize, open: &[Octet]) -> bool {
    let pivot = m.at(&m.upper, row, k);
    let is_open = open[row / LANES].0[row % LANES] != 0.0;
    !is_open || pivot.size() == 0.0 || !pivot.is_finite() || m.is_rounding(k, open)
}

#[inline(always)]
fn solve_body<T: Scalar, V: Vector, const G: usize>(m: &Small<T>, b: &mut [T]) {
    let size = G * T::PARTS;
    let mut planes = [[Octet::default(); G]; 2];
    for (i, (b, &scale)) in b.iter().zip(&m.scale).enumerate() {
        planes[0][i / LANES].0[i % LANES] = b.re() * scale;
        if T::PARTS == 2 {
            planes[1][i / LANES].0[i % LANES] = b.im() * scale;
        }
    }
    let planes = planes.as_flattened_mut();
    for (lower, &row) in m.lower.chunks_exact(size).zip(&m.pivots) {
        let y: T = element(planes, G, row as usize % (G * LANES));
        subtract::<T, V, G>(planes, y, lower);
    }
    // Rows whose unknown is known are garbage from here on, and not looked at again.
    for (k, upper) in m.upper.chunks_exact(size).enumerate().rev() {
        let x = element::<T>(planes, G, m.pivots[k] as usize % (G * LANES)) * m.inverse[k];
        subtract::<T, V, G>(planes, x, upper);
        b[k] = x;
    }
}
