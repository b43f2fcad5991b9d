//! Controllers from models: gains at a point, and the closed loop as a model that runs.

mod closed_loop;
mod edit;
mod text;

pub use closed_loop::{ClosedLoop, ClosedLoopError, ControllerText, Held, Law, Parameter, closed_loop};
pub use text::{Names, Sum, deviation, number, plain_name};
