//! The variational equations of a model, as a model: how its solution changes with start values and parameters.
//!
//! With V = ∂y/∂q for chosen quantities q,
//!
//! ```text
//!   y′ = f(t, y, p)                      V′ = ∂f/∂y V + ∂f/∂q          V(t₀) = ∂y(t₀)/∂q
//!   0  = g(t, y, z, p)                   0  = ∂g/∂y V + ∂g/∂z Z + ∂g/∂q
//! ```
//!
//! by differentiation of the expressions, so that every method solves them, Taylor series included.
//!
//! At an event the solution is differentiated through its time τ(q), too (M. A. Aizerman, F. R. Gantmacher, J. Mech. Appl.
//! Math. 11 (1958) 225–241). With the state before it y⁻, its map r and f on both sides the driver
//!
//! ```text
//!   finds   dτ/dq = −(∂g/∂y V⁻ + ∂g/∂q) / (∂g/∂t + ∂g/∂y f⁻)
//!   adds    V ← V⁻ + f⁻ dτ/dq                         the state at the event by q
//!   acts    V ← ∂r/∂y V + ∂r/∂t dτ/dq + ∂r/∂q         the actions themselves, as often as they follow each other
//!   takes   V⁺ = V − f⁺ dτ/dq                         back to a fixed time
//! ```
//!
//! which is the saltation matrix S = ∂r/∂y + (f⁺ − ∂r/∂y f⁻ − ∂r/∂t) ∂g/∂y / (∂g/∂t + ∂g/∂y f⁻) in steps. While an event
//! happens dτ/dq is the value of a state of its own, which is zero otherwise. Held values have variations that are states
//! without a rate.
//!
//! Where the start time t₀ moves with q, all is differentiated at a fixed time s = t − t₀(q) since the start, so that start
//! values, samples and events need nothing of their own: W = ∂y/∂q there is a state, and what is shown is
//!
//! ```text
//!   W′ = ∂f/∂y W + ∂f/∂t dt₀/dq + ∂f/∂q        W(t₀) = dy(t₀)/dq        V = W − y′ dt₀/dq
//! ```

use crate::{Algebraic, Given, Invariant, Model, Role, Sorted, State, Watch};
use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_syntax::Span;
use rustc_hash::FxHashMap;

/// The variations among the states of a sorted model.
#[derive(Clone, Debug, Default)]
pub struct Variations {
    /// What the solution is differentiated by: parameters, and states for their start values.
    pub by: Vec<VarId>,
    /// The variation, the state or algebraic variable that is varied, and the place in `by`.
    pub of: Vec<(VarId, VarId, usize)>,
    /// The same of held values.
    pub held: Vec<(VarId, VarId, usize)>,
    /// The state that is dτ/dq while an event happens, one per q; none in models without events.
    pub event_time: Vec<VarId>,
    /// dg/dq of every switch: those by the first q, then by the second, …
    pub switches: Vec<ExprId>,
    /// Places in `by` of what the start time of the model moves with.
    pub moves_start: Vec<usize>,
    /// Whether a derivative must be that of both sides where the solution starts on a boundary.
    pub both_sides: bool,
}

/// Why there are no variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariationError {
    /// The model has delays, whose past varies, too.
    Delay,
    /// The period of an `every` depends on this parameter, so that all its instants move.
    Period(VarId),
    /// The start value of this state follows from the equations.
    Follows(VarId),
    /// The start value of this state is searched for, so how it varies has no formula.
    Searched(VarId),
    /// The first decides which equations there are, as the second does that follows from it.
    Structure(VarId, VarId),
    /// The start time moves with the first, and the rate of change of the second is not known as an expression.
    StartTime(VarId, VarId),
}

/// The model with its variations by the given variables. Every variation is also a column, named as in `dx/dp`; by a start
/// value it is `dx/dx(0)`.
pub fn variational(sorted: &Sorted, by: &[VarId]) -> Result<Sorted, VariationError> {
    if !sorted.model.delays.is_empty() {
        return Err(VariationError::Delay);
    }
    if let Some(&state) = sorted.structure.stated.first() {
        return Err(VariationError::Searched(state));
    }
    let mut result = sorted.clone();
    let eventful = !(sorted.model.switches.is_empty() && sorted.model.samples.is_empty());
    let columns = std::mem::take(&mut result.columns);
    let mut shown = Vec::new();
    let mut all = Variations { by: by.to_vec(), ..Variations::default() };
    for (k, &q) in by.iter().enumerate() {
        let mut added = Added::new(&mut result, sorted, q, eventful);
        added.check(sorted)?;
        added.rates(sorted);
        added.starts(sorted)?;
        added.equations(sorted);
        added.actions(sorted);
        let switches = added.switches(sorted);
        shown.extend(added.columns(sorted, &columns)?);
        let Added { variation, of, event_time, start_rate, .. } = added;
        all.moves_start.extend(start_rate.map(|_| k));
        let held = (0..sorted.model.variables.len() as u32).map(VarId);
        let held = held.filter(|&v| sorted.model.variable(v).role == Role::Held);
        all.held.extend(held.map(|v| (variation[&v], v, k)));
        all.of.extend(of.into_iter().map(|base| (variation[&base], base, k)));
        all.event_time.extend(event_time);
        all.switches.extend(switches);
    }
    result.columns = columns;
    result.columns.extend(shown);
    if !sorted.indices.is_empty() {
        let (states, algebraic) = sorted.indices.split_at(sorted.states.len());
        let mut indices: Vec<u8> = states.repeat(1 + by.len());
        indices.resize(result.states.len(), 1);
        indices.extend(algebraic.repeat(1 + by.len()));
        result.indices = indices;
    }
    // The last variables that were made may have no definition.
    result.definitions.resize(result.model.variables.len(), None);
    result.variations = all;
    Ok(result)
}

/// What is added for one q.
struct Added<'a> {
    result: &'a mut Sorted,
    q: VarId,
    name: String,
    /// The variable that is the variation of a state, an algebraic or a held variable.
    variation: FxHashMap<VarId, VarId>,
    of: Vec<VarId>,
    event_time: Option<VarId>,
    /// dt₀/dq, if the start time moves with q.
    start_rate: Option<ExprId>,
    /// Derivatives by time of other variables.
    rates: FxHashMap<VarId, ExprId>,
    /// Derivatives by q of other variables: at a fixed time, and with the time of the event.
    fixed: FxHashMap<VarId, ExprId>,
    moving: FxHashMap<VarId, ExprId>,
    parameters: FxHashMap<VarId, ExprId>,
}

impl<'a> Added<'a> {
    /// Makes the variables; their equations follow.
    fn new(result: &'a mut Sorted, sorted: &Sorted, q: VarId, eventful: bool) -> Added<'a> {
        let model = &sorted.model;
        let by_parameter = model.variable(q).role == Role::Parameter;
        let name = if by_parameter { model.name(q) } else { format!("{}(0)", model.name(q)) };
        let parameters = model.parameters.iter().map(|given| (given.var, given.value)).collect();
        let mut added = Added {
            result,
            q,
            name,
            variation: FxHashMap::default(),
            of: Vec::new(),
            event_time: None,
            start_rate: None,
            rates: FxHashMap::default(),
            fixed: FxHashMap::default(),
            moving: FxHashMap::default(),
            parameters,
        };
        added.start_rate = added.start_moves(sorted);
        let since = if added.start_rate.is_some() { " since the start" } else { "" };
        let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
        let varied: Vec<VarId> = sorted.states.iter().map(|state| state.var).chain(algebraic).collect();
        let held = (0..model.variables.len() as u32).map(VarId).filter(|&v| model.variable(v).role == Role::Held);
        for var in varied.iter().copied().chain(held) {
            let name = format!("d{}/d{}{since}", model.name(var), added.name);
            let own = new_variable(&mut added.result.model, name, model.variable(var).span);
            added.variation.insert(var, own);
        }
        added.of = varied;
        if eventful {
            let name = format!("dt/d{}", added.name);
            added.event_time = Some(new_variable(&mut added.result.model, name, Span::default()));
        }
        added
    }

    /// dt₀/dq, unless it is zero.
    fn start_moves(&mut self, sorted: &Sorted) -> Option<ExprId> {
        let (from, _) = sorted.model.run?;
        let rate = self.derivative(sorted, from, Time::Fixed);
        (rate != self.result.model.graph.integer(0)).then_some(rate)
    }

    /// Sampling periods that move with q are not followed, nor are equations that come and go with it.
    fn check(&mut self, sorted: &Sorted) -> Result<(), VariationError> {
        let zero = self.result.model.graph.integer(0);
        for &decides in &sorted.model.structural {
            let root = self.result.model.graph.variable(decides);
            if self.derivative(sorted, root, Time::Fixed) != zero {
                return Err(VariationError::Structure(self.q, decides));
            }
        }
        for sample in &sorted.model.samples {
            if self.derivative(sorted, sample.period, Time::Fixed) != zero {
                return Err(VariationError::Period(self.q));
            }
        }
        Ok(())
    }

    /// The derivative of an expression by q.
    fn derivative(&mut self, sorted: &Sorted, root: ExprId, time: Time) -> ExprId {
        let zero = self.result.model.graph.integer(0);
        for v in self.result.model.graph.variables(root) {
            if !self.known(time).contains_key(&v) {
                let value = self.of_variable(sorted, v, time);
                self.known(time).insert(v, value);
            }
        }
        let graph = &mut self.result.model.graph;
        let of_event = match (time, self.event_time) {
            (Time::OfEvent, Some(v)) => graph.variable(v),
            _ => zero,
        };
        let of_time = match self.start_rate {
            Some(rate) => graph.add(of_event, rate),
            None => of_event,
        };
        let known = match time {
            Time::Fixed => &self.fixed,
            Time::OfEvent => &self.moving,
        };
        self.result.model.graph.derivative(root, |leaf| match leaf {
            Expr::Var(v) => known[&v],
            _ => of_time,
        })
    }

    fn known(&mut self, time: Time) -> &mut FxHashMap<VarId, ExprId> {
        match time {
            Time::Fixed => &mut self.fixed,
            Time::OfEvent => &mut self.moving,
        }
    }

    /// The same of a variable. Definitions are not circular, so the depth of the recursion is that of the user's named
    /// expressions.
    fn of_variable(&mut self, sorted: &Sorted, v: VarId, time: Time) -> ExprId {
        if let Some(&variation) = self.variation.get(&v) {
            return self.result.model.graph.variable(variation);
        }
        if v == self.q {
            return self.result.model.graph.integer(1);
        }
        let definition = self.parameters.get(&v).copied().or(sorted.definitions.get(v.0 as usize).copied().flatten());
        match definition {
            Some(definition) => self.derivative(sorted, definition, time),
            None => self.result.model.graph.integer(0),
        }
    }

    /// States and their rates, in the order of the model.
    fn rates(&mut self, sorted: &Sorted) {
        for state in &sorted.states {
            let var = self.variation[&state.var];
            let derivative = match self.variation.get(&state.derivative) {
                Some(&next) => next,
                None => {
                    let root = self.result.model.graph.variable(state.derivative);
                    let rate = self.derivative(sorted, root, Time::Fixed);
                    self.rate(var, rate)
                }
            };
            self.result.states.push(State { var, derivative, start: None });
        }
        let mut constant: Vec<VarId> = self.variation.keys().copied().collect();
        constant.retain(|&v| sorted.model.variable(v).role == Role::Held);
        constant.sort_unstable();
        let held = constant.into_iter().map(|v| self.variation[&v]);
        for var in held.chain(self.event_time).collect::<Vec<_>>() {
            let zero = self.result.model.graph.integer(0);
            let derivative = self.rate(var, zero);
            self.result.states.push(State { var, derivative, start: Some(zero) });
        }
    }

    /// A variable for the derivative of a variation, and what it is.
    fn rate(&mut self, var: VarId, rate: ExprId) -> VarId {
        let derivative = self.result.model.derivative_of(var);
        self.define(derivative, rate);
        derivative
    }

    fn define(&mut self, v: VarId, value: ExprId) {
        self.result.definitions.resize(self.result.model.variables.len(), None);
        self.result.definitions[v.0 as usize] = Some(value);
    }

    /// Start values, which may refer to each other.
    fn starts(&mut self, sorted: &Sorted) -> Result<(), VariationError> {
        let mut given = sorted.model.starts.clone();
        for state in &sorted.states {
            if let Some(value) = state.start
                && !given.iter().any(|given| given.var == state.var)
            {
                given.push(Given { var: state.var, value, span: Span::default(), at: None });
            }
        }
        let own = sorted.model.variable(self.q).role != Role::Parameter;
        if own && !given.iter().any(|given| given.var == self.q) {
            return Err(VariationError::Follows(self.q));
        }
        for Given { var, value, span, .. } in given {
            let Some(&variation) = self.variation.get(&var) else { continue };
            let value = match var == self.q {
                true => self.result.model.graph.integer(1),
                false => self.derivative(sorted, value, Time::Fixed),
            };
            self.result.model.starts.push(Given { var: variation, value, span, at: None });
            if let Some(state) = self.result.states.iter_mut().rev().find(|state| state.var == variation) {
                state.start = Some(value);
            }
        }
        Ok(())
    }

    /// What is solved for the algebraic variations, and what all of them keep at zero.
    fn equations(&mut self, sorted: &Sorted) {
        for &Algebraic { var, residual, equation } in &sorted.algebraic {
            let residual = self.derivative(sorted, residual, Time::OfEvent);
            self.result.algebraic.push(Algebraic { var: self.variation[&var], residual, equation });
        }
        for &Invariant { value, equation, derivative } in &sorted.invariants {
            let value = self.derivative(sorted, value, Time::OfEvent);
            self.result.invariants.push(Invariant { value, equation, derivative });
        }
    }

    /// An action that assigns a value assigns its variation.
    fn actions(&mut self, sorted: &Sorted) {
        for (index, action) in sorted.model.actions.iter().enumerate() {
            for &(var, value) in &action.assignments {
                let Some(&variation) = self.variation.get(&var) else { continue };
                let value = self.derivative(sorted, value, Time::OfEvent);
                self.result.model.actions[index].assignments.push((variation, value));
            }
        }
    }

    fn switches(&mut self, sorted: &Sorted) -> Vec<ExprId> {
        let watches: Vec<Watch> = sorted.model.switches.iter().map(|switch| switch.watch).collect();
        let derivative = |watch| match watch {
            Watch::Sign(g) | Watch::Floor(g) => self.derivative(sorted, g, Time::Fixed),
            // it watches the time itself
            Watch::Segment(_) => self.start_rate.unwrap_or_else(|| self.result.model.graph.integer(0)),
        };
        watches.into_iter().map(derivative).collect()
    }

    /// The variations of what is stored: of the states that the text names, then of the other columns.
    fn columns(&mut self, sorted: &Sorted, columns: &[VarId]) -> Result<Vec<VarId>, VariationError> {
        let states: Vec<VarId> = sorted.states[..sorted.visible].iter().map(|state| state.var).collect();
        let mut shown = Vec::new();
        for &v in states.iter().chain(columns) {
            if let (Some(&variation), None) = (self.variation.get(&v), self.start_rate) {
                shown.push(variation);
                continue;
            }
            let root = self.result.model.graph.variable(v);
            let mut value = self.derivative(sorted, root, Time::Fixed);
            if let Some(start_rate) = self.start_rate {
                let rate = self.rate_of(sorted, v).map_err(|open| VariationError::StartTime(self.q, open))?;
                let moved = self.result.model.graph.mul(rate, start_rate);
                value = self.result.model.graph.sub(value, moved);
            }
            let name = format!("d{}/d{}", sorted.model.name(v), self.name);
            let column = new_variable(&mut self.result.model, name, sorted.model.variable(v).span);
            self.define(column, value);
            shown.push(column);
        }
        Ok(shown)
    }

    /// The derivative of a variable by time between events; the error is a variable on which it depends and that has none.
    /// The depth of the recursion is that of the user's named expressions.
    fn rate_of(&mut self, sorted: &Sorted, v: VarId) -> Result<ExprId, VarId> {
        if let Some(&known) = self.rates.get(&v) {
            return Ok(known);
        }
        let state = sorted.states.iter().find(|state| state.var == v);
        let definition = sorted.definitions.get(v.0 as usize).copied().flatten();
        let rate = match (state, definition) {
            (Some(state), _) => self.result.model.graph.variable(state.derivative),
            (None, Some(definition)) => {
                let variables = self.result.model.graph.variables(definition);
                variables.into_iter().try_for_each(|inner| self.rate_of(sorted, inner).map(|_| ()))?;
                let (known, graph) = (&self.rates, &mut self.result.model.graph);
                let one = graph.integer(1);
                graph.derivative(definition, |leaf| match leaf {
                    Expr::Var(inner) => known[&inner],
                    _ => one,
                })
            }
            (None, None) if sorted.algebraic.iter().any(|algebraic| algebraic.var == v) => return Err(v),
            (None, None) => self.result.model.graph.integer(0),
        };
        self.rates.insert(v, rate);
        Ok(rate)
    }
}

/// Whether the derivative is taken at a fixed time, or at the time of an event that moves with q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Fixed,
    OfEvent,
}

fn new_variable(model: &mut Model, name: String, span: Span) -> VarId {
    let quantity = model.new_hidden(name);
    model.new_variable(quantity, 0, Role::Unknown, span)
}
