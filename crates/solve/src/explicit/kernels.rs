//! The inner loops of the explicit methods: sums over stages, and the norm of the error.
//!
//! The stages lie one after the other in `k`. Components are taken eight at a time, a cache line of every stage that has a
//! weight, and the rest as one block of its own size, so small systems stay in registers. Where the processor has AVX2
//! the same loops are compiled for it; without fused multiplication, so the bits are the same everywhere.

use std::ops::{Deref, Range};

use crate::System;

/// A weight and its stage.
pub(crate) type Term = (f64, usize);

/// The weights of a sum that are not zero, and their stages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    terms: Vec<Term>,
}

impl Deref for Row {
    type Target = [Term];

    fn deref(&self) -> &[Term] {
        &self.terms
    }
}

impl Row {
    pub fn new(weights: &[f64]) -> Row {
        let nonzero = weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        Row { terms: nonzero.map(|(j, &weight)| (weight, j)).collect() }
    }
}

/// Σ weight · k of L components from i on, for stages of length n.
#[inline(always)]
fn sum<const L: usize>(row: &[Term], k: &[f64], n: usize, i: usize) -> [f64; L] {
    let mut sum = [0.0; L];
    for &(weight, j) in row {
        let stage: &[f64; L] = k[j * n + i..].first_chunk().expect("stages are complete");
        for l in 0..L {
            sum[l] += weight * stage[l];
        }
    }
    sum
}

/// The same for a system of N components, whose stages are arrays.
#[inline(always)]
fn sum_small<const N: usize>(row: &[Term], stages: &[[f64; N]]) -> [f64; N] {
    let mut sum = [0.0; N];
    for &(weight, j) in row {
        let stage = &stages[j];
        for l in 0..N {
            sum[l] += weight * stage[l];
        }
    }
    sum
}

/// Something to do with each block of components.
trait Blocks {
    fn block<const L: usize>(&mut self, i: usize);
}

/// Visits n components in blocks.
#[inline(always)]
fn each_block(n: usize, visit: &mut impl Blocks) {
    let rest = n - n % 8;
    for i in (0..rest).step_by(8) {
        visit.block::<8>(i);
    }
    match n % 8 {
        0 => {}
        1 => visit.block::<1>(rest),
        2 => visit.block::<2>(rest),
        3 => visit.block::<3>(rest),
        4 => visit.block::<4>(rest),
        5 => visit.block::<5>(rest),
        6 => visit.block::<6>(rest),
        _ => visit.block::<7>(rest),
    }
}

/// The same with the instructions of AVX2.
///
/// # Safety
/// The processor must have them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn each_block_avx2(n: usize, visit: &mut impl Blocks) {
    each_block(n, visit);
}

/// Visits n components in blocks, with the best instructions there are. Small systems do not gain by them.
#[inline(always)]
fn each_block_fast(n: usize, visit: &mut impl Blocks) {
    #[cfg(target_arch = "x86_64")]
    if n >= 8 && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: it was just detected.
        return unsafe { each_block_avx2(n, visit) };
    }
    each_block(n, visit);
}

struct Combine<'a> {
    y: &'a [f64],
    h: f64,
    row: &'a [Term],
    k: &'a [f64],
    out: &'a mut [f64],
}

impl Blocks for Combine<'_> {
    #[inline(always)]
    fn block<const L: usize>(&mut self, i: usize) {
        add(self.y, self.h, sum::<L>(self.row, self.k, self.y.len(), i), self.out, i);
    }
}

/// out = y + h Σ weight · k.
pub(crate) fn combine(y: &[f64], h: f64, row: &[Term], k: &[f64], out: &mut [f64]) {
    each_block_fast(y.len(), &mut Combine { y, h, row, k, out });
}

/// The stages of a step: kᵢ = f(t + cᵢ h, y + h Σ aᵢⱼ kⱼ).
pub(crate) struct Stages<'a> {
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    pub d: &'a [f64],
    pub c: &'a [f64],
    pub a: &'a [Row],
}

impl Stages<'_> {
    /// Evaluates the stages `range`; `argument` is that of the last one afterwards. The size is looked at once, not
    /// once per stage.
    pub fn evaluate(&self, system: &mut dyn System, range: Range<usize>, k: &mut [f64], argument: &mut [f64]) {
        match self.y.len() {
            1 => self.small::<1>(system, range, k, argument),
            2 => self.small::<2>(system, range, k, argument),
            3 => self.small::<3>(system, range, k, argument),
            4 => self.small::<4>(system, range, k, argument),
            5 => self.small::<5>(system, range, k, argument),
            6 => self.small::<6>(system, range, k, argument),
            7 => self.small::<7>(system, range, k, argument),
            n => {
                for i in range {
                    let (done, rest) = k.split_at_mut(i * n);
                    combine(self.y, self.h, &self.a[i], done, argument);
                    system.derivative(self.t + self.c[i] * self.h, argument, self.d, &mut rest[..n]);
                }
            }
        }
    }

    #[inline(always)]
    fn small<const N: usize>(&self, system: &mut dyn System, range: Range<usize>, k: &mut [f64], argument: &mut [f64]) {
        let stages = k.as_chunks_mut::<N>().0;
        for i in range {
            let (done, rest) = stages.split_at_mut(i);
            add(self.y, self.h, sum_small(&self.a[i], done), argument, 0);
            system.derivative(self.t + self.c[i] * self.h, argument, self.d, &mut rest[0]);
        }
    }
}

#[inline(always)]
fn add<const L: usize>(y: &[f64], h: f64, sum: [f64; L], out: &mut [f64], i: usize) {
    let (y, out) = (&y[i..i + L], &mut out[i..i + L]);
    for l in 0..L {
        out[l] = y[l] + h * sum[l];
    }
}

/// The error of a step: its size in units of the tolerance and the component that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    pub error: f64,
    pub worst: usize,
    /// False if anything was not finite.
    pub finite: bool,
}

/// What the error of a step is measured by.
pub(crate) struct Measure<'a> {
    pub y0: &'a [f64],
    pub y1: &'a [f64],
    pub rtol: f64,
    pub atol: &'a [f64],
}

/// The weights of an error estimate; all but the first may be empty.
#[derive(Clone, Debug)]
pub(crate) struct ErrorWeights {
    pub e: Row,
    pub e_low: Row,
    pub fallback: Row,
}

/// max |h Σ e k| / scale, or with the second row of DOP853 per component
///
/// ```text
///   |h| e² / √(e² + 0.01 e_low²) / scale  =  |h e| / √(1 + 0.01 (e_low/e)²) / scale
/// ```
///
/// Hairer combines the norms of both rows instead; then a component with a large `e_low` would lower the error of
/// another one. Squares are compared, so that one root is enough.
pub(crate) fn error_norm(measure: &Measure, h: f64, rows: &ErrorWeights, k: &[f64]) -> Norm {
    let norm = Running { largest: 0.0, worst: 0, finite: true };
    let mut visit = ErrorBlocks { measure, h, rows, k, norm };
    each_block_fast(measure.y0.len(), &mut visit);
    let norm = visit.norm;
    Norm { error: norm.largest.sqrt(), worst: norm.worst, finite: norm.finite }
}

struct ErrorBlocks<'a> {
    measure: &'a Measure<'a>,
    h: f64,
    rows: &'a ErrorWeights,
    k: &'a [f64],
    norm: Running,
}

impl Blocks for ErrorBlocks<'_> {
    #[inline(always)]
    fn block<const L: usize>(&mut self, i: usize) {
        let (rows, k, n) = (self.rows, self.k, self.measure.y0.len());
        let sums = Sums {
            e: sum::<L>(&rows.e, k, n, i),
            e_low: sum(&rows.e_low, k, n, i),
            fallback: sum(&rows.fallback, k, n, i),
        };
        self.norm.add(self.measure, self.h, &sums, i);
    }
}

struct Running {
    /// Square of the largest error so far.
    largest: f64,
    worst: usize,
    finite: bool,
}

/// The sums of one block of components.
struct Sums<const L: usize> {
    e: [f64; L],
    e_low: [f64; L],
    fallback: [f64; L],
}

impl Running {
    #[inline(always)]
    fn add<const L: usize>(&mut self, m: &Measure, h: f64, sums: &Sums<L>, i: usize) {
        let (y0, y1, atol) = (&m.y0[i..i + L], &m.y1[i..i + L], &m.atol[i..i + L]);
        for l in 0..L {
            let mut error = h * sums.e[l];
            self.finite &= error.is_finite() & y1[l].is_finite();
            // Zero but for rounding; where it is so much smaller for another reason, both are below every tolerance.
            let cautious = h * sums.fallback[l];
            if error.abs() < 1e-11 * cautious.abs() {
                error = cautious;
            }
            if error == 0.0 {
                continue; // also where the scale is zero
            }
            let scaled = error / (atol[l] + m.rtol * y0[l].abs().max(y1[l].abs()));
            let ratio = h * sums.e_low[l] / error;
            let square = scaled * scaled / (1.0 + 0.01 * ratio * ratio);
            // A NaN (∞/∞, both squares overflow) counts as infinite.
            if square > self.largest || square.is_nan() {
                self.largest = if square.is_nan() { f64::INFINITY } else { square };
                self.worst = i + l;
            }
        }
    }
}
