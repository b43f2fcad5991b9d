//! Transfer functions.

use crate::{Complex, ControlError, StateSpace};

/// b(s)/a(s), coefficients from the highest power down; a discrete one in z.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Numerator.
    pub numerator: Vec<f64>,
    /// Denominator, its first coefficient 1.
    pub denominator: Vec<f64>,
    /// The sampling period of a discrete one.
    pub period: Option<f64>,
}

impl Transfer {
    /// The function, normalised.
    pub fn new(numerator: &[f64], denominator: &[f64], period: Option<f64>) -> Result<Transfer, ControlError> {
        let _ = (numerator, denominator, period);
        todo!()
    }

    /// Roots of the denominator.
    pub fn poles(&self) -> Vec<Complex> {
        todo!()
    }

    /// Roots of the numerator.
    pub fn zeros(&self) -> Vec<Complex> {
        todo!()
    }

    /// Its value.
    pub fn at(&self, _s: Complex) -> Complex {
        todo!()
    }

    /// The controllable canonical form.
    pub fn state_space(&self) -> Result<StateSpace, ControlError> {
        todo!()
    }
}

impl StateSpace {
    /// Its transfer function, for one input and one output.
    pub fn transfer(&self) -> Result<Transfer, ControlError> {
        todo!()
    }
}
