//! The equilibrium near a guess, with its inputs held, or with the inputs that keep given states where they are.

use super::point::{self, Point};
use super::slopes::recompiled;
use super::{LinearizeError, LinearizeOptions};
use crate::equilibria::rest_near;
use crate::{Compiled, short};
use ordinate_expr::VarId;
use ordinate_model::{with_fixed, with_open, with_pinned};

/// Moves the point to rest.
pub(super) fn find(
    compiled: &Compiled,
    inputs: &[VarId],
    options: &LinearizeOptions,
    point: &mut Point,
) -> Result<(), LinearizeError> {
    let model = &compiled.sorted.model;
    let mut free: Vec<VarId> = Vec::new();
    for name in options.free.iter().map(|name| name.trim()) {
        match point::find(model, name).filter(|v| inputs.contains(v)) {
            Some(v) => free.push(v),
            None => return Err(point::unknown(model, name, "--free", &|v| inputs.contains(&v))),
        }
    }
    if let Some(&v) = free.iter().find(|v| point.named.contains(v)) {
        let name = model.name(v);
        return Err(LinearizeError::Usage(format!(
            "`{name}` is given by `--at` and free by `--free`; one of them is meant"
        )));
    }
    let states = || compiled.sorted.states.iter().map(|state| state.var);
    let pinned: Vec<VarId> = states().filter(|v| !free.is_empty() && point.named.contains(v)).collect();
    if !free.is_empty() && pinned.is_empty() {
        return Err(LinearizeError::Usage(
            "`--free` finds inputs with which given states stay where they are: name these with `--at`, as in `--at \"x=1\"`".into(),
        ));
    }
    let valued = |list: &[VarId], point: &Point| list.iter().map(|&v| (v, point.value(v))).collect::<Vec<_>>();
    let held: Vec<VarId> = inputs.iter().copied().filter(|v| !free.contains(v)).collect();
    let sorted = with_fixed(&compiled.sorted, &valued(&held, point));
    let sorted = with_pinned(&with_open(&sorted, &free), &valued(&pinned, point));
    let quiet = recompiled(compiled, sorted);
    let (guess, held) = point.of(&quiet.sorted);
    let found = rest_near(&quiet, point.t, &guess, &held).map_err(|residual| {
        let message = match free.is_empty() {
            true => format!("no equilibrium was found near the guess: the largest rate is {residual:.1e} at the best place that was seen"),
            false => format!(
                "no value of {} was found with which the named states stay: the largest rate is {residual:.1e} at the best place that was seen",
                free.iter().map(|&v| format!("`{}`", model.name(v))).collect::<Vec<_>>().join(", ")
            ),
        };
        let hint = match free.is_empty() {
            true => "give a guess nearer to it with `--at`, or let an input fit with `--free`; `ordinate equilibria` searches everywhere".into(),
            false => "name fewer states with `--at`, or free more inputs".to_string(),
        };
        LinearizeError::None { message, hint }
    })?;
    let algebraic = quiet.sorted.algebraic.iter().map(|algebraic| algebraic.var);
    let own: Vec<VarId> = quiet.sorted.states.iter().map(|state| state.var).chain(algebraic).collect();
    for (&v, &value) in own.iter().zip(&found.y) {
        point.set(v, value);
    }
    // a pinned state is where it was put, not where rounding left it
    pinned
        .iter()
        .zip(pinned.iter().map(|v| guess[own.iter().position(|o| o == v).expect("a state")]))
        .for_each(|(&v, value)| point.set(v, value));
    if found.dimension > 0 {
        point.notes.push("the equilibrium is one of a line or surface of such points, the nearest to the guess".into());
    }
    if !free.is_empty() {
        let values: Vec<String> =
            free.iter().map(|&v| format!("{} = {}", model.name(v), short(point.value(v)))).collect();
        point.notes.push(format!("found for the named states to stay: {}", values.join(", ")));
    }
    Ok(())
}
