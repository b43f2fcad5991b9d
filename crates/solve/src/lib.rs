//! Numerical methods and the one driver that owns time. Knows no text and no symbols, only
//! [`System`]: y′ = f(t, y, d), with discrete values d that change only at events.
//!
//! A [`Method`] takes one step; [`solve`] chooses the steps, hands rows to a [`Sink`] and returns an [`Outcome`].
//! [`by_name`] finds a method.

mod block;
mod companion;
mod constraints;
mod delay;
mod dense;
mod domain;
mod driver;
mod events;
pub mod explicit;
mod implicit;
mod method;
mod multistep;
mod options;
mod outcome;
mod rows;
mod second_order;
pub mod stability;
mod stop;
mod system;
mod taylor;
mod unseen;

pub use block::{BLOCK_ITERATIONS, Block, BlockError, BlockStatus};
pub use companion::Companion;
pub use constraints::{Inconsistency, restore};
pub use delay::history::{Delay, Form, History, Piece, Reading};
pub use dense::DenseOutput;
pub use driver::local_features::LocalFeatures;
pub use driver::{solve, solve_with_past};
pub use events::grazes::Graze;
pub use events::sliding::Mixture;
pub use explicit::rk::ExplicitRk;
pub use implicit::newton::{Convergence, Goal, NewtonEquation, NewtonSolver};
pub use implicit::one_stage::{OneStage, OneStageRule};
pub use implicit::radau::{Radau, RadauOrder};
pub use method::auto::{AutoMethod, Chosen, Named, Why};
pub use method::parameters::BadParameter;
pub use method::registry::{AUTOMATIC, Choice, by_name, explicit_tableaus, names};
pub use method::step_doubling::StepDoubling;
pub use method::*;
pub use multistep::adams::{Adams, AdamsForm, VariableAdams};
pub use multistep::bdf::{Bdf, BdfOptions, FixedBdf, bdf_coefficients, bdf_parasitic_root};
pub use options::{AbsoluteTolerance, Options, Past, Rows, Start, UsageError};
pub use outcome::*;
pub use rows::{Interrupt, Sink};
pub use second_order::ge3::{Ge3, LinearVelocity, ge3_frequency, ge3_growth};
pub use stop::StopFlag;
pub use system::series::{JetCost, Jets, Path, SwitchSeries};
pub use system::*;
pub use taylor::lanes::{LaneJets, LaneRun, LaneStart, solve_lanes};
pub use taylor::linear::{Input, LinearForm, LinearTaylor, Linearity, Propagator, PropagatorError, SparseRows};
pub use taylor::{
    MAX_ORDER, PreciseOptions, PreciseOutcome, PreciseSink, PreciseSystem, Taylor, TaylorOptions, solve_precise,
};
pub use unseen::{Returning, Sight, may_return};
