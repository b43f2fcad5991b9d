//! The mistakes that show only when the model is looked at as a whole, told in the names of the user.

use super::matching::Matching;
use super::{Algebraic, Diagnostic, Given, Model, Role, State, VarId};
use crate::closest;
use ordinate_expr::Expr;
use ordinate_syntax::Span;
use rustc_hash::FxHashSet;

/// The code of a start value that is missing.
pub(super) const MISSING_START: &str = "missing-start";

/// At most so many messages of one kind.
const MOST: usize = 50;

/// At most so many names in one message.
const MANY: usize = 5;

/// `a`, `b` and `c`; a long list is cut.
fn list(names: impl IntoIterator<Item = String>) -> String {
    let names: Vec<String> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(MANY).map(|name| format!("`{name}`")).collect();
    match (shown.as_slice(), names.len() - shown.len()) {
        ([], _) => "nothing".into(),
        ([one], 0) => one.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (some, more) => format!("{} and {more} more", some.join(", ")),
    }
}

/// Marks the other equations; those that a loop makes of one line are marked once.
fn label_others(model: &Model, mut diagnostic: Diagnostic, equations: &[usize], text: &str) -> Diagnostic {
    let mut spans: Vec<Span> = equations.iter().map(|&e| model.equations[e].span).collect();
    spans.sort_unstable();
    spans.dedup();
    spans.retain(|span| *span != diagnostic.span);
    for span in spans.into_iter().take(MANY) {
        diagnostic = diagnostic.label(span, text);
    }
    diagnostic
}

/// Equations that do not determine their unknowns whatever the values are.
pub(super) fn singular(model: &Model, equations: &[usize], unknowns: &[VarId]) -> Diagnostic {
    let first = equations.iter().copied().min().expect("a block has equations");
    let names = list(unknowns.iter().map(|&v| model.name(v)));
    let message = format!("the equations for {names} contradict or repeat each other");
    let diagnostic = Diagnostic::error("singular-system", model.equations[first].span, message)
        .help("each unknown needs an equation of its own");
    label_others(model, diagnostic, equations, "one of them")
}

/// A jump in an equation that must be differentiated.
pub(super) fn impulse(
    model: &Model,
    equation: usize,
    jumping: Option<String>,
    times: u32,
    free: &[VarId],
) -> Diagnostic {
    let names = list(free.iter().map(|&v| model.name(v)));
    let often = if times == 1 { "once".to_string() } else { format!("{times} times") };
    let sampled = |name: &&String| model.held_inputs.iter().any(|&v| model.name(v) == **name);
    let (what, help) = match &jumping {
        Some(name) if sampled(&name) => (
            format!("`{name}` is sampled and held"),
            format!("write `{name} = …` as an equation, without `input`: formulas of t are not sampled"),
        ),
        Some(name) => (format!("`{name}` jumps"), make_smooth(&format!("`{name}`"), times)),
        None => ("the branches of this equation do not meet smoothly".to_string(), make_smooth("the equation", times)),
    };
    let message = format!("{what}, and the equation must be differentiated {often} to determine {names}: impulses");
    Diagnostic::error("impulse", model.equations[equation].span, message).help(help)
}

fn make_smooth(what: &str, times: u32) -> String {
    format!("make {what} smooth, for instance by `laplace(1/(0.01*s + 1)^{times}, …)`")
}

/// A delayed value in an equation that must be differentiated.
pub(super) fn delay_differentiated(model: &Model, equation: usize, delayed: VarId, free: &[VarId]) -> Diagnostic {
    let names = list(free.iter().map(|&v| model.name(v)));
    let name = model.name(delayed);
    let message = format!("the derivative of `{name}` would be needed to determine {names}, and a delay has none");
    Diagnostic::error("neutral", model.equations[equation].span, message)
        .help("the index of the system is too high; write the delayed equation in a form that needs no differentiation")
}

/// The delay of the highest derivative of a quantity.
pub(super) fn neutral(model: &Model, delayed: &crate::Delayed, v: VarId) -> Diagnostic {
    let (name, base) = (model.name(v), model.quantity(v).name.clone());
    let message =
        format!("`{name}` follows from its equation: a delay of it makes the model neutral, which is not solved");
    Diagnostic::error("neutral", delayed.span, message)
        .help(format!("delay `{base}` itself, or what `{name}` is equal to under a name of its own"))
}

/// Equations and unknowns that are left over.
pub(super) fn incomplete(
    model: &mut Model,
    matching: &Matching,
    unknowns: &[VarId],
    states: &[State],
    broken: bool,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let (free, spare) = (matching.free_unknowns(), matching.spare_equations());
    let open: Vec<usize> = free
        .into_iter()
        .filter(|&k| !model.quantity(unknowns[k]).reported && !model.variable_excused(unknowns[k]))
        .collect();
    let (firm, doubtful): (Vec<usize>, Vec<usize>) =
        open.into_iter().partition(|&k| model.quantity(unknowns[k]).declared);
    if let Some(diagnostic) = misspelt(model, matching, unknowns, &doubtful).filter(|_| !spare.is_empty() && !broken) {
        // what follows from the equation that would determine it is not known
        let bases: Vec<String> = states.iter().map(|state| model.quantity(state.var).base.clone()).collect();
        model.doubtful.extend(bases);
        return vec![diagnostic];
    }
    // the elements that a loop makes are told once
    let mut last = None;
    for &k in &doubtful {
        let span = model.variable(unknowns[k]).span;
        if last.replace(span) != Some(span) && found.len() < MOST {
            found.push(unknown_name(model, unknowns[k]));
        }
    }
    if broken {
        return found;
    }
    if let Some(diagnostic) = firm.iter().find_map(|&k| dotted(model, unknowns[k])) {
        found.push(diagnostic);
    } else if let [only] = firm[..]
        && let Some(diagnostic) = two_names(model, unknowns[only], states)
    {
        found.push(diagnostic);
    } else if !firm.is_empty() {
        found.push(too_few(model, matching, unknowns, &firm));
    }
    let mut told = vec![false; matching.incident.len()];
    let mut started = Vec::new();
    for e in spare {
        if !told[e] && found.len() < MOST {
            let (equations, competing) = matching.overdetermined(e);
            if equation_excused(model, e) || competing.iter().any(|&k| model.variable_excused(unknowns[k])) {
                continue;
            }
            equations.iter().for_each(|&e| told[e] = true);
            found.push(too_many(model, e, &equations, &competing, unknowns));
            if competing.is_empty() {
                started.extend(meant_as_start(model, e).map(|(v, _)| model.quantity(v).base.clone()));
            }
        }
    }
    model.doubtful.extend(started);
    found
}

/// Two names that nothing defines and that are nearly the same, such as `lam` and `lamm`, while an equation is left over:
/// one quantity that this equation determines, misspelt once. Names with other numbers are others.
fn misspelt(model: &Model, matching: &Matching, unknowns: &[VarId], doubtful: &[usize]) -> Option<Diagnostic> {
    let name = |k: usize| model.quantity(unknowns[k]).name.as_str();
    let letters = |k: usize| name(k).chars().filter(|c| !c.is_numeric()).collect::<String>();
    let pairs = doubtful.iter().enumerate().flat_map(|(at, &a)| doubtful[at + 1..].iter().map(move |&b| (a, b)));
    let alike = |&(a, b): &(usize, usize)| letters(a) != letters(b) && closest(name(a), [name(b)]).is_some();
    let (a, b) = pairs.take(MOST * MOST).find(alike)?;
    // the one that is used less often, or later
    let (meant, wrong) = if matching.uses[b].len() > matching.uses[a].len() { (b, a) } else { (a, b) };
    let (meant, wrong) = (unknowns[meant], unknowns[wrong]);
    let message = format!("`{}` is not defined", model.name(wrong));
    let help = format!("did you mean `{}`? give the quantity one name", model.name(meant));
    let found = Diagnostic::error("unknown-name", model.variable(wrong).span, message).help(help);
    Some(found.label(model.variable(meant).span, "written so here"))
}

/// Whether an equation has a name about which something may be missing.
fn equation_excused(model: &mut Model, e: usize) -> bool {
    let sides = [model.equations[e].left, model.equations[e].right];
    let variables: Vec<VarId> = sides.into_iter().flat_map(|side| model.graph.variables(side)).collect();
    variables.into_iter().any(|v| model.variable_excused(v))
}

/// Loops that make nothing, where something is missing that they would have made.
pub(super) fn empty_loops(model: &Model) -> impl Iterator<Item = Diagnostic> {
    model.empty_loops.iter().filter(|empty| empty.blamed).map(|empty| {
        let (low, high) = empty.bounds;
        Diagnostic::error("empty-loop", empty.span, format!("this loop is empty, since {low} > {high}"))
            .help(format!("write `{high}..{low}`, or correct a bound"))
    })
}

/// Whether the text gives a start value to a quantity.
fn has_start(model: &Model, v: VarId) -> bool {
    let quantity = model.variable(v).quantity;
    model.starts.iter().any(|given| model.variable(given.var).quantity == quantity)
}

/// `xdot = …` where nothing determines x: a derivative under a name of its own.
fn dotted(model: &Model, v: VarId) -> Option<Diagnostic> {
    let x = &model.quantity(v).name;
    let meant = [
        format!("{x}dot"),
        format!("{x}_dot"),
        format!("d{x}"),
        format!("d{x}dt"),
        format!("d{x}_dt"),
        format!("D{x}"),
    ];
    for equation in &model.equations {
        let Expr::Var(left) = model.graph.node(equation.left) else { continue };
        let name = &model.quantity(left).name;
        if model.variable(left).primes == 0 && meant.contains(name) {
            let found = Diagnostic::error("leibniz", model.variable(left).span, "a derivative is written with primes");
            return Some(found.help(format!("write `{x}' = …` instead of `{name} = …`")));
        }
    }
    None
}

/// One quantity has a start value and no equation, another one the reverse: probably one quantity under two names.
fn two_names(model: &mut Model, v: VarId, states: &[State]) -> Option<Diagnostic> {
    let started = has_start(model, v);
    let with: FxHashSet<usize> = model.starts.iter().map(|given| model.variable(given.var).quantity).collect();
    let all = states.iter().map(|state| state.var);
    let open: Vec<VarId> = all.filter(|&s| !with.contains(&model.variable(s).quantity)).collect();
    let other = *open.first()?;
    let alone = open.iter().all(|&s| model.variable(s).quantity == model.variable(other).quantity);
    if !started || !alone || model.variable_excused(other) {
        return None;
    }
    let (name, other_name) = (model.quantity(v).name.clone(), model.quantity(other).name.clone());
    let place =
        model.starts.iter().find(|given| model.variable(given.var).quantity == model.variable(v).quantity)?.span;
    let message = format!("`{other_name}` has an equation but no start value, `{name}` a start value but no equation");
    let diagnostic = Diagnostic::error("two-names", model.variable(other).span, message)
        .help(format!("did you mean `{name}`? give the quantity one name"))
        .label(place, "its start value");
    let names = [v, other].map(|v| model.quantity(v).base.clone());
    model.doubtful.extend(names);
    Some(diagnostic)
}

fn too_few(model: &Model, matching: &Matching, unknowns: &[VarId], firm: &[usize]) -> Diagnostic {
    let names = list(firm.iter().map(|&k| model.name(unknowns[k])));
    let first = unknowns[firm[0]];
    let plural = if firm.len() == 1 { "equation is" } else { "equations are" };
    let name = model.name(first);
    let mut diagnostic = Diagnostic::error(
        "too-few-equations",
        model.variable(first).span,
        format!("{} {plural} missing: nothing determines {names}", firm.len()),
    )
    .help(if model.variable(first).primes > 0 {
        format!("add an equation such as `{name} = …`, or a constraint")
    } else if has_start(model, first) {
        format!("add an equation such as `{name}' = …`")
    } else {
        format!("add an equation such as `{name} = …`, or declare it with `param` or `input`")
    });
    for &e in matching.uses[firm[0]].iter().take(MANY) {
        let other = matching.unknown_of[e].map(|k| model.name(unknowns[k]));
        if let Some(other) = other {
            diagnostic = diagnostic.label(model.equations[e].span, format!("this equation determines `{other}`"));
        }
    }
    diagnostic
}

/// `x = 1` for a state x, with a known value: a start value without its `(0)`.
fn meant_as_start(model: &mut Model, e: usize) -> Option<(VarId, String)> {
    let (left, right) = (model.equations[e].left, model.equations[e].right);
    let Expr::Var(v) = model.graph.node(left) else { return None };
    let known = |v: &VarId| model.variables[v.0 as usize].role == Role::Parameter;
    if model.variable(v).role != Role::Unknown
        || model.graph.uses_time(right)
        || !model.graph.variables(right).iter().all(known)
    {
        return None;
    }
    Some((v, format!("{}(0) = {}", model.name(v), model.print_short(right))))
}

fn too_many(
    model: &mut Model,
    spare: usize,
    equations: &[usize],
    competing: &[usize],
    unknowns: &[VarId],
) -> Diagnostic {
    let span = model.equations[spare].span;
    if competing.is_empty() {
        let diagnostic =
            Diagnostic::error("too-many-equations", span, "this equation contains nothing that it could determine");
        if let Some((_, start)) = meant_as_start(model, spare) {
            return diagnostic.help(format!("if this is the start value, write `{start}`"));
        }
        return diagnostic.help("it has known quantities only; remove it, or make one of them an unknown");
    }
    let names = list(competing.iter().map(|&k| model.name(unknowns[k])));
    let diagnostic = Diagnostic::error(
        "too-many-equations",
        span,
        format!("one equation too many: {} equations for {names}", equations.len()),
    )
    .help("remove one of the marked equations, or add an unknown to it");
    label_others(model, diagnostic, equations, "competes with it")
}

fn unknown_name(model: &Model, v: VarId) -> Diagnostic {
    let quantity = model.quantity(v);
    let span = model.variable(v).span;
    let error = Diagnostic::error("unknown-name", span, format!("`{}` is not defined", quantity.name));
    // an element beside others of its array, or its name without an index
    if let Some(elements) = model.elements_of(&quantity.base) {
        return error.help(elements);
    }
    let known: Vec<&str> = model
        .quantities
        .iter()
        .filter(|q| !q.hidden)
        .filter(|q| q.declared || q.members.iter().flatten().any(|&m| model.variable(m).role == Role::Parameter))
        .filter(|q| q.name == q.base)
        .map(|q| q.base.as_str())
        .collect();
    let name = &quantity.name;
    if let Some(help) = crate::hints::name(name) {
        return match closest(name, known.iter().copied()).filter(|meant| crate::suggest::look_alike(name, meant)) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help(help),
        };
    }
    match closest(&quantity.base, known).filter(|_| quantity.name == quantity.base) {
        Some(meant) if crate::suggest::look_alike(name, meant) && name.to_lowercase() != meant.to_lowercase() => {
            error.help(format!("did you mean `{meant}`? the two look alike but are different letters"))
        }
        Some(meant) => error.help(format!("did you mean `{meant}`? or add `param {name} = …`")),
        None => error.help(format!("add `param {name} = …` or an equation for it")),
    }
}

/// A quantity `x0` or `x_0` that is probably meant as the start value of `x`.
fn named_start(model: &Model, name: &str) -> Option<String> {
    let meant = [format!("{name}0"), format!("{name}_0")];
    model.quantities.iter().map(|q| &q.name).find(|other| meant.contains(other)).cloned()
}

/// States without a start value, those of one array told together.
pub(super) fn missing_starts(model: &mut Model, states: &[State], diagnostics: &mut Vec<Diagnostic>) {
    let hidden = |model: &Model, s: &State| model.quantity(s.var).hidden;
    let excused: Vec<bool> =
        states.iter().map(|s| hidden(model, s) || s.start.is_none() && model.variable_excused(s.var)).collect();
    let model = &*model;
    let mut groups: Vec<(&str, u32, Vec<&State>)> = Vec::new();
    let mut index = rustc_hash::FxHashMap::default();
    let open = states.iter().zip(excused).filter(|(state, excused)| state.start.is_none() && !excused);
    for (state, _) in open {
        let (base, primes) = (model.quantity(state.var).base.as_str(), model.variable(state.var).primes);
        let k = *index.entry((base, primes)).or_insert_with(|| {
            groups.push((base, primes, Vec::new()));
            groups.len() - 1
        });
        groups[k].2.push(state);
    }
    for (base, primes, members) in groups {
        let name = model.name(members[0].var);
        // x'' = … is where x and x' are seen first; point at the quantity there
        let span = model.variable(members[0].var).span;
        diagnostics.push(if members.len() == 1 {
            let help = match named_start(model, &name) {
                Some(other) => format!("write `{name}(0) = {other}`: `{other}` alone is a name like any other"),
                None => format!("add `init {name} = 0`, with the value it has at the start"),
            };
            Diagnostic::error(MISSING_START, span, format!("`{name}` has no start value")).help(help)
        } else {
            let marks = "'".repeat(primes as usize);
            let last = model.name(members[members.len() - 1].var);
            Diagnostic::error(
                MISSING_START,
                span,
                format!("{} elements from `{name}` to `{last}` have no start value", members.len()),
            )
            .help(format!("add `for k in …: init {base}[k]{marks} = 0`"))
        });
    }
}

/// Start values of which some are missing, while the others follow from constraints.
pub(super) fn underdetermined(model: &Model, count: usize, open: &[VarId]) -> Diagnostic {
    let names = list(open.iter().map(|&v| model.name(v)));
    let (missing, which) = match count {
        1 => ("a start value is missing".to_string(), "one"),
        n => (format!("{n} start values are missing"), "some"),
    };
    let first = open[0];
    let span = model.variable(first).span;
    let rest = if open.len() > count { ", the others follow from the equations" } else { "" };
    Diagnostic::error(MISSING_START, span, format!("{missing}: {which} of {names}{rest}"))
        .help(format!("add `init {} = 0`, with the value it has at the start", model.name(first)))
}

/// What a regularisation does, or that there is nothing to do.
pub(super) fn regularised(model: &Model, algebraic: &[Algebraic]) -> Diagnostic {
    let Some(first) = algebraic.first() else {
        let message = "there is nothing to regularise: no equation of this model is solved as an algebraic one";
        return Diagnostic::warning("regularised", Span::default(), message).help("leave `--regularise` out");
    };
    let names = list(algebraic.iter().map(|algebraic| model.name(algebraic.var)));
    let message = format!("a regularised problem is solved, in which the equations of {names} hold only approximately");
    Diagnostic::warning("regularised", model.equations[first.equation].span, message)
        .help("the error estimate is that of the regularised problem, not of the model; leave `--regularise` out to solve the model itself")
}

/// A start value of something that follows from its equation, with what that gives.
pub(super) fn superfluous_start(model: &Model, given: &Given, found: f64) -> Diagnostic {
    let name = model.name(given.var);
    Diagnostic::error(
        "superfluous-start",
        given.span,
        format!("`{name}` follows from its equation, which gives {found} at the start, and takes no other start value"),
    )
    .help("remove this start value, or one of those it follows from")
}

/// An assignment to something that is neither a state nor held.
pub(super) fn not_assignable(model: &Model, var: VarId, span: Span) -> Diagnostic {
    let name = model.name(var);
    Diagnostic::error("not-assignable", span, format!("`{name}` follows from an equation and cannot be assigned"))
        .help("an event can assign states (quantities below their highest derivative) and held values")
}

/// A held value must be known before its first use: by `init`, or by an `every`, which acts at the start.
pub(super) fn held_without_start(model: &mut Model, diagnostics: &mut Vec<Diagnostic>) {
    let started: FxHashSet<VarId> = model.starts.iter().map(|given| given.var).collect();
    let mut sampled = FxHashSet::default();
    for sample in &model.samples {
        for &(var, value) in &model.actions[sample.action].assignments {
            let needed = model.graph.variables(value);
            let needs_itself =
                needed.iter().any(|v| model.variables[v.0 as usize].role == Role::Held && !started.contains(v));
            if !needs_itself {
                sampled.insert(var);
            }
        }
    }
    for k in 0..model.variables.len() as u32 {
        let var = VarId(k);
        if model.variable(var).role == Role::Held
            && !model.quantity(var).hidden
            && !started.contains(&var)
            && !sampled.contains(&var)
            && !model.variable_excused(var)
        {
            let name = model.name(var);
            diagnostics.push(
                Diagnostic::error(MISSING_START, model.variable(var).span, format!("`{name}` has no start value"))
                    .help(format!("add `init {name} = 0`: it is needed before an event sets it")),
            );
        }
    }
}
