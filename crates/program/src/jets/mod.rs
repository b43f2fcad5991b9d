//! Taylor series of the solutions of a program: [`JetCode`] is made of its right-hand side for given discrete values and
//! evaluated order by order.

mod code;
mod compile;
mod disc;
mod engine;
mod kernel;
mod lanes;
mod layout;
mod lin;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod native;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
#[path = "native/none.rs"]
mod native;
mod passes;
mod precise;
mod price;
mod print;
mod recurrence;
mod removable;
#[cfg(test)]
mod samples;
mod steps;
mod switches;

pub use code::*;
pub(crate) use compile::compile;
pub use lanes::LaneSeries;
pub use precise::PreciseProgram;
pub(crate) use switches::{AlongSection, AlongStep};

use crate::{Evaluator, Program};
use engine::Engine;
use ordinate_solve::{JetCost, Jets};
use passes::Passes;

/// The precision of doubles in bits.
pub(crate) const DOUBLE: usize = f64::MANTISSA_DIGITS as usize;

impl Program {
    /// The series code of its right-hand side where all discrete values are those given; `None` where a choice depends
    /// on the state itself.
    pub fn series(&self, d: &[f64]) -> Option<JetCode> {
        let mut registers = Evaluator::constants(self, self.rounding);
        let first = self.discrete_register();
        registers[first..first + d.len()].copy_from_slice(d);
        compile::compile(self, &self.rhs, &registers, DOUBLE)
    }
}

/// Series of a program for given discrete values.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    engine: Choice,
    f: Vec<f64>,
    cost: JetCost,
}

/// Who computes series.
#[derive(Clone, Debug)]
enum Choice {
    /// Instruction after instruction, or machine code.
    Steps(Box<Engine>),
    /// Many like instructions at a time.
    Passes(Box<Passes>),
}

impl Series {
    /// Series for the discrete values that stand in the registers; `None` if there are none.
    pub fn new(program: &Program, registers: &[f64]) -> Option<Series> {
        let code = compile(program, &program.rhs, registers, DOUBLE)?;
        let (f, cost) = (vec![0.0; code.states], price::cost(&code));
        let engine = match Passes::new(&code) {
            Some(passes) => Choice::Passes(Box::new(passes)),
            None => Choice::Steps(Box::new(Engine::new(code))),
        };
        Some(Series { engine, f, cost })
    }
}

impl Series {
    /// Sets the coefficients of the series that are given from outside, before a series is begun or goes on.
    pub fn give(&mut self, given: &[Vec<f64>]) {
        match &mut self.engine {
            Choice::Steps(engine) => engine.given.iter_mut().zip(given).for_each(|(own, given)| own.clone_from(given)),
            Choice::Passes(_) => assert!(given.is_empty(), "many equations with delays are computed one by one"),
        }
    }
}

impl Jets for Series {
    fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        match &mut self.engine {
            Choice::Steps(engine) => engine.begin(t, y, &mut self.f),
            Choice::Passes(passes) => passes.begin(t, y, &mut self.f),
        }
        f.copy_from_slice(&self.f);
    }

    fn extend(&mut self, scale: f64, order: usize, c: &mut [f64]) {
        match &mut self.engine {
            Choice::Steps(engine) => engine.extend(&self.f, scale, order, c),
            Choice::Passes(passes) => passes.extend(&self.f, scale, order, c),
        }
    }

    fn cost(&self) -> JetCost {
        self.cost
    }
}
