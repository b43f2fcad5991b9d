//! The block for real time: a step of fixed length, with a bounded number of iterations and no allocation after it was made.
//!
//! ```text
//!   state, input, t, h  ─→  next state, status
//! ```
//!
//! The input is held over the step, as by a controller that samples it. M. Königsmarková, report 2014V005, sec. 5.

use crate::{Method, NewtonOptions, Point, StepFailure, System, Tolerance, by_name};

/// What a step of a block came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStatus {
    /// The state is the next one.
    Ok,
    /// The iterations did not suffice; the state is the old one.
    NotConverged {
        /// The component that did not converge.
        component: usize,
    },
    /// The equations do not determine a component; the state is the old one.
    Singular {
        /// Which one.
        component: usize,
    },
    /// The next state is not finite; the state is the old one.
    NotFinite {
        /// Which component.
        component: usize,
    },
    /// There are more or fewer inputs than the system has; nothing was done.
    WrongInputs {
        /// As many as it has.
        expected: usize,
        /// As many as there were.
        found: usize,
    },
    /// The same of states.
    WrongStates {
        /// As many as it has.
        expected: usize,
        /// As many as there were.
        found: usize,
    },
    /// t is not finite, or h not a positive number; nothing was done.
    BadTime,
}

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// No method of [`Block::METHODS`] has this name.
    NoSuchMethod,
    /// The system has switches, conditions, sampled actions or delays: only the driver finds their events and keeps the past.
    HasEvents,
    /// The system has invariants, which only the driver keeps.
    HasInvariants,
}

/// A method that steps in real time.
pub struct Block {
    method: Box<dyn Method>,
    substeps: u32,
    tol: Tolerance,
    /// The state that was returned last.
    y: Vec<f64>,
    /// The input of the last step: another one makes the steps before useless as a history.
    input: Vec<f64>,
    /// Where the last step ended, and how long it was; `None` if there is no history.
    last: Option<(f64, f64)>,
}

/// A block takes no more iterations than this in a step.
pub const BLOCK_ITERATIONS: u32 = 10;

impl Block {
    /// The methods that are made for blocks.
    pub const METHODS: [&'static str; 4] = ["radau3", "radau5", "bdf2", "bdf3"];

    /// Iterations whose number and time are bounded.
    pub fn newton(options: NewtonOptions) -> NewtonOptions {
        NewtonOptions { most: options.most.or(Some(BLOCK_ITERATIONS)), in_time: true, ..options }
    }

    /// A block of a named method for systems of this structure, which takes `substeps` steps for one of its own. Its inputs are
    /// the held values of the system. All memory is taken here.
    pub fn new(name: &str, system: &mut dyn System, substeps: u32) -> Result<Block, BlockError> {
        let layout = system.layout();
        let (states, inputs) = (layout.states, layout.held);
        let events = layout.switches.len() + layout.conditions.len() + layout.sampled.len() + layout.delays.len();
        if events > 0 {
            return Err(BlockError::HasEvents);
        }
        if layout.invariants > 0 {
            return Err(BlockError::HasInvariants);
        }
        let known = Block::METHODS.iter().any(|method| name.eq_ignore_ascii_case(method));
        let choice = by_name(name).filter(|_| known).ok_or(BlockError::NoSuchMethod)?;
        let choice = choice.with_newton(Block::newton(NewtonOptions::default())).unwrap_or(choice);
        let mut method = choice.build(states, true);
        method.preallocate(system);
        Ok(Block {
            method,
            substeps: substeps.max(1),
            tol: Tolerance { rtol: 1e-6, atol: vec![1e-9; states] },
            y: vec![0.0; states],
            input: vec![0.0; inputs],
            last: None,
        })
    }

    /// The next state after a step of length h from t; after anything but `Ok` the state is left as it was. A step that does not
    /// continue the one before (another state than that returned last, another time, length or input) begins a new history.
    pub fn step(&mut self, system: &mut dyn System, input: &[f64], t: f64, h: f64, state: &mut [f64]) -> BlockStatus {
        if input.len() != self.input.len() {
            return BlockStatus::WrongInputs { expected: self.input.len(), found: input.len() };
        }
        if state.len() != self.y.len() {
            return BlockStatus::WrongStates { expected: self.y.len(), found: state.len() };
        }
        if !(t.is_finite() && h > 0.0 && h.is_finite()) {
            return BlockStatus::BadTime;
        }
        if !self.continues(input, t, h, state) {
            self.method.restart();
            self.input.copy_from_slice(input);
            self.y.copy_from_slice(state);
        }
        // A step that fails leaves no history.
        self.last = None;
        let length = h / f64::from(self.substeps);
        for k in 0..self.substeps {
            let from = Point { t: t + f64::from(k) * length, y: &self.y, d: input, f: None };
            if let Err(failure) = self.method.try_step(system, &from, length, &self.tol) {
                return failed(failure);
            }
            if let Some(component) = self.method.end().iter().position(|y| !y.is_finite()) {
                return BlockStatus::NotFinite { component };
            }
            self.y.copy_from_slice(self.method.end());
            self.method.accept();
        }
        state.copy_from_slice(&self.y);
        self.last = Some((t + h, h));
        BlockStatus::Ok
    }

    /// Whether a step continues the history.
    fn continues(&self, input: &[f64], t: f64, h: f64, state: &[f64]) -> bool {
        let Some((end, length)) = self.last else { return false };
        // Whoever counts steps and whoever adds them up have times that differ by rounding.
        let rounding = 4.0 * f64::EPSILON * (t.abs() + h);
        let in_time = (t - end).abs() <= rounding && (h - length).abs() <= rounding;
        in_time && self.y == state && self.input == input
    }
}

fn failed(failure: StepFailure) -> BlockStatus {
    match failure {
        StepFailure::Singular { component } => BlockStatus::Singular { component },
        StepFailure::NotFinite { component, .. } | StepFailure::NotFiniteAtStart { component } => {
            BlockStatus::NotFinite { component }
        }
        StepFailure::Newton { component }
        | StepFailure::TooLong { component }
        | StepFailure::NoSeries { component, .. } => BlockStatus::NotConverged { component },
    }
}
