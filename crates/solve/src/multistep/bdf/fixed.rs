//! BDF of given order at a given step, started by Radau IIA steps.

use super::coefficients::harmonic;
use super::differences::{Differences, left_out};
use super::error::Propagated;
use crate::implicit::newton::{Goal, NewtonEquation, NewtonSolver, scales};
use crate::{
    FirstIterate, Method, NewtonIterate, NewtonOptions, Point, Radau, RadauOrder, StepFailure, System, Tolerance,
    Trial, Work,
};
use ordinate_numbers::Octet;

/// The backward differentiation formula of k steps,
///
/// ```text
///   Σⱼ ∇ʲyₙ₊₁ / j = h f(tₙ₊₁, yₙ₊₁)      j = 1 … k
/// ```
///
/// at equal steps, its equations solved up to rounding. The values that it needs at the beginning and behind every event
/// come from Radau IIA steps of the same length: of two stages for k = 2, of three for more. A step of another length (the
/// last one before an event or before the end, the first one behind an event) is such a step, too, and the history begins
/// anew at its end; a formula for unequal steps would amplify errors where a long step follows a short one.
///
/// If it is asked to, it carries its global error along; see [`Method::follow_error`].
///
/// The dense output is the polynomial of degree k through the end of the step and the points before.
#[derive(Clone, Debug)]
pub struct FixedBdf {
    /// k
    steps: usize,
    gamma: Vec<f64>,
    first: FirstIterate,
    newton: NewtonSolver,
    /// None if one step needs no start.
    starter: Option<Radau>,
    given: Option<Given>,
    differences: Differences,
    /// Values in the history, at most k + 1; differences that would need more are zero.
    known: usize,
    /// Their distance.
    h: f64,
    /// Whether the remembered step is one of the starter.
    starting: bool,
    /// No step since the beginning.
    at_start: bool,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    scale: Vec<f64>,
    y: Vec<f64>,
    correction: Vec<f64>,
    error: Option<Propagated>,
    /// Where the error is carried along: the halves of a step of the starter, which tell what it adds.
    halves: Option<Box<[Radau; 2]>>,
    /// f where a history begins.
    f: Vec<f64>,
}

/// Values of the solution that are known from elsewhere, `h` apart, the last one at `t`.
#[derive(Clone, Debug)]
struct Given {
    t: f64,
    h: f64,
    values: Vec<Vec<f64>>,
}

impl FixedBdf {
    /// The formula of `steps` steps for systems of `states` states. From seven steps on the formulas are unstable; see
    /// [`bdf_parasitic_root`](crate::bdf_parasitic_root).
    pub fn new(states: usize, steps: usize, newton: NewtonOptions) -> FixedBdf {
        assert!(steps > 0, "a formula has at least one step");
        let zeros = vec![0.0; states];
        FixedBdf {
            steps,
            gamma: harmonic(steps),
            first: newton.first,
            newton: NewtonSolver::new(states, newton),
            starter: (steps > 1).then(|| starter(states, steps, newton)),
            given: None,
            differences: Differences::new(states, steps),
            known: 0,
            h: 0.0,
            starting: false,
            at_start: true,
            predicted: zeros.clone(),
            psi: zeros.clone(),
            scale: zeros.clone(),
            y: zeros.clone(),
            correction: zeros.clone(),
            error: None,
            halves: None,
            f: zeros,
        }
    }

    /// The same, started by given values instead of Radau steps: `values` of the solution at t − (m−1)h, …, t − h, t, in
    /// this order. They serve if the run begins at `t` with the last one of them and has the step `h`; with fewer than k of
    /// them the rest of the start is made of Radau steps.
    pub fn with_history(mut self, t: f64, h: f64, values: &[Vec<f64>]) -> FixedBdf {
        let fits = values.iter().all(|value| value.len() == self.y.len());
        assert!(fits, "each value of the history has as many components as the system has states");
        self.given = Some(Given { t, h, values: values.to_vec() });
        self
    }

    /// Begins a history at `from` with steps h.
    fn begin(&mut self, from: &Point, h: f64) {
        let given = self.given.take();
        let fitting = given.as_ref().filter(|given| {
            let same_step = is_same(h, given.h, from.t);
            same_step && given.t == from.t && given.values.last().is_some_and(|last| last == from.y)
        });
        self.h = h;
        self.known = 1;
        match fitting {
            None => self.differences.begin(from.y),
            Some(given) => {
                self.differences.begin(&given.values[0]);
                given.values[1..].iter().for_each(|value| self.append(value));
            }
        }
        self.given = given;
        if let Some(starter) = &mut self.starter {
            starter.restart();
        }
        if let Some(error) = &mut self.error {
            error.begin(self.known.min(self.steps));
        }
    }

    /// Takes the global error over the remembered step from `from`.
    fn propagate(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        let Some(error) = &mut self.error else { return Ok(()) };
        let to = Point { t: from.t + self.h, y: &self.y, d: from.d, f: None };
        if let (true, Some(halves)) = (self.starting, &self.halves) {
            let local = |i: usize| self.y[i] - halves[1].end()[i];
            return error.start_step(system, &mut self.newton, &to, self.h, local);
        }
        let k = self.steps;
        if self.known <= k {
            // ∇ᵏy is not known yet. The polynomial that has the slope of the solution where the step begins takes its place:
            // Σ ∇ʲy / j = h f, j = 1 … k.
            system.derivative(from.t, from.y, from.d, &mut self.f);
            self.f.iter_mut().for_each(|f| *f *= self.h);
            for j in 1..k {
                self.f.iter_mut().zip(self.differences.row(j)).for_each(|(f, difference)| *f -= difference / j as f64);
            }
            self.f.iter_mut().for_each(|f| *f *= k as f64);
        } else {
            self.f.fill(0.0);
        }
        let local = |i: usize| (self.correction[i] - self.f[i]) / (k + 1) as f64;
        error.formula(system, &mut self.newton, &to, self.h, local)
    }

    /// Where the error is carried along, the step of the starter once more, in two halves.
    fn halve(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<(), StepFailure> {
        let Some([first, second]) = self.halves.as_deref_mut() else { return Ok(()) };
        let half = 0.5 * self.h;
        first.restart();
        second.restart();
        first.try_step(system, from, half, tol)?;
        let middle = Point { t: from.t + half, y: first.end(), d: from.d, f: None };
        second.try_step(system, &middle, half, tol).map(|_| ())
    }

    /// One more value of the history.
    fn append(&mut self, y: &[f64]) {
        self.differences.predict(self.steps, &self.gamma, &mut self.predicted, &mut self.psi);
        for (i, correction) in self.correction.iter_mut().enumerate() {
            *correction = y[i] - self.predicted[i];
        }
        self.advance();
    }

    /// The remembered step, whose correction is known, becomes history.
    fn advance(&mut self) {
        self.differences.advance(self.steps, &self.correction);
        self.known = (self.known + 1).min(self.steps + 1);
        for j in self.known..=self.steps {
            self.differences.set_row(j, std::iter::repeat(0.0));
        }
    }

    /// A step by the formula.
    fn formula(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<(), StepFailure> {
        let alpha = self.gamma[self.steps];
        self.differences.predict(self.steps, &self.gamma, &mut self.predicted, &mut self.psi);
        scales(system, tol, self.h, |i| from.y[i].abs(), &mut self.scale);
        for (psi, predicted) in self.psi.iter_mut().zip(&self.predicted) {
            *psi = predicted - *psi / alpha;
        }
        match self.first {
            FirstIterate::Extrapolated => self.y.copy_from_slice(&self.predicted),
            FirstIterate::Given(value) if self.at_start => self.y.fill(value),
            FirstIterate::Previous | FirstIterate::Given(_) => self.y.copy_from_slice(from.y),
        }
        let equation = NewtonEquation {
            step: (from.t, self.h),
            stage: 0,
            t: from.t + self.h,
            d: from.d,
            psi: &self.psi,
            gamma_h: self.h / alpha,
        };
        self.newton.solve(system, &equation, &self.scale, Goal::Rounding, &mut self.y)?;
        for (i, correction) in self.correction.iter_mut().enumerate() {
            *correction = self.y[i] - self.predicted[i];
        }
        match self.y.iter().position(|y| !y.is_finite()) {
            Some(component) => Err(StepFailure::NotFinite { t: equation.t, component }),
            None => Ok(()),
        }
    }
}

/// What a formula of so many steps is started by.
fn starter(states: usize, steps: usize, newton: NewtonOptions) -> Radau {
    let order = if steps == 2 { RadauOrder::Three } else { RadauOrder::Five };
    Radau::new(states, order, newton, true)
}

/// Whether two steps from about t are the same but for rounding.
pub(super) fn is_same(h: f64, other: f64, t: f64) -> bool {
    (h - other).abs() <= 4.0 * f64::EPSILON * (t.abs() + h)
}

impl Method for FixedBdf {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        if self.known == 0 || !is_same(h, self.h, from.t) {
            self.begin(from, h);
        } else {
            // The driver may have moved the state onto invariants: the history moves with it.
            self.differences.set_row(0, from.y.iter().copied());
        }
        self.starting = false;
        match self.starter.as_mut().filter(|_| self.known < self.steps) {
            None => self.formula(system, from, tol)?,
            Some(starter) => {
                starter.try_step(system, from, h, tol)?;
                self.y.copy_from_slice(starter.end());
                self.starting = true;
                self.halve(system, from, tol)?;
            }
        }
        self.propagate(system, from)?;
        Ok(Trial { error: 0.0, worst: 0, order: self.order(), next_h: None })
    }

    fn preallocate(&mut self, system: &mut dyn System) {
        self.newton.preallocate(system);
        if let Some(starter) = &mut self.starter {
            starter.preallocate(system);
        }
    }

    fn end(&self) -> &[f64] {
        &self.y
    }

    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        match self.starter.as_ref().filter(|_| self.starting) {
            Some(starter) => starter.interpolate(theta, y),
            None => self.differences.interpolate(self.steps, &self.correction, theta, y),
        }
    }

    fn solves_algebraic(&self) -> bool {
        true
    }

    fn follow_error(&mut self, at_start: &[f64]) -> bool {
        self.error = Some(Propagated::new(at_start, self.steps));
        if self.starter.is_some() {
            let half = starter(self.y.len(), self.steps, NewtonOptions::default());
            self.halves = Some(Box::new([half.clone(), half]));
        }
        true
    }

    fn error_within(&self, theta: f64, error: &mut [f64]) -> bool {
        let Some(propagated) = &self.error else { return false };
        let known = propagated.within(theta, error);
        // There is nothing to add at the end, where the starter may remember no step any more.
        if theta == 1.0 {
            return known;
        }
        if let (true, Some(starter), Some([first, second])) = (self.starting, &self.starter, self.halves.as_deref()) {
            // What the step itself adds is no line: a transient may be over at its end.
            let [mut whole, mut halves] = [(); 2].map(|()| vec![0.0; error.len()]);
            starter.interpolate(theta, &mut whole);
            match theta < 0.5 {
                true => first.interpolate(2.0 * theta, &mut halves),
                false => second.interpolate(2.0 * theta - 1.0, &mut halves),
            }
            for (i, error) in error.iter_mut().enumerate() {
                *error += whole[i] - halves[i] - theta * (self.y[i] - second.end()[i]);
            }
            return known;
        }
        let weight = left_out(self.steps, theta);
        let differential = self.newton.differential();
        for (i, error) in error.iter_mut().enumerate() {
            match i < differential {
                true => *error -= weight * (self.correction[i] - self.f[i]),
                // without a history nobody knows how an algebraic variable bends
                false if self.known > self.steps => *error -= weight * self.correction[i],
                false => {}
            }
        }
        known
    }

    fn errors_within(&self, theta: &Octet, errors: &mut [Octet]) -> bool {
        let mut one = vec![0.0; if self.error.is_some() { errors.len() } else { 0 }];
        theta.0.iter().enumerate().all(|(k, theta)| {
            let known = self.error_within(*theta, &mut one);
            errors.iter_mut().zip(&one).for_each(|(errors, error)| errors.0[k] = *error);
            known
        })
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        if let Some(error) = &mut self.error {
            error.end_was_projected(y.iter().zip(&self.y).map(|(to, from)| to - from));
        }
        if let Some(starter) = self.starter.as_mut().filter(|_| self.starting) {
            starter.end_was_projected(y);
        }
    }

    fn error(&self) -> Option<&[f64]> {
        self.error.as_ref().and_then(Propagated::now)
    }

    fn accept(&mut self) {
        self.at_start = false;
        if let Some(error) = &mut self.error {
            error.accept();
        }
        match self.starter.as_mut().filter(|_| self.starting) {
            None => self.advance(),
            Some(starter) => {
                starter.accept();
                let y = std::mem::take(&mut self.y);
                self.append(&y);
                self.y = y;
            }
        }
    }

    fn restart(&mut self) {
        self.known = 0;
        self.newton.restart();
        if let Some(error) = &mut self.error {
            error.restart(self.at_start);
        }
    }

    fn error_exponent(&self) -> Option<u32> {
        None
    }

    fn order(&self) -> u32 {
        self.steps as u32
    }

    fn iterates(&mut self) -> Vec<NewtonIterate> {
        let mut iterates = self.starter.as_mut().map(Method::iterates).unwrap_or_default();
        iterates.append(&mut self.newton.take_iterates());
        iterates
    }

    fn work(&self) -> Work {
        let halves = self.halves.iter().flat_map(|halves| halves.iter());
        self.starter.iter().chain(halves).fold(self.newton.work(), |sum, part| sum.plus(part.work()))
    }
}
