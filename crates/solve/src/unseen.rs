//! States that have fallen below their absolute tolerance, or rest, and whether errors of them may come back.
//!
//! ```text
//!   x′ = 100 (t − 1) x       from x(0) = 1 is 2·10⁻²² at t = 1 and 4·10⁴ at t = 2.1
//! ```
//!
//! A state below its tolerance is followed no further: it may be anything of that size. Where the equations make it grow again, what
//! comes back is not what went, and methods that damp what their long steps do not resolve bring nothing back at all; so does a shorter
//! step, which damps as well. An error e of the unseen states changes along the solution by e′ = J e with their part of the Jacobian,
//! and in the Euclidean norm
//!
//! ```text
//!   |e|′ ≤ μ |e|,     μ = max over i of (Jᵢᵢ + ½ Σ |Jᵢⱼ + Jⱼᵢ|)
//! ```
//!
//! (the logarithmic norm, bounded by Gershgorin's discs; Hairer, Nørsett, Wanner I, I.10), where units are chosen so that Jᵢⱼ and Jⱼᵢ
//! are of the same size: of an oscillation nothing is left then. Only where ∫ μ lets an error of the size of the tolerance come back
//! into sight is there something to be looked at.

use std::sync::Arc;

use crate::System;
use ordinate_linalg::Pattern;

/// About so many times on the way the Jacobian is looked at.
const LOOKS: f64 = 64.0;
/// Evaluations of f for difference quotients, where the system has no derivatives to offer.
const EVALUATIONS: usize = 2000;
/// Rounds of choosing units.
const ROUNDS: usize = 4;

/// What a state is measured by.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// Its absolute tolerance.
    pub atol: f64,
    /// The relative one.
    pub rtol: f64,
    /// What counts as seen again.
    pub noticed: f64,
}

/// The states whose errors may have grown by so much that they count, although the steps did not follow them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Returning {
    /// Those that had fallen below their absolute tolerance.
    pub unseen: Vec<bool>,
    /// Those that had been at rest within their tolerance.
    pub resting: Vec<bool>,
}

/// Looks for them on this way, points in time. Of a system with discrete values nothing is known, nor of one that is too large for
/// difference quotients.
pub fn may_return(system: &mut dyn System, way: &[(f64, &[f64])], sights: &[Sight]) -> Returning {
    let n = sights.len();
    let mut returning = Returning { unseen: vec![false; n], resting: vec![false; n] };
    let layout = system.layout();
    let differential = layout.differential();
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return returning };
    if layout.discrete() > 0 || !layout.delays.is_empty() || layout.states != n {
        return returning;
    }
    let below = |y: &[f64], i: usize| y[i].abs() < sights[i].atol;
    let tolerance = |y: &[f64], i: usize| sights[i].atol + sights[i].rtol * y[i].abs();
    let mut seen = vec![false; n];
    // A state that stands where it began stands there exactly, not by what rounding or a method has left of a motion.
    let mut moved = vec![false; n];
    let mut block = UnseenBlock::new(system);
    // The states that steps have not followed since their errors began to grow, their errors then, and by how much those may have grown.
    let (mut doubted, mut noise, mut growth): (Vec<usize>, Vec<f64>, f64) = (Vec::new(), vec![0.0; n], 0.0);
    // Where those began to rest that do.
    let mut at_rest: Vec<Option<f64>> = vec![None; n];
    let mut before: Option<(f64, f64)> = None;
    let apart = (last.0 - first.0) / LOOKS;
    for (step, t, y) in refined(way, apart) {
        let (t, y) = (&t, &y[..]);
        let rests = |i: usize| {
            let [(since, from), (until, to)] = [way[step.checked_sub(1)?], way[step]];
            (until > since && (to[i] - from[i]).abs() <= tolerance(to, i)).then(|| tolerance(to, i))
        };
        moved.iter_mut().enumerate().for_each(|(i, moved)| *moved |= (y[i] - first.1[i]).abs() > tolerance(y, i));
        // What has moved since it came to rest is followed again.
        doubted.retain(|&i| at_rest[i].is_none_or(|rest: f64| (y[i] - rest).abs() <= noise[i]));
        for i in 0..differential {
            let error = if seen[i] && below(y, i) { Some(sights[i].atol) } else { rests(i).filter(|_| moved[i]) };
            if let (Some(error), Err(place)) = (error, doubted.binary_search(&i)) {
                doubted.insert(place, i);
                noise[i] = error;
                at_rest[i] = (!(seen[i] && below(y, i))).then_some(y[i]);
            }
        }
        (0..n).for_each(|i| seen[i] |= !below(y, i));
        if doubted.is_empty() {
            (before, growth) = (None, 0.0);
            continue;
        }
        if before.is_some_and(|(earlier, _)| t - earlier < apart && *t < last.0) {
            continue;
        }
        let Some(rate) = block.rate(system, *t, y, &doubted) else { break };
        growth += before.map_or(0.0, |(earlier, last)| 0.5 * (t - earlier) * (rate + last));
        before = Some((*t, rate));
        let needed = doubted.iter().map(|&i| (sights[i].noticed / noise[i]).ln()).fold(f64::INFINITY, f64::min);
        if growth > needed {
            for &i in &doubted {
                let kind = if at_rest[i].is_some() { &mut returning.resting } else { &mut returning.unseen };
                kind[i] = true;
            }
        }
        if growth <= 0.0 {
            // Those that are below their tolerance are so anew at the next point.
            growth = 0.0;
            doubted.clear();
        }
    }
    returning
}

/// The points of a way, each with its number, and between two that are farther apart others on a straight line.
fn refined<'a>(way: &'a [(f64, &'a [f64])], apart: f64) -> impl Iterator<Item = (usize, f64, Vec<f64>)> + 'a {
    way.iter().enumerate().flat_map(move |(k, (t, y))| {
        let (since, from) = way[k.saturating_sub(1)];
        let parts = if apart > 0.0 { ((t - since) / apart).ceil().clamp(1.0, LOOKS) as usize } else { 1 };
        (1..=parts).map(move |part| {
            let theta = part as f64 / parts as f64;
            let between = || from.iter().zip(*y).map(|(from, to)| from + theta * (to - from)).collect();
            let here = if part == parts { y.to_vec() } else { between() };
            (k, if part == parts { *t } else { since + theta * (t - since) }, here)
        })
    })
}

/// The part of the Jacobian that belongs to some states.
struct UnseenBlock {
    pattern: Option<Arc<Pattern>>,
    values: Vec<f64>,
    f: [Vec<f64>; 2],
    /// Evaluations that are left for difference quotients.
    left: usize,
    elements: Vec<(usize, usize, f64)>,
}

impl UnseenBlock {
    fn new(system: &mut dyn System) -> UnseenBlock {
        let (n, pattern) = (system.layout().states, system.jacobian_pattern());
        let values = vec![0.0; pattern.as_ref().map_or(0, |pattern| pattern.len())];
        let f = [vec![0.0; n], vec![0.0; n]];
        UnseenBlock { pattern, values, f, left: EVALUATIONS, elements: Vec::new() }
    }

    /// μ of these states at a point; `None` where it is not known.
    fn rate(&mut self, system: &mut dyn System, t: f64, y: &[f64], states: &[usize]) -> Option<f64> {
        self.elements.clear();
        if let Some(pattern) = &self.pattern {
            system.jacobian(t, y, &[], &mut self.values);
            for (row, &state) in states.iter().enumerate() {
                let values = &self.values[pattern.starts[state]..pattern.starts[state + 1]];
                let row_of = pattern.row(state).iter().zip(values);
                let place = |j: u32| states.binary_search(&(j as usize)).ok();
                self.elements.extend(row_of.filter_map(|(&j, &value)| Some((row, place(j)?, value))));
            }
        } else {
            self.left = self.left.checked_sub(states.len() + 1)?;
            let [here, moved] = &mut self.f;
            system.derivative(t, y, &[], here);
            let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
            let mut there = y.to_vec();
            for (column, &j) in states.iter().enumerate() {
                let width = f64::EPSILON.sqrt() * y[j].abs().max(1e-5 * largest).max(f64::MIN_POSITIVE.sqrt());
                there[j] = y[j] + width;
                system.derivative(t, &there, &[], moved);
                let quotient = |i: usize| (moved[i] - here[i]) / (there[j] - y[j]);
                self.elements.extend(states.iter().enumerate().map(|(row, &i)| (row, column, quotient(i))));
                there[j] = y[j];
            }
        }
        self.elements
            .iter()
            .all(|(_, _, value)| value.is_finite())
            .then(|| logarithmic_norm(states.len(), &self.elements))
    }
}

/// A bound of μ of a matrix of n rows, from its elements.
fn logarithmic_norm(n: usize, elements: &[(usize, usize, f64)]) -> f64 {
    let mut units = vec![1.0f64; n];
    for _ in 0..ROUNDS {
        // what comes into each state, and what goes out of it
        let (mut into, mut out) = (vec![0.0; n], vec![0.0; n]);
        for &(i, j, value) in elements.iter().filter(|(i, j, _)| i != j) {
            let size = (value * units[j] / units[i]).abs();
            into[i] += size;
            out[j] += size;
        }
        for ((unit, into), out) in units.iter_mut().zip(&into).zip(&out) {
            if *into > 0.0 && *out > 0.0 {
                // both ends of a pair take half of what is needed
                *unit *= (into / out).sqrt().sqrt();
            }
        }
    }
    let mut pairs: Vec<(usize, usize, f64)> =
        elements.iter().map(|&(i, j, value)| (i.min(j), i.max(j), value * units[j] / units[i])).collect();
    pairs.sort_unstable_by_key(|&(i, j, _)| (i, j));
    let mut bounds = vec![0.0; n];
    for pair in pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (i, j) = (pair[0].0, pair[0].1);
        let sum: f64 = pair.iter().map(|(_, _, value)| value).sum();
        if i == j {
            bounds[i] += sum;
        } else {
            bounds[i] += 0.5 * sum.abs();
            bounds[j] += 0.5 * sum.abs();
        }
    }
    bounds.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    /// x′ = a(t) x and its mirror y′ = −a(t) y, or a rotation of both.
    struct Test {
        rotates: bool,
    }

    impl System for Test {
        fn layout(&self) -> &Layout {
            static LAYOUT: std::sync::LazyLock<Layout> =
                std::sync::LazyLock::new(|| Layout { states: 2, ..Layout::default() });
            &LAYOUT
        }

        fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
            let rate = 100.0 * (t - 1.0);
            (dy[0], dy[1]) = if self.rotates { (y[1], -1e4 * y[0]) } else { (rate * y[0], -y[1]) };
        }
    }

    fn found(rotates: bool, end: f64) -> Vec<bool> {
        let points: Vec<(f64, [f64; 2])> = (0..=100)
            .map(|k| (end * f64::from(k) / 100.0, [if k == 0 { 1.0 } else { 1e-12 }, if k == 0 { 1.0 } else { 1e-11 }]))
            .collect();
        let way: Vec<(f64, &[f64])> = points.iter().map(|(t, y)| (*t, &y[..])).collect();
        may_return(&mut Test { rotates }, &way, &[Sight { atol: 1e-9, rtol: 1e-6, noticed: 0.1 }; 2]).unseen
    }

    #[test]
    fn what_grows_again_after_it_was_lost_from_sight_may_return() {
        assert_eq!(found(false, 2.1), [true, true]);
        // e^18 would be needed, and it is e^8
        assert_eq!(found(false, 1.4), [false, false]);
    }

    /// The logarithmic norm of a rotation is that of its units, in which it is none.
    #[test]
    fn oscillations_do_not_grow() {
        assert_eq!(found(true, 100.0), [false, false]);
    }
}
