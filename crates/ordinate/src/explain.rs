//! Why a run ended early or could not begin, in words: what, where, what next.

use crate::reasons::ReasonKind;
use crate::recorder::Contradicted;
use crate::residual::Violation;
use crate::{Compiled, GlobalError, short};
use ordinate_expr::VarId;
use ordinate_model::{Block, Equation, Model, Role, State, Watch};
use ordinate_solve::{BelowAtol, Outcome, Reason, UsageError, Zeno};

/// A reason for people and for programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The kind as in machine-readable results: a word of [`ReasonKind`].
    pub kind: &'static str,
    /// When.
    pub t: f64,
    /// The variable concerned.
    pub variable: Option<String>,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// Start values of variables that follow from others. None if there are none.
pub(crate) fn inconsistent_start(t: f64, wrong: &[Contradicted], compiled: &Compiled) -> Option<Explanation> {
    let (sorted, model) = (&compiled.sorted, &compiled.sorted.model);
    let formula = |name: &str| {
        let place = (0..model.variables.len()).find(|&k| model.name(VarId(k as u32)) == name)?;
        let definition = (*sorted.definitions.get(place)?)?;
        Some(format!(": `{name} = {}` gives", model.print_short(definition)))
    };
    let part = |Contradicted { name, given, found, equation }: &Contradicted| {
        let what = format!("the start value {given} of `{name}` contradicts the equations");
        match equation {
            Some((place, residual)) => {
                format!("{what}: {}, which gives {found}", violation(*place, *residual, compiled))
            }
            None => {
                let by = formula(name).unwrap_or_else(|| ", which give".into());
                let residual = (given - found).abs();
                match residual.is_finite() {
                    true => format!("{what}{by} {found}, it is violated by {residual:.3e}"),
                    false => format!("{what}{by} no finite number"),
                }
            }
        }
    };
    let Contradicted { name: first, .. } = wrong.first()?;
    let mut parts: Vec<String> = wrong.iter().take(LISTED).map(part).collect();
    if wrong.len() > LISTED {
        parts.push(format!("{} more are contradicted", wrong.len() - LISTED));
    }
    let names: Vec<String> = wrong.iter().take(LISTED).map(|wrong| format!("`{}`", wrong.name)).collect();
    Some(Explanation {
        kind: ReasonKind::InconsistentStart.word(),
        t,
        variable: Some(first.clone()),
        message: parts.join("; "),
        hint: match names.as_slice() {
            [only] => format!("remove the start value of {only}, or correct those it follows from"),
            several => {
                format!("remove the start values of {}, or correct those they follow from", several.join(" and "))
            }
        },
    })
}

/// What to do first where a step was not solved and its iterations had been limited.
pub(crate) fn hint_of_iterations(most: Option<u32>, reason: &Explanation) -> Option<String> {
    let most = most.filter(|_| reason.kind == "newton_failed")?;
    Some(format!("more iterations than {most} with `--newton-max`; {}", reason.hint))
}

/// Where the equations cease to determine a variable: what they were solved for divides by zero there, or leaves the domain of a
/// function.
pub(crate) fn undetermined(name: &str, t: f64) -> Explanation {
    Explanation {
        kind: ReasonKind::NotFinite.word(),
        t,
        variable: Some(name.to_string()),
        message: format!(
            "the equations do not determine `{name}` at t = {}: it is not a finite number there, or \
                          just after",
            short(t)
        ),
        hint: "a coefficient vanishes there, or an argument leaves the domain of sqrt, log, …; start or end the run \
               at another time"
            .into(),
    }
}

/// An equation as typed that the computed values do not satisfy.
pub(crate) fn violated(violation: &Violation) -> Explanation {
    let Violation { line, text, t, sides: [left, right], derivative } = violation;
    let what = match derivative {
        0 => "its sides are".to_string(),
        1 => "the time derivatives of its sides are".into(),
        n => format!("the time derivatives of order {n} of its sides are"),
    };
    Explanation {
        kind: ReasonKind::Residual.word(),
        t: *t,
        variable: None,
        message: format!(
            "line {line} does not hold for the computed values at t = {}: `{text}`, {what} {} and {}",
            short(*t),
            short(*left),
            short(*right)
        ),
        hint: "the equations solved are not those of the text: a bug in Ordinate; please report the model, and do \
               not use the result"
            .into(),
    }
}

/// A singularity of a state that had lost its digits before: of what was computed, not of the solution.
pub(crate) fn baseless(outcome: &Outcome, error: &GlobalError, rtol: f64) -> Option<Explanation> {
    // One that was below its tolerance all the time has a reason of its own.
    let name = error.names.get(error.baseless.filter(|_| outcome.below_atol.is_none())?)?;
    Some(Explanation {
        kind: ReasonKind::PrecisionUnreachable.word(),
        t: outcome.t_reached,
        variable: Some(name.clone()),
        message: format!(
            "`{name}` had lost all its digits before it grew to a singularity near t = {}: a comparison run has \
             none there, or has it elsewhere",
            short(outcome.t_reached)
        ),
        hint: match rtol > 1e-10 {
            true => "small errors grow: try a smaller `--rtol` and `--atol`, or `--precision` where doubles do not resolve them",
            false => "double precision does not resolve the solution: try `--precision`, or shorten the run with `-t`",
        }
        .into(),
    })
}

/// The reason of an outcome; `None` if it reached its end time.
pub(crate) fn explain(outcome: &Outcome, compiled: &Compiled) -> Option<Explanation> {
    let reason = outcome.reason.as_ref()?;
    let state = |k: usize| compiled.program.state_names.get(k).cloned();
    let named = |k: usize| state(k).map_or("a state".to_string(), |name| format!("`{name}`"));
    if let Some(BelowAtol { component, size, atol, finer }) = outcome.below_atol {
        return Some(Explanation {
            kind: ReasonKind::of(reason).word(),
            t: outcome.t_reached,
            variable: state(component),
            message: format!(
                "{} cannot be followed beyond t = {}, where it is {:.3e}; until then it was about {size:.1e}, below \
                 atol {atol:.0e}, so none of its digits was controlled and what grows may be only the error",
                named(component),
                short(outcome.t_reached),
                outcome.y[component]
            ),
            hint: format!("use `--atol {finer:.0e}`; if the run still ends here, there is a singularity"),
        });
    }
    let has_algebraic = compiled.program.layout.algebraic > 0;
    let value = |k: usize| outcome.y.get(k).copied().unwrap_or(f64::NAN);
    let stiff = if outcome.stiff {
        "the model looks stiff, and explicit methods then need tiny steps: use `-m auto`, `radau` or `bdf`"
    } else {
        "look at the solution up to this time with `--plot`"
    };
    let (t, variable, message, hint) = match *reason {
        Reason::Singularity { t, pole, component, exponent } => (
            t,
            state(component),
            match exponent.map(kind_of_singularity) {
                Some(kind) => format!("{} has {kind} near t = {} ({:.3e} at t = {})", named(component), short(pole), value(component), short(t)),
                None => format!("{} changes without bound (it is {:.3e} at t = {}); a singularity is near t = {}", named(component), value(component), short(t), short(pole)),
            },
            format!("end the run before {} with `-t`, or check the sign of the growing term", short(pole)),
        ),
        Reason::NoSeries { t, component, order } => (
            t,
            state(component),
            format!("the solution has no Taylor series at t = {}: the derivative of order {order} of {} does not exist", short(t), named(component)),
            "a root or a fractional power of zero: several solutions may start here, and none is chosen for you; start \
             beside this point; `auto` goes on where there is only one solution".into(),
        ),
        // However short the step: it is not the method that fails.
        Reason::NewtonFailed { t, h, component } if has_algebraic && h <= 1e-9 * t.abs() => {
            fold(t, component, value(component), compiled)
        }
        Reason::StepTooSmall { t, component, error, .. } if has_algebraic && !error.is_finite() => {
            fold(t, component, value(component), compiled)
        }
        Reason::NewtonFailed { t, h, component } => (
            t,
            state(component),
            format!("the equations of a step could not be solved at t = {} (step {h:.1e}): {} does not converge{}", short(t), named(component), behind(component, compiled)),
            match outcome.step {
                Some(_) => "leave out `--step`, for automatic step size control, or give a smaller one; look for a \
                            place where the equations have no solution",
                None => "loosen `--rtol`/`--atol` if they are close to rounding error; look for a place where the \
                         equations have no solution",
            }
            .into(),
        ),
        Reason::SingularJacobian { t, h: 0.0, component } => (
            t,
            state(component),
            format!("the equations do not determine {} at t = {}: their Jacobian is singular there{}", named(component), short(t), behind(component, compiled)),
            format!("give a start value of {}, or of others; or one equation repeats another", named(component)),
        ),
        Reason::SingularJacobian { t, h, component } => (
            t,
            state(component),
            format!("the equations do not determine {} at t = {} (step {h:.1e}): their Jacobian is singular{}", named(component), short(t), behind(component, compiled)),
            "the index changes here, or one equation repeats another; end the run earlier, or look at `ordinate \
             info`".into(),
        ),
        Reason::BranchPoint { t, meeting, component } => (
            t,
            state(component),
            format!(
                "two solutions meet at t = {}: there the equations do not determine {}, or not within the tolerances{}",
                short(meeting),
                named(component),
                behind(component, compiled)
            ),
            "smaller tolerances (`--rtol`, `--atol`) show whether they stay apart; if not, the index changes there: \
             end the run earlier with `-t`, or try `auto` or `taylor`, which pass through where the solution is \
             smooth"
                .into(),
        ),
        Reason::Inconsistent { t, equation, residual } => {
            let found = outcome.inconsistency.clone().unwrap_or_default();
            let free = found.free.first().and_then(|set| set.first()).copied();
            let violated = if found.violated.is_empty() { vec![(equation, residual)] } else { found.violated };
            let (message, hint) = contradiction(t, &violated, &found.sought, &found.free, compiled);
            let hint = if outcome.statistics.steps > 0 {
                "an event sets values that the equations do not allow, or switches to equations that the state does \
                 not satisfy; let its action set fewer variables, so that the others follow from the equations"
                    .into()
            } else {
                hint
            };
            (t, free.map_or_else(|| state(equation), state), message, hint)
        }
        Reason::ConstraintJumps { t, equation, residual } => (
            t,
            constrained(equation, compiled),
            format!(
                "{} jumps at t = {}, where one of its branches changes: it is violated by {residual:.3e} there, and \
                 states would have to jump with it",
                equation_text(equation, compiled),
                short(t)
            ),
            "assign the states in a `when` with the same condition, or let the branches meet".into(),
        ),
        Reason::StepTooSmall { t, h, component, error } => (
            t,
            state(component),
            match error.is_finite() {
                true => format!("the step size would have to be below {h:.1e} at t = {}, mainly because of {} \
                                 (error {error:.1e} times the tolerance){}", short(t), named(component), behind(component, compiled)),
                false => format!("no step beyond t = {} can be computed, not even with step size {h:.1e}, because \
                                  of {}{}", short(t), named(component), behind(component, compiled)),
            },
            format!("loosen `--rtol`/`--atol`, or look for a jump that is not written as `if` or `when`; {stiff}"),
        ),
        Reason::MaxSteps { t, h, limit } => (
            t,
            None,
            format!(
                "{limit} attempts (steps, rejected steps and events) were not enough; reached t = {}{}",
                short(t),
                // after an event the next step may be left to the method
                if h.is_finite() && h > 0.0 { format!(" with steps of {h:.1e}") } else { String::new() }
            ),
            format!("raise `--max-steps`, loosen `--rtol`, or shorten the run; {stiff}"),
        ),
        Reason::TooSlow { t, h: 0.0, .. } => (
            t,
            None,
            format!("no step from t = {} succeeds, however short", short(t)),
            "the equations may have a singular point here, or do not determine all variables; end the run earlier, \
             or look at `ordinate info`".into(),
        ),
        Reason::TooSlow { t, h, attempts, needed } => (
            t,
            None,
            format!(
                "the step size has fallen to {h:.1e} on average at t = {}: after {attempts} steps about \
                 {needed:.0e} more would be needed",
                short(t)
            ),
            format!("look for a singular point or a fast oscillation here; raise `--max-steps` if this is meant; {stiff}"),
        ),
        Reason::NotFinite { t, component, .. } if lost_variation(outcome, compiled).is_some() => {
            let lost = lost_variation(outcome, compiled).unwrap_or(component);
            let (variable, name) = (state(lost), named(lost));
            let (message, hint) = match outcome.statistics.steps == 0 {
                true => (
                    format!("{name} does not exist: the solution starts on a switching boundary, and the \
                             derivatives on its two sides differ"),
                    "start a little beside the boundary, or vary the value both ways with `--set`",
                ),
                false => (
                    format!("{name} does not exist from t = {} on: the time of the event there has no derivative", short(t)),
                    "events that happen together or only touch their boundary: change a parameter a little, or vary it with `--set`",
                ),
            };
            (t, variable, message, hint.into())
        }
        Reason::NotFinite { t, component, at_start: true } => (
            t,
            state(component),
            format!("the derivative of {} is not a finite number at the start, t = {}{}", named(component), short(t), behind(component, compiled)),
            "a division by zero, 0/0, or a function outside its domain; start beside this point, or change the \
             equation".into(),
        ),
        Reason::NotFinite { t, component, at_start: false } if value(component).abs() > BEYOND => (
            t,
            state(component),
            format!("{} overflows: it is {:.1e} at t = {}", named(component), value(component), short(outcome.t_reached)),
            match outcome.step {
                Some(_) => "if the solution itself does not grow, the step is outside the method's stability region \
                            (see `stability`): try a smaller `--step`, or an implicit method such as `radau5`",
                None => "end the run earlier with `-t`, or check the sign of the growing term",
            }
            .into(),
        ),
        Reason::NotFinite { t, component, at_start: false } => (
            t,
            state(component),
            format!("the derivative of {} is not a finite number beyond t = {}{}", named(component), short(t), behind(component, compiled)),
            "the equation leaves the domain of sqrt, log, …, or divides by zero; end the run earlier, or add `stop \
             when`".into(),
        ),
        Reason::ActionNotFinite { t, place } => (
            t,
            value_name(place, compiled).map(str::to_string),
            format!("an event at t = {} sets {} to what is not a finite number", short(t), name_of(place, compiled)),
            "its right-hand side, read with the values before the event, divides by zero or leaves the domain of a function"
                .into(),
        ),
        // The switch is evaluated with the algebraic variables solved for; the state itself is fine.
        Reason::SwitchNotFinite { t, switch } if has_algebraic && outcome.y.iter().all(|y| y.is_finite()) => {
            let algebraic = compiled.sorted.algebraic.first().map(|a| compiled.sorted.model.name(a.var));
            let name = algebraic.as_deref().unwrap_or("an algebraic variable");
            (
                t,
                algebraic.clone(),
                format!(
                    "where {} changes, t = {}, the equation of `{name}` could not be solved on the other side",
                    switch_text(switch, compiled),
                    short(t)
                ),
                format!("a sliding mode does not determine a variable that jumps with the switch; solve the \
                         equation of `{name}` by hand, or make the switch smooth"),
            )
        }
        Reason::SwitchNotFinite { t, switch } => (
            t,
            None,
            format!("{} is not a number beyond t = {t}, so its side is unknown", switch_text(switch, compiled)),
            "it leaves the domain of sqrt, log, …; end the run earlier, or add `stop when`".into(),
        ),
        Reason::Zeno { t, cause } => {
            let (what, hint) = zeno(cause, compiled);
            (t, switched(cause, compiled), format!("{what} at t = {}", short(t)), hint)
        }
        Reason::DelayNotFinite { t } => (
            t,
            None,
            format!("what is delayed is not a finite number at t = {}", short(t)),
            "the first argument of `delay` leaves the domain of sqrt, log, …, or divides by zero; end the run \
             earlier".into(),
        ),
        Reason::External { t } => (
            t,
            None,
            format!("an evaluation failed beyond t = {}", short(t)),
            "whoever computes the right-hand side knows why".into(),
        ),
        Reason::Undefined { t } => (
            t,
            None,
            format!("the equations do not determine all variables beyond t = {}", short(t)),
            "end the run earlier, or add `stop when`".into(),
        ),
        Reason::SeriesOrder { t, component, observed, order } => {
            let name = state(component);
            let of = name.as_ref().map_or(String::new(), |name| format!(" of `{name}`"));
            (
                t,
                name,
                format!(
                    "the Taylor series{of} does not satisfy its equation at t = {}: its residual decreases like \
                     h^{observed:.1}, not like h^{order}",
                    short(t)
                ),
                "this is a bug in Ordinate: please report the model; `-m dp8` and `-m radau` use no series".into(),
            )
        }
        Reason::Interrupted { t } => (t, None, format!("ended on request at t = {}", short(t)), "the rows so far are kept".into()),
        Reason::StopCondition { t, condition: _ } => {
            (t, None, format!("`stop when` became true at t = {}", short(t)), "this is the end that the model asks for".into())
        }
    };
    Some(Explanation { kind: ReasonKind::of(reason).word(), t, variable, message, hint })
}

/// A value that has grown beyond this leaves the domain of no function: the numbers end.
const BEYOND: f64 = 1e100;

/// So many violated equations are listed.
const LISTED: usize = 5;

/// A derivative of the solution that does not exist where the run ended.
fn lost_variation(outcome: &Outcome, compiled: &Compiled) -> Option<usize> {
    let mut of = compiled.program.layout.variations.of.iter().map(|&[v, ..]| v);
    of.find(|&v| outcome.y.get(v).is_some_and(|value| value.is_nan()))
}

/// An equation with its residual; at a place outside of the domain of a function in it there is none.
fn violation(place: usize, residual: f64, compiled: &Compiled) -> String {
    let equation = equation_text(place, compiled);
    match residual.is_finite() {
        true => format!("{equation} is violated by {:.3e}", residual),
        false => format!("{equation} has no finite value"),
    }
}

/// Equations that contradict what is given: each with its residual, and which start values could be left out.
fn contradiction(
    t: f64,
    violated: &[(usize, f64)],
    sought: &[usize],
    free: &[Vec<usize>],
    compiled: &Compiled,
) -> (String, String) {
    let mut parts: Vec<String> = Vec::new();
    for &(place, residual) in violated.iter().take(LISTED) {
        parts.push(violation(place, residual, compiled));
    }
    if violated.len() > LISTED {
        parts.push(format!("{} more are violated", violated.len() - LISTED));
    }
    let none = match sought {
        [] => format!("the equations have no solution at t = {}", short(t)),
        _ => format!("no solution of the equations was found at t = {}", short(t)),
    };
    let message = format!("{none} with the values given there: {}", parts.join("; "));
    let name = |k: &usize| compiled.program.state_names.get(*k).map_or("a state".into(), |name| format!("`{name}`"));
    let set = |set: &Vec<usize>| set.iter().map(name).collect::<Vec<_>>().join(" and ");
    let sets: Vec<String> = free.iter().take(LISTED).map(set).collect();
    let guesses: Vec<String> = sought.iter().take(LISTED).map(name).collect();
    let guess = (!guesses.is_empty()).then(|| format!("give a `guess` for {} near a solution", guesses.join(", ")));
    let open = match sets.as_slice() {
        [] => "change the start values".into(),
        [only] => {
            format!("leave the start value of {only} open: write `guess` instead of `init`; or correct the others")
        }
        [first, others @ ..] => format!(
            "leave the start value of {first} open (or of {}): write `guess` instead of `init`; or correct the others",
            others.join(", or of ")
        ),
    };
    let hint = guess.into_iter().chain([open]).collect::<Vec<_>>().join("; or ");
    (message, hint)
}

/// A solution that ends because its algebraic equations have none beyond.
fn fold(t: f64, component: usize, value: f64, compiled: &Compiled) -> (f64, Option<String>, String, String) {
    let name = compiled.program.state_names.get(component).cloned();
    let shown = name.as_deref().unwrap_or("a state");
    let (sorted, mut hint) = (&compiled.sorted, String::new());
    if sorted.structure.index > 1 && sorted.indices.is_empty() {
        // Differentiated constraints may determine a variable by what is lost in rounding, as the current of a blocking diode.
        hint += "try `--index direct`, which does not differentiate the equations; or ";
    }
    hint += "the equations may have a fold here, where two solutions meet and end: end the run earlier";
    (
        t,
        name.clone(),
        format!(
            "the equations cannot be solved beyond t = {}: no value of `{shown}` continues the solution there; the \
             last one is {value:.4e}{}",
            short(t),
            behind(component, compiled)
        ),
        format!("{hint}, or look at `{shown}` with `--plot`"),
    )
}

/// The equations that determine a state or its highest derivative, in brackets; none of states that a transformation made.
fn behind(component: usize, compiled: &Compiled) -> String {
    let (sorted, model) = (&compiled.sorted, &compiled.sorted.model);
    let of_block = |state: &State| {
        let quantity = model.variable(state.var).quantity;
        let own = |v: &&VarId| model.variable(**v).quantity == quantity;
        let primes = |block: &Block| block.unknowns.iter().filter(own).map(|&v| model.variable(v).primes).max();
        let with = sorted.blocks.iter().filter_map(|block| Some((primes(block)?, block)));
        with.max_by_key(|(primes, _)| *primes).map(|(_, block)| block.equations.clone())
    };
    let equations = match component.checked_sub(sorted.states.len()) {
        Some(k) => sorted.algebraic.get(k).map(|algebraic| vec![algebraic.equation]),
        None => of_block(&sorted.states[component]),
    };
    let known = equations.into_iter().flatten().filter_map(|k| model.equations.get(k));
    let texts: Vec<String> = known.map(|equation| written(equation, model)).collect();
    match texts.as_slice() {
        [] => String::new(),
        all if all.len() <= LISTED => format!(" ({})", all.join(", ")),
        [first, rest @ ..] => format!(" ({first} and {} more equations)", rest.len()),
    }
}

/// An equation as it stands in the model.
pub(crate) fn written(equation: &Equation, model: &Model) -> String {
    format!("`{} = {}`", model.print_short(equation.left), model.print_short(equation.right))
}

/// A state that an equation kept at zero relates to others.
fn constrained(place: usize, compiled: &Compiled) -> Option<String> {
    let (sorted, model) = (&compiled.sorted, &compiled.sorted.model);
    let kept = sorted.invariants.get(place.checked_sub(sorted.states.len() + sorted.algebraic.len())?)?;
    let inside = model.graph.clone().variables(kept.value);
    sorted.states.iter().map(|state| state.var).find(|v| inside.contains(v)).map(|v| model.name(v))
}

/// The equation behind an algebraic state, or behind an invariant counted behind the states.
pub(crate) fn equation_text(place: usize, compiled: &Compiled) -> String {
    let (sorted, model) = (&compiled.sorted, &compiled.sorted.model);
    let states = sorted.states.len();
    // An equation whose own values are an invariant determines an algebraic state by the derivative after those that are kept.
    let times = |equation: usize| {
        let kept = || sorted.invariants.iter().filter(|kept| kept.equation == equation).map(|kept| kept.derivative);
        if kept().any(|derivative| derivative == 0) { kept().max().map_or(0, |last| last + 1) } else { 0 }
    };
    let algebraic = place.checked_sub(states).and_then(|k| sorted.algebraic.get(k));
    let algebraic = algebraic.map(|algebraic| (algebraic.equation, times(algebraic.equation)));
    let kept = place.checked_sub(states + sorted.algebraic.len()).and_then(|k| sorted.invariants.get(k));
    let found = algebraic.or(kept.map(|invariant| (invariant.equation, invariant.derivative)));
    let Some((equation, derivative)) = found.and_then(|(k, times)| Some((model.equations.get(k)?, times))) else {
        return "an equation".into();
    };
    let text = written(equation, model);
    match derivative {
        0 => text,
        1 => format!("the derivative of {text}"),
        times => format!("the derivative of order {times} of {text}"),
    }
}

/// The kind of a singularity (T − t)^−exponent in words.
fn kind_of_singularity(exponent: f64) -> String {
    let whole = exponent.round();
    match (exponent - whole).abs() < 0.05 {
        true if whole >= 1.0 => format!("a pole of order {whole}"),
        true if whole == 0.0 => "a logarithmic singularity".into(),
        _ => format!("a branch point, like (T - t)^{:.2},", -exponent),
    }
}

/// A switch in the words of the model.
pub(crate) fn switch_text(switch: usize, compiled: &Compiled) -> String {
    let model = &compiled.sorted.model;
    match model.switches.get(switch).map(|s| s.watch) {
        Some(Watch::Sign(e)) => format!("the sign of `{}`", model.print_short(e)),
        Some(Watch::Floor(e)) => format!("the integer part of `{}`", model.print_short(e)),
        Some(Watch::Segment(_)) => "a table".into(),
        None => "a switch".into(),
    }
}

/// A variable that the switch of a cause watches.
fn switched(cause: Zeno, compiled: &Compiled) -> Option<String> {
    let switch = match cause {
        Zeno::Accumulation { switch }
        | Zeno::Unresolved { switch, .. }
        | Zeno::Frequent { switch }
        | Zeno::Chattering { switch }
        | Zeno::Undecided { switch }
        | Zeno::Contradiction { switch } => switch,
        Zeno::Cascade { .. } | Zeno::Sampling { .. } => return None,
    };
    let model = &compiled.sorted.model;
    let (Watch::Sign(e) | Watch::Floor(e)) = model.switches.get(switch)?.watch else { return None };
    let mut graph = model.graph.clone();
    let watched = graph.variables(e).into_iter().find(|&v| model.variable(v).role != Role::Parameter)?;
    Some(model.name(watched))
}

fn zeno(cause: Zeno, compiled: &Compiled) -> (String, String) {
    match cause {
        Zeno::Accumulation { switch } => (
            format!(
                "infinitely many events in finite time (Zeno behaviour): those of {} accumulate",
                switch_text(switch, compiled)
            ),
            "end the run earlier with `stop when`, or bring the motion to rest: let a last event set the speed to \
             zero and switch off what would restart it, like `on` in `h'' = -g*on`"
                .into(),
        ),
        Zeno::Unresolved { switch, limit } => (
            format!(
                "events that cannot be told apart: those of {} accumulate near t = {}, so closely that the errors \
                 of the steps decide when the next one occurs",
                switch_text(switch, compiled),
                short(limit)
            ),
            "use smaller `--rtol` and `--atol`, or `-m taylor`, which locates events most accurately; or add \
             hysteresis (a gap between switching on and off)"
                .into(),
        ),
        Zeno::Frequent { switch } => (
            format!(
                "too many events: those of {} follow each other so closely that there would be more than \
                     `--max-steps` allows",
                switch_text(switch, compiled)
            ),
            "add hysteresis (a gap between switching on and off), or end the run earlier with `stop when`".into(),
        ),
        Zeno::Cascade { condition: _ } => (
            "events trigger each other without end".into(),
            "an action makes a condition true that undoes it; add a gap (hysteresis) between the conditions".into(),
        ),
        Zeno::Chattering { switch } => (
            format!(
                "{} chatters: both sides push the solution back (a sliding mode), together with another \
                     switch",
                switch_text(switch, compiled)
            ),
            "replace the jump by a steep but smooth function such as tanh(x/1e-3), or add hysteresis".into(),
        ),
        Zeno::Undecided { switch } => (
            format!(
                "several solutions begin here: {} is at its boundary together with others, each of which may go to either side, \
                 and nothing in the model says which",
                switch_text(switch, compiled)
            ),
            "start a little beside the boundary, which chooses one of them".into(),
        ),
        Zeno::Contradiction { switch } => (
            format!("the branches contradict each other: {} has no consistent side", switch_text(switch, compiled)),
            "check the conditions of `if` that depend on each other".into(),
        ),
        Zeno::Sampling { sampled: _ } => (
            "the sampling period is too short to be seen at this time in double precision".into(),
            "use a longer period in `every`, or start at an earlier time".into(),
        ),
    }
}

/// The name of a state, or of a held value after them.
pub(crate) fn value_name(place: usize, compiled: &Compiled) -> Option<&str> {
    let names = compiled.program.state_names.iter().chain(&compiled.program.held_names);
    names.map(String::as_str).nth(place)
}

fn name_of(place: usize, compiled: &Compiled) -> String {
    value_name(place, compiled).map_or("a state".into(), |name| format!("`{name}`"))
}

/// A run that could not begin.
pub(crate) fn usage_error(error: &UsageError, compiled: &Compiled) -> String {
    match *error {
        UsageError::EndBeforeStart { t_start, t_end } => {
            format!("the end time {t_end} lies before the start time {t_start}")
        }
        UsageError::NotFinite { what, index } => match compiled.program.state_names.get(index) {
            Some(name) if what == "start value" => format!("the start value of `{name}` is not finite"),
            _ => format!("the {what} is not finite"),
        },
        UsageError::WrongLength { what, expected, found } => {
            format!("{what} has {found} elements instead of {expected}")
        }
        UsageError::BadTolerance { rtol, atol } => {
            format!("the tolerances must not be negative and not both zero (rtol {rtol}, atol {atol})")
        }
        UsageError::BadStep { what, value } => format!("the {what} must be positive and finite, here it is {value}"),
        UsageError::BadRow { t } => format!("the row at {t} lies outside of the run"),
        UsageError::StepRequired => "this method has no error estimate; give a step with `--step`".into(),
        UsageError::NotSecondOrder { state } => format!(
            "`ge3` is for second derivatives, x'' = f(x, t), and {} is neither such an x nor its derivative; choose another method, such as `taylor` or `dp8`",
            name_of(state, compiled)
        ),
        UsageError::NotVelocityFree { acceleration, velocity } => {
            let state = |k: usize| compiled.program.state_names.get(k).map_or("?", String::as_str);
            format!(
                "`ge3` is for x'' = f(x, t), and the equation of `{}'` contains `{}`: damping is not possible; \
                 choose another method, such as `taylor` or `dp8`, or remove a linear damping by xi = exp(B*t/2)*x \
                 as in `linear-velocity.eq`",
                state(acceleration),
                state(velocity)
            )
        }
        UsageError::NotForIndex { index } => format!(
            "the model has index {index}, and this method cannot solve it as it is; leave `--index direct` out, or use `radau5` or `bdf`"
        ),
        UsageError::StepBeyondDelay { step, delay } => format!(
            "the step {step} is longer than the shortest delay of the model, {delay}: it would need values of the future; choose a shorter `--step`"
        ),
        UsageError::DelayTooShort { delay } => format!(
            "the delay {delay} is smaller than the rounding error of the times of the run; leave it out, or measure \
             time in another unit"
        ),
        UsageError::NotForDelays => {
            "this method cannot solve a model with `delay`; use `taylor`, `dp5`, `radau`, `bdf` or another one".into()
        }
        UsageError::NoPattern => "this method must know on what the derivatives depend".into(),
        UsageError::BadPast { t } => format!("the value at {t} does not lie before the ones that follow it"),
    }
}
