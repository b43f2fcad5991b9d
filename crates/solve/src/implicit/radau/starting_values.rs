//! The first iterate of a long given step that Newton's method cannot solve from where the step begins: the way ahead, explored in
//! steps as short as they must be. The equations of the stages may have several solutions; this leads to the right one.

use super::{Radau, RadauOrder};
use crate::{Method, NewtonOptions, Point, System, Tolerance, Work};

/// The most attempts within one step.
const MOST: u32 = 400;

#[derive(Clone, Debug)]
pub(super) struct StartingValues {
    method: Radau,
    y: Vec<f64>,
    /// y(t + cᵢ h) − y(t), stage after stage.
    pub z: Vec<f64>,
}

impl StartingValues {
    /// For `n` states, and so many elements of all stages.
    pub fn new(n: usize, elements: usize) -> StartingValues {
        let method = Radau::new(n, RadauOrder::Five, NewtonOptions::default(), false);
        StartingValues { method, y: vec![0.0; n], z: vec![0.0; elements] }
    }

    /// Finds `z`; whether it got to the end of the step.
    pub fn explore(&mut self, system: &mut dyn System, from: &Point, h: f64, c: &[f64], tol: &Tolerance) -> bool {
        let n = self.y.len();
        let rough = Tolerance { rtol: tol.rtol.max(1e-4), atol: tol.atol.clone() };
        self.method.restart();
        self.y.copy_from_slice(from.y);
        let (mut passed, mut short, mut found) = (0.0, h / 64.0, 0);
        for _ in 0..MOST {
            let step = short.min(h - passed);
            let at = Point { t: from.t + passed, y: &self.y, d: from.d, f: None };
            match self.method.try_step(system, &at, step, &rough) {
                Ok(trial) if trial.error <= 1.0 => {
                    let end = if step < short { h } else { passed + step };
                    while found < c.len() && c[found] * h <= end {
                        let target = &mut self.z[found * n..(found + 1) * n];
                        self.method.interpolate((c[found] * h - passed) / step, target);
                        target.iter_mut().zip(from.y).for_each(|(z, y)| *z -= y);
                        found += 1;
                    }
                    self.y.copy_from_slice(self.method.end());
                    self.method.accept();
                    (passed, short) = (end, trial.next_h.unwrap_or(step));
                    if found == c.len() {
                        return true;
                    }
                }
                Ok(trial) => short = trial.next_h.unwrap_or(0.25 * step).min(0.9 * step),
                Err(_) => short = 0.25 * step,
            }
            if short < 1e-12 * h {
                return false;
            }
        }
        false
    }

    pub fn work(&self) -> Work {
        self.method.work()
    }
}
