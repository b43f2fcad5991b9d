//! The global error of the formulas of variable order and step, carried along with the solution.
//!
//! δ = computed − true has a history that is treated as that of y is: the same differences, changed alike where order or step
//! change. The true solution Y, put into the formula, leaves
//!
//! ```text
//!   (1−κₖ)γₖ (Y − ψ) = h f(tₙ₊₁, Y) − e
//! ```
//!
//! and with the equation of the computed solution y, whatever Newton's method has left of it,
//!
//! ```text
//!   M ((1−κₖ)γₖ (δ − ψ_δ) − (1−κₖ)γₖ (y − ψ) − e) + h f(tₙ₊₁, y − δ) = 0
//! ```
//!
//! This is Y. Shmygelsky, V. Brygilevych, Simulation of Dynamic Systems Using Global Calculation Error, eqs. (4)–(6), for
//! formulas of changing order and step, and without its linearisation. The first guess is the prediction of δ, which is smooth: one
//! iteration of Newton's method is enough, with whatever matrix there is.
//!
//! e is the leading term of the error of a step, c hᵏ⁺¹Y⁽ᵏ⁺¹⁾. The derivative is a divided difference of the last k + 1 values of f, not
//! of y: the errors of the steps before make the differences of y rough, those of f only by h ∂f/∂y as much.

use super::coefficients::{GAMMA, HIGHEST, leading};
use super::differences::{Differences, left_out};
use crate::implicit::newton::NewtonSolver;
use crate::{Point, System};
use ordinate_numbers::Octet;

/// The error at the end of the last step, and what its next step needs.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// δ at the end of the last step.
    now: Vec<f64>,
    /// At the end of the one that is not yet accepted.
    next: Vec<f64>,
    /// The first step was tried.
    begun: bool,
    /// It is not known any more: an event lies behind, or f has no value beside the solution.
    lost: bool,
    past: Past,
    slopes: Slopes,
    beside: Vec<f64>,
    /// The order of the step, and the difference of y that is the next one beyond it.
    order: usize,
    curve: Vec<f64>,
    /// h Y⁽ᵏ⁺¹⁾ of the step, and what that makes of it.
    local: Vec<f64>,
    change: Vec<f64>,
}

/// A step that was computed. Vectors have the components of y, and behind them those of δ.
pub(super) struct Taken<'a> {
    pub order: usize,
    pub h: f64,
    pub y: &'a [f64],
    pub predicted: &'a [f64],
    /// ψ of y; the known part of the derivative of δ.
    pub known: &'a [f64],
    /// The tolerance of each component.
    pub scale: &'a [f64],
    /// What y is beside its prediction; the same of δ is to be found.
    pub correction: &'a mut [f64],
}

/// Another iteration follows a change that is a larger part of δ than this: with an old matrix and a stiff system the prediction
/// would bring back more of it in the next steps than an iteration takes away.
const LARGE_CHANGE: f64 = 0.3;
/// Errors that are a smaller part of the tolerance do not matter.
const SMALL: f64 = 1e-3;
/// The most iterations.
const MOST: u32 = 4;

impl Carried {
    /// No error at the start.
    pub fn new(states: usize) -> Carried {
        let zeros = vec![0.0; states];
        Carried {
            now: zeros.clone(),
            next: zeros.clone(),
            begun: false,
            lost: false,
            past: Past::new(),
            slopes: Slopes::new(states),
            order: 1,
            curve: zeros.clone(),
            beside: zeros.clone(),
            local: zeros.clone(),
            change: zeros,
        }
    }

    /// The error at the end of the last step.
    pub fn now(&self) -> Option<&[f64]> {
        (self.begun && !self.lost).then_some(&self.now)
    }

    /// The error at a part of the step made last, on a line between its ends; at the end of it, accepted or not, `next`.
    pub fn within(&self, theta: f64, error: &mut [f64]) -> bool {
        for (e, (from, to)) in error.iter_mut().zip(self.now.iter().zip(&self.next)) {
            *e = from + theta * (to - from);
        }
        !self.lost
    }

    /// The same at eight parts.
    /// The interpolation between the last values leaves something out, too.
    pub fn eight_within(&self, theta: &Octet, errors: &mut [Octet]) -> bool {
        let weights = theta.0.map(|theta| left_out(self.order, theta));
        let ends = self.now.iter().zip(&self.next).zip(&self.curve);
        for (errors, ((from, to), curve)) in errors.iter_mut().zip(ends) {
            let places = theta.0.iter().zip(&weights).zip(&mut errors.0);
            places.for_each(|((theta, weight), error)| *error = from + theta * (to - from) - weight * curve);
        }
        !self.lost
    }

    /// A history begins, of one value and one slope.
    pub fn begin(&mut self, t: f64, slope: &[f64]) {
        self.begun = true;
        self.past.begin();
        self.slopes.begin(t, slope);
    }

    /// The next step has another order.
    pub fn set_order(&mut self) {
        self.past.even = true;
    }

    /// The next step is `factor` times as long.
    pub fn rescale(&mut self, order: usize, factor: f64) {
        self.past.rescale(order, factor);
    }

    /// Finds the error at the end of the step to `to`; returns how often f was evaluated.
    pub fn follow(&mut self, system: &mut dyn System, newton: &mut NewtonSolver, to: &Point, taken: Taken) -> u64 {
        let Taken { order, h, y, predicted, known, scale, correction } = taken;
        if self.lost {
            return 0;
        }
        let (n, differential, sigma) = (y.len(), newton.differential(), leading(order) / h);
        let (psi, known) = known.split_at(n);
        self.order = order;
        self.curve.copy_from_slice(&correction[..n]);
        let (predicted, correction) = (&predicted[n..], &mut correction[n..]);
        let slope = |i: usize| sigma * (y[i] - psi[i]);
        // What Newton's method leaves would be large in the highest differences, of f and of the slope by the formula alike: the
        // slope is that of one more iterate.
        newton.evaluate(system, to);
        self.change.copy_from_slice(newton.f());
        self.change[..differential].iter_mut().enumerate().for_each(|(i, change)| *change -= slope(i));
        newton.change(1.0 / sigma, &mut self.change);
        let change = &self.change[..differential];
        self.slopes.put(to.t, change.iter().enumerate().map(|(i, change)| slope(i) + sigma * change));
        // What does not depend on δ: σ (y − ψ) + (e − what is known of δ) / h.
        self.slopes.highest(order, h, &mut self.local[..differential]);
        let constant = self.past.constant(order);
        for (i, local) in self.local[..differential].iter_mut().enumerate() {
            *local = slope(i) + (constant * *local - known[i] / h);
        }
        correction.fill(0.0);
        self.next.copy_from_slice(predicted);
        for iteration in 1..=MOST {
            for ((beside, y), delta) in self.beside.iter_mut().zip(y).zip(&self.next) {
                *beside = y - delta;
            }
            // Rounding of f is a part of the error.
            if !system.derivative_rounded_otherwise(to.t, &self.beside, to.d, &mut self.change) {
                system.derivative(to.t, &self.beside, to.d, &mut self.change);
            }
            for ((change, local), correction) in
                self.change.iter_mut().zip(&self.local).zip(correction.iter()).take(differential)
            {
                *change = local - sigma * correction - *change;
            }
            self.change[differential..].iter_mut().for_each(|g| *g = -*g);
            newton.change(1.0 / sigma, &mut self.change);
            let (mut size, mut moved) = (0.0f64, 0.0f64);
            for (((next, correction), change), scale) in
                self.next.iter_mut().zip(correction.iter_mut()).zip(&self.change).zip(scale)
            {
                *next += change;
                *correction += change;
                size = size.max(next.abs() / scale);
                moved = moved.max(change.abs() / scale);
            }
            if moved <= (LARGE_CHANGE * size).max(SMALL) {
                // a maximum does not see what is not a number
                self.lost = self.next.iter().any(|delta| !delta.is_finite());
                return u64::from(iteration);
            }
        }
        self.lost = true;
        u64::from(MOST)
    }

    /// The step becomes history.
    pub fn accept(&mut self, order: usize) {
        self.now.copy_from_slice(&self.next);
        self.past.accept(order);
        self.slopes.accept();
    }

    /// The system or its state changes at an event, or a run begins. The step to an event is not accepted before.
    pub fn restart(&mut self) {
        self.lost |= self.begun;
    }

    /// It is of no use.
    pub fn lose(&mut self) {
        self.lost = true;
    }
}

/// The last values of f.
#[derive(Clone, Debug)]
struct Slopes {
    times: [f64; SLOPES],
    /// One vector after the other, in a circle.
    values: Vec<f64>,
    states: usize,
    /// The place of the one that is put in next.
    place: usize,
    /// How many there are before it.
    count: usize,
}

/// Times that are so near to multiples of h apart, as part of it, are just that.
const EVEN_STEPS: f64 = 1e-6;

/// A divided difference of order k needs k + 1 of them.
const SLOPES: usize = HIGHEST + 1;

impl Slopes {
    fn new(states: usize) -> Slopes {
        Slopes { times: [0.0; SLOPES], values: vec![0.0; SLOPES * states], states, place: 0, count: 0 }
    }

    fn begin(&mut self, t: f64, slope: &[f64]) {
        (self.place, self.count) = (0, 0);
        self.put(t, slope.iter().copied());
        self.accept();
    }

    /// f at t is the last one, for the time being.
    fn put(&mut self, t: f64, slope: impl Iterator<Item = f64>) {
        self.times[self.place] = t;
        let row = &mut self.values[self.place * self.states..][..self.states];
        row.iter_mut().zip(slope).for_each(|(value, slope)| *value = slope);
    }

    fn accept(&mut self) {
        self.place = (self.place + 1) % SLOPES;
        self.count = (self.count + 1).min(SLOPES - 1);
    }

    /// hᵏ Y⁽ᵏ⁺¹⁾ from the last k + 1 values,
    ///
    /// ```text
    ///   k! hᵏ Σ f(tᵢ) / Π (tᵢ − tⱼ)      j ≠ i
    /// ```
    ///
    /// which is ∇ᵏf where they are h apart.
    fn highest(&self, order: usize, h: f64, result: &mut [f64]) {
        let order = order.min(self.count);
        let place = |back: usize| if self.place >= back { self.place - back } else { self.place + SLOPES - back };
        let mut since = [0.0; SLOPES];
        for (i, since) in since[..=order].iter_mut().enumerate() {
            *since = self.times[self.place] - self.times[place(i)];
        }
        let even = since[..=order].iter().enumerate().all(|(i, t)| (t - i as f64 * h).abs() < EVEN_STEPS * h);
        let (mut binomial, scale) = (1.0, (1..=order).fold(1.0, |scale, k| scale * k as f64 * h));
        result.fill(0.0);
        for i in 0..=order {
            let weight = if even {
                binomial
            } else {
                let others = since[..=order].iter().enumerate().filter(|(j, _)| *j != i);
                scale / others.fold(1.0, |product, (_, t)| product * (t - since[i]))
            };
            binomial *= (i as f64 - order as f64) / (i + 1) as f64;
            let values = &self.values[place(i) * self.states..];
            result.iter_mut().zip(values).for_each(|(result, value)| *result += weight * value);
        }
    }
}

/// Where the values of the history lie that are not h apart: what they make of the polynomial of degree k + 1 that is zero at
/// the end of the last step and at k places h, 2h, … before, and one at the end of the next step,
///
/// ```text
///   g(θ) = θ (θ + 1) … (θ + k) / (k + 1)!
/// ```
///
/// With w its history, the same differences as those of y,
///
/// ```text
///   c = γₖ₊₁ − Σ γⱼwⱼ − (1−κₖ)γₖ (1 − Σ wⱼ)       j = 0 … k
/// ```
///
/// which is κₖγₖ + 1/(k+1) where all steps are equal, w = 0.
#[derive(Clone, Debug)]
struct Past {
    even: bool,
    w: Differences,
}

/// What is left of w after some equal steps is rounding.
const EVEN: f64 = 1e-9;

impl Past {
    fn new() -> Past {
        Past { even: true, w: Differences::new(1, HIGHEST) }
    }

    /// The value and the slope of g at θ = 0 for k = 1.
    fn begin(&mut self) {
        self.w.begin(&[0.0]);
        self.w.set_row(1, std::iter::once(0.5));
        self.even = false;
    }

    fn sums(&self, order: usize) -> [f64; 2] {
        let (mut sum, mut known) = ([0.0], [0.0]);
        self.w.predict(order, &GAMMA, &mut sum, &mut known);
        [sum[0], known[0]]
    }

    /// c.
    fn constant(&self, order: usize) -> f64 {
        let [sum, known] = if self.even { [0.0; 2] } else { self.sums(order) };
        GAMMA[order + 1] - known - leading(order) * (1.0 - sum)
    }

    fn accept(&mut self, order: usize) {
        if self.even {
            return;
        }
        let [sum, _] = self.sums(order);
        self.w.advance(order, &[1.0 - sum]);
        // g of the next step is less by a polynomial that is one at the end of this one and zero before
        let mut size = 0.0f64;
        for j in 0..=order {
            let w = self.element(j) - 1.0;
            self.w.set_row(j, std::iter::once(w));
            size = size.max(w.abs());
        }
        self.even = size < EVEN;
    }

    fn rescale(&mut self, order: usize, factor: f64) {
        if self.even {
            self.w.begin(&[0.0]);
        }
        self.w.rescale(order, factor);
        let g = |theta: f64| (0..=order).fold(1.0, |g, i| g * (theta + i as f64) / (i + 1) as f64);
        let mut values = [0.0; HIGHEST + 1];
        values.iter_mut().enumerate().for_each(|(i, value)| *value = g(-factor * i as f64));
        let scale = factor.powi(order as i32 + 1);
        for j in 0..=order {
            let w = (self.element(j) - values[0]) / scale;
            self.w.set_row(j, std::iter::once(w));
            for i in 0..order - j {
                values[i] -= values[i + 1];
            }
        }
        self.even = false;
    }

    fn element(&self, j: usize) -> f64 {
        self.w.row(j).next().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The polynomial of degree k + 1 that a formula of order k does not integrate exactly, along steps of many lengths: what it
    /// leaves is c hᵏ⁺¹Y⁽ᵏ⁺¹⁾.
    #[test]
    fn the_constant_is_right_whatever_the_steps_are() {
        for order in 1..=HIGHEST {
            let degree = order as i32 + 1;
            let (value, slope) = (|t: f64| t.powi(degree), |t: f64| f64::from(degree) * t.powi(degree - 1));
            let highest = (1..=degree).map(f64::from).product::<f64>();
            let (mut y, mut past) = (Differences::new(1, HIGHEST), Past::new());
            let (mut t, mut h) = (0.0, 0.1);
            let mut values: Vec<f64> = (0..=order).map(|i| value(t - h * i as f64)).collect();
            for j in 0..=order {
                y.set_row(j, std::iter::once(values[0]));
                values = values.windows(2).map(|pair| pair[0] - pair[1]).collect();
            }
            for (step, factor) in [1.0, 1.7, 1.0, 1.0, 0.6, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0].into_iter().enumerate() {
                if factor != 1.0 {
                    y.rescale(order, factor);
                    past.rescale(order, factor);
                    h *= factor;
                }
                let (mut predicted, mut known) = ([0.0], [0.0]);
                y.predict(order, &GAMMA, &mut predicted, &mut known);
                t += h;
                let correction = value(t) - predicted[0];
                let left = h * slope(t) - leading(order) * correction - known[0];
                let expected = past.constant(order) * highest * h.powi(degree);
                let size = h * slope(t) + highest * h.powi(degree);
                assert!((left - expected).abs() < 1e-11 * size, "order {order}, step {step}: {left:e} {expected:e}");
                y.advance(order, &[correction]);
                past.accept(order);
            }
            assert!(past.even, "order {order}: all steps of the history are equal at the end");
            let equal = super::super::coefficients::error_constant(order);
            assert!((past.constant(order) - equal).abs() < 1e-15);
        }
    }

    #[test]
    fn the_first_step_knows_the_slope_where_it_begins() {
        // y = t², order 1: h 2h − 1.185 (h² − 0) = 0.815 h² = c h² y″
        let mut past = Past::new();
        past.begin();
        assert!((past.constant(1) - 0.815 / 2.0).abs() < 1e-15);
    }

    #[test]
    fn slopes_at_any_distances_tell_the_highest_derivative() {
        for order in 1..=HIGHEST {
            let f = |t: f64| 3.0 * t.powi(order as i32) - 2.0 * t.powi(order as i32 - 1);
            let mut slopes = Slopes::new(1);
            slopes.begin(0.0, &[f(0.0)]);
            // The last ones are 0.3 apart.
            for t in [0.2, 0.5, 0.6, 1.1, 1.3, 1.4, 2.0, 2.3, 2.6, 2.9, 3.2, 3.5, 3.8] {
                slopes.put(t, std::iter::once(f(t)));
                let mut highest = [0.0];
                slopes.highest(order, 0.3, &mut highest);
                let expected = 3.0 * (1..=order).map(|k| k as f64 * 0.3).product::<f64>();
                let known = slopes.count >= order;
                assert!(!known || (highest[0] / expected - 1.0).abs() < 1e-8, "{order}: {highest:?} {expected}");
                slopes.accept();
            }
        }
    }
}
