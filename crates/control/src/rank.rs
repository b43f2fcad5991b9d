//! What an input reaches and an output shows.

use crate::{Complex, ControlError, Matrix};

/// Controllability or observability.
#[derive(Clone, Debug)]
pub struct Reach {
    /// (B, AB, …) or (C; CA; …).
    pub matrix: Matrix,
    /// Its singular values, the largest first (of the scaled matrix from which the rank is decided).
    pub singular_values: Vec<f64>,
    /// Numerical rank.
    pub rank: usize,
    /// Modes (eigenvalues of A) that are not reached or not shown, by the test of Popov, Belevitch and Hautus.
    pub lost: Vec<Complex>,
}

/// What the inputs reach.
pub fn controllability(_a: &Matrix, _b: &Matrix) -> Result<Reach, ControlError> {
    todo!()
}

/// What the outputs show.
pub fn observability(_a: &Matrix, _c: &Matrix) -> Result<Reach, ControlError> {
    todo!()
}

/// The singular values, the largest first.
pub fn singular_values(_a: &Matrix) -> Option<Vec<f64>> {
    todo!()
}
