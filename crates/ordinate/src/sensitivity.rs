//! How a solution changes with parameters and start values: `run --sensitivity`.

use crate::Compiled;
use ordinate_expr::VarId;
use ordinate_model::{Role, Sorted, VariationError, instead, variational};
use std::sync::Arc;

/// The model together with the derivatives of its states, named expressions and outputs by the parameters and start values
/// of these names: it runs like any other and has the derivatives as columns, `dx/dp` or `dx/dx(0)`. The error is a message
/// for who chose the names.
pub fn sensitivity(compiled: &Compiled, names: &[String]) -> Result<Compiled, String> {
    let mut by = Vec::with_capacity(names.len());
    for name in names {
        let found = find(&compiled.sorted, name.trim())?;
        if !by.contains(&found) {
            by.push(found);
        }
    }
    varied(compiled, &by, true).map_err(|error| explain(&compiled.sorted, &error))
}

/// The compiled model with its variations by these variables; where the solution starts on a boundary, those of the side
/// to which it goes.
pub(crate) fn with_variations(compiled: &Compiled, by: &[VarId]) -> Result<Compiled, VariationError> {
    varied(compiled, by, false)
}

fn varied(compiled: &Compiled, by: &[VarId], both_sides: bool) -> Result<Compiled, VariationError> {
    let mut sorted = variational(&compiled.sorted, by)?;
    sorted.variations.both_sides = both_sides;
    let program = Arc::new(ordinate_program::compile(&mut sorted, false));
    let mut start_times = compiled.start_times.clone();
    start_times.resize(sorted.model.starts.len(), None);
    Ok(Compiled { sorted: Arc::new(sorted), program, start_times, ..compiled.clone() })
}

/// The message for people.
pub(crate) fn explain(sorted: &Sorted, error: &VariationError) -> String {
    match error {
        VariationError::Period(q) => format!(
            "the period of an `every` depends on `{}`, so that all its instants move with it: no derivative with \
             respect to it exists; vary it with `--set`",
            sorted.model.name(*q)
        ),
        VariationError::Delay => {
            "the model has a `delay`, whose past would vary, too: its derivatives are not computed; vary parameters with `--set`, or use `pade(z, T, 5)`"
                .into()
        }
        VariationError::Structure(q, decides) => {
            let (name, decides) = (sorted.model.name(*q), sorted.model.name(*decides));
            let through = if name == decides { String::new() } else { format!(" through `{decides}`") };
            format!(
                "`{name}` decides{through} which equations there are (it stands in a bound, an index, an order or a \
                 seed, or its value of zero removes a term): no derivative with respect to it exists; vary it with \
                 `--set`"
            )
        }
        VariationError::StartTime(q, open) => format!(
            "the run starts at a time that moves with `{}`, and the rate of change of `{}`, which has no formula, is not known there; vary it with `--set`",
            sorted.model.name(*q),
            sorted.model.name(*open)
        ),
        VariationError::Searched(state) => format!(
            "the start value of `{0}` follows from those of other variables without a formula, so its derivatives are not known; give that of `{0}` itself",
            sorted.model.name(*state)
        ),
        VariationError::Follows(q) => {
            let free: Vec<String> = sorted.structure.free.iter().map(|&v| sorted.model.name(v)).collect();
            let others = if free.is_empty() { String::new() } else { format!("; free are {}", free.join(", ")) };
            format!("the start value of `{}` follows from the equations{others}", sorted.model.name(*q))
        }
    }
}

/// The parameter, or the state or held value with a start value, of this name.
fn find(sorted: &Sorted, name: &str) -> Result<VarId, String> {
    let model = &sorted.model;
    let parameters = model.parameters.iter().map(|given| given.var);
    let states = sorted.states[..sorted.visible].iter().map(|state| state.var);
    let started = |v: &VarId| model.starts.iter().any(|given| given.var == *v);
    let held = |v: &VarId| model.variable(*v).role == Role::Held && !model.quantity(*v).hidden;
    let held = (0..model.variables.len() as u32).map(VarId).filter(|v| held(v) && started(v));
    let known: Vec<(VarId, String)> = parameters.chain(states).chain(held).map(|v| (v, model.name(v))).collect();
    // `x(0)`, as the column is called
    let bare = name.strip_suffix("(0)").unwrap_or(name);
    if let Some(&(v, _)) = known.iter().find(|(_, own)| own == bare) {
        return Ok(v);
    }
    let input = model.inputs.iter().any(|given| model.name(given.var) == bare);
    let other = (0..model.variables.len() as u32).map(VarId).find(|&v| model.name(v) == bare);
    Err(match other.map(|v| model.variable(v).role) {
        _ if input => format!("`{bare}` is an input, a function of time; name a parameter that it contains"),
        _ if other.is_some_and(|v| model.jumping.contains(&v)) => format!(
            "`{bare}` jumps with an input, so it is no state, and its start value is that just before the start; write `init {bare} = a` with a parameter `a`, and name that"
        ),
        Some(Role::Unknown | Role::Held) => {
            format!("`{bare}` follows from the equations; name a parameter, or a state for its start value")
        }
        _ => {
            let instead = instead(bare, known.iter().map(|(_, own)| own.as_str()));
            format!("the model has no parameter or state `{bare}`; {instead}")
        }
    })
}
