//! What is to be said of the way of a run: choices among several solutions, conditions that were true from the start, tables that the
//! run goes beyond.

use crate::explain::{equation_text, switch_text, value_name, written};
use crate::{Compiled, Note, NoteKind, short};
use ordinate_model::Watch;
use ordinate_solve::{Defect, Outcome, Selected, Selection, Side};
use ordinate_syntax::{Span, line_column};

/// So many equations are named in one note.
const NAMED: usize = 3;

pub(crate) fn notes(compiled: &Compiled, t_start: f64, outcome: &Outcome) -> Vec<Note> {
    let choices = outcome.selections.iter().filter_map(|selection| choice(compiled, selection));
    let conditions = outcome.true_at_start.iter().filter_map(|&k| condition(compiled, t_start, k));
    let unresolved = outcome.defect.map(|defect| unresolved(compiled, &defect));
    choices.chain(conditions).chain(unresolved).chain(tables(compiled, t_start, outcome.t_reached)).collect()
}

/// A curve between two steps that stays beside the equations.
fn unresolved(compiled: &Compiled, defect: &Defect) -> Note {
    let name = compiled.program.state_names.get(defect.component).map_or("a state", String::as_str);
    let message = format!(
        "between two steps, at t = {}, the dense output of `{name}` misses its equation by {:.0e} tolerances, \
         however short the steps: limit them with `--max-step`, or lower `--rtol`",
        short(defect.t),
        defect.size
    );
    Note { kind: NoteKind::Unresolved, message, t: Some(defect.t), line: None }
}

fn line(compiled: &Compiled, span: Span) -> Option<usize> {
    (span != Span::default()).then(|| line_column(&compiled.text, span.start).0)
}

/// `u' = …` (line 3), … of the equations that read one of these switches; and the first line.
fn equations_of(compiled: &Compiled, switches: &[usize]) -> (String, Option<usize>) {
    let model = &compiled.sorted.model;
    let modes: Vec<_> = switches.iter().filter_map(|&k| model.switches.get(k)).map(|switch| switch.mode).collect();
    let mut graph = model.graph.clone();
    let mut reads = |e| graph.variables(e).iter().any(|v| modes.contains(v));
    let found: Vec<_> = model.equations.iter().filter(|e| reads(e.left) || reads(e.right)).collect();
    let name = |equation: &&ordinate_model::Equation| match line(compiled, equation.span) {
        Some(line) => format!("{} (line {line})", written(equation, model)),
        None => written(equation, model),
    };
    let mut names: Vec<String> = found.iter().take(NAMED).map(name).collect();
    if found.len() > NAMED {
        names.push(format!("{} more", found.len() - NAMED));
    }
    let first = found.first().map(|e| e.span).or_else(|| model.switches.get(*switches.first()?).map(|s| s.span));
    (names.join(", "), first.and_then(|span| line(compiled, span)))
}

fn side_text(side: Side) -> &'static str {
    match side {
        Side::Above => "becomes positive",
        Side::Below => "becomes negative",
        Side::On => "stays at its boundary",
    }
}

fn choice(compiled: &Compiled, Selection { t, what }: &Selection) -> Option<Note> {
    let at = short(*t);
    let in_equations = |text: String| if text.is_empty() { text } else { format!(" in {text}") };
    let (message, line) = match what {
        Selected::Side { switch, side, arrived } => {
            let (equations, line) = equations_of(compiled, &[*switch]);
            let why = match arrived {
                true => "it continues in the direction in which it came",
                false => "so the branch that holds at equality has it",
            };
            let message = format!(
                "several solutions begin at t = {at}, where {} may change to either side{}; this run follows the \
                 one in which it {}: {why}",
                switch_text(*switch, compiled),
                in_equations(equations),
                side_text(*side)
            );
            (message, line)
        }
        Selected::Sides { sides } => {
            let switches: Vec<usize> = sides.iter().map(|(k, _)| *k).collect();
            let (equations, line) = equations_of(compiled, &switches);
            let each = |(k, side): &(usize, Side)| format!("{} {}", switch_text(*k, compiled), side_text(*side));
            let each: Vec<String> = sides.iter().map(each).collect();
            let message = format!(
                "several solutions begin at t = {at}, where {} switches{} are at their boundaries at once; this run \
                 follows the one that all of them reach at once from their branches at equality: {}",
                sides.len(),
                in_equations(equations),
                each.join(", ")
            );
            (message, line)
        }
        Selected::Relay { switch, side } => {
            let (equations, line) = equations_of(compiled, &[*switch]);
            let taken = match side {
                Side::Above => "positive",
                Side::Below => "negative",
                Side::On => "zero",
            };
            let message = format!(
                "both signs of {}{} satisfy the start values at t = {at}; this run starts with the {taken} one, which the \
                 search from zero finds",
                switch_text(*switch, compiled).trim_start_matches("the sign of "),
                in_equations(equations)
            );
            (message, line)
        }
        Selected::Crossing { component } => {
            let name = value_name(*component, compiled)?;
            let message = format!(
                "two solutions cross at t = {at}, where {} does not determine `{name}`; this run follows the smooth \
                 one",
                equation_text(*component, compiled)
            );
            (message, line_of_state(compiled, *component))
        }
        Selected::Parting { component } => {
            let name = value_name(*component, compiled)?;
            let equation = equation_of_rate(compiled, *component);
            let written = equation.map_or("an equation".into(), |equation| written(equation, &compiled.sorted.model));
            let message = format!(
                "several solutions go on from t = {at}, where {written} does not determine the rate of `{name}`, because it divides by zero; \
                 taken is the one that the steps lead to over this point"
            );
            (message, equation.and_then(|equation| line(compiled, equation.span)))
        }
        Selected::Root { component, taken, other } => {
            let states = &compiled.sorted.states;
            let var = component.checked_sub(states.len()).and_then(|k| compiled.sorted.algebraic.get(k))?.var;
            let model = &compiled.sorted.model;
            if model.starts.iter().chain(&model.guesses).any(|given| given.var == var) {
                return None;
            }
            let name = model.name(var);
            let message = format!(
                "{} has more than one solution at the start: this run takes `{name}` = {}, which the search from \
                 zero finds; {} is another one, which `guess {name} = {}` selects",
                equation_text(*component, compiled),
                short(*taken),
                short(*other),
                short(*other)
            );
            (message, line_of_state(compiled, *component))
        }
    };
    Some(Note { kind: NoteKind::Choice, message, t: Some(*t), line })
}

/// The line of the equation behind an algebraic state.
fn line_of_state(compiled: &Compiled, component: usize) -> Option<usize> {
    let sorted = &compiled.sorted;
    let equation = sorted.algebraic.get(component.checked_sub(sorted.states.len())?)?.equation;
    line(compiled, sorted.model.equations.get(equation)?.span)
}

/// The first equation with the rate of a state in it.
fn equation_of_rate(compiled: &Compiled, state: usize) -> Option<&ordinate_model::Equation> {
    let (sorted, model) = (&compiled.sorted, &compiled.sorted.model);
    let rate = sorted.states.get(state)?.derivative;
    let mut graph = model.graph.clone();
    let mut reads = |e| graph.variables(e).contains(&rate);
    model.equations.iter().find(|equation| reads(equation.left) || reads(equation.right))
}

fn condition(compiled: &Compiled, t_start: f64, index: usize) -> Option<Note> {
    let condition = compiled.sorted.model.conditions.get(index)?;
    let text = compiled.text.get(condition.span.start as usize..condition.span.end as usize)?.trim();
    let what = if condition.action.is_some() { "its action runs" } else { "it stops the run" };
    let message =
        format!("`{text}` is true at the start, so {what} only when it becomes true again after it was false");
    Some(Note { kind: NoteKind::Condition, message, t: Some(t_start), line: line(compiled, condition.span) })
}

/// Tables of inputs that the run goes beyond.
fn tables(compiled: &Compiled, t_start: f64, t_reached: f64) -> Vec<Note> {
    let model = &compiled.sorted.model;
    let beyond = |switch: &ordinate_model::Switch| {
        let Watch::Segment(list) = switch.watch else { return None };
        let times = &model.lists[list.0 as usize];
        let (first, last) = (*times.first()?, *times.last()?);
        let mut graph = model.graph.clone();
        let input = model.inputs.iter().find(|given| graph.variables(given.value).contains(&switch.mode));
        let name = input.map_or("a table".into(), |given| format!("the table of `{}`", model.name(given.var)));
        let (t, what) = match (t_start < first, t_reached > last) {
            (false, false) => return None,
            (true, false) => {
                (t_start, format!("begins at t = {}, after the start: its first value holds until then", short(first)))
            }
            (false, true) => (last, format!("ends at t = {}: its last value holds from there on", short(last))),
            (true, true) => (
                t_start,
                format!("goes from t = {} to {}: its first and last values hold outside", short(first), short(last)),
            ),
        };
        let message = format!("{name} {what}");
        Some(Note { kind: NoteKind::Table, message, t: Some(t), line: line(compiled, switch.span) })
    };
    model.switches.iter().filter_map(beyond).collect()
}
