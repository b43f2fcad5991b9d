//! Implicit Runge–Kutta methods, and the Newton method that solves their equations.

pub(crate) mod newton;
pub(crate) mod one_stage;
pub(crate) mod radau;
