//! The explicit Runge–Kutta family: one step of any [`ExplicitTableau`].

use std::ops::Range;

use crate::explicit::kernels::{self, ErrorWeights, Measure, Row, Stages};
use crate::explicit::tableau::{ErrorRows, ExplicitTableau};
use crate::{Method, Point, StepFailure, System, Tolerance, Trial, Work};

/// Upper limit of the number of stages, those of the dense output included.
const MAX_STAGES: usize = 24;

/// An explicit Runge–Kutta method for systems of a given size. All memory is taken once.
#[derive(Clone, Debug)]
pub struct ExplicitRk {
    order: u32,
    error_exponent: Option<u32>,
    real_stability: Option<f64>,
    /// Nodes of all stages.
    c: Vec<f64>,
    /// Coefficients of all stages.
    a: Vec<Row>,
    error: ErrorWeights,
    /// The result: y₁ = y + h Σ b k.
    b: Row,
    /// Number of stages of a step.
    stages: usize,
    /// Index of f(t + h, y₁): the last stage, or the one after it.
    end: usize,
    weights: DenseWeights,

    /// All stages, one after the other.
    k: Vec<f64>,
    y0: Vec<f64>,
    y1: Vec<f64>,
    argument: Vec<f64>,
    t: f64,
    h: f64,
    /// Stage 0 is f(t, y) of the point where the next step begins.
    first_known: bool,
    /// How many stages of the remembered step are known.
    known: usize,
    /// y₁ is no longer what the stages give.
    moved: bool,
    evaluations: u64,
}

/// What is left of the tableau for the dense output.
#[derive(Clone, Debug)]
struct DenseWeights {
    b: Vec<f64>,
    d: Vec<Vec<f64>>,
}

impl ExplicitRk {
    /// The method of `tableau` for `n` states.
    pub fn new(tableau: &ExplicitTableau, n: usize) -> ExplicitRk {
        let (stages, end, all) = (tableau.b.len(), tableau.end_stage(), tableau.all_stages());
        assert!(all <= MAX_STAGES, "{}: more stages than MAX_STAGES", tableau.name);
        let mut c = tableau.c.to_vec();
        let mut a: Vec<Vec<f64>> = tableau.a.iter().map(|row| row.to_vec()).collect();
        if end == stages {
            c.push(1.0);
            a.push(tableau.b.to_vec());
        }
        for (node, row) in tableau.dense.stages {
            c.push(*node);
            a.push(row.to_vec());
        }
        let none: &[f64] = &[];
        let (e, e_low, fallback, error_exponent) = match tableau.error {
            ErrorRows::None => (none, none, none, None),
            ErrorRows::One { e, fallback, exponent } => (e, none, fallback, Some(exponent)),
            ErrorRows::Two { e, e_low, exponent } => (e, e_low, none, Some(exponent)),
        };
        ExplicitRk {
            order: tableau.order,
            error_exponent,
            real_stability: tableau.real_stability,
            c,
            a: a.iter().map(|row| Row::new(row)).collect(),
            error: ErrorWeights { e: Row::new(e), e_low: Row::new(e_low), fallback: Row::new(fallback) },
            b: Row::new(tableau.b),
            stages,
            end,
            weights: DenseWeights {
                b: tableau.b.to_vec(),
                d: tableau.dense.d.iter().map(|row| row.to_vec()).collect(),
            },
            k: vec![0.0; all * n],
            y0: vec![0.0; n],
            y1: vec![0.0; n],
            argument: vec![0.0; n],
            t: 0.0,
            h: 0.0,
            first_known: false,
            known: 0,
            moved: false,
            evaluations: 0,
        }
    }

    /// f where the remembered step began.
    pub(crate) fn first_stage(&self) -> &[f64] {
        &self.k[..self.y0.len()]
    }

    /// f where the remembered step ended, if it is known.
    pub(crate) fn last_stage(&self) -> Option<&[f64]> {
        let n = self.y0.len();
        (self.known > self.end).then(|| &self.k[self.end * n..(self.end + 1) * n])
    }

    /// Evaluates stages ≥ 1; the earlier ones are known.
    fn evaluate(&mut self, system: &mut dyn System, d: &[f64], range: Range<usize>) {
        let stages = Stages { t: self.t, h: self.h, y: &self.y0, d, c: &self.c, a: &self.a };
        self.evaluations += range.len() as u64;
        // The argument of f(t + h, y₁) is the result of the step: it is kept.
        let argument = if range.end == self.end + 1 { &mut self.y1 } else { &mut self.argument };
        stages.evaluate(system, range, &mut self.k, argument);
    }

    fn know_first(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.first_known {
            from.derivative(system, &mut self.k[..self.y0.len()], &mut self.evaluations)?;
            self.first_known = true;
        }
        Ok(())
    }

    /// Evaluates the first `count` stages of the remembered step, as far as they are missing.
    fn know_stages(&mut self, system: &mut dyn System, from: &Point, count: usize) -> Result<(), StepFailure> {
        let n = self.y0.len();
        while self.known < count {
            let index = self.known;
            if self.moved && index == self.end {
                system.derivative(self.t + self.h, &self.y1, from.d, &mut self.k[index * n..(index + 1) * n]);
                self.evaluations += 1;
            } else {
                self.evaluate(system, from.d, index..index + 1);
            }
            if self.k[index * n..(index + 1) * n].iter().any(|k| !k.is_finite()) {
                return Err(self.not_finite(index + 1));
            }
            self.known += 1;
        }
        Ok(())
    }

    /// The first stage with a component that is not finite, or else y₁.
    fn not_finite(&self, stages: usize) -> StepFailure {
        let n = self.y0.len();
        for (stage, c) in self.k.chunks_exact(n).zip(&self.c).take(stages) {
            if let Some(component) = stage.iter().position(|k| !k.is_finite()) {
                return StepFailure::NotFinite { t: self.t + c * self.h, component };
            }
        }
        let component = self.y1.iter().position(|y| !y.is_finite()).unwrap_or(0);
        StepFailure::NotFinite { t: self.t + self.h, component }
    }
}

impl DenseWeights {
    /// The weights of all stages at θ, by the formula of [`crate::explicit::tableau::Dense`]: y(θ) = y₀ + h Σ wᵢ kᵢ.
    fn at(&self, theta: f64, end: usize, w: &mut [f64]) {
        let rest = 1.0 - theta;
        let f1 = theta * rest;
        let f2 = f1 * theta;
        for (w, b) in w.iter_mut().zip(&self.b) {
            *w = (theta - f1 + 2.0 * f2) * b;
        }
        w[0] += f1 - f2;
        w[end] -= f2;
        let mut factor = f2;
        for (m, row) in self.d.iter().enumerate() {
            factor *= if m % 2 == 0 { rest } else { theta };
            for (w, d) in w.iter_mut().zip(row) {
                *w += factor * d;
            }
        }
    }
}

impl Method for ExplicitRk {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.know_first(system, from)?;
        self.y0.copy_from_slice(from.y);
        (self.t, self.h, self.moved) = (from.t, h, false);
        self.known = self.stages;
        self.evaluate(system, from.d, 1..self.stages);
        if self.end == self.stages {
            kernels::combine(&self.y0, h, &self.b, &self.k, &mut self.y1);
        }
        let measure = Measure { y0: &self.y0, y1: &self.y1, rtol: tol.rtol, atol: &tol.atol };
        let norm = kernels::error_norm(&measure, h, &self.error, &self.k);
        if !norm.finite {
            return Err(self.not_finite(self.stages));
        }
        Ok(Trial { error: norm.error, worst: norm.worst, order: self.order, next_h: None })
    }

    fn end(&self) -> &[f64] {
        &self.y1
    }

    fn make_dense(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.know_stages(system, from, self.c.len())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        debug_assert_eq!(self.known, self.c.len(), "make_dense comes first");
        let mut weights = [0.0; MAX_STAGES];
        let weights = &mut weights[..self.c.len()];
        self.weights.at(theta, self.end, weights);
        // No memory is taken here: the search for events asks often.
        let mut terms = [(0.0, 0); MAX_STAGES];
        let mut count = 0;
        for (stage, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            terms[count] = (weight, stage);
            count += 1;
        }
        kernels::combine(&self.y0, self.h, &terms[..count], &self.k, y);
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.know_stages(system, from, self.end + 1)
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        self.y1.copy_from_slice(y);
        self.moved = true;
        self.known = self.known.min(self.end);
    }

    fn accept(&mut self) {
        self.first_known = self.known > self.end;
        if self.first_known {
            let n = self.y0.len();
            self.k.copy_within(self.end * n..(self.end + 1) * n, 0);
        }
    }

    fn restart(&mut self) {
        self.first_known = false;
    }

    fn error_exponent(&self) -> Option<u32> {
        self.error_exponent
    }

    fn order(&self) -> u32 {
        self.order
    }

    /// The last stage Yₛ before f₁ = f(t + h, y₁) lies at t + h too, so both differ by the effect of y alone:
    ///
    /// ```text
    ///   |λ| ≈ |f₁ − f(t + h, Yₛ)| / |y₁ − Yₛ|
    /// ```
    ///
    /// Hairer, Wanner, Solving Ordinary Differential Equations II, IV.2, eq. (2.1).
    fn stiffness(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        let limit = self.real_stability?;
        let n = self.y0.len();
        self.evaluate_at_end(system, from).ok()?;
        let last = (0..self.end).rev().find(|&i| self.c[i] == 1.0)?;
        kernels::combine(&self.y0, self.h, &self.a[last], &self.k, &mut self.argument);
        let stage = |i: usize| &self.k[i * n..(i + 1) * n];
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let of_y = distance(&self.y1, &self.argument);
        let of_f = distance(stage(self.end), stage(last));
        (of_y > 0.0).then(|| self.h * of_f / (of_y * limit))
    }

    fn work(&self) -> Work {
        Work { f: self.evaluations, ..Work::default() }
    }
}
