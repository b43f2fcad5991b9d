//! The matrix of a step of a small system, for many steps of one length: one product of matrix and vector per step.
//!
//! ```text
//!   y₁ = y + E y + Ψ b,     Ψ = Σ_{k≥1} hᵏ/k! Aᵏ⁻¹,     E = A Ψ = e^(hA) − 1
//! ```
//!
//! The sums are made in pairs of doubles (T. J. Dekker, Numer. Math. 18 (1971) 224), so that E is exact but for its last
//! rounding: the same matrix acts in every step, and its errors would add up.

use super::form::LinearForm;
use super::scaling::{MAX_TERMS, Tails};
use ordinate_numbers::Instructions;
use ordinate_numbers::vector::{PORTABLE_FUSED, multiply_add};

/// The matrix of a step.
#[derive(Clone, Debug)]
pub(crate) struct Precalculated {
    pub h: f64,
    pub order: usize,
    instructions: Instructions,
    n: usize,
    all: usize,
    padded: usize,
    /// E by columns, and Ψ.
    change: Vec<f64>,
    of_constant: Vec<f64>,
    /// Ψ b
    constant: Vec<f64>,
    /// All states, and E y + Ψ b.
    vector: Vec<f64>,
    sum: Vec<f64>,
}

/// high + low
type Pair = (f64, f64);

impl Precalculated {
    /// The matrix of steps of length h, if that many terms suffice for all digits.
    pub fn new(
        form: &LinearForm,
        matrix: &[f64],
        padded: usize,
        h: f64,
        instructions: Instructions,
    ) -> Option<Precalculated> {
        let (n, all) = (form.states(), matrix.len() / padded);
        let plain = (0..all).map(|i| (0..all).map(|j| matrix[j * padded + i].abs()).sum::<f64>()).fold(0.0, f64::max);
        let order = Tails::new(h * plain).order(1e-20)?;
        let psi = series(instructions, matrix, padded, all, h, order);
        let mut change = vec![0.0; all * padded];
        let mut of_constant = vec![0.0; n * padded];
        for j in 0..all {
            for i in 0..n {
                let mut sum = (0.0, 0.0);
                for k in 0..all {
                    sum = add_product(sum, matrix[k * padded + i], psi[j * all + k]);
                }
                change[j * padded + i] = sum.0;
                if j < n {
                    of_constant[j * padded + i] = psi[j * all + i].0;
                }
            }
        }
        let finite = change.iter().chain(&of_constant).all(|e| e.is_finite());
        let mut made = Precalculated {
            h,
            order: order.min(MAX_TERMS),
            instructions,
            n,
            all,
            padded,
            change,
            of_constant,
            constant: vec![0.0; padded],
            vector: vec![0.0; padded],
            sum: vec![0.0; padded],
        };
        made.set_constant(&form.constant);
        finite.then_some(made)
    }

    /// Takes another b.
    pub fn set_constant(&mut self, b: &[f64]) {
        for i in 0..self.n {
            self.constant[i] = (0..self.n).map(|j| self.of_constant[j * self.padded + i] * b[j]).sum();
        }
    }

    /// One step.
    pub fn step(&mut self, y: &[f64], hidden: &[f64], lost: &[f64], end: &mut [f64], lost_next: &mut [f64]) {
        self.vector[..self.n].copy_from_slice(y);
        self.vector[self.n..self.all].copy_from_slice(hidden);
        match self.padded {
            1 => self.product::<1>(),
            2 => self.product::<2>(),
            3 => self.product::<3>(),
            4 => self.product::<4>(),
            8 => self.product::<8>(),
            16 => self.product::<16>(),
            24 => self.product::<24>(),
            32 => self.product::<32>(),
            other => unreachable!("{other} is not one of the lengths of small systems"),
        }
        for i in 0..self.n {
            let change = self.sum[i] + lost[i];
            end[i] = y[i] + change;
            lost_next[i] = change - (end[i] - y[i]);
        }
    }

    fn product<const P: usize>(&mut self) {
        let (columns, _) = self.change.as_chunks::<P>();
        let start: &[f64; P] = self.constant.first_chunk().expect("vectors are padded");
        let sum: &mut [f64; P] = self.sum.first_chunk_mut().expect("vectors are padded");
        match self.instructions {
            // SAFETY: these instructions are chosen only where they were detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx2 => unsafe { product_avx2(columns, &self.vector, start, sum) },
            Instructions::Portable => product_body::<P, PORTABLE_FUSED>(columns, &self.vector, start, sum),
        }
    }
}

#[inline(always)]
fn product_body<const P: usize, const FUSED: bool>(
    columns: &[[f64; P]],
    y: &[f64],
    start: &[f64; P],
    out: &mut [f64; P],
) {
    let mut sum = *start;
    for (column, &y) in columns.iter().zip(y) {
        for l in 0..P {
            sum[l] = multiply_add::<FUSED>(column[l], y, sum[l]);
        }
    }
    *out = sum;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn product_avx2<const P: usize>(columns: &[[f64; P]], y: &[f64], start: &[f64; P], out: &mut [f64; P]) {
    product_body::<P, true>(columns, y, start, out);
}

/// a + b exactly, for |a| ≥ |b|.
#[inline(always)]
fn quick_sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// a + b exactly.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// sum + a · x in twice the precision.
#[inline(always)]
fn add_product(sum: Pair, a: f64, x: Pair) -> Pair {
    let product = a * x.0;
    let low = a.mul_add(x.0, -product) + a * x.1;
    let (high, rest) = two_sum(sum.0, product);
    quick_sum(high, rest + sum.1 + low)
}

/// a / b in twice the precision.
#[inline(always)]
fn quotient(a: Pair, b: f64) -> Pair {
    let high = a.0 / b;
    let rest = high.mul_add(-b, a.0) + a.1;
    quick_sum(high, rest / b)
}

/// Ψ by columns: X ← 1 + h/k A X for k = m … 2, then h X.
#[inline(always)]
fn series_body(matrix: &[f64], padded: usize, all: usize, h: f64, order: usize) -> Vec<Pair> {
    let mut psi = vec![(0.0, 0.0); all * all];
    let mut x = vec![(0.0, 0.0); all];
    let mut next = x.clone();
    for j in 0..all {
        x.fill((0.0, 0.0));
        x[j].0 = 1.0;
        for k in (2..=order).rev() {
            let factor = quotient((h, 0.0), k as f64);
            for (i, next) in next.iter_mut().enumerate() {
                let mut sum = (0.0, 0.0);
                for (l, &x) in x.iter().enumerate() {
                    sum = add_product(sum, matrix[l * padded + i], x);
                }
                let one = (if i == j { 1.0 } else { 0.0 }, 0.0);
                *next = add_product(add_product(one, factor.1, sum), factor.0, sum);
            }
            std::mem::swap(&mut x, &mut next);
        }
        for (i, &x) in x.iter().enumerate() {
            psi[j * all + i] = add_product((0.0, 0.0), h, x);
        }
    }
    psi
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma")]
unsafe fn series_fused(matrix: &[f64], padded: usize, all: usize, h: f64, order: usize) -> Vec<Pair> {
    series_body(matrix, padded, all, h, order)
}

fn series(instructions: Instructions, matrix: &[f64], padded: usize, all: usize, h: f64, order: usize) -> Vec<Pair> {
    match instructions {
        // SAFETY: these instructions are chosen only where they were detected.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 | Instructions::Avx2 => unsafe { series_fused(matrix, padded, all, h, order) },
        Instructions::Portable => series_body(matrix, padded, all, h, order),
    }
}
