//! Steps as polynomials, for who keeps the solution as a function of time.

use super::{Plan, Run};
use crate::delay::history::{chebyshev_coefficients, chebyshev_point};
use crate::{Form, Piece};

/// Values by which a part of a step without series is kept: two more than its order, within these.
const VALUES: [usize; 2] = [5, 15];
/// A polynomial shows a part where its last two coefficients are this part of the tolerance, or rounding.
const RESOLVED: f64 = 1e-4;
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// So short parts are kept as they are: what does not become smooth by halving is no polynomial.
const SHORTEST: f64 = 1.0 / 64.0;

impl Run<'_> {
    /// The states along the step that the method remembers, up to a part of it, if somebody keeps them: one polynomial where the
    /// method has one; several where it makes two steps of one, and where constraints move what it computes.
    pub(super) fn dense_pieces(&mut self, plan: Plan, order: u32, part: f64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if !self.keeps_pieces || part <= 0.0 {
            return pieces;
        }
        let piece = |from: f64, to: f64, forms: Vec<Form>, t: f64| {
            let end = t + to * plan.h;
            Piece { start: t + from * plan.h, end, reach: end, unit: plan.h, forms }
        };
        if let Some(forms) = self.state_powers() {
            return vec![piece(0.0, part, forms, self.t)];
        }
        let count = (order as usize + 2).clamp(VALUES[0], VALUES[1]);
        let mut open = vec![(0.0, part)];
        while let Some((from, to)) = open.pop() {
            let (forms, resolved) = self.polynomials(plan, (from, to), count);
            if resolved || to - from <= SHORTEST {
                pieces.push(piece(from, to, forms, self.t));
            } else {
                // two steps of a half meet in the middle
                let between = if from < 0.5 && to > 0.5 { 0.5 } else { 0.5 * (from + to) };
                open.extend([(between, to), (from, between)]);
            }
        }
        pieces
    }

    /// Hands over a step that ended at the present time.
    pub(super) fn hand_over(&mut self, mut pieces: Vec<Piece>) {
        if let Some(last) = pieces.last_mut() {
            (last.end, last.reach) = (self.t, self.t);
        }
        pieces.into_iter().for_each(|piece| self.sink.piece(piece));
    }

    /// The polynomials of the method itself, unless constraints move what it computes.
    fn state_powers(&self) -> Option<Vec<Form>> {
        if self.flow.consistency.is_some() {
            return None;
        }
        let power = |state: usize| {
            let mut c = Vec::new();
            self.method.polynomial(state, &mut c).then_some(Form::Powers(c))
        };
        (0..self.y.len()).map(power).collect()
    }

    /// The polynomials through so many values between two places of the step, and whether they show it.
    fn polynomials(&mut self, plan: Plan, (from, to): (f64, f64), count: usize) -> (Vec<Form>, bool) {
        let mut values = vec![vec![0.0; count]; self.y.len()];
        let mut y = vec![0.0; self.y.len()];
        for k in 0..count {
            let theta = if k + 1 == count { to } else { from + (to - from) * chebyshev_point(k, count) };
            self.state_inside(plan, theta, &mut y);
            values.iter_mut().zip(&y).for_each(|(values, y)| values[k] = *y);
        }
        let forms: Vec<Vec<f64>> = values.iter().map(|values| chebyshev_coefficients(values)).collect();
        let resolved = forms.iter().enumerate().all(|(state, c)| {
            let size = c.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
            let last = c[count - 1].abs().max(c[count - 2].abs());
            last <= (RESOLVED * self.tol.of(state, [size, 0.0])).max(ROUNDING * size)
        });
        (forms.into_iter().map(Form::Chebyshev).collect(), resolved)
    }

    /// The state at a place of the step, on its equations.
    fn state_inside(&mut self, plan: Plan, theta: f64, y: &mut [f64]) {
        if theta == 0.0 {
            return y.copy_from_slice(&self.y);
        }
        if theta == 1.0 {
            return y.copy_from_slice(if self.restored.is_empty() { self.method.end() } else { &self.restored });
        }
        self.method.interpolate(theta, y);
        let mut restored = y.to_vec();
        // what has no solution there is as the method says
        if self.restore_inside(self.t + theta * plan.h, theta, &mut restored).is_ok() {
            y.copy_from_slice(&restored);
        }
    }
}
