//! The run beside a run: the same method with shorter steps or smaller tolerances. Both errors go the same way, through events,
//! projections and chaos, so their difference tells the error of the first run without a linearisation that could fail.
//!
//! Where steps shorten by r, the error of a method of order p shrinks by rᵖ, and
//!
//! ```text
//!   y(t) − y_h = (y_rh − y_h) / (1 − rᵖ) + …
//! ```
//!
//! (Hairer, Nørsett, Wanner I, II.4 and II.8). The same holds for controlled steps: those of an estimate that grows with hᵏ
//! shorten by r where the tolerances shrink by rᵏ. Rounding differs in every step of the two runs, and is part of the
//! difference.

use crate::{AbsoluteTolerance, Choice, Options, Outcome, Statistics};

/// A run beside another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// Its options; its rows are those of the other.
    pub options: Options,
    /// Whether it is more accurate than the run.
    finer: bool,
    /// The error of the more accurate one as part of the error of the other.
    left: f64,
    /// The order, where it is the same in all steps.
    order: Option<i32>,
}

impl Companion {
    /// The error of the run is this many times the difference companion − run. A companion that took more steps than it was
    /// meant to is more accurate than it was meant to be.
    pub fn factor(&self, run: &Statistics, companion: &Statistics) -> f64 {
        let shorter = run.steps.max(1) as f64 / companion.steps.max(1) as f64;
        // y − y_h is (y_H − y_h)·left/(left − 1) with a less accurate y_H
        match (self.finer, self.order) {
            (true, Some(p)) => 1.0 / (1.0 - self.left.min(shorter.powi(p))),
            (true, None) => 1.0 / (1.0 - self.left),
            (false, _) => -self.left / (1.0 - self.left),
        }
    }
}

/// Steps are not shorter than this part: the companion would cost more than 1.5 times the run.
const SHORTEST: f64 = 2.0 / 3.0;
/// Where the order varies, steps need not be much shorter, only other ones.
const SHORTER: f64 = 0.9;
/// The error that the companion should have, as part of that of the run.
const LEFT: f64 = 0.2;
/// Tolerances that differ less may lead to the same steps.
const TIGHTER: f64 = 0.1;
/// Where errors follow the tolerance in jumps.
const TIGHTER_BEYOND_JUMPS: f64 = 0.01;
/// Where the order varies: the error at tolerances that are so much smaller. It was 0.05–0.3 in most models of the gallery.
const LEFT_OF_TIGHTER: f64 = 0.15;
/// The steps of a companion, in those of the run.
const MOST_STEPS: u64 = 20;
/// Errors of runs with a larger relative tolerance do not follow it: their companions have at most this one, at little cost.
/// Methods of first order would need many more steps for that.
const LOOSE: f64 = 1e-4;
/// The tolerance of a run that has no error but rounding.
const RTOL_OF_ROUNDING: f64 = 1e-14;
/// The same where rounding does not let that one come to its end.
const RTOL_ABOVE_ROUNDING: f64 = 1e-11;
/// A smaller relative tolerance only adds rounding.
const SMALLEST_RTOL: f64 = 2e-15;

impl Choice {
    /// The companions of a run with this method, in the order in which they should be tried: one that is more accurate, and a
    /// less accurate one for where that fails. A run that exceeds its tolerances is compared with one of shorter steps that has
    /// no error but rounding; where that fails, with one that has some: a less accurate one would not tell how far the run
    /// exceeds them.
    /// Where rows are at the ends of fixed steps, `at_ends`, those of the companion are, too: what a method says of the inside of a
    /// step is less accurate.
    pub fn companions(&self, options: &Options, outcome: &Outcome, at_ends: bool) -> [Companion; 2] {
        let p = f64::from(self.order_of_run());
        let (ratio, tighter, left) = if outcome.exceeds {
            (SHORTEST, (RTOL_OF_ROUNDING / options.rtol).min(TIGHTER), 0.0)
        } else if self.order_varies() {
            let tighter = if self.jumps() { TIGHTER_BEYOND_JUMPS } else { TIGHTER };
            (if options.step.is_some() { SHORTEST } else { SHORTER }, tighter, LEFT_OF_TIGHTER)
        } else {
            let exponent = self.build(1, options.step.is_some()).error_exponent().map_or(p + 1.0, f64::from);
            let ratio = LEFT.powf(1.0 / p).min(TIGHTER.powf(1.0 / exponent)).max(SHORTEST);
            let loose =
                if options.step.is_none() && p > 1.0 { (LOOSE / options.rtol).powf(1.0 / exponent) } else { 1.0 };
            let ratio = ratio.min(loose);
            (ratio, ratio.powf(exponent), ratio.powf(p))
        };
        let (ratio, left) = match at_ends {
            true if outcome.exceeds || self.order_varies() => (0.5, left),
            true => (0.5, 0.5f64.powf(p)),
            false => (ratio, left),
        };
        let order = (!self.order_varies() && !outcome.exceeds).then(|| self.order_of_run() as i32);
        let second = match outcome.exceeds {
            true => (true, ratio, (RTOL_ABOVE_ROUNDING / options.rtol).min(TIGHTER), LEFT_OF_TIGHTER),
            false => (false, 1.0 / ratio, 1.0 / tighter, left),
        };
        [(true, ratio, tighter, left), second].map(|(finer, ratio, tighter, left)| {
            let mut options = options.clone();
            // Where the step is fixed, tolerances only end the series of Taylor methods.
            options.step = options.step.map(|h| h * ratio);
            options.rtol = (options.rtol * tighter).max(SMALLEST_RTOL.min(options.rtol));
            options.atol = match options.atol {
                AbsoluteTolerance::Same(atol) => AbsoluteTolerance::Same(atol * tighter),
                AbsoluteTolerance::Each(each) => {
                    AbsoluteTolerance::Each(each.iter().map(|atol| atol * tighter).collect())
                }
            };
            options.divide = finer;
            // one that takes many more is lost, at a pole for example
            options.max_steps = MOST_STEPS * (outcome.statistics.steps + outcome.statistics.rejected + 1000);
            // Stability, the end or the first steps may limit steps so that a tolerance does not matter.
            if options.step.is_none() && ratio < 1.0 && outcome.statistics.h_max > 0.0 {
                let longest = ratio * outcome.statistics.h_max;
                options.h_max = Some(options.h_max.map_or(longest, |h| h.min(longest)));
            }
            Companion { options, finer, left, order }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Status, by_name};

    fn outcome() -> Outcome {
        Outcome {
            defect: None,
            status: Status::Ok,
            reason: None,
            t_reached: 1.0,
            y: Vec::new(),
            d: Vec::new(),
            delayed: Vec::new(),
            sliding: None,
            inconsistency: None,
            below_atol: None,
            step: None,
            statistics: Statistics::default(),
            stiff: false,
            energy: None,
            conflict: None,
            selections: Vec::new(),
            grazes: Vec::new(),
            true_at_start: Vec::new(),
            chosen: None,
            exceeds: false,
            error: None,
        }
    }

    #[test]
    fn companions_cost_at_most_half_as_much_again() {
        let options = Options { step: Some(0.3), ..Options::default() };
        for name in crate::names() {
            let [finer, coarser] = by_name(name).expect("a method").companions(&options, &outcome(), false);
            let (short, long) = (finer.options.step.expect("fixed"), coarser.options.step.expect("fixed"));
            assert!((0.2..0.29).contains(&(short + 1e-12)) && long > 0.31, "{name}: {short} {long}");
        }
    }

    /// Whatever the run is, the difference to each of its companions is told, not a nothing of it.
    #[test]
    fn no_companion_takes_the_error_for_zero() {
        for (name, exceeds) in [("taylor", true), ("taylor", false), ("radau", false), ("rk4", false)] {
            let outcome = Outcome { exceeds, ..outcome() };
            for companion in by_name(name).expect("a method").companions(&Options::default(), &outcome, false) {
                let factor = companion.factor(&outcome.statistics, &outcome.statistics);
                assert!(factor.abs() > 0.1, "{name}, exceeds: {exceeds}, finer: {}: {factor}", companion.finer);
                assert!(companion.options.rtol < 1.0, "{name}: {}", companion.options.rtol);
            }
        }
    }

    /// Both companions must find the error of a quantity that behaves as the order says: that of the method, or of its start.
    #[test]
    fn both_companions_find_the_error() {
        for (name, order) in [("euler", 1), ("rk4", 4), ("dp8", 8), ("radau5", 5), ("ab4", 2), ("am4", 3), ("abm", 2)] {
            let options = Options { step: Some(0.1), ..Options::default() };
            let error = |options: &Options| 7.0 * options.step.expect("fixed").powi(order);
            for companion in by_name(name).expect("a method").companions(&options, &outcome(), false) {
                let steps = |options: &Options| (1e6 / options.step.expect("fixed")) as u64;
                let [run, beside] = [&options, &companion.options]
                    .map(|options| Statistics { steps: steps(options), ..Statistics::default() });
                let found = companion.factor(&run, &beside) * (error(&companion.options) - error(&options));
                assert!((found / -error(&options) - 1.0).abs() < 1e-5, "{name}: {found} {}", error(&options));
            }
        }
    }
}
