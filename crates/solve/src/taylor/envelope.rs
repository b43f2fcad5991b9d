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

use super::polynomial::PADDING;

/// log₂ of a number that is not negative, to 0.09, from its bits; of zero it is below [`NOTHING`]. J. N. Mitchell, IRE Trans.
/// Electron. Comput. 11 (1962) 512–517.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    const BITS: f64 = 1.0 / (1u64 << 52) as f64;
    x.to_bits() as i64 as f64 * BITS - 1023.0
}

/// A logarithm below this is that of zero.
const NOTHING: f64 = -1022.5;

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
    let c = &c[first * n..(order + 1) * n + PADDING];
    for (i, weights) in (0..n).step_by(4).zip(weights.as_chunks::<4>().0) {
        for (size, row) in sizes.iter_mut().zip(c[i..].windows(4).step_by(n)) {
            let most = |a: f64, b: f64| if a > b { a } else { b };
            let scaled: [f64; 4] = std::array::from_fn(|l| row[l].abs() * weights[l]);
            *size = most(*size, most(most(scaled[0], scaled[1]), most(scaled[2], scaled[3])));
        }
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
    let mut levels = [0.0; 64];
    let mut highest = [(NOTHING, 0); 2];
    for (index, (level, &size)) in levels.iter_mut().zip(&sizes[..count]).enumerate() {
        *level = log2(size);
        let group = &mut highest[usize::from(first + index >= middle)];
        if *level > group.0 {
            *group = (*level, first + index);
        }
    }
    let [(before, k_before), (last, k_last)] = highest;
    if last == NOTHING {
        return Envelope::Zero;
    }
    if before == NOTHING {
        return Envelope::Last { level: last, k: k_last };
    }
    let rate = (last - before) / (k_last - k_before) as i32 as f64;
    let (mut level, mut k) = (f64::NEG_INFINITY, middle as i32 as f64);
    for of_k in &levels[middle - first..count] {
        let intercept = of_k - rate * k;
        level = if intercept > level && *of_k > NOTHING { intercept } else { level };
        k += 1.0;
    }
    Envelope::Geometric { level, rate }
}

/// The part of the tolerance that the first coefficient left out may use, as a power of two. Small, because the errors
/// of all steps add up, and a smaller one costs little: at order 20 a tenth of it shortens the step by a tenth.
pub(crate) const TARGET: f64 = -11.0;

/// Steps stay within this part of the radius of convergence, as a power of two: 0.9.
const PART_OF_RADIUS: f64 = -0.152;

impl Envelope {
    /// The step, in units of the scale of the coefficients; infinite where nothing limits it.
    pub fn step(&self, order: usize) -> f64 {
        match *self {
            Envelope::Geometric { level, rate } => {
                let next = (order + 1) as i32 as f64;
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
        matches!(*self, Envelope::Geometric { level, .. } if level > log2(value) + 8.0)
    }

    /// Whether the series says so clearly how it goes on that one look at the end of the step is enough.
    pub fn is_clear(&self) -> bool {
        matches!(self, Envelope::Geometric { .. })
    }

    /// The logarithm of the cost per time of an order: the step goes with 2^(−(level − target)/(p + 1)). `costs` are
    /// logarithms to base 2, too.
    #[inline(always)]
    fn price(level: f64, p: usize, costs: &[f64]) -> f64 {
        costs[p] + (level - TARGET) / (p + 1) as i32 as f64
    }

    /// The order of a range with the lowest cost per time.
    pub fn best_order(&self, range: [usize; 2], costs: &[f64]) -> usize {
        let Envelope::Geometric { level, .. } = *self else { return range[0] };
        let mut best = (range[0], f64::INFINITY);
        for p in range[0]..=range[1] {
            let price = Envelope::price(level, p, costs);
            if price < best.1 {
                best = (p, price);
            }
        }
        best.0
    }

    /// Of the orders near to the one given the one with the lowest cost per time.
    pub fn better_order(&self, order: usize, range: [usize; 2], costs: &[f64]) -> usize {
        let Envelope::Geometric { level, .. } = *self else { return order };
        let price = |p: usize| Envelope::price(level, p, costs);
        let mut best = (order, price(order) - 0.01);
        for p in [order.saturating_sub(1), order + 1, order.saturating_sub(3), order + 3] {
            if (range[0]..=range[1]).contains(&p) && price(p) < best.1 {
                best = (p, price(p));
            }
        }
        best.0
    }
}
