//! The options of `ordinate design` and its kinds.

use crate::args::{Format, ModelArgs};
use crate::lists::List;
use clap::{Args, Subcommand, ValueEnum};

/// The kinds of controllers.
#[derive(Subcommand, Debug)]
pub enum DesignCommand {
    /// State feedback with given closed-loop poles
    Place(PlaceArgs),
    /// The linear-quadratic regulator
    Lqr(LqrArgs),
    /// The linear-quadratic regulator with an integrator (`lqr --integral`)
    Lqi(LqrArgs),
    /// P, PI, PD or PID of one output, with given or tuned gains
    Pid(PidArgs),
    /// Feedback linearisation: an output follows a reference exactly
    Fblin(super::fblin::FblinArgs),
    /// Whether a function V of the states proves an equilibrium stable
    Lyapunov(super::lyapunov::LyapunovArgs),
}

/// What all kinds of controllers have in common.
#[derive(Args, Debug)]
pub struct CommonArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The point, as in "phi=0, u=0"; unnamed variables keep their start values (repeatable)
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// The point that the solution reaches at this time, instead of the start
    #[arg(short = 't', long, value_name = "T", allow_hyphen_values = true)]
    pub time: Option<String>,
    /// Move the point to the equilibrium near it
    #[arg(long)]
    pub equilibrium: bool,
    /// Inputs that the controller drives; all if not given
    #[arg(long, value_name = "NAMES")]
    pub input: Vec<List>,
    /// A controller that acts at every multiple of TS and holds in between
    #[arg(long, value_name = "TS", allow_hyphen_values = true)]
    pub sampled: Option<String>,
    /// Start values of the closed loop, as in "phi=0.3"; found if not given (repeatable)
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true)]
    pub start: Vec<String>,
    /// Where to write the closed loop, a runnable model; - is standard output
    #[arg(short = 'o', value_name = "FILE.eq")]
    pub file: Option<String>,
    /// Write the closed loop even if it is not stable
    #[arg(long)]
    pub force: bool,
    /// Picture (.svg, .png) of the closed loop and its control; without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// An output that follows a reference, with and without an integrator.
#[derive(Args, Debug)]
pub struct FollowArgs {
    /// An output that follows a reference without static error, as in omega or "omega=0.5" (its value)
    #[arg(long, value_name = "OUT[=VALUE]", allow_hyphen_values = true)]
    pub reference: Option<String>,
    /// An output whose deviation is integrated
    #[arg(long, value_name = "OUT[=VALUE]", num_args = 0..=1, default_missing_value = "", allow_hyphen_values = true)]
    pub integral: Option<String>,
}

/// The state is estimated from what is measured.
#[derive(Args, Debug)]
pub struct ObserverArgs {
    /// Measured outputs: an observer estimates the state from them
    #[arg(long, value_name = "OUTPUTS")]
    pub measured: Vec<List>,
    /// Poles of the observer
    #[arg(long, value_name = "POLES", allow_hyphen_values = true, requires = "measured")]
    pub observer_poles: Option<String>,
    /// Intensity of the noise on the states, as --q: the observer is a Kalman filter
    #[arg(
        long,
        value_name = "Q",
        allow_hyphen_values = true,
        requires = "measured",
        conflicts_with = "observer_poles"
    )]
    pub noise_q: Option<String>,
    /// Intensity of the noise on the measured outputs, as --r
    #[arg(long, value_name = "R", allow_hyphen_values = true, requires = "noise_q")]
    pub noise_r: Option<String>,
}

/// `ordinate design place`
#[derive(Args, Debug)]
pub struct PlaceArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// The poles of the closed loop, as in "-5+1i, -5-1i"
    #[arg(long, value_name = "POLES", allow_hyphen_values = true)]
    pub poles: Option<String>,
    /// The poles are those of the sampled loop, in z
    #[arg(long, requires = "sampled")]
    pub discrete_poles: bool,
    #[command(flatten)]
    pub follow: FollowArgs,
    /// The gain of the integrator, if the poles are those of the states only
    #[arg(long, value_name = "GAIN", allow_hyphen_values = true, requires = "integral")]
    pub ki: Option<f64>,
    #[command(flatten)]
    pub observer: ObserverArgs,
}

/// `ordinate design lqr`, `ordinate design lqi`
#[derive(Args, Debug)]
pub struct LqrArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Weights of the states in their order, one each ("15,2") or as a matrix ("[[15,0],[0,2]]")
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Weights of the inputs
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub r: Option<String>,
    #[command(flatten)]
    pub follow: FollowArgs,
    #[command(flatten)]
    pub observer: ObserverArgs,
}

/// `--anti-windup`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AntiWindup {
    /// Back-calculation: the excess over the limit drives the integrator back
    Back,
    /// Clamping (conditional integration): the integrator is held
    Clamp,
    /// None
    None,
}

/// `--tune`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tune {
    /// Skogestad's rules for the reduced linear model
    Simc,
    /// Ziegler and Nichols: ultimate gain and period of the linear model
    Zn,
    /// The smallest integral of time times |error| of the nonlinear model
    Itae,
    /// The smallest integral of error² of the nonlinear model
    Ise,
}

/// `--form`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Proportional
    P,
    /// With an integral
    Pi,
    /// With a derivative
    Pd,
    /// With both
    Pid,
}

/// `ordinate design pid`
#[derive(Args, Debug)]
pub struct PidArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// The controlled output
    #[arg(long, value_name = "OUT")]
    pub output: Option<String>,
    /// Value of the reference, as in 0.5 or "omega=0.5"
    #[arg(long, value_name = "[OUT=]VALUE", allow_hyphen_values = true)]
    pub reference: Option<String>,
    /// Proportional gain
    #[arg(long, value_name = "GAIN", allow_hyphen_values = true)]
    pub kp: Option<f64>,
    /// Integral gain
    #[arg(long, value_name = "GAIN", allow_hyphen_values = true)]
    pub ki: Option<f64>,
    /// Derivative gain
    #[arg(long, value_name = "GAIN", allow_hyphen_values = true)]
    pub kd: Option<f64>,
    /// The derivative is filtered with the time constant kd/(kp*N)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub filter: Option<f64>,
    /// Limits of the input, as in "-5,5"
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    pub limits: Option<String>,
    /// Anti-windup: what the integrator does while the input is at a limit
    #[arg(long, value_enum, value_name = "HOW", requires = "limits")]
    pub anti_windup: Option<AntiWindup>,
    /// Weights of the reference in the proportional and the derivative part
    #[arg(long, value_name = "B,C", allow_hyphen_values = true)]
    pub weight: Option<String>,
    /// Tune the gains
    #[arg(long, value_enum, value_name = "RULE", conflicts_with_all = ["kp", "ki", "kd"])]
    pub tune: Option<Tune>,
    /// Which gains to tune; by default pi with SIMC, otherwise pid
    #[arg(long, value_enum, value_name = "FORM", requires = "tune")]
    pub form: Option<Form>,
}
