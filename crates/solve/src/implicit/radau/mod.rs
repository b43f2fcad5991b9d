//! Radau IIA methods: implicit Runge–Kutta methods of order 2s − 1 that are L-stable, B-stable and stiffly accurate, so they solve
//! stiff equations and differential-algebraic ones up to index 3. E. Hairer, G. Wanner, Solving Ordinary Differential
//! Equations II, IV.8; J. Comput. Appl. Math. 111 (1999) 93–111.

mod batched_stages;
mod coefficients;
mod control;
mod coupled;
mod estimate;
mod factors;
mod nonsmooth;
mod stages;
mod starting_values;
mod transform;

use coefficients::{Coefficients, FIVE, MOST_STAGES, SEVEN, THREE, TWO};
use control::{Control, Ladder};
use stages::{Failure, Stages, Task, Way};
use starting_values::StartingValues;

use crate::implicit::newton::scales;
use crate::{
    FirstIterate, Method, NewtonIterate, NewtonKind, NewtonOptions, Point, StepFailure, System, Tolerance, Trial, Work,
};

/// How many stages a step has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadauOrder {
    /// Two stages.
    Three,
    /// Three stages.
    Five,
    /// Five stages.
    Nine,
    /// Seven stages.
    Thirteen,
    /// Three, five or seven stages, as many as pay off.
    Variable,
}

/// A Radau IIA method for systems of a given size. All memory is taken in the first step, or before it by
/// [`Method::preallocate`].
#[derive(Clone, Debug)]
pub struct Radau {
    order: RadauOrder,
    fixed_step: bool,
    first: FirstIterate,
    stages: Stages,
    ladder: Ladder,
    control: Control,
    scout: Option<Box<StartingValues>>,

    /// The remembered step.
    method: &'static Coefficients,
    t: f64,
    h: f64,
    y0: Vec<f64>,
    y1: Vec<f64>,
    error: f64,
    /// f where the next step begins, if it is known.
    f0: Vec<f64>,
    f0_known: bool,
    /// f where the remembered step ends, if it is known.
    f1: Vec<f64>,
    f1_known: bool,
    scale: Vec<f64>,
    estimate: Vec<f64>,
    /// The defect at the beginning of the remembered step, in tolerances.
    defect: f64,
    between: Vec<f64>,

    /// The stages of the step accepted last, its method and its length; 0 if there is none.
    history: Vec<f64>,
    history_method: &'static Coefficients,
    history_h: f64,
    /// The next attempt is the first one from its point.
    new_point: bool,
    /// Attempts in a row that were too slow.
    slow: u32,
    /// No step since the beginning.
    at_start: bool,
    /// The step accepted last was far better than asked for: it could have been longer but for Newton's method.
    at_ease: bool,
}

/// A Jacobian is kept if Newton's method converged with this rate.
const KEEP: f64 = 1e-3;
/// A step of an error below this part of the tolerance is far better than asked for.
const AT_EASE: f64 = 1e-3;
/// A step that is so many times as long as the one before is foreseen by it.
const FORESEEN: f64 = 2.0;
/// Stages are near to where they were foreseen within this part of their change, or so many tolerances.
const NEAR: f64 = 0.1;
const NEAR_TOLERANCES: f64 = 100.0;
/// Attempts in a row whose iteration is too slow, before that counts as a failure.
const MOST_SLOW: u32 = 3;
/// The most iterations where the step is given.
const PATIENCE: u32 = 30;

impl Radau {
    /// For `n` states. With a fixed step the equations of the stages are solved up to rounding.
    pub fn new(n: usize, order: RadauOrder, newton: NewtonOptions, fixed_step: bool) -> Radau {
        let ladder = Ladder::new();
        let (method, most) = match order {
            RadauOrder::Three => (&TWO, 2),
            RadauOrder::Five => (&THREE, 3),
            RadauOrder::Nine => (&FIVE, 5),
            RadauOrder::Thirteen => (&SEVEN, 7),
            RadauOrder::Variable => (ladder.method(), MOST_STAGES),
        };
        let zeros = vec![0.0; n];
        Radau {
            order,
            fixed_step,
            first: newton.first,
            stages: Stages::new(n, most, newton),
            ladder,
            control: Control::default(),
            scout: None,
            method,
            t: 0.0,
            h: 0.0,
            y0: zeros.clone(),
            y1: zeros.clone(),
            error: 0.0,
            f0: zeros.clone(),
            f0_known: false,
            f1: zeros.clone(),
            f1_known: false,
            scale: zeros.clone(),
            estimate: zeros,
            defect: 0.0,
            between: Vec::new(),
            history: vec![0.0; most * n],
            history_method: method,
            history_h: 0.0,
            new_point: true,
            slow: 0,
            at_start: true,
            at_ease: false,
        }
    }

    fn know_f0(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.f0_known {
            from.derivative(system, &mut self.f0, &mut self.stages.work.f)?;
            self.f0_known = true;
        }
        Ok(())
    }

    /// The first iterate of the stages.
    fn first_iterate(&mut self, h: f64) {
        let count = self.method.stages * self.y0.len();
        match self.first {
            FirstIterate::Extrapolated if self.history_h > 0.0 => {
                self.stages.extrapolate(self.method, self.history_method, &self.history, h / self.history_h);
            }
            FirstIterate::Given(value) if self.at_start => {
                for z in self.stages.z[..count].chunks_exact_mut(self.y0.len()) {
                    z.iter_mut().zip(&self.y0).for_each(|(z, y)| *z = value - y);
                }
            }
            FirstIterate::Extrapolated | FirstIterate::Previous | FirstIterate::Given(_) => {
                self.stages.z[..count].fill(0.0);
            }
        }
    }

    /// Solves the equations of the stages, a second time with a new Jacobian if the old one does not serve. A given step, which
    /// cannot be shorter, is explored then, and in the end solved by full Newton.
    fn solve_stages(&mut self, system: &mut dyn System, from: &Point, h: f64, tol: &Tolerance) -> Result<(), Failure> {
        let usual = if self.fixed_step { PATIENCE } else { most_iterations(self.method) };
        let NewtonOptions { most: bound, in_time, .. } = self.stages.options;
        let mut most = bound.unwrap_or(usual);
        let kappa = (!self.fixed_step).then(|| kappa(tol.rtol));
        let algebraic = system.layout().algebraic > 0;
        let mut way = match self.stages.kind() {
            NewtonKind::Full => Way::Coupled,
            NewtonKind::Simplified | NewtonKind::Inexact => Way::Contracting,
        };
        let (mut explored, mut separate) = (None, false);
        loop {
            match &self.scout {
                Some(scout) if explored == Some(true) => self.stages.z.copy_from_slice(&scout.z),
                _ => self.first_iterate(h),
            }
            let fresh = self.stages.stale || self.stages.age == 0;
            let task = Task { method: self.method, from, f0: &self.f0, h, scale: &self.scale, kappa, most, way };
            self.stages.prepare(system, &task).map_err(Failure::Step)?;
            let foreseen = separate.then(|| self.stages.z.clone());
            let failure = match self.stages.solve(system, &task) {
                Ok(()) => {
                    let astray = foreseen.and_then(|foreseen| self.astray(&foreseen));
                    return astray.map_or(Ok(()), |component| Err(Failure::Step(StepFailure::Newton { component })));
                }
                Err(failure) => failure,
            };
            if bound.is_some() {
                // A limit is one of all attempts together.
                most -= self.stages.iterations.min(most);
                if most == 0 {
                    return Err(failure);
                }
            }
            way = match (way, explored) {
                _ if !fresh => {
                    self.stages.stale = true;
                    way
                }
                (Way::Contracting, _)
                    if self.at_ease && algebraic && h <= FORESEEN * self.history_h && bound.is_none() =>
                {
                    // The derivatives change by orders of magnitude while the solution is smooth: those of potentials that nothing
                    // but the leakage of diodes holds. No step as long as the solution allows has one Jacobian for all stages.
                    self.stages.separate();
                    separate = true;
                    Way::Coupled
                }
                _ if !self.fixed_step => {
                    // What goes astray within the tolerance need not be followed so closely.
                    let within = self.stages.largest_change <= 1.0;
                    let solved = within
                        && bound.is_none()
                        && (self.stages.solve_by_secants(system, &task) || self.solve_to_rounding(system, from, h));
                    return if solved { Ok(()) } else { Err(failure) };
                }
                (Way::Coupled, Some(_)) => return Err(failure),
                (Way::Coupled, None) if in_time => return Err(failure),
                (_, Some(_)) => Way::Coupled,
                (_, None) if in_time => Way::Coupled,
                (_, None) => {
                    let count = self.stages.z.len();
                    let scout = self.scout.get_or_insert_with(|| Box::new(StartingValues::new(self.y0.len(), count)));
                    let found = scout.explore(system, from, h, self.method.c, tol);
                    explored = Some(found);
                    if found && way == Way::Contracting { Way::Patient } else { Way::Coupled }
                }
            };
        }
    }

    /// A state that is not about where it was foreseen in all stages. An iteration that does not contract from there may have gone to
    /// another solution of the algebraic equations, which no estimate of an error sees.
    fn astray(&self, foreseen: &[f64]) -> Option<usize> {
        let n = self.y0.len();
        let stages = || foreseen.chunks_exact(n).zip(self.stages.z.chunks_exact(n)).take(self.method.stages);
        (0..n).find(|&i| {
            let (size, off) = stages().fold((0.0f64, 0.0f64), |(size, off), (foreseen, z)| {
                (size.max(foreseen[i].abs()), off.max((z[i] - foreseen[i]).abs()))
            });
            off > NEAR * size + NEAR_TOLERANCES * self.scale[i]
        })
    }

    /// Solves the equations as far as rounding allows, where that is less than the tolerance asks for: a state that is a small
    /// difference of large terms. Returns whether the changes came to rest.
    #[cold]
    fn solve_to_rounding(&mut self, system: &mut dyn System, from: &Point, h: f64) -> bool {
        self.first_iterate(h);
        self.stages.separate();
        let (way, most) = (Way::Contracting, PATIENCE);
        let task = Task { method: self.method, from, f0: &self.f0, h, scale: &self.scale, kappa: None, most, way };
        self.stages.prepare(system, &task).is_ok() && self.stages.solve(system, &task).is_ok()
    }

    fn end_of_step(&mut self) {
        let n = self.y0.len();
        let z = &self.stages.z[(self.method.stages - 1) * n..];
        for (y1, (y0, z)) in self.y1.iter_mut().zip(self.y0.iter().zip(z)) {
            *y1 = y0 + z;
        }
    }

    /// Whether Newton's method was so slow that the next step deserves a new Jacobian.
    fn slow_newton(&self) -> bool {
        match self.stages.kind() {
            // It knows itself when its factors are too old.
            NewtonKind::Inexact => false,
            NewtonKind::Simplified | NewtonKind::Full => self.stages.rate > KEEP && self.stages.iterations > 1,
        }
    }

    /// A step that could not be solved.
    fn give_up(&mut self, failure: Failure, h: f64) -> Result<Trial, StepFailure> {
        self.ladder.failed();
        self.control.not_solved();
        match failure {
            Failure::Slow { factor, component } if self.slow < MOST_SLOW => {
                self.slow += 1;
                let (order, next_h) = (self.method.order(), Some(h * factor.min(0.9)));
                Ok(Trial { error: f64::INFINITY, worst: component, order, next_h })
            }
            Failure::Slow { component, .. } => Err(StepFailure::Newton { component }),
            Failure::Step(failure) => Err(failure),
        }
    }
}

/// The part of the tolerance that Newton's method may leave.
fn kappa(rtol: f64) -> f64 {
    let rtol = rtol.max(100.0 * f64::EPSILON);
    (10.0 * f64::EPSILON / rtol).max(rtol.sqrt().min(0.03))
}

/// More stages have more to agree on.
fn most_iterations(method: &Coefficients) -> u32 {
    match method.stages {
        ..=3 => 7,
        4..=5 => 12,
        _ => 17,
    }
}

impl Method for Radau {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        if from.y.is_empty() {
            // No states, only events of time.
            return Ok(Trial { error: 0.0, worst: 0, order: self.method.order(), next_h: None });
        }
        self.know_f0(system, from)?;
        if self.order == RadauOrder::Variable && !self.fixed_step {
            if self.new_point && self.history_h > 0.0 {
                self.ladder.choose(h / self.history_h, self.stages.rate, self.stages.iterations);
            }
            self.method = self.ladder.method();
        }
        // After a step that was not good enough the derivatives may be to blame.
        self.stages.stale |= !self.new_point && self.stages.age > 0 && !self.fixed_step;
        self.new_point = false;
        (self.t, self.h, self.f1_known) = (from.t, h, false);
        self.y0.copy_from_slice(from.y);
        scales(system, tol, h, |i| from.y[i].abs(), &mut self.scale);
        if let Err(failure) = self.solve_stages(system, from, h, tol) {
            return self.give_up(failure, h);
        }
        self.end_of_step();
        if let Some(component) = self.y1.iter().position(|y| !y.is_finite()) {
            return Err(StepFailure::NotFinite { t: from.t + h, component });
        }
        let order = self.method.order();
        if self.fixed_step {
            return Ok(Trial { error: 0.0, worst: 0, order, next_h: None });
        }
        scales(system, tol, h, |i| from.y[i].abs().max(self.y1[i].abs()), &mut self.scale);
        let (error, worst) = self.estimate(system, from);
        if error.is_nan() {
            return Err(StepFailure::NotFinite { t: from.t, component: worst });
        }
        self.error = error;
        let effort = (self.stages.iterations, most_iterations(self.method));
        let mut next = self.control.next(h, error, self.method.error_exponent(), effort);
        if error > 1.0 {
            self.control.rejected();
        } else if !self.slow_newton() && Control::keeps(h, next) {
            next = h;
        }
        Ok(Trial { error, worst, order, next_h: Some(next) })
    }

    fn preallocate(&mut self, system: &mut dyn System) {
        self.stages.preallocate(system, self.method, self.fixed_step);
    }

    fn end(&self) -> &[f64] {
        &self.y1
    }

    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    /// The polynomial of degree s through y and all stages.
    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        let mut weights = [0.0; MOST_STAGES];
        self.method.weights(theta, &mut weights);
        y.copy_from_slice(&self.y0);
        let vectors = self.stages.z.chunks_exact(y.len().max(1));
        for (weight, z) in weights.iter().zip(vectors).take(self.method.stages) {
            y.iter_mut().zip(z).for_each(|(y, z)| *y += weight * z);
        }
    }

    fn error_inside(&mut self, system: &mut dyn System, from: &Point, _tol: &Tolerance) -> Option<f64> {
        self.between_stages(system, from)
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.f1_known {
            let t = from.t + self.h;
            system.derivative(t, &self.y1, from.d, &mut self.f1);
            self.stages.work.f += 1;
            if let Some(component) = self.f1.iter().position(|f| !f.is_finite()) {
                return Err(StepFailure::NotFinite { t, component });
            }
            self.f1_known = true;
        }
        Ok(())
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        self.y1.copy_from_slice(y);
        self.f1_known = false;
    }

    fn solves_algebraic(&self) -> bool {
        true
    }

    fn accept(&mut self) {
        std::mem::swap(&mut self.stages.z, &mut self.history);
        (self.history_method, self.history_h) = (self.method, self.h);
        std::mem::swap(&mut self.f0, &mut self.f1);
        self.f0_known = self.f1_known;
        self.control.accepted(self.h, self.error);
        self.stages.age += 1;
        self.stages.stale |= !self.fixed_step && self.slow_newton();
        (self.new_point, self.at_start, self.slow) = (true, false, 0);
        self.at_ease = !self.fixed_step && self.error < AT_EASE;
    }

    fn restart(&mut self) {
        self.stages.restart();
        self.control.restart();
        (self.f0_known, self.new_point, self.slow, self.history_h) = (false, true, 0, 0.0);
        self.at_ease = false;
        self.ladder = Ladder::new();
    }

    fn error_exponent(&self) -> Option<u32> {
        Some(self.method.error_exponent())
    }

    fn order(&self) -> u32 {
        match self.order {
            RadauOrder::Variable => SEVEN.order(),
            _ => self.method.order(),
        }
    }

    fn iterates(&mut self) -> Vec<NewtonIterate> {
        self.stages.take_iterates()
    }

    fn work(&self) -> Work {
        let own = self.stages.work;
        self.scout.as_ref().map_or(own, |scout| own.plus(scout.work()))
    }
}

/// The matrix A of the method of so many stages, by rows.
#[cfg(test)]
pub(crate) fn stages_of(stages: usize) -> &'static [f64] {
    [&TWO, &THREE, &FIVE, &SEVEN].into_iter().find(|method| method.stages == stages).expect("such a method").a
}
