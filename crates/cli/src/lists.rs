//! Options that take a list of names.

use ordinate::list_parts;
use std::convert::Infallible;
use std::str::FromStr;

/// The value of an option that takes a list and may be repeated.
#[derive(Clone, Debug)]
pub struct List(Vec<String>);

impl FromStr for List {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<List, Infallible> {
        Ok(List(list_parts(text).into_iter().map(str::to_string).collect()))
    }
}

/// The parts of all lists of an option, one after the other.
pub fn names(lists: &[List]) -> Vec<String> {
    lists.iter().flat_map(|list| list.0.iter().cloned()).collect()
}
