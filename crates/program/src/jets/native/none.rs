//! Where there is no machine code for series: the interpreter does everything.

use super::code::JetCode;
use super::engine::{Engine, Step};

/// Machine code, of which there is none.
#[derive(Clone, Debug)]
pub(super) enum Native {}

impl Native {
    /// None.
    pub fn new(_: &Engine, _: usize) -> Option<Native> {
        None
    }

    /// Never asked.
    pub fn is_short_of(&self, _: usize, _: usize) -> bool {
        match *self {}
    }

    /// Never run.
    pub fn run(&mut self, _: &mut [f64], _: &[Step], _: f64, _: [usize; 2], _: &mut [f64]) -> usize {
        match *self {}
    }
}

/// Whether a code is small enough for machine code: none is.
pub(super) fn fits(_: &JetCode) -> bool {
    false
}
