//! Linear algebra of implicit methods.

mod pattern;

pub use pattern::Pattern;
