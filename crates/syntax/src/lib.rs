//! Text to tree. [`parse`] always returns a [`Tree`], whatever the text, plus the [`Diagnostic`]s
//! that say what is wrong with it; [`render`] shows them to a person, [`print`] shows the tree.

mod block;
mod diagnostic;
mod expression;
mod foreign;
mod lexer;
mod parser;
mod print;
mod render;
mod spelling;
mod statement;
mod tree;
mod words;

pub use diagnostic::{Diagnostic, Severity, has_errors};
pub use parser::{LONGEST_TEXT, parse};
pub use print::print;
pub use render::{LineIndex, line_column, render};
pub use tree::*;
pub use words::{
    Arity, EXPRESSION_WORDS, FUNCTIONS, OPERATORS, STATEMENTS, UNRESERVED_FUNCTIONS, is_function, reserved,
};
