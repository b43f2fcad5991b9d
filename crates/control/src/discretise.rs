//! Sampled forms of a continuous system: F, G, H, I of the discrete state space.
//!
//! ```text
//!   x[k+1] = F x[k] + G u[k],   y[k] = H x[k] + I u[k]
//!
//!   held input      F = e^{Ah},           G = ∫₀ʰ e^{As} ds B,   H = C,   I = D
//!   forward Euler   F = I + hA,           G = hB,                H = C,   I = D
//!   backward Euler  F = (I − hA)⁻¹,       G = F hB,              H = C F, I = D + C G
//!   Tustin          F = (I − hA/2)⁻¹(I + hA/2),  G = (I − hA/2)⁻¹hB,  H = C (I − hA/2)⁻¹,  I = D + C G/2
//! ```
//!
//! The last two need the input at the end of a step, too. Their state is one of a step earlier, so that F, G, H,
//! I describe the samples of y exactly: the transfer function is that of s = (z − 1)/(h z) and of
//! s = 2(z − 1)/(h(z + 1)).

use crate::exponential::hold;
use crate::linear::Factors;
use crate::{ControlError, Matrix, StateSpace};

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
pub fn discretise(system: &StateSpace, period: f64, hold: Hold) -> Result<StateSpace, ControlError> {
    if system.period.is_some() {
        return Err(ControlError::Shape("a system that is discrete already cannot be sampled".into()));
    }
    if !(period > 0.0 && period.is_finite()) {
        return Err(ControlError::Shape(format!("a period of sampling is positive, not {period}")));
    }
    let StateSpace { a, b, c, d, .. } = system;
    let identity = Matrix::identity(a.rows());
    let implicit = |h: f64| {
        let m = &identity - &a.scaled(h);
        Factors::new(&m).ok_or(ControlError::Singular("the equation of a step (I − hA)"))
    };
    let (f, g, h, i) = match hold {
        Hold::Zero => {
            let (f, g) =
                self::hold(a, b, period).ok_or(ControlError::NotFinite("the exponential of A times the period"))?;
            (f, g, c.clone(), d.clone())
        }
        Hold::Forward => (&identity + &a.scaled(period), b.scaled(period), c.clone(), d.clone()),
        Hold::Backward => {
            let mut m = implicit(period)?;
            let g = m.solve(&b.scaled(period));
            let i = d + &(c * &g);
            (m.solve(&identity), g, m.solve_left(c), i)
        }
        Hold::Tustin => {
            let mut m = implicit(0.5 * period)?;
            let g = m.solve(&b.scaled(period));
            let i = d + &(c * &g).scaled(0.5);
            (m.solve(&(&identity + &a.scaled(0.5 * period))), g, m.solve_left(c), i)
        }
    };
    StateSpace::new(f, g, h, i, Some(period))
}
