//! Write the equations, get the solution.
//!
//! ```text
//!   text ─parse→ Tree ─resolve→ Model ─sort→ Sorted ─compile→ Program ─solve→ rows ─→ figure, files
//! ```
//!
//! [`compile`] walks the first half of that line, [`simulate`] the second. The faces (command line and
//! others) call these and print what they get.
//!
//! ```
//! use ordinate::{CompileOptions, Discard, RunOptions, Source, compile, simulate};
//!
//! let source = Source::text("y' = -y; y(0) = 1; run 0 .. 1");
//! let compiled = compile(&source, &CompileOptions::default()).unwrap();
//! let run = simulate(&compiled, &RunOptions::default(), &mut Discard).unwrap();
//! assert!((run.final_value("y").unwrap() - (-1.0f64).exp()).abs() < 1e-6);
//! ```

/// The Rust of the README compiles and holds.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod along;
mod batch;
mod block;
mod builder;
mod clock;
mod compare;
mod compile;
pub mod design;
mod digits;
mod equilibria;
mod error;
mod explain;
mod exploratory_run;
mod figure;
mod halton;
mod info;
mod linearize;
mod list;
mod methods;
mod notes;
mod number;
mod output_domain;
mod outside;
mod periodic;
mod plot_sampling;
mod precise;
mod rates;
mod realtime;
mod reasons;
mod record;
mod recorder;
mod residual;
mod run;
mod sensitivity;
mod stability;
mod start;
mod summary;
pub mod transform;
mod warm_up;

pub use batch::{BatchOptions, BatchResult, Trajectory, batch};
pub use block::Block;
pub use builder::{Expression, ModelBuilder};
pub use compare::{Chart, CompareError, CompareOptions, Comparison, Reference, Row, Skipped, compare, reference};
pub use compile::{CompileOptions, Compiled, Failure, Source, Stage, UnitCheck, compile, emit};
pub use digits::DigitsReport;
pub use equilibria::{
    Equilibria, EquilibriaError, EquilibriaOptions, Equilibrium, equilibria, equilibria_json, equilibria_text,
};
pub use error::{ErrorWish, GlobalError};
pub use figure::{PlotOptions, figure, figure_notes, table_figure};
pub use info::{info, info_json};
pub use linearize::{
    Analysis, AnalysisOptions, Channel, LinearFigureOptions, LinearPicture, Linearization, LinearizeError,
    LinearizeOptions, Mode, Units, analyse, linear_figure, linearize, linearize_json, linearize_mat, linearize_model,
    linearize_npz, linearize_text, response_figure,
};
pub use list::list_parts;
pub use methods::{MethodInfo, closest_method, is_method, methods, methods_text};
pub use notes::{Note, NoteKind};
pub use number::{number_hint, short};
pub use ordinate_control::Hold;
pub use ordinate_model::{IndexTreatment, Inputs, SetError, closest, instead};
pub use ordinate_plot::{Figure, PlotError};
pub use ordinate_solve::{
    BlockStatus, DenseOutput, FirstIterate, NewtonIterate, NewtonKind, NewtonOptions, Status, StopFlag,
    names as method_names,
};
pub use ordinate_syntax::{Arity, Diagnostic, FUNCTIONS, LineIndex, Severity, has_errors, line_column, render};
pub use outside::{FunctionSystem, SystemError, SystemRun, simulate_system};
pub use periodic::{
    Orbit, Periodic, PeriodicError, PeriodicOptions, periodic, periodic_figure, periodic_json, periodic_text,
};
pub use plot_sampling::shown;
pub use precise::PreciseResult;
pub use realtime::{OnOverrun, Privileges, RealTime, RealTimeReport, realtime};
pub use reasons::ReasonKind;
pub use record::{CsvRows, Discard, Memory, RowError, RowSink, Strip};
pub use run::{RowTimes, Run, RunError, RunOptions, Seconds, run_range, simulate};
pub use sensitivity::sensitivity;
pub use stability::{
    Along, BeyondStability, Picture, Stability, along, overlay, stabilities, stability, stability_of_model,
};
pub use start::check_starts;
pub use summary::summary_json;
