//! Sampled forms of a continuous system: F, G, H, I of the discrete state space.

use crate::{ControlError, StateSpace};

/// What happens between two samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The input is held: exact.
    Zero,
    /// Tustin's rule.
    Tustin,
    /// Forward Euler.
    Forward,
    /// Backward Euler.
    Backward,
}

/// The system sampled with this period.
pub fn discretise(_system: &StateSpace, _period: f64, _hold: Hold) -> Result<StateSpace, ControlError> {
    todo!()
}
