//! Another run beside one, and what their difference says.

use super::difference::Ends;
use super::kept::Beside;
use super::path::Meetings;
use super::{GlobalError, Kept, Task, grazes};
use crate::methods::automatic;
use crate::recorder::{Recorder, final_numbers};
use crate::start::StartValues;
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Companion, Options, Outcome, Reason, Rows, Status, by_name};

/// An absolute tolerance that does not count: the relative one does.
const SMALLEST_ATOL: f64 = 1e-290;

/// The method that does not damp, and how many steps it may take: so many, and so many for each of the run.
const EXPLICIT: &str = "dp8";
const EXPLICIT_STEPS: u64 = 20_000;
const MORE_STEPS: u64 = 20;
/// Global errors of the explicit run, in tolerances of its steps: a motion that is not unstable leaves it within so many.
const EXPLICIT_ERRORS: f64 = 100.0;

/// A comparison with another run.
pub(super) struct Compared {
    pub error: GlobalError,
    /// How the other run ended.
    pub status: Status,
    /// On the way of the run no digit of a state was right.
    pub strayed: bool,
    /// What is to be added to each switch so that grazes which the errors of both runs leave open are decided the other way.
    pub shifts: Option<Vec<f64>>,
}

impl Task<'_> {
    /// Makes this run and compares another one with it, of which outcome and rows are given: its error is their difference times
    /// `factor`.
    pub(super) fn compared(
        &self,
        evaluator: &mut Evaluator,
        outputs: &mut Evaluator,
        (outcome, kept): (&Outcome, &mut Kept),
        options: &Options,
        factor: &dyn Fn(&Outcome) -> f64,
    ) -> Option<Compared> {
        // A run that was ended by the model ends when its companion comes to that.
        let ended = outcome.status == Status::Ok && outcome.t_reached < self.t_end;
        let t_end = if ended { self.t_end } else { outcome.t_reached };
        // Variables of higher index are as wrong as the step that they are in, and no better inside of another one.
        let at_steps = self.compiled.sorted.indices.is_empty();
        let options =
            Options { rows: Rows::At(kept.times(at_steps, outcome.status == Status::Stopped)), ..options.clone() };
        let mut rows = Beside::new(kept.sink);
        let mut other_outputs = evaluator.another();
        let mut recorder = Recorder::new(self.compiled, other_outputs.another(), &mut rows, self.start);
        recorder.announce(kept.names.clone(), kept.stored);
        let other = self.solve(self.method(false, outputs), evaluator, &options, t_end, &mut recorder).ok()?;
        let beside = rows.take();
        let factor = factor(&other);
        let finals = [(outcome, &mut *outputs), (&other, &mut other_outputs)]
            .map(|(outcome, outputs)| final_numbers(self.compiled, outputs, outcome, &outcome.y));
        let same_end = other.t_reached == outcome.t_reached || (ended && other.status == Status::Ok);
        let ends = Ends { times: [outcome.t_reached, other.t_reached], columns: &finals };
        let mut error = self.compare(kept, &beside.columns, factor, same_end.then_some(&ends));
        let alone = self.can_carry().then_some(&mut *outputs);
        let meetings = Meetings::new(kept, &beside, factor);
        if let Some(Reason::Singularity { component, .. }) = outcome.reason {
            let half = 0.5 * (self.t_start + outcome.t_reached);
            error.baseless = meetings.lost_before_growth(component, half).then_some(component);
        }
        error.look_beside_events(kept, &kept.events.shifts(&beside.events, factor), &|state| self.asked(state));
        error.look_beside_transitions(kept, &meetings.shifts(), &|state| self.asked(state), alone);
        let allowed = |(state, error): (usize, &f64)| {
            let size = super::greatest(&kept.columns[state + 1]);
            error / (Task::atol(&options, state) + options.rtol * size)
        };
        let tolerances = error.largest[..error.states].iter().enumerate().map(allowed).fold(0.0, f64::max);
        let shifts = grazes::shifts(&outcome.grazes, &other.grazes, (factor, tolerances), outcome.d.len());
        Some(Compared { error, status: other.status, strayed: meetings.are_far_apart(), shifts })
    }

    /// The error where switches graze their boundaries and the errors leave open on which side: an error of a switch is a boundary that
    /// is elsewhere, so this run has it there. `None` if it does not come to the end.
    pub(super) fn against_shifted(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        (outcome, kept): (&Outcome, &mut Kept),
        companion: &Companion,
        shifts: Vec<f64>,
    ) -> Option<GlobalError> {
        let start = StartValues { checks: Vec::new(), ..self.start.clone() };
        let beside = Task { start: &start, choice: self.choice.converging(), ..*self };
        let mut other = evaluator.with_other_rounding().with_shifted_switches(shifts);
        let found = beside.compared(&mut other, outputs, (outcome, kept), &companion.options, &|_| 1.0)?;
        found.error.complete.then_some(found.error)
    }

    /// The error where states that fell below their tolerance may come back: a companion that damps what it does not see loses them
    /// in the same way, so this one sees them however small they are. `None` if it does not come to the end.
    pub(super) fn against_resolving(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        (outcome, kept): (&Outcome, &mut Kept),
        companion: &Companion,
        returning: &[bool],
    ) -> Option<GlobalError> {
        let atol = |(state, returns): (usize, &bool)| {
            let atol = Task::atol(&companion.options, state);
            if *returns { SMALLEST_ATOL.min(atol) } else { atol }
        };
        let atol = AbsoluteTolerance::Each(returning.iter().enumerate().map(atol).collect());
        let options = Options { atol, ..companion.options.clone() };
        let start = StartValues { checks: Vec::new(), ..self.start.clone() };
        let beside = Task { start: &start, choice: self.choice.converging(), ..*self };
        let factor = |other: &Outcome| companion.factor(&outcome.statistics, &other.statistics);
        let mut other = evaluator.with_other_rounding();
        let found = beside.compared(&mut other, outputs, (outcome, kept), &options, &factor)?;
        found.error.complete.then_some(found.error)
    }

    /// An estimate is at least the difference to an explicit run where that has left a rest. What is within so many of its tolerances are
    /// its own errors; a run that ends early has found what the other one did not.
    pub(super) fn look_for_growth(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        (outcome, kept): (&Outcome, &mut Kept),
        companion: &Companion,
        best: &mut GlobalError,
    ) {
        let tolerance = |state: usize, most: f64| Task::atol(self.options, state) + self.options.rtol * most;
        match self.against_explicit(evaluator, outputs, (outcome, &mut *kept), companion) {
            Some(error) if !error.complete => *best = error,
            Some(error) => {
                let most = kept.path.greatest();
                let mut apart = error.largest.iter().zip(&most).enumerate();
                if apart.any(|(state, (error, most))| *error > EXPLICIT_ERRORS * tolerance(state, *most)) {
                    best.be_at_least(&error);
                }
            }
            None => {}
        }
    }

    /// The error where a state rested, within its tolerance, at a point that stops attracting it. What a method with long steps damps
    /// grows there, and so does the rounding that leaves a state exactly at such a point: an explicit method, whose steps are short where
    /// something grows, follows both. `None` if that takes too many steps.
    fn against_explicit(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        (outcome, kept): (&Outcome, &mut Kept),
        companion: &Companion,
    ) -> Option<GlobalError> {
        let start = StartValues { checks: Vec::new(), ..self.start.clone() };
        let max_steps = EXPLICIT_STEPS + MORE_STEPS * outcome.statistics.steps;
        let options = Options { step: None, max_steps, ..companion.options.clone() };
        let beside = Task { start: &start, choice: by_name(EXPLICIT)?, ..*self };
        let mut other = evaluator.with_other_rounding();
        let end = std::cell::Cell::new(0);
        let count = |other: &Outcome| {
            end.set(other.statistics.steps + other.statistics.rejected);
            1.0
        };
        let mut found = beside.compared(&mut other, outputs, (outcome, kept), &options, &count)?;
        found.error.interrupted = found.status == Status::Interrupted;
        (found.error.complete || end.get() < max_steps).then_some(found.error)
    }

    /// The error of given steps that are so long that no digit is right on the way: there shorter ones may be wrong in the same way. All
    /// of them come to rest where the method damps what does not come to rest, and agree. What chooses its steps is better than
    /// either. `None` if it does not come to the end.
    pub(super) fn against_automatic(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        outcome: &Outcome,
        kept: &mut Kept,
    ) -> Option<GlobalError> {
        if self.options.step.is_none() || outcome.status != Status::Ok {
            return None;
        }
        kept.settle();
        let start = StartValues { checks: Vec::new(), ..self.start.clone() };
        let options = Options { step: None, ..self.options.clone() };
        let automatic = Task { start: &start, choice: automatic(), options: &options, ..*self };
        let found = automatic.compared(&mut evaluator.clone(), outputs, (outcome, &mut *kept), &options, &|_| 1.0)?;
        (found.status == Status::Ok && found.error.complete).then_some(found.error)
    }
}
