//! Numerical methods and the one driver that owns time. Knows no text and no symbols, only
//! [`System`]: y′ = f(t, y, d), with discrete values d that change only at events.
//!
//! A [`Method`] takes one step; [`solve`] chooses the steps, hands rows to a [`Sink`] and returns an [`Outcome`].
//! [`by_name`] finds a method.

mod adams;
mod auto;
mod batch;
mod bdf;
mod block;
mod channels;
mod companion;
mod consistency;
mod controller;
mod cost;
mod crossings;
mod doubling;
mod driver;
mod edge;
mod events;
mod explicit;
mod forecast;
mod ge3;
mod grid;
mod history;
mod initial_step;
mod instants;
mod jets;
mod kernels;
mod linear;
mod looks;
mod method;
mod methods;
mod newton;
mod one_stage;
mod options;
mod outcome;
mod radau;
mod rows;
mod saltation;
mod sliding;
pub mod stability;
mod stiffness;
mod switches;
mod system;
pub mod tableau;
pub mod tableaus;
mod taylor;
mod together;
mod uniqueness;
mod unseen;
mod zeno;

pub use adams::{Adams, AdamsForm, VariableAdams};
pub use auto::{AutoMethod, Chosen, Named, Why};
pub use batch::{LaneJets, LaneRun, LaneStart, solve_lanes};
pub use bdf::{Bdf, BdfOptions, FixedBdf, bdf_coefficients, bdf_parasitic_root};
pub use block::{BLOCK_ITERATIONS, Block, BlockError, BlockStatus};
pub use companion::Companion;
pub use consistency::{Inconsistency, restore};
pub use doubling::StepDoubling;
pub use driver::{solve, solve_with_past};
pub use explicit::ExplicitRk;
pub use ge3::{Ge3, LinearVelocity, ge3_frequency, ge3_growth};
pub use history::{Delay, Form, History, Piece, Reading};
pub use jets::{JetCost, Jets, Path, SwitchSeries};
pub use linear::{Input, LinearForm, LinearTaylor, Linearity, Propagator, PropagatorError, SparseRows};
pub use looks::Pulses;
pub use method::*;
pub use methods::{AUTOMATIC, BadParameter, Choice, by_name, names};
pub use newton::{Convergence, Goal, Stage, StageEquation};
pub use one_stage::{OneStage, OneStageRule};
pub use options::{AbsoluteTolerance, Options, Past, Rows, Start, UsageError};
pub use outcome::*;
pub use radau::{Radau, RadauOrder};
pub use rows::{Interrupt, Sink};
pub use sliding::Mixture;
pub use system::*;
pub use taylor::{
    MAX_ORDER, PreciseOptions, PreciseOutcome, PreciseSink, PreciseSystem, Taylor, TaylorOptions, solve_precise,
};
pub use unseen::{Sight, may_return};
