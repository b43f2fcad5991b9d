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
pub struct Expansion {
    /// Coefficients of its polynomial p.
    pub c: Vec<f64>,
    /// Bounds of |v − p|, |v′ − p′| and |v″ − p″|.
    pub rest: [f64; 3],
}

/// A place where v is near zero or below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// v is below zero at the end of this interval, and comes down to it once.
    Falls {
        /// Where the interval begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// v is lowest here; it was falling since `from`.
    Dip {
        /// Where it began to fall.
        from: f64,
        /// Where it is lowest.
        at: f64,
    },
}

/// How v ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// Nothing more to say.
    Done,
    /// It is near zero and falling since this place.
    Low {
        /// Where it began to fall.
        from: f64,
    },
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

/// The polynomial with its origin at `start` and a new unit: Horner's rule with the polynomial start + x as its argument.
pub fn shift(c: &[f64], start: f64, length: f64, to: &mut Vec<f64>) {
    to.clear();
    if start == 0.0 {
        to.extend_from_slice(c);
    } else {
        to.resize(c.len(), 0.0);
        for (degree, c) in c.iter().rev().enumerate() {
            let known = &mut to[..=degree];
            for j in (1..known.len()).rev() {
                known[j] = known[j - 1] + start * known[j];
            }
            to[0] = start * to[0] + c;
        }
    }
    if length != 1.0 {
        let mut power = 1.0;
        for c in to {
            *c *= power;
            power *= length;
        }
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
        if end <= self.near && interval.b.last_chunk().is_some_and(|[before, last]| last <= before) {
            self.falling = Some(since);
        }
        Look::Clear
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roots::locate;

    /// Numbers between 0 and 1 that look random: G. Marsaglia, J. Stat. Softw. 8 (2003) 14.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// The polynomial times (c₀ + c₁ x + …).
    fn times(p: &[f64], factor: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; p.len() + factor.len() - 1];
        for (i, a) in p.iter().enumerate() {
            for (j, b) in factor.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        product
    }

    /// All roots between 0 and 1, as a run finds them: the first one, and from there on the next ones of the other sign.
    fn roots(c: &[f64]) -> Vec<f64> {
        let (mut start, mut sign) = (0.0, 1.0);
        let mut found = Vec::new();
        let mut v = Expansion::default();
        loop {
            shift(c, start, 1.0 - start, &mut v.c);
            v.c.iter_mut().for_each(|c| *c *= sign);
            if start > 0.0 {
                v.c[0] = 0.0;
            }
            let mut next = None;
            let end = v.spots(0.0, None, &mut |spot| {
                let (Spot::Falls { from, to } | Spot::Dip { from, at: to }) = spot;
                if v.at(to) >= 0.0 {
                    return ControlFlow::Continue(());
                }
                next = Some(locate(&mut |x| v.at(x), (from, v.at(from)), (to, v.at(to)), 1e-16).1.0);
                ControlFlow::Break(())
            });
            assert_ne!(end, End::Unclear);
            assert!(next.is_none() || !v.stays_above(1e-12), "the quick look misses {next:?}");
            let Some(x) = next else { return found };
            start += x * (1.0 - start);
            found.push(start);
            sign = -sign;
        }
    }

    /// Products of pairs of roots as near as 3e-6 and of others at random places, and of parabolas that stay as little above
    /// zero: every root is found once, in order, and none where there is none.
    #[test]
    fn all_roots_of_clusters_are_found_and_none_is_invented() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut found = 0;
        for round in 0..2000 {
            let gap = 10f64.powf(-1.0 - 4.5 * random.next());
            let (mut exact, mut places) = (Vec::new(), Vec::new());
            let mut p = vec![1.0];
            for _ in 0..1 + round % 3 {
                let place = 0.1 + 0.87 * random.next();
                if random.next() < 0.3 {
                    // ((x − place)² + gap²) / place²
                    let scale = 1.0 / (place * place);
                    p = times(&p, &[1.0 + scale * gap * gap, -2.0 * place * scale, scale]);
                    places.extend([place; 2]);
                    continue;
                }
                let other = if random.next() < 0.5 { place + gap } else { 0.1 + 1.5 * random.next() };
                exact.extend([place, other]);
                places.extend([place, other]);
                for root in [place, other] {
                    p = times(&p, &[1.0, -1.0 / root]);
                }
            }
            // Where three are nearly one, rounding of the coefficients moves them too far.
            exact.sort_by(f64::total_cmp);
            places.sort_by(f64::total_cmp);
            if places.windows(3).any(|three| three[2] - three[0] < 0.05) || exact.iter().any(|r| (r - 1.0).abs() < 1e-9)
            {
                continue;
            }
            // A factor that has no root does not change anything: e^x, to an order that shows it.
            let factor: Vec<f64> = (1..=14).scan(1.0, |c, k| Some(std::mem::replace(c, *c / f64::from(k)))).collect();
            let v = Expansion { c: times(&p, &factor), rest: [0.0; 3] };
            exact.retain(|root| *root < 1.0);
            let roots = roots(&v.c);
            assert_eq!(roots.len(), exact.len(), "round {round}: {roots:?} for {exact:?}, gap {gap:e}");
            for (root, exact) in roots.iter().zip(&exact) {
                // So far rounding of the coefficients moves them.
                let moved = 4.0 * v.noise() / v.slope(*exact).abs();
                assert!((root - exact).abs() < moved.max(1e-14), "round {round}: {root}, not {exact}");
            }
            found += exact.len();
        }
        assert!(found > 1500, "{found}");
    }

    /// (x − r)² and (x − r)⁴ have one lowest point, wherever r is among the halves; a little lower, they cross zero twice.
    #[test]
    fn touches_are_lowest_points() {
        for r in [0.25, 0.5, 0.3, 0.7310585, 0.999] {
            let square = [r * r, -2.0 * r, 1.0];
            for (c, flat) in [(square.to_vec(), 1e-7), (times(&square, &square), 1e-3)] {
                let v = Expansion { c, rest: [0.0; 3] };
                let mut places = Vec::new();
                v.spots(1e-9, None, &mut |spot| {
                    places.push(spot);
                    ControlFlow::Continue(())
                });
                let near = |spot: &Spot| matches!(spot, Spot::Dip { from, at } if (at - r).abs() < flat && from < at);
                assert!(near(&places[0]), "{r}: {places:?}");
            }
            let found = roots(&[r * r - 1e-10, -2.0 * r, 1.0]);
            assert!(
                matches!(found[..], [a, b] if (a - r + 1e-5).abs() < 1e-9 && (b - r - 1e-5).abs() < 1e-9),
                "{found:?}"
            );
        }
    }

    /// What the polynomial leaves out is reckoned with: nothing is said to be above zero that may be below.
    #[test]
    fn the_rest_counts() {
        let parabola = |rest: f64| Expansion { c: vec![0.25 + 1e-3, -1.0, 1.0], rest: [rest; 3] };
        let spots = |v: &Expansion| {
            let mut count = 0;
            v.spots(0.0, None, &mut |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            count
        };
        assert_eq!(spots(&parabola(1e-4)), 0);
        assert_eq!(spots(&parabola(2e-3)), 1);
        let line = |rest: f64| Expansion { c: vec![1.0, 0.5], rest: [rest; 3] };
        assert!(line(0.4).stays_above(0.0) && !line(0.6).stays_above(0.0));
        let rising = |rest: f64| Expansion { c: vec![0.0, 0.5, -0.2], rest: [rest; 3] };
        assert!(rising(0.2).stays_above(0.0) && !rising(0.4).stays_above(0.0));
    }

    /// Right after an event v begins at zero: what rises from there is no crossing, what turns back is one.
    #[test]
    fn a_start_at_zero_is_no_root() {
        let mut spots = Vec::new();
        let v = Expansion { c: vec![0.0, 1.0, -2.0], rest: [0.0; 3] };
        v.spots(0.0, None, &mut |spot| {
            spots.push(spot);
            ControlFlow::Continue(())
        });
        assert_eq!(spots, [Spot::Falls { from: 0.0, to: 1.0 }]);
        assert_eq!(roots(&[0.0, 1.0, -2.0]), [0.5]);
        assert_eq!(roots(&[0.0, 1.0, -0.9]), []);
    }
}
