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
        "The solution has a pole or a branch point there, or no Taylor series (a root of zero).",
        "End the run before it with `-t`, or check the sign of the growing term; a removable one: try `radau` or `dp8`.";
    StepTooSmall "step_too_small",
        "No step is short enough for the tolerances.",
        "Loosen `--rtol` and `--atol`, or write a jump in the equations as `if` or `when`.";
    MaxSteps "max_steps",
        "The run takes more steps than `--max-steps` allows, or would.",
        "Raise `--max-steps`, loosen `--rtol`, shorten the run; of a stiff model take `-m auto`, `radau` or `bdf`.";
    NewtonFailed "newton_failed",
        "The equations of a step could not be solved.",
        "Look for a place where the equations have no solution; give a smaller `--step`, or none.";
    SingularJacobian "singular_jacobian",
        "The equations do not determine a variable there, or two solutions meet.",
        "Look at `ordinate info`: an equation may repeat another one; end the run before, or begin it elsewhere.";
    NotFinite "not_finite",
        "A value is infinite or not a number: a division by zero, a function outside of its domain, growth without end.",
        "End the run before with `-t` or `stop when`; with `--step`, see `ordinate stability`.";
    Zeno "zeno",
        "Infinitely many events in finite time, or branches that contradict each other.",
        "Add a gap (hysteresis) between what switches forth and back, or end the run before with `stop when`.";
    InconsistentStart "inconsistent_start",
        "Start values contradict the equations, at the start or after an event.",
        "Write `guess` instead of `init` for what follows from the others; see `ordinate help dae`.";
    HighIndex "high_index",
        "A constraint jumps, and states would have to jump with it.",
        "Assign the states in a `when` with the same condition, or let the branches meet.";
    PrecisionUnreachable "precision_unreachable",
        "The digits asked for with `--digits` cannot be had.",
        "Ask for fewer, or shorten the run; the result is stored all the same.";
    Residual "residual",
        "The computed values do not satisfy an equation as it was typed.",
        "It is a mistake of this program: report the model, and do not use the result.";
    NoRows "no_rows",
        "`ordinate compare`: no method came as far as a row.",
        "Run one of the methods with `ordinate run`, which says why.";
    StopCondition "stop_condition",
        "A `stop when` of the model became true; this is no failure.",
        "Nothing: it is the end that the model asks for.";
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
            Reason::Interrupted { .. } => ReasonKind::Interrupted,
            Reason::StopCondition { .. } => ReasonKind::StopCondition,
        }
    }
}
