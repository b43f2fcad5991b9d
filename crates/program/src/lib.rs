//! The program: flat instruction lists for f, the switches, conditions, actions, outputs and the
//! Jacobian of a sorted model, over one file of registers.
//!
//! [`compile`] makes a [`Program`], plain data without symbols; [`Evaluator`] runs it in double precision
//! and is the [`ordinate_solve::System`] that the driver integrates. Other evaluators (series, lanes, intervals,
//! other number types) walk over the same lists.

mod compile;
mod constant;
mod cost;
mod delays;
mod evaluator;
mod instruction;
mod interval;
mod jacobian;
mod jets;
mod lifted;
mod linear;
mod print;
mod pulses;
mod rounding;
mod scheduled_code;
mod slopes;
mod stochastic_rounding;
mod time_switch;

pub use compile::{compile, compile_constants};
pub use constant::{Constant, constant_outputs};
pub use evaluator::Evaluator;
pub use instruction::*;
pub use jacobian::Jacobian;
pub use jets::{JetCode, JetInstruction, JetOp, LaneSeries, Operand, PreciseProgram, Sum, Value};
pub use slopes::Rates;
