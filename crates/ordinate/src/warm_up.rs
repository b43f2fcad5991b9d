//! The first step of a run meets code that was never executed, memory that was never touched and a Jacobian that is not
//! compiled. Where every step is timed, some are rehearsed before the clock starts.

use crate::clock::Stopwatch;
use crate::error::Task;
use ordinate_program::Evaluator;
use ordinate_solve::{Interrupt, Method, Mixture, Options, Sink, UsageError};
use std::ops::ControlFlow;

impl Task<'_> {
    /// A few steps of a solution that nobody looks at: code, memory and the Jacobian are at hand afterwards. Whatever ends them
    /// early ends the solution, too, which tells why.
    pub fn rehearse(
        &self,
        method: &mut dyn Method,
        evaluator: &mut Evaluator,
        options: &Options,
        steps: u32,
    ) -> Result<(), UsageError> {
        let mut audience = Rehearsal { steps, begin: Stopwatch::start() };
        let start = self.start.from(self.t_start);
        ordinate_solve::solve(evaluator, method, &start, self.t_end, options, &mut audience).map(|_| ())
    }
}

/// A rehearsal does not go on for longer than this, in seconds, and the step at work.
const LONGEST_REHEARSAL: f64 = 0.2;

/// Ends a rehearsal.
struct Rehearsal {
    /// Steps that are still to be taken.
    steps: u32,
    begin: Stopwatch,
}

impl Sink for Rehearsal {
    fn row(&mut self, _t: f64, _y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }

    fn step(&mut self, _t: f64, _h: f64, _order: u32) -> ControlFlow<Interrupt> {
        self.steps = self.steps.saturating_sub(1);
        match self.steps == 0 || self.begin.seconds() > LONGEST_REHEARSAL {
            true => ControlFlow::Break(Interrupt),
            false => ControlFlow::Continue(()),
        }
    }
}
