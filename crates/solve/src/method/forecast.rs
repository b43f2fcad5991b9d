//! Whether an implicit method would do the work of an explicit one for less: what its steps cost is known from the system, how
//! long they could be is seen from the solution.
//!
//! A Radau method of three stages estimates the error of a step of length W from y⁗, of which the states at five points of
//! the way tell the divided difference y[t₀, …, t₄]:
//!
//! ```text
//!   error ≈ γ₀ c₁c₂c₃/3! · W⁴ y⁗ = 0.0046 W⁴ y⁗ = 0.11 W⁴ y[t₀, …, t₄],    step = 0.9 W error^(−1/4)
//! ```
//!
//! Hairer, Wanner II, IV.8, eq. (8.17). The five points lie so far apart that the explicit method has paid for an implicit step or two
//! in between: nobody waits longer for the answer than a trial would cost, and no trial is needed to get it. Nothing else of a
//! stiff equation is asked: that stability limits the explicit steps shows in steps that are short where the solution is smooth.

use crate::method::cost::{ImplicitPrices, Prices};
use crate::{System, Tolerance};

/// The implicit method must be cheaper by this factor.
const MARGIN: f64 = 1.5;
/// Before the implicit steps are as long as the solution allows, so many are shorter.
const FIRST_STEPS: f64 = 4.0;
/// The constant of the error above.
const ERROR: f64 = 0.11;
/// Steps do not grow beyond so many times the length on which the solution was looked at.
const MOST_GROWTH: f64 = 4.0;
const NODES: usize = 5;

/// The way of an explicit method, at five points.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    pub prices: Prices,
    /// Unknown as long as the solution is not so smooth that even less would be too much.
    implicit: Option<ImplicitPrices>,
    /// Its preparation costs more than this, if that is unknown.
    too_little: f64,
    /// The distance of the points as a part of the cost of an implicit step.
    pub distance: f64,
    /// The implicit method must be cheaper by so much more.
    caution: f64,
    /// Some state was above its tolerance once. A solution that never was is followed as if it counted.
    visible: bool,
    times: [f64; NODES],
    states: [Vec<f64>; NODES],
    spent: [f64; NODES],
    /// Points that are known.
    known: usize,
    /// Spent since the last of them, and what is missing until the next one.
    since: f64,
    missing: f64,
}

impl Forecast {
    pub fn new(prices: Prices, distance: f64) -> Forecast {
        Forecast {
            prices,
            implicit: None,
            too_little: 0.0,
            distance,
            caution: 1.0,
            visible: false,
            times: [0.0; NODES],
            states: Default::default(),
            spent: [0.0; NODES],
            known: 0,
            since: 0.0,
            missing: 0.0,
        }
    }

    /// So many steps of this cost need no look.
    pub fn steps_without(&self, cost: f64) -> u32 {
        const MOST: f64 = 64.0;
        (self.missing / cost).floor().min(MOST) as u32
    }

    /// Forgets the way, but not what things cost.
    pub fn restart(&mut self) {
        (self.known, self.since) = (0, 0.0);
    }

    /// An implicit method was no good: it must promise more the next time.
    pub fn disappointed(&mut self) {
        self.caution *= 2.0;
        self.restart();
    }

    /// What implicit steps cost, if their preparation costs less than `most`.
    pub fn implicit(&mut self, system: &mut dyn System, most: f64) -> Option<ImplicitPrices> {
        if self.implicit.is_none() && most > self.too_little {
            self.implicit = ImplicitPrices::new(system, most);
            self.too_little = most;
        }
        self.implicit
    }

    /// The explicit method came to (t, y) and spent so much on the way from the last such point. Tells whether an implicit method
    /// would do what is left until `t_end` for less.
    pub fn comes_to(
        &mut self,
        system: &mut dyn System,
        (t, y): (f64, &[f64]),
        spent: f64,
        tol: &Tolerance,
        t_end: f64,
    ) -> bool {
        self.since += spent;
        let least = self.prices.least_implicit();
        let step = self.implicit.as_ref().map_or(least, |implicit| implicit.radau_step().max(least));
        self.missing = self.distance * step - self.since;
        if self.known > 0 && self.missing > 0.0 {
            return false;
        }
        self.missing = self.distance * step;
        self.keep(t, y);
        self.visible |= y.iter().enumerate().any(|(i, y)| y.abs() > tol.of(i, [*y; 2]));
        if !self.visible || self.known < NODES || !self.pays(step, 0.0, tol, t_end) {
            return false;
        }
        if self.implicit.is_some() {
            return true;
        }
        // A little less left than before makes no preparation cheaper.
        let left = self.rate() * (t_end - t);
        let Some(implicit) = self.implicit(system, left) else { return false };
        self.pays(implicit.radau_step().max(least), implicit.preparation, tol, t_end)
    }

    fn keep(&mut self, t: f64, y: &[f64]) {
        if self.known == NODES {
            // The last point of one piece of the way is the first of the next.
            self.times[0] = self.times[NODES - 1];
            self.states.swap(0, NODES - 1);
            self.known = 1;
        }
        self.times[self.known] = t;
        self.states[self.known].clear();
        self.states[self.known].extend_from_slice(y);
        self.spent[self.known] = self.since;
        (self.known, self.since) = (self.known + 1, 0.0);
    }

    /// What the explicit method costs in a unit of time.
    fn rate(&self) -> f64 {
        self.spent[1..].iter().sum::<f64>() / (self.times[NODES - 1] - self.times[0])
    }

    fn pays(&self, step: f64, preparation: f64, tol: &Tolerance, t_end: f64) -> bool {
        let preparation = self.implicit.as_ref().map_or(preparation, |implicit| implicit.preparation);
        let length = self.times[NODES - 1] - self.times[0];
        let rate = self.rate();
        let left = t_end - self.times[NODES - 1];
        // That no step could be long enough is known without a look at the states.
        let longest = MOST_GROWTH * length;
        let costs_of = |h: f64| self.caution * MARGIN * (step * left / h + FIRST_STEPS * step) + preparation;
        costs_of(longest) < rate * left && costs_of(self.step(length, tol)) < rate * left
    }

    /// The step that the solution allows.
    fn step(&self, length: f64, tol: &Tolerance) -> f64 {
        let weights: [f64; NODES] = std::array::from_fn(|i| {
            let others = (0..NODES).filter(|&j| j != i);
            others.map(|j| length / (self.times[i] - self.times[j])).product()
        });
        let [first, .., last] = &self.states;
        let mut error: f64 = 0.0;
        for i in 0..first.len() {
            let difference: f64 = weights.iter().zip(&self.states).map(|(weight, y)| weight * y[i]).sum();
            let scaled = ERROR * difference.abs() / tol.of(i, [first[i], last[i]]);
            error = if scaled <= error { error } else { scaled };
        }
        length * (0.9 / error.sqrt().sqrt()).min(MOST_GROWTH)
    }
}
