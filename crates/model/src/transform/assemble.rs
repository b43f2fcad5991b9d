//! A closed set of states back to a sorted model: names, definitions, start values, right-hand sides.

use super::sharing::Plan;
use super::symbols::Kind;
use super::{Attempt, Closed, Term, Transformed, Trouble, branches};
use crate::{Given, Model, Role, Sorted, State};
use ordinate_expr::{Expr, ExprId, Function, VarId};
use ordinate_syntax::Span;
use std::collections::BTreeSet;

pub fn assemble(sorted: &Sorted, attempt: &Attempt, closed: Closed) -> Result<Transformed, Trouble> {
    let visible = sorted.states.len();
    let mut table = attempt.table.clone();
    let meanings: Vec<ExprId> = closed.set[visible..].iter().map(|m| table.product(m)).collect();
    let guards = &closed.branches;
    let mut equations: Vec<Vec<Term>> = Vec::with_capacity(closed.set.len());
    for terms in &closed.equations {
        let mut list = Vec::with_capacity(terms.len());
        for (coefficient, factors) in terms {
            list.push(Term { coefficient: table.expression(coefficient), factors: factors.clone() });
        }
        equations.push(list);
    }
    // a root of zero has no derivative; in branches that may not be taken it is left to the run
    let mut under_roots: Vec<ExprId> = Vec::new();
    for (m, branches) in closed.set[visible..].iter().zip(guards) {
        if !branches.iter().any(BTreeSet::is_empty) {
            continue;
        }
        for &(s, e) in &m.0 {
            let exponential = matches!(table.kind(s), Kind::Call(Function::Exp, _));
            if !e.is_integer() && !exponential {
                under_roots.push(table.value(s));
            }
        }
    }
    under_roots.sort_unstable();
    under_roots.dedup();
    let mut result = sorted.clone();
    result.under_roots = under_roots;
    result.model.graph = std::mem::take(&mut table.graph);
    let mut auxiliary = Vec::with_capacity(meanings.len());
    for (k, &meaning) in meanings.iter().enumerate() {
        let g = &mut result.model.graph;
        auxiliary.push(match branches::guard(g, &guards[k]) {
            None => meaning,
            // where it is not used it may not exist; there it rests at 1
            Some(condition) => {
                let (zero, one) = (g.integer(0), g.integer(1));
                for term in &mut equations[visible + k] {
                    term.coefficient = g.select(condition, term.coefficient, zero);
                }
                g.select(condition, meaning, one)
            }
        });
    }
    let plan = Plan::new(equations.iter().flatten().map(|term| term.factors.as_slice()));
    let places = places(sorted, &closed, visible);
    add_states(&mut result, &places);
    let rates = right_hand_sides(&mut result, &equations, &plan);
    for (k, rate) in rates.into_iter().enumerate() {
        set_rate(&mut result, k, rate);
    }
    for (k, &value) in auxiliary.iter().enumerate() {
        let var = result.states[visible + k].var;
        result.states[visible + k].start = Some(value);
        result.model.starts.push(Given { var, value, span: places[k], at: None });
    }
    result.auxiliary = auxiliary;
    Ok(Transformed { sorted: result, visible, equations, meanings, products: plan.count() })
}

/// Where an auxiliary state comes from: the first equation of the model that leads to it.
fn places(sorted: &Sorted, closed: &Closed, visible: usize) -> Vec<Span> {
    let mut origin: Vec<Option<usize>> = vec![None; closed.set.len()];
    for start in 0..visible {
        origin[start] = Some(start);
        let mut stack = vec![start];
        while let Some(k) = stack.pop() {
            for &f in closed.equations[k].iter().flat_map(|(_, factors)| factors) {
                if f >= visible && origin[f].is_none() {
                    origin[f] = Some(start);
                    stack.push(f);
                }
            }
        }
    }
    let place = |k: &Option<usize>| sorted.model.variable(sorted.states[k.unwrap_or(0)].derivative).span;
    origin[visible..].iter().map(place).collect()
}

/// Names that the model does not use: w1, w2, …
fn prefix(model: &Model, count: usize) -> String {
    let mut prefix = "w".to_string();
    let taken = |prefix: &str| {
        let own = |name: &str| name.strip_prefix(prefix).and_then(|rest| rest.parse::<usize>().ok());
        model.quantities.iter().any(|q| [&q.name, &q.base].iter().any(|n| own(n).is_some_and(|k| k <= count)))
    };
    while taken(&prefix) {
        prefix.push('_');
    }
    prefix
}

/// Adds the auxiliary states without their equations.
fn add_states(sorted: &mut Sorted, places: &[Span]) {
    let prefix = prefix(&sorted.model, places.len());
    for (k, &span) in places.iter().enumerate() {
        let quantity = sorted.model.new_hidden(format!("{prefix}{}", k + 1));
        let var = sorted.model.new_variable(quantity, 0, Role::Unknown, span);
        let derivative = sorted.model.new_variable(quantity, 1, Role::Unknown, span);
        sorted.states.push(State { var, derivative, start: None });
    }
    sorted.definitions.resize(sorted.model.variables.len(), None);
}

/// Gives a state its polynomial. The derivative of a state of the model keeps its own definition, for outputs may
/// refer to it; so the polynomial gets a variable of its own.
fn set_rate(sorted: &mut Sorted, k: usize, rate: ExprId) {
    let State { var, derivative, .. } = sorted.states[k];
    if sorted.model.graph.node(rate) == Expr::Var(derivative) {
        return;
    }
    let target: VarId = if sorted.definitions[derivative.0 as usize].is_none()
        && !sorted.states.iter().any(|state| state.var == derivative)
    {
        derivative
    } else {
        let name = format!("{}'", sorted.model.name(var));
        let span = sorted.model.variable(derivative).span;
        let quantity = sorted.model.new_hidden(name);
        sorted.model.new_variable(quantity, 0, Role::Unknown, span)
    };
    sorted.definitions.resize(sorted.model.variables.len(), None);
    sorted.definitions[target.0 as usize] = Some(rate);
    sorted.states[k].derivative = target;
}

fn right_hand_sides(sorted: &mut Sorted, equations: &[Vec<Term>], plan: &Plan) -> Vec<ExprId> {
    let g = &mut sorted.model.graph;
    let factor: Vec<ExprId> = sorted.states.iter().map(|state| g.variable(state.var)).collect();
    let mut results: Vec<ExprId> = Vec::with_capacity(plan.count());
    for &(a, b) in plan.pairs() {
        let get = |k: usize| if k < plan.first() { factor[k] } else { results[k - plan.first()] };
        let product = g.mul(get(a), get(b));
        results.push(product);
    }
    let zero = g.integer(0);
    let mut rates = Vec::with_capacity(equations.len());
    for terms in equations {
        let mut sum = zero;
        for term in terms {
            let value = match term.factors.as_slice() {
                [] => term.coefficient,
                [only] => g.mul(term.coefficient, factor[*only]),
                several => {
                    let product = results[plan.result(several) - plan.first()];
                    g.mul(term.coefficient, product)
                }
            };
            sum = g.add(sum, value);
        }
        rates.push(sum);
    }
    rates
}
