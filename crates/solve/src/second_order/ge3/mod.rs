//! GE3 for x″ = f(x, t): the second derivative itself is integrated. Global order 2, and no damping at all.
//!
//! ```text
//!   xₖ₊₁ = 2 xₖ − xₖ₋₁ + h² f(xₖ, tₖ)        Störmer; GE3 in Cellier, Numerical Simulation of Dynamic Systems IX
//! ```
//!
//! It is done as δₖ = δₖ₋₁ + h² fₖ, xₖ₊₁ = xₖ + δₖ, which is the same, but rounding grows with the number of steps instead
//! of its square (Henrici). The first step, that behind an event and one of another length begin anew from x and v by
//! the Taylor polynomial of fourth order, whose last terms come from f in the middle (Nyström):
//!
//! ```text
//!   δ = h v + h²/6 (f(x, t) + 2 f(x + h/2 v + h²/8 f(x, t), t + h/2))
//! ```
//!
//! Velocities are central differences, (xₖ₊₁ − xₖ₋₁)/2h = δₖ₋₁/h + h/2 fₖ; between the steps there are cubics.

mod energy;
mod velocity;

pub use velocity::LinearVelocity;

use crate::{EnergyDrift, Method, NoEnergy, Point, StepFailure, System, Tolerance, Trial, UsageError, Work};
use energy::Energy;

/// GE3, for fixed steps.
#[derive(Clone, Debug, Default)]
pub struct Ge3 {
    /// The place of each x and of its velocity.
    places: Vec<(usize, usize)>,
    /// δ of the step accepted last and its length, if the next one can stand on it.
    delta: Vec<f64>,
    delta_h: Option<f64>,
    /// The same of the remembered step.
    new_delta: Vec<f64>,
    /// A value that was given before the start.
    past: Option<(f64, Vec<f64>)>,
    h: f64,
    y0: Vec<f64>,
    y1: Vec<f64>,
    f0: Vec<f64>,
    f1: Vec<f64>,
    /// f0 belongs to the point where the next step begins.
    f_known: bool,
    /// What linear conservative systems keep, once it was looked for since the last event.
    energy: Option<Energy>,
    looked: bool,
    /// What is known of the energy of the whole run.
    drift: Option<EnergyDrift>,
    evaluations: u64,
}

/// Steps are equal but for rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b
}

impl Ge3 {
    /// For systems of `states` states, half of them velocities.
    pub fn new(states: usize) -> Ge3 {
        let zeros = vec![0.0; states];
        Ge3 { y0: zeros.clone(), y1: zeros.clone(), f0: zeros.clone(), f1: zeros, ..Ge3::default() }
    }

    fn evaluate_start(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        if !self.f_known {
            from.derivative(system, &mut self.f0, &mut self.evaluations)?;
            self.f_known = true;
        }
        Ok(())
    }

    /// δ from x and v alone.
    fn begin(&mut self, system: &mut dyn System, from: &Point) {
        let h = self.h;
        self.y1.copy_from_slice(from.y);
        for &(x, v) in &self.places {
            self.y1[x] += 0.5 * h * from.y[v] + 0.125 * h * h * self.f0[v];
        }
        self.evaluations += 1;
        system.derivative(from.t + 0.5 * h, &self.y1, from.d, &mut self.f1);
        for (delta, &(_, v)) in self.new_delta.iter_mut().zip(&self.places) {
            *delta = h * from.y[v] + h * h / 6.0 * (self.f0[v] + 2.0 * self.f1[v]);
        }
    }

    /// δ of the step before, where there is one of the same length.
    fn before(&mut self, from: &Point) -> bool {
        if let Some((t, y)) = self.past.take() {
            let length = from.t - t;
            self.delta.iter_mut().zip(&self.places).for_each(|(delta, &(x, _))| *delta = from.y[x] - y[x]);
            self.delta_h = Some(length);
        }
        self.delta_h.is_some_and(|length| same(length, self.h))
    }

    fn watch_energy(&mut self, system: &mut dyn System, from: &Point) {
        if !self.looked {
            self.looked = true;
            let form = system.linear(from.t, from.d).ok_or(NoEnergy::NotLinear);
            match form.and_then(|form| Energy::find(&form, &self.places)) {
                Ok(energy) => self.energy = Some(energy),
                Err(why) => self.drift = self.drift.or(Some(EnergyDrift::Unknown(why))),
            }
        }
    }
}

impl Method for Ge3 {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        _tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.watch_energy(system, from);
        self.evaluate_start(system, from)?;
        self.y0.copy_from_slice(from.y);
        self.h = h;
        if self.before(from) {
            let parts = self.new_delta.iter_mut().zip(&self.delta).zip(&self.places);
            parts.for_each(|((new, delta), &(_, v))| *new = delta + h * h * self.f0[v]);
        } else {
            self.begin(system, from);
        }
        self.y1.copy_from_slice(from.y);
        for (delta, &(x, _)) in self.new_delta.iter().zip(&self.places) {
            self.y1[x] += delta;
        }
        let end = from.t + h;
        self.evaluations += 1;
        system.derivative(end, &self.y1, from.d, &mut self.f1);
        for (delta, &(x, v)) in self.new_delta.iter().zip(&self.places) {
            self.y1[v] = delta / h + 0.5 * h * self.f1[v];
            self.f1[x] = self.y1[v];
        }
        match (0..self.y1.len()).find(|&i| !(self.y1[i].is_finite() && self.f1[i].is_finite())) {
            Some(component) => Err(StepFailure::NotFinite { t: end, component }),
            None => Ok(Trial { error: 0.0, worst: 0, order: 2, next_h: None }),
        }
    }

    fn end(&self) -> &[f64] {
        &self.y1
    }

    /// All it takes is known.
    fn make_dense(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    /// The cubic with the values and slopes of both ends.
    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        let rest = 1.0 - theta;
        for (i, y) in y.iter_mut().enumerate() {
            let line = rest * self.y0[i] + theta * self.y1[i];
            let rise = self.y1[i] - self.y0[i];
            let slopes = rest * (self.h * self.f0[i] - rise) - theta * (self.h * self.f1[i] - rise);
            *y = line + theta * rest * slopes;
        }
    }

    fn accept(&mut self) {
        if let Some(energy) = &mut self.energy {
            let drift = energy.step(self.h, &self.y0, &self.y1, &self.new_delta, &self.places);
            self.drift = match self.drift {
                None | Some(EnergyDrift::Changed(_)) if energy.runs_away() => Some(EnergyDrift::Unbounded),
                None => Some(EnergyDrift::Changed(drift)),
                Some(EnergyDrift::Changed(most)) => Some(EnergyDrift::Changed(drift.max(most))),
                known => known,
            };
        }
        std::mem::swap(&mut self.delta, &mut self.new_delta);
        std::mem::swap(&mut self.f0, &mut self.f1);
        (self.delta_h, self.f_known) = (Some(self.h), true);
    }

    fn restart(&mut self) {
        (self.delta_h, self.past, self.f_known) = (None, None, false);
        // What happens at an event may do work.
        if self.looked && matches!(self.drift, None | Some(EnergyDrift::Changed(_))) {
            self.drift = Some(EnergyDrift::Unknown(NoEnergy::Events));
        }
        (self.energy, self.looked) = (None, false);
    }

    fn error_exponent(&self) -> Option<u32> {
        None
    }

    fn order(&self) -> u32 {
        2
    }

    /// Every state is an x or its velocity, and no acceleration depends on a velocity.
    fn check(&mut self, system: &mut dyn System) -> Result<(), UsageError> {
        if !system.layout().delays.is_empty() {
            return Err(UsageError::NotForDelays);
        }
        let (states, velocity) = (system.layout().states, system.layout().velocity.clone());
        self.places = velocity.iter().enumerate().filter_map(|(x, v)| v.map(|v| (x, v as usize))).collect();
        // An x has a velocity, which has none and belongs to no other x.
        let mut owners = vec![0; states];
        self.places.iter().for_each(|&(_, v)| owners[v] += 1);
        let is_x = |i: usize| velocity.get(i).copied().flatten().is_some();
        // in x'' = …, y' = x it is y that does not fit
        let of_position = (0..states).find(|&i| velocity.get(i).copied().flatten().is_some_and(|v| is_x(v as usize)));
        let misfit = || (0..states).find(|&i| owners[i] != usize::from(!is_x(i)));
        if let Some(state) = of_position.or_else(misfit) {
            return Err(UsageError::NotSecondOrder { state });
        }
        let pattern = system.jacobian_pattern().ok_or(UsageError::NoPattern)?;
        for &(_, v) in &self.places {
            let columns = &pattern.columns[pattern.starts[v]..pattern.starts[v + 1]];
            if let Some(&column) = columns.iter().find(|&&column| owners[column as usize] > 0) {
                return Err(UsageError::NotVelocityFree { acceleration: v, velocity: column as usize });
            }
        }
        self.delta = vec![0.0; self.places.len()];
        self.new_delta = vec![0.0; self.places.len()];
        (self.drift, self.looked) = (None, false);
        Ok(())
    }

    /// Of the values given the last one counts; it must lie one step before the start.
    fn remember(&mut self, _system: &mut dyn System, past: &[Point]) {
        self.past = past.last().map(|point| (point.t, point.y.to_vec()));
    }

    fn energy(&self) -> Option<EnergyDrift> {
        self.drift
    }

    fn work(&self) -> Work {
        Work { f: self.evaluations, ..Work::default() }
    }
}

/// How much a solution e^(λt) of x″ = λ² x grows in a step, for real (λh)²: the larger root |μ| of
///
/// ```text
///   μ² − 2c μ + 1 = 0,   c = 1 + (λh)²/2
/// ```
///
/// 1 for (λh)² in [−4, 0]; their product is 1, so everywhere else one of the roots grows. At −4 itself the root −1 is double,
/// and a solution grows with the number of steps.
pub fn ge3_growth(lambda_h_squared: f64) -> f64 {
    let c = (1.0 + 0.5 * lambda_h_squared).abs();
    if c <= 1.0 { 1.0 } else { c + (c * c - 1.0).sqrt() }
}

/// The frequency of a solution of x″ = −ω² x as GE3 shows it, in units of ω: 2 asin(ωh/2)/(ωh), for 0 < ωh ≤ 2.
pub fn ge3_frequency(omega_h: f64) -> Option<f64> {
    (omega_h > 0.0 && omega_h <= 2.0).then(|| 2.0 * (0.5 * omega_h).asin() / omega_h)
}
