//! Notices that stability, not accuracy, limits the steps of an explicit method.

use crate::{Method, Point, System};

/// Counts how often stability limits the step: Hairer, Wanner II, IV.2. Fifteen times, hardly interrupted, is stiff.
#[derive(Clone, Debug)]
pub(crate) struct Stiffness {
    pub found: bool,
    /// As long as there is no suspicion, a look every so many steps.
    every: u32,
    steps: u32,
    limited: u32,
    free: u32,
}

impl Stiffness {
    pub fn every(every: u32) -> Stiffness {
        Stiffness { found: false, every, steps: 0, limited: 0, free: 0 }
    }

    /// Looks at the step that `method` remembers, every now and then as long as there is no suspicion.
    pub fn watch(&mut self, method: &mut dyn Method, system: &mut dyn System, from: &Point) {
        self.steps += 1;
        if self.found || (self.limited == 0 && !self.steps.is_multiple_of(self.every)) {
            return;
        }
        match method.stiffness(system, from) {
            Some(fraction) if fraction > 0.98 => {
                self.free = 0;
                self.limited += 1;
                self.found = self.limited == 15;
            }
            Some(_) => {
                self.free += 1;
                if self.free == 6 {
                    (self.limited, self.free) = (0, 0);
                }
            }
            None => {}
        }
    }
}

/// Whether the solution changes so little in a step that its accuracy would bear a much longer one: all that a method
/// needs to know besides h·|λ|, whose own steps are as long as the series allows.
pub(crate) fn hardly_changes(y0: &[f64], y1: &[f64]) -> bool {
    let size = y0.iter().chain(y1).fold(0.0, |most: f64, y| most.max(y.abs()));
    let change = y0.iter().zip(y1).fold(0.0, |most: f64, (a, b)| most.max((b - a).abs()));
    change <= 0.02 * size
}
