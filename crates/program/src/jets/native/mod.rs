//! Machine code for the series of small systems.
//!
//! The interpreter of series code does well what is long: its inner sums. Of a system with three states and two products
//! there is little to sum, and finding places costs more than computing: 286 instructions per order of the Lorenz system,
//! where 38 suffice (mean up to order 15). So codes are written out as straight-line code: every address is a constant,
//! what was just computed stays in a register, and the time is that of the chain of dependent operations from one order to
//! the next. The bits of all coefficients are those of the interpreter, which remains for everything else: very large
//! codes, high orders, other processors, systems that give no executable memory.
//!
//! Series of order 15 without their beginning, in nanoseconds, and how long the code up to order 16 takes to make, in
//! microseconds; all of one run on an Ice Lake server at 2.8 GHz, the best of 400 and of 200 repetitions:
//!
//! ```text
//!                        interpreter    machine code    made in
//!   Lorenz                       373              86         13
//!   van der Pol                  330              84         14
//!   Kepler                       587             131         20
//!   cart and pendulum            797             175         28
//!   Hodgkin–Huxley              1436             429         66
//!   outer solar system         15361            5457        659
//! ```

mod assembler;
mod emit;
mod memory;
mod parts;
mod plan;
mod registers;
#[cfg(test)]
mod tests;

use super::code::JetCode;
use super::engine::{Engine, Step};
use emit::{BIAS, Weight};
use memory::Executable;
use plan::Plan;
use std::sync::Arc;

/// The highest order with machine code; coefficients of higher ones are mostly sums.
const HIGHEST: usize = 40;

/// Machine code of an engine, for given places in its memory.
#[derive(Clone, Debug)]
pub(super) struct Native {
    code: Arc<Executable>,
    first: usize,
    start: usize,
    /// Where to go from there with the coefficients up to k known.
    entries: Arc<[usize]>,
    top: usize,
    pool: Vec<f64>,
    weights: Vec<Weight>,
    /// The scale that the weights are for.
    scale: f64,
    anchor: usize,
    /// Sizes of what it reads and writes, for which it was made.
    memory: usize,
    steps: usize,
    states: usize,
}

impl Native {
    /// Code for orders up to `order` at least, if there is to be any.
    pub fn new(engine: &Engine, order: usize) -> Option<Native> {
        // Orders vary in a run: code that is made twice costs more than code that is a little longer.
        let top = (order + order / 5).next_multiple_of(4).min(HIGHEST).min(engine.room);
        // tests want it for all codes
        if top < 2 || !fits(&engine.code) && !cfg!(test) {
            return None;
        }
        let emitted = emit::emit(engine, &Plan::new(engine), top)?;
        Some(Native {
            code: Arc::new(Executable::new(&emitted.bytes)?),
            first: emitted.first,
            start: emitted.start,
            entries: emitted.entries.into(),
            top,
            pool: emitted.pool,
            weights: emitted.weights,
            scale: f64::NAN,
            anchor: emitted.anchor,
            memory: engine.memory.len(),
            steps: engine.steps.len(),
            states: engine.code.states,
        })
    }

    /// Whether code for higher orders would be of use.
    pub fn is_short_of(&self, order: usize, room: usize) -> bool {
        order > self.top && self.top < HIGHEST.min(room)
    }

    /// Computes the coefficients from `from` up to `to`, as far as there is code; the result says how far. The newest
    /// coefficients of the states are read where the interpreter has them, but not written there.
    pub fn run(
        &mut self,
        memory: &mut [f64],
        steps: &[Step],
        scale: f64,
        [from, to]: [usize; 2],
        c: &mut [f64],
    ) -> usize {
        let last = to.min(self.top);
        if from >= last {
            return from;
        }
        if scale.to_bits() != self.scale.to_bits() {
            self.scale = scale;
            for weight in &self.weights {
                self.pool[weight.index] = weight.rate * (scale * weight.part);
            }
        }
        let n = self.states;
        assert!(
            memory.len() == self.memory && steps.len() == self.steps && c.len() >= (last + 1) * n,
            "its own memory"
        );
        // SAFETY: the code was made for memory, steps and pool of these sizes and checked every place; it writes c up to
        // `last`, for which there is room; the entry is one of its own, and it is a leaf that keeps to the convention.
        unsafe {
            type Code = unsafe extern "sysv64" fn(*mut u8, *const u8, *mut u8, *const u8, *const u8, usize);
            let code = std::mem::transmute::<*const u8, Code>(self.code.address(if from == 1 {
                self.first
            } else {
                self.start
            }));
            let behind = |p: *const u8| p.wrapping_add(BIAS);
            code(
                memory.as_mut_ptr().cast::<u8>().wrapping_add(self.anchor),
                behind(steps.as_ptr().cast()),
                c.as_mut_ptr().cast::<u8>().wrapping_add(BIAS),
                behind(self.pool.as_ptr().cast()),
                self.code.address(self.entries[from]),
                last,
            );
        }
        last
    }
}

/// Whether a code is small enough for machine code.
pub(super) fn fits(code: &JetCode) -> bool {
    super::price::is_small(code)
}
