//! What came out of a run, and why it ended early if it did.

use crate::events::grazes::Graze;
use crate::{Chosen, Inconsistency, Mixture, Work};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// At the end time or at a stop condition of the model.
    Ok,
    /// Early, for [`Outcome::reason`].
    Stopped,
    /// By the sink.
    Interrupted,
}

/// Why a run ended before the end time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The derivative of `component` grows beyond all bounds: a pole or a branch point.
    Singularity {
        /// Time reached.
        t: f64,
        /// Where the pole is estimated to be.
        pole: f64,
        /// Which component.
        component: usize,
        /// The solution goes like (pole − t)^−exponent, where the method can tell.
        exponent: Option<f64>,
    },
    /// f is finite, but the solution has no Taylor series: √0, a fractional power of zero, …
    NoSeries {
        /// Time reached.
        t: f64,
        /// Which component.
        component: usize,
        /// The first power that does not exist.
        order: u32,
    },
    /// Newton's method fails however short the step is, or with the fixed step.
    NewtonFailed {
        /// Time reached.
        t: f64,
        /// The last step tried.
        h: f64,
        /// The component that does not converge.
        component: usize,
    },
    /// The equations do not determine a component: their Jacobian is singular however short the step is.
    SingularJacobian {
        /// Time reached.
        t: f64,
        /// The last step tried.
        h: f64,
        /// Which component.
        component: usize,
    },
    /// Two solutions meet, and the equations do not say which of them goes on: what determines it vanishes there.
    BranchPoint {
        /// Time reached.
        t: f64,
        /// Where they meet.
        meeting: f64,
        /// What is not determined.
        component: usize,
    },
    /// The algebraic equations, or the invariants, have no solution near the state where the run starts or where an event left it.
    Inconsistent {
        /// Time.
        t: f64,
        /// The state whose equation, or the invariant (counted behind the states) that is violated most.
        equation: usize,
        /// By how much.
        residual: f64,
    },
    /// A switch makes an invariant jump, so that states would have to jump with it, and nothing says how.
    ConstraintJumps {
        /// Time.
        t: f64,
        /// The place of the equation as in [`Reason::Inconsistent`].
        equation: usize,
        /// By how much it is violated behind the switch.
        residual: f64,
    },
    /// The tolerance asks for a step that is lost against t.
    StepTooSmall {
        /// Time reached.
        t: f64,
        /// The step that would have been needed.
        h: f64,
        /// The component with the largest error.
        component: usize,
        /// Its error with this step, in units of the tolerance.
        error: f64,
    },
    /// The limit of steps is reached.
    MaxSteps {
        /// Time reached.
        t: f64,
        /// The last step.
        h: f64,
        /// The limit.
        limit: u64,
    },
    /// Steps have been so short for so long that many times the limit would be needed.
    TooSlow {
        /// Time reached.
        t: f64,
        /// What one attempt came along on average.
        h: f64,
        /// The attempts so far.
        attempts: u64,
        /// The attempts that would be needed at this pace.
        needed: f64,
    },
    /// f or y is not finite beyond this time.
    NotFinite {
        /// Time.
        t: f64,
        /// Which component.
        component: usize,
        /// Already at the start.
        at_start: bool,
    },
    /// An action sets a value to what is not finite.
    ActionNotFinite {
        /// Time.
        t: f64,
        /// Which value; the held ones are counted behind the states.
        place: usize,
    },
    /// What decides a switch is not a number beyond this time, so that its side is unknown.
    SwitchNotFinite {
        /// Time.
        t: f64,
        /// Index of the switch.
        switch: usize,
    },
    /// What the equations determine beside y has no value beyond this time: see [`crate::Sink::is_defined`].
    Undefined {
        /// Time.
        t: f64,
    },
    /// The Taylor series of a component does not satisfy its equation: what it leaves vanishes like a low power of the step.
    SeriesOrder {
        /// Time reached.
        t: f64,
        /// Which component.
        component: usize,
        /// The power observed.
        observed: f64,
        /// The order of the series.
        order: u32,
    },
    /// Events follow each other without end.
    Zeno {
        /// Time reached.
        t: f64,
        /// What repeats.
        cause: Zeno,
    },
    /// A delayed quantity is not finite, so it cannot be remembered.
    DelayNotFinite {
        /// When.
        t: f64,
    },
    /// The sink asked for the end.
    Interrupted {
        /// Time reached.
        t: f64,
    },
    /// The system refused to be evaluated, for a reason that it knows: see [`crate::System::refusal`].
    External {
        /// Time reached.
        t: f64,
    },
    /// A stop condition of the model became true.
    StopCondition {
        /// When.
        t: f64,
        /// Index of the condition.
        condition: usize,
    },
}

/// How events follow each other without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zeno {
    /// The events of this switch accumulate, like the impacts of a ball that comes to rest.
    Accumulation {
        /// Index of the switch.
        switch: usize,
    },
    /// The events of this switch, which runs no action, come ever faster, closer than the errors of the steps can tell apart.
    Unresolved {
        /// Index of the switch.
        switch: usize,
        /// Where they accumulate, as their times foretell.
        limit: f64,
    },
    /// The events of this switch come so often that too many would follow.
    Frequent {
        /// Index of the switch.
        switch: usize,
    },
    /// Actions trigger actions at one instant; this condition is one of them.
    Cascade {
        /// Index of the condition.
        condition: usize,
    },
    /// The switch chatters while another one is sliding, or between more than two ways to go.
    Chattering {
        /// Index of the switch.
        switch: usize,
    },
    /// Switches that depend on each other are on their boundaries at once, several combinations of their sides hold, and nothing says
    /// which one is taken; this switch is one of them.
    Undecided {
        /// Index of the switch.
        switch: usize,
    },
    /// The modes of the switches contradict each other at one instant; this switch is one of them.
    Contradiction {
        /// Index of the switch.
        switch: usize,
    },
    /// The period of this sampled action is lost against t.
    Sampling {
        /// Index in [`crate::Layout::sampled`].
        sampled: usize,
    },
}

impl Reason {
    /// Whether the run counts as successful.
    pub fn status(&self) -> Status {
        match self {
            Reason::StopCondition { .. } => Status::Ok,
            Reason::Interrupted { .. } => Status::Interrupted,
            Reason::Singularity { .. }
            | Reason::NoSeries { .. }
            | Reason::NewtonFailed { .. }
            | Reason::SingularJacobian { .. }
            | Reason::BranchPoint { .. }
            | Reason::Inconsistent { .. }
            | Reason::ConstraintJumps { .. }
            | Reason::StepTooSmall { .. }
            | Reason::MaxSteps { .. }
            | Reason::TooSlow { .. }
            | Reason::NotFinite { .. }
            | Reason::ActionNotFinite { .. }
            | Reason::SwitchNotFinite { .. }
            | Reason::DelayNotFinite { .. }
            | Reason::Undefined { .. }
            | Reason::External { .. }
            | Reason::SeriesOrder { .. }
            | Reason::Zeno { .. } => Status::Stopped,
        }
    }
}

/// A time at which several solutions begin or part, and which one was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// When.
    pub t: f64,
    /// Between what, and what was taken.
    pub what: Selected,
}

/// Where a solution goes from the boundary of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To larger values.
    Above,
    /// To smaller values.
    Below,
    /// It stays.
    On,
}

/// What was chosen between.
#[derive(Clone, Debug, PartialEq)]
pub enum Selected {
    /// Both sides of a boundary lead away from it, or one does and the boundary can be kept: the switch and where it went.
    Side {
        /// Index of the switch.
        switch: usize,
        /// What was taken.
        side: Side,
        /// It came to the boundary and goes on in its direction; otherwise it begins there, and does as the branch of equality.
        arrived: bool,
    },
    /// Switches that depend on each other are on their boundaries at once, and several combinations of sides hold.
    Sides {
        /// Indices of the switches and where each went.
        sides: Vec<(usize, Side)>,
    },
    /// What a switch decides decides the switch, and either side holds.
    Relay {
        /// Index of the switch.
        switch: usize,
        /// What was taken.
        side: Side,
    },
    /// Two solutions of the algebraic equations cross, and the smooth one was taken.
    Crossing {
        /// An algebraic state that they do not determine there.
        component: usize,
    },
    /// Something that f divides by is zero there, and solutions part that were one.
    Parting {
        /// A state whose equation does not determine its rate there.
        component: usize,
    },
    /// The algebraic equations have another solution at the start.
    Root {
        /// An algebraic state that has another value in it.
        component: usize,
        /// The value taken.
        taken: f64,
        /// The other value.
        other: f64,
    },
}

/// A curve between two steps that does not satisfy the equations, however short the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defect {
    /// Where.
    pub t: f64,
    /// Which component.
    pub component: usize,
    /// By how many tolerances over the step.
    pub size: f64,
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Instants at which the method was restarted: switches, actions, samples.
    pub events: u64,
    /// Evaluations, those of the driver (first step) included.
    pub evaluations: Work,
    /// Lowest order of an accepted step; 0 without steps, as are the next two.
    pub order_min: u32,
    /// Highest order.
    pub order_max: u32,
    /// Sum of the orders.
    pub order_sum: u64,
    /// Shortest accepted step.
    pub h_min: f64,
    /// Longest accepted step.
    pub h_max: f64,
}

impl Statistics {
    /// Mean order of the accepted steps.
    pub fn order_mean(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.order_sum as f64 / self.steps as f64 }
    }

    #[inline]
    pub(crate) fn count_step(&mut self, h: f64, order: u32) {
        if self.steps == 0 {
            (self.order_min, self.h_min) = (order, h);
        }
        self.steps += 1;
        self.order_min = self.order_min.min(order);
        self.order_max = self.order_max.max(order);
        self.order_sum += u64::from(order);
        self.h_min = self.h_min.min(h);
        self.h_max = self.h_max.max(h);
    }
}

/// The global error that a method has carried along with its solution.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedError {
    /// Computed − true where the run ended.
    pub at_end: Vec<f64>,
    /// The largest one of each state at the ends of all steps.
    pub largest: Vec<f64>,
}

/// A state that ended a run although it had been below its absolute tolerance: nobody asked for any digit of it until then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelowAtol {
    /// Which one.
    pub component: usize,
    /// Its mean size over about the last quarter of the time passed.
    pub size: f64,
    /// Its absolute tolerance.
    pub atol: f64,
    /// One that asks for as many digits of all states below theirs as the relative tolerance does of the others.
    pub finer: f64,
}

/// What came out of a run. The rows went to the sink.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The first place between two steps at which the curve stayed beside the equations.
    pub defect: Option<Defect>,
    /// How it ended.
    pub status: Status,
    /// Why, if not at the end time.
    pub reason: Option<Reason>,
    /// The time reached.
    pub t_reached: f64,
    /// The state there, after events.
    pub y: Vec<f64>,
    /// The discrete values there, after events.
    pub d: Vec<f64>,
    /// The delayed values that are read there.
    pub delayed: Vec<f64>,
    /// How the sides of switches are mixed, if the solution slides along their boundaries there.
    pub sliding: Option<Mixture>,
    /// All about the equations that could not be fulfilled, if this is the reason.
    pub inconsistency: Option<Inconsistency>,
    /// The state at fault, if it was one that the tolerances neglect.
    pub below_atol: Option<BelowAtol>,
    /// The fixed step, if there was one.
    pub step: Option<f64>,
    /// Counts.
    pub statistics: Statistics,
    /// Stability, not accuracy, limited the steps of an explicit method for a long time.
    pub stiff: bool,
    /// Which methods took the steps, if the method was one that chooses.
    pub chosen: Option<Chosen>,
    /// See [`crate::Method::exceeds`].
    pub exceeds: bool,
    /// The estimate of (computed − true) there, from a method that carries it along.
    pub error: Option<CarriedError>,
    /// What became of the energy, if the method is one that should keep it.
    pub energy: Option<EnergyDrift>,
    /// The first time at which two actions gave one value two values, and its place, that of the held ones behind the states.
    pub conflict: Option<(f64, usize)>,
    /// Where several solutions begin or part.
    pub selections: Vec<Selection>,
    /// Where switches came near to their boundaries and turned back.
    pub grazes: Vec<Graze>,
    /// Conditions that were true at the start, so that they do not fire before they were false.
    pub true_at_start: Vec<usize>,
}

/// What became of the energy that a method should keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EnergyDrift {
    /// Its largest change, in units of the size of its terms.
    Changed(f64),
    /// Its terms grew so much that they only cancel each other.
    Unbounded,
    /// It is not known.
    Unknown(NoEnergy),
}

/// Why the energy of a system is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEnergy {
    /// Only that of linear systems with constant coefficients is looked for.
    NotLinear,
    /// Forces that depend on time do work.
    Driven,
    /// There are no masses, one for each equation, with which action is reaction.
    NoMasses,
    /// What happens at events may do work.
    Events,
}
