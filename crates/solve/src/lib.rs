//! Numerical methods and the one driver that owns time. Knows no text and no symbols, only
//! [`System`]: y′ = f(t, y, d), with discrete values d that change only at events.

mod system;

pub use system::*;
