//! The expression graph: build, differentiate, simplify, substitute, print, bound.
//!
//! An expression is an index into a [`Graph`]. Equal expressions have equal indices, a child has a
//! smaller index than its parent, and nothing depends on the order of a hash table: the same calls
//! give the same graph. No operation recurses, so a sum of a million terms is an ordinary expression.

mod decimal;
mod derivative;
mod evaluate;
mod exact;
mod formula;
mod function;
mod graph;
mod interval;
mod noise;
mod print;
mod stable;
mod tape;
mod walk;

pub use decimal::*;
pub use evaluate::{power, sign};
pub use exact::Terms;
pub use function::*;
pub use graph::*;
pub use interval::Interval;
pub use noise::{PER_SEED, SEEDS};
pub use tape::{Leaf, Tape};
