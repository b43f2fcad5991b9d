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

mod batch;
mod compile;
mod digits;
mod eigen;
mod explain;
mod figure;
mod info;
mod methods;
mod number;
mod precise;
mod realtime;
mod record;
mod recorder;
mod run;
mod start;
mod summary;
pub mod transform;

pub use batch::{BatchOptions, BatchResult, Trajectory, batch};
pub use compile::{CompileOptions, Compiled, Failure, Source, Stage, UnitCheck, compile, emit};
pub use digits::DigitsReport;
pub use figure::{PlotOptions, figure, figure_notes, table_figure};
pub use info::{info, info_json};
pub use methods::{MethodInfo, methods, methods_text};
pub use number::{number_hint, short};
pub use ordinate_model::{IndexTreatment, SetError, closest};
pub use ordinate_plot::{Figure, PlotError};
pub use ordinate_solve::{FirstIterate, NewtonIterate, NewtonKind, NewtonOptions, Status, names as method_names};
pub use ordinate_syntax::{Arity, Diagnostic, FUNCTIONS, LineIndex, Severity, has_errors, line_column, render};
pub use precise::PreciseResult;
pub use realtime::{OnOverrun, Privileges, RealTime, RealTimeReport, realtime};
pub use record::{CsvRows, Discard, Memory, RowError, RowSink, Strip};
pub use run::{RowTimes, Run, RunError, RunOptions, Seconds, run_range, simulate};
pub use start::check_starts;
pub use summary::summary_json;
