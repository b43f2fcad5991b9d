//! Pictures of runs whose first decades of time are invisible on an even axis: a fast reaction, then a slow one. Such a run
//! takes half of its steps in the first hundredth of its time, and its picture gets a logarithmic axis, with rows of its
//! own.

use crate::{Compiled, Memory, RowTimes, Run, RunOptions, Status, simulate};

/// So early half of the steps must be done, as a part of the run.
const EARLY: f64 = 1e-2;
/// So much longer is the longest step than the shortest.
const SPREAD: f64 = 1e3;
/// Fewer steps say nothing about where the time goes.
const FEWEST: usize = 10;
/// Points of a curve.
const POINTS: usize = 501;

/// The same run with rows for a logarithmic axis of time, where that shows more than the even rows that were stored.
pub fn by_decades(compiled: &Compiled, options: &RunOptions, run: &Run, rows: &Memory) -> Option<(Run, Memory)> {
    if !matches!(options.rows, RowTimes::Even(_)) || run.outcome.status != Status::Ok || options.digits.is_some() {
        return None;
    }
    let times = times(&rows.strip)?;
    let rows = RowTimes::At(times.iter().map(|t| format!("{t:?}")).collect());
    let mut memory = Memory::default();
    let run = simulate(compiled, &RunOptions { rows, repeat: 1, ..options.clone() }, &mut memory).ok()?;
    (run.outcome.status == Status::Ok).then_some((run, memory))
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
}
