//! Controllers from models: gains at a point, and the closed loop as a model that runs.
//!
//! [`place`], [`lqr`] and [`pid`] linearise a plant, find gains, write the closed loop as text ([`closed_loop`]), and put the
//! nonlinear loop on trial. All gains act on deviations from the point.

mod closed_loop;
mod cost;
mod edit;
mod elimination;
mod fblin;
mod feedback;
mod field;
mod gains;
mod linear_loop;
mod lyapunov;
mod nelder_mead;
mod observer;
mod pid;
mod point;
mod read;
mod report;
mod state_feedback;
mod symbolic;
mod text;
mod trial;
mod tune;

pub use closed_loop::{ClosedLoop, ClosedLoopError, ControllerText, Held, Law, Parameter, closed_loop};
pub use cost::Cost;
pub use fblin::{
    Channel, Fblin, FblinError, FblinOptions, Tracking, ZeroDynamics, fblin, fblin_figure, fblin_json, fblin_text,
};
pub use feedback::{FollowWish, LqrWish, ObserverWish, PlaceWish, lqr, place};
pub use lyapunov::{
    Conclusion, LaSalle, Lyapunov, LyapunovOptions, Verdict, lyapunov, lyapunov_figure, lyapunov_json, lyapunov_model,
    lyapunov_text,
};
pub use pid::{AntiWindup, PidGains, PidWish, pid};
pub use point::constant_value;
pub use report::{design_figure, design_json, design_text};
pub use symbolic::SymbolicError;
pub use text::{Names, Sum, deviation, number, plain_name};
pub use trial::Trial;
pub use tune::{Form, Tune};

use crate::{CompileOptions, Compiled, Source};
use linear_loop::LinearLoop;
use ordinate_control::{Complex, ControlError, Margins, Matrix, StepFacts, step_facts};
use ordinate_syntax::Diagnostic;
use point::Basis;
use std::path::PathBuf;

/// A model that is to be controlled.
#[derive(Clone, Copy)]
pub struct Plant<'a> {
    /// Its text.
    pub source: &'a Source,
    /// How it was compiled.
    pub options: &'a CompileOptions,
    /// It, compiled with its Jacobian.
    pub compiled: &'a Compiled,
}

/// What all designs have in common.
#[derive(Clone, Debug, Default)]
pub struct DesignOptions {
    /// The point: names of states and inputs, and expressions.
    pub at: Vec<(String, String)>,
    /// The time of the point.
    pub time: Option<f64>,
    /// Whether the point is moved to the next equilibrium.
    pub equilibrium: bool,
    /// The inputs that the controller drives; all if empty.
    pub inputs: Vec<String>,
    /// The period of a sampled controller.
    pub sampled: Option<f64>,
    /// Start values of the closed loop; found if empty.
    pub start: Vec<(String, String)>,
    /// Where the closed loop will lie.
    pub folder: PathBuf,
    /// The command that made it, for its first lines.
    pub command: String,
}

/// Why there is no design.
#[derive(Clone, Debug)]
pub enum DesignError {
    /// An option does not make sense.
    Usage(String),
    /// A mistake of the model that shows only now.
    Model(Vec<Diagnostic>),
    /// There is none: what happened, and what to try.
    Stopped {
        /// What happened.
        message: String,
        /// What to try.
        hint: String,
    },
    /// The closed loop cannot be written.
    Loop(ClosedLoopError),
}

impl From<ControlError> for DesignError {
    fn from(error: ControlError) -> DesignError {
        let (message, hint) = (error.to_string(), error.hint().to_string());
        match error {
            ControlError::Shape(_)
            | ControlError::NotConjugate(_)
            | ControlError::Repeated(_)
            | ControlError::Indefinite(..) => DesignError::Usage(format!("{message}; {hint}")),
            ControlError::NotFinite(_)
            | ControlError::Uncontrollable(_)
            | ControlError::Unobservable(_)
            | ControlError::OnTheBorder(_)
            | ControlError::Unstable(_)
            | ControlError::Singular(_)
            | ControlError::Improper
            | ControlError::Inaccurate(..) => DesignError::Stopped { message, hint },
        }
    }
}

impl From<ClosedLoopError> for DesignError {
    fn from(error: ClosedLoopError) -> DesignError {
        DesignError::Loop(error)
    }
}

/// A controller and its closed loop.
#[derive(Clone, Debug)]
pub struct Design {
    /// `place`, `lqr`, `lqi`, `pid`.
    pub kind: &'static str,
    /// The states of the plant, in the order of the gains.
    pub states: Vec<String>,
    /// The point: states, then driven inputs.
    pub point: Vec<(String, f64)>,
    /// The inputs that are driven.
    pub inputs: Vec<String>,
    /// The gains by the names that they have in the closed loop.
    pub gains: Vec<Parameter>,
    /// K, one row per input; none of a PID controller.
    pub k: Option<Matrix>,
    /// The gain of the reference.
    pub kr: Option<Matrix>,
    /// The gain of the integral.
    pub ki: Option<Matrix>,
    /// The solution of the Riccati equation.
    pub p: Option<Matrix>,
    /// The cost from the start of the closed loop.
    pub cost: Option<Cost>,
    /// The gain of the observer, one column per measured output.
    pub observer: Option<(Vec<String>, Matrix)>,
    /// kp, ki and kd of a PID controller, and how they were found.
    pub pid: Option<(f64, f64, f64)>,
    /// The output that follows a reference, and its value.
    pub following: Option<(String, f64)>,
    /// The sampling period.
    pub sampled: Option<f64>,
    /// Eigenvalues of the linear closed loop, the slowest first.
    pub poles: Vec<Complex>,
    /// The same in s, of a sampled loop, too.
    pub rates: Vec<Complex>,
    /// The margins at every input.
    pub margins: Vec<(String, Margins)>,
    /// The step of a reference in the linear loop.
    pub step: Option<StepFacts>,
    /// The closed loop.
    pub closed: ClosedLoop,
    /// What its simulation showed; none of a loop that is not stable.
    pub trial: Option<Trial>,
    /// What else is to be said.
    pub notes: Vec<String>,
    /// Why it is not good enough to be used.
    pub refusal: Option<String>,
}

/// What is left to do when the gains are known: the closed loop as text, its poles and margins, its trial.
struct Draft<'a> {
    kind: &'static str,
    basis: &'a Basis,
    linear: LinearLoop,
    controller: ControllerText,
    following: Option<(String, f64)>,
    /// No trial is shorter than this.
    least_duration: f64,
    /// Whether it must get there exactly: with an integral, or where that is the point itself.
    exact: bool,
    /// What the controller is, for the first line of the closed loop.
    title: String,
}

impl Draft<'_> {
    fn complete(mut self, plant: &Plant, options: &DesignOptions) -> Result<Design, DesignError> {
        let basis = self.basis;
        let poles = self.linear.poles()?;
        let rates: Vec<Complex> = poles.iter().map(|&pole| self.linear.rate(pole)).collect();
        let point: Vec<(String, f64)> =
            basis.states.iter().chain(&basis.inputs).cloned().zip(basis.x0.iter().chain(&basis.u0).copied()).collect();
        let at: Vec<String> = point.iter().map(|(name, value)| format!("{name} = {}", crate::short(*value))).collect();
        self.controller.header = vec![
            format!("Closed loop of {}: {}.", plant.source.name, self.title),
            format!("Gains act on deviations from {}.", at.join(", ")),
            format!("Written by: {}", options.command),
        ];
        let stable = rates.iter().all(|rate| rate.re < 0.0);
        let duration = trial::duration(&self.linear, &poles).map(|duration| duration.max(self.least_duration));
        if plant.compiled.run.is_none() {
            self.controller.end = Some(trial::round_up(duration.unwrap_or(10.0)));
        }
        let goal = duration.map(|duration| trial::Goal {
            basis,
            following: self.following.clone(),
            exact: self.exact,
            duration,
            period: options.sampled,
        });
        let (closed, trial, note) = trial::with_starts(plant, options, &self.controller, goal.as_ref())?;
        let mut notes = basis.notes.clone();
        notes.extend(note);
        let mut margins = Vec::new();
        for (j, input) in basis.inputs.iter().enumerate() {
            margins.push((input.clone(), self.linear.margins(j)?));
        }
        let step = match (stable, self.linear.following()?) {
            (true, Some(following)) => Some(step_facts(&following, 0, 0)?),
            _ => None,
        };
        let refusal = (!stable).then(|| report::unstable(&poles, options.sampled));
        Ok(Design {
            kind: self.kind,
            states: basis.states.clone(),
            point,
            inputs: basis.inputs.clone(),
            gains: self.controller.parameters.clone(),
            k: None,
            kr: None,
            ki: None,
            p: None,
            cost: None,
            observer: None,
            pid: None,
            following: self.following,
            sampled: options.sampled,
            poles,
            rates,
            margins,
            step,
            closed,
            trial,
            notes,
            refusal,
        })
    }
}
