//! An error estimate for one-step methods that have none: one step against two half steps.

use crate::explicit::rk::ExplicitRk;
use crate::{Method, Point, StepFailure, System, Tolerance, Trial, Work};

/// Step doubling. The two half steps are the result; the error of a method of order p is
///
/// ```text
///   y(t+h) − y₂ ≈ (y₂ − y₁) / (2ᵖ − 1)      y₁ one step, y₂ two half steps
/// ```
///
/// Hairer, Nørsett, Wanner I, II.4, eq. (4.4). The estimate is not added to the result (no local extrapolation): what
/// is reported is the method that was asked for, with half the step.
#[derive(Clone, Debug)]
pub struct StepDoubling {
    whole: ExplicitRk,
    halves: [ExplicitRk; 2],
    middle: f64,
    first_known: bool,
    first: Vec<f64>,
    /// Evaluations of f beside the steps.
    looks: u64,
}

impl StepDoubling {
    /// Gives `method` an error estimate.
    pub fn new(method: ExplicitRk) -> StepDoubling {
        let first = method.first_stage().to_vec();
        StepDoubling {
            halves: [method.clone(), method.clone()],
            whole: method,
            middle: 0.0,
            first_known: false,
            first,
            looks: 0,
        }
    }

    /// The point between the two halves of the step that began at `from`.
    fn halfway<'a>(middle: f64, first_half: &'a ExplicitRk, from: &Point<'a>) -> Point<'a> {
        Point { t: middle, y: first_half.end(), d: from.d, f: first_half.last_stage() }
    }
}

/// Tolerances that rows inside of a step may have: cubic polynomials are not as good as the steps of order 4.
const ROWS: f64 = 10.0;
/// Where the defect is looked at.
const BESIDE: f64 = 0.3;

impl Method for StepDoubling {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        let known = if self.first_known { Some(&self.first[..]) } else { from.f };
        let [first_half, second_half] = &mut self.halves;
        self.whole.restart();
        let trial = self.whole.try_step(system, &Point { f: known, ..*from }, h, tol)?;
        self.first.copy_from_slice(self.whole.first_stage());
        self.first_known = true;

        first_half.restart();
        second_half.restart();
        first_half.try_step(system, &Point { f: Some(&self.first), ..*from }, 0.5 * h, tol)?;
        self.middle = from.t + 0.5 * h;
        let halfway = Self::halfway(self.middle, first_half, from);
        second_half.try_step(system, &halfway, 0.5 * h, tol).map_err(|failure| match failure {
            // The start of the second half is not the start of the step.
            StepFailure::NotFiniteAtStart { component } => StepFailure::NotFinite { t: self.middle, component },
            StepFailure::NotFinite { .. }
            | StepFailure::Newton { .. }
            | StepFailure::Singular { .. }
            | StepFailure::NoSeries { .. }
            | StepFailure::TooLong { .. } => failure,
        })?;

        let factor = 1.0 / (2f64.powi(trial.order as i32) - 1.0);
        let (mut error, mut worst) = (0.0, 0);
        for (i, (one, two)) in self.whole.end().iter().zip(second_half.end()).enumerate() {
            let difference = factor * (two - one).abs();
            let scale = tol.of(i, [from.y[i], *two]);
            if difference > error * scale {
                (error, worst) = (difference / scale, i);
            }
        }
        Ok(Trial { error, worst, ..trial })
    }

    fn end(&self) -> &[f64] {
        self.halves[1].end()
    }

    fn make_dense(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        let [first_half, second_half] = &mut self.halves;
        first_half.make_dense(system, from)?;
        second_half.make_dense(system, &Self::halfway(self.middle, first_half, from))
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        if theta <= 0.5 {
            self.halves[0].interpolate(2.0 * theta, y);
        } else {
            self.halves[1].interpolate(2.0 * theta - 1.0, y);
        }
    }

    /// The errors of the two halves may cancel, where the solution is odd about the middle of the step: then the end is right, and
    /// the middle is not. The defect beside the middle of the first half tells, h (p′ − f)/(p + 1); in the middle itself some
    /// methods have none.
    fn error_inside(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Option<f64> {
        let n = from.y.len();
        let [mut y, mut slope, mut f] = [(); 3].map(|()| vec![0.0; n]);
        let (half, weight) = (self.middle - from.t, 1.0 / (ROWS * f64::from(self.order() + 1)));
        self.halves[0].interpolate_with_slope(BESIDE, &mut y, &mut slope);
        system.derivative(from.t + BESIDE * half, &y, from.d, &mut f);
        self.looks += 1;
        let defect = |i: usize| weight * (slope[i] - half * f[i]).abs() / tol.of(i, [y[i], from.y[i]]);
        Some((0..n).map(defect).fold(0.0, |most, error| if error <= most { most } else { error }))
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        let [first_half, second_half] = &mut self.halves;
        second_half.evaluate_at_end(system, &Self::halfway(self.middle, first_half, from))
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        self.halves[1].end_was_projected(y);
    }

    fn accept(&mut self) {
        self.first_known = false;
        if let Some(f) = self.halves[1].last_stage() {
            self.first.copy_from_slice(f);
            self.first_known = true;
        }
    }

    fn restart(&mut self) {
        self.first_known = false;
    }

    fn error_exponent(&self) -> Option<u32> {
        Some(self.whole.order() + 1)
    }

    fn order(&self) -> u32 {
        self.whole.order()
    }

    /// That of the second half.
    fn stiffness(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        let [first_half, second_half] = &mut self.halves;
        second_half.stiffness(system, &Self::halfway(self.middle, first_half, from))
    }

    fn work(&self) -> Work {
        let [first_half, second_half] = &self.halves;
        let f = self.whole.work().f + first_half.work().f + second_half.work().f + self.looks;
        Work { f, ..Work::default() }
    }
}
