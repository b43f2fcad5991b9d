//! Start values of hidden states. They are made of what holds *just before* the start: a step at the start has not
//! happened yet, an `every` has not acted. So `pade(step(t), 1, 5)` is a step at 1, wherever the run begins.

use super::{Known, State, solve_block};
use crate::{Given, Model, Role, Watch};
use ordinate_expr::{Expr, ExprId, Function, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

/// Hidden states whose start values depend on each other are solved for together up to this number.
const MAX_TOGETHER: usize = 64;

/// Gives the hidden states their start values, as expressions of time, parameters and the start values that the text gives
/// (and the segments of tables).
pub(super) fn start_hidden(
    model: &mut Model,
    states: &mut [State],
    definitions: &[Option<ExprId>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    if model.hidden.is_empty() {
        return;
    }
    let hidden = model.hidden.clone();
    let mut before = Before::new(model, definitions);
    let values: Vec<ExprId> = hidden.iter().map(|given| before.expression(given.value)).collect();
    if let Some(v) = before.open {
        // a start value that is missing is told of already
        if !diagnostics.iter().any(|found| found.code == super::report::MISSING_START) {
            diagnostics.push(open_mistake(model, &hidden, v));
        }
        return;
    }
    let solved = match in_order(model, &hidden, &values) {
        Some(solved) => solved,
        None => match together(model, &hidden, &values) {
            Some(solved) => solved,
            None => {
                diagnostics.push(loop_mistake(&hidden));
                return;
            }
        },
    };
    let position: FxHashMap<VarId, usize> = states.iter().enumerate().map(|(k, state)| (state.var, k)).collect();
    for (given, value) in hidden.iter().zip(solved) {
        if let Some(&state) = position.get(&given.var) {
            states[state].start = Some(value);
        }
        model.starts.push(Given { value, ..*given });
    }
}

fn open_mistake(model: &Model, hidden: &[Given], v: VarId) -> Diagnostic {
    let message =
        format!("the start of this operator needs `{}` just before the start, which is not given", model.name(v));
    Diagnostic::error("start-not-known", hidden[0].span, message).help(format!("add `init {} = …`", model.name(v)))
}

fn loop_mistake(hidden: &[Given]) -> Diagnostic {
    let message = "algebraic loop: at the start the input of this operator depends on its own output";
    Diagnostic::error("start-not-known", hidden[0].span, message).help("put a state between its output and its input")
}

/// The values with hidden states put in one after the other; `None` if they need each other.
fn in_order(model: &mut Model, hidden: &[Given], values: &[ExprId]) -> Option<Vec<ExprId>> {
    let position: FxHashMap<VarId, usize> = hidden.iter().enumerate().map(|(k, given)| (given.var, k)).collect();
    let mut done: FxHashMap<VarId, ExprId> = FxHashMap::default();
    let mut open = vec![false; hidden.len()];
    for first in 0..hidden.len() {
        let mut stack = vec![first];
        while let Some(&k) = stack.last() {
            if done.contains_key(&hidden[k].var) {
                stack.pop();
                continue;
            }
            let variables = model.graph.variables(values[k]);
            let missing: Vec<usize> =
                variables.iter().filter(|v| !done.contains_key(v)).filter_map(|v| position.get(v).copied()).collect();
            if missing.is_empty() {
                let value = model.graph.substitute(values[k], |v| done.get(&v).copied());
                done.insert(hidden[k].var, value);
                stack.pop();
            } else if std::mem::replace(&mut open[k], true) {
                return None;
            } else {
                stack.extend(missing);
            }
        }
    }
    Some(hidden.iter().map(|given| done[&given.var]).collect())
}

/// The values where they depend on each other linearly.
fn together(model: &mut Model, hidden: &[Given], values: &[ExprId]) -> Option<Vec<ExprId>> {
    if hidden.len() > MAX_TOGETHER {
        return None;
    }
    let unknowns: Vec<VarId> = hidden.iter().map(|given| given.var).collect();
    let equations: Vec<(ExprId, ExprId)> =
        unknowns.iter().zip(values).map(|(&v, &value)| (model.graph.variable(v), value)).collect();
    let mut known = Known::of(model);
    for given in model.starts.clone() {
        known.insert(&mut model.graph, given.var, given.value);
    }
    let solution = solve_block(&mut model.graph, &equations, &unknowns, &known).ok()?;
    let found: FxHashMap<VarId, ExprId> = solution.into_iter().collect();
    // what was eliminated still refers to the others, not in a circle
    in_order(model, hidden, &unknowns.iter().map(|v| found[v]).collect::<Vec<ExprId>>())
}

/// Expressions just before the start. Hidden states stay as they are.
struct Before<'a> {
    model: &'a mut Model,
    definitions: &'a [Option<ExprId>],
    starts: FxHashSet<VarId>,
    watches: FxHashMap<VarId, Watch>,
    known: FxHashMap<VarId, ExprId>,
    /// A variable without a value: it is found only when the system is solved at the start.
    open: Option<VarId>,
}

impl<'a> Before<'a> {
    fn new(model: &'a mut Model, definitions: &'a [Option<ExprId>]) -> Self {
        let starts = model.starts.iter().map(|given| given.var).collect();
        let watches = model.switches.iter().map(|switch| (switch.mode, switch.watch)).collect();
        Before { model, definitions, starts, watches, known: FxHashMap::default(), open: None }
    }

    /// The depth of the recursion is that of the named expressions of the user, which are not circular.
    fn expression(&mut self, e: ExprId) -> ExprId {
        for v in self.model.graph.variables(e) {
            if !self.known.contains_key(&v) {
                // a start value that needs itself is a mistake reported elsewhere; here it only must not go on for ever
                let itself = self.model.graph.variable(v);
                self.known.insert(v, itself);
                let value = self.variable(v);
                self.known.insert(v, value);
            }
        }
        let known = &self.known;
        self.model.graph.substitute(e, |v| known.get(&v).copied())
    }

    fn variable(&mut self, v: VarId) -> ExprId {
        let itself = self.model.graph.variable(v);
        match self.model.variable(v).role {
            Role::Parameter => itself,
            Role::Mode => match self.watches.get(&v).copied() {
                Some(Watch::Sign(g)) => self.sign(g),
                Some(Watch::Floor(g)) => self.floor(g),
                // filled in by who evaluates the start values: a table is too long for an expression
                Some(Watch::Segment(_)) | None => itself,
            },
            Role::Delayed => {
                let delayed = self.model.delays.iter().find(|delayed| delayed.var == v).copied();
                let past = self.model.past_of(delayed.expect("a delayed value has its past"));
                self.expression(past)
            }
            Role::Held | Role::Input | Role::Unknown => {
                if self.model.quantity(v).hidden && self.model.variable(v).primes == 0 {
                    return itself;
                }
                // It stands for its start value: who varies that varies what follows from it.
                if self.starts.contains(&v) {
                    return itself;
                }
                match self.definitions[v.0 as usize] {
                    Some(value) => self.expression(value),
                    // a held value without a start value: the first sample sets it
                    None => {
                        if self.model.variable(v).role == Role::Unknown {
                            self.open = self.open.or(Some(v));
                        }
                        self.model.graph.integer(0)
                    }
                }
            }
        }
    }

    /// g at the start and, where g is a function of time alone, its slope.
    fn watched(&mut self, g: ExprId) -> (ExprId, Option<ExprId>) {
        let of_time = self.of_time(g);
        let value = self.expression(g);
        let graph = &mut self.model.graph;
        let (zero, one) = (graph.integer(0), graph.integer(1));
        let slope = of_time.then(|| graph.derivative(value, |leaf| if leaf == Expr::Time { one } else { zero }));
        (value, slope)
    }

    /// sign g, and on the border the side from which g comes.
    fn sign(&mut self, g: ExprId) -> ExprId {
        let (value, slope) = self.watched(g);
        let graph = &mut self.model.graph;
        let sign = graph.call(Function::Sign, value);
        let Some(slope) = slope else { return sign };
        let (zero, direction) = (graph.integer(0), graph.call(Function::Sign, slope));
        let (border, from) = (graph.equal(value, zero), graph.neg(direction));
        graph.select(border, from, sign)
    }

    /// ⌊g⌋, and one less where a growing g just reaches an integer.
    fn floor(&mut self, g: ExprId) -> ExprId {
        let (value, slope) = self.watched(g);
        let graph = &mut self.model.graph;
        let floor = graph.call(Function::Floor, value);
        let Some(slope) = slope else { return floor };
        let (zero, one) = (graph.integer(0), graph.integer(1));
        let (whole, growing) = (graph.equal(value, floor), graph.less(zero, slope));
        let (reached, below) = (graph.and(whole, growing), graph.sub(floor, one));
        graph.select(reached, below, floor)
    }

    /// Whether nothing but t, parameters and modes stands behind an expression.
    fn of_time(&mut self, e: ExprId) -> bool {
        let variables = self.model.graph.variables(e);
        variables.into_iter().all(|v| match (self.model.variable(v).role, self.definitions[v.0 as usize]) {
            (Role::Parameter | Role::Mode, _) => true,
            (Role::Input | Role::Unknown, Some(definition)) => self.of_time(definition),
            (Role::Input | Role::Unknown, None) | (Role::Held | Role::Delayed, _) => false,
        })
    }
}
