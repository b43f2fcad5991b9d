//! Runs that would not come to their end: steps so short, for so long, that the limit of their number is a matter of time only.

use crate::Reason;

/// The pace is measured over this part of the allowed steps, but no fewer than [`FEWEST`].
const PART: u64 = 100;
const FEWEST: u64 = 20_000;
/// A run that would need so many times the allowed steps has stopped.
const HOPELESS: f64 = 10.0;
/// So many attempts from one point, and none of them good.
const STUCK: u64 = 2000;

/// Where the run was when it was looked at.
#[derive(Default)]
pub(super) struct Pace {
    t: f64,
    attempts: u64,
    /// Where it came along at last, and how many attempts that took.
    last: (f64, u64),
}

impl Pace {
    /// Looks at the pace from time to time. Steps that grow, as at a stiff start, take the time from the start on with them.
    #[inline]
    pub fn check(&mut self, t: f64, attempts: u64, (start, end): (f64, f64), allowed: u64) -> Result<(), Reason> {
        if t != self.last.0 {
            self.last = (t, attempts);
        } else if attempts >= self.last.1 + STUCK {
            return Err(Reason::TooSlow { t, h: 0.0, attempts, needed: f64::INFINITY });
        }
        let window = (allowed / PART).max(FEWEST);
        if attempts < self.attempts + window {
            return Ok(());
        }
        let (first, gone) = (self.attempts == 0, t - self.t);
        let taken = (attempts - self.attempts) as f64;
        let doubled = first || t - start >= 2.0 * (self.t - start);
        let needed = taken * (end - t) / gone;
        (self.t, self.attempts) = (t, attempts);
        if !doubled && needed > HOPELESS * allowed as f64 {
            return Err(Reason::TooSlow { t, h: gone / taken, attempts, needed });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attempts after which a run to t = 1 with steps `h(t)` is ended; `None` if it comes to its end.
    fn ends(h: impl Fn(f64) -> f64) -> Option<u64> {
        let (mut pace, mut t) = (Pace::default(), 0.0);
        for attempts in 0..10_000_000 {
            if t >= 1.0 {
                return None;
            }
            if pace.check(t, attempts, (0.0, 1.0), 10_000_000).is_err() {
                return Some(attempts);
            }
            t += h(t);
        }
        Some(10_000_000)
    }

    #[test]
    fn runs_that_creep_or_stand_are_ended_and_others_are_not() {
        assert!(ends(|t| if t < 0.5 { 1e-3 } else { 1e-12 }).is_some_and(|attempts| attempts < 500_000));
        assert!(ends(|t| if t < 0.5 { 1e-3 } else { 0.0 }).is_some_and(|attempts| attempts < 3_000));
        // a stiff start, many steps, and a burst of short ones
        assert_eq!(ends(|t| 1e-14 + 1e-3 * t), None);
        assert_eq!(ends(|_| 1e-6), None);
        assert_eq!(ends(|t| if (0.5..0.500_01).contains(&t) { 1e-10 } else { 1e-3 }), None);
    }
}
