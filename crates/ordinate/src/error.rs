//! The global error of a run: the difference of its rows and those of a companion with shorter steps or smaller tolerances,
//! which goes the same way through events, constraints and chaos.

mod carried;
mod companion_run;
mod difference;
mod estimate;
mod events;
mod grazes;
mod jumps;
mod kept;
mod path;

use crate::Compiled;
use crate::explain::Explanation;
use crate::recorder::{final_numbers, outputs_of_rows};
use crate::start::StartValues;
use companion_run::Compared;
pub(crate) use difference::{WithoutDigits, without_digits};
pub use estimate::GlobalError;
pub(crate) use kept::Kept;
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Choice, Method, Options, Outcome, Returning, Sink, Status, UsageError};

/// What is wanted of the global error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorWish {
    /// Nothing: it costs time.
    Off,
    /// An estimate.
    Estimate {
        /// Every row shows it, in columns after those of the solution.
        columns: bool,
        /// It is subtracted from the solution.
        correct: bool,
    },
}

impl ErrorWish {
    /// Whether rows wait for their error.
    pub(crate) fn waits(self) -> bool {
        matches!(self, ErrorWish::Estimate { columns: true, .. } | ErrorWish::Estimate { correct: true, .. })
    }
}

/// A change of a state of this part of its greatest value leaves no digit of it right.
const LOST: f64 = 0.1;
/// An error that is carried along with controlled steps is believed up to this part of the greatest value: the leading terms of
/// the errors of steps say little beyond.
const TRUSTED: f64 = 0.01;
/// A state that begins at less than so many absolute tolerances is not followed there.
const SEEN: f64 = 10.0;
/// What rounding makes of a zero, in parts of the greatest value.
const ROUNDING: f64 = 1e3 * f64::EPSILON;
/// A time that is this part of a step beside the end of one is there.
const ON_GRID: f64 = 1e-6;
/// Reasons that equations which were not solved well enough may have.
const UNSOLVED: [&str; 4] = ["newton_failed", "singular_jacobian", "step_too_small", "not_finite"];
/// The true time of a jump is within so many times what the two times of it foretell; 1.6 was the most among relaxation
/// oscillations and relays at tolerances from 1e-3 to 1e-6.
const REACH: f64 = 1.5;
/// Where no digit is right, only a part of this size tells that what was carried along is of no use.
const BLOWN_UP: f64 = 3.0;

/// What an estimate needs to know of the run.
pub(crate) struct Task<'a> {
    pub compiled: &'a Compiled,
    pub choice: Choice,
    pub start: &'a StartValues,
    pub t_start: f64,
    pub t_end: f64,
    pub options: &'a Options,
}

impl Task<'_> {
    /// The method, ready for a run; `follow`: it carries its error along, if it can.
    pub fn method(&self, follow: bool, evaluator: &mut Evaluator) -> Box<dyn Method> {
        let mut method = self.choice.build(self.compiled.program.layout.states, self.options.step.is_some());
        if follow && self.can_carry() {
            let otherwise = evaluator.starts_rounded_otherwise(self.t_start);
            let starts = self.start.states.iter().zip(&otherwise);
            method.follow_error(&starts.map(|(own, other)| own - other).collect::<Vec<f64>>());
        }
        method
    }

    /// One solution.
    pub fn solve(
        &self,
        mut method: Box<dyn Method>,
        evaluator: &mut Evaluator,
        options: &Options,
        t_end: f64,
        sink: &mut dyn Sink,
    ) -> Result<Outcome, UsageError> {
        ordinate_solve::solve(evaluator, method.as_mut(), &self.start.from(self.t_start), t_end, options, sink)
    }

    /// Whether an error that the method carries along is of use.
    fn can_carry(&self) -> bool {
        let (layout, states) = (&self.compiled.program.layout, self.compiled.program.visible);
        // The errors of delayed values and of discrete ones are not among those carried along.
        layout.discrete() == 0 && layout.delays.is_empty() && layout.states == states
    }

    /// The absolute tolerance of a state.
    fn atol(options: &Options, state: usize) -> f64 {
        options.atol.of(state)
    }

    /// The error that a state may have whatever its size: steps that are given know of no tolerance.
    fn asked(&self, state: usize) -> f64 {
        if self.options.step.is_some() { 0.0 } else { Task::atol(self.options, state) }
    }

    /// Whether a state begins at less than its tolerance lets see, but not at zero. What constraints leave of a start value of zero
    /// is rounding.
    fn begins_unseen(&self, state: usize, y: f64) -> bool {
        let constrained = self.compiled.program.layout.invariants > 0;
        let rounding = if constrained { ROUNDING * greatest(&self.start.states) } else { 0.0 };
        y.abs() > rounding && y.abs() < SEEN * Task::atol(self.options, state)
    }

    /// Whether all rows are at the ends of fixed steps, or where the run ended.
    fn rows_at_ends(&self, times: &[f64]) -> bool {
        let Some(step) = self.options.step else { return false };
        let (end, last) = (|t: f64| (t - self.t_start) / step, times.last().copied());
        times.iter().all(|t| (end(*t) - end(*t).round()).abs() < ON_GRID || Some(*t) == last)
    }

    /// What to try where equations could not be solved for a variable that is too small to be seen: they may be of a kind that
    /// bears no such error, as a logarithm is.
    pub fn hint_of_tolerance(&self, reason: &Explanation, outcome: &Outcome) -> Option<String> {
        let name = reason.variable.as_ref().filter(|_| UNSOLVED.contains(&reason.kind))?;
        let state = self.compiled.program.state_names.iter().position(|known| known == name)?;
        let y = outcome.y.get(state).copied()?;
        let see = crate::short(self.options.rtol * y.abs());
        self.begins_unseen(state, y).then(|| {
            format!(
                "`{name}` is {y:.1e} here, too small for --atol, so the method does not follow it: try --atol {see}"
            )
        })
    }

    /// Absolute tolerances that see a state which begins below those of the run. What is lost of it there may be lost for good,
    /// as in y′ = y, and a companion with the same tolerance loses the same.
    fn resolving(&self, options: &Options) -> AbsoluteTolerance {
        let atol = |(state, y): (usize, &f64)| {
            let (given, seen) = (Task::atol(options, state), options.rtol * y.abs());
            if self.begins_unseen(state, *y) { given.min(seen) } else { given }
        };
        AbsoluteTolerance::Each(self.start.states.iter().enumerate().map(atol).collect())
    }

    /// A corrected solution keeps to its algebraic equations and constraints as the computed one does: the error becomes what
    /// leads there.
    pub fn keep_to_constraints(
        &self,
        evaluator: &mut Evaluator,
        outcome: &Outcome,
        kept: &mut Kept,
        error: &mut GlobalError,
    ) {
        let layout = &self.compiled.program.layout;
        if layout.algebraic + layout.invariants == 0 || !self.can_carry() || error.rows.is_empty() {
            return;
        }
        kept.settle();
        let known = |error: f64| if error.is_nan() { 0.0 } else { error };
        let (states, time) = (error.states, &kept.columns[0]);
        let errors = &error.rows;
        let corrected = |row: usize| -> Vec<f64> {
            (0..states).map(|c| kept.columns[c + 1][row] + known(errors[c][row])).collect()
        };
        let mut rows: Vec<(f64, Vec<f64>)> = (0..time.len()).map(|row| (time[row], corrected(row))).collect();
        rows.push((outcome.t_reached, outcome.y.iter().zip(&error.last).map(|(y, e)| y + known(*e)).collect()));
        ordinate_solve::restore(evaluator, self.options, &[], &mut rows);
        let y = rows.pop().map_or_else(|| outcome.y.clone(), |(_, y)| y);
        let mut better: Vec<Vec<f64>> = (0..states).map(|c| rows.iter().map(|(_, y)| y[c]).collect()).collect();
        let outputs = outputs_of_rows(evaluator, time.len(), |row| time[row], |row, c| better[c][row]);
        better.extend(outputs);
        for (errors, (better, own)) in error.rows.iter_mut().zip(better.iter().zip(&kept.columns[1..])) {
            let differences = better.iter().zip(own).map(|(better, own)| better - own);
            errors.iter_mut().zip(differences).filter(|(e, _)| !e.is_nan()).for_each(|(e, found)| *e = found);
        }
        let [better, own] = [&y, &outcome.y].map(|y| final_numbers(self.compiled, evaluator, outcome, y));
        for (last, (better, own)) in error.last.iter_mut().zip(better.iter().zip(&own)) {
            *last = if last.is_nan() { *last } else { better - own };
        }
    }

    /// The error of `outcome`, whose rows are in `kept`; `outputs` is free for any use.
    pub fn global_error(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        outcome: &Outcome,
        kept: &mut Kept,
    ) -> Option<GlobalError> {
        let mut error = self.by_carrying_or_comparing(evaluator, outputs, outcome, kept);
        let may_sleep = self.options.h_max.is_none() && self.compiled.program.pulsed.contains(&true);
        if let Some(error) = error.as_mut().filter(|_| may_sleep) {
            kept.settle();
            error.find_idle(self.compiled, &kept.columns);
        }
        error
    }

    fn by_carrying_or_comparing(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        outcome: &Outcome,
        kept: &mut Kept,
    ) -> Option<GlobalError> {
        kept.sink.solved();
        let atol = |state| Task::atol(self.options, state);
        let Returning { unseen: returning, resting } =
            kept.path.may_return(&mut evaluator.another(), self.options.rtol, &atol);
        let (returns, leaves_rest) = (returning.contains(&true), resting.contains(&true));
        let companions =
            |kept: &Kept| self.choice.companions(self.options, outcome, self.rows_at_ends(&kept.columns[0]));
        if !returns && let Some(found) = self.carried(evaluator, outputs, outcome, kept) {
            let far = outcome.error.as_ref().is_some_and(|error| kept.path.is_small_beside(&error.largest));
            let other = if far { self.against_automatic(evaluator, outputs, outcome, kept) } else { None };
            let mut found = other.unwrap_or(found);
            if leaves_rest {
                kept.settle();
                let companion = &companions(kept)[0];
                self.look_for_growth(evaluator, outputs, (outcome, &mut *kept), companion, &mut found);
            }
            return Some(found);
        }
        kept.settle();
        let companions = companions(kept);
        let mut other_evaluator = evaluator.with_other_rounding();
        // Only a start value at the very edge of what is possible is wrong with another last bit.
        let start = StartValues::new(self.compiled, &mut other_evaluator, self.t_start);
        let start = StartValues { checks: Vec::new(), ..start.unwrap_or_else(|_| self.start.clone()) };
        let own = StartValues { checks: Vec::new(), ..self.start.clone() };
        // A system of higher index that is solved as it is may not bear start values that another rounding moved off their
        // equations: then the run is compared with one of the same rounding.
        let attempts = [(other_evaluator, start), (evaluator.clone(), own)];
        let mut best: Option<GlobalError> = None;
        let (mut far, mut shifts) = (false, None);
        // Variables of higher index are as wrong as the step that they are in: by chance two runs agree about them.
        let direct = !self.compiled.sorted.indices.is_empty();
        for (mut other_evaluator, start) in attempts {
            for companion in &companions {
                let beside = Task { start: &start, choice: self.choice.converging(), ..*self };
                let atol = self.resolving(&companion.options);
                let options = Options { atol, ..companion.options.clone() };
                let factor = |other: &Outcome| companion.factor(&outcome.statistics, &other.statistics);
                let Some(Compared { error: found, status, strayed, shifts: open }) =
                    beside.compared(&mut other_evaluator, outputs, (outcome, &mut *kept), &options, &factor)
                else {
                    continue;
                };
                match &mut best {
                    Some(best) if best.complete && found.complete => best.be_at_least(&found),
                    Some(best) if best.until >= found.until => {}
                    _ => best = Some(found),
                }
                far |= strayed;
                shifts = open.or(shifts);
                if status == Status::Interrupted {
                    best.iter_mut().for_each(|best| best.interrupted = true);
                    return best;
                }
                if !direct && best.as_ref().is_some_and(|best| best.complete) {
                    break;
                }
            }
            // A run that ended early ended where others do, more or less.
            if outcome.status != Status::Ok || best.as_ref().is_some_and(|best| best.complete) {
                break;
            }
        }
        if returns
            && let Some(error) =
                self.against_resolving(evaluator, outputs, (outcome, &mut *kept), &companions[0], &returning)
        {
            match &mut best {
                Some(best) if best.complete => best.be_at_least(&error),
                _ => best = Some(error),
            }
        }
        if leaves_rest && let Some(best) = best.as_mut().filter(|best| best.complete) {
            self.look_for_growth(evaluator, outputs, (outcome, &mut *kept), &companions[0], best);
        }
        if let Some(error) = shifts
            .and_then(|shifts| self.against_shifted(evaluator, outputs, (outcome, &mut *kept), &companions[0], shifts))
            && let Some(best) = best.as_mut().filter(|best| best.complete)
        {
            best.be_at_least(&error);
        }
        if far && let Some(error) = self.against_automatic(evaluator, outputs, outcome, kept) {
            best = Some(error);
        }
        if let Some(error) = best.as_mut().filter(|error| outcome.status == Status::Ok && !error.complete) {
            // What is known of the first part of a run is no estimate for all of it.
            error.largest.fill(f64::INFINITY);
        }
        if let Some(error) = best.as_mut().filter(|error| error.lost.is_some()) {
            let starts = self.start.states[..error.states].iter().enumerate();
            let unseen = starts.filter(|(state, y)| self.begins_unseen(*state, **y)).map(|(state, y)| (state, y.abs()));
            let smallest = unseen.min_by(|a, b| a.1.total_cmp(&b.1));
            error.unseen = smallest.map(|(state, y)| (state, self.options.rtol * y));
        }
        best
    }
}

/// The largest absolute value.
fn greatest(column: &[f64]) -> f64 {
    column.iter().fold(0.0, |most: f64, y| most.max(y.abs()))
}

/// |error|, but nothing that was computed is better than its last bit; infinite where it is no number.
fn size(error: f64, value: f64) -> f64 {
    let size = error.abs();
    if size.is_nan() { f64::INFINITY } else { size.max(0.5 * f64::EPSILON * value.abs()) }
}
