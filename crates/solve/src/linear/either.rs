//! The linear method where the system is linear, another one elsewhere; decided anew after every restart.

use super::method::{LinearTaylor, Linearity};
use crate::{Method, Point, Singularity, StepFailure, System, Tolerance, Trial, Work};

/// Two methods, of which the first is for linear systems only.
pub struct WhereLinear {
    linear: LinearTaylor,
    general: Box<dyn Method>,
    /// Which one, if it is known since the last restart.
    active: Option<Linearity>,
}

impl WhereLinear {
    /// `general` takes the steps where the system is not linear; it must have wishes of its own, unless the steps are given.
    pub fn new(linear: LinearTaylor, general: Box<dyn Method>) -> WhereLinear {
        assert!(general.wishes() || linear.fixed, "both methods choose their steps, or none");
        WhereLinear { linear, general, active: None }
    }

    /// Decides, where that is still to be done.
    fn decide(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) {
        if self.active.is_none() {
            self.active = Some(self.linear.prepare(system, from, tol));
        }
    }

    fn method(&mut self) -> &mut dyn Method {
        match self.active {
            Some(Linearity::NotRecognised) => &mut *self.general,
            Some(Linearity::Linear) | None => &mut self.linear,
        }
    }

    fn seen(&self) -> &dyn Method {
        match self.active {
            Some(Linearity::NotRecognised) => &*self.general,
            Some(Linearity::Linear) | None => &self.linear,
        }
    }
}

impl Method for WhereLinear {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.decide(system, from, tol);
        self.method().try_step(system, from, h, tol)
    }

    fn wishes(&self) -> bool {
        true
    }

    fn wish(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<f64, StepFailure> {
        self.decide(system, from, tol);
        self.method().wish(system, from, tol)
    }

    fn end(&self) -> &[f64] {
        self.seen().end()
    }

    fn make_dense(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.method().make_dense(system, from)
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        self.seen().interpolate(theta, y);
    }

    fn look_ahead(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.method().look_ahead(system, from)
    }

    fn moved(&mut self, y: &[f64]) {
        self.method().moved(y);
    }

    fn accept(&mut self) {
        self.method().accept();
    }

    fn restart(&mut self) {
        self.linear.restart();
        self.general.restart();
        self.active = None;
    }

    fn error_exponent(&self) -> Option<u32> {
        self.seen().error_exponent()
    }

    fn order(&self) -> u32 {
        self.linear.order().max(self.general.order())
    }

    fn stiffness(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        self.method().stiffness(system, from)
    }

    fn singularity(&self) -> Option<Singularity> {
        self.seen().singularity()
    }

    fn work(&self) -> Work {
        let (a, b) = (self.linear.work(), self.general.work());
        Work {
            f: a.f + b.f,
            jets: a.jets + b.jets,
            jacobian: a.jacobian + b.jacobian,
            lu: a.lu + b.lu,
            newton: a.newton + b.newton,
        }
    }
}
