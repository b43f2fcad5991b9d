//! Which parts of f may be next to nothing over a stretch and not elsewhere, such as exp(−(t − 50)²) from t = 0 on.
//!
//! Polynomials, roots, logarithms and harmonic functions of a low degree are known from afar: their series have visible terms
//! of every order, and what they are divided by leaves poles, whose tails fade slowly. So have those of 1/(1 + t²) at t = 100, but
//! not those of an exponential function there, or of a hundredth power.

use crate::{Instruction, Op, Program, constant};
use ordinate_expr::Function;
use ordinate_solve::LocalFeatures;

/// Up to this degree in t and the states a function is known from afar.
const DEGREE: f64 = 4.0;
/// The same of the states alone: series are longer than that.
const DEGREE_OF_STATES: f64 = 8.0;
/// Up to this degree of its argument a harmonic function is.
const INSIDE: f64 = 2.0;

/// What is known of a register.
#[derive(Clone, Copy, Default)]
struct Known {
    /// In t and the states; 0 of what does not change within a step.
    degree: f64,
    /// It depends on t by itself.
    timed: bool,
    /// It contains a function of time that is not known from afar.
    pulsed: bool,
}

/// The pulses that f may have, and the equations that contain one in time.
pub(crate) fn of_program(program: &Program) -> (LocalFeatures, Vec<bool>) {
    let mut known = vec![Known::default(); program.registers];
    let state = Known { degree: 1.0, ..Known::default() };
    known[0] = Known { timed: true, ..state };
    known[Program::STATES..program.discrete_register()].fill(state);
    known[program.delayed_register()..program.rates_register()].fill(state);
    let (mut constants, mut found) = (None, LocalFeatures::None);
    for &Instruction { op, out, a, b, c } in &program.rhs.instructions {
        let [x, y, z] = [a, b, c].map(|register| known[register as usize]);
        let all_known = |x: Known| if x.degree == 0.0 { 0.0 } else { f64::INFINITY };
        let degree = match op {
            Op::Neg => x.degree,
            Op::Add | Op::Sub | Op::Atan2 => x.degree.max(y.degree),
            Op::Mul | Op::Div => x.degree + y.degree,
            Op::Square => 2.0 * x.degree,
            Op::HalfPower(n) => x.degree * f64::from(n.abs()) / 2.0,
            Op::Pow if y.degree == 0.0 => {
                let constants = constants.get_or_insert_with(|| constant::constants::<f64>(program, 53));
                // A discrete exponent is none of them, and taken for zero: not known.
                match constants[b as usize].abs() {
                    0.0 => all_known(x),
                    exponent => x.degree * exponent,
                }
            }
            Op::Pow => f64::INFINITY,
            Op::Call(function) => match function {
                Function::Sin | Function::Cos | Function::Tan if x.degree <= INSIDE => x.degree,
                Function::Sqrt | Function::Cbrt | Function::Log | Function::Log10 | Function::Log1p => x.degree,
                Function::Abs => x.degree,
                Function::Asin | Function::Acos | Function::Atan => x.degree,
                Function::Asinh | Function::Acosh | Function::Atanh => x.degree,
                Function::Sin | Function::Cos | Function::Tan | Function::Sinh | Function::Cosh | Function::Tanh => {
                    all_known(x)
                }
                Function::Expm1 | Function::Logistic | Function::Softplus => all_known(x),
                Function::Bernoulli | Function::Langevin | Function::LangevinSlope => all_known(x),
                Function::Exp | Function::Erf | Function::Sign | Function::Floor | Function::Noise => all_known(x),
            },
            Op::Less | Op::LessEqual | Op::Equal | Op::And | Op::Or => all_known(x) + all_known(y),
            Op::Not | Op::Lookup(_) => all_known(x),
            Op::Select => all_known(x) + y.degree.max(z.degree),
        };
        // Operands that an operation does not have are the time.
        let operands = match op {
            Op::Neg | Op::Square | Op::HalfPower(_) | Op::Call(_) | Op::Not | Op::Lookup(_) => 1,
            Op::Select => 3,
            _ => 2,
        };
        let operands = &[x, y, z][..operands];
        let timed = operands.iter().any(|operand| operand.timed);
        let pulsed = operands.iter().any(|operand| operand.pulsed);
        known[out as usize] = match degree <= if timed { DEGREE } else { DEGREE_OF_STATES } {
            true => Known { degree, timed, pulsed },
            false => {
                found = found.max(if timed { LocalFeatures::InTime } else { LocalFeatures::InState });
                // It counts once.
                Known { degree: 1.0, timed, pulsed: pulsed || timed }
            }
        };
    }
    (found, program.rhs.results.iter().map(|&register| known[register as usize].pulsed).collect())
}
