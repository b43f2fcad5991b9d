//! The guard against events without end.

use crate::Zeno;

/// What is remembered of the events of each switch.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    t_start: f64,
    t_end: f64,
    /// More events than this are without end.
    most: f64,
    histories: Vec<History>,
}

#[derive(Clone, Copy, Debug)]
struct History {
    /// The last times, latest first.
    times: [f64; 3],
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
    /// Events in succession after which too many would follow.
    hopeless: u32,
    /// Whether an action ran at one of them.
    acts: bool,
}

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

/// So many events in a row must come so close that too many would follow.
const PATIENCE: u32 = 100_000;

impl Guard {
    pub fn new(switches: usize, (t_start, t_end): (f64, f64), most: u64) -> Guard {
        let history = History {
            times: [f64::NEG_INFINITY; 3],
            shrinking: 0,
            same: 0,
            from: f64::INFINITY,
            floor: f64::INFINITY,
            stuck: 0,
            hopeless: 0,
            acts: false,
        };
        Guard { t_start, t_end, most: most as f64, histories: vec![history; switches] }
    }

    /// An action ran at an event of `switch`: what it assigns, not the error of the steps, decides how soon the next one comes.
    pub fn acted(&mut self, switch: usize) {
        self.histories[switch].acts = true;
    }

    /// An event of `switch` at `t`; the resolution of time there is `resolution`.
    ///
    /// ```text
    ///   Δₙ = tₙ − tₙ₋₂,   r = Δₙ / Δₙ₋₁ < 1:   the events accumulate at about tₙ + Δₙ r / (1 − r)
    /// ```
    ///
    /// Two events make Δ, because a switch that goes forth and back often does so at unequal intervals. Events that
    /// are merely frequent have r ≈ 1 and pass.
    pub fn event(&mut self, switch: usize, t: f64, resolution: f64) -> Result<(), Zeno> {
        let history = &mut self.histories[switch];
        let [t1, t2, t3] = history.times;
        history.times = [t, t1, t2];
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
            return Err(if history.acts { Zeno::Accumulation { switch } } else { Zeno::Unresolved { switch } });
        }
        let left = self.t_end - t;
        history.hopeless = if gap * self.most < 2.0 * left { history.hopeless + 1 } else { 0 };
        if history.hopeless >= PATIENCE {
            return Err(Zeno::Frequent { switch });
        }
        Ok(())
    }
}

impl Guard {
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
                guard.event(0, t, 1e-15 * t).is_err()
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
                guard.event(0, t, 1e-15 * t).is_err()
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
            let found = (0..200).find_map(|k| guard.event(0, 2.0 - 0.5f64.powi(k), 1e-15).err());
            let expected = if acts { Zeno::Accumulation { switch: 0 } } else { Zeno::Unresolved { switch: 0 } };
            assert_eq!(found, Some(expected));
        }
    }

    #[test]
    fn events_at_one_time_are_zeno() {
        let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
        assert!((0..20).any(|_| guard.event(0, 5.0, 1e-14).is_err()));
    }

    #[test]
    fn events_that_would_not_come_to_an_end_are_zeno() {
        let stops = |gap: f64, most: u64| {
            let mut guard = Guard::new(1, (0.0, 3.0), most);
            (0..200_000u32).find(|&k| guard.event(0, 1.0 + f64::from(k) * gap, 1e-16).is_err())
        };
        assert!(stops(1e-10, 10_000_000).is_some_and(|count| count > PATIENCE));
        assert_eq!((stops(1e-6, 10_000_000), stops(1e-10, 1_000_000_000_000)), (None, None));
    }

    #[test]
    fn frequent_events_are_not_zeno() {
        let mut guard = Guard::new(1, (0.0, 1e3), 10_000_000);
        for i in 0..1_000_000 {
            // Forth and back at unequal intervals.
            let t = f64::from(i) * 1e-3 + if i % 2 == 0 { 0.0 } else { 9e-4 };
            assert_eq!(guard.event(0, t, 1e-15 * t), Ok(()));
        }
    }
}
