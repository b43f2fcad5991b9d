//! Controllers from models: gains at a point, and the closed loop as a model that runs.

mod closed_loop;
mod edit;
mod elimination;
mod field;
mod lyapunov;
mod symbolic;
mod text;

pub use closed_loop::{ClosedLoop, ClosedLoopError, ControllerText, Held, Law, Parameter, closed_loop};
pub use lyapunov::{
    Conclusion, LaSalle, Lyapunov, LyapunovOptions, Verdict, lyapunov, lyapunov_figure, lyapunov_json, lyapunov_model,
    lyapunov_text,
};
pub use symbolic::SymbolicError;
pub use text::{Names, Sum, deviation, number, plain_name};
