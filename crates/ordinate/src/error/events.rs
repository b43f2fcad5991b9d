//! The events of a run that crossed a switch, with what jumped there, and how far each is from the same event of another run.
//!
//! An error is a jump at another time. Two runs whose jumps are both too early agree at a row between them and the true one, and a
//! row says nothing of it. But their times differ from the true one as errors do, by t − t_r = (t_c − t_r)·factor: a row may be on
//! the other side of the true jump up to there.

use super::REACH;

/// Jumps that are kept of a run.
const MAX_KEPT: usize = 1 << 22;

/// What one column does at an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jump {
    /// The place after the time.
    pub column: usize,
    pub before: f64,
    pub behind: f64,
}

/// One event, and where its jumps are.
#[derive(Clone, Copy, Debug)]
struct Event {
    switch: usize,
    t: f64,
    first: usize,
    end: usize,
}

/// The events of a run in the order in which they happened.
#[derive(Default)]
pub(super) struct Events {
    all: Vec<Event>,
    jumps: Vec<Jump>,
    before: Vec<f64>,
}

/// A time in which the true solution may still be, or already, on the other side of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Displaced<'a> {
    /// When the run has the event, and how far away it may be.
    pub t: f64,
    pub reach: f64,
    pub jumps: &'a [Jump],
}

impl Displaced<'_> {
    /// The times between.
    pub fn span(&self) -> (f64, f64) {
        (self.t.min(self.t + self.reach), self.t.max(self.t + self.reach))
    }
}

impl Events {
    /// One side of an event: the time and all columns.
    pub fn push(&mut self, switch: usize, behind: bool, values: &[f64]) {
        if !behind {
            self.before.clear();
            self.before.extend_from_slice(values);
            return;
        }
        if self.jumps.len() > MAX_KEPT {
            return;
        }
        let first = self.jumps.len();
        let sides = self.before.iter().zip(values).enumerate().skip(1);
        let jumps = sides.filter(|(_, (before, behind))| before != behind);
        self.jumps.extend(jumps.map(|(place, (before, behind))| Jump {
            column: place - 1,
            before: *before,
            behind: *behind,
        }));
        self.all.push(Event { switch, t: values[0], first, end: self.jumps.len() });
    }

    /// When this switch was crossed.
    fn of(&self, switch: usize) -> Vec<&Event> {
        self.all.iter().filter(|event| event.switch == switch).collect()
    }

    /// The events that may be elsewhere in truth, from another run whose differences times `factor` are the error.
    pub fn shifts(&self, other: &Events, factor: f64) -> Vec<Displaced<'_>> {
        let mut switches: Vec<usize> = self.all.iter().map(|event| event.switch).collect();
        switches.sort_unstable();
        switches.dedup();
        let mut found = Vec::new();
        for switch in switches {
            let (own, beside) = (self.of(switch), other.of(switch));
            for (k, event) in own.iter().enumerate() {
                let Some(same) = same_event(&own, &beside, k) else { continue };
                let reach = REACH * factor * (beside[same].t - event.t);
                if reach != 0.0 && event.first < event.end {
                    found.push(Displaced { t: event.t, reach, jumps: &self.jumps[event.first..event.end] });
                }
            }
        }
        found
    }
}

/// Which event of the other run is the one at `k`: the one with the same number if both have as many; else, where one of them has
/// touched the switch without the other, the one that is nearest, if no other one of this run is nearer to that.
fn same_event(own: &[&Event], beside: &[&Event], k: usize) -> Option<usize> {
    if own.len() == beside.len() {
        return Some(k);
    }
    let near = nearest(beside, own[k].t)?;
    (nearest(own, beside[near].t) == Some(k)).then_some(near)
}

fn nearest(events: &[&Event], t: f64) -> Option<usize> {
    let behind = events.partition_point(|event| event.t < t);
    let distance = |k: &usize| (events[*k].t - t).abs();
    let sides = [behind.checked_sub(1), Some(behind)].into_iter().flatten().filter(|k| *k < events.len());
    sides.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x jumps from 1 to 0 at these times, and y stays 5.
    fn saw(times: &[f64]) -> Events {
        let mut events = Events::default();
        for t in times {
            events.push(3, false, &[*t, 1.0, 5.0]);
            events.push(3, true, &[*t, 0.0, 5.0]);
        }
        events
    }

    #[test]
    fn an_event_may_be_a_little_further_than_two_runs_foretell() {
        let (own, other) = (saw(&[1.0, 2.0]), saw(&[1.1, 2.0]));
        let [later] = own.shifts(&other, 1.2)[..] else { panic!("one event has another time") };
        assert_eq!((later.t, later.jumps), (1.0, &[Jump { column: 0, before: 1.0, behind: 0.0 }][..]));
        assert!((later.span().1 - 1.18).abs() < 1e-12, "{later:?}");
        let [earlier] = other.shifts(&own, 1.2)[..] else { panic!("the other way round") };
        assert!((earlier.span().0 - 0.92).abs() < 1e-12 && earlier.span().1 == 1.1, "{earlier:?}");
    }

    /// A threshold that one run has touched once more does not count the other events of it anew.
    #[test]
    fn events_are_matched_where_one_run_has_more_of_them() {
        let (own, other) = (saw(&[1.0, 2.0, 3.0]), saw(&[1.001, 1.4, 2.001, 3.001]));
        let found: Vec<f64> = own.shifts(&other, 1.0).iter().map(|shift| shift.reach).collect();
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|reach| (reach - 0.0015).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn what_does_not_jump_moves_no_row() {
        let mut kink = Events::default();
        kink.push(0, false, &[1.0, 2.0]);
        kink.push(0, true, &[1.0, 2.0]);
        let mut later = Events::default();
        later.push(0, false, &[1.5, 2.0]);
        later.push(0, true, &[1.5, 2.0]);
        assert!(kink.shifts(&later, 1.0).is_empty());
    }
}
