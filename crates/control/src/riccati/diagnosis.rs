//! Why an equation has no stabilising solution.

use super::{Equation, Time};
use crate::eigen::eigenvalues;
use crate::rank::{controllability, observability};
use crate::{Complex, ControlError, Matrix};

/// The reason, in the order in which a user would look: what cannot be moved, what is not seen, what stays on the border.
pub(super) fn why(equation: &Equation) -> ControlError {
    let unstable = |modes: Vec<Complex>| -> Vec<Complex> {
        let size = equation.a.frobenius();
        modes.into_iter().filter(|&mode| equation.time.margin(mode) <= 1e-9 * size).collect()
    };
    if let Ok(reach) = controllability(&equation.a, &equation.b) {
        let lost = unstable(reach.lost);
        if !lost.is_empty() {
            return ControlError::Uncontrollable(lost);
        }
    }
    if let Ok(reach) = observability(&equation.a, &equation.q) {
        let lost = unstable(reach.lost);
        if !lost.is_empty() {
            return ControlError::Unobservable(lost);
        }
    }
    match nearest_to_border(equation) {
        Some((value, distance)) if distance < 1e-6 => ControlError::OnTheBorder(value),
        _ => ControlError::Inaccurate(equation.time.equation(), f64::NAN),
    }
}

/// The eigenvalue of the Hamiltonian matrix that is nearest to the border, and its relative distance. Of a discrete
/// equation the pencil is taken through the Cayley transform, which brings the circle to the axis.
fn nearest_to_border(equation: &Equation) -> Option<(Complex, f64)> {
    let n = equation.a.rows();
    let identity = Matrix::identity(n);
    let hamiltonian = match equation.time {
        Time::Continuous => {
            let top = equation.a.beside(&-&equation.g);
            top.above(&(-&equation.q).beside(&-&equation.at))
        }
        Time::Discrete => {
            // ⎡A 0; −Q I⎤ x = z ⎡I G; 0 Aᵀ⎤ x:  (M − L) x = s (M + L) x with s = (z − 1)/(z + 1)
            let m = equation.a.beside(&Matrix::zero(n, n)).above(&(-&equation.q).beside(&identity));
            let l = identity.beside(&equation.g).above(&Matrix::zero(n, n).beside(&equation.at));
            crate::linear::Factors::new(&(&m + &l))?.solve(&(&m - &l))
        }
    };
    let values = eigenvalues(&hamiltonian)?;
    let nearest = values.into_iter().min_by(|a, b| a.re.abs().total_cmp(&b.re.abs()))?;
    let size = hamiltonian.frobenius().max(f64::MIN_POSITIVE);
    let back = match equation.time {
        Time::Continuous => nearest,
        Time::Discrete => (Complex::from(1.0) + nearest) / (Complex::from(1.0) - nearest),
    };
    Some((back, nearest.re.abs() / size))
}
