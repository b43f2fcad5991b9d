//! What a result stores besides the states.

use super::State;
use crate::{Given, Model, Role};
use ordinate_expr::{ExprId, VarId};

/// The derivatives of each quantity below the highest one in the text: x' of x''. Where x follows from other states they are none, but
/// the text speaks of a motion of x all the same.
pub(super) fn below_highest(model: &mut Model, definitions: &[Option<ExprId>]) -> Vec<Vec<VarId>> {
    let mut highest = vec![0; model.quantities.len()];
    for equation in &model.equations {
        for side in [equation.left, equation.right] {
            for v in model.graph.variables(side) {
                let variable = &model.variables[v.0 as usize];
                highest[variable.quantity] = variable.primes.max(highest[variable.quantity]);
            }
        }
    }
    let mut below = vec![Vec::new(); model.quantities.len()];
    for (k, variable) in model.variables.iter().enumerate() {
        let known = definitions.get(k).is_some_and(Option::is_some) && variable.role == Role::Unknown;
        if known
            && (1..highest[variable.quantity]).contains(&variable.primes)
            && !model.quantities[variable.quantity].hidden
        {
            below[variable.quantity].push(VarId(k as u32));
        }
    }
    below.iter_mut().for_each(|below| below.sort_by_key(|&v| model.variable(v).primes));
    below
}

/// What is stored besides the states, derivatives that are compared at the start among them; `below`: those that follow each
/// quantity.
pub(super) fn columns(model: &Model, states: &[State], checks: &[Given], below: &[Vec<VarId>]) -> Vec<VarId> {
    let mut taken = vec![false; model.variables.len()];
    states.iter().for_each(|state| taken[state.var.0 as usize] = true);
    let outputs = model.outputs.iter().copied();
    let mut is_output = vec![false; model.variables.len()];
    outputs.clone().for_each(|v| is_output[v.0 as usize] = true);
    let plain = |role: Role| {
        let all = (0..model.variables.len() as u32).map(VarId);
        all.filter(move |&v| model.variable(v).role == role && model.variable(v).primes == 0)
    };
    let named = plain(Role::Unknown).filter(|v| !is_output[v.0 as usize]);
    let with_below =
        |v: VarId| [v].into_iter().chain(below.get(model.variable(v).quantity).into_iter().flatten().copied());
    let named = named.flat_map(with_below);
    let mut list: Vec<VarId> = Vec::new();
    let jumping = model.jumping.iter().copied();
    let compared = checks.iter().map(|given| given.var);
    let held = plain(Role::Held).filter(|&v| !model.quantity(v).hidden);
    for v in jumping.chain(named).chain(compared).chain(outputs).chain(held) {
        if !std::mem::replace(&mut taken[v.0 as usize], true) {
            list.push(v);
        }
    }
    list
}
