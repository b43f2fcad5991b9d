//! Responses in time and frequency, margins, root loci.

use crate::{Complex, ControlError, StateSpace, Transfer};

/// Times and, for every output, its values.
#[derive(Clone, Debug)]
pub struct Response {
    /// Times.
    pub t: Vec<f64>,
    /// One list per output.
    pub y: Vec<Vec<f64>>,
}

/// The answer of one input's unit step from rest. Without an end time one is chosen from the poles.
pub fn step(_system: &StateSpace, _input: usize, _end: Option<f64>) -> Result<Response, ControlError> {
    todo!()
}

/// The answer to one input's unit impulse.
pub fn impulse(_system: &StateSpace, _input: usize, _end: Option<f64>) -> Result<Response, ControlError> {
    todo!()
}

/// Frequencies (rad/s) that show all that happens, and the values of one channel there; the phase is to be unwrapped by
/// the reader with [`Complex`] values that follow each other closely enough.
pub fn bode(_system: &StateSpace) -> Result<(Vec<f64>, Vec<Complex>), ControlError> {
    todo!()
}

/// Margins of an open loop that is closed with −1.
#[derive(Clone, Debug, PartialEq)]
pub struct Margins {
    /// All (frequency, factor) at which the phase is −180°.
    pub gain: Vec<(f64, f64)>,
    /// All (frequency, degrees) at which the gain is 1.
    pub phase: Vec<(f64, f64)>,
    /// Smallest distance of the Nyquist curve from −1, and where.
    pub modulus: (f64, f64),
    /// Whether the closed loop is stable.
    pub stable: bool,
}

/// The margins of one channel.
pub fn margins(_open: &StateSpace) -> Result<Margins, ControlError> {
    todo!()
}

/// Poles of the loop 1 + k G = 0 for rising k: the gains, and for each of them the poles, in an order that follows the
/// branches.
pub fn root_locus(_open: &Transfer) -> Result<(Vec<f64>, Vec<Vec<Complex>>), ControlError> {
    todo!()
}
