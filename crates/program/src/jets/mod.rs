//! Taylor series of the solutions of a program: [`JetCode`] is made of its right-hand side for given discrete values and
//! evaluated order by order.

mod code;
mod compile;
mod engine;
mod kernel;
mod print;
mod recurrence;

pub use code::*;

use crate::{Evaluator, Program};
use engine::Engine;
use ordinate_solve::{JetCost, Jets};

impl Program {
    /// The series code of its right-hand side where all discrete values are those given; `None` where a choice depends
    /// on the state itself.
    pub fn series(&self, d: &[f64]) -> Option<JetCode> {
        let mut registers = Evaluator::constants(self);
        let first = self.discrete_register();
        registers[first..first + d.len()].copy_from_slice(d);
        compile::compile(self, &self.rhs, &registers)
    }
}

/// Series of a program for given discrete values.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    engine: Engine,
    /// The discrete values it was made for.
    d: Vec<f64>,
    f: Vec<f64>,
    cost: JetCost,
}

impl Series {
    /// Series for the discrete values that stand in the registers; `None` if there are none.
    pub fn new(program: &Program, registers: &[f64]) -> Option<Series> {
        let code = compile::compile(program, &program.rhs, registers)?;
        let first = program.discrete_register();
        let d = registers[first..first + program.layout.discrete()].to_vec();
        Some(Series { d, f: vec![0.0; code.states], cost: cost(&code), engine: Engine::new(code) })
    }

    /// The discrete values it was made for.
    pub fn discrete(&self) -> &[f64] {
        &self.d
    }
}

impl Jets for Series {
    fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.engine.begin(t, y, &mut self.f);
        f.copy_from_slice(&self.f);
    }

    fn extend(&mut self, scale: f64, order: usize, c: &mut [f64]) {
        self.engine.extend(&self.f, scale, order, c);
    }

    fn cost(&self) -> JetCost {
        self.cost
    }
}

/// What series of a code cost, in nanoseconds as measured once on one machine: only the proportions matter.
fn cost(code: &JetCode) -> JetCost {
    let mut cost = JetCost { fixed: 40.0 + 6.0 * code.states as f64, per_order: 3.0, per_product: 0.0 };
    for instruction in &code.instructions {
        let (products, fixed) = match instruction.op {
            JetOp::Sum(sum) => {
                cost.per_order += 1.0 + 0.5 * f64::from(sum.to - sum.from);
                continue;
            }
            JetOp::Weigh(_) => (0.0, 1.0),
            JetOp::Square(_) => (0.5, 2.0),
            JetOp::Sqrt(_) => (0.5, 8.0),
            JetOp::Mul(..) => (1.0, 2.0),
            JetOp::Div(..) | JetOp::Reciprocal(..) => (1.0, 6.0),
            JetOp::Power { .. } => (2.0, 20.0),
            JetOp::Antiproduct { .. } | JetOp::Antiquotient { .. } => (1.0, 15.0),
        };
        cost.fixed += fixed;
        cost.per_order += 2.0 + products;
        cost.per_product += 0.06 * products;
    }
    for sum in &code.results {
        cost.per_order += 1.5 + 0.5 * f64::from(sum.to - sum.from);
    }
    cost
}
