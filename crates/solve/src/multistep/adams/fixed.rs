//! The Adams methods of a fixed order, for fixed steps: explicit (Bashforth), implicit (Moulton) and both in turn (PECE).
//!
//! They start themselves by a ladder: where only j points are known, at the start and behind an event, the formulas of
//! j points are taken. The first step of `abK` and of `abm` is of order 1 then, that of `amK` of order 2, so that runs that
//! start this way have the global orders 2 and 3 at most, however high the order of the formula is;
//! [`crate::solve_with_past`] takes exact values instead. A step that is cut, to end at a given time, is one of the same
//! order with the coefficients that belong to its length.

use super::differences::{Differences, Terms};
use crate::implicit::newton::{Goal, NewtonEquation, NewtonSolver};
use crate::options::check_index;
use crate::{
    FirstIterate, Method, NewtonIterate, NewtonOptions, Point, StepFailure, System, Tolerance, Trial, UsageError, Work,
};

/// Which formula, with equal steps and ∇ the backward differences:
///
/// ```text
///   explicit:  y₁ = y + h Σ γⱼ ∇ʲf,     j < k       γ  = 1, 1/2, 5/12, 3/8, …
///   implicit:  y₁ = y + h Σ γ*ⱼ ∇ʲf₁,   j ≤ k       γ* = 1, −1/2, −1/12, −1/24, …
/// ```
///
/// Hairer, Nørsett, Wanner I, III.1, eq. (1.5), (1.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdamsForm {
    /// Adams–Bashforth of k points, order k.
    Bashforth(u32),
    /// Adams–Moulton of k points behind and the one ahead, order k + 1; the equation is solved.
    Moulton(u32),
    /// Adams–Bashforth of order p, f, Adams–Moulton of order p, f.
    Pece(u32),
}

impl AdamsForm {
    /// Its order.
    pub fn order(self) -> u32 {
        match self {
            AdamsForm::Bashforth(k) | AdamsForm::Pece(k) => k,
            AdamsForm::Moulton(k) => k + 1,
        }
    }

    /// The order of a run that starts by the ladder: that of its first step, a formula of one point, limits it.
    pub fn order_of_run(self) -> u32 {
        let highest = match self {
            AdamsForm::Bashforth(_) | AdamsForm::Pece(_) => 2,
            AdamsForm::Moulton(_) => 3,
        };
        self.order().min(highest)
    }

    /// So many points behind are used.
    fn points(self) -> usize {
        match self {
            AdamsForm::Bashforth(k) | AdamsForm::Moulton(k) | AdamsForm::Pece(k) => k as usize,
        }
    }
}

/// Where the latest point of the differences lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Latest {
    /// At the point where the next step begins.
    Here,
    /// So far behind: a step was accepted.
    Behind(f64),
    /// At this time: exact values were given.
    At(f64),
    /// There is none.
    Nowhere,
}

/// An Adams method of a fixed order.
#[derive(Clone, Debug)]
pub struct Adams {
    form: AdamsForm,
    differences: Differences,
    latest: Latest,
    newton: Option<NewtonSolver>,
    /// The first states, those that the formula integrates: all, unless it solves for the algebraic ones itself.
    differential: usize,
    t: f64,
    h: f64,
    y0: Vec<f64>,
    y1: Vec<f64>,
    /// f where the remembered step ends, if `f_known`.
    f_end: Vec<f64>,
    f_known: bool,
    /// So many points behind made the remembered step.
    used: usize,
    /// No step was tried yet.
    fresh: bool,
    scale: Vec<f64>,
    psi: Vec<f64>,
    evaluations: u64,
}

impl Adams {
    /// The method for so many states; `newton` says how the equation of Adams–Moulton is solved.
    pub fn new(form: AdamsForm, states: usize, newton: NewtonOptions) -> Adams {
        let zeros = vec![0.0; states];
        let implicit = matches!(form, AdamsForm::Moulton(_));
        Adams {
            form,
            differences: Differences::new(states, form.points().max(1)),
            latest: Latest::Nowhere,
            newton: implicit.then(|| NewtonSolver::new(states, newton)),
            differential: states,
            t: 0.0,
            h: 0.0,
            y0: zeros.clone(),
            y1: zeros.clone(),
            f_end: zeros.clone(),
            f_known: false,
            used: 0,
            fresh: true,
            scale: zeros.clone(),
            psi: zeros,
            evaluations: 0,
        }
    }

    /// How many states the formula integrates. Where the driver solves for the algebraic ones inside of f, these rest during
    /// a step, as their f of zero says: where the search for them begins.
    fn integrated(&self, system: &dyn System) -> usize {
        if self.newton.is_some() { system.layout().differential() } else { self.y0.len() }
    }

    /// f at a point; the values themselves in the places of algebraic states.
    fn evaluate(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        self.evaluations += 1;
        system.derivative(t, y, d, &mut self.f_end);
        self.f_end[self.differential..].copy_from_slice(&y[self.differential..]);
    }

    /// Brings the differences to the point where the step begins.
    fn settle(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        let h = match self.latest {
            Latest::Here => return Ok(()),
            Latest::Behind(h) => h,
            Latest::At(t) => from.t - t,
            Latest::Nowhere => 0.0,
        };
        match from.f {
            _ if self.f_known => {}
            Some(f) => {
                self.f_end.copy_from_slice(f);
                self.f_end[self.differential..].copy_from_slice(&from.y[self.differential..]);
            }
            None => self.evaluate(system, from.t, from.y, from.d),
        }
        if let Some(component) = self.f_end.iter().position(|f| !f.is_finite()) {
            return Err(StepFailure::NotFiniteAtStart { component });
        }
        self.differences.end().copy_from_slice(&self.f_end);
        self.differences.advance(h);
        self.latest = Latest::Here;
        self.f_known = false;
        Ok(())
    }

    /// Adams–Moulton: M (y₁ − ψ) − hγ f(t + h, y₁) = 0.
    fn solve(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<(), StepFailure> {
        let (h, differential) = (self.h, self.differential);
        let known = self.differences.count();
        let terms = self.differences.implicit(1.0, self.used);
        let (&(gamma, _), behind) = terms.as_slice().split_last().expect("f at the end has a weight");
        self.differences.add_some(&self.y0, h, behind, &mut self.psi);
        let Some(newton) = &mut self.newton else { return Ok(()) };
        match newton.options().first {
            FirstIterate::Extrapolated => {
                self.differences.add(&self.y0, h, &self.differences.explicit(1.0, known), &mut self.y1);
                let values = self.differences.extrapolated(known, 1.0);
                for i in differential..self.y1.len() {
                    self.y1[i] = self.differences.component(&values, i);
                }
            }
            FirstIterate::Given(value) if self.fresh => self.y1.fill(value),
            FirstIterate::Previous | FirstIterate::Given(_) => self.y1.copy_from_slice(&self.y0),
        }
        for (i, scale) in self.scale.iter_mut().enumerate() {
            *scale = tol.atol[i] + tol.rtol * self.y0[i].abs();
        }
        let end = from.t + h;
        let equation =
            NewtonEquation { step: (from.t, h), stage: 0, t: end, d: from.d, psi: &self.psi, gamma_h: gamma * h };
        newton.solve(system, &equation, &self.scale, Goal::Rounding, &mut self.y1)?;
        // What the formula contains, so that the dense output joins the end.
        let f = self.differences.end();
        for (f, (y1, psi)) in f[..differential].iter_mut().zip(self.y1.iter().zip(&self.psi)) {
            *f = (y1 - psi) / (gamma * h);
        }
        f[differential..].copy_from_slice(&self.y1[differential..]);
        self.f_end.copy_from_slice(f);
        self.f_end[..differential].copy_from_slice(&newton.f()[..differential]);
        self.f_known = true;
        Ok(())
    }

    fn check_end(&self) -> Result<(), StepFailure> {
        match self.y1.iter().position(|y| !y.is_finite()) {
            Some(component) => Err(StepFailure::NotFinite { t: self.t + self.h, component }),
            None => Ok(()),
        }
    }

    /// The formula of the remembered step, integrated up to θ.
    fn integral(&self, theta: f64) -> Terms {
        match self.form {
            AdamsForm::Bashforth(_) => self.differences.explicit(theta, self.used),
            AdamsForm::Moulton(_) => self.differences.implicit(theta, self.used),
            AdamsForm::Pece(_) => self.differences.implicit(theta, self.used - 1),
        }
    }
}

impl Method for Adams {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.differential = self.integrated(system);
        self.settle(system, from)?;
        self.differences.prepare(h);
        self.y0.copy_from_slice(from.y);
        (self.t, self.h, self.f_known) = (from.t, h, false);
        self.used = self.form.points().min(self.differences.count());
        let order = match self.form {
            AdamsForm::Bashforth(_) | AdamsForm::Pece(_) => self.used as u32,
            AdamsForm::Moulton(_) => self.used as u32 + 1,
        };
        match self.form {
            AdamsForm::Bashforth(_) => {
                self.differences.add(&self.y0, h, &self.integral(1.0), &mut self.y1);
            }
            AdamsForm::Pece(_) => {
                let predictor = self.differences.explicit(1.0, self.used);
                self.differences.add(&self.y0, h, &predictor, &mut self.y1);
                self.check_end()?;
                self.evaluations += 1;
                system.derivative(from.t + h, &self.y1, from.d, self.differences.end());
                self.differences.add(&self.y0, h, &self.integral(1.0), &mut self.y1);
            }
            AdamsForm::Moulton(_) => self.solve(system, from, tol)?,
        }
        self.fresh = false;
        self.check_end()?;
        Ok(Trial { error: 0.0, worst: 0, order, next_h: None })
    }

    fn end(&self) -> &[f64] {
        &self.y1
    }

    /// The polynomial that the step integrated is known.
    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        self.differences.add(&self.y0, self.h, &self.integral(theta), y);
        if self.differential < y.len() {
            // One point behind and the end at least, so that the values join those of the step before.
            let values = self.differences.value(theta, self.used.max(1).min(self.differences.count()));
            for (i, y) in y.iter_mut().enumerate().skip(self.differential) {
                *y = self.differences.component(&values, i);
            }
        }
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.f_known {
            let y1 = std::mem::take(&mut self.y1);
            self.evaluate(system, self.t + self.h, &y1, from.d);
            self.y1 = y1;
            self.f_known = true;
        }
        match self.f_end.iter().position(|f| !f.is_finite()) {
            Some(component) => Err(StepFailure::NotFinite { t: self.t + self.h, component }),
            None => Ok(()),
        }
    }

    fn accept(&mut self) {
        self.latest = Latest::Behind(self.h);
    }

    fn restart(&mut self) {
        self.differences.clear();
        self.latest = Latest::Nowhere;
        self.f_known = false;
        self.newton.iter_mut().for_each(NewtonSolver::restart);
    }

    fn error_exponent(&self) -> Option<u32> {
        None
    }

    fn order(&self) -> u32 {
        self.form.order()
    }

    fn check(&mut self, system: &mut dyn System) -> Result<(), UsageError> {
        check_index(system.layout())
    }

    fn solves_algebraic(&self) -> bool {
        self.newton.is_some()
    }

    fn remember(&mut self, system: &mut dyn System, past: &[Point]) {
        self.differential = self.integrated(system);
        for point in past {
            self.evaluate(system, point.t, point.y, point.d);
            self.differences.end().copy_from_slice(&self.f_end);
            let h = if let Latest::At(t) = self.latest { point.t - t } else { 0.0 };
            self.differences.advance(h);
            self.latest = Latest::At(point.t);
        }
    }

    fn iterates(&mut self) -> Vec<NewtonIterate> {
        self.newton.as_mut().map(NewtonSolver::take_iterates).unwrap_or_default()
    }

    fn work(&self) -> Work {
        let newton = self.newton.as_ref().map(NewtonSolver::work).unwrap_or_default();
        Work { f: self.evaluations + newton.f, ..newton }
    }
}
