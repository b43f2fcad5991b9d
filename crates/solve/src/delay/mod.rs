//! Delayed values: the past of a solution as piecewise polynomials.

pub(crate) mod history;
