//! Steps that would lead to the other side of a pole.
//!
//! ```text
//!   x′ = −1/log(x)      from x = 2 reaches x = 1 with infinite speed, and has no solution beyond
//! ```
//!
//! A method that never evaluates f near to the pole does not notice it: with loose tolerances it comes down somewhere behind,
//! and goes on with what is no solution at all. So a denominator that changes its sign in a step is looked into.

use super::{Plan, Run};
use crate::{Point, Reason};

/// Bisections of the step; farther in, rounding of the numerator would be seen instead of the pole. f is looked at after each.
const LOOKS: [u32; 3] = [32, 8, 8];
/// f is so many times larger beside a pole than at the better end of the step, and than it is on average.
const LARGER: f64 = 1e4;
/// A pole with a small residue, as of s/(10⁻⁸ + s), shows farther in: from look to look f changes so many times more. It is 2⁸ for
/// a pole, 2⁶ for |s|^(−3/4), and 2³ for 1/∛s, which has an integral.
const STEEPER: f64 = 64.0;

impl Run<'_> {
    /// Whether the step that was tried leads over a pole of f. The next one is shorter then; the run ends where that is lost
    /// against t, or steps are fixed.
    pub(super) fn is_beyond_pole(&mut self, plan: Plan) -> Result<bool, Reason> {
        let Some((theta, component)) = self.pole_within(plan) else { return Ok(false) };
        let h = 0.5 * theta * plan.h;
        if self.options.step.is_some() || h < self.smallest_step() {
            let pole = self.t + theta * plan.h;
            return Err(Reason::Singularity { t: self.t, pole, component, exponent: None });
        }
        self.h = h;
        Ok(true)
    }

    /// The run goes on from the end of the step, or from elsewhere.
    pub(super) fn keep_denominators(&mut self, of_end: bool) {
        let [here, there] = &mut self.denominators;
        // No denominators are known everywhere.
        if !here.is_empty() {
            std::mem::swap(here, there);
            self.denominators_known = [of_end && self.denominators_known[1], false];
        }
    }

    /// The part of the step after which a pole of f comes, and where f has it.
    fn pole_within(&mut self, plan: Plan) -> Option<(f64, usize)> {
        let (t, h) = (self.t, plan.h);
        let [here, there] = &mut self.denominators;
        let known = &mut self.denominators_known;
        if !std::mem::replace(&mut known[0], true) {
            self.flow.with(|system| system.denominators(t, &self.y, &self.d, here));
        }
        if here.is_empty() {
            return None;
        }
        let end = self.method.end();
        self.flow.with(|system| system.denominators(t + h, end, &self.d, there));
        known[1] = true;
        let changed: Vec<(usize, f64)> = here
            .iter()
            .zip(&*there)
            .enumerate()
            .filter(|(_, (a, b))| *a * *b < 0.0)
            .map(|(k, (a, _))| (k, *a))
            .collect();
        if changed.is_empty() {
            return None;
        }
        // What follows looks at other points.
        known[1] = false;
        let from = Point { t, y: &self.y, d: &self.d, f: None };
        self.flow.with(|system| self.method.make_dense(system, &from)).ok()?;
        let sizes = |run: &mut Self, theta: f64| -> Vec<f64> {
            let (mut y, mut f) = (vec![0.0; run.y.len()], vec![0.0; run.y.len()]);
            run.method.interpolate(theta, &mut y);
            run.flow.with(|system| system.derivative(t + theta * h, &y, &run.d, &mut f));
            run.statistics.evaluations.f += 1;
            // what is not finite counts as infinite
            f.iter().map(|f| if f.is_finite() { f.abs() } else { f64::INFINITY }).collect()
        };
        let ends = [sizes(self, 0.0), sizes(self, 1.0)];
        let change = self.y.iter().zip(self.method.end()).map(|(from, to)| ((to - from) / h).abs());
        // one of the ends may lie right beside the pole
        let usual: Vec<f64> =
            (0usize..).zip(change).map(|(i, change)| ends[0][i].min(ends[1][i]).max(change)).collect();
        let differential = self.flow.system.layout().differential();
        let mut y = vec![0.0; self.y.len()];
        let mut first: Option<(f64, usize)> = None;
        let mut passed = Vec::new();
        for (k, side) in changed {
            let (mut low, mut high) = (0.0, 1.0);
            let looks = LOOKS.map(|bisections| {
                for _ in 0..bisections {
                    let middle = 0.5 * (low + high);
                    self.method.interpolate(middle, &mut y);
                    let values = &mut self.denominators[1];
                    self.flow.with(|system| system.denominators(t + middle * h, &y, &self.d, values));
                    if values[k] * side > 0.0 { low = middle } else { high = middle }
                }
                [sizes(self, low), sizes(self, high)]
            });
            let grows = |i: usize| {
                let [low, high] = &looks[0];
                // One side may be much nearer to the pole, the other one is about as far as the piece is long.
                let [far, near, nearest] = looks.each_ref().map(|[low, high]| low[i].min(high[i]));
                let steeper = nearest - near > usual[i] && nearest - near > STEEPER * (near - far).abs();
                low[i].max(high[i]) > LARGER * usual[i] || steeper
            };
            if let Some(component) = (0..differential).find(|&i| grows(i))
                && first.is_none_or(|(theta, _)| low < theta)
            {
                first = Some((low, component));
            } else {
                passed.push(low);
            }
        }
        if first.is_none() {
            passed.into_iter().for_each(|theta| self.tell_parting(plan, theta));
        }
        first
    }
}
