//! Explicit Runge–Kutta methods: tableaus are data, one family takes a step.

pub(crate) mod kernels;
pub(crate) mod rk;
pub mod tableau;
pub mod tableaus;
