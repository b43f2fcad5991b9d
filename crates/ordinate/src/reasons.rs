//! The kinds of reasons for which a run ends early: one table, read by what a run says and by `ordinate help reasons`.

use ordinate_solve::Reason;

/// Makes the enum, the list of all kinds and their words from one table, so that no kind can be missing in any of them.
macro_rules! reasons {
    ($($kind:ident $word:literal, $meaning:literal, $next:literal;)*) => {
        /// What `reason.kind` is in machine-readable results.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ReasonKind {
            $(#[doc = $meaning] $kind,)*
        }

        impl ReasonKind {
            /// All kinds, in the order in which they are listed.
            pub const ALL: &[ReasonKind] = &[$(ReasonKind::$kind),*];

            /// The word in machine-readable results.
            pub fn word(self) -> &'static str {
                match self { $(ReasonKind::$kind => $word),* }
            }

            /// What has happened.
            pub fn meaning(self) -> &'static str {
                match self { $(ReasonKind::$kind => $meaning),* }
            }

            /// What to do.
            pub fn next(self) -> &'static str {
                match self { $(ReasonKind::$kind => $next),* }
            }
        }
    };
}

reasons! {
    Singularity "singularity",
        "The solution has a pole or a branch point, or no Taylor series (a root of zero).",
        "End the run earlier with `-t`, or check the sign of the growing term; if it is removable, try `radau` or \
         `dp8`.";
    StepTooSmall "step_too_small",
        "No step size is small enough for the tolerances.",
        "Loosen `--rtol` and `--atol`, or write a jump in the equations as `if` or `when`.";
    MaxSteps "max_steps",
        "The run needs more steps than `--max-steps` allows.",
        "Raise `--max-steps`, loosen `--rtol`, shorten the run; for a stiff model use `-m auto`, `radau` or `bdf`.";
    NewtonFailed "newton_failed",
        "Newton's method did not solve the equations of a step.",
        "Look for a place where the equations have no solution; give a smaller `--step`, or none.";
    SingularJacobian "singular_jacobian",
        "The Jacobian is singular: the equations do not determine a variable, or two solutions meet.",
        "Look at `ordinate info`: one equation may repeat another; end the run earlier, or start it elsewhere.";
    NotFinite "not_finite",
        "A value is infinite or not a number: a division by zero, a function outside its domain, unbounded growth.",
        "End the run earlier with `-t` or `stop when`; with `--step`, see `ordinate stability`.";
    Zeno "zeno",
        "Infinitely many events in finite time (Zeno behaviour), or branches that contradict each other.",
        "Add hysteresis (a gap between switching on and off), or end the run earlier with `stop when`.";
    InconsistentStart "inconsistent_start",
        "Inconsistent initial conditions: start values contradict the equations, at the start or after an event.",
        "Write `guess` instead of `init` for what follows from the others; see `ordinate help dae`.";
    HighIndex "high_index",
        "A constraint jumps, and states would have to jump with it (an impulse).",
        "Assign the states in a `when` with the same condition, or let the branches meet.";
    PrecisionUnreachable "precision_unreachable",
        "The digits requested with `--digits` cannot be reached.",
        "Ask for fewer, or shorten the run; the result is stored anyway.";
    Residual "residual",
        "The computed values do not satisfy an equation as written.",
        "This is a bug in Ordinate: report the model, and do not use the result.";
    NoRows "no_rows",
        "`ordinate compare`: no method has a result.",
        "Run one of the methods with `ordinate run`, which says why.";
    External "external",
        "A right-hand side that is computed outside of this program failed.",
        "Whoever computes it knows why.";
    StopCondition "stop_condition",
        "A `stop when` of the model became true; this is no failure.",
        "Nothing to do: the model asks for it.";
    Interrupted "interrupted",
        "Ended on request, by Ctrl-C.",
        "The rows so far are kept.";
}

impl ReasonKind {
    /// The kind of what the driver says.
    pub fn of(reason: &Reason) -> ReasonKind {
        match reason {
            Reason::Singularity { .. } | Reason::NoSeries { .. } => ReasonKind::Singularity,
            Reason::NewtonFailed { .. } => ReasonKind::NewtonFailed,
            Reason::SingularJacobian { .. } | Reason::BranchPoint { .. } => ReasonKind::SingularJacobian,
            Reason::Inconsistent { .. } => ReasonKind::InconsistentStart,
            Reason::ConstraintJumps { .. } => ReasonKind::HighIndex,
            Reason::StepTooSmall { .. } => ReasonKind::StepTooSmall,
            Reason::MaxSteps { .. } | Reason::TooSlow { .. } => ReasonKind::MaxSteps,
            Reason::NotFinite { .. }
            | Reason::ActionNotFinite { .. }
            | Reason::SwitchNotFinite { .. }
            | Reason::DelayNotFinite { .. }
            | Reason::Undefined { .. } => ReasonKind::NotFinite,
            Reason::SeriesOrder { .. } => ReasonKind::Residual,
            Reason::Zeno { .. } => ReasonKind::Zeno,
            Reason::External { .. } => ReasonKind::External,
            Reason::Interrupted { .. } => ReasonKind::Interrupted,
            Reason::StopCondition { .. } => ReasonKind::StopCondition,
        }
    }
}
