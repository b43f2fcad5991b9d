//! Transmission zeros.

use crate::{Complex, ControlError, StateSpace};

impl StateSpace {
    /// Transmission zeros.
    pub fn zeros(&self) -> Result<Vec<Complex>, ControlError> {
        todo!()
    }
}
