//! The envelope of series side by side: what the last coefficients of each lane say about its step and its order. The
//! reasons stand in `taylor/envelope.rs`; here each lane has its own order, and nothing branches.

use crate::taylor::TARGET;
use ordinate_numbers::Number;

/// Steps stay within this part of the radius of convergence.
const PART_OF_RADIUS: f64 = 0.9;

/// log₂ of a positive number to about 0.01; very low for zero.
#[inline(always)]
fn log2<N: Number>(x: N) -> N {
    let m = x.fraction() - N::splat(1.0);
    let log = m.fma(m.fma(N::splat(-0.3465), N::splat(1.3465)), x.exponent());
    N::select(N::splat(0.0).less(x), log, N::splat(-1e9))
}

/// 2ˣ to about 2e-4, and exact for whole numbers; not beyond 2^±1000.
#[inline(always)]
fn exp2<N: Number>(x: N) -> N {
    let x = x.max(N::splat(-1000.0)).min(N::splat(1000.0));
    // The nearest whole number below, by the way numbers are rounded.
    let round = N::splat(1.5 * (1u64 << 52) as f64);
    let whole = (x - N::splat(0.5)) + round - round;
    let part = x - whole;
    let cubic = part.fma(part.fma(N::splat(0.0773), N::splat(0.2276)), N::splat(0.6951));
    part.fma(cubic, N::splat(1.0)) * whole.power_of_two()
}

/// Number of coefficients in each of the two groups.
pub(super) fn group(order: usize) -> usize {
    (order / 4).max(4).min(order / 2).max(1)
}

/// The two groups of the last coefficients of each lane: from `first` to before `middle`, and from there to `order`.
#[derive(Clone, Copy)]
pub(super) struct Groups<N> {
    pub first: N,
    pub middle: N,
    pub order: N,
}

/// The largest coefficients of the two groups, as far as they have been looked at.
#[derive(Clone, Copy)]
pub(super) struct Largest<N> {
    before: N,
    k_before: N,
    last: N,
    k_last: N,
}

impl<N: Number> Largest<N> {
    #[inline(always)]
    pub fn new() -> Largest<N> {
        let zero = N::splat(0.0);
        Largest { before: zero, k_before: zero, last: zero, k_last: zero }
    }

    /// Takes the size of coefficient k into account, for the group it belongs to.
    #[inline(always)]
    pub fn look(&mut self, groups: &Groups<N>, k: N, size: N) {
        let zero = N::splat(0.0);
        let early = k.less(groups.middle);
        let before = N::select(early, N::select(k.less(groups.first), zero, size), zero);
        let last = N::select(early, zero, N::select(groups.order.less(k), zero, size));
        let higher = self.before.less(before);
        self.before = N::select(higher, before, self.before);
        self.k_before = N::select(higher, k, self.k_before);
        let higher = self.last.less(last);
        self.last = N::select(higher, last, self.last);
        self.k_last = N::select(higher, k, self.k_last);
    }
}

/// The bound 2^(level + rate k) of a series, and the step that it allows. It is `clear` (not zero) if both groups have something to say.
#[derive(Clone, Copy)]
pub(super) struct Envelope<N> {
    pub level: N,
    pub clear: N,
    /// The step in units of the scale; infinite where nothing limits it.
    pub step: N,
}

/// The envelope of series whose largest coefficients are known; `sizes` are all of those from `from` on.
#[inline(always)]
pub(super) fn envelope<N: Number>(
    groups: &Groups<N>,
    largest: &Largest<N>,
    sizes: &[N::Stored],
    from: usize,
) -> Envelope<N> {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let Largest { before, k_before, last, k_last } = *largest;
    let last_log = log2(last);
    let rate = (last_log - log2(before)) / (k_last - k_before);
    let mut level = N::splat(-1e9);
    for (k, size) in (from..).zip(sizes) {
        let k = N::splat(k as f64);
        let above = log2(N::load(size)) - rate * k;
        let inside = N::select(k.less(groups.middle), N::splat(-1e9), above);
        level = N::select(groups.order.less(k), level, inside.max(level));
    }
    let target = N::splat(TARGET);
    let geometric = {
        let x = exp2((target - level) / (groups.order + one) - rate);
        x.min(N::splat(PART_OF_RADIUS) * exp2(-rate))
    };
    // Without the first group those beyond may be as large at the end of the step; without both nothing is known.
    let alone = exp2((target - last_log) / k_last);
    let clear = N::select(zero.less(last), N::select(zero.less(before), one, zero), zero);
    let unclear = N::select(zero.less(last), alone, N::splat(f64::INFINITY));
    Envelope { level, clear, step: N::select(zero.less(clear), geometric, unclear) }
}

/// Of the orders near to the one given the one with the lowest cost per time; `costs` are logarithms to base 2. Lanes
/// that often change their order would keep each other waiting, so a change must pay.
pub(super) fn better_order(level: f64, order: usize, range: [usize; 2], costs: &[f64]) -> usize {
    let price = |p: usize| costs[p] + (level - TARGET) / (p + 1) as f64;
    let mut best = (order, price(order) - 0.02);
    for p in [order.saturating_sub(1), order + 1, order.saturating_sub(3), order + 3] {
        if (range[0]..=range[1]).contains(&p) && price(p) < best.1 {
            best = (p, price(p));
        }
    }
    best.0
}
