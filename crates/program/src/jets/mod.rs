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
        let (f, mut cost) = (vec![0.0; code.states], cost(&code));
        let engine = match Passes::new(&code) {
            Some(passes) => Choice::Passes(Box::new(passes)),
            None => Choice::Steps(Box::new(Engine::new(code))),
        };
        if let Choice::Passes(_) = engine {
            cost = cost.times(IN_PASSES);
        }
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

/// Without machine code, and with more than the fastest memory holds, all takes so many times as long (Kuramoto's oscillators and
/// reaction–diffusion chains of 100 to 400 states).
const IN_PASSES: f64 = 4.5;

/// What a step with series of a code costs, in nanoseconds as measured once on one machine, with machine code: only the
/// proportions matter. What a step costs without its series, about 200, is the same at all orders and lets high ones pay.
fn cost(code: &JetCode) -> JetCost {
    let mut cost = JetCost { fixed: 180.0 + 12.0 * code.states as f64, per_order: 4.0, per_product: 0.0 };
    for instruction in &code.instructions {
        let (products, fixed) = match instruction.op {
            JetOp::Sum(_) | JetOp::Weigh(_) => (0.0, 1.0),
            JetOp::Square(_) => (0.5, 2.0),
            JetOp::Sqrt(_) => (0.5, 8.0),
            JetOp::Mul(..) => (1.0, 2.0),
            JetOp::Div(..) | JetOp::Reciprocal(..) => (1.0, 6.0),
            JetOp::Power { .. } => (2.0, 20.0),
            JetOp::Antiproduct { .. } | JetOp::Antiquotient { .. } => (1.0, 15.0),
        };
        cost.fixed += fixed;
        cost.per_order += 0.35;
        cost.per_product += 0.04 * products;
    }
    cost.per_order += 0.35 * code.results.len() as f64;
    cost
}
