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
}

/// A method that steps in real time.
pub struct Block {
    method: Box<dyn Method>,
    substeps: u32,
    tol: Tolerance,
    y: Vec<f64>,
    /// The input of the last step: another one makes the steps before useless as a prediction.
    input: Vec<f64>,
    fresh: bool,
}

/// A block takes no more iterations than this in a step.
pub const BLOCK_ITERATIONS: u32 = 10;

impl Block {
    /// The methods that are made for blocks.
    pub const METHODS: [&'static str; 4] = ["radau3", "radau5", "bdf2", "bdf3"];

    /// A block of a named method for `states` states and `inputs` held inputs, which takes `substeps` steps for one of its
    /// own. `None` if there is no such method.
    pub fn new(name: &str, states: usize, inputs: usize, substeps: u32) -> Option<Block> {
        let newton = NewtonOptions { most: Some(BLOCK_ITERATIONS), in_time: true, ..NewtonOptions::default() };
        let choice = by_name(name)?;
        let choice = choice.with_newton(newton).unwrap_or(choice);
        Some(Block {
            method: choice.build(states, true),
            substeps: substeps.max(1),
            tol: Tolerance { rtol: 1e-6, atol: vec![1e-9; states] },
            y: vec![0.0; states],
            input: vec![f64::NAN; inputs],
            fresh: true,
        })
    }

    /// The next state after a step of length h from t; after anything but `Ok` the state is left as it was.
    pub fn step(&mut self, system: &mut dyn System, input: &[f64], t: f64, h: f64, state: &mut [f64]) -> BlockStatus {
        if std::mem::take(&mut self.fresh) || self.input != input {
            self.method.restart();
            self.input.copy_from_slice(input);
        }
        self.y.copy_from_slice(state);
        let length = h / f64::from(self.substeps);
        for k in 0..self.substeps {
            let from = Point { t: t + f64::from(k) * length, y: &self.y, d: input, f: None };
            if let Err(failure) = self.method.try_step(system, &from, length, &self.tol) {
                self.fresh = true;
                return match failure {
                    StepFailure::Singular { component } => BlockStatus::Singular { component },
                    StepFailure::NotFinite { component, .. } | StepFailure::NotFiniteAtStart { component } => {
                        BlockStatus::NotFinite { component }
                    }
                    StepFailure::Newton { component }
                    | StepFailure::TooLong { component }
                    | StepFailure::NoSeries { component, .. } => BlockStatus::NotConverged { component },
                };
            }
            if let Some(component) = self.method.end().iter().position(|y| !y.is_finite()) {
                self.fresh = true;
                return BlockStatus::NotFinite { component };
            }
            self.y.copy_from_slice(self.method.end());
            self.method.accept();
        }
        state.copy_from_slice(&self.y);
        BlockStatus::Ok
    }
}
