//! The guard against events without end.
//!
//! Where the events of a switch accumulate, the times between them shrink like a geometric sequence, and foretell the limit:
//!
//! ```text
//!   Δₙ = tₙ − tₙ₋₂,   q = Δₙ / Δₙ₋₂ < 1:   the limit is about tₙ + Δₙ q / (1 − q)
//! ```
//!
//! Two events make Δ, because a switch that goes forth and back often does so at unequal intervals. A limit that several events in a
//! row foretell alike is where they accumulate, unless they stop to shrink before; the run ends where the errors of the steps would
//! decide whether they do: near the limit, when the switch does not leave its boundary by more than the tolerances any more.

use crate::Zeno;

/// What is remembered of the events of each switch.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    t_start: f64,
    t_end: f64,
    /// So many attempts at steps are allowed.
    most: f64,
    histories: Vec<History>,
}

/// Where the events of a switch accumulate by what their times foretell.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    t: f64,
    /// The first event that it follows from.
    since: f64,
    /// The last one.
    from: f64,
    /// Events in a row that have foretold it again.
    agreed: u32,
}

/// A time, the attempts at steps until then, and the events since then.
#[derive(Clone, Copy, Debug)]
struct Pace {
    t: f64,
    attempts: u64,
    events: u64,
}

#[derive(Clone, Copy, Debug)]
struct History {
    /// The last times, latest first.
    times: [f64; 5],
    /// What the last of them foretell.
    limit: Option<Limit>,
    /// The last limit that enough of them agreed on.
    sure: Option<Limit>,
    /// Events in succession that came ever faster.
    shrinking: u32,
    /// Events in succession that time cannot tell apart.
    same: u32,
    /// The gap with which they began to come ever faster.
    from: f64,
    /// The gap at which they stopped to, after a long fall; infinite without one.
    floor: f64,
    /// Events in succession with gaps of that size.
    stuck: u32,
    /// Where the pace is measured from.
    pace: Option<Pace>,
    /// Whether an action ran at one of them.
    acts: bool,
}

/// Two limits agree if they differ by this part of the time that was left to the first one; so many times in a row must they.
const AGREE: f64 = 0.5;
const AGREED: u32 = 1;

/// An event is near the limit within this part of the time since the first event that it follows from.
const NEAR: f64 = 1e-2;

/// So many events in a row must come ever faster.
const SUCCESSION: u32 = 10;

/// Of the time that has passed, this part is what may be left to the accumulation point.
const REMAINDER: f64 = 1e-9;

/// Gaps that fell by this factor, to this part of the time that has passed, and then stay there for so many events do not
/// shrink further only because rounding places each event anew: a ball that lies on a table that moves.
const FALL: f64 = 1e-6;
const TINY: f64 = 1e-7;
const STUCK: u32 = 200;
/// So much of the smallest gap is still its size.
const SIZE: f64 = 100.0;

/// The pace is measured while this part of the allowed attempts is made, and is that of the events if one of so many leads to one.
const PATIENCE: f64 = 0.02;
const BETWEEN: u64 = 100;

impl Guard {
    pub fn new(switches: usize, (t_start, t_end): (f64, f64), most: u64) -> Guard {
        let history = History {
            times: [f64::NEG_INFINITY; 5],
            limit: None,
            sure: None,
            shrinking: 0,
            same: 0,
            from: f64::INFINITY,
            floor: f64::INFINITY,
            stuck: 0,
            pace: None,
            acts: false,
        };
        Guard { t_start, t_end, most: most as f64, histories: vec![history; switches] }
    }

    /// An action ran at an event of `switch`: what it assigns, not the error of the steps, decides how soon the next one comes.
    pub fn acted(&mut self, switch: usize) {
        self.histories[switch].acts = true;
    }

    /// An event of `switch` at `t`, after so many `attempts` at steps; the resolution of time there is `resolution`. Events that are merely frequent have Δₙ ≈ Δₙ₋₁
    /// and pass.
    pub fn event(&mut self, switch: usize, t: f64, resolution: f64, attempts: u64) -> Result<(), Zeno> {
        let history = &mut self.histories[switch];
        history.foretell(t);
        let [t, t1, t2, t3, _] = history.times;
        let (gap, previous) = (t - t2, t1 - t3);
        history.same = if t - t1 <= resolution { history.same + 1 } else { 0 };
        let shrinks = gap.is_finite() && previous.is_finite() && gap < 0.99999 * previous;
        if history.shrinking == 0 {
            history.from = previous;
        }
        history.shrinking = if shrinks { history.shrinking + 1 } else { 0 };
        if history.shrinking >= SUCCESSION && gap <= FALL * history.from && gap <= TINY * (t - self.t_start) {
            (history.floor, history.stuck) = (gap, 0);
        } else if gap <= SIZE * history.floor && history.floor.is_finite() {
            history.stuck += 1;
        } else {
            history.floor = f64::INFINITY;
        }
        let ratio = gap / previous;
        let near = shrinks && gap * ratio / (1.0 - ratio) < REMAINDER * (t - self.t_start);
        if history.same >= SUCCESSION || history.stuck >= STUCK || (near && history.shrinking >= SUCCESSION) {
            return Err(if history.acts {
                Zeno::Accumulation { switch }
            } else {
                Zeno::Unresolved { switch, limit: t }
            });
        }
        let pace = history.pace.get_or_insert(Pace { t, attempts, events: 0 });
        pace.events += 1;
        let taken = attempts - pace.attempts;
        if taken as f64 >= PATIENCE * self.most {
            let Pace { t: since, events, .. } = std::mem::replace(pace, Pace { t, attempts, events: 0 });
            let needed = taken as f64 * (self.t_end - t) / (t - since);
            if needed > self.most && events >= taken / BETWEEN {
                return Err(Zeno::Frequent { switch });
            }
        }
        Ok(())
    }
}

impl History {
    /// The limit that the times foretell, with an event at `t`.
    fn foretell(&mut self, t: f64) {
        let [t1, t2, t3, t4, _] = self.times;
        self.times = [t, t1, t2, t3, t4];
        let q = (t - t2) / (t2 - t4);
        let limit = (q > 0.0 && q < 1.0).then(|| t + (t - t2) * q / (1.0 - q));
        self.limit = limit.map(|limit| match self.limit {
            Some(known) if (limit - known.t).abs() <= AGREE * (known.t - known.from) => {
                Limit { t: limit, from: t, agreed: known.agreed + 1, ..known }
            }
            _ => Limit { t: limit, since: t4, from: t, agreed: 0 },
        });
        if let Some(limit) = self.limit.filter(|limit| limit.agreed >= AGREED) {
            self.sure = Some(limit);
        }
    }
}

impl Guard {
    /// Where the events of a switch accumulate if they have come near to the limit that they foretell, and the time between the last
    /// two; `None` if an action decides when they come.
    pub fn near_limit(&self, switch: usize) -> Option<(f64, f64)> {
        let history = &self.histories[switch];
        let ([t, t1, t2, ..], limit) = (history.times, history.sure.filter(|_| !history.acts)?);
        let near = NEAR * (limit.t - limit.since);
        ((limit.t - t).abs() <= near && t - t2 <= near).then_some((limit.t, t - t1))
    }

    /// Whether the last two events of a switch came at a time that cannot be told apart.
    pub fn repeats(&self, switch: usize) -> bool {
        self.histories[switch].same > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulating_events_are_recognised_before_they_accumulate() {
        for ratio in [0.5, 0.8, 0.99] {
            let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
            let (mut t, mut gap) = (0.0, 1.0);
            let end = 1.0 / (1.0 - ratio);
            let stopped = (0..10_000).find(|_| {
                t += gap;
                gap *= ratio;
                guard.event(0, t, 1e-15 * t, 0).is_err()
            });
            assert!(stopped.is_some_and(|count| count > 20), "{ratio}: {stopped:?}");
            assert!(end - t > 0.0 && end - t < 1e-8 * end, "{ratio}: {t}");
        }
    }

    /// Bounces that fall to what rounding leaves of them, and go on with gaps of that size as it happens; and a frequency that
    /// rises as far but to gaps that time tells apart with ease.
    #[test]
    fn gaps_that_only_rounding_keeps_from_shrinking_are_zeno() {
        let stops = |start: f64, least: f64| {
            let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
            let (mut t, mut gap): (f64, f64) = (start, 0.1);
            (0..10_000u32).find(|k| {
                t += gap * (1.0 + f64::from(k % 7) * if gap == least { 0.3 } else { 0.0 });
                gap = (0.5 * gap).max(least);
                guard.event(0, t, 1e-15 * t, 0).is_err()
            })
        };
        assert!(stops(1.0, 2e-9).is_some_and(|count| count < 300), "{:?}", stops(1.0, 2e-9));
        assert_eq!(stops(1.0, 1e-6), None);
    }

    /// A relay that only switches may come ever faster by the error of the steps alone, so it is not told to accumulate.
    #[test]
    fn only_what_acts_accumulates() {
        for acts in [false, true] {
            let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
            if acts {
                guard.acted(0);
            }
            let found = (0..200).find_map(|k| guard.event(0, 2.0 - 0.5f64.powi(k), 1e-15, 0).err());
            assert!(matches!(
                (acts, found),
                (true, Some(Zeno::Accumulation { switch: 0 })) | (false, Some(Zeno::Unresolved { switch: 0, .. }))
            ));
        }
    }

    #[test]
    fn events_at_one_time_are_zeno() {
        let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
        assert!((0..20).any(|_| guard.event(0, 5.0, 1e-14, 0).is_err()));
    }

    #[test]
    fn events_that_would_not_come_to_an_end_are_zeno() {
        let stops = |gap: f64, most: u64, each: u64| {
            let mut guard = Guard::new(1, (0.0, 3.0), most);
            (0..200_000u64).find(|&k| guard.event(0, 1.0 + k as f64 * gap, 1e-16, each * k).is_err())
        };
        assert!(stops(1e-10, 10_000_000, 2).is_some_and(|count| (99_000..101_000).contains(&count)));
        assert_eq!((stops(1e-6, 10_000_000, 2), stops(1e-10, 1_000_000_000_000, 2)), (None, None));
        assert!(stops(1e-6, 10_000_000, 30).is_some_and(|count| count < 10_000));
        // So many steps between two events that it is not these that make them too many.
        assert_eq!(stops(1e-6, 10_000_000, 300), None);
    }

    #[test]
    fn frequent_events_are_not_zeno() {
        let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
        for i in 0..1_000_000u64 {
            // Forth and back at unequal intervals.
            let t = i as f64 * 1e-3 + if i % 2 == 0 { 0.0 } else { 9e-4 };
            assert_eq!(guard.event(0, t, 1e-15 * t, 2 * i), Ok(()));
        }
    }
}
