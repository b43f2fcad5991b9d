//! Where a function that is known as a polynomial and a bound of the rest comes down to zero between 0 and 1: all such
//! places in their order, none missed.
//!
//! In Bernstein's form a polynomial lies within the range of its coefficients, and so do its derivatives, whose coefficients
//! are differences of them:
//!
//! ```text
//!   p(x) = Σ bⱼ C(n, j) xʲ (1 − x)ⁿ⁻ʲ,    min bⱼ ≤ p ≤ max bⱼ,    n min Δbⱼ ≤ p′ ≤ n max Δbⱼ,    …
//! ```
//!
//! An interval is halved until p is above zero there, or monotone, or curved one way only, so that it is clear what p does.
//! J. M. Lane, R. F. Riesenfeld, BIT 21 (1981) 112–117; the halving: P. de Casteljau, 1959.

use std::ops::ControlFlow;

use crate::roots::first_beyond;

/// A function v on [0, 1].
#[derive(Clone, Debug, Default)]
pub(crate) struct Expansion {
    /// Coefficients of its polynomial p.
    pub c: Vec<f64>,
    /// Bounds of |v − p|, |v′ − p′| and |v″ − p″|.
    pub rest: [f64; 3],
}

/// A place where v is near zero or below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spot {
    /// v is below zero at the end of this interval, and comes down to it once.
    Falls { from: f64, to: f64 },
    /// v is lowest here; it was falling since `from`.
    Dip { from: f64, at: f64 },
}

/// How v ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// Nothing more to say.
    Done,
    /// It is near zero and falling since this place.
    Low { from: f64 },
    /// What the polynomial leaves out is too much to tell.
    Unclear,
}

/// Shorter intervals are not halved: what could be in them is as small as rounding.
const SHORTEST: f64 = 1.0 / 16_777_216.0;

/// Of so many intervals something is wrong with the function.
const MOST_INTERVALS: usize = 4000;

impl Expansion {
    /// Its polynomial at x.
    pub fn at(&self, x: f64) -> f64 {
        self.c.iter().rev().fold(0.0, |sum, c| sum * x + c)
    }

    /// The slope of its polynomial at x.
    pub fn slope(&self, x: f64) -> f64 {
        let powers = (0..self.c.len()).rev().take(self.c.len().saturating_sub(1));
        powers.fold(0.0, |sum, k| sum * x + k as f64 * self.c[k])
    }

    /// Σ |cₖ| from power k on.
    pub fn sum_from(&self, k: usize) -> f64 {
        self.c[k.min(self.c.len())..].iter().map(|c| c.abs()).sum()
    }

    /// What rounding makes of its values.
    pub fn noise(&self) -> f64 {
        8.0 * f64::EPSILON * self.sum_from(0)
    }

    /// The quick look that is enough for most steps: whether v stays far above zero, the part `touch` of its largest value
    /// being near, or rises from where it begins.
    pub fn stays_above(&self, touch: f64) -> bool {
        let (Some(&start), change) = (self.c.first(), self.sum_from(1) + self.rest[0]) else { return false };
        if start - change > (touch + 8.0 * f64::EPSILON) * (start + change) {
            return true;
        }
        let slope = self.c.get(1).copied().unwrap_or(0.0);
        start >= 0.0 && 2.0 * slope > change
    }

    /// Goes from left to right through all places where v may be below `near`, which is not negative. `falling` is where it
    /// has been falling since before it begins near zero.
    pub fn spots(&self, near: f64, falling: Option<f64>, visit: &mut dyn FnMut(Spot) -> ControlFlow<()>) -> End {
        let near = near.max(self.noise() + self.rest[0]);
        let mut walk = Walk { of: self, near, falling, visit };
        let mut rest = vec![Interval { from: 0.0, to: 1.0, b: bernstein(&self.c) }];
        for _ in 0..MOST_INTERVALS {
            let Some(interval) = rest.pop() else {
                return walk.falling.map_or(End::Done, |from| End::Low { from });
            };
            match walk.look(&interval) {
                Look::Clear => {}
                Look::Ended => return End::Done,
                Look::Unclear => return End::Unclear,
                Look::Halve => {
                    let [left, right] = interval.halves();
                    rest.extend([right, left]);
                }
            }
        }
        End::Unclear
    }
}

/// A part of [0, 1] and the coefficients of the polynomial there.
struct Interval {
    from: f64,
    to: f64,
    b: Vec<f64>,
}

impl Interval {
    fn halves(self) -> [Interval; 2] {
        let Interval { from, to, b: mut right } = self;
        let n = right.len();
        let mut left = Vec::with_capacity(n);
        // Each round takes means of neighbours; the first of each is the left half's, what stays is the right one's.
        for round in 0..n {
            left.push(right[0]);
            for j in 0..n - 1 - round {
                right[j] = 0.5 * (right[j] + right[j + 1]);
            }
        }
        let middle = 0.5 * (from + to);
        [Interval { from, to: middle, b: left }, Interval { from: middle, to, b: right }]
    }
}

/// Σ cₖ xᵏ in Bernstein's form:
///
/// ```text
///   bⱼ = Σ C(j, k) / C(n, k) cₖ        k ≤ j
/// ```
///
/// by Pascal's rule, from cₖ / C(n, k) on. High powers that are lost in rounding are left out.
fn bernstein(c: &[f64]) -> Vec<f64> {
    let all: f64 = c.iter().map(|c| c.abs()).sum();
    let last = c.iter().rposition(|c| c.abs() > 0.01 * f64::EPSILON * all).unwrap_or(0);
    let n = last;
    let mut binomial = 1.0;
    let mut b: Vec<f64> = Vec::with_capacity(n + 1);
    for (k, c) in c[..=last.min(c.len().saturating_sub(1))].iter().enumerate() {
        b.push(c / binomial);
        binomial *= (n - k) as f64 / (k + 1) as f64;
    }
    for round in 1..=n {
        for j in (round..=n).rev() {
            b[j] += b[j - 1];
        }
    }
    b
}

enum Look {
    /// Nothing more in this interval.
    Clear,
    /// The visitor has what it wants.
    Ended,
    Halve,
    Unclear,
}

struct Walk<'a> {
    of: &'a Expansion,
    near: f64,
    /// v is near zero where the next interval begins, and falling since this place.
    falling: Option<f64>,
    visit: &'a mut dyn FnMut(Spot) -> ControlFlow<()>,
}

impl Walk<'_> {
    fn look(&mut self, interval: &Interval) -> Look {
        let Interval { from, to, ref b } = *interval;
        let n = b.len() - 1;
        let steps = || b.windows(2).map(|pair| pair[1] - pair[0]);
        if b.iter().all(|b| *b > self.near) {
            self.falling = None;
            return Look::Clear;
        }
        let first = steps().next().unwrap_or(0.0);
        if let Some(since) = self.falling.take_if(|_| first >= 0.0)
            && (self.visit)(Spot::Dip { from: since, at: from }).is_break()
        {
            return Look::Ended;
        }
        let since = self.falling.unwrap_or(from);
        let (width, degree) = (to - from, n.max(1) as f64);
        let slope = width * self.of.rest[1] / degree;
        let bend = width * width * self.of.rest[2] / (degree * (degree - 1.0).max(1.0));
        let bends = || b.windows(3).map(|three| three[2] - 2.0 * three[1] + three[0]);
        let rises = steps().all(|step| step >= slope);
        if rises {
            self.falling = None;
            return Look::Clear;
        }
        let falls = steps().all(|step| step <= -slope);
        if falls || bends().all(|step| step <= -bend) {
            return self.ends(since, interval);
        }
        if bends().all(|step| step >= bend) {
            let mut falling = |x: f64| -self.of.slope(x);
            let ends = [(from, falling(from)), (to, falling(to))];
            // Differences of the coefficients may be rounded to another sign than the slopes at the ends.
            if ends[1].1 > 0.0 {
                return self.ends(since, interval);
            }
            let lowest = if ends[0].1 > 0.0 { first_beyond(&mut falling, ends[0], ends[1], 1e-14).1.0 } else { from };
            self.falling = None;
            if self.of.at(lowest) > self.near {
                return Look::Clear;
            }
            let ended = (self.visit)(Spot::Dip { from: since.min(lowest), at: lowest }).is_break();
            return if ended { Look::Ended } else { Look::Clear };
        }
        if width > SHORTEST {
            return Look::Halve;
        }
        if self.of.rest[0] > self.of.noise() {
            return Look::Unclear;
        }
        // As good as constant.
        let lowest = if b[n] < b[0] { to } else { from };
        self.falling = None;
        let ended = (self.visit)(Spot::Dip { from: since.min(lowest), at: lowest }).is_break();
        if ended { Look::Ended } else { Look::Clear }
    }

    /// v is lowest at an end of this interval and comes from above.
    fn ends(&mut self, since: f64, interval: &Interval) -> Look {
        let end = interval.b[interval.b.len() - 1];
        self.falling = None;
        if end < -self.of.noise() - self.of.rest[0] {
            let ended = (self.visit)(Spot::Falls { from: since, to: interval.to }).is_break();
            return if ended { Look::Ended } else { Look::Clear };
        }
        if end <= self.near && interval.b.last_chunk().is_some_and(|[before, last]| last < before) {
            self.falling = Some(since);
        }
        Look::Clear
    }
}
