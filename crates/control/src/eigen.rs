//! Eigenvalues.

use crate::{Complex, Matrix};

/// All eigenvalues; `None` for elements that are not finite or an iteration without end.
pub fn eigenvalues(_a: &Matrix) -> Option<Vec<Complex>> {
    todo!()
}
