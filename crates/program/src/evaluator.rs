//! The evaluator in double precision: a loop over instructions, no allocation.

use crate::{Instruction, Literal, Op, Program, Section, Target};
use ordinate_expr::power;
use ordinate_solve::{Layout, System};
use std::sync::Arc;

/// A program with registers of its own. Cheap to make, one per thread.
#[derive(Clone, Debug)]
pub struct Evaluator {
    program: Arc<Program>,
    registers: Vec<f64>,
}

/// Runs a section over the registers.
///
/// Every operand lies below `registers.len()`: the compiler numbers them, and slices check it.
fn run(section: &Section, lists: &[Vec<f64>], r: &mut [f64]) {
    let truth = |value: bool| f64::from(u8::from(value));
    for &Instruction { op, out, a, b, c } in &section.instructions {
        let (a, b) = (a as usize, b as usize);
        r[out as usize] = match op {
            Op::Neg => -r[a],
            Op::Add => r[a] + r[b],
            Op::Sub => r[a] - r[b],
            Op::Mul => r[a] * r[b],
            Op::Square => r[a] * r[a],
            Op::Div => r[a] / r[b],
            Op::Pow => power(r[a], r[b]),
            Op::HalfPower(n) => half_power(r[a], n),
            Op::Call(f) => f.evaluate(r[a]),
            Op::Atan2 => r[a].atan2(r[b]),
            Op::Less => truth(r[a] < r[b]),
            Op::LessEqual => truth(r[a] <= r[b]),
            Op::Equal => truth(r[a] == r[b]),
            Op::Not => 1.0 - r[a],
            Op::And => r[a] * r[b],
            Op::Or => r[a].max(r[b]),
            Op::Select => r[if r[a] != 0.0 { b } else { c as usize }],
            Op::Lookup(list) => {
                let values = &lists[list as usize];
                values[(r[a] as usize).min(values.len() - 1)]
            }
        };
    }
}

/// x^(n/2); the frequent ones without a loop.
fn half_power(x: f64, n: i16) -> f64 {
    match n {
        -3 => 1.0 / (x * x.sqrt()),
        -2 => 1.0 / x,
        -1 => 1.0 / x.sqrt(),
        1 => x.sqrt(),
        3 => x * x.sqrt(),
        6 => x * x * x,
        _ => power(x, f64::from(n) / 2.0),
    }
}

impl Evaluator {
    /// An evaluator whose constants are computed.
    pub fn new(program: Arc<Program>) -> Self {
        let mut registers = vec![0.0; program.registers];
        for &(register, literal) in &program.literals {
            registers[register as usize] = match literal {
                Literal::Decimal(value) => value.to_f64(),
                Literal::Pi => std::f64::consts::PI,
            };
        }
        run(&program.prologue, &program.lists, &mut registers);
        Evaluator { program, registers }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn load(&mut self, t: f64, y: &[f64], d: &[f64]) {
        let states = Program::STATES;
        self.registers[0] = t;
        self.registers[states..states + y.len()].copy_from_slice(y);
        let from = states + self.program.layout.states;
        self.registers[from..from + d.len()].copy_from_slice(d);
    }

    fn results(&mut self, section: impl Fn(&Program) -> &Section, t: f64, y: &[f64], d: &[f64], out: &mut [f64]) {
        self.load(t, y, d);
        let section = section(&self.program);
        run(section, &self.program.lists, &mut self.registers);
        for (value, &register) in out.iter_mut().zip(&section.results) {
            *value = self.registers[register as usize];
        }
    }

    /// Named expressions, outputs, held values, inputs.
    pub fn outputs(&mut self, t: f64, y: &[f64], d: &[f64], out: &mut [f64]) {
        self.results(|p| &p.outputs, t, y, d, out);
    }

    /// Start values at time t: of the states, the held values, the checks.
    pub fn starts(&mut self, t: f64) -> Vec<f64> {
        let mut out = vec![0.0; self.program.starts.results.len()];
        self.results(|p| &p.starts, t, &[], &[], &mut out);
        out
    }

    /// The nonzero elements of ∂f/∂y in the order of the pattern.
    ///
    /// # Panics
    /// If the program was compiled without its Jacobian.
    pub fn jacobian(&mut self, t: f64, y: &[f64], d: &[f64], out: &mut [f64]) {
        self.results(|p| &p.jacobian.as_ref().expect("compiled with its Jacobian").section, t, y, d, out);
    }

    /// g and dg/dt of a switch of time alone.
    pub(crate) fn time_value(&mut self, switch: usize, t: f64) -> (f64, f64) {
        let mut out = [0.0; 2];
        self.results(|p| &p.time_switches[switch].as_ref().expect("a switch of time").section, t, &[], &[], &mut out);
        (out[0], out[1])
    }

    /// The constants as they are after the prologue, for other evaluators over the same registers.
    pub(crate) fn registers(&self) -> &[f64] {
        &self.registers
    }
}

impl System for Evaluator {
    fn layout(&self) -> &Layout {
        &self.program.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        self.results(|p| &p.rhs, t, y, d, dy);
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        self.results(|p| &p.switches, t, y, d, g);
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        self.results(|p| &p.slopes, t, y, d, slope);
    }

    fn next_crossing(&mut self, switch: usize, after: f64, until: f64) -> Option<f64> {
        crate::time_switch::next_crossing(self, switch, after, until)
    }

    fn mode_from(&mut self, switch: usize, t: f64) -> f64 {
        crate::time_switch::mode_from(self, switch, t)
    }

    fn conditions(&mut self, d: &[f64], truth: &mut [bool]) {
        let from = self.program.discrete_register();
        self.registers[from..from + d.len()].copy_from_slice(d);
        let section = &self.program.conditions;
        run(section, &self.program.lists, &mut self.registers);
        for (value, &register) in truth.iter_mut().zip(&section.results) {
            *value = self.registers[register as usize] != 0.0;
        }
    }

    fn act(&mut self, action: usize, t: f64, y: &[f64], d: &[f64], new_y: &mut [f64], new_d: &mut [f64]) {
        self.load(t, y, d);
        let code = &self.program.actions[action];
        run(&code.section, &self.program.lists, &mut self.registers);
        for (&register, target) in code.section.results.iter().zip(&code.targets) {
            let value = self.registers[register as usize];
            match *target {
                Target::State(k) => new_y[k] = value,
                Target::Discrete(k) => new_d[k] = value,
            }
        }
    }
}
