//! Points where the equations are 0/0 but the solution is smooth, as (x − a)/log(x/a) at x = a.
//!
//! Beside such a point a series is lost: numerator and denominator are rounded independently, and their quotient has a pole of
//! the size of rounding instead of none. So its coefficients tell of a pole, and f does not: it stays as it is on both sides.
//! A method of stages evaluates f beside the point only, and passes.

use super::{Taylor, singular};
use crate::{Point, System, Tolerance};

/// A solution that changes more than this part of its size on the way to a singularity may come from it: y/y′ is about the
/// distance of a pole.
const CHANGE: f64 = 0.05;
/// Where f is looked at, in units of the distance, along a straight line: beside the point, as near as such a line knows it, and
/// behind, for the solution may go there faster than straight.
const LOOKS: [f64; 7] = [0.7, 0.9, 0.97, 1.03, 1.1, 1.3, 2.0];
/// f that is so many times larger there than here grows towards the point.
const LARGER: f64 = 1.5;
/// Steps towards the point become shorter by more than this; others are not looked at.
const SHORTER: f64 = 0.5;
/// The shortest first step across, in units of the distance.
const ACROSS: f64 = 4.0;

impl Taylor {
    /// The step of the substitute, if the series ends at a point that it can pass, or behind one. `allowed` is what the
    /// series allows: no shorter step needs a substitute.
    pub(super) fn wish_across(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        tol: &Tolerance,
        allowed: f64,
    ) -> Option<f64> {
        let wish = match self.across {
            // Behind the point the series is short for a while.
            Some(_) => self.substitute.as_ref().and_then(|substitute| substitute.next_h),
            None if self.h > 0.0 && allowed > SHORTER * self.h => None,
            None => {
                let distance = self.removable_ahead(system, from, tol).filter(|distance| *distance <= 2.0 * allowed);
                distance.and_then(|distance| Some(self.first_across(system, from, tol)?.max(ACROSS * distance)))
            }
        };
        let wish = wish.filter(|wish| *wish > allowed);
        self.across = wish.map(|_| allowed);
        if let Some(h) = wish {
            self.prepare_substitute(from.y.len()).next_h = Some(h);
        }
        wish
    }

    /// What the substitute would begin with: the point is no matter to it.
    fn first_across(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Option<f64> {
        if let Some(substitute) = &mut self.substitute {
            substitute.restart();
        }
        self.wish_of_substitute(system, from, tol).ok()
    }

    /// The distance of the singularity that the series shows, if f is bounded beside it.
    fn removable_ahead(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Option<f64> {
        let distance = singular::nearest(&self.c, from.y.len(), self.order)?.distance * self.scale;
        let size = from.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        let fastest = self.f.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        if distance * fastest > CHANGE * size {
            return None;
        }
        for part in LOOKS {
            let time = part * distance;
            let [y, f] = &mut self.scratch;
            y.iter_mut().zip(from.y.iter().zip(&self.f)).for_each(|(y, (start, f))| *y = start + time * f);
            system.derivative(from.t + time, y, from.d, f);
            self.work.f += 1;
            let grows = |i: usize| {
                // What is below the tolerance in this time is of no interest.
                let unseen = tol.of(i, [from.y[i]; 2]) / distance;
                !f[i].is_finite() || f[i].abs() > LARGER * self.f[i].abs() + unseen
            };
            if (0..from.y.len()).any(grows) {
                return None;
            }
        }
        Some(distance)
    }
}
