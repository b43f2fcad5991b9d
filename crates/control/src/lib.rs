//! Linear systems as values: x′ = A x + B u, y = C x + D u, or the same with x[k + 1] on the left. Knows no text and no
//! symbols, only matrices; what comes from a model is made by the façade.
//!
//! [`Matrix`] holds numbers, [`StateSpace`] and [`Transfer`] a system; [`lqr`], [`place`] and their neighbours give gains.

mod coefficients;
mod connections;
mod discretise;
mod eigen;
mod error;
mod exponential;
mod frequency;
mod linear;
mod locus;
mod margins;
mod matrix;
mod orthogonal;
mod pbh_test;
mod place;
mod polynomial;
mod rank;
mod reachability;
mod responses;
mod riccati;
mod staircase;
mod static_gain;
mod sylvester;
mod system;
mod transfer;
mod zeros;

pub use discretise::{Hold, discretise};
pub use eigen::eigenvalues;
pub use error::ControlError;
pub use exponential::exponential;
pub use frequency::bode;
pub use locus::root_locus;
pub use margins::{Margins, margins};
pub use matrix::Matrix;
pub use ordinate_linalg::Complex;
pub use orthogonal::singular_values;
pub use place::place;
pub use rank::{Reach, controllability, observability};
pub use responses::{Response, StepFacts, impulse, step, step_facts};
pub use riccati::{Lqr, care, dare, dlqr, lqr};
pub use sylvester::{dlyapunov, lyapunov, sylvester};
pub use system::StateSpace;
pub use transfer::Transfer;
