//! Linear systems as values: x′ = A x + B u, y = C x + D u, or the same with x[k + 1] on the left. Knows no text and no
//! symbols, only matrices; what comes from a model is made by the façade.
//!
//! [`Matrix`] holds numbers, [`StateSpace`] and [`Transfer`] a system; [`lqr`], [`place`] and their neighbours give gains.

mod discretise;
mod eigen;
mod error;
mod gains;
mod matrix;
mod rank;
mod responses;
mod system;
mod transfer;

pub use discretise::{Hold, discretise};
pub use eigen::eigenvalues;
pub use error::ControlError;
pub use gains::{Lqr, care, dare, dlqr, dlyapunov, lqr, lyapunov, place, sylvester};
pub use matrix::Matrix;
pub use ordinate_solve::algebra::Complex;
pub use rank::{Reach, controllability, observability, singular_values};
pub use responses::{Margins, Response, bode, impulse, margins, root_locus, step};
pub use system::StateSpace;
pub use transfer::Transfer;
