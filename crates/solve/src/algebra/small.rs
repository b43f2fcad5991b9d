//! Dense LU of up to [`MAX_SMALL`] unknowns, for Newton's method in real time: no allocation, no row is ever moved.
//!
//! The matrix stands by columns, each as wide as a whole number of registers, so that every inner loop is a few vector
//! operations of a length known to the compiler. A row that has been a pivot row is masked instead of exchanged:
//!
//! ```text
//!   pₖ      = argmax |aᵢₖ|             i not yet a pivot row
//!   lᵢₖ     = aᵢₖ / aₚₖ                 0 for pivot rows
//!   aᵢⱼ    −= lᵢₖ aₚⱼ                   j > k, all i
//! ```
//!
//! Complex columns are two planes, real parts and imaginary parts.

use super::scalar::Scalar;
use super::scaling::{ROUNDING, SUSPICIOUS, row_scale};
use crate::linear::{Instructions, PORTABLE_FUSED, multiply_add};

/// The most unknowns.
pub(crate) const MAX_SMALL: usize = 32;

/// Low bits of a number's size that give way to the number of its row, when the largest one is looked for.
const ROW_BITS: u64 = 63;

#[derive(Clone, Debug)]
pub(crate) struct Small<T> {
    n: usize,
    /// Rows of a column, with those that fill the last register.
    width: usize,
    /// The scaled matrix, then U: column k in the rows that were pivot rows before step k.
    upper: Vec<f64>,
    /// L, zero in pivot rows.
    lower: Vec<f64>,
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
        let width = if n <= 16 { n.next_multiple_of(4).max(4) } else { n.next_multiple_of(8) };
        let size = n * width * T::PARTS;
        Small {
            n,
            width,
            upper: vec![0.0; size],
            lower: vec![0.0; size],
            scale: vec![0.0; width],
            pivots: vec![0; n],
            inverse: vec![T::default(); n],
            instructions: Instructions::best(),
        }
    }

    /// Where the real part of an element stands; `imaginary` places later stands the other one.
    pub fn place(&self, row: usize, column: usize) -> usize {
        column * self.width * T::PARTS + row
    }

    /// Distance of the planes.
    pub fn imaginary(&self) -> usize {
        self.width
    }

    /// The elements, to be filled before [`Small::factor`].
    pub fn elements(&mut self) -> &mut [f64] {
        &mut self.upper
    }

    /// Row factors.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Gives the column without a pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        match self.width {
            4 => self.factor_of::<4>(),
            8 => self.factor_of::<8>(),
            12 => self.factor_of::<12>(),
            16 => self.factor_of::<16>(),
            24 => self.factor_of::<24>(),
            32 => self.factor_of::<32>(),
            other => unreachable!("no column is {other} wide"),
        }
    }

    fn factor_of<const W: usize>(&mut self) -> Result<(), usize> {
        match self.instructions {
            // SAFETY: these instructions are chosen only where they were detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { factor_avx512::<T, W>(self) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { factor_avx2::<T, W>(self) },
            Instructions::Portable => factor_body::<T, W, PORTABLE_FUSED>(self),
        }
    }

    pub fn solve(&self, b: &mut [T]) {
        match self.width {
            4 => self.solve_of::<4>(b),
            8 => self.solve_of::<8>(b),
            12 => self.solve_of::<12>(b),
            16 => self.solve_of::<16>(b),
            24 => self.solve_of::<24>(b),
            32 => self.solve_of::<32>(b),
            other => unreachable!("no column is {other} wide"),
        }
    }

    fn solve_of<const W: usize>(&self, b: &mut [T]) {
        match self.instructions {
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx2 => unsafe { solve_avx2::<T, W>(self, b) },
            Instructions::Portable => solve_body::<T, W, PORTABLE_FUSED>(self, b),
        }
    }

    /// An element of `upper` or `lower`.
    fn at(&self, plane: &[f64], row: usize, column: usize) -> T {
        let place = self.place(row, column);
        T::from_parts(plane[place], if T::PARTS == 2 { plane[place + self.width] } else { 0.0 })
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

    /// Whether what is left of column k is rounding, in every row that is not masked: then it is at most a few roundings
    /// of the terms that were subtracted from it,
    ///
    /// ```text
    ///   |aᵢₖ| ≤ ε Σⱼ |lᵢⱼ| |uⱼₖ|
    /// ```
    #[cold]
    fn is_rounding(&self, k: usize, open: &[u64]) -> bool {
        (0..self.n).filter(|&i| open[i] != 0).all(|i| {
            let terms = (0..k)
                .map(|j| self.at(&self.lower, i, j).size() * self.at(&self.upper, self.pivots[j] as usize, k).size());
            self.at(&self.upper, i, k).size() <= ROUNDING * terms.sum::<f64>()
        })
    }

    /// The first column with an element that is not a finite number.
    #[cold]
    fn not_finite(&self) -> usize {
        let column = self.width * T::PARTS;
        self.upper.chunks(column).position(|part| part.iter().any(|x| !x.is_finite())).unwrap_or(0)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn factor_avx512<T: Scalar, const W: usize>(m: &mut Small<T>) -> Result<(), usize> {
    factor_body::<T, W, true>(m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn factor_avx2<T: Scalar, const W: usize>(m: &mut Small<T>) -> Result<(), usize> {
    factor_body::<T, W, true>(m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn solve_avx2<T: Scalar, const W: usize>(m: &Small<T>, b: &mut [T]) {
    solve_body::<T, W, true>(m, b);
}

/// target −= factor · source
#[inline(always)]
fn subtract<T: Scalar, const W: usize, const FUSED: bool>(target: &mut [[f64; W]], factor: T, source: &[[f64; W]]) {
    let (re, im) = (factor.re(), factor.im());
    if T::PARTS == 1 {
        let (target, source) = (&mut target[0], &source[0]);
        for i in 0..W {
            target[i] = multiply_add::<FUSED>(-re, source[i], target[i]);
        }
    } else if let ([target_re, target_im, ..], [source_re, source_im, ..]) = (target, source) {
        for i in 0..W {
            let real = multiply_add::<FUSED>(-re, source_re[i], target_re[i]);
            target_re[i] = multiply_add::<FUSED>(im, source_im[i], real);
        }
        for i in 0..W {
            let imaginary = multiply_add::<FUSED>(-re, source_im[i], target_im[i]);
            target_im[i] = multiply_add::<FUSED>(-im, source_re[i], imaginary);
        }
    }
}

/// Element i of a column.
#[inline(always)]
fn element<T: Scalar, const W: usize>(column: &[[f64; W]], i: usize) -> T {
    T::from_parts(column[0][i], if T::PARTS == 2 { column[1][i] } else { 0.0 })
}

#[inline(always)]
fn factor_body<T: Scalar, const W: usize, const FUSED: bool>(m: &mut Small<T>) -> Result<(), usize> {
    let n = m.n;
    // Sizes as integers: they compare alike, and what is not finite is larger than anything finite. As signed ones, for
    // there is a vector instruction for those.
    let mut largest = [0i64; W];
    let (planes, _) = m.upper.as_chunks_mut::<W>();
    for plane in planes.iter() {
        for i in 0..W {
            largest[i] = largest[i].max(plane[i].abs().to_bits() as i64);
        }
    }
    let mut scale = [0.0; W];
    let mut all = 0;
    for i in 0..W {
        all = all.max(largest[i]);
        scale[i] = row_scale(largest[i] as u64);
    }
    if all >= f64::INFINITY.to_bits() as i64 {
        return Err(m.not_finite());
    }
    for plane in planes.iter_mut() {
        for i in 0..W {
            plane[i] *= scale[i];
        }
    }
    m.scale.copy_from_slice(&scale);
    let mut open = [0u64; W];
    open[..n].fill(u64::MAX);
    for k in 0..n {
        let current = &m.upper.as_chunks::<W>().0[k * T::PARTS..(k + 1) * T::PARTS];
        let mut best = 0;
        for (i, open) in open.iter().enumerate() {
            let key = (element::<T, W>(current, i).size().to_bits() & !ROW_BITS) | (ROW_BITS - i as u64);
            best = best.max((key & open) as i64);
        }
        let row = (ROW_BITS - (best as u64 & ROW_BITS)) as usize % W;
        let pivot: T = element(current, row);
        if !(pivot.size() >= SUSPICIOUS && pivot.is_finite()) && no_pivot(m, k, row, &open) {
            return Err(k);
        }
        open[row] = 0;
        m.pivots[k] = row as u32;
        let inverse = pivot.reciprocal();
        m.inverse[k] = inverse;
        let (done, rest) = m.upper.as_chunks_mut::<W>().0.split_at_mut((k + 1) * T::PARTS);
        let current = &done[k * T::PARTS..];
        let lower = &mut m.lower.as_chunks_mut::<W>().0[k * T::PARTS..(k + 1) * T::PARTS];
        for i in 0..W {
            let l = element::<T, W>(current, i) * inverse;
            lower[0][i] = f64::from_bits(l.re().to_bits() & open[i]);
            if T::PARTS == 2 {
                lower[1][i] = f64::from_bits(l.im().to_bits() & open[i]);
            }
        }
        for column in rest.chunks_exact_mut(T::PARTS) {
            let factor: T = element(column, row);
            subtract::<T, W, FUSED>(column, factor, lower);
        }
    }
    Ok(())
}

/// Whether the largest element left of column k is no pivot.
#[cold]
fn no_pivot<T: Scalar>(m: &Small<T>, k: usize, row: usize, open: &[u64]) -> bool {
    let pivot = m.at(&m.upper, row, k);
    pivot.size() == 0.0 || !pivot.is_finite() || m.is_rounding(k, open)
}

#[inline(always)]
fn solve_body<T: Scalar, const W: usize, const FUSED: bool>(m: &Small<T>, b: &mut [T]) {
    let n = m.n;
    assert_eq!(b.len(), n, "as many right-hand sides as rows");
    let mut planes = [[0.0; W]; 2];
    for i in 0..n {
        planes[0][i] = b[i].re() * m.scale[i];
        if T::PARTS == 2 {
            planes[1][i] = b[i].im() * m.scale[i];
        }
    }
    let (lower, upper) = (m.lower.as_chunks::<W>().0, m.upper.as_chunks::<W>().0);
    for (lower, &row) in lower.chunks_exact(T::PARTS).zip(&m.pivots) {
        let y: T = element(&planes, row as usize % W);
        subtract::<T, W, FUSED>(&mut planes, y, lower);
    }
    // Rows whose unknown is known are garbage from here on, and not looked at again.
    for (k, upper) in upper.chunks_exact(T::PARTS).enumerate().rev() {
        let x = element::<T, W>(&planes, m.pivots[k] as usize % W) * m.inverse[k];
        subtract::<T, W, FUSED>(&mut planes, x, upper);
        b[k] = x;
    }
}
