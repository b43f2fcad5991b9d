//! The end of what the equations determine beside y: z of exp(z) = −x has no value where x is positive, and no method knows of z.
//! It is looked for at rows and at the ends of steps, and the edge is found between them.

use super::{Plan, Run};
use crate::{Point, StepFailure};

impl Run<'_> {
    /// Up to which part of a good step all has a value, and a time right behind, or the very row, at which something has none; `None`
    /// if it has up to `part`. Its end counts only if nothing happens there, for what holds behind a switch is another formula.
    pub(super) fn defined_part(
        &mut self,
        plan: Plan,
        part: f64,
        quiet: bool,
    ) -> Result<Option<(f64, f64)>, StepFailure> {
        // Where a first step could be made: what f says of the start comes first.
        if self.t == self.t_start && !self.is_defined_here() {
            return Ok(Some((0.0, self.t)));
        }
        let (mut inside, mut outside, mut dense) = (0.0, None, false);
        let mut rows = self.rows.clone();
        while let Some(t) = rows.peek().filter(|t| outside.is_none() && *t < self.t + part * plan.h) {
            let theta = (t - self.t) / plan.h;
            dense = true;
            if self.is_defined_inside(theta, t)? {
                inside = theta
            } else {
                outside = Some((theta, t))
            }
            rows.advance();
        }
        if outside.is_none() && quiet {
            let mut end = std::mem::take(&mut self.scratch[0]);
            end.copy_from_slice(if self.restored.is_empty() { self.method.end() } else { &self.restored });
            outside = (!self.is_defined(plan.end, &end)).then_some((1.0, plan.end));
            self.scratch[0] = end;
        }
        let Some((mut beyond, mut t_beyond)) = outside else { return Ok(None) };
        if !dense {
            let from = Point { t: self.t, y: &self.y, d: &self.d, f: None };
            self.flow.with(|system| self.method.make_dense(system, &from))?;
        }
        let resolution = 4.0 * f64::EPSILON * plan.end.abs().max(plan.h);
        while (beyond - inside) * plan.h > resolution {
            let theta = 0.5 * (inside + beyond);
            let t = self.t + theta * plan.h;
            if self.is_defined_inside(theta, t)? { inside = theta } else { (beyond, t_beyond) = (theta, t) }
        }
        Ok(Some((inside, t_beyond)))
    }

    fn is_defined_here(&mut self) -> bool {
        let y = std::mem::take(&mut self.y);
        let defined = self.is_defined(self.t, &y);
        self.y = y;
        defined
    }

    fn is_defined_inside(&mut self, theta: f64, t: f64) -> Result<bool, StepFailure> {
        let mut y = vec![0.0; self.y.len()];
        self.method.interpolate(theta, &mut y);
        self.restore_inside(t, theta, &mut y)?;
        Ok(self.is_defined(t, &y))
    }

    /// Whether the sink finds a value of all that the equations determine.
    fn is_defined(&mut self, t: f64, y: &[f64]) -> bool {
        let mixture = self.flow.mixture(t, y, &self.d);
        if self.delayed.count == 0 {
            return self.sink.is_defined(t, y, &self.d, mixture);
        }
        let mixture = mixture.cloned();
        let (d, mixture) = self.delayed.extended(self.flow.system, t, false, &self.d, mixture.as_ref());
        self.sink.is_defined(t, y, d, mixture)
    }
}
