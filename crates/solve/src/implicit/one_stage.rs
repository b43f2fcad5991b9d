//! The implicit one-step methods of one stage: backward Euler and the trapezoidal rule. Their error is estimated by step doubling.

use crate::implicit::newton::{Goal, NewtonEquation, NewtonSolver, largest_part, scales};
use crate::options::check_index;
use crate::{
    FirstIterate, Method, NewtonIterate, NewtonOptions, Point, StepFailure, System, Tolerance, Trial, UsageError, Work,
};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneStageRule {
    /// y₁ = y + h f(t + h, y₁): order 1, L-stable.
    BackwardEuler,
    /// y₁ = y + h/2 (f(t, y) + f(t + h, y₁)): order 2, A-stable.
    Trapezoid,
}

impl OneStageRule {
    /// The weights of f at the end of the step and at its beginning.
    pub(crate) fn weights(self) -> (f64, f64) {
        match self {
            OneStageRule::BackwardEuler => (1.0, 0.0),
            OneStageRule::Trapezoid => (0.5, 0.5),
        }
    }
}

/// A method of one implicit stage for systems of a given size. Algebraic equations hold at the end of every step.
///
/// Where the step is not fixed it is done twice, at once and in two halves, which are the result; the error is
///
/// ```text
///   y(t+h) − y₂ ≈ (y₂ − y₁) / (2ᵖ − 1)      y₁ one step, y₂ two half steps
/// ```
#[derive(Clone, Debug)]
pub struct OneStage {
    rule: OneStageRule,
    fixed_step: bool,
    /// The whole step; of its own for the sake of its factors.
    whole: Part,
    halves: [Part; 2],
    /// Newton's method of the whole step and of the halves.
    newton: [NewtonSolver; 2],
    /// f where the step begins.
    f0: Vec<f64>,
    f0_known: bool,
    scale: Vec<f64>,
    psi: Vec<f64>,
    /// dy/dt of the step accepted last, for the first iterate.
    slope: Vec<f64>,
    slope_known: bool,
    at_start: bool,
    /// The end of the step is no longer where f was evaluated.
    moved: bool,
    work: Work,
}

/// A step or a half of one.
#[derive(Clone, Debug)]
struct Part {
    h: f64,
    y0: Vec<f64>,
    y1: Vec<f64>,
    /// f at both ends, without algebraic components.
    f0: Vec<f64>,
    f1: Vec<f64>,
}

/// Newton's method may leave this part of the tolerance; of the trapezoidal rule, which damps nothing, a part that does not matter
/// after many thousands of steps either.
const KAPPA: f64 = 0.02;
const KAPPA_KEPT: f64 = 1e-4;

impl OneStage {
    /// For `n` states.
    pub fn new(n: usize, rule: OneStageRule, newton: NewtonOptions, fixed_step: bool) -> OneStage {
        let zeros = vec![0.0; n];
        let part = Part { h: 0.0, y0: zeros.clone(), y1: zeros.clone(), f0: zeros.clone(), f1: zeros.clone() };
        OneStage {
            rule,
            fixed_step,
            whole: part.clone(),
            halves: [part.clone(), part],
            newton: [(); 2].map(|()| NewtonSolver::new(n, newton).with_fitting_factors()),
            f0: zeros.clone(),
            f0_known: false,
            scale: zeros.clone(),
            psi: zeros.clone(),
            slope: zeros,
            slope_known: false,
            at_start: true,
            moved: false,
            work: Work::default(),
        }
    }

    fn know_f0(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.f0_known {
            from.derivative(system, &mut self.f0, &mut self.work.f)?;
            self.f0_known = true;
        }
        Ok(())
    }

    /// Does one part, whose beginning is set, from time `t`.
    fn solve(&mut self, system: &mut dyn System, t: f64, d: &[f64], which: Which) -> Result<(), StepFailure> {
        let differential = system.layout().differential();
        let part = match which {
            Which::Whole => &mut self.whole,
            Which::Half(i) => &mut self.halves[i],
        };
        let (gamma, known) = self.rule.weights();
        let (h, n) = (part.h, part.y0.len());
        self.psi.copy_from_slice(&part.y0);
        if known != 0.0 {
            self.psi[..differential].iter_mut().zip(&part.f0).for_each(|(psi, f)| *psi += known * h * f);
        }
        let newton = &mut self.newton[usize::from(which != Which::Whole)];
        for i in 0..n {
            part.y1[i] = match newton.options().first {
                FirstIterate::Given(value) if self.at_start => value,
                FirstIterate::Extrapolated if self.slope_known => part.y0[i] + h * self.slope[i],
                FirstIterate::Extrapolated | FirstIterate::Previous | FirstIterate::Given(_) => part.y0[i],
            };
        }
        let stage = if which == Which::Half(1) { 1 } else { 0 };
        let gamma_h = gamma * h;
        let equation = NewtonEquation { step: (t, h), stage, t: t + h, d, psi: &self.psi, gamma_h };
        let goal = match self.rule {
            _ if self.fixed_step => Goal::Rounding,
            OneStageRule::BackwardEuler => Goal::Proven(KAPPA),
            OneStageRule::Trapezoid => Goal::Proven(KAPPA_KEPT),
        };
        newton.solve(system, &equation, &self.scale, goal, &mut part.y1)?;
        // The value of f that the method used, whatever Newton's method left.
        for i in 0..differential {
            part.f1[i] = (part.y1[i] - self.psi[i]) / gamma_h;
        }
        match part.y1.iter().position(|y| !y.is_finite()) {
            Some(component) => Err(StepFailure::NotFinite { t: t + h, component }),
            None => Ok(()),
        }
    }

    /// The part that is the result up to its end.
    fn last(&self) -> &Part {
        if self.fixed_step { &self.whole } else { &self.halves[1] }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Whole,
    Half(usize),
}

impl Part {
    fn begin(&mut self, h: f64, y0: &[f64], f0: &[f64]) {
        self.h = h;
        self.y0.copy_from_slice(y0);
        self.f0.copy_from_slice(f0);
    }

    /// A straight line; the trapezoidal rule has a parabola with its slopes at the ends.
    fn interpolate(&self, rule: OneStageRule, differential: usize, theta: f64, y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = (1.0 - theta) * self.y0[i] + theta * self.y1[i];
            if rule == OneStageRule::Trapezoid && i < differential {
                *y -= 0.5 * theta * (1.0 - theta) * self.h * (self.f1[i] - self.f0[i]);
            }
        }
    }
}

impl Method for OneStage {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.moved = false;
        self.know_f0(system, from)?;
        scales(system, tol, h, |i| from.y[i].abs(), &mut self.scale);
        self.whole.begin(h, from.y, &self.f0);
        self.solve(system, from.t, from.d, Which::Whole)?;
        let order = self.order();
        if self.fixed_step {
            return Ok(Trial { error: 0.0, worst: 0, order, next_h: None });
        }
        self.halves[0].begin(0.5 * h, from.y, &self.f0);
        self.solve(system, from.t, from.d, Which::Half(0))?;
        let [first, second] = &mut self.halves;
        second.begin(0.5 * h, &first.y1, &first.f1);
        self.solve(system, from.t + 0.5 * h, from.d, Which::Half(1))?;

        let factor = 1.0 / (2f64.powi(order as i32) - 1.0);
        let end = &self.halves[1].y1;
        scales(system, tol, h, |i| from.y[i].abs().max(end[i].abs()), &mut self.scale);
        for ((difference, one), two) in self.psi.iter_mut().zip(&self.whole.y1).zip(end) {
            *difference = factor * (two - one);
        }
        let (error, worst) = largest_part(&self.psi, |i| self.scale[i]);
        Ok(Trial { error, worst, order, next_h: None })
    }

    fn end(&self) -> &[f64] {
        &self.last().y1
    }

    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        let differential = self.newton[0].differential();
        if self.fixed_step {
            self.whole.interpolate(self.rule, differential, theta, y);
        } else if theta <= 0.5 {
            self.halves[0].interpolate(self.rule, differential, 2.0 * theta, y);
        } else {
            self.halves[1].interpolate(self.rule, differential, 2.0 * theta - 1.0, y);
        }
    }

    /// As of explicit methods with step doubling; filtered, for stiff equations make large defects of small errors.
    fn error_inside(&mut self, system: &mut dyn System, from: &Point, _tol: &Tolerance) -> Option<f64> {
        let differential = self.newton[0].differential();
        let half = &self.halves[0];
        let mut y = vec![0.0; from.y.len()];
        half.interpolate(self.rule, differential, 0.5, &mut y);
        system.derivative(from.t + 0.5 * half.h, &y, from.d, &mut self.psi);
        self.work.f += 1;
        for i in 0..differential {
            let slope = match self.rule {
                OneStageRule::BackwardEuler => half.f1[i],
                OneStageRule::Trapezoid => 0.5 * (half.f0[i] + half.f1[i]),
            };
            self.psi[i] -= slope;
        }
        self.newton[1].apply_inverse(&mut self.psi);
        Some(largest_part(&self.psi, |i| self.scale[i]).0)
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        let part = if self.fixed_step { &mut self.whole } else { &mut self.halves[1] };
        part.y1.copy_from_slice(y);
        self.moved = true;
    }

    fn check(&mut self, system: &mut dyn System) -> Result<(), UsageError> {
        match self.rule {
            OneStageRule::BackwardEuler => Ok(()),
            OneStageRule::Trapezoid => check_index(system.layout()),
        }
    }

    fn solves_algebraic(&self) -> bool {
        true
    }

    fn accept(&mut self) {
        let part = if self.fixed_step { &self.whole } else { &self.halves[1] };
        for (slope, (y0, y1)) in self.slope.iter_mut().zip(part.y0.iter().zip(&part.y1)) {
            *slope = (y1 - y0) / part.h;
        }
        self.slope_known = true;
        self.f0.copy_from_slice(&part.f1);
        (self.f0_known, self.at_start) = (!self.moved, false);
    }

    fn restart(&mut self) {
        self.newton.iter_mut().for_each(NewtonSolver::restart);
        (self.f0_known, self.slope_known) = (false, false);
    }

    fn error_exponent(&self) -> Option<u32> {
        (!self.fixed_step).then(|| self.order() + 1)
    }

    fn order(&self) -> u32 {
        match self.rule {
            OneStageRule::BackwardEuler => 1,
            OneStageRule::Trapezoid => 2,
        }
    }

    fn iterates(&mut self) -> Vec<NewtonIterate> {
        let [mut all, halves] = [0, 1].map(|i| self.newton[i].take_iterates());
        all.extend(halves);
        all
    }

    fn work(&self) -> Work {
        self.newton.iter().fold(self.work, |sum, newton| sum.plus(newton.work()))
    }
}
