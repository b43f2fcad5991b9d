//! BDF of variable order and step: the numerical differentiation formulas at quasi-constant steps.

use super::coefficients::{GAMMA, HIGHEST, error_constant, leading};
use super::differences::Differences;
use super::fixed::is_same;
use super::global_error::{Carried, Taken};
use crate::driver::controller::inverse_root;
use crate::implicit::newton::{Goal, NewtonEquation, NewtonSolver, allow_for_index};
use crate::{Method, NewtonIterate, NewtonOptions, Point, StepFailure, System, Tolerance, Trial, Work};
use ordinate_numbers::Octet;

/// What is free about the variable-order method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BdfOptions {
    /// The order that is kept once the start has reached it.
    pub order: Option<u32>,
    /// The highest order.
    pub max_order: u32,
}

impl BdfOptions {
    /// All orders from 1 to 5.
    pub const DEFAULT: BdfOptions = BdfOptions { order: None, max_order: HIGHEST as u32 };
}

impl Default for BdfOptions {
    fn default() -> BdfOptions {
        BdfOptions::DEFAULT
    }
}

/// The numerical differentiation formulas of orders 1 to 5 in backward differences: L. F. Shampine, M. W. Reichelt, SIAM J.
/// Sci. Comput. 18 (1997) 1–22. With the history at equal steps h,
///
/// ```text
///   y⁰ = Σⱼ ∇ʲyₙ,   ψ = y⁰ − Σᵢ γᵢ∇ⁱyₙ / ((1−κₖ)γₖ)          j = 0 … k,  i = 1 … k
///   M (y − ψ) = h / ((1−κₖ)γₖ) · f(tₙ₊₁, y)                  for y = yₙ₊₁
///   error = (κₖγₖ + 1/(k+1)) (y − y⁰)
/// ```
///
/// Step and order change after k + 1 steps of the same length at the earliest; but a step whose error grows towards the tolerance
/// is shortened at once. The dense output is the polynomial of
/// degree k through the end of the step and the points before.
///
/// If it is asked to, it carries its global error along; see [`Method::follow_error`].
#[derive(Clone, Debug)]
pub struct Bdf {
    options: BdfOptions,
    /// The steps are given: only the order is chosen, and the equations are solved up to rounding.
    fixed_step: bool,
    newton: NewtonSolver,
    differences: Differences,
    /// The order of the remembered step.
    order: usize,
    /// The length of the steps of the differences.
    h: f64,
    /// Whether there is a history.
    started: bool,
    /// Steps since step or order changed.
    equal_steps: usize,
    /// The error of the last one of them, from the second on; otherwise not a number.
    last_error: f64,
    /// Attempts in a row whose error was too large.
    failures: u32,
    /// Attempts in a row that led out of the domain of f; it stays large as long as every step begins anew for that reason.
    outside: u32,
    /// The history of the remembered step is a value without a slope.
    flat: bool,
    /// The order of the next attempt, be it the next step or the same one again.
    next_order: usize,
    error: Option<Carried>,
    // Where the error is followed, these have a second half for it, as the differences do.
    predicted: Vec<f64>,
    psi: Vec<f64>,
    correction: Vec<f64>,
    scale: Vec<f64>,
    y: Vec<f64>,
    work: Work,
}

// The constants below were measured: Robertson to 40 and to 1e11, van der Pol with μ = 1000, six-group kinetics, HIRES, the
// Oregonator, Prothero–Robinson and a system of index 1, at errors from 1e-4 to 1e-8. Against the plain formulas (all κ = 0)
// the modified ones save 4 %; a start by a Radau IIA step of three stages instead of order 1 costs 6 %.

/// Newton's method is to leave less than this part of the tolerance.
const NEWTON_PART: f64 = 0.2;
/// The same of a system of higher index that is solved as it is: nothing but Newton's method keeps its states on their equations, and
/// what it leaves is there in the next step, however short that is, when a state that comes to zero has another tolerance.
const NEWTON_PART_ALONE: f64 = 1e-5;
/// The part of the step that its error allows that is taken: with the same order, the next lower one, the next higher one.
const SAFETY: [f64; 3] = [1.0 / 1.5, 1.0 / 1.6, 1.0 / 1.4];
/// The same after an error that was too large, or before one.
const SAFETY_WHEN_SHORTER: f64 = 0.7;
/// An error that grew by more from one step to the next is not expected to do so again.
const ERROR_GROWS_MOST: f64 = 2.0;
/// A step is not changed for less.
const GROW_LEAST: f64 = 1.1;
/// Nor does it grow more at once.
const GROW_MOST: f64 = 10.0;
const SHRINK_MOST: f64 = 0.2;
/// The error is not carried along where the relative tolerance is larger: the leading terms of long steps tell little.
const LOOSEST: f64 = 1e-5;
/// After so many failures in a row the history is of no use.
const MOST_FAILURES: u32 = 3;

impl Bdf {
    /// For systems of `states` states. Where the step is fixed only the order is chosen.
    pub fn new(states: usize, options: BdfOptions, newton: NewtonOptions, fixed_step: bool) -> Bdf {
        let zeros = vec![0.0; states];
        Bdf {
            options,
            fixed_step,
            newton: NewtonSolver::new(states, newton),
            differences: Differences::new(states, HIGHEST),
            order: 1,
            h: 0.0,
            started: false,
            equal_steps: 0,
            last_error: f64::NAN,
            failures: 0,
            outside: 0,
            flat: false,
            next_order: 1,
            error: None,
            predicted: zeros.clone(),
            psi: zeros.clone(),
            correction: zeros.clone(),
            scale: zeros.clone(),
            y: zeros,
            work: Work::default(),
        }
    }

    /// The history that one value and one slope make. The slope of algebraic states is not known.
    fn start(&mut self, system: &mut dyn System, from: &Point, h: f64) -> Result<(), StepFailure> {
        self.differences.begin(from.y);
        from.derivative(system, &mut self.correction[..from.y.len()], &mut self.work.f)?;
        let differential = system.layout().differential();
        let ahead = if self.flat { 0.0 } else { h };
        self.differences.set_row(1, self.correction[..differential].iter().map(|slope| slope * ahead));
        (self.order, self.next_order) = (1, 1);
        (self.h, self.started) = (h, true);
        self.count_anew();
        if let Some(error) = &mut self.error {
            error.begin(from.t, &self.correction[..from.y.len()]);
        }
        Ok(())
    }

    /// An attempt led out of the domain of f. After a few of them the history is to blame, or the slope, as that of a root next to
    /// zero: whether to try anew with the value alone, which is a step of the implicit Euler method.
    fn leaves_history(&mut self) -> bool {
        self.outside += 1;
        if self.outside < MOST_FAILURES || self.flat || self.fixed_step {
            return false;
        }
        (self.started, self.flat) = (false, true);
        if let Some(error) = &mut self.error {
            error.lose();
        }
        true
    }

    /// Step or order changes.
    fn count_anew(&mut self) {
        (self.equal_steps, self.last_error) = (0, f64::NAN);
    }

    /// The next attempt has the order that was chosen for it.
    fn set_order(&mut self) {
        if self.next_order != self.order {
            self.order = self.next_order;
            self.count_anew();
            if let Some(error) = &mut self.error {
                error.set_order();
            }
        }
    }

    /// Makes the differences those of steps of length h.
    fn set_step(&mut self, t: f64, h: f64) {
        // The driver rounds t + h: that is no other step.
        if !is_same(h, self.h, t) {
            self.differences.rescale(self.order, h / self.h);
            if let Some(error) = &mut self.error {
                error.rescale(self.order, h / self.h);
            }
            self.h = h;
            self.count_anew();
        }
    }

    /// Finds the global error at the end of the step from `from` that was just computed.
    fn follow(&mut self, system: &mut dyn System, from: &Point) {
        let Some(error) = &mut self.error else { return };
        let to = Point { t: from.t + self.h, y: &self.y, d: from.d, f: None };
        let taken = Taken {
            order: self.order,
            h: self.h,
            y: &self.y,
            predicted: &self.predicted,
            known: &self.psi,
            scale: &self.scale,
            correction: &mut self.correction,
        };
        self.work.f += error.follow(system, &mut self.newton, &to, taken);
    }

    /// Chooses the order after a step whose error was too large; by which factor the step is to become shorter.
    fn after_failure(&mut self, error: f64) -> f64 {
        let k = self.order;
        self.failures += 1;
        let mut factor = root(error, k);
        if k > 1 && self.options.order.is_none() {
            if self.failures >= MOST_FAILURES {
                self.next_order = 1;
                return SHRINK_MOST;
            }
            let lower = root(self.error_below(), k - 1);
            if lower > factor {
                (self.next_order, factor) = (k - 1, lower);
            }
        }
        shorter(factor)
    }

    /// Chooses the order after a good step; by which factor the next one is to be longer.
    fn after_success(&mut self, error: f64) -> f64 {
        let k = self.order;
        let coming = self.coming_error(error);
        if coming > 1.0 && !self.fixed_step {
            return shorter(root(coming, k));
        }
        if self.equal_steps < k && !self.flat {
            return 1.0;
        }
        let [same, below, above] = SAFETY;
        // Mostly nothing is to be gained, and then no root need be taken to see it.
        let pays = self.fixed_step
            || self.options.order.is_some()
            || is_worth_it(same, error, k)
            || (k > 1 && is_worth_it(below, self.error_below(), k - 1))
            || (k < self.options.max_order as usize && is_worth_it(above, self.error_above(), k + 1));
        if !pays {
            return 1.0;
        }
        let mut factor = same * root(error, k);
        if let Some(order) = self.options.order {
            if k < order as usize {
                self.next_order = k + 1;
                return (above * root(self.error_above(), k + 1)).clamp(SHRINK_MOST, GROW_MOST);
            }
        } else {
            if k > 1 {
                let lower = below * root(self.error_below(), k - 1);
                if lower > factor {
                    (factor, self.next_order) = (lower, k - 1);
                }
            }
            if k < self.options.max_order as usize {
                let higher = above * root(self.error_above(), k + 1);
                if higher > factor {
                    (factor, self.next_order) = (higher, k + 1);
                }
            }
        }
        if factor >= GROW_LEAST {
            return factor.min(GROW_MOST);
        }
        if !self.fixed_step {
            self.next_order = k;
        }
        1.0
    }

    /// What the error of the next step will be if it is as long as this one: errors that grow from step to step go on growing, as
    /// the predictive controller has it (K. Gustafsson, ACM TOMS 20 (1994) 496–517). The first step of a length does not tell, for
    /// its history was made by interpolation. Most of the steps that would fail are shortened in time.
    fn coming_error(&mut self, error: f64) -> f64 {
        let growth = error / self.last_error;
        if self.equal_steps > 0 {
            self.last_error = error;
        }
        // comparisons with what is not a number are false
        error * if growth > ERROR_GROWS_MOST { ERROR_GROWS_MOST } else { growth }
    }

    /// The error that the next lower order would have had, from ∇ᵏyₙ₊₁.
    fn error_below(&self) -> f64 {
        let row = self.differences.row(self.order);
        let terms = row.zip(&self.correction).map(|(row, correction)| row + correction);
        error_constant(self.order - 1) * largest(terms, &self.scale).0
    }

    /// The error that the next higher order would have had, from ∇ᵏ⁺²yₙ₊₁.
    fn error_above(&self) -> f64 {
        let row = self.differences.row(self.order + 1);
        let terms = row.zip(&self.correction).map(|(row, correction)| correction - row);
        error_constant(self.order + 1) * largest(terms, &self.scale).0
    }
}

/// The factor of a step that must be shorter, from the one that its error allows.
fn shorter(factor: f64) -> f64 {
    (SAFETY_WHEN_SHORTER * factor).clamp(SHRINK_MOST, 0.9)
}

/// The largest element in units of the tolerance, and its component. NaN counts as largest.
fn largest(values: impl Iterator<Item = f64>, scale: &[f64]) -> (f64, usize) {
    let (mut size, mut worst) = (0.0, 0);
    for (i, (value, scale)) in values.zip(scale).enumerate() {
        let part = value.abs() / scale;
        if (part > size || part.is_nan()) && value != 0.0 {
            (size, worst) = (part, i);
        }
    }
    (size, worst)
}

/// Whether safety · error^(−1/(order + 1)) ≥ GROW_LEAST.
fn is_worth_it(safety: f64, error: f64, order: usize) -> bool {
    let ratio = safety / GROW_LEAST;
    error <= (0..order).fold(ratio, |power, _| power * ratio)
}

/// error^(−1/(order + 1))
fn root(error: f64, order: usize) -> f64 {
    inverse_root(error.max(1e-30), order as u32 + 1)
}

impl Method for Bdf {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        if self.started {
            self.set_order();
            self.set_step(from.t, h);
            // The driver may have moved the state onto invariants: the history moves with it.
            if self.error.is_some() {
                self.differences.move_pairs(from.y);
            } else {
                self.differences.set_row(0, from.y.iter().copied());
            }
        } else {
            self.start(system, from, h)?;
            if let Some(error) = self.error.as_mut().filter(|_| tol.rtol > LOOSEST && !self.fixed_step) {
                error.lose();
            }
        }
        let (order, alpha) = (self.order, leading(self.order));
        self.differences.predict(order, &GAMMA, &mut self.predicted, &mut self.psi);
        let part = 1.0 / alpha;
        let unknowns = self.y.iter_mut().zip(&mut self.psi).zip(&mut self.scale);
        let knowns = self.predicted.iter().zip(from.y).zip(&tol.atol);
        for (((y, psi), scale), ((predicted, before), atol)) in unknowns.zip(knowns) {
            *y = *predicted;
            *psi = predicted - *psi * part;
            *scale = atol + tol.rtol * before.abs().max(predicted.abs());
        }
        allow_for_index(system, h, &mut self.scale);
        let equation = NewtonEquation {
            step: (from.t, h),
            stage: 0,
            t: from.t + h,
            d: from.d,
            psi: &self.psi,
            gamma_h: self.h / alpha,
        };
        let alone = system.layout().indices.iter().any(|&index| index > 1);
        let goal = match alone {
            _ if self.fixed_step => Goal::Rounding,
            // As far as rounding lets it.
            true => Goal::Part(NEWTON_PART_ALONE.max(100.0 * f64::EPSILON / tol.rtol).min(NEWTON_PART)),
            false => Goal::Part(NEWTON_PART),
        };
        let solved = self.newton.solve(system, &equation, &self.scale, goal, &mut self.y);
        if matches!(solved, Err(StepFailure::NotFinite { .. })) && self.leaves_history() {
            return self.try_step(system, from, h, tol);
        }
        solved?;
        for ((correction, y), predicted) in self.correction.iter_mut().zip(&self.y).zip(&self.predicted) {
            *correction = y - predicted;
        }
        let (size, worst) = largest(self.correction.iter().copied(), &self.scale);
        if size.is_nan() {
            return Err(StepFailure::NotFinite { t: from.t + h, component: worst });
        }
        let error = error_constant(order) * size;
        let good = error <= 1.0 || self.fixed_step;
        if good {
            self.follow(system, from);
        }
        let factor = if good { self.after_success(error) } else { self.after_failure(error) };
        let next_h = (!self.fixed_step).then_some(self.h * factor);
        Ok(Trial { error, worst, order: order as u32, next_h })
    }

    fn end(&self) -> &[f64] {
        &self.y
    }

    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        self.differences.interpolate(self.order, &self.correction, theta, y);
    }

    /// Algebraic states that were moved onto their equations are those of the history, too: what Newton's method leaves of the
    /// tolerance is noise, which the differences of high order are full of otherwise.
    fn end_was_projected(&mut self, y: &[f64]) {
        let moved = self.correction.iter_mut().zip(y.iter().zip(&self.y)).skip(self.newton.differential());
        moved.for_each(|(correction, (y, before))| *correction += y - before);
        self.y.copy_from_slice(y);
    }

    fn solves_algebraic(&self) -> bool {
        true
    }

    /// The start values count as exact: their rounding is small beside the errors of such steps.
    fn follow_error(&mut self, _at_start: &[f64]) -> bool {
        let n = self.y.len();
        self.differences = Differences::new(2 * n, HIGHEST);
        for vector in [&mut self.predicted, &mut self.psi, &mut self.correction] {
            *vector = vec![0.0; 2 * n];
        }
        self.error = Some(Carried::new(n));
        true
    }

    fn error_within(&self, theta: f64, error: &mut [f64]) -> bool {
        self.error.as_ref().is_some_and(|carried| carried.within(theta, error))
    }

    fn errors_within(&self, theta: &Octet, errors: &mut [Octet]) -> bool {
        self.error.as_ref().is_some_and(|carried| carried.eight_within(theta, errors))
    }

    fn error(&self) -> Option<&[f64]> {
        self.error.as_ref().and_then(Carried::now)
    }

    fn accept(&mut self) {
        if let Some(error) = &mut self.error {
            error.accept(self.order);
        }
        self.differences.advance(self.order, &self.correction);
        self.outside = if self.flat { MOST_FAILURES } else { 0 };
        (self.failures, self.flat) = (0, false);
        self.equal_steps += 1;
        self.set_order();
    }

    fn restart(&mut self) {
        (self.started, self.failures, self.outside, self.flat) = (false, 0, 0, false);
        self.newton.restart();
        if let Some(error) = &mut self.error {
            error.restart();
        }
    }

    fn error_exponent(&self) -> Option<u32> {
        Some(2)
    }

    fn order(&self) -> u32 {
        self.options.order.unwrap_or(self.options.max_order)
    }

    fn iterates(&mut self) -> Vec<NewtonIterate> {
        self.newton.take_iterates()
    }

    fn work(&self) -> Work {
        let mut work = self.newton.work();
        work.f += self.work.f;
        work
    }
}
