//! What the last coefficients say about those that were not computed: the envelope of a series, and from it the step
//! and the order.
//!
//! The sizes of the coefficients, in units of the tolerance and over all components, are bounded by a geometric series:
//!
//! ```text
//!   Nₖ = maxᵢ |cₖᵢ| / scaleᵢ ≤ 2^(level + rate · k)
//! ```
//!
//! The rate is that of the largest coefficients of two neighbouring groups of several each, so neither zeros (even and odd
//! solutions, powers 2, 6, 10, …) nor the beats of a pair of complex singularities are mistaken for convergence. The
//! level is such that no coefficient of the last group is above. The radius of convergence is about 2^−rate.

/// log₂ of a positive number to about 0.01, without a call.
#[inline(always)]
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as f64 - 1023.0;
    let m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52)) - 1.0;
    exponent + m * (1.3465 - 0.3465 * m)
}

/// The bound of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Envelope {
    /// 2^(level + rate k).
    Geometric { level: f64, rate: f64 },
    /// Only some of the last coefficients are not zero: nothing is known of those beyond. The bound of the last one is
    /// 2^level at power k.
    Last { level: f64, k: usize },
    /// All of the last coefficients are zero: a polynomial, or a gap.
    Zero,
}

/// Number of coefficients in each of the two groups.
fn group(order: usize) -> usize {
    (order / 4).max(4).min(order / 2).max(1)
}

/// The sizes of coefficients c[k n + i] of powers from `first` to `order`: maxᵢ |cₖᵢ| wᵢ. Behind the weights of the
/// components follow zeros up to a multiple of four, and behind the coefficients any numbers.
#[inline(always)]
fn measure(c: &[f64], n: usize, powers: [usize; 2], weights: &[f64], sizes: &mut [f64; 64]) {
    let [first, order] = powers;
    for (size, k) in sizes.iter_mut().zip(first..=order) {
        let mut most = [0.0; 4];
        for (weights, i) in weights.as_chunks::<4>().0.iter().zip((0..n).step_by(4)) {
            let row: &[f64; 4] = c[k * n + i..].first_chunk().expect("padded coefficients");
            for l in 0..4 {
                let size = row[l].abs() * weights[l];
                most[l] = if size > most[l] { size } else { most[l] };
            }
        }
        let [a, b, c, d] = most;
        let (left, right) = (if a > b { a } else { b }, if c > d { c } else { d });
        *size = if left > right { left } else { right };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn measure_avx2(c: &[f64], n: usize, powers: [usize; 2], weights: &[f64], sizes: &mut [f64; 64]) {
    measure(c, n, powers, weights, sizes);
}

/// Where the terms of a series grow far beyond the value before they shrink, as for a step of many periods, rounding makes
/// of the large ones more than the small ones tell. The step (not above `x`) whose largest term is at most `most` times
/// the value, and the order that it needs. The other arguments are as of [`measure`].
pub(super) fn without_cancellation(
    c: &[f64],
    n: usize,
    order: usize,
    weights: &[f64],
    mut x: f64,
    most: f64,
) -> Option<(f64, usize)> {
    let mut sizes = [0.0; 64];
    let top = order.min(63);
    measure(c, n, [0, top], weights, &mut sizes);
    let sizes = &sizes[..=top];
    let mut shorter = false;
    loop {
        let mut power = 1.0;
        let mut last = 0;
        let mut highest = 0.0;
        for (k, size) in sizes.iter().enumerate() {
            let term: f64 = size * power;
            highest = if term > highest { term } else { highest };
            if term > TARGET.exp2() {
                last = k;
            }
            power *= x;
        }
        if highest <= most * sizes[0].max(1.0) {
            return shorter.then_some((x, (last + 2).min(order)));
        }
        x *= 0.8;
        shorter = true;
    }
}

/// The envelope of the coefficients of a system of n states up to `order`; see [`measure`].
pub(super) fn envelope(c: &[f64], n: usize, order: usize, weights: &[f64]) -> Envelope {
    let m = group(order);
    let first = (order + 1).saturating_sub(2 * m).max(1);
    let middle = order + 1 - m;
    let mut sizes = [0.0; 64];
    let powers = [first, order];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both.
        unsafe { measure_avx2(c, n, powers, weights, &mut sizes) };
    } else {
        measure(c, n, powers, weights, &mut sizes);
    }
    #[cfg(not(target_arch = "x86_64"))]
    measure(c, n, powers, weights, &mut sizes);

    let count = order + 1 - first;
    let mut levels = [f64::NEG_INFINITY; 64];
    let mut highest = [(f64::NEG_INFINITY, 0); 2];
    for (index, (level, &size)) in levels.iter_mut().zip(&sizes[..count]).enumerate() {
        let k = first + index;
        let group = &mut highest[usize::from(k >= middle)];
        if size > 0.0 {
            *level = log2(size);
            if *level > group.0 {
                *group = (*level, k);
            }
        }
    }
    let [(before, k_before), (last, k_last)] = highest;
    if last == f64::NEG_INFINITY {
        return Envelope::Zero;
    }
    if before == f64::NEG_INFINITY {
        return Envelope::Last { level: last, k: k_last };
    }
    let rate = (last - before) / (k_last - k_before) as f64;
    let (mut level, mut k) = (f64::NEG_INFINITY, middle as i32 as f64);
    for of_k in &levels[middle - first..count] {
        let intercept = of_k - rate * k;
        level = if intercept > level { intercept } else { level };
        k += 1.0;
    }
    Envelope::Geometric { level, rate }
}

/// The part of the tolerance that the first coefficient left out may use, as a power of two. Small, because the errors
/// of all steps add up, and a smaller one costs little: at order 20 a tenth of it shortens the step by a tenth.
pub(super) const TARGET: f64 = -9.0;

/// Steps stay within this part of the radius of convergence, as a power of two: 0.9.
const PART_OF_RADIUS: f64 = -0.152;

impl Envelope {
    /// The step, in units of the scale of the coefficients; infinite where nothing limits it.
    pub fn step(&self, order: usize) -> f64 {
        match *self {
            Envelope::Geometric { level, rate } => {
                let next = (order + 1) as f64;
                (((TARGET - level) / next).min(PART_OF_RADIUS) - rate).exp2()
            }
            // Those beyond may be as large at the end of the step.
            Envelope::Last { level, k } => ((TARGET - level) / k as f64).exp2(),
            Envelope::Zero => f64::INFINITY,
        }
    }

    /// Whether the terms of the series may grow before they shrink: the bound at power 0 is far above the value, whose size
    /// is `value`.
    pub fn bulges(&self, value: f64) -> bool {
        matches!(*self, Envelope::Geometric { level, .. } if level > value.max(1.0).log2() + 8.0)
    }

    /// Whether the series says so clearly how it goes on that one look at the end of the step is enough.
    pub fn is_clear(&self) -> bool {
        matches!(self, Envelope::Geometric { .. })
    }

    /// Of the orders near to the one given the one with the lowest cost per time: the step goes with
    /// 2^(−(level − target)/(p + 1)). `costs` are logarithms to base 2.
    pub fn better_order(&self, order: usize, range: [usize; 2], costs: &[f64]) -> usize {
        let Envelope::Geometric { level, .. } = *self else { return order };
        let price = |p: usize| costs[p] + (level - TARGET) / (p + 1) as f64;
        let mut best = (order, price(order) - 0.01);
        for p in [order.saturating_sub(1), order + 1, order.saturating_sub(3), order + 3] {
            if (range[0]..=range[1]).contains(&p) && price(p) < best.1 {
                best = (p, price(p));
            }
        }
        best.0
    }
}
