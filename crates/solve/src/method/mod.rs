//! What the driver asks of a method: one step at a time. A method knows nothing of end times, rows or events.

pub(crate) mod auto;
pub(crate) mod cost;
pub(crate) mod forecast;
pub(crate) mod parameters;
pub(crate) mod registry;
pub(crate) mod step_doubling;

use crate::{Chosen, EnergyDrift, Reason, System, UsageError};
use ordinate_numbers::Octet;

/// Where a step begins.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time.
    pub t: f64,
    /// State.
    pub y: &'a [f64],
    /// Discrete values, constant within the step.
    pub d: &'a [f64],
    /// f(t, y, d) if it is known already.
    pub f: Option<&'a [f64]>,
}

impl Point<'_> {
    /// f at the point, evaluated unless it is known.
    pub(crate) fn derivative(
        &self,
        system: &mut dyn System,
        f: &mut [f64],
        evaluations: &mut u64,
    ) -> Result<(), StepFailure> {
        match self.f {
            Some(known) => f.copy_from_slice(known),
            None => {
                system.derivative(self.t, self.y, self.d, f);
                *evaluations += 1;
            }
        }
        match f.iter().position(|f| !f.is_finite()) {
            Some(component) => Err(StepFailure::NotFiniteAtStart { component }),
            None => Ok(()),
        }
    }
}

/// Local tolerances. The error of component i is measured in units of
///
/// ```text
///   scaleᵢ = atolᵢ + rtol · max(|yᵢ(t)|, |yᵢ(t+h)|)
/// ```
///
/// and the largest one counts: a mean over the components would hide one bad component among thousands of good ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance of each component.
    pub atol: Vec<f64>,
}

impl Tolerance {
    /// The tolerance of a component that has these values.
    pub(crate) fn of(&self, i: usize, values: [f64; 2]) -> f64 {
        self.atol[i] + self.rtol * values[0].abs().max(values[1].abs())
    }
}

/// A step that could be computed; whether it is accepted is the driver's decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Error in units of the tolerance: the step is good when `error <= 1`. Zero where there is no estimate.
    pub error: f64,
    /// The component that has this error.
    pub worst: usize,
    /// The order of this step.
    pub order: u32,
    /// The step the method itself wants next (Taylor, BDF); `None` leaves it to the controller, or the fixed step as it is.
    pub next_h: Option<f64>,
}

/// A step that could not be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepFailure {
    /// f or y is not finite within the step: a shorter one may succeed.
    NotFinite {
        /// Where.
        t: f64,
        /// Which component.
        component: usize,
    },
    /// f is not finite where the step begins: no step can succeed.
    NotFiniteAtStart {
        /// Which component.
        component: usize,
    },
    /// Newton's method does not converge: a shorter step may succeed.
    Newton {
        /// The component that changed most.
        component: usize,
    },
    /// The matrix of Newton's method is singular: a shorter step may succeed.
    Singular {
        /// The component that cannot be determined.
        component: usize,
    },
    /// A fixed step is so long that the highest order does not reach its end.
    TooLong {
        /// The component whose terms are the largest.
        component: usize,
    },
    /// f is finite where the step begins, but the solution has no Taylor series there.
    NoSeries {
        /// Which component.
        component: usize,
        /// The first power that does not exist.
        order: u32,
    },
}

impl StepFailure {
    /// Why a run cannot go on where an instant, not a step, could not be computed.
    pub(crate) fn without_step(self, t: f64) -> Reason {
        match self {
            StepFailure::Singular { component } => Reason::SingularJacobian { t, h: 0.0, component },
            StepFailure::NotFinite { component, .. } | StepFailure::NotFiniteAtStart { component } => {
                Reason::NotFinite { t, component, at_start: false }
            }
            StepFailure::Newton { component }
            | StepFailure::TooLong { component }
            | StepFailure::NoSeries { component, .. } => Reason::NewtonFailed { t, h: 0.0, component },
        }
    }
}

/// One iterate of Newton's method, for those who want to see it work.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonIterate {
    /// Where the step begins.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// The stage of the step that is solved for, from 0; of stages that are solved together the last one.
    pub stage: u32,
    /// Counts the iterates of a stage, the first guess being 0.
    pub iteration: u32,
    /// The state.
    pub y: Vec<f64>,
    /// What should be zero there: M (y − ψ) − h γ f(t, y).
    pub residual: Vec<f64>,
}

/// How the equations of an implicit step are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewtonKind {
    /// The Jacobian is kept as long as the iteration converges fast enough.
    #[default]
    Simplified,
    /// A new Jacobian in every iteration.
    Full,
    /// The linear systems are solved only as well as the nonlinear residual deserves (forcing term).
    Inexact,
}

/// Where the iteration of a step begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FirstIterate {
    /// Extrapolated from the steps before.
    #[default]
    Extrapolated,
    /// The state at the beginning of the step.
    Previous,
    /// This value of every component in the first step, and the state at the beginning of the step in later ones.
    Given(f64),
}

/// What is free about Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// Which one.
    pub kind: NewtonKind,
    /// The iteration ends when the largest component of what should be zero ([`NewtonIterate::residual`]) is not larger;
    /// if not given, when its error is a small part of the tolerance, or of rounding where the step is fixed.
    pub tolerance: Option<f64>,
    /// Where it begins.
    pub first: FirstIterate,
    /// No more iterations than this for one equation. Where they do not suffice, what is left must be small enough to be
    /// taken for rounding.
    pub most: Option<u32>,
    /// Whether the time of a step must be bounded, too: the way ahead is not explored then where an iteration fails.
    pub in_time: bool,
    /// Whether the iterates are to be kept for [`Method::iterates`].
    pub trace: bool,
}

impl NewtonOptions {
    /// As it is if nothing is asked for.
    pub const DEFAULT: NewtonOptions = NewtonOptions {
        kind: NewtonKind::Simplified,
        tolerance: None,
        first: FirstIterate::Extrapolated,
        most: None,
        in_time: false,
        trace: false,
    };
}

impl Default for NewtonOptions {
    fn default() -> NewtonOptions {
        NewtonOptions::DEFAULT
    }
}

/// A singularity of the solution ahead: y ∼ C (T − t)^−exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Singularity {
    /// T − t.
    pub distance: f64,
    /// Which component.
    pub component: usize,
    /// 1 for a simple pole, 0 for a logarithm, other values for branch points.
    pub exponent: f64,
}

/// How often the parts of the system were evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// f.
    pub f: u64,
    /// Taylor coefficients, all orders of one step counting as one.
    pub jets: u64,
    /// Orders of all these series together.
    pub coefficients: u64,
    /// Jacobians.
    pub jacobian: u64,
    /// LU decompositions.
    pub lu: u64,
    /// Newton iterations.
    pub newton: u64,
}

impl Work {
    /// What was done since there was `earlier`.
    pub fn minus(self, earlier: Work) -> Work {
        Work {
            f: self.f - earlier.f,
            jets: self.jets - earlier.jets,
            coefficients: self.coefficients - earlier.coefficients,
            jacobian: self.jacobian - earlier.jacobian,
            lu: self.lu - earlier.lu,
            newton: self.newton - earlier.newton,
        }
    }

    /// The sum of both.
    pub fn plus(self, other: Work) -> Work {
        Work {
            f: self.f + other.f,
            jets: self.jets + other.jets,
            coefficients: self.coefficients + other.coefficients,
            jacobian: self.jacobian + other.jacobian,
            lu: self.lu + other.lu,
            newton: self.newton + other.newton,
        }
    }
}

/// One step of one family of methods. It knows nothing of end times, output or events.
pub trait Method {
    /// Tries the step from `from` to `from.t + h` and remembers it. `from` is the end of the step accepted last,
    /// unless [`Method::restart`] was called.
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure>;

    /// Whether the method can integrate the system from here, with the discrete values that it has; asked after a restart.
    fn fits(&mut self, _system: &mut dyn System, _from: &Point, _tol: &Tolerance) -> bool {
        true
    }

    /// A run, or what follows a restart, begins here: called before the first wish and the first attempt.
    fn prepare(&mut self, _system: &mut dyn System, _from: &Point, _tol: &Tolerance) {}

    /// Takes the memory for systems of this structure, so that no step has to; of methods that are made for real time.
    fn preallocate(&mut self, _system: &mut dyn System) {}

    /// Whether the method itself knows how long a step from a point should be: see [`Method::preferred_step`].
    fn chooses_step(&self) -> bool {
        false
    }

    /// The step that the method wants from here, asked once before the first attempt from a point; on rejection the
    /// driver shortens it. Only of methods that choose their steps.
    fn preferred_step(
        &mut self,
        _system: &mut dyn System,
        _from: &Point,
        _tol: &Tolerance,
    ) -> Result<f64, StepFailure> {
        Ok(f64::INFINITY)
    }

    /// The state at the end of the remembered step.
    fn end(&self) -> &[f64];

    /// Makes [`Method::interpolate`] possible for the remembered step, which began at `from`; this may cost evaluations.
    fn make_dense(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure>;

    /// The remembered step at `from.t + theta * h`, for `0 <= theta <= 1`.
    fn interpolate(&self, theta: f64, y: &mut [f64]);

    /// The same at eight places side by side; false, and nothing is done, where one after the other is as good.
    fn values_of_eight(&self, _theta: &Octet, _y: &mut [Octet]) -> bool {
        false
    }

    /// y and h·y′ of the remembered step at `from.t + theta * h`, which is not its beginning nor its end.
    fn interpolate_with_slope(&self, theta: f64, y: &mut [f64], slope: &mut [f64]) {
        // From a part of the step on both sides of a point.
        const NEAR: f64 = 1e-5;
        self.interpolate(theta - NEAR, y);
        self.interpolate(theta + NEAR, slope);
        slope.iter_mut().zip(y.iter()).for_each(|(slope, before)| *slope = (*slope - before) / (2.0 * NEAR));
        self.interpolate(theta, y);
    }

    /// The same at eight places side by side.
    fn interpolate_eight(&self, theta: &Octet, y: &mut [Octet], slope: &mut [Octet]) {
        let (mut one, mut change) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        for (k, theta) in theta.0.iter().enumerate() {
            self.interpolate_with_slope(*theta, &mut one, &mut change);
            for (i, (y, slope)) in y.iter_mut().zip(slope.iter_mut()).enumerate() {
                (y.0[k], slope.0[k]) = (one[i], change[i]);
            }
        }
    }

    /// The largest error inside the remembered step, whose dense output is made, in units of the tolerance; `None` where the
    /// error of the step stands for it.
    fn error_inside(&mut self, _system: &mut dyn System, _from: &Point, _tol: &Tolerance) -> Option<f64> {
        None
    }

    /// Whether steps are polynomials that [`Method::polynomial`] tells.
    fn is_polynomial(&self) -> bool {
        false
    }

    /// Whether the remembered step, whose dense output is made, is one.
    fn gave_polynomial(&self) -> bool {
        self.is_polynomial()
    }

    /// The coefficients of a state in powers of theta over the remembered step, whose dense output is made; returns whether
    /// it is such a polynomial.
    fn polynomial(&self, _state: usize, _c: &mut Vec<f64>) -> bool {
        false
    }

    /// Evaluates what the next step needs of the end of the remembered one: where f is not finite there, the step must
    /// not be accepted. Costs nothing in the end, unless no step follows.
    fn evaluate_at_end(&mut self, _system: &mut dyn System, _from: &Point) -> Result<(), StepFailure> {
        Ok(())
    }

    /// The end of the remembered step was moved a little, onto what the solution keeps at zero: the next step begins at
    /// `y`. Comes before [`Method::evaluate_at_end`] and [`Method::make_dense`], if at all. A method that remembers y or f at
    /// the end must take it to heart.
    fn end_was_projected(&mut self, _y: &[f64]) {}

    /// Whether its steps solve the algebraic equations, too. For methods that do not, the driver solves them inside of f:
    /// f is x′ then, and zero for the algebraic states.
    fn solves_algebraic(&self) -> bool {
        false
    }

    /// The remembered step becomes history: the next one begins where it ended.
    fn accept(&mut self);

    /// The remembered step was taken, be it only up to an event inside: for those that count whose steps they are.
    fn count_step(&mut self) {}

    /// Forgets everything: the state or the system is about to change at an event.
    fn restart(&mut self);

    /// The power of h with which the error of a step grows; `None` if there is no estimate.
    fn error_exponent(&self) -> Option<u32>;

    /// The order of the method, the highest one if it varies.
    fn order(&self) -> u32;

    /// h·|λ| of the remembered step from `from` as a fraction of what stability bears, if the method can tell.
    /// Asked now and then; many values near one mean that stability, not accuracy, limits the step.
    fn stiffness(&mut self, _system: &mut dyn System, _from: &Point) -> Option<f64> {
        None
    }

    /// A run begins that ends at this time: for those that weigh what is left of it.
    fn runs_until(&mut self, _t_end: f64) {}

    /// From where the series was expanded last: the distance at which its term of this order, or of the
    /// highest that it has, is as large as the tolerance.
    fn distance_of_term(&self, _order: usize) -> Option<f64> {
        None
    }

    /// The singularity ahead of the point where the last attempt began, if the method can see one.
    fn singularity(&self) -> Option<Singularity> {
        None
    }

    /// Whether the system has the form that the method needs; asked before a run.
    fn check(&mut self, _system: &mut dyn System) -> Result<(), UsageError> {
        Ok(())
    }

    /// What became of the energy so far; of methods that should keep it.
    fn energy(&self) -> Option<EnergyDrift> {
        None
    }

    /// Takes exact values before the start of a run, the latest last, so that a multistep method need not find its own.
    /// Other methods have no use for them.
    fn remember(&mut self, _system: &mut dyn System, _past: &[Point]) {}

    /// The iterates of Newton's method since they were asked for last, if they are kept.
    fn iterates(&mut self) -> Vec<NewtonIterate> {
        Vec::new()
    }

    /// Which methods took the steps, if this one chooses.
    fn chosen(&self) -> Option<Chosen> {
        None
    }

    /// Whether steps were much more accurate than asked for, so that their error does not follow the tolerance.
    fn insensitive_to_tolerance(&self) -> bool {
        false
    }

    /// Asks the method to carry an estimate of its global error along, (computed − true), from the start of the run on, where
    /// it is `at_start`; returns whether it can.
    fn follow_error(&mut self, _at_start: &[f64]) -> bool {
        false
    }

    /// The estimate at the end of the step accepted last, if it is carried along and known: behind an event it is not.
    fn error(&self) -> Option<&[f64]> {
        None
    }

    /// The estimate at a part of the remembered step, or, before the first one, at the start; returns whether it is known.
    fn error_within(&self, _theta: f64, _error: &mut [f64]) -> bool {
        false
    }

    /// The same at eight parts of it side by side.
    fn errors_within(&self, _theta: &Octet, _errors: &mut [Octet]) -> bool {
        false
    }

    /// Evaluations so far.
    fn work(&self) -> Work;
}
