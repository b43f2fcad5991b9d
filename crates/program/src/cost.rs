//! What evaluations of a program cost, counted from its instructions; only the proportions matter.

use crate::{Op, Program, Section};
use ordinate_linalg::Pattern;
use ordinate_solve::JacobianCost;
use std::sync::Arc;

/// Nanoseconds of a processor of 2020, as of `JetCost`.
mod nanoseconds {
    pub const PLAIN: f64 = 0.4;
    pub const DIVISION: f64 = 1.5;
    pub const FUNCTION: f64 = 8.0;
    /// What an evaluation costs besides its instructions.
    pub const EVALUATION: f64 = 14.0;
    /// A derivative of an instruction by one state.
    pub const DERIVATIVE: f64 = 1.5;
    /// The same, to find it and to make code of it; and each element of the Jacobian.
    pub const FINDING: f64 = 1000.0;
    pub const ELEMENT: f64 = 500.0;
}

/// The most derivatives of instructions by states.
const MOST_DERIVATIVES: f64 = 2e7;

impl Program {
    /// The cost of its right-hand side.
    pub(crate) fn cost_of_rhs(&self) -> f64 {
        nanoseconds::EVALUATION
            + self.rhs.instructions.iter().map(|instruction| of_operation(instruction.op)).sum::<f64>()
    }

    /// The cost of its Jacobian, from the states that each instruction depends on; `None` if it is not made for `most`.
    pub(crate) fn cost_of_jacobian(&self, most: f64) -> Option<JacobianCost> {
        let n = self.layout.states;
        // Beyond that no memory would hold it.
        let most = (most / nanoseconds::FINDING).min(MOST_DERIVATIVES);
        let (derivatives, elements) = reached(&self.rhs, n, most as usize)?;
        let pattern = Pattern::from_elements(n, elements.into_iter());
        let (derivatives, elements) = (derivatives as f64, pattern.len() as f64);
        Some(JacobianCost {
            evaluation: self.cost_of_rhs() + nanoseconds::DERIVATIVE * derivatives + nanoseconds::PLAIN * elements,
            preparation: nanoseconds::FINDING * derivatives + nanoseconds::ELEMENT * elements,
            pattern: Arc::new(pattern),
        })
    }
}

fn of_operation(op: Op) -> f64 {
    match op {
        Op::Neg | Op::Add | Op::Sub | Op::Mul | Op::Square => nanoseconds::PLAIN,
        Op::Less | Op::LessEqual | Op::Equal | Op::Not | Op::And | Op::Or | Op::Select => nanoseconds::PLAIN,
        Op::Div | Op::HalfPower(_) | Op::Lookup(_) => nanoseconds::DIVISION,
        Op::Call(_) | Op::Pow | Op::Atan2 => nanoseconds::FUNCTION,
    }
}

/// How many derivatives of instructions by states there are, and the (row, column) of those of the results; `None` beyond
/// `most`.
fn reached(section: &Section, n: usize, most: usize) -> Option<(usize, Vec<(u32, u32)>)> {
    let first = Program::STATES as u32;
    let highest = section.instructions.iter().map(|instruction| instruction.out).max().unwrap_or(0);
    let mut by_register: Vec<Vec<u32>> = vec![Vec::new(); highest as usize + 1];
    let states_of = |by_register: &[Vec<u32>], register: u32| -> Vec<u32> {
        match register.checked_sub(first).filter(|state| (*state as usize) < n) {
            Some(state) => vec![state],
            None => by_register.get(register as usize).cloned().unwrap_or_default(),
        }
    };
    let mut derivatives = 0;
    for instruction in &section.instructions {
        let mut states = Vec::new();
        for operand in instruction.operands() {
            match operand.checked_sub(first).filter(|state| (*state as usize) < n) {
                Some(state) => states.push(state),
                None => states.extend(by_register.get(operand as usize).into_iter().flatten()),
            }
        }
        states.sort_unstable();
        states.dedup();
        derivatives += states.len();
        if derivatives > most {
            return None;
        }
        by_register[instruction.out as usize] = states;
    }
    let row = |(row, &register): (usize, &u32)| {
        states_of(&by_register, register).into_iter().map(move |column| (row as u32, column)).collect::<Vec<_>>()
    };
    let elements: Vec<(u32, u32)> = section.results.iter().enumerate().flat_map(row).collect();
    Some((derivatives, elements))
}
