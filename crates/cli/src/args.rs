//! The options, spelled as in the documentation.

use crate::design::DesignCommand;
use crate::lists::List;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Write the equations, get the solution
#[derive(Parser, Debug)]
#[command(name = "ordinate", version, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(
    after_help = crate::help::topics() + "\nA first run:\n  ordinate run -e \"y'' = -y; y(0) = 1; y'(0) = 0\" -t 20 --plot\n  ordinate new pendulum && ordinate run pendulum.eq --plot pendulum.svg"
)]
pub struct Line {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Solve a model
    Run(Box<RunArgs>),
    /// Report all mistakes in a model
    Check(CheckArgs),
    /// Show what a model consists of
    Info(CheckArgs),
    /// Find equilibria and their types
    Equilibria(EquilibriaArgs),
    /// Linearise a model: A, B, C, D, modes, controllability, transfer functions
    #[command(alias = "linearise")]
    Linearize(Box<LinearizeArgs>),
    /// Find periodic solutions and their Floquet multipliers
    Periodic(PeriodicArgs),
    /// Turn a model into a polynomial system
    Transform(TransformArgs),
    /// Compare methods on a model: true error, work, time
    Compare(CompareArgs),
    /// Show the stability region of a method, with the eigenvalues of a model
    Stability(StabilityArgs),
    /// Design a controller and write the closed loop as a runnable model
    Design {
        /// The kind of controller
        #[command(subcommand)]
        kind: Box<DesignCommand>,
    },
    /// Write a commented model to start from
    New(NewArgs),
    /// List the gallery, or print one of its models
    Examples(ExamplesArgs),
    /// Convert a result file to another format or to a picture
    Convert(ConvertArgs),
    /// Explain a command or a topic: language, functions, units, methods, reasons
    Help(HelpArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Which model.
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// Model file, or - for standard input
    pub model: Option<String>,
    /// Model text instead of a file; `;` separates lines (repeatable)
    #[arg(short = 'e', value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Vec<String>,
    /// Override a parameter, an input or a start value (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// What to do about units that do not match
    #[arg(long, value_enum, default_value_t = Units::Warn)]
    pub units: Units,
    /// How to treat differential-algebraic equations (DAEs) of index above 1
    #[arg(long, value_enum, default_value_t = Index::Reduce)]
    pub index: Index,
    /// Replace algebraic equations 0 = g by XI*z' = g (for comparison; less accurate)
    #[arg(long, value_name = "XI", allow_hyphen_values = true, conflicts_with = "index")]
    pub regularise: Option<f64>,
}

/// `--index`
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Index {
    /// Reduce the index: differentiate the constraints and project the solution onto them
    Reduce,
    /// Solve the equations as written, with an implicit method
    Direct,
}

/// `--units`
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Units {
    /// Warn
    Warn,
    /// Refuse the model
    Strict,
    /// Do not check
    Off,
}

/// `--summary`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For programs
    Json,
    /// For people
    Text,
}

/// `--emit`
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Emit {
    /// What was written
    Tree,
    /// What is meant
    Model,
    /// What is solved
    Sorted,
    /// What is executed
    Program,
}

/// `ordinate run`
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// End time, a number or an expression such as 4*pi
    #[arg(short = 't', long = "t-end", value_name = "T", allow_hyphen_values = true)]
    pub t_end: Option<String>,
    /// Start time
    #[arg(long, value_name = "T0", allow_hyphen_values = true)]
    pub t_start: Option<String>,
    /// Method
    #[arg(short = 'm', long, default_value = "auto", help = format!("Method: {}", ordinate::methods_text()))]
    pub method: String,
    /// Relative tolerance
    #[arg(long, default_value = "1e-6", allow_hyphen_values = true)]
    pub rtol: f64,
    /// Absolute tolerance
    #[arg(long, default_value = "1e-9", allow_hyphen_values = true)]
    pub atol: f64,
    /// Fixed step size, a number or an expression such as pi/25
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// Maximum step size
    #[arg(long, value_name = "H", allow_hyphen_values = true, conflicts_with = "step")]
    pub max_step: Option<String>,
    /// Order of taylor, mtsm, abm, adams and bdf; chosen for each step if not given
    #[arg(long, value_name = "P", conflicts_with = "max_order")]
    pub order: Option<u32>,
    /// Highest order of taylor, mtsm, adams and bdf
    #[arg(long, value_name = "P")]
    pub max_order: Option<u32>,
    /// With a fixed step of taylor or mtsm: multiply it once by S when the order stays low
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub h_scale: Option<f64>,
    /// With --h-scale: the order counts as low if it does not exceed N in three steps
    #[arg(long, value_name = "N")]
    pub min_ord: Option<u32>,
    /// Position of the second stage of rk2
    #[arg(long, allow_hyphen_values = true)]
    pub phi: Option<f64>,
    #[command(flatten)]
    pub newton: NewtonArgs,
    #[command(flatten)]
    pub realtime: RealTimeArgs,
    /// Maximum number of steps
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub max_steps: u64,
    /// Rows at exactly these times; `steps` for the steps of the method
    #[arg(long, value_name = "T1,T2,…", allow_hyphen_values = true, conflicts_with = "every")]
    pub at: Option<String>,
    /// Rows at every multiple of DT from the start
    #[arg(long, value_name = "DT", allow_hyphen_values = true)]
    pub every: Option<String>,
    /// Result file; the suffix chooses the format (.csv, .json), - is standard output (repeatable)
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Vec<String>,
    /// Summary on standard output instead of rows
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub summary: Option<Format>,
    /// Solve N times and report the fastest; with --realtime --dry the fastest of each sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: usize,
    /// Picture (.svg, .png); without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// What to plot, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub plot_vars: Vec<List>,
    /// Plot a phase plane of two variables, as in "x,x'"
    #[arg(long, value_name = "X,Y", conflicts_with = "plot_vars")]
    pub phase: Option<String>,
    /// Sensitivities: derivatives of the solution with respect to these parameters and start values, in extra columns
    #[arg(long, value_name = "NAMES")]
    pub sensitivity: Vec<List>,
    /// Add columns with the estimated global error (computed − true) of every row
    #[arg(long)]
    pub error: bool,
    /// Subtract the estimated global error from the result
    #[arg(long)]
    pub correct: bool,
    /// Do not estimate the global error
    #[arg(long, conflicts_with_all = ["error", "correct"])]
    pub no_error: bool,
    /// Print a stage of the compilation instead of solving
    #[arg(long, value_enum, value_name = "STAGE")]
    pub emit: Option<Emit>,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more about the run
    #[arg(short, long)]
    pub verbose: bool,
    /// Find N correct digits of every state: chooses tolerances, method and precision, and verifies the result
    #[arg(long, value_name = "N", conflicts_with_all = ["precision", "step", "order", "max_order", "realtime"])]
    pub digits: Option<u32>,
    /// Arithmetic with N decimal digits instead of double precision (method taylor)
    #[arg(long, value_name = "N", conflicts_with = "realtime")]
    pub precision: Option<u32>,
}

/// How implicit methods solve their equations.
#[derive(Args, Debug)]
pub struct NewtonArgs {
    /// How implicit methods apply Newton's method
    #[arg(long, value_enum, value_name = "KIND")]
    pub newton: Option<Newton>,
    /// Stop Newton's iteration when the residual is below EPS (absolute)
    #[arg(long, value_name = "EPS", allow_hyphen_values = true)]
    pub newton_tol: Option<f64>,
    /// Maximum number of Newton iterations for one solution
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub newton_max: Option<u32>,
    /// Initial guess of Newton's iteration: `previous`, `extrapolated`, or a value for the first step
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub newton_start: Option<String>,
    /// Print what happens inside each step
    #[arg(long, value_enum, value_name = "WHAT")]
    pub trace: Option<Trace>,
}

/// `--newton`
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Newton {
    /// A new Jacobian in every iteration
    Full,
    /// Keep the Jacobian while the iteration converges
    Simplified,
    /// Solve the linear equations only to the accuracy needed
    Inexact,
}

/// `--trace`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Trace {
    /// The iterates of Newton's method
    Newton,
}

/// Runs against the wall clock.
#[derive(Args, Debug)]
pub struct RealTimeArgs {
    /// Run against the wall clock, and report computing times and deadlines
    #[arg(long)]
    pub realtime: bool,
    /// Samples per second, such as 500, 1kHz
    #[arg(long, value_name = "RATE", requires = "realtime", allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// Steps of the method in each sample
    #[arg(long, value_name = "N", requires = "realtime", default_value_t = 1)]
    pub substeps: u32,
    /// Do not wait for the clock: measure the computing time per sample
    #[arg(long, requires = "realtime")]
    pub dry: bool,
    /// Pin the run to this processor
    #[arg(long, value_name = "N", requires = "realtime")]
    pub cpu: Option<usize>,
    /// Real-time scheduling (SCHED_FIFO) with locked memory
    #[arg(long, requires = "realtime")]
    pub fifo: bool,
    /// What to do when a deadline is missed
    #[arg(long, value_enum, value_name = "WHAT", requires = "realtime", default_value_t = Overrun::Warn)]
    pub on_overrun: Overrun,
}

/// `--on-overrun`
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Overrun {
    /// Count it, and catch up
    Warn,
    /// Count it, and skip the missed samples
    Skip,
    /// End the run
    Stop,
}

/// `ordinate check`, `ordinate info`
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `ordinate equilibria`
#[derive(Args, Debug)]
pub struct EquilibriaArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// States near an equilibrium, as in "x=1, y=2" (repeatable: a repeated name begins another guess)
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true)]
    pub guess: Vec<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `ordinate linearize`
#[derive(Args, Debug)]
pub struct LinearizeArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The point, as in "phi=0, phi'=0, u=0"; unnamed variables keep their start values (repeatable)
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// The point that the solution reaches at this time; `--at` replaces values of it
    #[arg(short = 't', long = "time", value_name = "T", allow_hyphen_values = true)]
    pub time: Option<String>,
    /// The equilibrium near that point, with the inputs as they are
    #[arg(long)]
    pub equilibrium: bool,
    /// Inputs to be found so that the states named by --at stay where they are, separated by commas
    #[arg(long, value_name = "INPUTS")]
    pub free: Vec<List>,
    /// Parameters or held values to treat as inputs as well, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub input: Vec<List>,
    /// Inputs or parameters that are disturbances, with a matrix G of their own, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub disturbance: Vec<List>,
    /// Also the sampled system F, G, H, I with this period
    #[arg(long, value_name = "TS", allow_hyphen_values = true)]
    pub sampled: Option<String>,
    /// How it is sampled
    #[arg(long, value_enum, default_value_t = Sampling::Zoh, requires = "sampled")]
    pub hold: Sampling,
    /// Also the transfer functions with poles, zeros and static gain
    #[arg(long)]
    pub transfer: bool,
    /// Also the gramians (stable systems only)
    #[arg(long)]
    pub gramians: bool,
    /// Where to write it: .json, .mat, .npz, .txt, or .eq for a runnable linear model (repeatable)
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Vec<String>,
    /// Picture (.svg, .png); without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// What to plot: bode, nyquist, locus, poles, step, impulse, response (linear beside nonlinear)
    #[arg(long, value_name = "PICTURE")]
    pub picture: Option<String>,
    /// The input of the picture; all if not given
    #[arg(long, value_name = "INPUT")]
    pub from: Option<String>,
    /// The output of the picture; all if not given
    #[arg(long, value_name = "OUTPUT")]
    pub to: Option<String>,
    /// How long the responses are, in seconds
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub span: Option<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `linearize --hold`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sampling {
    /// The input is held over a period: exact
    Zoh,
    /// Tustin's rule
    Tustin,
    /// Forward Euler
    Forward,
    /// Backward Euler
    Backward,
}

/// `ordinate periodic`
#[derive(Args, Debug)]
pub struct PeriodicArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The period, a number or an expression such as 2*pi/w; found if not given
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub period: Option<String>,
    /// States near the orbit, as in "x=1, x'=0" (repeatable)
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true)]
    pub guess: Vec<String>,
    /// Method: see `ordinate help methods`
    #[arg(short = 'm', long, default_value = "auto")]
    pub method: String,
    /// Use N equal steps over the period instead of step size control
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Subtract the estimated error of the solution over a period
    #[arg(long)]
    pub correct: bool,
    /// Picture (.svg, .png) of the orbits and multipliers; without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `ordinate transform`
#[derive(Args, Debug)]
pub struct TransformArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Longest product allowed, in factors; 3 if not given, and 2 where that costs nothing
    #[arg(long, value_name = "N")]
    pub products: Option<usize>,
    /// Format; by default from the suffix of the file, otherwise text
    #[arg(long, value_enum)]
    pub format: Option<TransformFormat>,
    /// Where to write it: .eq, .json, .tex, .txt, or .svg for a block diagram
    #[arg(short = 'o', long, visible_alias = "plot", value_name = "FILE")]
    pub output: Option<String>,
}

/// `transform --format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TransformFormat {
    /// For people
    Text,
    /// For programs: with the matrices A, B1, B2, … and b
    Json,
    /// A runnable model
    Eq,
    /// LaTeX, for documents
    Latex,
}

/// `ordinate compare`
#[derive(Args, Debug)]
pub struct CompareArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Methods, separated by commas; all if not given
    #[arg(short = 'm', long, value_name = "METHODS", value_delimiter = ',')]
    pub method: Vec<String>,
    /// Relative tolerances, separated by commas; steps of methods without control are halved until they reach these errors
    #[arg(long, value_name = "R1,R2,…", value_delimiter = ',')]
    pub rtols: Vec<String>,
    /// End time, a number or an expression such as 4*pi
    #[arg(short = 't', long = "t-end", value_name = "T", allow_hyphen_values = true)]
    pub t_end: Option<String>,
    /// Start time
    #[arg(long, value_name = "T0", allow_hyphen_values = true)]
    pub t_start: Option<String>,
    /// Repeat each run N times and report the median time
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeat: usize,
    /// Maximum number of steps of each run
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub max_steps: u64,
    /// Report with all pictures (.html), or the numbers (.json) (repeatable)
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Vec<String>,
    /// Picture (.svg, .png); without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// What to plot: work, circle, strips
    #[arg(long, value_name = "PICTURE")]
    pub show: Option<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `ordinate stability`
#[derive(Args, Debug)]
pub struct StabilityArgs {
    /// A method, such as rk4, or several, as in rk4,dp5; with -m or --along a model file, or - for standard input
    #[arg(value_name = "METHOD|MODEL")]
    pub what: Option<String>,
    /// Model text instead of a file; `;` separates lines (repeatable)
    #[arg(short = 'e', value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Vec<String>,
    /// Override a parameter, an input or a start value (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// The method for a model
    #[arg(short = 'm', long)]
    pub method: Option<String>,
    /// The step h of the products h*lambda
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// Order of taylor, mtsm, abm, adams and bdf; several, separated by commas, are shown together
    #[arg(long, value_name = "P", value_delimiter = ',')]
    pub order: Vec<u32>,
    /// Stiffness indicator along a run of the model
    #[arg(long)]
    pub along: bool,
    /// End time of that run
    #[arg(short = 't', long = "t-end", value_name = "T", allow_hyphen_values = true)]
    pub t_end: Option<String>,
    /// Start time
    #[arg(long, value_name = "T0", allow_hyphen_values = true)]
    pub t_start: Option<String>,
    /// Picture (.svg, .png); without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// What to plot: region, damping, frequency, star, all; separated by commas
    #[arg(long, value_name = "PICTURES", value_delimiter = ',')]
    pub show: Vec<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `ordinate new`
#[derive(Args, Debug)]
pub struct NewArgs {
    /// A model of the gallery (see `ordinate examples`), or a name of your own
    pub name: String,
    /// Where to write it; NAME.eq if not given
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<String>,
}

/// `ordinate examples`
#[derive(Args, Debug)]
pub struct ExamplesArgs {
    /// The model to print
    pub name: Option<String>,
}

/// `ordinate help`
#[derive(Args, Debug)]
pub struct HelpArgs {
    /// A command, or a topic such as language, functions, units, methods, reasons
    pub topic: Option<String>,
}

/// `ordinate convert`
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// A result in CSV or JSON, or - for standard input
    pub input: String,
    /// The new file; the suffix chooses the format (.csv, .json, .svg, .png), - is CSV on standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: String,
    /// Columns to keep, separated by commas; all if not given
    #[arg(long, value_name = "NAMES")]
    pub vars: Vec<List>,
}
