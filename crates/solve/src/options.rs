//! What a run is asked for.

use crate::{Layout, Tolerance};

/// The absolute tolerance.
#[derive(Clone, Debug, PartialEq)]
pub enum AbsoluteTolerance {
    /// The same for all components.
    Same(f64),
    /// One per component.
    Each(Vec<f64>),
}

impl AbsoluteTolerance {
    /// That of a component; zero where there is none.
    pub fn of(&self, component: usize) -> f64 {
        match self {
            AbsoluteTolerance::Same(atol) => *atol,
            AbsoluteTolerance::Each(each) => each.get(component).copied().unwrap_or(0.0),
        }
    }
}

/// At which times rows are handed to the sink.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// At these times only, ascending; two rows where an action runs exactly at one of them.
    At(Vec<f64>),
    /// So many rows evenly spaced from the start to the end, both included; two more at every action.
    Even(usize),
    /// At t₀ + k·dt; two more at every action.
    Every(f64),
    /// At the start and after every step of the method; two at every action.
    Steps,
}

/// How a run is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: AbsoluteTolerance,
    /// The fixed step, if there is one: the steps end at t₀ + k·step, at events and at the end.
    pub step: Option<f64>,
    /// The first step; found automatically if not given.
    pub first_step: Option<f64>,
    /// The longest step; if not given, a tenth of the whole time where switches depend on the state, otherwise no limit.
    pub h_max: Option<f64>,
    /// The largest number of steps, rejected ones included.
    pub max_steps: u64,
    /// Which rows.
    pub rows: Rows,
    /// With delays, and for series: at least two steps between two times that must be hit, or two events. A run that is compared
    /// with one whose steps are cut there must not take the same ones.
    pub divide: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rtol: 1e-6,
            atol: AbsoluteTolerance::Same(1e-9),
            step: None,
            first_step: None,
            h_max: None,
            max_steps: 10_000_000,
            rows: Rows::Even(501),
            divide: false,
        }
    }
}

/// Where a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start<'a> {
    /// Time.
    pub t: f64,
    /// States.
    pub y: &'a [f64],
    /// Held values.
    pub held: &'a [f64],
    /// Which states are given: the others are guesses, changed so that the algebraic equations and the invariants hold.
    /// `None`: all that are not algebraic.
    pub fixed: Option<&'a [bool]>,
    /// Whether what [`System::stated`] compares belongs to this start.
    pub start_residuals: bool,
}

/// A value that is known before the start: see [`crate::solve_with_past`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Past<'a> {
    /// Time.
    pub t: f64,
    /// States.
    pub y: &'a [f64],
}

/// A run that cannot be begun as asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UsageError {
    /// A fixed step is longer than the shortest delay: it would read what is not known yet.
    StepBeyondDelay {
        /// The step.
        step: f64,
        /// The shortest delay.
        delay: f64,
    },
    /// A delay is lost against the times of the run.
    DelayTooShort {
        /// The shortest delay.
        delay: f64,
    },
    /// The method cannot read the past of a delayed quantity.
    NotForDelays,
    /// The end lies before the start.
    EndBeforeStart {
        /// Start time.
        t_start: f64,
        /// End time.
        t_end: f64,
    },
    /// A time or a start value is not finite.
    NotFinite {
        /// What it is: `"start time"`, `"end time"`, `"start value"`, `"held value"` or `"value before the start"`.
        what: &'static str,
        /// Its index, 0 for a time.
        index: usize,
    },
    /// A vector has a wrong length.
    WrongLength {
        /// What it is.
        what: &'static str,
        /// The right length.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// A tolerance is negative, not finite, or both are zero.
    BadTolerance {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// A step (`"step"`, `"first step"`, `"longest step"`, `"row distance"` or `"sampling period"`) is not positive and
    /// finite.
    BadStep {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A requested row lies outside of the run, or before the one preceding it.
    BadRow {
        /// Its time.
        t: f64,
    },
    /// The method has no error estimate, so the step must be given.
    StepRequired,
    /// The system has this index and is solved as it is, which the method does not bear: the errors of what only derivatives
    /// determine do not decay.
    NotForIndex {
        /// The index.
        index: u8,
    },
    /// The method is for x″ = f(x, t), but this state is neither an x nor the velocity of one.
    NotSecondOrder {
        /// The state.
        state: usize,
    },
    /// The method is for x″ = f(x, t), but an acceleration depends on a velocity.
    NotVelocityFree {
        /// The state whose derivative is the acceleration.
        acceleration: usize,
        /// The state that is the velocity.
        velocity: usize,
    },
    /// The method must know on what the derivatives depend, and the system does not tell.
    NoPattern,
    /// A value before the start does not lie before it, or not behind the one preceding it.
    BadPast {
        /// Its time.
        t: f64,
    },
}

/// Refuses systems of higher index that are solved as they are.
pub(crate) fn check_index(layout: &Layout) -> Result<(), UsageError> {
    match layout.indices.iter().copied().max() {
        Some(index) if index > 1 => Err(UsageError::NotForIndex { index }),
        _ => Ok(()),
    }
}

/// Checks that a run can begin.
pub(crate) fn check_start(start: &Start, t_end: f64, states: usize, held: usize) -> Result<(), UsageError> {
    for (what, values, expected) in [("start value", start.y, states), ("held value", start.held, held)] {
        if values.len() != expected {
            return Err(UsageError::WrongLength { what, expected, found: values.len() });
        }
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(UsageError::NotFinite { what, index });
        }
    }
    if let Some(fixed) = start.fixed.filter(|fixed| fixed.len() != states) {
        return Err(UsageError::WrongLength { what: "list of given states", expected: states, found: fixed.len() });
    }
    for (what, t) in [("start time", start.t), ("end time", t_end)] {
        if !t.is_finite() {
            return Err(UsageError::NotFinite { what, index: 0 });
        }
    }
    if t_end < start.t {
        return Err(UsageError::EndBeforeStart { t_start: start.t, t_end });
    }
    Ok(())
}

/// Checks that known values before the start are such.
pub(crate) fn check_past(past: &[Past], start: &Start) -> Result<(), UsageError> {
    let times = past.iter().map(|value| value.t).chain([start.t]);
    if let Some((value, _)) = past.iter().zip(times.skip(1)).find(|(value, next)| value.t >= *next || value.t.is_nan())
    {
        return Err(UsageError::BadPast { t: value.t });
    }
    for value in past {
        if value.y.len() != start.y.len() {
            let (expected, found) = (start.y.len(), value.y.len());
            return Err(UsageError::WrongLength { what: "value before the start", expected, found });
        }
        if let Some(index) = value.y.iter().position(|y| !y.is_finite()) {
            return Err(UsageError::NotFinite { what: "value before the start", index });
        }
    }
    Ok(())
}

/// The tolerances for `n` states.
pub(crate) fn tolerance(options: &Options, n: usize) -> Result<Tolerance, UsageError> {
    let rtol = options.rtol;
    let atol = match &options.atol {
        AbsoluteTolerance::Same(atol) => vec![*atol; n],
        AbsoluteTolerance::Each(atol) if atol.len() == n => atol.clone(),
        AbsoluteTolerance::Each(atol) => {
            return Err(UsageError::WrongLength { what: "absolute tolerance", expected: n, found: atol.len() });
        }
    };
    let good = |atol: f64| rtol >= 0.0 && atol >= 0.0 && rtol.is_finite() && atol.is_finite() && rtol + atol > 0.0;
    match atol.iter().find(|&&atol| !good(atol)) {
        Some(&atol) => Err(UsageError::BadTolerance { rtol, atol }),
        None => Ok(Tolerance { rtol, atol }),
    }
}
