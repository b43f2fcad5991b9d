//! How many places inside of a step are looked at, lest it overlooks something there.

/// Looks in a whole run, at about the distance of two rows of a picture.
const IN_A_RUN: f64 = 256.0;
/// The fewest of a step of a series, which sees its input at a single point.
const OF_SERIES: usize = 8;
/// Of a step that saw nothing at all, and is longer than this part of the run.
const OF_SILENCE: usize = 128;
const LONG: f64 = 1.0 / 64.0;
/// Up to this order errors of long steps are not to be believed.
const LOW: u32 = 4;
/// Where f neither depends on time by itself nor holds what sleeps, only steps that are a great part of the run are looked into.
pub(crate) const VERY_LONG: f64 = 1.0 / 8.0;
/// Looks in a run without an input.
const ON_THE_WAY: f64 = 64.0;

/// What f may hold that steps far from it do not know of: a function that is next to zero over a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocalFeatures {
    /// Nothing.
    #[default]
    None,
    /// Functions of the states.
    InState,
    /// Functions of time.
    InTime,
}

fn evenly(part: f64, timed: bool) -> usize {
    let in_a_run = if timed { IN_A_RUN } else { ON_THE_WAY };
    (in_a_run * part.min(1.0)).ceil() as usize
}

/// Looks into a step of a Taylor series that is this part of the run.
pub(crate) fn of_series(part: f64, pulses: LocalFeatures) -> usize {
    match pulses {
        LocalFeatures::InTime => evenly(part, true).max(OF_SERIES),
        LocalFeatures::InState => evenly(part, false).max(OF_SERIES),
        LocalFeatures::None if part > VERY_LONG => OF_SERIES,
        LocalFeatures::None => 0,
    }
}

/// Looks into a step of another method, which has about half as many stages as its `order` says. `silent`: it has next to no
/// error, or none that is to be believed. An input that is nowhere next to zero over a stretch, such as a harmonic one, needs few.
pub(crate) fn of_stages(part: f64, timed: bool, pulses: LocalFeatures, silent: bool, order: u32) -> usize {
    let count = evenly(part, timed);
    let blind = silent || (part >= LONG && order <= LOW);
    match (timed, pulses) {
        (true, LocalFeatures::InTime) if part >= LONG && blind => count.max(OF_SILENCE),
        (true, LocalFeatures::InTime) if silent => count.max(OF_SERIES),
        (true, LocalFeatures::InTime) if 2 * count > order as usize => count,
        (true, LocalFeatures::InState | LocalFeatures::None) if blind => OF_SERIES,
        // the error of a step that covers all of it tells no more of it than that of one that ends before
        (false, LocalFeatures::InState) if silent || part >= LONG => count.max(OF_SERIES),
        (false, _) if part > VERY_LONG && silent => count,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of low order and of 1/32 of the run: many looks for what may sleep in between, few for what is everywhere awake.
    #[test]
    fn only_what_may_sleep_needs_many_looks() {
        let part = 1.0 / 32.0;
        assert_eq!(of_stages(part, true, LocalFeatures::InTime, false, 3), OF_SILENCE);
        assert_eq!(of_stages(part, true, LocalFeatures::None, false, 3), OF_SERIES);
        assert_eq!(of_stages(part, true, LocalFeatures::None, false, 8), 0);
        assert_eq!(of_stages(part, false, LocalFeatures::InState, true, 3), OF_SERIES);
        assert_eq!(of_stages(part, false, LocalFeatures::InState, false, 3), OF_SERIES);
        assert_eq!(of_stages(part / 4.0, false, LocalFeatures::InState, false, 3), 0);
        assert_eq!(of_stages(part, false, LocalFeatures::None, true, 3), 0);
    }
}
