//! Whether a named method should be told about: stability, not accuracy, limits its steps, and an implicit method would do the
//! rest for less.

use crate::method::cost::Prices;
use crate::method::forecast::Forecast;
use crate::{Method, Point, System, Tolerance, Work};

/// Counts how often stability limits the step: Hairer, Wanner II, IV.2. Fifteen times, hardly interrupted, is stiff, if an implicit
/// method would cost less; where the step is given, if it is longer than stability bears.
#[derive(Clone, Debug)]
pub(crate) struct Stiffness {
    pub found: bool,
    /// As long as there is no suspicion, a look every so many steps.
    every: u32,
    /// The step is given.
    given: bool,
    steps: u32,
    limited: u32,
    free: u32,
    forecast: Option<Forecast>,
    /// What was done until the last step, and whether an implicit method would have cost less since the suspicion.
    work: Work,
    cheaper: bool,
}

/// Of what stability bears, so much is a limit: steps of a method that chooses them swing about it.
const LIMIT: f64 = 0.98;
/// The steps of low-order methods leave errors near the tolerance: so far apart, in implicit steps, are the points of a forecast.
const DISTANCE: f64 = 1.0;

impl Stiffness {
    pub fn every(every: u32, given: bool) -> Stiffness {
        Stiffness {
            found: false,
            every,
            given,
            steps: 0,
            limited: 0,
            free: 0,
            forecast: None,
            work: Work::default(),
            cheaper: given,
        }
    }

    /// Looks at the step of length h that `method` remembers, every now and then as long as there is no suspicion.
    pub fn watch(
        &mut self,
        method: &mut dyn Method,
        system: &mut dyn System,
        (from, h): (&Point, f64),
        tol: &Tolerance,
        t_end: f64,
    ) {
        self.steps += 1;
        if self.found || (self.limited == 0 && !self.steps.is_multiple_of(self.every)) {
            return;
        }
        let limit = if self.given { 1.0 } else { LIMIT };
        match method.stiffness(system, from) {
            Some(fraction) if fraction > limit => {
                self.free = 0;
                self.limited += 1;
                self.evaluate_at_end(method, system, (from, h), tol, t_end);
                self.found = self.limited >= 15 && self.cheaper;
            }
            Some(_) => {
                self.free += 1;
                if self.free == 6 {
                    (self.limited, self.free, self.cheaper) = (0, 0, self.given);
                    self.forecast.iter_mut().for_each(Forecast::restart);
                }
            }
            None => {}
        }
    }

    /// What an implicit method would cost from here.
    fn evaluate_at_end(
        &mut self,
        method: &mut dyn Method,
        system: &mut dyn System,
        (from, h): (&Point, f64),
        tol: &Tolerance,
        t_end: f64,
    ) {
        if self.cheaper {
            return;
        }
        let work = method.work();
        let forecast = self.forecast.get_or_insert_with(|| {
            // The series of linear systems are not made by them.
            let series = (work.jets > 0 && work.f > 0).then_some(from.d);
            Forecast::new(Prices::new(system, series), DISTANCE)
        });
        let done = if self.limited == 1 { Work::default() } else { work.minus(self.work) };
        let spent = forecast.prices.of(&done, 1.0);
        self.work = work;
        self.cheaper = forecast.comes_to(system, (from.t + h, method.end()), spent, tol, t_end);
    }
}

/// Whether the solution changes so little in a step that its accuracy would bear a much longer one: all that a method
/// needs to know besides h·|λ|, whose own steps are as long as the series allows.
pub(crate) fn hardly_changes(y0: &[f64], y1: &[f64]) -> bool {
    let size = y0.iter().chain(y1).fold(0.0, |most: f64, y| most.max(y.abs()));
    let change = y0.iter().zip(y1).fold(0.0, |most: f64, (a, b)| most.max((b - a).abs()));
    change <= 0.02 * size
}
