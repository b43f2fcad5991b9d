//! The part of a run that the circle test draws: all of it, or its end where samples would miss whole turns.

use super::Watched;
use super::reference::{TIMES, aligned, at};
use crate::{Compiled, ErrorWish, RunOptions, simulate};
use ordinate_solve::Status;

/// The end of the run is halved so often at most.
const HALVINGS: u32 = 14;
/// A curve is drawn well if twice as many samples make it longer by no more than this: 1.2/n² with n samples in a turn.
const LONGER: f64 = 2e-3;
/// A curve shorter than this part of the extent of the whole solution shows nothing.
const SHORT: f64 = 1e-2;

/// Evenly spaced times over the longest of the whole run, its last half, its last quarter, … in which straight lines between them
/// follow the first two states; over the whole run if there is none.
pub(super) fn drawn_times(
    compiled: &Compiled,
    options: &RunOptions,
    names: [&String; 2],
    (from, end): (f64, f64),
    keep_going: &dyn Fn() -> bool,
) -> Vec<f64> {
    let part = |level: u32, count: usize| -> Vec<f64> {
        let begin = if level == 0 { from } else { end - (end - from) / 2f64.powi(level as i32) };
        // rounding must not lead out of the run
        (0..count).map(|k| (begin + (end - begin) * (k as f64 / (count - 1) as f64)).min(end)).collect()
    };
    // the samples and the middles between them
    let fine = |level: u32| part(level, 2 * TIMES - 1);
    // two runs, for mostly the whole one is drawn
    let mut size = None;
    for levels in [0..=0, 1..=HALVINGS] {
        let mut times: Vec<f64> = levels.clone().flat_map(fine).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut watched = Watched::new(keep_going);
        let plain = RunOptions { rows: at(&times), error: ErrorWish::Off, ..options.clone() };
        match simulate(compiled, &plain, &mut watched) {
            Ok(run) if run.outcome.status == Status::Ok => {}
            _ => break,
        }
        for level in levels {
            let [x, y] = names.map(|name| aligned(&watched.memory, name, &fine(level)));
            let (width, height) = *size.get_or_insert_with(|| (extent(&x), extent(&y)));
            let all: Vec<(f64, f64)> = x.iter().map(|x| x / width).zip(y.iter().map(|y| y / height)).collect();
            let half: Vec<(f64, f64)> = all.iter().copied().step_by(2).collect();
            let (all, half) = (length(&all), length(&half));
            if all > SHORT && all - half <= LONGER * all {
                return part(level, TIMES);
            }
        }
    }
    part(0, TIMES)
}

fn extent(values: &[f64]) -> f64 {
    let finite = values.iter().copied().filter(|v| v.is_finite());
    let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    if hi > lo { hi - lo } else { 1.0 }
}

fn length(curve: &[(f64, f64)]) -> f64 {
    let pieces = curve.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1));
    pieces.filter(|piece| piece.is_finite()).sum()
}
