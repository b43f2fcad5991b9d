//! What is integrated: y′ = f(t, y, d), where the discrete values d are constant between events.
//!
//! ```text
//!   d = [ modes of the switches | held values ]
//! ```
//!
//! The last states may be *algebraic*: with y = [x | z] the system is
//!
//! ```text
//!   x′ = f(t, x, z, d),   0 = g(t, x, z, d)
//! ```
//!
//! Equations F(t, x, x′) = 0 that cannot be solved for x′ have this form with z = x′. *Invariants* are functions of t and
//! y that the exact solution keeps at zero; an index-reduced system has them, and the driver holds it to them.
//!
//! A *switch* is a real function g(t, y, d) behind an `if`, `abs`, `floor`, … Its *mode* says on which side
//! of it the solution is, and f is smooth as long as the modes stay. The driver finds where g leaves its
//! side, ends a step there and changes the mode; f itself never compares anything. A *condition* is a
//! truth value made of modes; where it becomes true, its action runs. *Held* values are assigned by actions only.
//!
//! A system may read *delayed* values w(t) = z(t − T) of quantities z(t, y, d, w): see [`History`].

pub(crate) mod series;

use std::sync::Arc;

use crate::{Delay, History, Jets, LinearForm, LocalFeatures, Path, SwitchSeries};
use ordinate_linalg::Pattern;
use ordinate_numbers::Octet;

/// The kinds of switches and what their mode means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchKind {
    /// mode = sign of g: −1, 0 or +1. Mode 0 is taken only where g stays zero.
    Sign,
    /// mode = ⌊g⌋.
    Floor,
    /// mode = index of the segment of a table; always a function of time alone.
    Segment,
}

/// One switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// What its mode means.
    pub kind: SwitchKind,
    /// g depends on t only: its crossings come from [`System::next_crossing`] and are hit exactly.
    pub of_time: bool,
}

/// What happens when something becomes true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Run the action of this index.
    Act(usize),
    /// End the run (`stop when`).
    Stop,
}

/// An action repeated at t₀ + k·period, k = 0, 1, … It adds no rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// Time between two samples, positive.
    pub period: f64,
    /// Index of the action.
    pub action: usize,
}

/// States that are derivatives of others by quantities q: the driver takes them through events.
///
/// ```text
///   V = ∂y/∂q,   V′ = ∂f/∂y V + ∂f/∂q
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variations {
    /// Number of quantities.
    pub by: usize,
    /// The variation, the state that it belongs to, and the number of the quantity.
    pub of: Vec<[usize; 3]>,
    /// For each quantity the state that is dτ/dq while an event at the time τ happens, and zero otherwise: actions read it.
    /// Empty in a system without events.
    pub event_time: Vec<usize>,
    /// Whether a variation must be that of both sides where the solution starts on a boundary, or is not a number.
    pub both_sides: bool,
}

/// The shape of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Number of states y.
    pub states: usize,
    /// The switches; their modes are the first elements of d.
    pub switches: Vec<Switch>,
    /// So many of them, the first ones, are of time alone and read by sampled actions only: no step has to end where they are
    /// crossed.
    pub sampled_switches: usize,
    /// Number of held values, which follow the modes in d.
    pub held: usize,
    /// One reaction per condition, in the order of [`System::conditions`].
    pub conditions: Vec<Reaction>,
    /// The sampled actions.
    pub sampled: Vec<Sampled>,
    /// So many states, the last ones, are algebraic.
    pub algebraic: usize,
    /// The index of each state where a system of index above 1 is solved as it is: 1, 2 or 3. Empty: none above 1.
    pub indices: Vec<u8>,
    /// Number of invariants.
    pub invariants: usize,
    /// So many variables that are no states have a start value, and so many variables of any kind a guess.
    pub start_residuals: [usize; 2],
    /// For each state the state that its derivative is, if it is one: y[i]′ = y[velocity[i]]. Empty: unknown.
    pub velocity: Vec<Option<u32>>,
    /// Which states are derivatives of others.
    pub variations: Variations,
    /// f depends on t by itself, not only through y and d.
    pub timed: bool,
    /// What f may hold that is not known from afar.
    pub pulses: LocalFeatures,
    /// The delayed quantities, whose past f and all else may read.
    pub delays: Vec<Delay>,
}

impl Layout {
    /// Length of d.
    pub fn discrete(&self) -> usize {
        self.switches.len() + self.held
    }

    /// Number of states that are not algebraic.
    pub fn differential(&self) -> usize {
        self.states - self.algebraic
    }

    /// The shortest delay, infinite if there is none.
    pub fn shortest_delay(&self) -> f64 {
        self.delays.iter().map(|delay| delay.time).fold(f64::INFINITY, f64::min)
    }

    /// The shortest delay, if a step of this length would need values of the future.
    pub fn delay_within(&self, step: f64) -> Option<f64> {
        Some(self.shortest_delay()).filter(|delay| step > delay * (1.0 + 1e-9))
    }
}

/// What a Jacobian costs, in the units of [`crate::JetCost`].
#[derive(Clone, Debug)]
pub struct JacobianCost {
    /// One evaluation.
    pub evaluation: f64,
    /// What is to be done before the first one.
    pub preparation: f64,
    /// Where it may have elements; a few more than it has do no harm.
    pub pattern: Arc<Pattern>,
}

/// What keeps a system from being evaluated, other than its equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The end was wished.
    Interrupted,
    /// An evaluation failed for a reason from outside, which the system knows.
    Failed,
}

/// A dynamic system as the methods and the driver see it. `&mut self` is for scratch memory: the same
/// arguments always give the same bits.
pub trait System {
    /// Its shape, constant over a run.
    fn layout(&self) -> &Layout;

    /// dy = f(t, y, d), and g(t, y, d) in the places of the algebraic states. Where it is not defined the result is not
    /// finite.
    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]);

    /// What keeps it from being evaluated, once there is something: the run ends there. Asked at every attempt at a step, and by every
    /// iteration that searches for start values; a value that is merely not defined is not a refusal. Who wraps a system hands on
    /// what that says.
    fn refusal(&mut self) -> Option<Refusal> {
        None
    }

    /// What one evaluation of f costs, counted from its operations, in the units of [`crate::JetCost`].
    fn cost_of_f(&mut self) -> f64 {
        30.0 + 10.0 * self.layout().states as f64
    }

    /// What its Jacobian costs, found without one: the same whether or not it was used before. `None` where what is to be done before
    /// the first evaluation costs more than `most`; that is found out for a small part of it.
    fn cost_of_jacobian(&mut self, _most: f64) -> Option<JacobianCost> {
        let (n, f) = (self.layout().states, self.cost_of_f());
        Some(JacobianCost { evaluation: f * n as f64, preparation: 0.0, pattern: Arc::new(Pattern::dense(n)) })
    }

    /// f with every rounded constant moved to its other neighbour, and with the results of its operations moved by a last place, to
    /// one side or the other from time to time: what rounding makes of f. Returns whether it is known.
    fn derivative_rounded_otherwise(&mut self, _t: f64, _y: &[f64], _d: &[f64], _dy: &mut [f64]) -> bool {
        false
    }

    /// f at up to eight points in one pass, with the same bits as [`System::derivative`] at each: `t` and `y` hold the points side
    /// by side, component after component, and so does `dy`. Only the first `count` are points; the others repeat the last of
    /// them, and so do their results. Returns false, and leaves `dy` alone, where one point after another is the only way.
    fn derivative_of_eight(&mut self, _count: usize, _t: &Octet, _y: &[Octet], _d: &[f64], _dy: &mut [Octet]) -> bool {
        false
    }

    /// What f divides by, of which it is not known that it keeps its sign.
    fn denominators(&mut self, _t: f64, _y: &[f64], _d: &[f64], values: &mut Vec<f64>) {
        values.clear();
    }

    /// g of every switch (of those of time alone, too).
    fn switch_values(&mut self, _t: f64, _y: &[f64], _d: &[f64], _g: &mut [f64]) {}

    /// dg/dt along the flow, ∂g/∂t + ∂g/∂y·f, of every switch.
    fn switch_slopes(&mut self, _t: f64, _y: &[f64], _d: &[f64], _slope: &mut [f64]) {}

    /// dg/dq of every switch at a fixed time, those by the first quantity of [`Layout::variations`] first.
    fn switch_variations(&mut self, _t: f64, _y: &[f64], _d: &[f64], _values: &mut [f64]) {}

    /// The derivatives of these along the flow.
    fn switch_variation_slopes(&mut self, _t: f64, _y: &[f64], _d: &[f64], _slopes: &mut [f64]) {}

    /// For a switch of time alone: the first crossing after `after` and not later than `until`.
    fn next_crossing(&mut self, _switch: usize, _after: f64, _until: f64) -> Option<f64> {
        None
    }

    /// For a switch of time alone: its mode on an interval that begins at `t` (the limit from the right).
    fn mode_from(&mut self, _switch: usize, _t: f64) -> f64 {
        0.0
    }

    /// Whether each condition is true; depends on d only.
    fn conditions(&mut self, _d: &[f64], _truth: &mut [bool]) {}

    /// Performs an action: reads t, y, d as they are before it, and writes the elements it assigns into
    /// `new_y` and `new_d`; the others are left alone.
    fn act(&mut self, _action: usize, _t: f64, _y: &[f64], _d: &[f64], _new_y: &mut [f64], _new_d: &mut [f64]) {}

    /// The states that an action assigns, also where it leaves them as they are.
    fn assigned(&self, _action: usize) -> Vec<usize> {
        Vec::new()
    }

    /// The series of its solutions for given discrete values, if it can make them.
    fn jets(&mut self, _d: &[f64]) -> Option<&mut dyn Jets> {
        None
    }

    /// The series of its switches for given discrete values, if it can make them.
    fn switch_series(&mut self, _d: &[f64]) -> Option<&mut dyn SwitchSeries> {
        None
    }

    /// The system as a linear one with constant coefficients, if it is that for these discrete values; t is the time where
    /// its inputs are to be expanded.
    fn linear(&mut self, _t: f64, _d: &[f64]) -> Option<LinearForm> {
        None
    }

    /// Where ∂(f, g)/∂y may be different from zero; `None` if the system has no derivatives to offer.
    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        None
    }

    /// The elements of ∂(f, g)/∂y, exact, in the order of the pattern.
    fn jacobian(&mut self, _t: f64, _y: &[f64], _d: &[f64], _values: &mut [f64]) {}

    /// The invariants.
    fn invariants(&mut self, _t: f64, _y: &[f64], _d: &[f64], _values: &mut [f64]) {}

    /// Where the derivatives of the invariants by y may be different from zero, one row per invariant.
    fn invariants_pattern(&mut self) -> Option<Arc<Pattern>> {
        None
    }

    /// The derivatives of the invariants by y, in the order of the pattern.
    fn invariants_jacobian(&mut self, _t: f64, _y: &[f64], _d: &[f64], _values: &mut [f64]) {}

    /// By how much variables that have a start value or a guess, the guesses last, differ from it.
    fn start_residuals(&mut self, _t: f64, _y: &[f64], _d: &[f64], _values: &mut [f64]) {}

    /// Where the derivatives of these by y may be different from zero.
    fn start_residuals_pattern(&mut self) -> Option<Arc<Pattern>> {
        None
    }

    /// The derivatives of these by y, in the order of the pattern.
    fn start_residuals_jacobian(&mut self, _t: f64, _y: &[f64], _d: &[f64], _values: &mut [f64]) {}

    /// The past of its delayed quantities, if it has such: the driver writes it, the system reads it.
    fn history(&mut self) -> Option<&mut History> {
        None
    }

    /// The delayed quantities at a point: what the driver writes into the history.
    fn delayed(&mut self, _t: f64, _y: &[f64], _d: &[f64], _z: &mut [f64]) {}

    /// Their coefficients along a path, which has all states, of the powers 0 … `order` of the part of it; returns whether they
    /// have such.
    fn delayed_series(&mut self, _path: &Path, _d: &[f64], _order: usize, _z: &mut [Vec<f64>]) -> bool {
        false
    }

    /// The delayed values w(t) = z(t − T) that are read at time t.
    fn delayed_values(&mut self, _t: f64, _d: &[f64], _w: &mut [f64]) {}
}
