//! Dense LU of any size: by columns, in blocks, so that most of the work is a product of blocks that stays in the fast
//! memory (J. J. Dongarra, I. S. Duff, D. C. Sorensen, H. A. van der Vorst, Solving Linear Systems on Vector and Shared
//! Memory Computers, SIAM 1991, section 5.4).
//!
//! ```text
//!   ⎡ A₁₁ A₁₂ ⎤   ⎡ L₁₁     ⎤ ⎡ U₁₁ U₁₂ ⎤      panel:    A₁₁, A₂₁ → L₁₁, L₂₁, U₁₁
//!   ⎣ A₂₁ A₂₂ ⎦ = ⎣ L₂₁  I  ⎦ ⎣      S  ⎦      U₁₂ = L₁₁⁻¹ A₁₂,   S = A₂₂ − L₂₁ U₁₂
//! ```

use std::ops::Range;

use crate::product::{BLOCK, Packed};
use crate::scalar::Scalar;
use crate::scaling::{SUSPICIOUS, is_rounding, row_scale};
use ordinate_numbers::Instructions;
#[cfg(target_arch = "x86_64")]
use ordinate_numbers::vector::x86;
use ordinate_numbers::vector::{Lanes, PORTABLE_FUSED, Vector, multiply_add};

#[derive(Clone, Debug)]
pub(crate) struct Dense<T> {
    n: usize,
    /// Distance of the planes of real and imaginary parts.
    stride: usize,
    /// L below the diagonal and U, by columns of one or two planes.
    elements: Vec<f64>,
    scale: Vec<f64>,
    /// Step k exchanged rows k and `pivots[k]`.
    pivots: Vec<u32>,
    inverse: Vec<T>,
    largest: Vec<u64>,
    packed: Packed,
    work: Vec<f64>,
    instructions: Instructions,
}

impl<T: Scalar> Dense<T> {
    pub fn new(n: usize) -> Dense<T> {
        // Columns whose addresses differ by a power of two would compete for the same lines of the cache.
        let stride = n.next_multiple_of(8) + if n.next_multiple_of(8).is_multiple_of(64) { 8 } else { 0 };
        Dense {
            n,
            stride,
            elements: vec![0.0; n * stride * T::PARTS],
            scale: vec![0.0; n],
            pivots: vec![0; n],
            inverse: vec![T::default(); n],
            largest: vec![0; n],
            packed: Packed::new(n),
            work: vec![0.0; stride * T::PARTS],
            instructions: Instructions::best(),
        }
    }

    pub fn place(&self, row: usize, column: usize) -> usize {
        column * self.stride * T::PARTS + row
    }

    /// Takes the values of the elements at some places; `whole` if those are all places.
    pub fn fill(&mut self, places: &[u32], values: &[T], whole: bool) {
        if !whole {
            self.elements.fill(0.0);
        }
        for (&place, &value) in places.iter().zip(values) {
            put(&mut self.elements, self.stride, place as usize, value);
        }
    }

    /// Row factors.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Gives the column without a pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        match self.instructions {
            // SAFETY: these instructions are chosen only where they were detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { factor_avx512(self) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { factor_avx2(self) },
            Instructions::Portable => factor_body::<T, Lanes, 1, PORTABLE_FUSED>(self),
        }
    }

    pub fn solve(&mut self, b: &mut [T]) {
        match self.instructions {
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx2 => unsafe { solve_avx2(self, b) },
            Instructions::Portable => solve_body::<T, PORTABLE_FUSED>(self, b),
        }
    }

    fn at(&self, row: usize, column: usize) -> T {
        element(&self.elements[self.place(0, column)..], self.stride, row)
    }

    pub fn solve_transposed(&mut self, b: &mut [T]) {
        let n = self.n;
        for k in 0..n {
            b[k] = (0..k).fold(b[k], |sum, j| sum - self.at(j, k) * b[j]) * self.inverse[k];
        }
        for k in (0..n).rev() {
            b[k] = (k + 1..n).fold(b[k], |sum, i| sum - self.at(i, k) * b[i]);
        }
        for k in (0..n).rev() {
            b.swap(k, self.pivots[k] as usize);
        }
        for (b, &scale) in b.iter_mut().zip(&self.scale) {
            *b = *b * scale;
        }
    }

    /// Whether what is left of column k is rounding. In the panel that began at `begin`, rows were exchanged already, but
    /// columns to the left of it still have theirs where they were.
    #[cold]
    fn is_rounding(&self, begin: usize, k: usize) -> bool {
        let mut before: Vec<usize> = (0..self.n).collect();
        (begin..k).for_each(|step| before.swap(step, self.pivots[step] as usize));
        let lower = |i: usize, j: usize| self.at(if j < begin { before[i] } else { i }, j).size();
        let upper = |i: usize| self.at(i, k).size();
        is_rounding(0, k, self.n, lower, upper, upper, &mut vec![0.0; k])
    }

    #[cold]
    fn not_finite(&self) -> usize {
        let column = self.stride * T::PARTS;
        self.elements.chunks(column).position(|part| part.iter().any(|x| !x.is_finite())).unwrap_or(0)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn factor_avx512<T: Scalar>(m: &mut Dense<T>) -> Result<(), usize> {
    factor_body::<T, std::arch::x86_64::__m512d, 2, true>(m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn factor_avx2<T: Scalar>(m: &mut Dense<T>) -> Result<(), usize> {
    factor_body::<T, x86::Pair, 1, true>(m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn solve_avx2<T: Scalar>(m: &mut Dense<T>, b: &mut [T]) {
    solve_body::<T, true>(m, b);
}

#[inline(always)]
fn element<T: Scalar>(column: &[f64], stride: usize, row: usize) -> T {
    T::from_parts(column[row], if T::PARTS == 2 { column[row + stride] } else { 0.0 })
}

#[inline(always)]
fn put<T: Scalar>(column: &mut [f64], stride: usize, row: usize, value: T) {
    column[row] = value.re();
    if T::PARTS == 2 {
        column[row + stride] = value.im();
    }
}

/// Multiplies some rows of a column.
#[inline(always)]
fn multiply<T: Scalar>(column: &mut [f64], factor: T, stride: usize, rows: Range<usize>) {
    if T::PARTS == 1 {
        column[rows].iter_mut().for_each(|x| *x *= factor.re());
        return;
    }
    let (re, im) = column.split_at_mut(stride);
    for (re, im) in re[rows.clone()].iter_mut().zip(&mut im[rows]) {
        let product = T::from_parts(*re, *im) * factor;
        (*re, *im) = (product.re(), product.im());
    }
}

/// target −= factor · source in some rows of two columns.
#[inline(always)]
fn subtract<T: Scalar, const FUSED: bool>(
    target: &mut [f64],
    factor: T,
    source: &[f64],
    stride: usize,
    rows: Range<usize>,
) {
    let (re, im) = (factor.re(), factor.im());
    if T::PARTS == 1 {
        for (target, &source) in target[rows.clone()].iter_mut().zip(&source[rows]) {
            *target = multiply_add::<FUSED>(-re, source, *target);
        }
        return;
    }
    let (target_re, target_im) = target.split_at_mut(stride);
    let (source_re, source_im) = source.split_at(stride);
    let targets = target_re[rows.clone()].iter_mut().zip(&mut target_im[rows.clone()]);
    let sources = source_re[rows.clone()].iter().zip(&source_im[rows]);
    for ((target_re, target_im), (&source_re, &source_im)) in targets.zip(sources) {
        let real = multiply_add::<FUSED>(-re, source_re, *target_re);
        let imaginary = multiply_add::<FUSED>(-re, source_im, *target_im);
        *target_re = multiply_add::<FUSED>(im, source_im, real);
        *target_im = multiply_add::<FUSED>(-im, source_re, imaginary);
    }
}

/// With R vectors of V to a group of rows.
#[inline(always)]
fn factor_body<T: Scalar, V: Vector, const R: usize, const FUSED: bool>(m: &mut Dense<T>) -> Result<(), usize> {
    let (n, stride) = (m.n, m.stride);
    let column = stride * T::PARTS;
    m.largest.fill(0);
    for plane in m.elements.chunks_exact(stride) {
        for (largest, x) in m.largest.iter_mut().zip(plane) {
            *largest = (*largest).max(x.abs().to_bits());
        }
    }
    if m.largest.iter().any(|&largest| largest >= f64::INFINITY.to_bits()) {
        return Err(m.not_finite());
    }
    for (scale, &largest) in m.scale.iter_mut().zip(&m.largest) {
        *scale = row_scale(largest);
    }
    for plane in m.elements.chunks_exact_mut(stride) {
        for (x, scale) in plane.iter_mut().zip(&m.scale) {
            *x *= scale;
        }
    }
    for begin in (0..n).step_by(BLOCK) {
        let end = n.min(begin + BLOCK);
        panel::<T, FUSED>(m, begin, end)?;
        let (left, rest) = m.elements.split_at_mut(begin * column);
        let (panel, right) = rest.split_at_mut((end - begin) * column);
        let exchanges = &m.pivots[begin..end];
        for plane in left.chunks_exact_mut(stride).chain(right.chunks_exact_mut(stride)) {
            for (k, &other) in (begin..end).zip(exchanges) {
                plane.swap(k, other as usize);
            }
        }
        for target in right.chunks_exact_mut(column) {
            for (k, source) in (begin..end).zip(panel.chunks_exact(column)) {
                let factor: T = element(target, stride, k);
                subtract::<T, FUSED>(target, factor, source, stride, k + 1..end);
            }
        }
        update::<T, V, R>(&mut m.packed, panel, right, stride, begin..end, n);
    }
    Ok(())
}

/// Factors the columns of a panel; rows are exchanged in these columns only.
#[inline(always)]
fn panel<T: Scalar, const FUSED: bool>(m: &mut Dense<T>, begin: usize, end: usize) -> Result<(), usize> {
    let (n, stride) = (m.n, m.stride);
    let column = stride * T::PARTS;
    for k in begin..end {
        let current = &m.elements[k * column..(k + 1) * column];
        let (mut row, mut best) = (k, -1.0);
        for i in k..n {
            let size = element::<T>(current, stride, i).size();
            if size > best {
                (row, best) = (i, size);
            }
        }
        let pivot: T = element(current, stride, row);
        let doubtful = !(best >= SUSPICIOUS && pivot.is_finite());
        if doubtful && (best <= 0.0 || !pivot.is_finite() || m.is_rounding(begin, k)) {
            return Err(k);
        }
        m.pivots[k] = row as u32;
        if row != k {
            m.elements[begin * column..end * column].chunks_exact_mut(stride).for_each(|plane| plane.swap(k, row));
        }
        m.inverse[k] = pivot.reciprocal();
        let (done, rest) = m.elements[..end * column].split_at_mut((k + 1) * column);
        let current = &mut done[k * column..];
        multiply(current, m.inverse[k], stride, k + 1..n);
        for target in rest.chunks_exact_mut(column) {
            let factor: T = element(target, stride, k);
            subtract::<T, FUSED>(target, factor, current, stride, k + 1..n);
        }
    }
    Ok(())
}

/// S = A₂₂ − L₂₁ U₁₂, for complex matrices plane by plane.
#[inline(always)]
fn update<T: Scalar, V: Vector, const R: usize>(
    packed: &mut Packed,
    panel: &[f64],
    right: &mut [f64],
    stride: usize,
    steps: Range<usize>,
    n: usize,
) {
    let column = stride * T::PARTS;
    let (depth, rows, columns) = (steps.len(), n - steps.end, right.len() / column);
    if rows == 0 {
        return;
    }
    // (plane of A, plane of B, plane of C, sign)
    let products: &[(usize, usize, usize, f64)] = if T::PARTS == 1 {
        &[(0, 0, 0, -1.0)]
    } else {
        &[(0, 0, 0, -1.0), (0, 1, 1, -1.0), (1, 1, 0, 1.0), (1, 0, 1, -1.0)]
    };
    for (number, &(a, b, c, sign)) in products.iter().enumerate() {
        if number % 2 == 0 {
            packed.pack_a::<R>(depth, rows, |k| &panel[k * column + a * stride + steps.end..]);
        }
        packed.pack_b(depth, columns, sign, |j| &right[j * column + b * stride + steps.start..]);
        packed.add_product::<V, R>(depth, &mut right[c * stride + steps.end..], column, rows, columns);
    }
}

#[inline(always)]
fn solve_body<T: Scalar, const FUSED: bool>(m: &mut Dense<T>, b: &mut [T]) {
    let (n, stride) = (m.n, m.stride);
    assert_eq!(b.len(), n, "as many right-hand sides as rows");
    let column = stride * T::PARTS;
    let work = &mut m.work[..];
    for (i, (&b, &scale)) in b.iter().zip(&m.scale).enumerate() {
        put(work, stride, i, b * scale);
    }
    for (k, &other) in m.pivots.iter().enumerate() {
        work.chunks_exact_mut(stride).for_each(|plane| plane.swap(k, other as usize));
    }
    for (k, lower) in m.elements.chunks_exact(column).enumerate() {
        let y: T = element(work, stride, k);
        subtract::<T, FUSED>(work, y, lower, stride, k + 1..n);
    }
    for (k, upper) in m.elements.chunks_exact(column).enumerate().rev() {
        let x = element::<T>(work, stride, k) * m.inverse[k];
        subtract::<T, FUSED>(work, x, upper, stride, 0..k);
        b[k] = x;
    }
}
