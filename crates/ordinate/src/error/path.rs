//! The way of a solution from step to step, and how far two solutions of one model are apart in time.
//!
//! Where a solution jumps, by an event or because it relaxes, an error is a jump at another time. Two runs whose jumps are both too
//! early agree at a row between them and the true one, and a row says nothing of it. But they cross a level in the jump at different
//! times, and as errors do, their times differ from the true one by t − t_r = (t_c − t_r)·factor: a row may be on the other side
//! of the true jump up to there.

use super::LOST;
use super::kept::Flat;

/// Numbers that are kept of a way; of longer ones every second point is.
const MAX_KEPT: usize = 1 << 20;
/// Levels at which times are compared, as parts of the range of a state.
const LEVELS: [f64; 3] = [0.25, 0.5, 0.75];
/// A crossing is known as well as the points beside it are near: a difference of times counts from so many times their distance.
const SHARP: f64 = 2.0;
/// The true time of a jump is within so many times what the two times of it foretell; 1.6 was the most among relaxation
/// oscillations and relays at tolerances from 1e-3 to 1e-6.
const REACH: f64 = 1.5;

/// States at the ends of steps, and once more where events changed them.
#[derive(Default)]
pub(super) struct Path {
    points: Flat,
    stride: usize,
    count: usize,
}

/// A time at which a level is crossed, and the distance of the points beside it.
#[derive(Clone, Copy, Debug)]
struct Passage {
    t: f64,
    width: f64,
}

/// A time in which the true solution may be on the other side of a jump: what a row shows may be what it is `ahead` later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub state: usize,
    pub from: f64,
    pub to: f64,
    ahead: f64,
}

impl Path {
    pub fn push(&mut self, t: f64, y: &[f64]) {
        if self.points.width == 0 {
            (self.points.width, self.stride) = (1 + y.len(), 1);
        }
        self.count += 1;
        if !(self.count - 1).is_multiple_of(self.stride) {
            return;
        }
        self.points.values.push(t);
        self.points.values.extend_from_slice(y);
        if self.points.values.len() > MAX_KEPT && self.points.values.len() > 16 * self.points.width {
            self.points.thin();
            self.stride *= 2;
        }
    }

    fn points(&self) -> impl Iterator<Item = &[f64]> + Clone {
        self.points.values.chunks_exact(self.points.width.max(1))
    }

    fn point(&self, index: usize) -> &[f64] {
        &self.points.values[index * self.points.width..(index + 1) * self.points.width]
    }

    fn len(&self) -> usize {
        self.points.values.len() / self.points.width.max(1)
    }

    /// The smallest and the largest value of a state.
    fn range(&self, state: usize) -> (f64, f64) {
        let values = self.points().map(|point| point[1 + state]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
    }

    /// Where a state comes from below a level, or from above it.
    fn passages(&self, state: usize, level: f64, upwards: bool) -> Vec<Passage> {
        let pairs = self.points().zip(self.points().skip(1));
        let crossed = pairs.filter(|(a, b)| {
            let [a, b] = [a, b].map(|point| if upwards { point[1 + state] } else { -point[1 + state] });
            let level = if upwards { level } else { -level };
            a < level && b >= level
        });
        crossed
            .map(|(a, b)| {
                let (width, part) = (b[0] - a[0], (level - a[1 + state]) / (b[1 + state] - a[1 + state]));
                Passage { t: a[0] + part * width, width }
            })
            .collect()
    }

    /// The index of the first point behind a time.
    fn behind(&self, t: f64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.point(middle)[0] <= t { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The states where the one of a shift is farthest away from `own`, in the time of the shift from t on, or before it.
    pub fn elsewhere(&self, shift: &Shift, t: f64, own: f64) -> Option<&[f64]> {
        let [from, to] = if shift.ahead > 0.0 { [t, t + shift.ahead] } else { [t + shift.ahead, t] };
        // with the point before
        let (first, end) = (self.behind(from).saturating_sub(1), self.behind(to));
        let away = |y: &&[f64]| (y[shift.state] - own).abs();
        (first..end).map(|k| &self.point(k)[1..]).max_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// The largest absolute value of a state.
    pub fn greatest(&self, state: usize) -> f64 {
        let (low, high) = self.range(state);
        low.abs().max(high.abs())
    }

    /// The states at a time, on straight lines between the points.
    fn at(&self, t: f64) -> impl Fn(usize) -> f64 {
        let last = self.len() - 1;
        let next = self.behind(t).clamp(1.min(last), last);
        let [from, to] = [next.saturating_sub(1), next].map(|k| self.point(k));
        let part = if to[0] > from[0] { ((t - from[0]) / (to[0] - from[0])).clamp(0.0, 1.0) } else { 1.0 };
        move |state| from[1 + state] + part * (to[1 + state] - from[1 + state])
    }

    /// Whether a state has lost all digits somewhere, if the differences to another solution times `factor` are its error. Long
    /// steps may pretend that.
    pub fn is_far_from(&self, other: &Path, factor: f64) -> bool {
        if self.points.width != other.points.width || other.len() == 0 {
            return false;
        }
        let greatest: Vec<f64> = (1..self.points.width).map(|place| self.greatest(place - 1)).collect();
        self.points().any(|point| {
            let there = other.at(point[0]);
            let apart = |state: usize| factor * (there(state) - point[1 + state]);
            greatest.iter().enumerate().any(|(state, greatest)| apart(state).abs() > LOST * greatest)
        })
    }

    /// Whether a state has lost all digits somewhere, if these are the largest errors.
    pub fn is_small_beside(&self, errors: &[f64]) -> bool {
        let count = errors.len().min(self.points.width.saturating_sub(1));
        (0..count).any(|state| errors[state] > LOST * self.greatest(state))
    }

    /// Where jumps of this solution may be elsewhere in truth, from another one whose differences times `factor` are the error.
    pub fn shifts(&self, other: &Path, factor: f64) -> Vec<Shift> {
        let mut found = Vec::new();
        if self.points.width != other.points.width {
            return found;
        }
        for state in 0..self.points.width.saturating_sub(1) {
            let (low, high) = self.range(state);
            if !(low < high && (high - low).is_finite()) {
                continue;
            }
            for (part, upwards) in LEVELS.into_iter().flat_map(|part| [(part, true), (part, false)]) {
                let level = low + part * (high - low);
                let [own, beside] = [self, other].map(|path| path.passages(state, level, upwards));
                for (k, passage) in own.iter().enumerate() {
                    let Some(near) = nearest(&beside, passage.t).filter(|near| nearest_index(&own, near.t) == Some(k))
                    else {
                        continue;
                    };
                    let apart = near.t - passage.t;
                    if apart.abs() <= SHARP * (near.width + passage.width) {
                        continue;
                    }
                    let reach = REACH * factor * apart;
                    let (from, to) = (passage.t.min(passage.t + reach), passage.t.max(passage.t + reach));
                    found.push(Shift { state, from, to, ahead: -reach });
                }
            }
        }
        found
    }
}

fn nearest_index(passages: &[Passage], t: f64) -> Option<usize> {
    let behind = passages.partition_point(|passage| passage.t < t);
    let distance = |k: &usize| (passages[*k].t - t).abs();
    [behind.checked_sub(1), Some(behind)]
        .into_iter()
        .flatten()
        .filter(|k| *k < passages.len())
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn nearest(passages: &[Passage], t: f64) -> Option<Passage> {
    nearest_index(passages, t).map(|k| passages[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step from 0 to 1 at `jump`, in points that are `h` apart there.
    fn step(jump: f64, h: f64) -> Path {
        let mut path = Path::default();
        for t in [0.0, 0.25, 0.5, 0.75, jump - h, jump + h, jump + 2.0 * h, 2.0, 2.5] {
            path.push(t, &[0.0, if t > jump { 1.0 } else { 0.0 }]);
        }
        path
    }

    #[test]
    fn a_jump_may_be_a_little_further_than_two_runs_foretell() {
        let (own, other) = (step(1.0, 1e-3), step(1.1, 1e-3));
        let shifts = own.shifts(&other, 1.2);
        assert_eq!(shifts.len(), LEVELS.len());
        for shift in shifts {
            assert_eq!(shift.state, 1);
            assert!((shift.from - 1.0).abs() < 2e-3 && (shift.to - 1.18).abs() < 5e-3, "{shift:?}");
            // between the other jump and the true one, and a row behind that
            assert_eq!(own.elsewhere(&shift, 1.15, 1.0), Some(&[0.0, 0.0][..]));
        }
        // the other way round
        for shift in other.shifts(&own, 1.2) {
            assert!((shift.from - 0.92).abs() < 5e-3 && (shift.to - 1.1).abs() < 2e-3, "{shift:?}");
            assert_eq!(other.elsewhere(&shift, 0.95, 0.0), Some(&[0.0, 1.0][..]));
        }
    }

    /// Times that long steps leave open are no shift.
    #[test]
    fn what_steps_do_not_resolve_is_no_shift() {
        assert!(step(1.0, 0.1).shifts(&step(1.1, 0.1), 1.2).is_empty());
        assert!(step(1.0, 1e-3).shifts(&step(1.0, 1e-3), 1.2).is_empty());
    }

    #[test]
    fn a_long_way_keeps_its_shape() {
        let mut path = Path::default();
        (0..2 * MAX_KEPT).for_each(|k| path.push(k as f64, &[(k as f64).sin()]));
        assert!(path.len() <= MAX_KEPT / 2 && path.len() > MAX_KEPT / 8, "{}", path.len());
        assert!(path.points().zip(path.points().skip(1)).all(|(a, b)| b[0] - a[0] == path.stride as f64));
    }
}
