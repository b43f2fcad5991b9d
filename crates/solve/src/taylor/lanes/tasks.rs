//! What is computed for all lanes at once: the judgement of the step tried last, and the next one.

use super::tail::{Envelope, Groups, Largest, envelope};
use crate::Tolerance;
use crate::taylor::FINEST;
use ordinate_numbers::{Lanes, Number, Task};

/// All lanes. Truth values are 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Where the steps begin and end.
    pub t: Lanes,
    pub t1: Lanes,
    pub t_start: Lanes,
    pub t_end: Lanes,
    pub h: Lanes,
    /// The longest step, below infinity after a rejected one.
    pub limit: Lanes,
    /// The unit of time of the series, a power of two, and its inverse.
    pub scale: Lanes,
    pub inverse: Lanes,
    /// Orders, and the groups of coefficients that the envelope looks at.
    pub order: Lanes,
    pub first: Lanes,
    pub middle: Lanes,
    pub level: Lanes,
    pub clear: Lanes,
    /// The step in units of the scale that the series allows.
    pub wish: Lanes,
    /// A step was tried: y1 is its end. Otherwise y1 is y.
    pub trial: Lanes,
    /// Not accepted before somebody looked at it: the time of the next row.
    pub next_row: Lanes,
    /// The number of steps after which the order is considered.
    pub consider: Lanes,
    pub steps: Lanes,
    /// The largest number of steps that are left to rejected ones.
    pub most_steps: Lanes,
    pub order_sum: Lanes,
    pub order_min: Lanes,
    pub order_max: Lanes,
    pub h_min: Lanes,
    pub h_max: Lanes,
    pub y: Vec<Lanes>,
    pub y1: Vec<Lanes>,
    pub carry: Vec<Lanes>,
    pub rest: Vec<Lanes>,
    pub f: Vec<Lanes>,
    pub slope: Vec<Lanes>,
    /// Sizes of coefficients.
    pub sizes: Vec<Lanes>,
    /// Lowest and highest order, lowest `first` and `middle`.
    pub range: Range,
}

/// What is common to the orders of all lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    pub low: usize,
    pub high: usize,
    pub first: usize,
    pub middle: usize,
}

impl State {
    pub fn new(n: usize) -> State {
        let zeros = || vec![Lanes::ZERO; n];
        State {
            t: Lanes::ZERO,
            t1: Lanes::ZERO,
            t_start: Lanes::ZERO,
            t_end: Lanes::ZERO,
            h: Lanes::ZERO,
            limit: Lanes::splat(f64::INFINITY),
            scale: Lanes::splat(1.0),
            inverse: Lanes::splat(1.0),
            order: Lanes::splat(4.0),
            first: Lanes::splat(1.0),
            middle: Lanes::splat(3.0),
            level: Lanes::ZERO,
            clear: Lanes::ZERO,
            wish: Lanes::ZERO,
            trial: Lanes::ZERO,
            next_row: Lanes::splat(f64::INFINITY),
            consider: Lanes::ZERO,
            steps: Lanes::ZERO,
            most_steps: Lanes::splat(f64::INFINITY),
            order_sum: Lanes::ZERO,
            order_min: Lanes::ZERO,
            order_max: Lanes::ZERO,
            h_min: Lanes::ZERO,
            h_max: Lanes::ZERO,
            y: zeros(),
            y1: zeros(),
            carry: zeros(),
            rest: zeros(),
            f: zeros(),
            slope: zeros(),
            sizes: vec![Lanes::ZERO; crate::MAX_ORDER as usize + 1],
            range: Range::default(),
        }
    }
}

/// Judges the steps tried, whose ends f belongs to, by their defect (see `taylor/mod.rs`), and accepts those that are good
/// and need no closer look.
pub(super) struct Judge<'a> {
    pub state: &'a mut State,
    pub tol: &'a Tolerance,
}

/// Lanes as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// Somebody must look at these: not accepted, or at the end.
    pub open: u32,
    /// It is time to consider the orders of these.
    pub consider: u32,
}

impl Task for Judge<'_> {
    type Output = Judged;

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) -> Judged {
        let State { t1, h, order, trial, next_row, clear, y, y1, f, slope, .. } = &*self.state;
        let (zero, one) = (N::splat(0.0), N::splat(1.0));
        let (length, end) = (N::load(h), N::load(t1));
        let rtol = N::splat(self.tol.rtol);
        let divisor = N::load(order) + one;
        let (mut excess, mut lost) = (zero, zero);
        for (i, atol) in self.tol.atol.iter().enumerate() {
            let (f, slope, y1) = (N::load(&f[i]), N::load(&slope[i]), N::load(&y1[i]));
            let change = length * f;
            let size = N::load(&y[i]).abs().max(y1.abs());
            let noise = N::splat(4.0 * f64::EPSILON) * (size + change.abs() + slope.abs());
            let allowed = rtol.fma(size, N::splat(*atol));
            excess = ((slope - change).abs() - divisor.fma(allowed, noise)).max(excess);
            // not a number where one of them is not finite: comparisons would hide that
            lost = y1.fma(zero, slope.fma(zero, f.fma(zero, lost)));
        }
        // Comparisons with what is not a number are false.
        let before_row = end.less(N::load(next_row));
        let good = N::select((excess + lost).less(N::splat(f64::MIN_POSITIVE)), N::load(trial) * N::load(clear), zero);
        let accepted = zero.less(N::select(before_row, good, zero));
        accept::<N>(self.state, accepted);
        let steps = N::load(&self.state.steps);
        let more = steps.less(N::load(&self.state.most_steps));
        let going_on = N::select(end.less(N::load(&self.state.t_end)), N::select(more, one, zero), zero);
        let fine = N::select(accepted, going_on, zero);
        let early = steps.less(N::load(&self.state.consider));
        Judged {
            open: N::bits(fine.less(one)),
            consider: N::bits(zero.less(N::select(accepted, N::select(early, zero, one), zero))),
        }
    }
}

/// Replaces the numbers of the lanes of a mask.
#[inline(always)]
fn put<N: Number>(mask: N::Mask, value: N, to: &mut N::Stored) {
    N::select(mask, value, N::load(to)).store(to);
}

/// Counts the steps accepted and prepares for the next ones.
#[inline(always)]
fn accept<N: Number<Stored = Lanes>>(s: &mut State, accepted: N::Mask) {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let (h, order) = (N::load(&s.h), N::load(&s.order));
    for (y, y1) in s.y.iter_mut().zip(&s.y1).chain(s.carry.iter_mut().zip(&s.rest)) {
        put(accepted, N::load(y1), y);
    }
    put(accepted, N::load(&s.t1), &mut s.t);
    // The next series is computed in units of this step.
    let exponent = h.exponent().max(N::splat(-900.0)).min(N::splat(900.0));
    put(accepted, exponent.power_of_two(), &mut s.scale);
    put(accepted, (-exponent).power_of_two(), &mut s.inverse);
    put(accepted, N::splat(f64::INFINITY), &mut s.limit);
    put(accepted, zero, &mut s.trial);
    put(accepted, N::load(&s.steps) + one, &mut s.steps);
    put(accepted, N::load(&s.order_sum) + order, &mut s.order_sum);
    put(accepted, order.min(N::load(&s.order_min)), &mut s.order_min);
    put(accepted, order.max(N::load(&s.order_max)), &mut s.order_max);
    put(accepted, h.min(N::load(&s.h_min)), &mut s.h_min);
    put(accepted, h.max(N::load(&s.h_max)), &mut s.h_max);
}

/// Accepts the steps of some lanes, given as bits, that somebody had a look at.
pub(super) struct Accept<'a> {
    pub state: &'a mut State,
    pub lanes: u32,
}

impl Task for Accept<'_> {
    type Output = ();

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) {
        let chosen = Lanes(std::array::from_fn(|l| f64::from(self.lanes >> l & 1)));
        let accepted = N::splat(0.0).less(N::load(&chosen));
        accept::<N>(self.state, accepted);
    }
}

/// Finds the next steps from series and evaluates them at their ends. True if some lane needs a closer look: its series
/// is not finite, or in unfit units, or its step is lost against t.
pub(super) struct Advance<'a> {
    pub state: &'a mut State,
    pub tol: &'a Tolerance,
    /// c[i · stride + k]
    pub c: &'a [Lanes],
    pub stride: usize,
}

impl Task for Advance<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) -> bool {
        let Advance { state, tol, c, stride } = self;
        let Range { low, high, first: from, middle } = state.range;
        let groups =
            Groups { first: N::load(&state.first), middle: N::load(&state.middle), order: N::load(&state.order) };
        let sizes = &mut state.sizes[..high + 1 - from];
        sizes.fill(Lanes::ZERO);
        for ((y, atol), c) in state.y.iter().zip(&tol.atol).zip(c.chunks_exact(stride)) {
            let scale = N::splat(tol.rtol).fma(N::load(y).abs(), N::splat(*atol));
            // A component that is exactly zero has no tolerance but an absolute one.
            let scale = scale.max(N::splat(FINEST) * N::load(y).abs());
            let weight = N::splat(1.0) / scale.max(N::splat(f64::MIN_POSITIVE));
            for (size, c) in sizes.iter_mut().zip(&c[from..]) {
                (N::load(c).abs() * weight).max(N::load(size)).store(size);
            }
        }
        let mut largest = Largest::new();
        for (k, size) in (from..).zip(sizes.iter()) {
            largest.look(&groups, N::splat(k as f64), N::load(size));
        }
        let Envelope { level, clear, step, .. } = envelope(&groups, &largest, &sizes[middle - from..], middle);
        level.store(&mut state.level);
        clear.store(&mut state.clear);
        step.store(&mut state.wish);

        let (t, t_end) = (N::load(&state.t), N::load(&state.t_end));
        let wished = (step * N::load(&state.scale)).min(N::load(&state.limit));
        let left = t_end - t;
        // A step that would leave nearly nothing goes to the end.
        let last = (t + N::splat(1.01) * wished).less(t_end);
        let end = N::select(last, t + wished, t_end);
        let h = N::select(last, end - t, left);
        end.store(&mut state.t1);
        h.store(&mut state.h);
        N::splat(1.0).store(&mut state.trial);
        let x = h * N::load(&state.inverse);
        let lost = evaluate::<N>(state, c, stride, [low, high], x);

        let [short, long] = [2f64.powi(-9), 2f64.powi(9)].map(N::splat);
        let one = N::splat(1.0);
        let unfit = N::select(step.less(short), one, N::select(long.less(step), one, lost));
        let time = t.abs().max(t - N::load(&state.t_start));
        let smallest = N::splat(20.0 * f64::EPSILON) * time;
        let unfit = N::select(smallest.less(h), unfit, one);
        N::bits(N::splat(0.0).less(unfit)) != 0
    }
}

/// The polynomials at x, in the way of `taylor/polynomial.rs`. One where the result is not finite, otherwise zero.
#[inline(always)]
fn evaluate<N: Number<Stored = Lanes>>(
    state: &mut State,
    c: &[Lanes],
    stride: usize,
    [low, high]: [usize; 2],
    x: N,
) -> N {
    let (zero, order) = (N::splat(0.0), N::load(&state.order));
    let square = x * x;
    let mut lost = zero;
    for (i, c) in c.chunks_exact(stride).take(state.y.len()).enumerate() {
        // s and its derivative
        let (mut s, mut d) = (zero, zero);
        for k in (low.max(1) + 1..=high).rev() {
            let c = N::select(order.less(N::splat(k as f64)), zero, N::load(&c[k]));
            d = d.fma(x, s);
            s = s.fma(x, c);
        }
        for c in c[..=low].iter().skip(2).rev() {
            d = d.fma(x, s);
            s = s.fma(x, N::load(c));
        }
        let (c0, c1) = (N::load(&state.y[i]), N::load(&c[1]));
        let first = c1 * x;
        let rounded = c1.fma(x, -first);
        let (sum, error) = two_sum(c0, first);
        let tail = square.fma(s, error + rounded + N::load(&state.carry[i]));
        let (y, rest) = two_sum(sum, tail);
        y.store(&mut state.y1[i]);
        rest.store(&mut state.rest[i]);
        // x p′ = c₁ x + 2 x² s + x³ s′
        let slope = square.fma(x.fma(d, s + s), first);
        slope.store(&mut state.slope[i]);
        lost = rest.fma(zero, slope.fma(zero, lost));
    }
    N::select(lost.abs().less(N::splat(1.0)), zero, N::splat(1.0))
}

/// a + b and what rounding took from it: D. E. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
#[inline(always)]
fn two_sum<N: Number>(a: N, b: N) -> (N, N) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}
