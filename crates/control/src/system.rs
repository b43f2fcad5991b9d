//! State space.

use crate::{Complex, ControlError, Matrix, Transfer};

/// x′ = A x + B u, y = C x + D u; with a sampling period x[k + 1] = A x[k] + B u[k].
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// n × n.
    pub a: Matrix,
    /// n × inputs.
    pub b: Matrix,
    /// outputs × n.
    pub c: Matrix,
    /// outputs × inputs.
    pub d: Matrix,
    /// The sampling period of a discrete system.
    pub period: Option<f64>,
}

impl StateSpace {
    /// The system, if the sizes fit and all numbers are finite.
    pub fn new(a: Matrix, b: Matrix, c: Matrix, d: Matrix, period: Option<f64>) -> Result<StateSpace, ControlError> {
        let _ = (&a, &b, &c, &d, period);
        todo!()
    }

    /// One input and one output of it.
    pub fn channel(&self, _output: usize, _input: usize) -> StateSpace {
        todo!()
    }

    /// Eigenvalues of A, the rightmost (of a discrete system: the outermost) first.
    pub fn poles(&self) -> Result<Vec<Complex>, ControlError> {
        todo!()
    }

    /// Transmission zeros.
    pub fn zeros(&self) -> Result<Vec<Complex>, ControlError> {
        todo!()
    }

    /// C(sI − A)⁻¹B + D at s (at z of a discrete system), by rows; infinite at a pole.
    pub fn at(&self, _s: Complex) -> Vec<Vec<Complex>> {
        todo!()
    }

    /// The value of the transfer matrix at s = 0 (z = 1); elements that do not exist are infinite.
    pub fn dc_gain(&self) -> Matrix {
        todo!()
    }

    /// Its transfer function, for one input and one output.
    pub fn transfer(&self) -> Result<Transfer, ControlError> {
        todo!()
    }

    /// First self, then the other.
    pub fn series(&self, _next: &StateSpace) -> Result<StateSpace, ControlError> {
        todo!()
    }

    /// Both beside each other, outputs added.
    pub fn parallel(&self, _other: &StateSpace) -> Result<StateSpace, ControlError> {
        todo!()
    }

    /// self with `back` from its outputs to its inputs: u = r − back·y.
    pub fn feedback(&self, _back: &StateSpace) -> Result<StateSpace, ControlError> {
        todo!()
    }

    /// Controllability and observability gramians of a stable system.
    pub fn gramians(&self) -> Result<(Matrix, Matrix), ControlError> {
        todo!()
    }
}
