//! How long the next step of a Radau method should be, and of how many stages.

use super::coefficients::{Coefficients, FIVE, SEVEN, THREE};
use crate::driver::controller::inverse_root;

/// The predictive controller of K. Gustafsson, ACM TOMS 20 (1994) 496–517, in the form of Hairer, Wanner II, IV.8, eq.
/// (8.19)–(8.20).
///
/// ```text
///   h_new = h · fac · err^(−1/p),   fac = 0.9 (2k + 1)/(2k + iterations)      k: the most iterations
///   h_new ≤ 0.9 h (h/h_old) (err_old/err²)^(1/p)
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control {
    /// Length and error of the step accepted last, if the next one continues it.
    last: Option<(f64, f64)>,
    after_rejection: bool,
    /// The last attempt was too long for Newton's method.
    after_slow: bool,
}

const SAFETY: f64 = 0.9;
const SHRINK_MOST: f64 = 0.2;
const GROW_MOST: f64 = 8.0;
/// A step that would grow by less keeps its length, and so do the factors of its matrices.
const WORTH_IT: f64 = 1.2;

impl Control {
    /// The step after one of length `h`, whether or not it is good.
    pub fn next(&self, h: f64, error: f64, exponent: u32, effort: (u32, u32)) -> f64 {
        let (iterations, most) = (f64::from(effort.0), f64::from(effort.1));
        let factor = SAFETY * (2.0 * most + 1.0) / (2.0 * most + iterations);
        let mut growth = (factor.min(SAFETY) * inverse_root(error, exponent)).clamp(SHRINK_MOST, GROW_MOST);
        if error > 1.0 {
            return h * if self.last.is_none() { growth.min(0.25) } else { growth.min(SAFETY) };
        }
        if let Some((h_last, error_last)) = self.last {
            let predicted = SAFETY * h / h_last * inverse_root(error * error / error_last, exponent);
            growth = growth.min(predicted.clamp(SHRINK_MOST, GROW_MOST));
            // Where Newton's method makes steps shorter and shorter, the next one will have to be shorter by as much.
            if self.after_slow {
                growth = growth.min((h / h_last).max(SHRINK_MOST));
            }
        }
        if self.after_rejection { h * growth.min(1.0) } else { h * growth }
    }

    /// Whether a step had better keep its length.
    pub fn keeps(h: f64, next: f64) -> bool {
        (1.0..=WORTH_IT).contains(&(next / h))
    }

    pub fn accepted(&mut self, h: f64, error: f64) {
        self.last = Some((h, error.max(1e-2)));
        (self.after_rejection, self.after_slow) = (false, false);
    }

    pub fn rejected(&mut self) {
        self.after_rejection = true;
    }

    /// Newton's method did not converge.
    pub fn not_solved(&mut self) {
        (self.after_rejection, self.after_slow) = (true, true);
    }

    pub fn restart(&mut self) {
        *self = Control::default();
    }

    /// Whether no step has been accepted, or the last attempt was rejected: an error may be a false alarm then.
    pub fn is_unsure(&self) -> bool {
        self.last.is_none() || self.after_rejection
    }
}

/// The choice of the number of stages by the rate of convergence θ of Newton's method: Hairer, Wanner, J. Comput. Appl. Math.
/// 111 (1999) 93–111, section 2. More stages where it converges fast and the step stays as it is; fewer where it hardly does.
///
/// Their θ ≤ 0.002, ten steps in between and steps that grow by less than 1.2 are too cautious here: with these constants van der
/// Pol's equation, the oregonator and the pendulum (index 1 to 3) take up to half the time at 10⁻⁸, kinetics whose steps grow all
/// the way take 0.6 of it at 10⁻⁶, and none takes more than a tenth longer at equal error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ladder {
    stage: usize,
    /// Steps since the last change.
    steps: u32,
    rate: f64,
    failed: bool,
}

static RUNGS: [&Coefficients; 3] = [&THREE, &FIVE, &SEVEN];

const FAST: f64 = 0.02;
/// More stages come only after so many steps.
const SETTLED: u32 = 5;
/// And where the next step is about as long as the last one, or grows steadily.
const STEADY: std::ops::RangeInclusive<f64> = 0.8..=2.5;
const HARDLY: f64 = 0.8;

impl Ladder {
    pub const fn new() -> Ladder {
        Ladder { stage: 0, steps: 0, rate: 0.0, failed: false }
    }

    pub fn method(&self) -> &'static Coefficients {
        RUNGS[self.stage]
    }

    /// A step could not be solved.
    pub fn failed(&mut self) {
        self.failed = true;
    }

    /// Before a step: `ratio` is its length in units of the last one, `rate` and `iterations` are those of the last one.
    pub fn choose(&mut self, ratio: f64, rate: f64, iterations: u32) {
        self.steps += 1;
        self.rate = rate.max(0.5 * self.rate).min(10.0);
        let mut stage = self.stage;
        if iterations > 1 && self.rate <= FAST && STEADY.contains(&ratio) && self.steps > SETTLED {
            stage = (stage + 1).min(RUNGS.len() - 1);
        }
        if self.rate >= HARDLY || self.failed {
            stage = stage.saturating_sub(1).min(self.stage);
        }
        self.failed = false;
        if stage != self.stage {
            (self.stage, self.steps) = (stage, 1);
        }
    }
}
