//! The way of a solution from step to step, and how far two solutions of one model are apart where both are known.
//!
//! A solution that relaxes has no event, but moves as fast as if it had one, and an error is the same motion at another time: where
//! it is over in both runs, rows agree, although the true solution may not have come to it. So the runs are compared at the ends of
//! steps of the one, too, where that moves far between two rows, by the dense output of the other at the very same time. Where they
//! are apart, one of them has moved and the other one has not yet; how long that lasts is how far they are apart in time.

use super::kept::{Flat, Kept, Other};
use super::{LOST, REACH, greatest};
use ordinate_program::Evaluator;
use ordinate_solve::{Returning, Sight, may_return};

/// Numbers that are kept of a way; of longer ones every second point is.
const MAX_KEPT: usize = 1 << 20;

/// States at the ends of steps, and once more where events changed them.
#[derive(Default)]
pub(super) struct Path {
    points: Flat,
    stride: usize,
    count: usize,
}

/// A time in which the true solution may be before or after a fast transition: what a row shows may be what it is `ahead` later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub state: usize,
    pub from: f64,
    pub to: f64,
    /// The greatest value of the state.
    pub greatest: f64,
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

    fn states(&self) -> usize {
        self.points.width.saturating_sub(1)
    }

    /// The largest absolute value of each state.
    pub fn greatest(&self) -> Vec<f64> {
        let mut most = vec![0.0f64; self.states()];
        self.points()
            .for_each(|point| most.iter_mut().zip(&point[1..]).for_each(|(most, y)| *most = most.max(y.abs())));
        most
    }

    /// The states that were not followed, below their absolute tolerance or at rest, and whose errors may come back into sight.
    pub fn may_return(&self, evaluator: &mut Evaluator, rtol: f64, atol: &dyn Fn(usize) -> f64) -> Returning {
        let sight =
            |(state, most): (usize, &f64)| Sight { atol: atol(state), rtol, noticed: (LOST * most).max(atol(state)) };
        let sights: Vec<Sight> = self.greatest().iter().enumerate().map(sight).collect();
        let way: Vec<(f64, &[f64])> = self.points().map(|point| (point[0], &point[1..])).collect();
        may_return(evaluator, &way, &sights)
    }

    /// The index of the first point after a time.
    fn behind(&self, t: f64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.point(middle)[0] <= t { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The only point at a time, if there is one.
    fn only_at(&self, t: f64) -> Option<usize> {
        let last = self.behind(t).checked_sub(1).filter(|&k| self.point(k)[0] == t)?;
        let alone = last.checked_sub(1).is_none_or(|before| self.point(before)[0] != t);
        alone.then_some(last)
    }

    /// The ends of steps at which another run is to be looked at, besides the rows: as many as it takes for no state to move by more
    /// than a lost digit from one to the next.
    /// Of a run that ended early its size so far counts: it may have grown beyond all that was before.
    pub fn between(&self, rows: &[Vec<f64>], ended_early: bool) -> Vec<f64> {
        let time = rows.first().map_or(&[][..], Vec::as_slice);
        let mut most = if ended_early { vec![0.0; self.states()] } else { self.greatest() };
        let mut here: Vec<f64> = self.points().next().map_or_else(Vec::new, |point| point[1..].to_vec());
        let (mut found, mut row) = (Vec::new(), 0);
        for point in self.points() {
            let (t, y) = (point[0], &point[1..]);
            most.iter_mut().zip(y).for_each(|(most, y)| *most = most.max(y.abs()));
            let next = row + time[row..].iter().take_while(|time| **time <= t).count();
            if next > row {
                row = next;
                here.iter_mut().zip(&rows[1..]).for_each(|(here, column)| *here = column[row - 1]);
            }
            let moved = here.iter().zip(y).zip(&most).any(|((here, y), most)| (y - here).abs() > LOST * most);
            if moved && self.only_at(t).is_some() {
                found.push(t);
                here.copy_from_slice(y);
            }
        }
        found
    }

    /// A state at a time, if it hardly moves there from one point to the next.
    fn resting(&self, state: usize, t: f64, most: f64) -> Option<f64> {
        let next = self.behind(t).min(self.len().checked_sub(1)?);
        let [from, to] = [next.saturating_sub(1), next].map(|k| self.point(k)[1 + state]);
        ((to - from).abs() <= 0.5 * LOST * most).then_some(0.5 * (from + to))
    }

    /// The states where the one of a shift is farthest away from `own`, in the time of the shift from t on, or before it.
    pub fn elsewhere(&self, shift: &Shift, t: f64, own: f64) -> Option<&[f64]> {
        let [from, to] = if shift.ahead > 0.0 { [t, t + shift.ahead] } else { [t + shift.ahead, t] };
        // with the point before
        let (first, end) = (self.behind(from).saturating_sub(1), self.behind(to));
        let away = |y: &&[f64]| (y[shift.state] - own).abs();
        (first..end).map(|k| &self.point(k)[1..]).max_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// Whether a state has lost all digits somewhere, if these are the largest errors.
    pub fn is_small_beside(&self, errors: &[f64]) -> bool {
        let most = self.greatest();
        errors.iter().zip(&most).any(|(error, most)| *error > LOST * most)
    }
}

/// Where a run has its states.
#[derive(Clone, Copy)]
enum Place {
    Row(usize),
    Point(usize),
}

/// A time at which two runs are known: that of a row of the other one.
struct Meeting {
    t: f64,
    own: Place,
    other: usize,
}

/// All of them.
pub(super) struct Meetings<'a, 'k> {
    kept: &'a Kept<'k>,
    other: &'a Other,
    factor: f64,
    all: Vec<Meeting>,
    greatest: Vec<f64>,
}

impl<'a, 'k> Meetings<'a, 'k> {
    /// Where a run and another one are known, whose differences times `factor` are the error.
    pub fn new(kept: &'a Kept<'k>, other: &'a Other, factor: f64) -> Meetings<'a, 'k> {
        let (time, times) = (&kept.columns[0], other.columns.first().map_or(&[][..], Vec::as_slice));
        let alone = |times: &[f64], k: usize| {
            let t = times[k];
            k.checked_sub(1).is_none_or(|before| times[before] != t) && times.get(k + 1) != Some(&t)
        };
        let own = |t: f64| {
            let row = time.partition_point(|time| *time < t);
            match time.get(row) == Some(&t) {
                true => alone(time, row).then_some(Place::Row(row)),
                false => kept.path.only_at(t).map(Place::Point),
            }
        };
        let there = (0..times.len()).filter(|&k| alone(times, k));
        let all = there.filter_map(|k| Some(Meeting { t: times[k], own: own(times[k])?, other: k })).collect();
        let rows = kept.columns.iter().skip(1).map(|column| greatest(column));
        let most = kept.path.greatest().into_iter().zip(rows).map(|(path, rows)| path.max(rows)).collect();
        Meetings { kept, other, factor, all, greatest: most }
    }

    fn own(&self, meeting: &Meeting, state: usize) -> f64 {
        match meeting.own {
            Place::Row(row) => self.kept.columns[1 + state][row],
            Place::Point(point) => self.kept.path.point(point)[1 + state],
        }
    }

    fn other(&self, meeting: &Meeting, state: usize) -> f64 {
        self.other.columns[1 + state][meeting.other]
    }

    /// Whether the difference of two values of a state leaves it no digit.
    fn differ(&self, state: usize, own: f64, other: f64) -> bool {
        (self.factor * (other - own)).abs() > LOST * self.greatest[state]
    }

    fn is_apart(&self, meeting: &Meeting, state: usize) -> bool {
        self.differ(state, self.own(meeting, state), self.other(meeting, state))
    }

    /// Whether a state has no right digit somewhere.
    pub fn are_far_apart(&self) -> bool {
        self.all.iter().any(|meeting| (0..self.greatest.len()).any(|state| self.is_apart(meeting, state)))
    }

    /// Whether a state had lost its digits before it grew to twice what it had been in the first half of the time: what it did then is
    /// not what the solution does.
    pub fn lost_before_growth(&self, state: usize, half: f64) -> bool {
        if state >= self.greatest.len() {
            return false;
        }
        let (mut most, mut usual) = (0.0f64, 0.0f64);
        for meeting in &self.all {
            let (own, other) = (self.own(meeting, state), self.other(meeting, state));
            most = most.max(own.abs());
            if meeting.t <= half {
                usual = most;
            }
            if most > 2.0 * usual && meeting.t > half {
                return false;
            }
            if (self.factor * (other - own)).abs() > LOST * most {
                return true;
            }
        }
        false
    }

    /// Where fast transitions of the run may be elsewhere in truth.
    pub fn shifts(&self) -> Vec<Shift> {
        (0..self.greatest.len()).flat_map(|state| self.shifts_of(state)).collect()
    }

    fn shifts_of(&self, state: usize) -> Vec<Shift> {
        let mut found = Vec::new();
        let mut next = 1;
        while let Some(first) = (next..self.all.len()).find(|&k| self.is_apart(&self.all[k], state)) {
            let apart = self.all[first..].iter().take_while(|meeting| self.is_apart(meeting, state)).count();
            let [before, begin] = [first - 1, first].map(|k| &self.all[k]);
            let moved = (self.own(begin, state) - self.own(before, state)).abs();
            let is_first = moved > (self.other(begin, state) - self.other(before, state)).abs();
            next = first + apart;
            let behind = self.all.get(next).map_or(f64::INFINITY, |meeting| meeting.t);
            let (from, to) = self.widened(state, (before.t, begin.t), (self.all[next - 1].t, behind));
            // until the other one follows, or since it was there
            let reach = REACH * self.factor * if is_first { to - from } else { from - to };
            let own = if is_first { from } else { to };
            let (from, to) = (own.min(own + reach), own.max(own + reach));
            found.push(Shift { state, from, to, greatest: self.greatest[state], ahead: -reach });
        }
        found
    }

    /// How long the runs are apart, as far as it is known from the steps of the other one while the run rests: they are apart between
    /// the inner times, and not at the outer ones.
    fn widened(&self, state: usize, (before, begin): (f64, f64), (end, behind): (f64, f64)) -> (f64, f64) {
        let other = &self.other.path;
        let apart = |k: usize| {
            let point = other.point(k);
            let own = self.kept.path.resting(state, point[0], self.greatest[state]);
            own.is_some_and(|own| self.differ(state, own, point[1 + state]))
        };
        let (mut first, mut last) = (begin, end);
        if other.states() == self.greatest.len() {
            let earlier = (0..other.behind(begin)).rev().take_while(|&k| other.point(k)[0] > before && apart(k));
            first = earlier.last().map_or(begin, |k| other.point(k)[0].min(begin));
            let later = (other.behind(end)..other.len()).take_while(|&k| other.point(k)[0] < behind && apart(k));
            last = later.last().map_or(end, |k| other.point(k)[0].max(end));
        }
        (first, last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ErrorWish;
    use super::*;
    use crate::{Discard, RowSink};

    /// Both runs of a step from 0 to 1, the one at `own`, the other one at `beside`, and their shifts. The first has two rows, and steps
    /// of 1e-3 where it moves.
    fn shifts(own: f64, beside: f64, look: &dyn Fn(&Meetings)) {
        let step = |jump: f64, t: f64| ((t - jump) / 1e-3).clamp(0.0, 1.0);
        let ends = |jump: f64| {
            let near = (-5..=15).map(move |k| jump + 1e-4 * f64::from(k));
            [0.0, 0.25, 0.5, 0.75].into_iter().chain(near).chain([1.15, 1.3, 1.7, 2.5]).collect::<Vec<f64>>()
        };
        let mut nobody = Discard;
        let mut kept = Kept::new(&mut nobody, ErrorWish::Estimate { columns: false, correct: false });
        kept.begin(&["time", "x"].map(String::from), 2).expect("rows");
        [0.0, 2.5].iter().for_each(|t| kept.row(&[*t, step(own, *t)]).expect("a row"));
        ends(own).iter().for_each(|t| kept.passed(*t, &[step(own, *t)]));
        kept.settle();
        let times = kept.times(true, false);
        let column = times.iter().map(|t| step(beside, *t)).collect();
        let mut path = Path::default();
        ends(beside).iter().for_each(|t| path.push(*t, &[step(beside, *t)]));
        look(&Meetings::new(&kept, &Other { columns: vec![times, column], path, events: Default::default() }, 1.2));
    }

    #[test]
    fn a_transition_may_be_a_little_further_than_two_runs_foretell() {
        shifts(1.0, 1.1, &|meetings| {
            let [shift] = meetings.shifts()[..] else { panic!("one transition: {:?}", meetings.shifts()) };
            assert!((shift.from - 1.0).abs() < 2e-3 && (shift.to - 1.18).abs() < 5e-3, "{shift:?}");
            // between the other transition and the true one, and a row after that
            assert_eq!(meetings.kept.path.elsewhere(&shift, 1.15, 1.0), Some(&[0.0][..]));
            assert!(meetings.are_far_apart());
        });
        // the other way round
        shifts(1.1, 1.0, &|meetings| {
            let [shift] = meetings.shifts()[..] else { panic!("one transition: {:?}", meetings.shifts()) };
            assert!((shift.from - 0.92).abs() < 5e-3 && (shift.to - 1.1).abs() < 2e-3, "{shift:?}");
            assert_eq!(meetings.kept.path.elsewhere(&shift, 0.95, 0.0), Some(&[1.0][..]));
        });
    }

    /// A transition that both have at the same time, or nearly, is none that is elsewhere, however few rows there are.
    #[test]
    fn what_both_runs_have_at_the_same_time_is_no_shift() {
        for beside in [1.0, 1.0 + 1e-5] {
            shifts(1.0, beside, &|meetings| {
                assert!(meetings.shifts().is_empty() && !meetings.are_far_apart());
                assert!(meetings.all.len() >= 6, "they are compared at the ends of steps: {}", meetings.all.len());
            });
        }
    }

    #[test]
    fn a_long_way_keeps_its_shape() {
        let mut path = Path::default();
        (0..2 * MAX_KEPT).for_each(|k| path.push(k as f64, &[(k as f64).sin()]));
        assert!(path.len() <= MAX_KEPT / 2 && path.len() > MAX_KEPT / 8, "{}", path.len());
        assert!(path.points().zip(path.points().skip(1)).all(|(a, b)| b[0] - a[0] == path.stride as f64));
    }
}
