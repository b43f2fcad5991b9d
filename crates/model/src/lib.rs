//! What is meant, then what is solved.
//!
//! [`resolve`] turns a tree into a [`Model`]: names have meanings, arrays are expanded, every branch is a
//! switch. [`sort`] turns the model into a [`Sorted`] one: order reduced, equations matched with unknowns,
//! each solved for its own. [`variational`] adds derivatives of the solution to a sorted model. All are plain functions that report all mistakes they find.

mod consequences;
mod constant;
mod forcing;
mod hints;
mod model;
mod open;
mod print;
pub mod reduction;
mod resolve;
mod sort;
mod suggest;
mod table;
mod transform;
mod unit;
mod units;
mod variational;

pub use consequences::merge;
pub use constant::{constant, read_constant};
pub use forcing::{Forcing, forcing};
pub use model::*;
pub use open::{Reads, reads, with_fixed, with_kept, with_open, with_pinned};
pub use resolve::{Inputs, Overrides, Resolved, SetError, TextNames, resolve, resolve_as};
pub use sort::{Algebraic, Block, IndexTreatment, Invariant, Sorted, State, Structure, sort, sort_as};
pub use suggest::{closest, instead};
pub use table::{TableData, parse_table};
pub use transform::{Group, Squares, Term, Transformed, simplified, squares, transform, vanishes};
pub use unit::Unit;
pub use variational::{VariationError, Variations, variational};
