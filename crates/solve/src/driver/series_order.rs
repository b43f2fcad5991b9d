//! The observed order of a Taylor series: what the polynomial of a step leaves of the equation must vanish like its first
//! power left out,
//!
//! ```text
//!   defect(θ) = h f(t + θh, p(θ)) − p′(θ) ~ θᵖ      for a series of order p.
//! ```
//!
//! A wrong coefficient of power k leaves θᵏ⁻¹ instead. The check at the end of a step would only shorten the steps until that is
//! within the tolerance, and hundreds of such steps add up. So the order is measured, at the start and at the points at which a run
//! is examined, wherever the defect is a part of the tolerance that can matter.

use super::Run;
use super::plan::Plan;
use crate::Reason;

/// Where the defect is measured from, each further place half as far as the one before. An order is one that all of these tell:
/// the rounding of a formula that cancels may look like a power from one of them, not from four.
const FIRST_PLACES: [f64; 4] = [0.5, 0.47, 0.43, 0.38];
/// So many places, the last one 1/8 as far as the first.
const PLACES: usize = 4;
/// A defect counts where it is so many times the rounding of its terms: its order is then known to three digits.
const ABOVE_ROUNDING: f64 = 1e4;
/// A defect of one power tells the same order between any two places, but for what the next power adds.
const SPREAD: f64 = 0.5;
/// A defect far below the tolerance in the middle of a step may come from what the method leaves out on purpose, and from rounding.
/// One that is the tolerance at the end of a step and falls like a power up to θ¹⁰ is more in the middle.
const PART_OF_TOLERANCE: f64 = 1e-3;
/// The powers of a series of a lower order are too near to each other.
const LEAST_ORDER: u32 = 4;

impl Run<'_> {
    /// Measures the observed order of the series of a step.
    pub(super) fn check_series_order(&mut self, plan: Plan, order: u32) -> Result<(), Reason> {
        // The past of a delay is a spline, and f reads one polynomial of it after the other.
        if order < LEAST_ORDER || self.delayed.count > 0 || !self.method.gave_polynomial() {
            return Ok(());
        }
        let n = self.flow.consistency.as_ref().map_or(self.y.len(), |consistency| consistency.differential());
        let mut series = vec![Vec::new(); self.y.len()];
        if !series.iter_mut().enumerate().all(|(state, c)| self.method.polynomial(state, c)) {
            return Ok(());
        }
        let limit = 0.5 * f64::from(order);
        // for each component the range of the orders observed; empty where there is none
        let mut ranges: Vec<Range> = vec![Some((f64::INFINITY, f64::NEG_INFINITY)); n];
        for first in FIRST_PLACES {
            self.observe_orders(plan, &series, first, &mut ranges);
            ranges.iter_mut().for_each(|range| *range = range.filter(|&(_, most)| most < limit));
            if ranges.iter().all(Option::is_none) {
                return Ok(());
            }
        }
        let wrong = ranges.iter().enumerate().find_map(|(i, range)| Some((i, (*range)?.0)));
        wrong.map_or(Ok(()), |(component, observed)| Err(Reason::SeriesOrder { t: self.t, component, observed, order }))
    }

    /// Adds the orders between neighbouring places to the range of each component whose defect matters and follows one power.
    fn observe_orders(&mut self, plan: Plan, series: &[Vec<f64>], first: f64, ranges: &mut [Range]) {
        let mut before: Vec<f64> = Vec::new();
        for place in 0..PLACES {
            let defect = self.known_defect(plan, series, first / f64::from(1u32 << place), ranges.len());
            if place == 0 {
                let matters = |i: usize| defect[i].abs() > PART_OF_TOLERANCE * self.tol.of(i, [self.y[i]; 2]);
                ranges.iter_mut().enumerate().for_each(|(i, range)| *range = range.filter(|_| matters(i)));
                if ranges.iter().all(Option::is_none) {
                    return;
                }
            }
            for (range, (before, defect)) in ranges.iter_mut().zip(before.iter().zip(&defect)) {
                // not a number where the signs differ: then it is no power
                let between = (before / defect).log2();
                *range = union(*range, between.is_finite().then_some((between, between)));
            }
            before = defect;
        }
    }

    /// The defect at a place, zero where rounding hides it.
    fn known_defect(&mut self, plan: Plan, series: &[Vec<f64>], theta: f64, n: usize) -> Vec<f64> {
        let [y, slope] = &mut self.scratch;
        for ((y, slope), c) in y.iter_mut().zip(slope.iter_mut()).zip(series) {
            (*y, *slope) = c.iter().rev().fold((0.0, 0.0), |(y, slope), c| (y * theta + c, slope * theta + y));
        }
        let mut f = vec![0.0; y.len()];
        self.flow.with(|system| system.derivative(self.t + theta * plan.h, y, &self.d, &mut f));
        self.statistics.evaluations.f += 1;
        let known = |i: usize| {
            let change = plan.h * f[i];
            let defect = change - slope[i];
            let rounding = f64::EPSILON * (y[i].abs() + change.abs() + slope[i].abs());
            if defect.abs() > ABOVE_ROUNDING * rounding { defect } else { 0.0 }
        };
        (0..n).map(known).collect()
    }
}

/// The least and the largest order observed.
type Range = Option<(f64, f64)>;

/// A range that contains both; none where one of them is missing or they are not of one power.
fn union(a: Range, b: Range) -> Range {
    let (a, b) = (a?, b?);
    let range = (a.0.min(b.0), a.1.max(b.1));
    (range.1 - range.0 < SPREAD).then_some(range)
}
