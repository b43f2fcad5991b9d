//! The Taylor method for linear systems: steps as long as rounding allows, terms as many as the tolerance needs.
//!
//! The order of a step follows from a bound of the tail (`scaling.rs`), so it cannot be fooled by small or vanishing
//! terms; with a given step, from the terms themselves, three of which must be small one after the other. If a small
//! system takes many steps of one length, their matrix is precalculated.

use super::engine::Engine;
use super::kernels::Norms;
use super::precalculated::Precalculated;
use super::scaling::{INPUT_WEIGHT, MAX_TERMS, Tails};
use super::terms::Terms;
use crate::driver::stiffness::hardly_changes;
use crate::{Method, Point, StepFailure, System, Tolerance, Trial, Work};
use ordinate_numbers::Instructions;

/// h·N that steps may have. At 10 the largest term of the series is 3e3 times the state, and four digits of the
/// sixteen are lost where the terms cancel; at 16 it is 8e5.
const REACH: [f64; 11] = [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0];

/// Whether a system is linear as long as its discrete values stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearity {
    /// Steps may follow.
    Linear,
    /// It is not, or it is not recognised: another method is needed until the next restart.
    NotRecognised,
}

/// The Taylor method for systems whose [`System::linear`] is given.
#[derive(Clone, Debug)]
pub struct LinearTaylor {
    pub(super) instructions: Instructions,
    pub(super) fixed: bool,
    pub(super) engine: Option<Engine>,
    /// The engine is that of the current discrete values.
    pub(super) ready: bool,
    /// The engine is at the point where the next step begins.
    pub(super) begun: bool,
    pub(super) norms: Norms,
    /// What the hidden states were at the origin of τ.
    pub(super) hidden_at_origin: f64,
    pub(super) tails: Tails,
    pub(super) wished: f64,
    /// How many steps of the wished length were taken.
    pub(super) repeated: usize,
    pub(super) precalculated: Option<Precalculated>,

    /// The state in the order of the engine, if that is another one; and at the end of the step.
    pub(super) y: Vec<f64>,
    pub(super) y_known: bool,
    pub(super) end_ordered: Vec<f64>,
    pub(super) end: Vec<f64>,
    pub(super) lost: Vec<f64>,
    pub(super) lost_next: Vec<f64>,
    pub(super) h: f64,
    pub(super) order: usize,
    pub(super) terms: Terms,
    pub(super) work: Work,
}

impl LinearTaylor {
    /// The method for `n` states, with steps and orders of its own choice.
    pub fn new(n: usize) -> LinearTaylor {
        LinearTaylor {
            instructions: Instructions::best(),
            fixed: false,
            engine: None,
            ready: false,
            begun: false,
            norms: Norms { f: 0.0, y: 0.0, scale: 0.0, finite: 0.0 },
            hidden_at_origin: 0.0,
            tails: Tails::default(),
            wished: f64::INFINITY,
            repeated: 0,
            precalculated: None,
            y: Vec::new(),
            y_known: false,
            end_ordered: Vec::new(),
            end: vec![0.0; n],
            lost: vec![0.0; n],
            lost_next: vec![0.0; n],
            h: 0.0,
            order: 0,
            terms: Terms::default(),
            work: Work::default(),
        }
    }

    /// The method for `n` states with given steps: terms are added until three consecutive ones are below the absolute
    /// tolerance.
    pub fn with_given_steps(n: usize) -> LinearTaylor {
        LinearTaylor { fixed: true, ..LinearTaylor::new(n) }
    }

    /// Prepares steps from a point, after a restart: tells whether the system is linear there. Costs nothing when
    /// nothing has changed.
    pub fn begin_at(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Linearity {
        if self.ready {
            return Linearity::Linear;
        }
        let Some(form) = system.linear(from.t, from.d) else {
            return Linearity::NotRecognised;
        };
        self.take(form, tol);
        self.ready = true;
        Linearity::Linear
    }

    fn take(&mut self, form: crate::LinearForm, tol: &Tolerance) {
        self.begun = false;
        let form = match &mut self.engine {
            Some(engine) => engine.update(form),
            None => Some(form),
        };
        if let (None, Some(engine), Some(precalculated)) = (&form, &self.engine, &mut self.precalculated) {
            precalculated.set_constant(&engine.form.constant);
        }
        if let Some(form) = form {
            let engine = Engine::new(form, tol, self.instructions);
            let places = engine.f.len();
            let moved = if engine.has_places() { places } else { 0 };
            self.y = vec![0.0; moved];
            self.end_ordered = vec![0.0; moved];
            self.y_known = false;
            self.lost.resize(places, 0.0);
            self.lost_next.resize(places, 0.0);
            self.precalculated = None;
            self.repeated = 0;
            self.wished = f64::INFINITY;
            self.engine = Some(engine);
        }
        let engine = self.engine.as_mut().expect("just taken");
        engine.form.hidden(engine.form.origin, &mut engine.hidden);
        self.hidden_at_origin = engine.hidden_norm();
    }

    /// Goes to a point: f and the norms there.
    fn begin(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<(), StepFailure> {
        if self.begin_at(system, from, tol) == Linearity::NotRecognised {
            panic!("steps of the linear method are tried only where `begin_at` said that the system is linear");
        }
        if self.begun {
            return Ok(());
        }
        self.measure(from)?;
        // Functions of time that have grown far from the origin of τ cancel: begin again with the origin here.
        let engine = self.engine.as_ref().expect("prepared");
        let hidden = engine.hidden_norm();
        if hidden > 16.0 * self.hidden_at_origin
            && hidden * f64::EPSILON > 0.01 * self.norms.scale
            && let Some(form) = system.linear(from.t, from.d)
        {
            self.take(form, tol);
            self.measure(from)?;
        }
        self.begun = true;
        Ok(())
    }

    fn measure(&mut self, from: &Point) -> Result<(), StepFailure> {
        let engine = self.engine.as_mut().expect("prepared");
        let y = if engine.has_places() {
            if !self.y_known {
                engine.to_places(from.y, &mut self.y);
                self.y_known = true;
            }
            &self.y
        } else {
            from.y
        };
        self.norms = engine.begin(from.t, y);
        if self.norms.finite != 0.0 {
            let component = engine.state(engine.f.iter().position(|f| !f.is_finite()).unwrap_or(0));
            return Err(StepFailure::NotFiniteAtStart { component });
        }
        Ok(())
    }

    /// The longest step from the point begun last.
    ///
    /// Rounding errors of a series whose terms grow to e^x times the state, x = hN, are about ε e^x ‖y‖, and must stay
    /// below the tolerance. They are random and mostly of the highest frequencies, so that less is seen of them
    /// (measured on the telegraph line: 3e-13 at x = 10).
    fn longest(&self) -> f64 {
        let scaling = &self.engine.as_ref().expect("prepared").scaling;
        let Norms { f, y, scale, .. } = self.norms;
        if scaling.norm == 0.0 || scaling.vanishing.is_some_and(|power| power <= MAX_TERMS) {
            return f64::INFINITY;
        }
        // What a start from rest will be like, f tells; of that, what hidden states are weighed with does not count.
        let size = y.max(INPUT_WEIGHT * f / scaling.norm);
        // Terms of small systems cost little, so they can be more careful.
        let margin = if self.engine.as_ref().is_some_and(|engine| engine.dense().is_some()) { -3.0 } else { 1.0 };
        let reach = if size > 0.0 { (scale / (size * 0.5 * f64::EPSILON)).ln() + margin } else { f64::INFINITY };
        let reach = REACH.into_iter().rev().find(|&known| known <= reach).unwrap_or(REACH[0]);
        short_number(reach / scaling.norm)
    }

    /// The number of terms that a step of length h needs, and the bound of its error in units of the tolerance.
    fn terms_needed(&mut self, h: f64) -> Option<(usize, f64)> {
        let scaling = &self.engine.as_ref().expect("prepared").scaling;
        let Norms { f, y, scale, .. } = self.norms;
        self.tails.set(h * scaling.norm);
        // Half the tolerance; what is lost in rounding anyway need not be computed.
        let allowed = (0.5 * scale).max(0.25 * f64::EPSILON * y.max(h * f)) / (h * f);
        let found = if f == 0.0 { Some(1) } else { self.tails.order(allowed) };
        let ends = scaling.vanishing.filter(|&power| power <= found.unwrap_or(MAX_TERMS));
        match (ends, found) {
            (Some(power), _) => Some((power, 0.0)),
            // what is below rounding is no error of the step
            (None, Some(m)) => Some((m, (self.tails.tail(m) * h * f / scale.max(f64::MIN_POSITIVE)).min(0.5))),
            (None, None) => None,
        }
    }

    /// What the driver is told of a step that was computed.
    pub(super) fn finish(&mut self, from: &Point, h: f64, error: f64) -> Result<Trial, StepFailure> {
        self.h = h;
        self.work.jets += 1;
        self.work.coefficients += self.order as u64;
        if self.end.iter().any(|y| !y.is_finite()) {
            // What is not finite spreads: the largest one was the first.
            let bad = (0..self.end.len()).filter(|&i| !self.end[i].is_finite());
            let component = bad.max_by(|&i, &j| from.y[i].abs().total_cmp(&from.y[j].abs())).unwrap_or(0);
            return Err(StepFailure::NotFinite { t: from.t + h, component });
        }
        let next_h = (!self.fixed).then_some(self.wished);
        Ok(Trial { error, worst: 0, order: self.order as u32, next_h })
    }
}

/// The largest number of sixteen bits that is not above x: sums of many of them are exact, so steps stay equal to the bit.
fn short_number(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !((1 << 37) - 1))
}

impl Method for LinearTaylor {
    fn fits(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> bool {
        self.begin_at(system, from, tol) == Linearity::Linear
    }

    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.terms.clear(from.y.len());
        if let Some(precalculated) = self.precalculated.as_mut().filter(|p| p.h == h && self.ready) {
            let engine = self.engine.as_mut().expect("it was precalculated from it");
            engine.form.hidden(from.t, &mut engine.hidden);
            precalculated.step(from.y, &engine.hidden, &self.lost, &mut self.end, &mut self.lost_next);
            self.order = precalculated.order;
            return self.finish(from, h, 0.0);
        }
        self.begin(system, from, tol)?;
        if self.fixed {
            return self.given_step(from, h);
        }
        let Some((m, error)) = self.terms_needed(h) else {
            self.wished = self.longest();
            return Ok(Trial { error: 2.0, worst: 0, order: MAX_TERMS as u32, next_h: Some(self.wished.min(0.5 * h)) });
        };
        let engine = self.engine.as_mut().expect("prepared");
        if engine.has_places() {
            engine.step(&self.y, &self.lost, &mut self.end_ordered, &mut self.lost_next, h, m);
        } else {
            engine.step(from.y, &self.lost, &mut self.end, &mut self.lost_next, h, m);
        }
        if engine.has_places() {
            engine.to_states(&self.end_ordered, &mut self.end);
        }
        self.order = m;
        self.finish(from, h, error)
    }

    fn chooses_step(&self) -> bool {
        true
    }

    fn preferred_step(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<f64, StepFailure> {
        if self.ready
            && let Some(precalculated) = &self.precalculated
        {
            return Ok(precalculated.h);
        }
        self.begin(system, from, tol)?;
        let longest = self.longest();
        // Equal steps are worth more than a few longer ones: their matrix can be precalculated.
        if longest < self.wished || longest > 2.5 * self.wished {
            (self.wished, self.repeated) = (longest, 0);
        }
        Ok(self.wished)
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn make_dense(&mut self, _system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.terms.is_empty() {
            return Ok(());
        }
        let engine = self.engine.as_mut().expect("a step was taken");
        let y = if engine.has_places() { &self.y } else { from.y };
        if !self.begun {
            self.norms = engine.begin(from.t, y);
        }
        self.terms.make(engine, y, self.h, self.order.max(1));
        if let Some(place) = self.terms.not_finite(y) {
            let component = engine.state(place);
            return Err(StepFailure::NotFinite { t: from.t + self.h, component });
        }
        Ok(())
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        let engine = self.engine.as_ref().expect("a step was taken");
        self.terms.evaluate(theta, |place, value| engine.put(place, value, y));
    }

    fn is_polynomial(&self) -> bool {
        true
    }

    fn gave_polynomial(&self) -> bool {
        self.terms.is_one_piece()
    }

    fn polynomial(&self, state: usize, c: &mut Vec<f64>) -> bool {
        self.engine.as_ref().is_some_and(|engine| self.terms.of_place(engine.place(state), c))
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        self.end.copy_from_slice(y);
        self.lost_next.fill(0.0);
        self.y_known = false;
    }

    fn accept(&mut self) {
        self.begun = false;
        // the step with given parts has no end by places
        self.y_known = self.y_known && !self.fixed;
        std::mem::swap(&mut self.y, &mut self.end_ordered);
        std::mem::swap(&mut self.lost, &mut self.lost_next);
        if self.precalculated.is_none() && self.h == self.wished {
            self.repeated += 1;
            let engine = self.engine.as_ref().expect("a step was taken");
            if let Some((matrix, length)) = engine.dense().filter(|(matrix, length)| {
                let all = matrix.len() / length;
                self.repeated >= 2 * all * all + 4
            }) {
                self.precalculated = Precalculated::new(&engine.form, matrix, length, self.h, self.instructions);
            }
        }
    }

    fn restart(&mut self) {
        self.ready = false;
        self.begun = false;
        self.y_known = false;
        self.lost.fill(0.0);
    }

    fn error_exponent(&self) -> Option<u32> {
        Some(MAX_TERMS as u32)
    }

    fn order(&self) -> u32 {
        MAX_TERMS as u32
    }

    /// Steps end where the norm of the matrix, not the solution, ends them.
    fn stiffness(&mut self, _system: &mut dyn System, from: &Point) -> Option<f64> {
        // A given step has as many terms as it needs: it cannot be unstable.
        let norm = self.engine.as_ref().filter(|_| !self.fixed)?.scaling.norm;
        // Tight tolerances have short reach, too.
        Some(if hardly_changes(from.y, &self.end) { self.h * norm / (0.5 * REACH[0]) } else { 0.0 })
    }

    fn work(&self) -> Work {
        self.work
    }
}
