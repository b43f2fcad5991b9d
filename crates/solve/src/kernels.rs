//! The inner loops of the explicit methods: sums over stages, and the norm of the error.
//!
//! The stages lie one after the other in `k`. Up to seven components are held in registers while all stages pass by;
//! larger systems are taken eight components at a time, a cache line of every stage that has a coefficient.

use std::ops::Range;

use crate::System;

/// Σ weight · k of all components of a small system.
#[inline(always)]
fn sum_small<const N: usize>(weights: &[f64], stages: &[[f64; N]]) -> [f64; N] {
    let mut sum = [0.0; N];
    for (weight, stage) in weights.iter().zip(stages) {
        for l in 0..N {
            sum[l] += weight * stage[l];
        }
    }
    sum
}

/// Σ weight · k of L components from i on, for stages of length n.
#[inline(always)]
fn sum_block<const L: usize>(weights: &[f64], k: &[f64], n: usize, i: usize) -> [f64; L] {
    let mut sum = [0.0; L];
    for (j, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        let stage = &k[j * n + i..][..L];
        for l in 0..L {
            sum[l] += weight * stage[l];
        }
    }
    sum
}

/// out = y + h Σ weight · k.
pub(crate) fn combine(y: &[f64], h: f64, weights: &[f64], k: &[f64], out: &mut [f64]) {
    match y.len() {
        1 => add(y, h, sum_small::<1>(weights, k.as_chunks().0), out, 0),
        2 => add(y, h, sum_small::<2>(weights, k.as_chunks().0), out, 0),
        3 => add(y, h, sum_small::<3>(weights, k.as_chunks().0), out, 0),
        4 => add(y, h, sum_small::<4>(weights, k.as_chunks().0), out, 0),
        5 => add(y, h, sum_small::<5>(weights, k.as_chunks().0), out, 0),
        6 => add(y, h, sum_small::<6>(weights, k.as_chunks().0), out, 0),
        7 => add(y, h, sum_small::<7>(weights, k.as_chunks().0), out, 0),
        n => {
            for i in (0..n - n % 8).step_by(8) {
                add(y, h, sum_block::<8>(weights, k, n, i), out, i);
            }
            for i in n - n % 8..n {
                add(y, h, sum_block::<1>(weights, k, n, i), out, i);
            }
        }
    }
}

/// The stages of a step: kᵢ = f(t + cᵢ h, y + h Σ aᵢⱼ kⱼ).
pub(crate) struct Stages<'a> {
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    pub d: &'a [f64],
    pub c: &'a [f64],
    pub a: &'a [Vec<f64>],
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
    pub e: Vec<f64>,
    pub e_low: Vec<f64>,
    pub fallback: Vec<f64>,
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
    let mut norm = Running { largest: 0.0, worst: 0, finite: true };
    match measure.y0.len() {
        1 => norm.small::<1>(measure, h, rows, k),
        2 => norm.small::<2>(measure, h, rows, k),
        3 => norm.small::<3>(measure, h, rows, k),
        4 => norm.small::<4>(measure, h, rows, k),
        5 => norm.small::<5>(measure, h, rows, k),
        6 => norm.small::<6>(measure, h, rows, k),
        7 => norm.small::<7>(measure, h, rows, k),
        n => {
            for i in (0..n - n % 8).step_by(8) {
                let (e, e_low) = (sum_block::<8>(&rows.e, k, n, i), sum_block::<8>(&rows.e_low, k, n, i));
                norm.add(measure, h, &Sums { e, e_low, fallback: sum_block::<8>(&rows.fallback, k, n, i) }, i);
            }
            for i in n - n % 8..n {
                let (e, e_low) = (sum_block::<1>(&rows.e, k, n, i), sum_block::<1>(&rows.e_low, k, n, i));
                norm.add(measure, h, &Sums { e, e_low, fallback: sum_block::<1>(&rows.fallback, k, n, i) }, i);
            }
        }
    }
    Norm { error: norm.largest.sqrt(), worst: norm.worst, finite: norm.finite }
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
    fn small<const N: usize>(&mut self, m: &Measure, h: f64, rows: &ErrorWeights, k: &[f64]) {
        let k = k.as_chunks().0;
        let (e, e_low, fallback) = (sum_small(&rows.e, k), sum_small(&rows.e_low, k), sum_small(&rows.fallback, k));
        self.add::<N>(m, h, &Sums { e, e_low, fallback }, 0);
    }

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
