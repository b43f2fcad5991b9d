//! The tableaus, one file per family.

mod classic;
mod dop853;
mod embedded;

pub use classic::{EULER, HEUN, MIDPOINT, RALSTON, RK4, rk2};
pub use dop853::DOP853;
pub use embedded::{BOGACKI_SHAMPINE, DORMAND_PRINCE, FEHLBERG};
