//! The global error of a run: the difference of its rows and those of a companion with shorter steps or smaller tolerances,
//! which goes the same way through events, constraints and chaos.

mod beside;
mod carried;
mod difference;
mod kept;
mod path;

use crate::Compiled;
use crate::explain::Explanation;
use crate::recorder::{final_numbers, outputs_of_rows};
use crate::start::StartValues;
use beside::Compared;
pub(crate) use difference::{WithoutDigits, without_digits};
pub(crate) use kept::Kept;
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Choice, Method, Options, Outcome, Sink, Status, UsageError};
use path::Shift;

/// What is wanted of the global error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorWish {
    /// Nothing: it costs time.
    Off,
    /// An estimate.
    Estimate {
        /// Every row shows it, in columns behind those of the solution.
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

/// The global error of a run: |computed − true|, estimated.
#[derive(Clone, Debug, Default)]
pub struct GlobalError {
    /// The columns of the result without `time`.
    pub names: Vec<String>,
    /// The first so many of them are states; the others are functions of them.
    pub states: usize,
    /// Which of them are variables of the equations: the states, and what equations determine beside them.
    pub variables: Vec<bool>,
    /// The largest error of each column over all rows.
    pub largest: Vec<f64>,
    /// The error of each column where the run ended.
    pub last: Vec<f64>,
    /// The error of each column, row by row with its sign, true − computed; empty where there were too many rows to keep.
    pub rows: Vec<Vec<f64>>,
    /// The time of the last row with an estimate.
    pub until: f64,
    /// Whether that is the end.
    pub complete: bool,
    /// From this time on no digit of this state is right.
    pub lost: Option<(usize, f64)>,
    /// A state that has no right digit either, but stayed below its absolute tolerance with its error, so nobody asked for one; and
    /// the greatest value that it had.
    pub faint: Option<(usize, f64)>,
    /// Where a state has lost its digits: one that began too small for the absolute tolerance, and one that would see it.
    pub unseen: Option<(usize, f64)>,
    /// A state that was zero in all rows though its equation has an input that may be asleep there: nothing is known of its error.
    pub idle: Option<usize>,
    /// Whether it was subtracted from the result. It is the error of the result before.
    pub corrected: bool,
}

impl GlobalError {
    /// The largest error of all variables, or of what there is.
    pub fn estimate(&self) -> f64 {
        let none = !self.variables.contains(&true);
        let counted = (0..self.names.len()).filter(|&column| none || self.is_variable(column));
        counted.map(|column| self.largest[column]).fold(0.0, f64::max)
    }

    /// Whether a column is a variable of the equations, not a function of them.
    pub fn is_variable(&self, column: usize) -> bool {
        self.variables.get(column) == Some(&true)
    }

    /// Nothing is known: the run has no meaning, and another one like it has none either.
    pub(crate) fn lose(&mut self) {
        self.largest.fill(f64::INFINITY);
        self.last.fill(f64::NAN);
        self.rows.iter_mut().flatten().for_each(|error| *error = f64::NAN);
        (self.until, self.complete) = (f64::NEG_INFINITY, false);
    }

    /// Looks for a state that nothing is known of, in the columns of the run, the first of which is the time.
    pub(crate) fn find_idle(&mut self, compiled: &Compiled, columns: &[Vec<f64>]) {
        let mut equations = compiled.program.pulsed.iter().zip(columns.iter().skip(1)).take(self.states);
        self.idle = equations.position(|(pulsed, column)| *pulsed && column.iter().all(|y| *y == 0.0));
        if let Some(state) = self.idle {
            (self.complete, self.largest[state], self.last[state]) = (false, f64::INFINITY, f64::NAN);
        }
    }

    /// Rows beside a jump that may be on its other side in truth have lost their digits, whatever two runs say that are on the same
    /// side there: how much is unknown, but not more than the jump. What is computed from the states jumps with them; `outputs`
    /// evaluates it where nothing but states matters.
    /// Jumps of no more than what is `asked` of a state do not count.
    fn look_beside_jumps(
        &mut self,
        kept: &Kept,
        shifts: &[Shift],
        asked: &dyn Fn(usize) -> f64,
        mut outputs: Option<&mut Evaluator>,
    ) {
        let time = &kept.columns[0];
        for shift in shifts {
            let (first, state) = (time.partition_point(|t| *t < shift.from), shift.state);
            let there = time[first..].iter().take_while(|t| **t <= shift.to.min(self.until));
            for (row, t) in (first..).zip(there) {
                // Both sides of an event have rows of their own, which nobody asked for at that time: they are before and behind it.
                if [row.checked_sub(1), Some(row + 1)].into_iter().flatten().any(|beside| time.get(beside) == Some(t)) {
                    continue;
                }
                let own = |column: usize| kept.columns[1 + column][row];
                let Some(y) = kept.path.elsewhere(shift, *t, own(state)) else { continue };
                let change = (y[state] - own(state)).abs();
                let known = self.rows.get(state).and_then(|rows| rows.get(row)).is_some_and(|e| e.abs() >= change);
                if known || change <= (LOST * kept.path.greatest(state)).max(asked(state)) {
                    continue;
                }
                self.largest[state] = self.largest[state].max(change);
                let jumped = outputs.as_deref_mut().map(|outputs| outputs_of_rows(outputs, 1, |_| *t, |_, k| y[k]));
                for column in self.states..self.names.len() {
                    let output = jumped.as_ref().map_or(f64::INFINITY, |columns| columns[column - self.states][0]);
                    self.largest[column] = self.largest[column].max(size(output - own(column), 0.0));
                }
                for column in [state].into_iter().chain(self.states..self.names.len()) {
                    self.rows
                        .get_mut(column)
                        .and_then(|rows| rows.get_mut(row))
                        .into_iter()
                        .for_each(|e| *e = f64::NAN);
                    if row + 1 == time.len() {
                        self.last[column] = f64::NAN;
                    }
                }
                if self.lost.is_none_or(|(_, lost)| *t < lost) {
                    self.lost = Some((state, *t));
                }
            }
        }
    }

    /// What is not known of it, in words; `None` if all is.
    pub fn gap(&self) -> Option<String> {
        match self.until {
            _ if self.idle.is_some() => self.idle.map(|state| {
                format!(
                    "the error of `{}` is unknown: it is zero in all rows, but its input may be asleep almost everywhere, as \
                     exp(-t^2) is; `--max-step` finds what is shorter than a row",
                    self.names[state]
                )
            }),
            _ if self.complete => None,
            f64::NEG_INFINITY => Some("the error is unknown: there is no solution to compare with".into()),
            t => Some(format!(
                "the error is known up to t = {} only: a run with other steps did not come further",
                crate::short(t)
            )),
        }
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
        match &options.atol {
            AbsoluteTolerance::Same(atol) => *atol,
            AbsoluteTolerance::Each(each) => each.get(state).copied().unwrap_or(0.0),
        }
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
    /// as in y′ = y, and a companion that sees as little loses the same.
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
        if let Some(found) = self.carried(evaluator, outputs, outcome, kept) {
            let far = outcome.error.as_ref().is_some_and(|error| kept.path.is_small_beside(&error.largest));
            let other = if far { self.against_automatic(evaluator, outputs, outcome, kept) } else { None };
            return other.or(Some(found));
        }
        kept.settle();
        let mut other_evaluator = evaluator.with_other_rounding();
        // Only a start value at the very edge of what is possible is wrong with another last bit.
        let start = StartValues::new(self.compiled, &mut other_evaluator, self.t_start);
        let start = StartValues { checks: Vec::new(), ..start.unwrap_or_else(|_| self.start.clone()) };
        let own = StartValues { checks: Vec::new(), ..self.start.clone() };
        // A system of higher index that is solved as it is may not bear start values that another rounding moved off their
        // equations: then the run is compared with one of the same rounding.
        let attempts = [(other_evaluator, start), (evaluator.clone(), own)];
        let mut best: Option<GlobalError> = None;
        let mut far = false;
        let at_ends = self.rows_at_ends(&kept.columns[0]);
        let companions = self.choice.companions(self.options, outcome, at_ends);
        for (mut other_evaluator, start) in attempts {
            for companion in &companions {
                let beside = Task { start: &start, choice: self.choice.converging(), ..*self };
                let atol = self.resolving(&companion.options);
                let options = Options { atol, ..companion.options.clone() };
                let factor = |other: &Outcome| companion.factor(&outcome.statistics, &other.statistics);
                let Some(Compared { error: found, status, strayed }) =
                    beside.compared(&mut other_evaluator, outputs, (outcome, &mut *kept), &options, &factor)
                else {
                    continue;
                };
                if best.as_ref().is_none_or(|best| found.until > best.until) {
                    best = Some(found);
                }
                far |= strayed;
                if status == Status::Interrupted {
                    return best;
                }
                if best.as_ref().is_some_and(|best| best.complete) {
                    break;
                }
            }
            // A run that ended early ended where others do, more or less.
            if outcome.status != Status::Ok || best.as_ref().is_some_and(|best| best.complete) {
                break;
            }
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
