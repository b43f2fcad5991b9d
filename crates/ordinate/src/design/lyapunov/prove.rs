//! V > 0 and V′ ≤ 0 over a region by subdivision, a counterexample where one fails, and the largest level set in which both
//! hold. The work is bounded and always done in the same order.

use super::function::{Box, Function, hull};
use crate::halton::halton;
use ordinate_expr::{Interval, Tape};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// V, V′, the point and where they are looked at.
pub(super) struct Problem {
    pub v: Function,
    pub rate: Function,
    /// f
    pub rates: Tape,
    /// Whether the slopes of V vanish at the point, so that its Hessian (and that of V′) tells its sign around it.
    pub flat: bool,
    /// A box around the point, as small as doubles allow.
    pub point: Box,
    pub region: Box,
}

/// Boxes that are looked at for one answer.
pub(super) const MOST_BOXES: usize = 120_000;
/// Boxes with sides below this part of the region's are not divided further.
const SMALLEST: f64 = 1e-7;
/// Points that are tried before.
const TRIED: usize = 4096;
/// The level is found to this part of itself.
const LEVEL: f64 = 1e-4;

/// What is claimed of V or of V′.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// V > 0 but at the point.
    Positive,
    /// V′ ≤ 0.
    NotRising,
}

/// What is known over a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It holds, with < and > but at the point.
    Strict,
    /// It holds with ≤.
    Weak,
    /// Neither proved nor refuted.
    Open,
}

/// Whether a claim holds over the region.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It does. Strictly: with < or > everywhere but at the point.
    Proved {
        /// Whether only the point itself has the value 0.
        strict: bool,
    },
    /// It does not: a point, and bounds of the value there.
    Refuted {
        /// The states there.
        at: Vec<f64>,
        /// Bounds of V or V′.
        value: (f64, f64),
    },
    /// Not decided: boxes that are left, the one nearest to the point first, and how many there are.
    Undecided {
        /// Lower and upper bounds of the states.
        boxes: Vec<Vec<(f64, f64)>>,
        /// All that are left.
        count: usize,
    },
}

impl Problem {
    fn function(&self, claim: Claim) -> &Function {
        match claim {
            Claim::Positive => &self.v,
            Claim::NotRising => &self.rate,
        }
    }

    /// Whether a claim holds over a box.
    pub fn known(&self, claim: Claim, x: &[Interval]) -> Known {
        let function = self.function(claim);
        let bounds = function.bounds(x);
        let sign = match claim {
            Claim::Positive if bounds.low > 0.0 => return Known::Strict,
            Claim::NotRising if bounds.high < 0.0 => return Known::Strict,
            Claim::Positive => 1.0,
            Claim::NotRising => -1.0,
        };
        // between the point and every place of the box the function is curved the right way
        if self.flat && function.is_definite(&hull(x, &self.point), sign) {
            return Known::Strict;
        }
        if claim == Claim::NotRising && bounds.high <= 0.0 { Known::Weak } else { Known::Open }
    }

    /// Whether a point refutes a claim beyond rounding: the bounds of the value there.
    pub fn refutes(&self, claim: Claim, at: &[f64]) -> Option<(f64, f64)> {
        let value = self.function(claim).at(at);
        let is_point = at.iter().zip(&self.point).all(|(x, side)| side.contains(*x));
        let wrong = match claim {
            Claim::Positive => value.high <= 0.0 && !is_point,
            Claim::NotRising => value.low > 0.0,
        };
        (wrong && value.is_bounded()).then_some((value.low, value.high))
    }

    /// Decides a claim over the region.
    pub fn decide(&self, claim: Claim) -> (Verdict, usize) {
        if let Some((at, value)) = self.counterexample(claim) {
            return (Verdict::Refuted { at, value }, 0);
        }
        let mut queue = VecDeque::from([self.region.clone()]);
        let (mut looked_at, mut strict) = (0, true);
        let mut open: Vec<Box> = Vec::new();
        while let Some(x) = queue.pop_front() {
            if looked_at >= MOST_BOXES {
                open.push(x);
                continue;
            }
            looked_at += 1;
            match self.known(claim, &x) {
                Known::Strict => continue,
                Known::Weak => {
                    strict = false;
                    continue;
                }
                Known::Open => {}
            }
            let middle: Vec<f64> = x.iter().map(|side| side.middle()).collect();
            if let Some(value) = self.refutes(claim, &middle) {
                return (Verdict::Refuted { at: middle, value }, looked_at);
            }
            match self.halves(&x) {
                Some(halves) => queue.extend(halves),
                None => open.push(x),
            }
        }
        if open.is_empty() {
            return (Verdict::Proved { strict }, looked_at);
        }
        let count = open.len();
        open.sort_by(|a, b| self.distance(a).total_cmp(&self.distance(b)));
        let boxes = open.iter().take(5).map(|x| x.iter().map(|side| (side.low, side.high)).collect()).collect();
        (Verdict::Undecided { boxes, count }, looked_at)
    }

    /// How far a box is from the point, in sides of the region.
    fn distance(&self, x: &[Interval]) -> f64 {
        let far = |k: usize| (x[k].middle() - self.point[k].middle()).abs() / self.region[k].width();
        (0..x.len()).map(far).fold(0.0, f64::max)
    }

    /// Both halves of a box, cut across its longest side in units of the region; `None` if it is small.
    pub fn halves(&self, x: &[Interval]) -> Option<[Box; 2]> {
        let part = |k: usize| if x[k].width() > 0.0 { x[k].width() / self.region[k].width() } else { 0.0 };
        let longest = (0..x.len()).fold(0, |best, k| if part(k) > part(best) { k } else { best });
        let middle = x[longest].middle();
        if part(longest) < SMALLEST || middle <= x[longest].low || middle >= x[longest].high {
            return None;
        }
        let (mut lower, mut upper) = (x.to_vec(), x.to_vec());
        lower[longest].high = middle;
        upper[longest].low = middle;
        Some([lower, upper])
    }

    /// A point that refutes a claim, of many that are tried: the one where it is wrong most, with few digits if possible.
    fn counterexample(&self, claim: Claim) -> Option<(Vec<f64>, (f64, f64))> {
        let function = self.function(claim);
        let wrongness = |at: &Vec<f64>| match claim {
            Claim::Positive => -function.value(at),
            Claim::NotRising => function.value(at),
        };
        let worst = self
            .samples()
            .into_iter()
            .filter(|at| self.refutes(claim, at).is_some())
            .max_by(|a, b| wrongness(a).total_cmp(&wrongness(b)))?;
        let rounded = [1, 2, 3].into_iter().map(|digits| {
            let round = |(x, side): (&f64, &Interval)| {
                let step = 10f64.powi((side.width().log10().floor() as i32) - digits);
                // by division where the step is small, so that 0.3 is the double of that name
                let near =
                    if step < 1.0 { (x / step).round() / (1.0 / step).round() } else { (x / step).round() * step };
                if side.contains(near) { near } else { *x }
            };
            worst.iter().zip(&self.region).map(round).collect::<Vec<f64>>()
        });
        let chosen = rounded
            .into_iter()
            .find(|at| self.refutes(claim, at).is_some() && wrongness(at) >= 0.5 * wrongness(&worst));
        let at = chosen.unwrap_or(worst);
        self.refutes(claim, &at).map(|value| (at, value))
    }

    /// Points of the region, of ever smaller boxes around the point, and of the axes and the corners.
    fn samples(&self) -> Vec<Vec<f64>> {
        let n = self.region.len();
        let centre: Vec<f64> = self.region.iter().map(|side| side.middle()).collect();
        let half: Vec<f64> = self.region.iter().map(|side| 0.5 * side.width()).collect();
        let point: Vec<f64> = self.point.iter().map(|side| side.middle()).collect();
        let mut samples = halton(TRIED, &centre, &half);
        for shrunk in [0.1, 1e-2, 1e-3] {
            let small: Vec<f64> = half.iter().map(|half| shrunk * half).collect();
            samples.extend(halton(TRIED / 16, &point, &small));
        }
        for k in 0..n {
            for part in -8..=8 {
                let mut at = point.clone();
                at[k] += half[k] * f64::from(part) / 8.0;
                samples.push(at);
            }
        }
        for corner in 0..1usize << n.min(10) {
            let side = |k: usize| if corner >> k.min(63) & 1 == 1 { self.region[k].high } else { self.region[k].low };
            samples.push((0..n).map(side).collect());
        }
        samples.retain(|at| at.iter().zip(&self.region).all(|(x, side)| side.contains(*x)));
        samples
    }

    /// The largest c such that both claims hold where V ≤ c, and V ≤ c does not reach the border of the region.
    pub fn level(&self) -> Level {
        let mut heap: BinaryHeap<Candidate> = BinaryHeap::new();
        let mut serial = 0;
        let mut push = |heap: &mut BinaryHeap<Candidate>, x: Box, border: bool| {
            serial += 1;
            let key = self.v.tight_bounds(&x).low;
            let key = if key.is_nan() { f64::NEG_INFINITY } else { key };
            heap.push(Candidate { key, serial, x, border });
        };
        for k in 0..self.region.len() {
            for end in [self.region[k].low, self.region[k].high] {
                let mut face = self.region.clone();
                face[k] = Interval::point(end);
                push(&mut heap, face, true);
            }
        }
        push(&mut heap, self.region.clone(), false);
        let mut level = Level { proved: 0.0, at_most: f64::INFINITY, strict: true, weak: Vec::new(), boxes: 0 };
        // boxes that are too small to be divided: what they hold is open
        let mut floor = f64::INFINITY;
        while let Some(Candidate { key, x, border, .. }) = heap.pop() {
            let reached = floor.min(key);
            if reached >= level.at_most * (1.0 - LEVEL) || reached < key || level.boxes >= MOST_BOXES {
                level.proved = reached;
                return level.rounded();
            }
            level.boxes += 1;
            if !border {
                let claims = [self.known(Claim::Positive, &x), self.known(Claim::NotRising, &x)];
                if !claims.contains(&Known::Open) {
                    if claims[1] == Known::Weak {
                        level.strict = false;
                        level.weak.push(x);
                    }
                    continue;
                }
            }
            let middle: Vec<f64> = x.iter().map(|side| side.middle()).collect();
            let bad = |claim| self.refutes(claim, &middle).is_some();
            if border || bad(Claim::NotRising) || bad(Claim::Positive) {
                let value = self.v.at(&middle).high;
                level.at_most = level.at_most.min(value.max(0.0));
            }
            match self.halves(&x) {
                Some(halves) => halves.into_iter().for_each(|half| push(&mut heap, half, border)),
                None => floor = floor.min(key),
            }
        }
        level.proved = floor;
        level.rounded()
    }
}

/// The level that was found.
pub(super) struct Level {
    /// Both claims hold where V is below this; 0 if nothing was proved.
    pub proved: f64,
    /// A larger level reaches the border, or a place where a claim is wrong.
    pub at_most: f64,
    /// Whether V′ < 0 there but at the point.
    pub strict: bool,
    /// Boxes with V′ ≤ 0 only.
    pub weak: Vec<Box>,
    /// Boxes that were looked at.
    pub boxes: usize,
}

impl Level {
    /// With five digits, downwards: V ≤ c is inside of V < the level proved.
    fn rounded(mut self) -> Level {
        if self.proved > 0.0 && self.proved.is_finite() {
            let unit = 10f64.powi(self.proved.log10().floor() as i32 - 4);
            let digits = (self.proved / unit).floor();
            let short = if unit < 1.0 { digits / (1.0 / unit).round() } else { digits * unit };
            self.proved = if short < self.proved { short } else { (digits - 1.0) * unit };
        }
        self.proved = self.proved.max(0.0);
        self
    }
}

/// A box on the way to the level: least V first, and of equal ones the first.
struct Candidate {
    key: f64,
    serial: usize,
    x: Box,
    border: bool,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
