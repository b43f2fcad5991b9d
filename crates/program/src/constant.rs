//! Constants of a program in the precision of a run, and their functions.

use crate::{Instruction, Literal, Op, Program, Section};
use ordinate_expr::{Function, power, sign};
use ordinate_numbers::{Arithmetic, Big, DoubleDouble, Precise};

/// A number with the functions of the language.
pub trait Constant: Precise {
    /// f(self)
    fn call(&self, f: Function) -> Self;

    /// self^exponent
    fn power(&self, exponent: &Self) -> Self;

    /// The angle of (x, self).
    fn atan2(&self, x: &Self) -> Self;
}

impl Constant for f64 {
    fn call(&self, f: Function) -> f64 {
        f.evaluate(*self)
    }

    fn power(&self, exponent: &f64) -> f64 {
        power(*self, *exponent)
    }

    fn atan2(&self, x: &f64) -> f64 {
        f64::atan2(*self, *x)
    }
}

impl Constant for Big {
    fn call(&self, f: Function) -> Big {
        match f {
            Function::Sin => self.sin(),
            Function::Cos => self.cos(),
            Function::Tan => self.tan(),
            Function::Asin => self.asin(),
            Function::Acos => self.acos(),
            Function::Atan => self.atan(),
            Function::Sinh => self.sinh(),
            Function::Cosh => self.cosh(),
            Function::Tanh => self.tanh(),
            Function::Asinh => self.asinh(),
            Function::Acosh => self.acosh(),
            Function::Atanh => self.atanh(),
            Function::Exp => self.exp(),
            Function::Log => self.ln(),
            Function::Log10 => self.log10(),
            Function::Sqrt => self.clone().sqrt(),
            Function::Cbrt => self.cbrt(),
            Function::Erf => self.erf(),
            Function::Expm1 => self.expm1(),
            Function::Log1p => self.log1p(),
            Function::Logistic => (Big::splat(1.0) + (-self.clone()).exp()).reciprocal(),
            Function::Softplus => {
                let rest = (-self.abs()).exp().log1p();
                if self.to_f64() > 0.0 { self.clone() + rest } else { rest }
            }
            Function::Bernoulli if self.to_f64() == 0.0 => Big::splat(1.0),
            Function::Bernoulli => self.clone() / self.expm1(),
            Function::Langevin => self.langevin(),
            Function::LangevinSlope => self.langevin_slope(),
            Function::Abs => self.abs(),
            Function::Sign => Big::splat(sign(self.to_f64())),
            Function::Floor => self.floor(),
            Function::Noise => Big::splat(f.evaluate(self.to_f64())),
        }
    }

    fn power(&self, exponent: &Big) -> Big {
        Big::power(self, exponent)
    }

    fn atan2(&self, x: &Big) -> Big {
        Big::atan2(self, x)
    }
}

/// Functions of double-doubles are needed once per step: long numbers compute them.
impl Constant for DoubleDouble {
    fn call(&self, f: Function) -> DoubleDouble {
        match f {
            // found in parameters of many a model
            Function::Sqrt => self.sqrt(),
            _ => DoubleDouble::from_big(&self.to_big().call(f)),
        }
    }

    fn power(&self, exponent: &DoubleDouble) -> DoubleDouble {
        DoubleDouble::from_big(&self.to_big().power(&exponent.to_big()))
    }

    fn atan2(&self, x: &DoubleDouble) -> DoubleDouble {
        DoubleDouble::from_big(&self.to_big().atan2(&x.to_big()))
    }
}

/// The registers of a program with all constants computed; the others are zero.
pub(crate) fn constants<N: Constant>(program: &Program, bits: usize) -> Vec<N> {
    let mut registers = vec![N::exact(0.0, bits); program.registers];
    for &(register, literal) in &program.literals {
        registers[register as usize] = match literal {
            Literal::Decimal(value) => {
                let (mantissa, exponent) = value.parts();
                N::decimal(mantissa, exponent, bits)
            }
            Literal::Pi => N::pi(bits),
            Literal::Double(value) => N::exact(value, bits),
        };
    }
    run(&program.prologue, &program.lists, bits, &mut registers);
    registers
}

/// The outputs of a program that has constants only, see [`crate::compile_constants`].
pub fn constant_outputs<N: Constant>(program: &Program, bits: usize) -> Vec<N> {
    let mut registers: Vec<N> = constants(program, bits);
    run(&program.outputs, &program.lists, bits, &mut registers);
    program.outputs.results.iter().map(|&register| registers[register as usize].clone()).collect()
}

/// Runs the instructions of a section.
pub(crate) fn run<N: Constant>(section: &Section, lists: &[Vec<f64>], bits: usize, registers: &mut [N]) {
    let truth = |t: bool| N::exact(f64::from(u8::from(t)), bits);
    let zero = N::exact(0.0, bits);
    for &Instruction { op, out, a, b, c } in &section.instructions {
        let [a, b, c] = [a, b, c].map(|register| &registers[register as usize]);
        let value = match op {
            Op::Neg => -a.clone(),
            Op::Add => a.clone() + b.clone(),
            Op::Sub => a.clone() - b.clone(),
            Op::Mul => a.clone() * b.clone(),
            Op::Square => a.clone() * a.clone(),
            Op::Div => a.clone() / b.clone(),
            Op::Pow => a.power(b),
            Op::HalfPower(n) => a.power(&N::exact(f64::from(n) / 2.0, bits)),
            Op::Call(f) => a.call(f),
            Op::Atan2 => a.atan2(b),
            Op::Less => truth(a < b),
            Op::LessEqual => truth(a <= b),
            Op::Equal => truth(a == b),
            Op::Not => truth(*a == zero),
            Op::And => truth(*a != zero && *b != zero),
            Op::Or => truth(*a != zero || *b != zero),
            Op::Select => if *a != zero { b } else { c }.clone(),
            Op::Lookup(list) => {
                let values = &lists[list as usize];
                N::exact(values[(a.to_f64() as usize).min(values.len() - 1)], bits)
            }
        };
        registers[out as usize] = value;
    }
}
