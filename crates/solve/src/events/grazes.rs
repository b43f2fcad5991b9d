//! Grazes: where a switch comes near to zero and turns back, before its boundary or a little behind it.
//!
//! The side of a graze is decided by the sign of its extreme. An error of the solution that is larger than the extreme decides
//! otherwise, and then an action runs or does not, or a branch is taken or is not: the result is wrong by all that it does. So the
//! extremes are kept, and who estimates the error compares both.

/// Extremes that are a larger part of the greatest |g| are not kept: an error of that size leaves no digits anyway.
pub(crate) const NEAR: f64 = 0.01;

/// So many are kept of a run.
const MAX_KEPT: usize = 1 << 14;

/// An extreme of a switch near its boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graze {
    /// The switch.
    pub switch: usize,
    /// The time of the extreme, or that of the crossing before it.
    pub t: f64,
    /// How far the extreme is away from the boundary; negative where it is behind the boundary.
    pub distance: f64,
    /// 1 where g is above the boundary before it, −1 where it is below.
    pub side: f64,
    /// The greatest |g| of the switch so far.
    pub size: f64,
    /// How much g changes there within the tolerances of the states.
    pub tolerance: f64,
}

/// The grazes of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grazes {
    all: Vec<(Graze, f64)>,
}

impl Grazes {
    /// A step from here is searched: what was found in an attempt before is void.
    pub fn begin(&mut self, start: f64) {
        while self.all.last().is_some_and(|(_, from)| *from >= start) {
            self.all.pop();
        }
    }

    /// The step that began at `start` goes to this time only.
    pub fn end(&mut self, start: f64, t: f64) {
        let first = self.all.iter().rposition(|(_, from)| *from < start).map_or(0, |last| last + 1);
        let mut kept = first;
        for k in first..self.all.len() {
            if self.all[k].0.t <= t {
                self.all.swap(kept, k);
                kept += 1;
            }
        }
        self.all.truncate(kept);
    }

    pub fn push(&mut self, start: f64, graze: Graze) {
        if self.all.len() < MAX_KEPT {
            self.all.push((graze, start));
        }
    }

    /// All of them, which are gone here.
    pub fn take(&mut self) -> Vec<Graze> {
        std::mem::take(&mut self.all).into_iter().map(|(graze, _)| graze).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_step_replaces_what_was_found_and_a_shorter_one_keeps_its_part() {
        let graze = |t: f64| Graze { switch: 0, t, distance: 1e-9, side: 1.0, size: 1.0, tolerance: 1e-6 };
        let mut grazes = Grazes::default();
        grazes.push(0.0, graze(0.5));
        grazes.begin(1.0);
        grazes.push(1.0, graze(1.2));
        grazes.begin(1.0);
        [1.7, 1.3].into_iter().for_each(|t| grazes.push(1.0, graze(t)));
        grazes.end(1.0, 1.5);
        assert_eq!(grazes.take().iter().map(|graze| graze.t).collect::<Vec<f64>>(), [0.5, 1.3]);
    }
}
