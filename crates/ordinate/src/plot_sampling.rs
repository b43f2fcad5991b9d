//! Rows that a picture needs, where those of a file are too few or at the wrong times.
//!
//! A fast reaction, then a slow one: such a run takes half of its steps in the first hundredth of its time, its first decades are
//! invisible on an even axis, and its picture gets a logarithmic one. A long oscillation: joined by straight lines, a few rows
//! of each period are another curve.

use crate::{Memory, RowTimes, Run, RunOptions, Status};

/// So early half of the steps must be done, as a part of the run.
const EARLY: f64 = 1e-2;
/// So much longer is the longest step than the shortest.
const SPREAD: f64 = 1e3;
/// Fewer steps say nothing about where the time goes.
const FEWEST: usize = 10;
/// Points of a curve over decades.
const POINTS: usize = 501;
/// Points of a long curve, at most: more than a picture has columns. And numbers of all curves.
const MOST: usize = 20_001;
const NUMBERS: usize = 4_000_000;
/// A run of so many steps and states is not done again for a picture.
const LONG: u64 = 20_000_000;

/// The options to do a run again with rows for its picture, and whether its axis of time is logarithmic then; none where the
/// rows that were stored will do, or were asked for.
pub fn shown(options: &RunOptions, run: &Run, rows: &Memory, over_time: bool) -> Option<(RunOptions, bool)> {
    let RowTimes::Even(stored) = options.rows else { return None };
    if run.outcome.status != Status::Ok || options.digits.is_some() || options.precision.is_some() {
        return None;
    }
    let again = |rows: RowTimes| RunOptions { rows, repeat: 1, ..options.clone() };
    if let Some(times) = times(&rows.strip).filter(|_| over_time) {
        return Some((again(RowTimes::At(times.iter().map(|t| format!("{t:?}")).collect())), true));
    }
    let steps = run.outcome.statistics.steps;
    let wanted = wanted(steps, &rows.strip).min(NUMBERS / rows.names.len().max(1));
    let short = steps.saturating_mul(run.outcome.y.len() as u64) < LONG;
    (short && wanted > stored + stored / 2).then(|| (again(RowTimes::Even(wanted)), false))
}

/// How many rows show what so many steps found. In a step of order p an oscillation turns by about p/4, and p points are some
/// 25 in a period.
fn wanted(steps: u64, strip: &[(f64, f64, u32)]) -> usize {
    let orders: f64 = strip.iter().map(|&(_, _, order)| f64::from(order)).sum();
    let mean = (orders / strip.len().max(1) as f64).clamp(4.0, 40.0);
    // whole hundreds of intervals, so that rows are at short decimals
    let intervals = (steps as f64 * mean / 100.0).ceil() * 100.0;
    intervals.min((MOST - 1) as f64) as usize + 1
}

/// Times with equal ratios from the decade of the first step to the end of a run that begins at zero.
fn times(strip: &[(f64, f64, u32)]) -> Option<Vec<f64>> {
    let (first, last, half) = (strip.first()?, strip.last()?, strip.get(strip.len() / 2)?);
    let (shortest, longest) =
        strip.iter().fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), &(_, h, _)| (lo.min(h), hi.max(h)));
    let begins_at_zero = first.0 - first.1 == 0.0;
    if strip.len() < FEWEST || !begins_at_zero || half.0 > EARLY * last.0 || longest < SPREAD * shortest {
        return None;
    }
    let (low, high) = (first.0.log10().floor(), last.0.log10());
    let inner = (0..POINTS - 1).map(|k| 10f64.powf(low + (high - low) * k as f64 / (POINTS - 1) as f64));
    Some(inner.chain([last.0]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(lengths: impl Iterator<Item = f64>) -> Vec<(f64, f64, u32)> {
        let mut t = 0.0;
        lengths
            .map(|h| {
                t += h;
                (t, h, 5)
            })
            .collect()
    }

    /// Steps that double all along, and steps that are short now and then: only the first ones need decades.
    #[test]
    fn only_growing_steps_need_decades() {
        let growing = steps((0..30).map(|k| 1e-4 * 2f64.powi(k)));
        let found = times(&growing).expect("nine decades");
        assert_eq!((found.len(), found[0], *found.last().unwrap()), (POINTS, 1e-4, growing[29].0));
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(times(&steps((0..30).map(|k| if k % 3 == 0 { 1e-5 } else { 1.0 }))), None);
        let shifted: Vec<_> = growing.iter().map(|&(t, h, order)| (t + 1.0, h, order)).collect();
        assert_eq!(times(&shifted), None);
        assert_eq!(times(&[]), None);
    }

    #[test]
    fn many_steps_need_many_rows() {
        let strip = steps((0..30).map(|_| 1.0));
        assert_eq!(wanted(30, &strip), 201);
        assert_eq!(wanted(1234, &strip), 6201);
        assert_eq!(wanted(1 << 40, &strip), MOST);
        assert_eq!(wanted(0, &[]), 1);
    }
}
