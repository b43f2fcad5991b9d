//! The search for a method, tolerances and a precision whose result has the digits asked for, where the model can be solved
//! beyond double precision: its runs are compared with those.

use super::samples::{Difference, Grid, Samples};
use crate::precise::obstacle;
use crate::{RunError, RunOptions, short};
use ordinate_numbers::MAX_DIGITS;
use ordinate_solve::{AUTOMATIC, Reason, Status, by_name};

/// More digits than this are not tried in double precision.
pub(super) const MOST_IN_DOUBLES: u32 = 14;

/// Products of numbers that one run may cost: less than a minute; and where the model is stiff, for which this method is
/// not made.
const MAX_PRODUCTS: f64 = 1e9;
const MAX_PRODUCTS_STIFF: f64 = 6e7;

/// Steps of a method that is only compared with.
pub(super) const MAX_STEPS_OF_CHECK: u64 = 2_000_000;

/// The smallest tolerance of such a method in doubles, as a negative power of ten.
pub(super) const FINEST_OF_CHECK: f64 = 13.5;

/// What is run in the end.
pub(super) enum Plan {
    Found(Found),
    /// The run ends early, digits or not.
    Ended(RunOptions),
}

/// A way to solve the model, and what is known about it.
pub(super) struct Found {
    pub options: RunOptions,
    /// Digits that agree with what it was compared with.
    pub reached: f64,
    /// The state that has the fewest.
    pub state: usize,
    pub checked_by: String,
    /// Why there are no more, where they are not enough.
    pub why: Option<String>,
}

/// The search for a way to the digits asked for.
pub(super) struct Search<'a, 's> {
    pub options: &'a RunOptions,
    pub asked: u32,
    pub grid: Grid<'a, 's>,
}

impl Search<'_, '_> {
    /// Finds a way with the digits asked for, or with as many as there are.
    pub fn plan(&self) -> Result<Plan, RunError> {
        // A first look: how large the states are, whether the run reaches its end, whether it is stiff.
        let first = RunOptions { rtol: 1e-9, atol: 1e-12, ..self.options.clone() };
        let (look, samples) = self.grid.doubles(&first)?;
        if look.outcome.status != Status::Ok || look.reason.as_ref().is_some_and(|r| r.kind == "inconsistent_start") {
            return Ok(Plan::Ended(RunOptions { rtol: 1e-12, atol: 1e-14, ..self.options.clone() }));
        }
        let implicit = |name: &str| ["radau", "bdf"].iter().any(|family| name.contains(family));
        let stiff = look.outcome.stiff || implicit(&look.methods());
        let named = !self.options.method.eq_ignore_ascii_case(AUTOMATIC);
        let taylor = by_name(&self.options.method).is_some_and(|choice| choice.name() == "taylor");
        match obstacle(self.grid.compiled) {
            Some(why) => self.in_doubles(&samples, stiff, why),
            None if named && !taylor => self.named_method(&samples),
            None => self.beyond_doubles(&samples, stiff),
        }
    }

    /// Tolerances for so many digits of states of these sizes.
    pub(super) fn tolerances(&self, method: &str, exponent: f64, scales: &[f64]) -> RunOptions {
        let rtol = 10f64.powf(-exponent).max(1e-15);
        let mut atol: Vec<f64> = scales.iter().map(|scale| (scale * rtol).max(1e-300)).collect();
        let largest = scales.iter().copied().fold(1.0, f64::max);
        // states that are not shown are measured by what is
        atol.truncate(self.grid.compiled.program.visible);
        atol.resize(self.grid.compiled.program.layout.states, rtol * largest);
        RunOptions { method: method.into(), rtol, atol_each: Some(atol), ..self.options.clone() }
    }

    pub(super) fn enough(&self, digits: f64) -> bool {
        digits >= f64::from(self.asked)
    }

    /// A way that was compared with another one; `why` says, where that does not suffice, why there are no more digits.
    pub(super) fn found(
        &self,
        options: RunOptions,
        compared: &Difference,
        checked_by: String,
        why: impl FnOnce() -> String,
    ) -> Found {
        let (reached, state) = (compared.digits, compared.state);
        let why = (!self.enough(reached)).then(why);
        Found { options, reached, state, checked_by, why }
    }

    /// Runs in doubles compared with one of more digits; then runs of more digits compared with each other.
    fn beyond_doubles(&self, look: &Samples, stiff: bool) -> Result<Plan, RunError> {
        let limit = if stiff { MAX_PRODUCTS_STIFF } else { MAX_PRODUCTS };
        let mut digits = (self.asked + 8).max(20);
        let (mut candidate, ended) = self.grid.precise(self.options, digits, limit)?;
        if matches!(ended, Some(Reason::MaxSteps { .. } | Reason::TooSlow { .. })) {
            let why = "the model is too stiff or too long for the method that works beyond double precision";
            return self.in_doubles(look, stiff, why.into());
        }
        if let Some(Reason::NoSeries { t, .. }) = ended {
            let why = format!("beyond double precision there is no method without a Taylor series at t = {}", short(t));
            return self.in_doubles(look, stiff, why);
        }
        if ended.is_some() {
            return Ok(Plan::Ended(RunOptions { precision: Some(digits), ..self.options.clone() }));
        }
        let scales = candidate.scales();
        if self.asked <= MOST_IN_DOUBLES {
            for exponent in [1.0, 3.0] {
                let options = self.tolerances(&self.options.method, f64::from(self.asked) + exponent, &scales);
                let (_, samples) = self.grid.doubles(&options)?;
                let found = candidate.difference(&samples);
                if self.enough(found.digits) && samples.reaches_as_far_as(&candidate) {
                    let (opinion, checked_by) = self.second_opinion(&candidate, &scales, stiff, digits)?;
                    let denied = opinion.filter(|other| self.denies(other));
                    let why = || "dp8 finds another solution, so one of the two has missed something".into();
                    return Ok(Plan::Found(self.found(options, &denied.unwrap_or(found), checked_by, why)));
                }
            }
        }
        let mut best: Option<(u32, Difference)> = None;
        let mut needed = None;
        for _ in 0..6 {
            let more = digits + 4;
            let (reference, ended) = self.grid.precise(self.options, more, limit)?;
            if ended.is_some() {
                break;
            }
            let found = reference.difference(&candidate);
            if best.is_none_or(|(_, known)| known.digits < found.digits) {
                best = Some((more, found));
            }
            if self.enough(found.digits) {
                break;
            }
            digits = self.next_digits(digits, &found);
            if digits > MAX_DIGITS - 4 || !self.grid.allowance.affords(digits, limit) {
                needed = Some(digits);
                break;
            }
            let (next, ended) = self.grid.precise(self.options, digits, limit)?;
            if ended.is_some() {
                break;
            }
            candidate = next;
        }
        let Some((digits, found)) = best else {
            return self.in_doubles(look, stiff, "a run beyond double precision did not reach the end".into());
        };
        let why = || {
            let lost = found.lost.map_or_else(String::new, |part| {
                let (from, to) = self.grid.range;
                format!("; with {digits} digits all are lost at t = {}", short(from + part * (to - from)))
            });
            let needed = needed.map_or_else(String::new, |needed| {
                format!(
                    "; about {needed} would be needed, too much work for an automatic search (`--precision \
                         {needed}` does it)"
                )
            });
            format!("the solution amplifies every error too much{lost}{needed}")
        };
        let options = RunOptions { precision: Some(digits), ..self.options.clone() };
        let checked_by = format!("taylor in {}-digit arithmetic", digits - 4);
        Ok(Plan::Found(self.found(options, &found, checked_by, why)))
    }

    /// How many digits the arithmetic needs, as far as two runs tell. Errors grow exponentially where they grow much, so a
    /// run that lost all its digits after a part of its time needs so many for each such part.
    fn next_digits(&self, digits: u32, found: &Difference) -> u32 {
        let needed = match found.lost {
            Some(part) => f64::from(digits) / part + f64::from(self.asked) + 2.0,
            None => f64::from(digits + self.asked) - found.digits + 3.0,
        };
        (needed.ceil() as u32).clamp(digits + 4, 4 * MAX_DIGITS)
    }

    /// What a result in doubles was compared with: numbers of more digits, and an independent method where that can tell.
    fn second_opinion(
        &self,
        reference: &Samples,
        scales: &[f64],
        stiff: bool,
        digits: u32,
    ) -> Result<(Option<Difference>, String), RunError> {
        let own = format!("taylor in {digits}-digit arithmetic");
        if stiff {
            return Ok((None, own));
        }
        let mut opinion: Option<Difference> = None;
        // A coarse tolerance may say nothing where errors grow.
        for more in [2.0, 5.0, 8.0] {
            let exponent = (f64::from(self.asked.min(11)) + more).min(FINEST_OF_CHECK);
            let options = self.tolerances("dp8", exponent, scales);
            let (run, samples) = self.grid.doubles(&RunOptions { max_steps: MAX_STEPS_OF_CHECK, ..options })?;
            if run.outcome.status != Status::Ok {
                break;
            }
            let found = reference.difference(&samples);
            if opinion.is_none_or(|known| known.digits < found.digits) {
                opinion = Some(found);
            }
            if exponent == FINEST_OF_CHECK || !self.denies(&found) {
                break;
            }
        }
        let confirmed = |found: &Difference| format!("{own}; dp8 agrees to {:.1}", found.digits);
        Ok((opinion, opinion.as_ref().map_or(own.clone(), confirmed)))
    }

    /// What doubles can compute, an independent method can confirm, if only to half of the digits.
    fn denies(&self, opinion: &Difference) -> bool {
        opinion.digits < 0.5 * f64::from(self.asked.min(11))
    }

    /// A method that was asked for, compared with numbers of more digits.
    fn named_method(&self, look: &Samples) -> Result<Plan, RunError> {
        let digits = (self.asked + 8).max(20);
        let (reference, ended) = self.grid.precise(self.options, digits, MAX_PRODUCTS)?;
        if ended.is_some() {
            let why = format!("`{}` runs in double precision only", self.options.method);
            return self.in_doubles(look, true, why);
        }
        let mut best: Option<Found> = None;
        for exponent in [1.0, 2.5, 4.0] {
            let options = self.tolerances(&self.options.method, f64::from(self.asked) + exponent, &reference.scales());
            let (run, samples) = self.grid.doubles(&options)?;
            let found = reference.difference(&samples);
            if run.outcome.status != Status::Ok || best.as_ref().is_some_and(|known| known.reached >= found.digits) {
                break;
            }
            let checked_by = format!("taylor in {digits}-digit arithmetic");
            let why = || format!("`{}` loses them; without `-m` there may be more", self.options.method);
            best = Some(self.found(options, &found, checked_by, why));
            if self.enough(found.digits) {
                break;
            }
        }
        match best {
            Some(found) => Ok(Plan::Found(found)),
            None => Ok(Plan::Ended(self.options.clone())),
        }
    }
}
