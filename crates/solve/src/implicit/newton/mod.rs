//! Newton's method for the one equation that backward Euler, the trapezoidal rule, BDF and Adams–Moulton have in common,
//!
//! ```text
//!   M (y − ψ) − hγ f(t, y) = 0
//! ```
//!
//! It is divided by hγ before it is solved: the rows of algebraic states are −g = 0 then, whatever the step is.

mod gmres;
mod jacobian;
mod nonsmooth;

pub(crate) use gmres::Gmres;
pub(crate) use jacobian::Jacobian;
pub(crate) use nonsmooth::{BEST, Damping, MOST_RETREATS, MOST_WITH_SECANTS, PART};

use crate::{NewtonIterate, NewtonKind, NewtonOptions, Point, StepFailure, System, Tolerance, Work};
use ordinate_linalg::Lu;

/// M (y − ψ) − hγ f(t, y, d) = 0, to be solved for y.
#[derive(Clone, Copy, Debug)]
pub struct NewtonEquation<'a> {
    /// Where the step begins and how long it is: for those who look at the iterates only.
    pub step: (f64, f64),
    /// The number of the stage within the step: for those who look at the iterates only.
    pub stage: u32,
    /// The time of the stage.
    pub t: f64,
    /// Discrete values.
    pub d: &'a [f64],
    /// ψ; its algebraic components do not matter.
    pub psi: &'a [f64],
    /// hγ, positive.
    pub gamma_h: f64,
}

/// When an iteration is good enough, unless [`NewtonOptions::tolerance`] says it.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// When the error that is left, estimated from the rate of convergence, is below this part of the scale. A single iteration
    /// is enough where an equation before has shown the rate of the same Jacobian and the same hγ.
    Part(f64),
    /// The same, but a single iteration must show by its residual that no more is left: a rate of the equation before does not
    /// tell.
    Proven(f64),
    /// When nothing but rounding is left: for fixed steps.
    Rounding,
}

/// How an iteration converged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Number of iterations.
    pub iterations: u32,
    /// The largest ratio of the sizes of two changes that follow each other; 0 if there was one change only.
    pub rate: f64,
}

/// Solves [`NewtonEquation`]s. The Jacobian and the factors of M/(hγ) − J are kept from one equation to the next as long as
/// they serve: while hγ changes by less than a quarter, changes of y are corrected by a factor (Brown, Byrne, Hindmarsh, SIAM J.
/// Sci. Stat. Comput. 10 (1989) 1038–1051, section 3), and the Jacobian is renewed where the iteration is slow.
#[derive(Clone, Debug)]
pub struct NewtonSolver {
    options: NewtonOptions,
    jacobian: Jacobian,
    lu: Option<Lu<f64>>,
    matrix: Vec<f64>,
    /// 1/(hγ) of the factors; NaN if there are none.
    factored: f64,
    /// The part by which hγ may change before they are renewed.
    other_step: f64,
    /// The Jacobian is to be evaluated anew at the next opportunity.
    stale: bool,
    /// Equations solved with this Jacobian.
    age: u32,
    /// How much of the last change is left, guessed before the second change shows it: θ/(1−θ) of the last equation.
    eta: f64,
    /// 1/(hγ) of the equations that have shown the rate of convergence with this Jacobian; NaN if there are none.
    rate_seen: f64,
    f: Vec<f64>,
    change: Vec<f64>,
    first: Vec<f64>,
    /// The largest change of the last iteration, in tolerances.
    largest: f64,
    product: Vec<f64>,
    gmres: Gmres,
    iterates: Vec<NewtonIterate>,
    work: Work,
}

/// The most iterations towards a part of the tolerance: a slow iteration is worse than a shorter step.
const MOST_FOR_TOLERANCE: u32 = 6;
/// The most iterations where the step is given.
const MOST: u32 = 60;
/// A rate above this one asks for a new Jacobian.
const SLOW: f64 = 0.25;
/// Changes that grow faster than this lead away.
pub(crate) const DIVERGENCE_RATIO: f64 = 2.0;
/// The factors are renewed when hγ has changed by more than this part.
const OTHER_STEP: f64 = 0.25;
/// A linear system is solved when its solution changes by less than this part.
const REFINED: f64 = 1e-12;
/// The most attempts to do so with the factors of another one.
const MOST_REFINEMENTS: u32 = 6;
/// The Jacobian is renewed after so many equations.
const OLDEST: u32 = 50;

impl NewtonSolver {
    /// For systems of `states` states.
    pub fn new(states: usize, options: NewtonOptions) -> NewtonSolver {
        let zeros = vec![0.0; states];
        NewtonSolver {
            options,
            jacobian: Jacobian::default(),
            lu: None,
            matrix: Vec::new(),
            factored: f64::NAN,
            other_step: OTHER_STEP,
            stale: true,
            age: 0,
            eta: 1.0,
            rate_seen: f64::NAN,
            f: zeros.clone(),
            change: zeros.clone(),
            first: zeros.clone(),
            largest: 0.0,
            product: zeros,
            gmres: Gmres::default(),
            iterates: Vec::new(),
            work: Work::default(),
        }
    }

    /// The same with factors that fit every equation, for those who want more than a part of the tolerance: iterations with others
    /// gain a few bits each.
    pub fn with_fitting_factors(self) -> NewtonSolver {
        NewtonSolver { other_step: 1e-3, ..self }
    }

    /// Forgets the Jacobian: the system is about to change at an event.
    pub fn restart(&mut self) {
        self.jacobian.forget();
        self.stale = true;
        self.eta = 1.0;
    }

    /// Looks at the pattern of the Jacobian, and takes memory for its matrices where it is another one than before.
    pub fn preallocate(&mut self, system: &mut dyn System) {
        if self.jacobian.look(system) {
            let pattern = self.jacobian.pattern();
            self.lu = Some(if self.options.in_time { Lu::with_room(pattern) } else { Lu::new(pattern) });
            self.matrix = vec![0.0; pattern.len()];
            (self.factored, self.stale) = (f64::NAN, true);
        }
    }

    /// The options.
    pub fn options(&self) -> &NewtonOptions {
        &self.options
    }

    /// f(t, y, d) where it was evaluated last.
    pub fn f(&self) -> &[f64] {
        &self.f
    }

    /// Makes [`NewtonSolver::f`] that of a solution.
    pub fn evaluate(&mut self, system: &mut dyn System, at: &Point) {
        system.derivative(at.t, at.y, at.d, &mut self.f);
        self.work.f += 1;
    }

    /// What the last iteration has left of its equation, f − M (y − ψ)/(hγ) at the solution; for [`Goal::Rounding`] or with
    /// [`NewtonOptions::tolerance`], which end with an evaluation there.
    pub fn left_over(&self) -> &[f64] {
        &self.change
    }

    /// Number of states of the last system that were not algebraic.
    pub fn differential(&self) -> usize {
        self.jacobian.differential()
    }

    /// What was evaluated so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The iterates since they were asked for last, if [`NewtonOptions::trace`] wants them.
    pub fn take_iterates(&mut self) -> Vec<NewtonIterate> {
        std::mem::take(&mut self.iterates)
    }

    /// b becomes (M/(hγ) − J)⁻¹ b with the factors of the last equation: filters error estimates of stiff components.
    pub fn apply_inverse(&mut self, b: &mut [f64]) {
        if let Some(lu) = self.lu.as_mut().filter(|_| self.factored.is_finite()) {
            lu.solve(b);
        }
    }

    /// b becomes (M/(hγ) − J)⁻¹ b with the Jacobian at hand. If the factors A₀ are those of another hγ₀,
    ///
    /// ```text
    ///   x = A₀⁻¹ b,      x + (hγ/(hγ₀) − 1) A₀⁻¹ M/(hγ₀) x
    /// ```
    ///
    /// is right where J counts for nothing, and where it counts for all, and off by 2 % at most in between.
    pub fn change(&mut self, gamma_h: f64, b: &mut [f64]) {
        let sigma = self.factored;
        let Some(lu) = self.lu.as_mut().filter(|_| sigma.is_finite()) else { return };
        lu.solve(b);
        let other = gamma_h * sigma - 1.0;
        if other != 0.0 {
            self.product.fill(0.0);
            let differential = self.jacobian.differential();
            self.product.iter_mut().zip(b.iter()).take(differential).for_each(|(p, b)| *p = other * sigma * b);
            lu.solve(&mut self.product);
            b.iter_mut().zip(&self.product).for_each(|(b, product)| *b += product);
        }
    }

    /// b becomes (M/(hγ) − J)⁻¹ b with J at the given point, not where it was evaluated last. The factors at hand serve as long
    /// as the iteration with them converges fast:
    ///
    /// ```text
    ///   x ← x + A₀⁻¹ (b − A x)
    /// ```
    pub fn solve_linearised(
        &mut self,
        system: &mut dyn System,
        at: &Point,
        gamma_h: f64,
        b: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.preallocate(system);
        let sigma = 1.0 / gamma_h;
        if self.jacobian.is_approximate() {
            self.evaluate(system, at);
        }
        self.jacobian.evaluate(system, (at.t, at.y, at.d), &self.f, &mut self.work)?;
        if self.factored.is_finite() {
            self.first.copy_from_slice(b);
            self.apply_inverse(b);
            let mut last = f64::INFINITY;
            for _ in 0..MOST_REFINEMENTS {
                self.jacobian.shifted(sigma, b, &mut self.product);
                self.product.iter_mut().zip(&self.first).for_each(|(product, b)| *product = b - *product);
                let lu = self.lu.as_mut().expect("there are factors");
                lu.solve(&mut self.product);
                b.iter_mut().zip(&self.product).for_each(|(b, change)| *b += change);
                let size = largest_part(b, |_| 1.0).0;
                let change = largest_part(&self.product, |_| 1.0).0;
                if change <= REFINED * size {
                    return Ok(());
                }
                if change.is_nan() || change > SLOW * last {
                    break;
                }
                last = change;
            }
            b.copy_from_slice(&self.first);
        }
        self.jacobian.matrix(sigma, &mut self.matrix);
        self.work.lu += 1;
        let lu = self.lu.as_mut().expect("solve takes memory for the factors");
        self.factored = f64::NAN;
        lu.factor(&self.matrix).map_err(|singular| {
            self.stale = true;
            StepFailure::Singular { component: singular.column }
        })?;
        self.factored = sigma;
        lu.solve(b);
        Ok(())
    }

    /// Solves the equation. `y` holds the first iterate and becomes the solution; `scale` is the tolerance of each
    /// component, in which changes are measured. After an error `y` is of no use.
    pub fn solve(
        &mut self,
        system: &mut dyn System,
        equation: &NewtonEquation,
        scale: &[f64],
        goal: Goal,
        y: &mut [f64],
    ) -> Result<Convergence, StepFailure> {
        self.preallocate(system);
        if self.stale {
            self.factored = f64::NAN;
        }
        self.first.copy_from_slice(y);
        let old = !self.stale && self.age < OLDEST;
        self.stale = !old;
        let solved = match self.iterate(system, equation, scale, goal, y) {
            Err(_) if old => {
                y.copy_from_slice(&self.first);
                self.stale = true;
                self.iterate(system, equation, scale, goal, y)
            }
            result => result,
        };
        let tolerates = self.options.tolerance.is_none() && !matches!(goal, Goal::Rounding);
        match solved {
            // What goes astray within the tolerance need not be followed so closely.
            Err(failure) if tolerates && self.largest <= 1.0 => {
                let outside = self.largest == 0.0 && matches!(failure, StepFailure::NotFinite { .. });
                // Not even the first iterate was in the domain of f; what the step begins with may be.
                let first = if outside { equation.psi } else { &self.first };
                y.copy_from_slice(&first[..y.len()]);
                self.by_secants(system, equation, scale, y).ok_or(failure)
            }
            result => result,
        }
    }

    /// Makes the factors of M/(hγ) − J fit; with a new Jacobian at (t, y) if it is stale. `f` is known.
    fn prepare(
        &mut self,
        system: &mut dyn System,
        equation: &NewtonEquation,
        scale: &[f64],
        y: &[f64],
    ) -> Result<(), StepFailure> {
        let sigma = 1.0 / equation.gamma_h;
        if self.stale {
            self.factored = f64::NAN;
            let at = (equation.t, y, equation.d);
            self.jacobian.evaluate_beside(system, at, &self.f, scale, &mut self.work)?;
            (self.stale, self.age, self.rate_seen) = (false, 0, f64::NAN);
        } else if (sigma / self.factored - 1.0).abs() <= self.other_step {
            return Ok(());
        }
        self.jacobian.matrix(sigma, &mut self.matrix);
        self.work.lu += 1;
        self.factored = f64::NAN;
        let lu = self.lu.as_mut().expect("solve takes memory for the factors");
        lu.factor(&self.matrix).map_err(|singular| {
            self.stale = true;
            StepFailure::Singular { component: singular.column }
        })?;
        self.factored = sigma;
        Ok(())
    }

    fn iterate(
        &mut self,
        system: &mut dyn System,
        equation: &NewtonEquation,
        scale: &[f64],
        goal: Goal,
        y: &mut [f64],
    ) -> Result<Convergence, StepFailure> {
        let patient = self.options.tolerance.is_some() || matches!(goal, Goal::Rounding);
        let most = self.options.most.unwrap_or(if patient { MOST } else { MOST_FOR_TOLERANCE });
        let weighs = self.options.tolerance.is_some() || self.options.kind == NewtonKind::Inexact;
        let mut convergence = Convergence { iterations: 0, rate: 0.0 };
        let (mut last, mut last_residual, mut stagnation) = (f64::NAN, f64::NAN, Stagnation::default());
        let mut last_coarse = f64::NAN;
        // The residual before a first change that is small enough, and whether the one behind it agrees.
        let (mut pending, mut proven): (Option<f64>, bool) = (None, false);
        let mut enough = false;
        self.eta = decayed_eta(self.eta);
        self.age += 1;
        self.largest = 0.0;
        for iteration in 0..=most {
            self.residual(system, equation, iteration, y)?;
            // Most of what the residual could tell is not asked, and costs as much as the rest of an iteration.
            let residual = if weighs { equation.gamma_h * largest_part(&self.change, |_| 1.0).0 } else { f64::NAN };
            let is_asked = if iteration == 0 { !self.knows_rate(equation, goal) } else { pending.is_some() };
            let left_over =
                if is_asked { equation.gamma_h * largest_part(&self.change, |i| scale[i]).0 } else { f64::NAN };
            convergence.iterations = iteration;
            // One iteration at least: a short step moves the residual of its first iterate by little.
            if iteration > 0 && self.options.tolerance.is_some_and(|tolerance| residual <= tolerance) {
                return Ok(convergence);
            }
            if let Some(before) = pending.take() {
                if matches!(goal, Goal::Proven(kappa) if left_over <= kappa) {
                    return Ok(convergence);
                }
                // With f at hand a second change costs little, and tells the rate.
                proven = matches!(goal, Goal::Part(_)) && is_proven(before, left_over);
            }
            if iteration == most && enough {
                return Ok(convergence);
            }
            if iteration == most {
                break;
            }
            let fresh = self.stale || self.options.kind != NewtonKind::Simplified;
            self.newton_change(system, equation, scale, y, residual / last_residual)?;
            if patient {
                // In fixed units: in those of its own size every change of what was nothing is the same.
                let coarse = largest_part(&self.change, stagnation_unit(scale, &self.first)).0;
                if !fresh && iteration > 0 && coarse > (DIVERGENCE_RATIO * last_coarse).max(1.0) {
                    // A solution found from there may be one of the equation, but not of the problem: again, as seen from here.
                    self.stale = true;
                    continue;
                }
                last_coarse = coarse;
            }
            last_residual = residual;

            y.iter_mut().zip(&self.change).for_each(|(y, change)| *y += change);
            let (size, worst) = self.size(equation, scale, y, goal);
            if !size.is_finite() {
                return Err(StepFailure::Newton { component: worst });
            }
            self.largest = self.largest.max(size);
            convergence.iterations = iteration + 1;
            let rate = size / last;
            last = size;
            if iteration > 0 {
                convergence.rate = convergence.rate.max(rate);
                self.rate_seen = f64::NAN;
                if rate < 1.0 {
                    (self.eta, self.rate_seen) = (rate / (1.0 - rate), 1.0 / equation.gamma_h);
                } else if !proven {
                    self.eta = f64::INFINITY;
                }
                // Where there is time, at once; otherwise for the next equation.
                self.stale |= patient && rate > SLOW;
            }
            match goal {
                _ if self.options.tolerance.is_some() => {}
                Goal::Rounding => {
                    // The last changes only stir the last digits, or an f with cancellations cannot do better.
                    if size <= 1.0 || (stagnation.is_stagnant(size) && self.is_rounding(scale, y)) {
                        self.residual(system, equation, iteration + 1, y)?;
                        return Ok(convergence);
                    }
                    // A limit may come before it is known that the changes have stopped getting smaller.
                    enough = iteration + 1 == most && self.is_rounding(scale, y);
                }
                Goal::Part(kappa) | Goal::Proven(kappa) => {
                    // An equation before that did not converge makes nothing of a change of the last bit.
                    let small = size == 0.0
                        || self.eta * size <= kappa
                        || (self.eta == f64::INFINITY && largest_part(&self.change, |i| rounding(y[i].abs())).0 <= 1.0);
                    if (small && iteration > 0) || proven {
                        self.stale |= convergence.rate > SLOW;
                        return Ok(convergence);
                    }
                    if small && self.knows_rate(equation, goal) {
                        return Ok(convergence);
                    }
                    if small {
                        pending = Some(left_over);
                        continue;
                    }
                    let coming = rate.powi((most - iteration - 1) as i32) / (1.0 - rate) * size;
                    if rate >= 1.0 || coming > kappa {
                        self.stale = true;
                        return Err(StepFailure::Newton { component: worst });
                    }
                }
            }
        }
        self.stale = true;
        let (_, worst) = self.size(equation, scale, y, goal);
        Err(StepFailure::Newton { component: worst })
    }

    /// Whether an equation before has shown the rate of convergence of this one, and the goal trusts it.
    fn knows_rate(&self, equation: &NewtonEquation, goal: Goal) -> bool {
        self.rate_seen == 1.0 / equation.gamma_h && matches!(goal, Goal::Part(_))
    }

    /// f at the iterate, and minus the residual divided by hγ in `change`.
    fn residual(
        &mut self,
        system: &mut dyn System,
        equation: &NewtonEquation,
        iteration: u32,
        y: &[f64],
    ) -> Result<(), StepFailure> {
        system.derivative(equation.t, y, equation.d, &mut self.f);
        self.work.f += 1;
        let sigma = 1.0 / equation.gamma_h;
        let differential = self.jacobian.differential();
        // Stays zero as long as everything is finite: one look at the end instead of two at every component.
        let mut zero = 0.0;
        let states = self.change.iter_mut().zip(&self.f).zip(y).zip(equation.psi);
        for (i, (((change, f), y), psi)) in states.enumerate() {
            *change = if i < differential { f - sigma * (y - psi) } else { *f };
            zero += 0.0 * (f + y);
        }
        if zero != 0.0 {
            let component = (0..y.len()).find(|&i| !(self.f[i].is_finite() && y[i].is_finite())).unwrap_or(0);
            self.stale = true;
            return Err(StepFailure::NotFinite { t: equation.t, component });
        }
        if self.options.trace {
            self.iterates.push(NewtonIterate {
                t: equation.step.0,
                h: equation.step.1,
                stage: equation.stage,
                iteration,
                y: y.to_vec(),
                residual: self.change.iter().map(|change| -equation.gamma_h * change).collect(),
            });
        }
        Ok(())
    }

    /// The change of y from the residual in `change`; `shrunk` is how much the residual shrank in the last iteration.
    fn newton_change(
        &mut self,
        system: &mut dyn System,
        equation: &NewtonEquation,
        scale: &[f64],
        y: &[f64],
        shrunk: f64,
    ) -> Result<(), StepFailure> {
        self.work.newton += 1;
        self.stale |= self.options.kind == NewtonKind::Full;
        self.prepare(system, equation, scale, y)?;
        let lu = self.lu.as_mut().expect("solve takes memory for the factors");
        let sigma = 1.0 / equation.gamma_h;
        if self.options.kind == NewtonKind::Inexact {
            self.jacobian.evaluate(system, (equation.t, y, equation.d), &self.f, &mut self.work)?;
            let (jacobian, product) = (&self.jacobian, &mut self.product);
            self.gmres.solve(&mut self.change, forcing(shrunk), &mut |v, result| {
                product.copy_from_slice(v);
                lu.solve(product);
                jacobian.shifted(sigma, product, result);
            });
            lu.solve(&mut self.change);
            return Ok(());
        }
        lu.solve(&mut self.change);
        if sigma != self.factored {
            let factor = 2.0 / (1.0 + sigma / self.factored);
            self.change.iter_mut().for_each(|change| *change *= factor);
        }
        Ok(())
    }

    /// The largest change in units of what counts for the goal, and its component.
    fn size(&self, equation: &NewtonEquation, scale: &[f64], y: &[f64], goal: Goal) -> (f64, usize) {
        let differential = self.jacobian.differential();
        // Before the change and behind it: one of them may be zero.
        let largest = |i: usize| y[i].abs().max((y[i] - self.change[i]).abs());
        let unit = |i: usize| match goal {
            Goal::Part(_) | Goal::Proven(_) => scale[i],
            // The rounding of the terms of the equation; those of an algebraic one are unknown.
            Goal::Rounding if i < differential => rounding(largest(i).max(equation.psi[i].abs())),
            Goal::Rounding => rounding(largest(i)),
        };
        largest_part(&self.change, unit)
    }

    /// Whether a change that does not get smaller is small enough to be taken for rounding.
    fn is_rounding(&self, scale: &[f64], y: &[f64]) -> bool {
        largest_part(&self.change, stagnation_unit(scale, y)).0 <= 1.0
    }
}

/// Trust in the rate of the equation before wears off: left^¾, without a general power.
pub(crate) fn decayed_eta(left: f64) -> f64 {
    let root = left.max(f64::EPSILON).sqrt();
    root * root.sqrt()
}

/// Whether a first change that is small enough may be the last one, by the residual before and behind it, in tolerances of y.
/// The change alone proves nothing: where the Jacobian is far too large, as of a root near its branch point, every change is
/// small, and the extrapolated iterate would pass for the solution.
pub(crate) fn is_proven(before: f64, behind: f64) -> bool {
    behind <= 1.0 || behind <= 0.5 * before
}

/// A few units of the last place of a number of this size.
pub(crate) fn rounding(size: f64) -> f64 {
    4.0 * f64::EPSILON * size + 1e-100
}

/// The largest element in units that depend on the component, and its component. NaN counts as largest.
pub(crate) fn largest_part(values: &[f64], unit: impl Fn(usize) -> f64) -> (f64, usize) {
    let (mut size, mut worst) = (0.0, 0);
    for (i, value) in values.iter().enumerate() {
        let part = value.abs() / unit(i);
        // 0/0 is no part; that is asked last because what stands before is rarely true.
        if (part > size || part.is_nan()) && *value != 0.0 {
            (size, worst) = (part, i);
            if part.is_nan() {
                break;
            }
        }
    }
    (size, worst)
}

/// The tolerance of each component, `size` being its size.
pub(crate) fn scales(system: &dyn System, tol: &Tolerance, h: f64, size: impl Fn(usize) -> f64, scale: &mut [f64]) {
    for (i, scale) in scale.iter_mut().enumerate() {
        let y = size(i);
        // Newton's method cannot do better than rounding.
        *scale = (tol.atol[i] + tol.rtol * y).max(100.0 * f64::EPSILON * y);
    }
    allow_for_index(system, h, scale);
}

/// Components of index k are determined only up to errors of the others divided by h^(k−1): Hairer, Lubich, Roche, The Numerical
/// Solution of Differential-Algebraic Systems by Runge–Kutta Methods, 1989, section 7.
pub(crate) fn allow_for_index(system: &dyn System, h: f64, scale: &mut [f64]) {
    for (scale, &index) in scale.iter_mut().zip(&system.layout().indices) {
        if index > 1 {
            *scale /= h.min(1.0).powi(i32::from(index) - 1);
        }
    }
}

/// Up to which size a change that does not get smaller is taken for rounding: f may be a small difference of large terms, and
/// the algebraic states of a system of index 3 have the rounding of the others divided by h².
pub(crate) fn stagnation_unit(scale: &[f64], y: &[f64]) -> impl Fn(usize) -> f64 {
    let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    move |i| 1e-3 * scale[i] + 1e-8 * y[i].abs() + 1e-12 * largest
}

/// Whether the changes of an iteration have stopped getting smaller: two of them in a row did not halve the smallest one before.
/// Ratios of neighbours do not tell it, for changes that only stir the last digits may be large and small in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stagnation {
    smallest: f64,
    since: u32,
}

impl Default for Stagnation {
    fn default() -> Stagnation {
        Stagnation { smallest: f64::INFINITY, since: 0 }
    }
}

impl Stagnation {
    /// Takes the size of one more change.
    pub fn is_stagnant(&mut self, size: f64) -> bool {
        self.since = if size <= 0.5 * self.smallest { 0 } else { self.since + 1 };
        self.smallest = self.smallest.min(size);
        self.since >= 2
    }
}

/// How well the linear equations are solved when the residual shrank by a factor in the last iteration: choice 2 of
/// S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput. 17 (1996) 16–32, with γ = 0.9, α = 2.
pub(crate) fn forcing(shrunk: f64) -> f64 {
    if shrunk.is_finite() { (0.9 * shrunk * shrunk).clamp(1e-6, 0.1) } else { 0.1 }
}
