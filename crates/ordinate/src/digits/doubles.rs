//! The search in double precision, for models that allow no other: runs are compared with coarser ones, with another method, and
//! with one whose constants are wrong by a multiple of their rounding.

use super::samples::{Difference, Grid, Samples};
use super::search::{FINEST_OF_CHECK, Found, MAX_STEPS_OF_CHECK, MOST_IN_DOUBLES, Plan, Search};
use crate::{Compiled, RunError, RunOptions};
use ordinate_program::{Program, Rounding};
use ordinate_solve::Status;
use std::sync::Arc;

/// Steps of an implicit method that is only compared with.
const MAX_IMPLICIT_STEPS: u64 = 300_000;

/// The smallest tolerance of such a method, as a negative power of ten.
const FINEST_OF_IMPLICIT: f64 = 11.0;

/// By so many times its rounding a constant is moved to see what that does.
const DISTURBANCE: u32 = 32;

impl Search<'_, '_> {
    /// Runs in doubles compared with a finer tolerance and with another method.
    pub(super) fn in_doubles(&self, look: &Samples, stiff: bool, why: String) -> Result<Plan, RunError> {
        let scales = look.scales();
        let implicit = stiff || self.grid.compiled.program.layout.algebraic > 0;
        let other = if implicit { "bdf" } else { "dp8" };
        let mut best: Option<Found> = None;
        let mut before: Option<Samples> = None;
        for exponent in [1.0, 2.0, 3.0, 4.0] {
            let exponent = (f64::from(self.asked.min(12)) + exponent).min(14.5);
            let options = self.tolerances(&self.options.method, exponent, &scales);
            let (run, samples) = self.grid.doubles(&options)?;
            if run.outcome.status != Status::Ok {
                break;
            }
            if let Some(coarser) = before.replace(samples) {
                let samples = before.as_ref().expect("it was put there");
                let mut found = samples.difference(&coarser);
                // Runs that are the same to the last bit have the same rounding, too.
                found.digits = found.digits.min(f64::from(MOST_IN_DOUBLES) + 0.9);
                let mut opinion = String::new();
                // The other method is asked only where there is something to confirm.
                if self.enough(found.digits) || best.as_ref().is_none_or(|known| known.reached < found.digits) {
                    let (confirmed, text) = self.other_method(samples, other, implicit, &scales)?;
                    opinion = text;
                    if confirmed.digits < found.digits {
                        found = confirmed;
                    }
                }
                if best.as_ref().is_none_or(|known| known.reached < found.digits) {
                    let checked_by = format!("a coarser tolerance and {opinion}");
                    best = Some(self.found(options, &found, checked_by, || {
                        format!(
                            "double precision gives no more here, \
                         and {why}"
                        )
                    }));
                }
                if self.enough(found.digits) {
                    break;
                }
            }
        }
        match best {
            Some(found) => self.with_rounded_constants(found, before.as_ref(), &why),
            None => Ok(Plan::Ended(RunOptions { rtol: 1e-12, atol: 1e-14, ..self.options.clone() })),
        }
    }

    /// What rounding of the constants costs, which all runs in doubles share: found by a run with constants that are
    /// wrong by a multiple of it.
    fn with_rounded_constants(&self, found: Found, samples: Option<&Samples>, why: &str) -> Result<Plan, RunError> {
        let Some(samples) = samples else { return Ok(Plan::Found(found)) };
        let own = &self.grid.compiled.program;
        let program = Arc::new(Program { rounding: Rounding::Moved(DISTURBANCE), ..Program::clone(own) });
        let compiled = Compiled { program, ..self.grid.compiled.clone() };
        let Grid { allowance, parts, range, .. } = self.grid;
        let grid = Grid { compiled: &compiled, allowance, parts, range };
        let (run, disturbed) = grid.doubles(&found.options)?;
        let cost = samples.difference(&disturbed);
        let digits = cost.digits + f64::from(DISTURBANCE).log10();
        if run.outcome.status != Status::Ok || digits >= found.reached {
            return Ok(Plan::Found(found));
        }
        let checked_by = format!("{}, and with perturbed constants", found.checked_by);
        let why = || format!("rounding of the constants costs the rest, and {why}");
        Ok(Plan::Found(self.found(found.options, &Difference { digits, ..cost }, checked_by, why)))
    }

    /// How another method sees it. It may have fewer digits itself; that it comes nearer with a finer tolerance is then as
    /// much as it can say, and its digits do not count.
    fn other_method(
        &self,
        samples: &Samples,
        method: &str,
        implicit: bool,
        scales: &[f64],
    ) -> Result<(Difference, String), RunError> {
        let max_steps = if implicit { MAX_IMPLICIT_STEPS } else { MAX_STEPS_OF_CHECK };
        let look = |exponent: f64| {
            let options = self.tolerances(method, exponent, scales);
            let (run, other) = self.grid.doubles(&RunOptions { max_steps, ..options })?;
            Ok((run.outcome.status == Status::Ok).then(|| samples.difference(&other)))
        };
        let most = if implicit { FINEST_OF_IMPLICIT } else { FINEST_OF_CHECK };
        let finest = (f64::from(self.asked) + 2.0).min(most);
        // A tolerance that it cannot bear says nothing; a coarser one may.
        let mut exponent = finest;
        let mut fine = look(exponent)?;
        while fine.is_none() && exponent > 7.0 {
            exponent -= 3.0;
            fine = look(exponent)?;
        }
        let Some(mut fine) = fine else {
            let none = Difference { digits: 0.0, state: 0, lost: None };
            return Ok((none, format!("{method} (which does not reach the end)")));
        };
        if fine.digits < f64::from(self.asked) {
            let mut coarse = look(exponent - 2.0)?;
            // One that is not near enough may come nearer.
            if exponent == finest
                && finest + 1.0 < most
                && let Some(finer) = look(most)?.filter(|finer| finer.digits > fine.digits)
            {
                (coarse, fine) = (Some(fine), finer);
            }
            if self.enough(fine.digits) {
                return Ok((fine, method.to_string()));
            }
            if coarse.is_some_and(|coarse| fine.digits > coarse.digits + 1.0 && fine.digits > 4.0) {
                let all = Difference { digits: f64::INFINITY, ..fine };
                return Ok((all, format!("{method} (which converges to it, {:.1} digits so far)", fine.digits)));
            }
        }
        Ok((fine, method.to_string()))
    }
}
