//! Points where the equations are 0/0 but the solution is smooth, as (x − a)/log(x/a) at x = a.
//!
//! Beside such a point a series is lost: numerator and denominator are rounded independently, and their quotient has a pole of
//! the size of rounding instead of none. So its coefficients tell of a pole, and f does not: it stays as it is on both sides.
//! A method of stages evaluates f beside the point only, and passes.
//!
//! The same is done where a solution comes to rest at a point that the series cannot pass, as of y′ = −∛y: once all that is still to
//! happen before the point is below the tolerance, the point is none for a method whose steps are longer. It must be an implicit
//! one, for the slope of f has no bound there.

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
                let ahead = self.ahead(system, from, tol).filter(|(distance, _)| *distance <= 2.0 * allowed);
                ahead.and_then(|(distance, is_rest)| {
                    Some(self.first_across(system, from, tol, is_rest)?.max(ACROSS * distance))
                })
            }
        };
        let wish = wish.filter(|wish| *wish > allowed);
        self.across = wish.map(|_| allowed);
        if let Some(h) = wish {
            self.prepare_substitute(from.y.len()).next_h = Some(h);
        }
        wish
    }

    /// Whether the implicit substitute can take steps.
    pub(super) fn may_substitute(&self, system: &mut dyn System) -> bool {
        system.layout().algebraic == 0 && system.jacobian_pattern().is_some()
    }

    /// What the substitute would begin with: the point is no matter to it.
    pub(super) fn first_across(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        tol: &Tolerance,
        is_implicit: bool,
    ) -> Option<f64> {
        self.prepare_substitute(from.y.len()).begin(is_implicit, from.y.len());
        self.wish_of_substitute(system, from, tol).ok()
    }

    /// The distance of the singularity that the series shows, if f is bounded beside it, and whether the solution comes to rest there.
    fn ahead(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Option<(f64, bool)> {
        let distance = singular::nearest(&self.c, from.y.len(), self.order)?.distance * self.scale;
        let size = from.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        let fastest = self.f.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        let passes = distance * fastest <= CHANGE * size;
        let is_below = |i: usize| distance * self.f[i].abs() <= tol.of(i, [from.y[i]; 2]);
        let is_rest = !passes && self.alone && self.may_substitute(system) && (0..from.y.len()).all(is_below);
        if !passes && !is_rest {
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
                let unseen = if is_rest { 0.0 } else { tol.of(i, [from.y[i]; 2]) / distance };
                !f[i].is_finite() || f[i].abs() > LARGER * self.f[i].abs() + unseen
            };
            if (0..from.y.len()).any(grows) {
                return None;
            }
        }
        Some((distance, is_rest))
    }
}
