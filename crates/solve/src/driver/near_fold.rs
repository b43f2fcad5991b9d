//! Solutions that turn right before what determines them vanishes, because of an error.
//!
//! ```text
//!   x′ = −sin t cos t / x      x = cos t passes through zero at π/2; x = √(ε + cos²t), ε the error of a step, turns before it
//! ```
//!
//! Such a turn is smooth and can be followed by short steps, but a tolerance decides what comes after. It is told from a real one,
//! off a repelling wall say, by three things: f stays as large as it was; from afar the denominator goes straight to zero and
//! straight back; and the states, had they gone on as they came, would have taken it to the other side. The same holds for what
//! determines the algebraic states of a system of higher index that is solved as it is.

use super::Run;
use super::fold::Guard;
use crate::Reason;

/// Where what determines the solution comes back to so many times of its least size, the way is looked at from there.
const FAR: f64 = 10.0;
/// A point is kept wherever it has fallen to this part of what it was at the one before.
const KEPT: f64 = 0.5;
/// f is at most so many times larger in the narrows than before and behind them.
const LARGER: f64 = 8.0;
/// The zeros as seen from before and from behind may be so much of the way apart.
const APART: f64 = 0.1;

/// The way towards zero of one number that determines the solution.
#[derive(Default)]
pub(super) struct Way {
    /// Time, value and state at points of it, the value falling.
    points: Vec<(f64, f64, Vec<f64>)>,
    /// The least value.
    least: f64,
}

impl Run<'_> {
    /// Has come to another point: whether the solution turned on the way.
    pub(super) fn through_narrows(&mut self) -> Result<(), Reason> {
        let directly = match &mut self.flow.consistency {
            Some(consistency) => consistency.determined_directly(self.flow.system, self.t, &self.y, &self.d),
            None => None,
        };
        if self.denominators[0].is_empty() && directly.is_none() {
            return Ok(());
        }
        if !std::mem::replace(&mut self.denominators_known[0], true) {
            let values = &mut self.denominators[0];
            self.flow.with(|system| system.denominators(self.t, &self.y, &self.d, values));
        }
        if self.flow.sliding.is_some() || self.before.h == 0.0 {
            self.ways.clear();
            return Ok(());
        }
        let mut numbers = self.denominators[0].clone();
        numbers.extend(directly.into_iter().flatten());
        let mut ways = std::mem::take(&mut self.ways);
        ways.resize_with(numbers.len(), Way::default);
        let turned = ways.iter_mut().zip(numbers).enumerate().find_map(|(k, (way, number))| {
            let behind = way.goes_to(self.t, number, &self.y)?;
            self.turned_between(k, &behind)
        });
        self.ways = ways;
        turned.map_or(Ok(()), |(meeting, component)| Err(Reason::BranchPoint { t: self.t, meeting, component }))
    }

    /// Where two solutions met since the first of these points, if the way of a denominator says so, and which state turned.
    fn turned_between(&mut self, k: usize, points: &[(f64, f64, Vec<f64>)]) -> Option<(f64, usize)> {
        let ((start, _, before), (t_narrow, _, narrow)) = (points.first()?, points.last()?);
        let (t, y) = (self.t, self.y.clone());
        let (ends, h) = ([(*start, before.as_slice()), (t, &y)], t - start);
        let (rates, determined) = self.rates_at(ends)?;
        let mut guards = self.denominators_at(ends, &rates);
        let denominators = guards.len();
        guards.extend(determined);
        let guard: Guard = *guards.get(k)?;
        let meeting = start + guard.meeting(h, APART)?;
        let mut inside = vec![0.0; y.len()];
        self.flow.system.derivative(*t_narrow, narrow, &self.d, &mut inside);
        let differential = self.flow.system.layout().differential();
        let bounded = (0..differential).all(|i| inside[i].abs() <= LARGER * rates[0][i].abs().max(rates[1][i].abs()));
        let onwards: Vec<f64> = before.iter().zip(&rates[0]).map(|(y, rate)| y + h * rate).collect();
        let mut there = Vec::new();
        match k.checked_sub(denominators) {
            None => self.flow.system.denominators(t, &onwards, &self.d, &mut there),
            Some(_) => {
                there.resize(denominators, 0.0);
                let consistency = self.flow.consistency.as_mut()?;
                there.extend(consistency.determined_directly(self.flow.system, t, &onwards, &self.d)?);
            }
        }
        let passes = there[k] * guard.values[0] < 0.0;
        let component = k.checked_sub(denominators).map_or_else(|| self.most_turned(&rates), |i| differential + i);
        (bounded && passes).then_some((meeting, component))
    }
}

impl Way {
    /// Comes to a point. Where it is far enough back from the least value: the points since it was about as far before.
    fn goes_to(&mut self, t: f64, value: f64, y: &[f64]) -> Option<Vec<(f64, f64, Vec<f64>)>> {
        let last = self.points.last().map_or(f64::INFINITY, |(_, value, _)| *value);
        if !(value * self.least > 0.0 || self.points.is_empty()) || !value.is_finite() {
            // It has passed.
            self.points.clear();
        } else if value.abs() > FAR * self.least.abs() && self.points.len() > 1 {
            // As far before as now, or a bit farther.
            let since = self.points.iter().rposition(|(_, before, _)| before.abs() >= value.abs());
            let behind = self.points.split_off(since.unwrap_or(0));
            self.points.push((t, value, y.to_vec()));
            self.least = value;
            return since.map(|_| behind);
        } else if value.abs() > KEPT * last.abs() {
            self.least = if value.abs() < self.least.abs() { value } else { self.least };
            return None;
        }
        self.points.push((t, value, y.to_vec()));
        self.least = value;
        None
    }
}
