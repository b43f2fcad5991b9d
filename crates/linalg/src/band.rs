//! LU of a band matrix, by rows: row i holds the columns from i − lower to i + upper + lower, the last ones for what row
//! exchanges bring in. Rows of L stay where they were eliminated, so a solution repeats the exchanges step by step. Where no
//! rows were exchanged, what a solution reads is kept once more, without gaps: a long chain takes as long as memory takes.

use crate::Pattern;
use crate::scalar::Scalar;
use crate::scaling::{SUSPICIOUS, is_rounding, or_nothing, row_scale};
use ordinate_numbers::Instructions;

#[derive(Clone, Debug)]
pub(crate) struct Band<T> {
    n: usize,
    lower: usize,
    upper: usize,
    /// Elements of a row.
    width: usize,
    /// Which unknown, and which equation, stands at a place.
    order: Vec<u32>,
    /// Where each value of the pattern goes.
    places: Vec<u32>,
    elements: Vec<T>,
    /// Row factors by places.
    scale: Vec<f64>,
    pivots: Vec<u32>,
    inverse: Vec<T>,
    work: Vec<T>,
    /// Unknowns stand in the order that they have.
    in_order: bool,
    /// No rows were exchanged, and the factors are in `tight`.
    tightened: bool,
    tight: Tight<T>,
    instructions: Instructions,
}

/// Factors of a matrix whose rows were not exchanged.
#[derive(Clone, Debug)]
struct Tight<T> {
    /// L by rows, `lower` elements each; those before the first column are zero.
    below: Vec<T>,
    /// U by rows, `upper` elements each, divided by the pivots; those behind the last column are zero.
    above: Vec<T>,
}

impl<T: Scalar> Tight<T> {
    /// Solves for the right-hand side x, whose rows are scaled by `scale` first.
    ///
    /// ```text
    ///   yₖ = sₖ bₖ − Σ lₖⱼ yⱼ   j < k,      xₖ = yₖ/pₖ − Σ (uₖⱼ/pₖ) xⱼ   j > k
    /// ```
    fn solve(&self, (lower, upper): (usize, usize), scale: &[f64], inverse: &[T], x: &mut [T]) {
        let n = x.len();
        if lower == 1 && upper == 1 {
            // The last one stays in a register.
            let mut last = T::default();
            for (x, (&l, &scale)) in x.iter_mut().zip(self.below.iter().zip(scale)) {
                last = or_nothing(*x * scale - l * last);
                *x = last;
            }
            last = T::default();
            for (x, (&u, &inverse)) in x.iter_mut().zip(self.above.iter().zip(inverse)).rev() {
                last = or_nothing(*x * inverse - u * last);
                *x = last;
            }
            return;
        }
        for k in 0..n {
            let known = k.min(lower);
            let row = &self.below[(k + 1) * lower - known..(k + 1) * lower];
            let products = row.iter().zip(&x[k - known..k]);
            x[k] = or_nothing(products.fold(x[k] * scale[k], |sum, (&l, &y)| sum - l * y));
        }
        for k in (0..n).rev() {
            let products = self.above[k * upper..(k + 1) * upper].iter().zip(&x[k + 1..]);
            x[k] = or_nothing(products.fold(x[k] * inverse[k], |sum, (&u, &y)| sum - u * y));
        }
    }
}

impl<T: Scalar> Band<T> {
    /// `order` says which unknown comes at which place.
    pub fn new(pattern: &Pattern, order: Vec<u32>) -> Band<T> {
        let n = pattern.n;
        let place = inverted(&order);
        let (lower, upper) = bandwidths(pattern, &place);
        let width = 2 * lower + upper + 1;
        let at = |i: u32, j: u32| {
            let (i, j) = (place[i as usize] as usize, place[j as usize] as usize);
            (i * width + j + lower - i) as u32
        };
        Band {
            n,
            lower,
            upper,
            width,
            places: pattern.elements().map(|(i, j)| at(i, j)).collect(),
            in_order: order.iter().enumerate().all(|(place, &i)| place == i as usize),
            tightened: false,
            tight: Tight { below: vec![T::default(); n * lower], above: vec![T::default(); n * upper] },
            order,
            elements: vec![T::default(); n * width],
            scale: vec![0.0; n],
            pivots: vec![0; n],
            inverse: vec![T::default(); n],
            work: vec![T::default(); n],
            instructions: Instructions::best(),
        }
    }

    /// Diagonals below and above the main one.
    pub fn widths(&self) -> (usize, usize) {
        (self.lower, self.upper)
    }

    /// Row factors by equations.
    pub fn scale(&self) -> Vec<f64> {
        let mut scale = vec![1.0; self.n];
        for (&i, &factor) in self.order.iter().zip(&self.scale) {
            scale[i as usize] = factor;
        }
        scale
    }

    /// Gives the column without a pivot.
    pub fn factor(&mut self, values: &[T]) -> Result<(), usize> {
        self.elements.fill(T::default());
        for (&place, &value) in self.places.iter().zip(values) {
            self.elements[place as usize] = value;
        }
        let done = match self.instructions {
            // SAFETY: these instructions are chosen only where they were detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx2 => unsafe { factor_avx2(self) },
            Instructions::Portable => factor_body(self),
        };
        done.map_err(|place| self.order[place] as usize)?;
        self.tightened = self.pivots.iter().enumerate().all(|(k, &row)| k == row as usize);
        if self.tightened {
            self.tighten();
        }
        Ok(())
    }

    /// Copies the factors.
    fn tighten(&mut self) {
        let (lower, upper, Tight { below, above }) = (self.lower, self.upper, &mut self.tight);
        for (k, row) in self.elements.chunks_exact(self.width).enumerate() {
            below[k * lower..(k + 1) * lower].copy_from_slice(&row[..lower]);
            for (above, &u) in above[k * upper..(k + 1) * upper].iter_mut().zip(&row[lower + 1..]) {
                *above = u * self.inverse[k];
            }
        }
    }

    /// Element of row `row`, which begins `lower` columns before the diagonal.
    fn at(&self, row: usize, column: usize) -> T {
        self.elements[row * self.width + column + self.lower - row]
    }

    pub fn solve(&mut self, b: &mut [T]) {
        let (n, lower, width) = (self.n, self.lower, self.width);
        let work = &mut self.work;
        if self.tightened {
            let tight = &self.tight;
            if self.in_order {
                return tight.solve((lower, self.upper), &self.scale, &self.inverse, b);
            }
            work.iter_mut().zip(&self.order).for_each(|(work, &i)| *work = b[i as usize]);
            tight.solve((lower, self.upper), &self.scale, &self.inverse, work);
            work.iter().zip(&self.order).for_each(|(&work, &i)| b[i as usize] = work);
            return;
        }
        for (place, work) in work.iter_mut().enumerate() {
            *work = b[self.order[place] as usize] * self.scale[place];
        }
        for k in 0..n {
            work.swap(k, self.pivots[k] as usize);
            let y = or_nothing(work[k]);
            work[k] = y;
            for (step, target) in work[k + 1..n.min(k + lower + 1)].iter_mut().enumerate() {
                *target -= self.elements[(k + 1 + step) * width + lower - 1 - step] * y;
            }
        }
        for k in (0..n).rev() {
            let (known, rest) = work.split_at_mut(k + 1);
            let row = &self.elements[k * width + lower + 1..(k + 1) * width];
            let mut sum = known[k];
            for (&u, &x) in row.iter().zip(&*rest) {
                sum -= u * x;
            }
            known[k] = or_nothing(sum * self.inverse[k]);
            b[self.order[k] as usize] = known[k];
        }
    }

    pub fn solve_transposed(&mut self, b: &mut [T]) {
        let (n, lower, width) = (self.n, self.lower, self.width);
        let work = &mut self.work;
        for (place, work) in work.iter_mut().enumerate() {
            *work = b[self.order[place] as usize];
        }
        for k in 0..n {
            let y = work[k] * self.inverse[k];
            work[k] = y;
            let row = &self.elements[k * width + lower + 1..(k + 1) * width];
            for (target, &u) in work[k + 1..].iter_mut().zip(row) {
                *target -= u * y;
            }
        }
        for k in (0..n).rev() {
            let l = |i: usize| self.elements[i * width + k + lower - i];
            work[k] = (k + 1..n.min(k + lower + 1)).fold(work[k], |sum, i| sum - l(i) * work[i]);
            work.swap(k, self.pivots[k] as usize);
        }
        for (place, &z) in work.iter().enumerate() {
            b[self.order[place] as usize] = z * self.scale[place];
        }
    }

    /// Whether what is left of column k is rounding. The factors of a row stand where the row stood at their step, so the
    /// exchanges are followed backwards.
    #[cold]
    fn is_rounding(&self, k: usize) -> bool {
        let begin = k.saturating_sub(self.lower + self.upper);
        let lower = |i: usize, j: usize| {
            let last = if i < k { self.pivots[i] as usize } else { i };
            let row = (j + 1..i.min(k))
                .rev()
                .fold(last, |row, step| if row == self.pivots[step] as usize { step } else { row });
            if row <= j + self.lower { self.at(row, j).size() } else { 0.0 }
        };
        let upper = |i: usize| self.at(i, k).size();
        is_rounding(begin, k, self.n.min(k + self.lower + 1), lower, upper, upper, &mut vec![0.0; k - begin])
    }
}

/// The place of each unknown.
pub(crate) fn inverted(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (k, &i) in order.iter().enumerate() {
        place[i as usize] = k as u32;
    }
    place
}

/// The largest distances from the diagonal when unknown and equation i stand at `place[i]`: below, above.
pub(crate) fn bandwidths(pattern: &Pattern, place: &[u32]) -> (usize, usize) {
    pattern.elements().fold((0, 0), |(lower, upper), (i, j)| {
        let (i, j) = (place[i as usize] as usize, place[j as usize] as usize);
        (lower.max(i.saturating_sub(j)), upper.max(j.saturating_sub(i)))
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn factor_avx2<T: Scalar>(m: &mut Band<T>) -> Result<(), usize> {
    factor_body(m)
}

#[inline(always)]
fn factor_body<T: Scalar>(m: &mut Band<T>) -> Result<(), usize> {
    let (n, lower, width) = (m.n, m.lower, m.width);
    let reach = m.lower + m.upper;
    let mut not_finite = None;
    for (i, row) in m.elements.chunks_exact_mut(width).enumerate() {
        let mut largest = 0;
        for x in row.iter() {
            largest = largest.max(x.re().abs().to_bits()).max(x.im().abs().to_bits());
        }
        if largest >= f64::INFINITY.to_bits() {
            let column = row.iter().position(|x| !x.is_finite()).unwrap_or(0) + i - lower;
            not_finite = Some(not_finite.map_or(column, |first: usize| first.min(column)));
        }
        let scale = row_scale(largest);
        m.scale[i] = scale;
        row.iter_mut().for_each(|x| *x = *x * scale);
    }
    if let Some(column) = not_finite {
        return Err(column);
    }
    for k in 0..n {
        let last = (n - 1).min(k + lower);
        let (mut pivot_row, mut best) = (k, -1.0);
        for i in k..=last {
            let size = m.elements[i * width + k + lower - i].size();
            if size > best {
                (pivot_row, best) = (i, size);
            }
        }
        let pivot = m.elements[pivot_row * width + k + lower - pivot_row];
        if !(best >= SUSPICIOUS && pivot.is_finite()) && (best <= 0.0 || !pivot.is_finite() || m.is_rounding(k)) {
            return Err(k);
        }
        m.pivots[k] = pivot_row as u32;
        let inverse = pivot.reciprocal();
        m.inverse[k] = inverse;
        let (done, below) = m.elements.split_at_mut((k + 1) * width);
        let source = &mut done[k * width + lower..k * width + lower + reach + 1];
        if pivot_row != k {
            let start = (pivot_row - k - 1) * width + k + lower - pivot_row;
            source.swap_with_slice(&mut below[start..start + reach + 1]);
        }
        for (step, row) in below.chunks_exact_mut(width).take(last - k).enumerate() {
            let row = &mut row[lower - 1 - step..lower + reach - step];
            let l = row[0] * inverse;
            row[0] = l;
            if l != T::default() {
                for (target, &source) in row[1..].iter_mut().zip(&source[1..]) {
                    *target -= l * source;
                }
            }
        }
    }
    Ok(())
}
