//! What can be wrong with a linear system, or with what is asked of it.

use crate::Complex;

/// Why there is no answer. `Display` says what is wrong, [`ControlError::hint`] what to try.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlError {
    /// Sizes that do not fit together.
    Shape(String),
    /// A matrix with an infinite element or one that is no number: which.
    NotFinite(&'static str),
    /// Modes that no input reaches, where they would have to be moved.
    Uncontrollable(Vec<Complex>),
    /// Modes that no output shows, where they would have to be seen.
    Unobservable(Vec<Complex>),
    /// A wanted pole without its conjugate.
    NotConjugate(Complex),
    /// More equal poles than there are inputs, for several inputs.
    Repeated(Complex),
    /// A weight that is not symmetric, or indefinite: which, and its smallest eigenvalue.
    Indefinite(&'static str, f64),
    /// Eigenvalues of the Hamiltonian (or symplectic) matrix on the border of stability: no stabilising solution.
    OnTheBorder(Complex),
    /// The equation is singular.
    Singular(&'static str),
    /// A transfer function whose numerator has the higher degree.
    Improper,
    /// The computed solution does not fulfil its equation: which, relative residual.
    Inaccurate(&'static str, f64),
}

impl ControlError {
    /// What to try.
    pub fn hint(&self) -> &'static str {
        todo!()
    }
}

impl std::fmt::Display for ControlError {
    fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        todo!()
    }
}

impl std::error::Error for ControlError {}
