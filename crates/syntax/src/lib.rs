//! Text to tree. [`parse`] always returns a [`Tree`], whatever the text, plus the [`Diagnostic`]s
//! that say what is wrong with it; [`render`] shows them to a person.

mod diagnostic;
mod tree;

pub use diagnostic::*;
pub use tree::*;
