//! Steps of a Runge–Kutta method where the solution has no series, as in sliding motion, or none that is any good: an explicit one,
//! or Radau's where f changes its slope without bound within the tolerance.

use super::Taylor;
use crate::domain::uniqueness::is_left_by_one_solution;
use crate::driver::initial_step::{Limits, initial_step};
use crate::explicit::tableaus;
use crate::{ExplicitRk, Method, NewtonOptions, Point, Radau, RadauOrder, StepFailure, System, Tolerance, Trial, Work};

/// Where the inside of a step is looked at.
const INSIDE: [f64; 2] = [0.3, 0.7];
/// Tolerances that rows inside of a step may have: their polynomial is not as good as the step.
const ROWS: f64 = 10.0;
/// What rounding makes of a slope that is a difference.
const NOISE: f64 = 1e-10;

/// Runge–Kutta methods, of which one is at work, and the step it wants.
pub(super) struct Substitute {
    explicit: ExplicitRk,
    implicit: Option<Box<Radau>>,
    is_implicit: bool,
    pub next_h: Option<f64>,
}

impl Substitute {
    /// Forgets where it was.
    pub fn restart(&mut self) {
        self.explicit.restart();
        if let Some(implicit) = &mut self.implicit {
            implicit.restart();
        }
        self.next_h = None;
    }

    /// Begins with the implicit method, or with the explicit one.
    pub fn begin(&mut self, is_implicit: bool, n: usize) {
        self.restart();
        self.is_implicit = is_implicit;
        if is_implicit && self.implicit.is_none() {
            self.implicit = Some(Box::new(Radau::new(n, RadauOrder::Variable, NewtonOptions::default(), false)));
        }
    }

    pub fn method(&self) -> &dyn Method {
        match &self.implicit {
            Some(implicit) if self.is_implicit => &**implicit,
            _ => &self.explicit,
        }
    }

    pub fn method_mut(&mut self) -> &mut dyn Method {
        match &mut self.implicit {
            Some(implicit) if self.is_implicit => &mut **implicit,
            _ => &mut self.explicit,
        }
    }

    pub fn work(&self) -> Work {
        let implicit = self.implicit.as_ref().map_or(Work::default(), |implicit| implicit.work());
        self.explicit.work().plus(implicit)
    }
}

/// Where there are no series.
impl Taylor {
    pub(super) fn prepare_substitute(&mut self, n: usize) -> &mut Substitute {
        self.begun = false;
        self.carry.fill(0.0);
        self.substitute.get_or_insert_with(|| {
            let explicit = ExplicitRk::new(&tableaus::DOP853, n);
            Box::new(Substitute { explicit, implicit: None, is_implicit: false, next_h: None })
        })
    }

    pub(super) fn wish_of_substitute(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        tol: &Tolerance,
    ) -> Result<f64, StepFailure> {
        if let Some(h) = self.prepare_substitute(from.y.len()).next_h {
            return Ok(h);
        }
        from.derivative(system, &mut self.f, &mut self.work.f)?;
        let limits = Limits { h_max: f64::MAX.sqrt(), exponent: 8 };
        let (h, evaluations) = initial_step(system, from, &self.f, tol, &limits, &mut self.scratch);
        self.work.f += evaluations;
        Ok(h)
    }

    /// The step of the substitute while the solution rests, so that no series is asked for what it cannot tell.
    pub(super) fn wish_at_rest(&mut self, from: &Point, tol: &Tolerance) -> Option<f64> {
        let h = self.substitute.as_ref()?.next_h.filter(|_| self.rests)?;
        self.rests = from.y.iter().zip(&self.f).enumerate().all(|(i, (y, f))| h * f.abs() <= tol.of(i, [*y; 2]));
        self.across = self.rests.then_some(0.0);
        self.rests.then_some(h)
    }

    /// Whether the substitute may lead away from a point without a series: nobody else can, and one solution does.
    pub(super) fn leaves(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> bool {
        let tolerance: Vec<f64> = from.y.iter().enumerate().map(|(i, y)| tol.of(i, [*y; 2])).collect();
        self.alone && is_left_by_one_solution(system, from, &tolerance)
    }

    pub(super) fn wish_to_leave(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        tol: &Tolerance,
    ) -> Result<f64, StepFailure> {
        if self.across.is_none() {
            self.prepare_substitute(from.y.len()).begin(false, from.y.len());
        }
        let h = self.wish_of_substitute(system, from, tol)?;
        self.prepare_substitute(from.y.len()).next_h = Some(h);
        self.across = Some(0.0);
        Ok(h)
    }

    pub(super) fn substitute_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        if let Some(carried) = &mut self.carried {
            carried.lose();
        }
        let substitute = self.substitute.as_mut().expect("it was asked for its wish");
        let trial = substitute.method_mut().try_step(system, from, h, tol)?;
        let factor = 0.8 * trial.error.max(1e-10).powf(-0.125);
        let next_h = trial.next_h.or(Some(h * factor.clamp(0.2, 10.0)));
        substitute.next_h = next_h;
        self.h = h;
        Ok(Trial { next_h: next_h.filter(|_| trial.error > 1.0), ..trial })
    }

    /// The largest error inside of its step by the defect there. Where all stages are zero but for rounding, as of a fast state
    /// that is at rest, the error at the end says nothing about a step far too long for stability, whose inside is another world.
    pub(super) fn error_inside_substitute(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        tol: &Tolerance,
    ) -> Option<f64> {
        // an implicit one is stable, however long its step is
        let substitute = self.substitute.as_mut().filter(|s| self.substituted && !s.is_implicit)?;
        let [y, f] = &mut self.scratch;
        let mut worst: f64 = 0.0;
        for theta in INSIDE {
            substitute.explicit.interpolate_with_slope(theta, y, &mut self.slope);
            system.derivative(from.t + theta * self.h, y, from.d, f);
            self.work.f += 1;
            for (i, (slope, f)) in self.slope.iter().zip(f.iter()).enumerate() {
                let defect = ((slope - self.h * f).abs() - NOISE * y[i].abs()).max(0.0);
                let error = defect / ROWS / tol.of(i, [y[i], from.y[i]]);
                worst = if error <= worst { worst } else { error };
            }
        }
        (worst.is_nan() || worst > 1.0).then_some(worst)
    }
}
