//! The tableaus, one file per family, and the list of them all.

mod classic;
mod dop853;
mod embedded;

pub use classic::{EULER, HEUN, MIDPOINT, RALSTON, RK4, rk2};
pub use dop853::DOP853;
pub use embedded::{BOGACKI_SHAMPINE, DORMAND_PRINCE, FEHLBERG};

use crate::explicit::tableau::ExplicitTableau;

/// Every tableau: a new one is found by its name, and tested, by being listed here.
pub static ALL: &[&ExplicitTableau<'static>] =
    &[&EULER, &MIDPOINT, &HEUN, &RALSTON, &RK4, &BOGACKI_SHAMPINE, &DORMAND_PRINCE, &FEHLBERG, &DOP853];
