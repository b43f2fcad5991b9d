//! What the names of a text are at a point of a solution: states and their rates, algebraic and named values as the program has them,
//! the rest by the formulas of the model; with bounds.

use super::bounds::Bounds;
use super::equations::Known;
use super::series::Series;
use crate::Compiled;
use ordinate_expr::{Expr, ExprId, Interval, VarId};
use ordinate_model::{Role, TextNames};

/// Where the value of a variable is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    State(usize),
    /// The rate of a state.
    Rate(usize),
    /// A result of the program beside the states.
    Output(usize),
    /// A mode, a held or a delayed value.
    Discrete(usize),
    Parameter(f64),
    /// By its formula, if it has one.
    Formula,
}

/// Where the values of all variables are found.
pub(super) fn places(compiled: &Compiled) -> Vec<Place> {
    let sorted = &compiled.sorted;
    let model = &sorted.model;
    let mut places = vec![Place::Formula; model.variables.len()];
    for (&var, &value) in &model.values {
        places[var.0 as usize] = Place::Parameter(value);
    }
    for (k, &var) in sorted.columns.iter().enumerate() {
        if model.variable(var).primes == 0 {
            places[var.0 as usize] = Place::Output(k);
        }
    }
    let held = (0..model.variables.len()).filter(|&v| model.variables[v].role == Role::Held);
    let modes = model.switches.iter().map(|switch| switch.mode.0 as usize);
    let delayed = model.delays.iter().map(|delayed| delayed.var.0 as usize);
    for (k, var) in modes.chain(held).chain(delayed).enumerate() {
        places[var] = Place::Discrete(k);
    }
    // (the members of a quantity, not the variable of the rate: a transformed model has one of its own)
    for (k, state) in sorted.states.iter().enumerate() {
        let variable = model.variable(state.var);
        let members = &model.quantities[variable.quantity].members;
        if let Some(&Some(rate)) = members.get(variable.primes as usize + 1) {
            places[rate.0 as usize] = Place::Rate(k);
        }
    }
    let states = sorted.states.iter().map(|state| state.var);
    let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
    for (k, var) in states.chain(algebraic).enumerate() {
        places[var.0 as usize] = Place::State(k);
    }
    places
}

/// A program may compute a formula in another order: rounding may do so many times what it does to the formula.
const ROUNDING: f64 = 16.0;

/// The names of a text at a point.
pub(super) struct Values<'a, const N: usize> {
    compiled: &'a Compiled,
    names: &'a TextNames,
    places: &'a [Place],
    bounds: Bounds,
    t: Interval,
    /// Coefficients of the states from the second derivative on.
    higher: Vec<Vec<Interval>>,
    known: Memo<N>,
    open: Vec<ExprId>,
}

/// Values of expressions: a list in any order, and where in it the value of each is if it is there.
struct Memo<const N: usize> {
    values: Vec<(ExprId, Series<N>)>,
    places: Vec<u32>,
}

impl<const N: usize> Memo<N> {
    fn get(&self, id: ExprId) -> Option<Series<N>> {
        let place = *self.places.get(id.0 as usize)? as usize;
        self.values.get(place).filter(|(known, _)| *known == id).map(|(_, value)| *value)
    }

    fn insert(&mut self, id: ExprId, value: Series<N>, all: usize) {
        self.places.resize(all, 0);
        self.places[id.0 as usize] = self.values.len() as u32;
        self.values.push((id, value));
    }
}

impl<'a, const N: usize> Values<'a, N> {
    pub fn new(compiled: &'a Compiled, names: &'a TextNames, places: &'a [Place], bounds: Bounds, t: Interval) -> Self {
        let known = Memo { values: Vec::new(), places: Vec::new() };
        let mut values = Values { compiled, names, places, bounds, t, higher: Vec::new(), known, open: Vec::new() };
        if N > 2 {
            values.complete_states();
        }
        values
    }

    pub fn into_bounds(self) -> Bounds {
        self.bounds
    }

    /// The bounds it was made with.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Coefficient k + 1 of a state is coefficient k of its rate, divided by k + 1.
    fn complete_states(&mut self) {
        let states = &self.compiled.sorted.states;
        self.higher = vec![Vec::new(); states.len()];
        for k in 1..N - 1 {
            self.known.values.clear();
            let rate = |var: VarId| match self.places[var.0 as usize] {
                Place::State(k) => self.state(k),
                _ => self.by_formula(var),
            };
            let rates: Vec<Series<N>> = states.iter().map(|state| state.derivative).map(rate).collect();
            for (higher, rate) in self.higher.iter_mut().zip(rates) {
                higher.push(rate.0[k].over(Interval::point((k + 1) as f64)));
            }
        }
        self.known.values.clear();
    }

    fn state(&self, k: usize) -> Series<N> {
        let mut series = Series::UNKNOWN;
        series.0[0] = self.bounds.y[k];
        let differential = k < self.compiled.sorted.states.len();
        if N > 1 && differential {
            series.0[1] = self.bounds.rates.get(k).copied().unwrap_or(Interval::ALL);
            let higher = self.higher.get(k).map_or(&[][..], Vec::as_slice);
            series.0[2..].iter_mut().zip(higher).for_each(|(c, known)| *c = *known);
        }
        series
    }

    /// A variable whose value is found somewhere.
    fn of(&mut self, var: VarId) -> Series<N> {
        let place = self.places[var.0 as usize];
        let own = match place {
            Place::Rate(k) => self.bounds.rates.get(k),
            Place::Output(k) => self.bounds.outputs.get(k),
            _ => None,
        };
        match (place, own.copied()) {
            (Place::State(k), _) => self.state(k),
            (Place::Parameter(value), _) => Series::constant(parameter(value)),
            (Place::Discrete(k), _) => self.discrete(k),
            // derivatives follow from the formula, the value is what the program has
            (_, Some(own)) if N > 1 => {
                let mut series = self.by_formula(var);
                series.0[0] = own;
                series
            }
            (_, Some(own)) => Series::constant(own),
            (Place::Rate(_) | Place::Output(_) | Place::Formula, None) => self.by_formula(var),
        }
    }

    fn discrete(&self, k: usize) -> Series<N> {
        let discrete = self.compiled.program.layout.discrete();
        match self.bounds.d.get(k) {
            Some(value) if k < discrete => Series::constant(*value),
            // of a delayed value nothing is known but itself
            Some(value) => {
                let mut series = Series::UNKNOWN;
                series.0[0] = *value;
                series
            }
            None => Series::UNKNOWN,
        }
    }

    fn by_formula(&mut self, var: VarId) -> Series<N> {
        match self.definition(var) {
            Some(formula) => self.evaluate(formula),
            None => Series::UNKNOWN,
        }
    }

    fn definition(&self, var: VarId) -> Option<ExprId> {
        self.compiled.sorted.definitions.get(var.0 as usize).copied().flatten()
    }

    /// Rates and outputs are known within what rounding, and the bounds of the states here, do to their formulas.
    ///
    /// `wanted`: the variables whose bounds are looked at; `None`: all.
    pub fn widen(&mut self, bounds: &mut Bounds, wanted: Option<&[VarId]>) {
        let (places, states) = (self.places, &self.compiled.sorted.states);
        let mut widen = |bounds: &mut Interval, var: VarId| {
            if self.definition(var).is_some() {
                let by = ROUNDING * self.by_formula(var).value().width();
                *bounds = if by.is_finite() { Interval::new(bounds.low - by, bounds.high + by) } else { Interval::ALL };
            }
        };
        if let Some(wanted) = wanted {
            for var in wanted {
                match places[var.0 as usize] {
                    // a transformed model has variables of its own for the rates
                    Place::Rate(k) => widen(&mut bounds.rates[k], states[k].derivative),
                    Place::Output(k) => widen(&mut bounds.outputs[k], *var),
                    _ => {}
                }
            }
            return;
        }
        bounds.rates.iter_mut().zip(states).for_each(|(rate, state)| widen(rate, state.derivative));
        for (k, place) in places.iter().enumerate() {
            if let Place::Output(output) = place {
                widen(&mut bounds.outputs[*output], VarId(k as u32));
            }
        }
    }

    /// What an expression of the model stands on: its operands, or the formula of a variable.
    fn needs(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<N> {
        let node = self.compiled.sorted.model.graph.node(id);
        let formula = match node {
            Expr::Var(v) => match self.places[v.0 as usize] {
                Place::State(_) | Place::Discrete(_) | Place::Parameter(_) => None,
                Place::Rate(_) | Place::Output(_) | Place::Formula => self.definition(v),
            },
            _ => None,
        };
        node.operands().chain(formula)
    }

    fn evaluate(&mut self, root: ExprId) -> Series<N> {
        let mut open = std::mem::take(&mut self.open);
        open.push(root);
        while let Some(&id) = open.last() {
            if self.known.get(id).is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(self.needs(id).filter(|need| self.known.get(*need).is_none()));
            if open.len() == before {
                let value = self.node(id);
                self.known.insert(id, value, self.compiled.sorted.model.graph.len());
                open.pop();
            }
        }
        self.open = open;
        self.known.get(root).unwrap_or(Series::UNKNOWN)
    }

    /// A node all of whose operands are known.
    fn node(&self, id: ExprId) -> Series<N> {
        let v = |id: ExprId| self.known.get(id).unwrap_or(Series::UNKNOWN);
        let truth = |d: Interval, strict: bool| match () {
            () if d.high < 0.0 || (!strict && d.high <= 0.0) => Interval::ONE,
            () if d.low > 0.0 || (strict && d.low >= 0.0) => Interval::ZERO,
            () => Interval::new(0.0, 1.0),
        };
        match self.compiled.sorted.model.graph.node(id) {
            Expr::Const(value) => Series::constant(Interval::decimal(value)),
            Expr::Pi => Series::constant(Interval::PI),
            Expr::Time => Series::time(self.t),
            Expr::Var(var) => match self.places[var.0 as usize] {
                Place::State(k) => self.state(k),
                Place::Discrete(k) => self.discrete(k),
                Place::Parameter(value) => Series::constant(parameter(value)),
                Place::Rate(_) | Place::Output(_) | Place::Formula => self.definition(var).map_or(Series::UNKNOWN, v),
            },
            Expr::Neg(a) => v(a).negated(),
            Expr::Add(a, b) => v(a).plus(v(b)),
            Expr::Sub(a, b) => v(a).minus(v(b)),
            Expr::Mul(a, b) => v(a).times(v(b)),
            Expr::Div(a, b) => v(a).over(v(b)),
            Expr::Pow(a, b) => v(a).raised(v(b)),
            Expr::Call(f, a) => v(a).call(f),
            Expr::Atan2(y, x) => v(y).angle(v(x)),
            Expr::Less(a, b) => Series::constant(truth(v(a).minus(v(b)).value(), true)),
            Expr::LessEqual(a, b) => Series::constant(truth(v(a).minus(v(b)).value(), false)),
            Expr::Equal(a, b) => Series::constant(match v(a).minus(v(b)).value() {
                Interval::ZERO => Interval::ONE,
                d if !d.contains_zero() => Interval::ZERO,
                _ => Interval::new(0.0, 1.0),
            }),
            Expr::Not(a) => Series::constant(Interval::new(1.0 - v(a).value().high, 1.0 - v(a).value().low)),
            Expr::And(a, b) => {
                let (a, b) = (v(a).value(), v(b).value());
                Series::constant(Interval::new(a.low.min(b.low), a.high.min(b.high)))
            }
            Expr::Or(a, b) => {
                let (a, b) = (v(a).value(), v(b).value());
                Series::constant(Interval::new(a.low.max(b.low), a.high.max(b.high)))
            }
            Expr::Select(c, a, b) => match v(c).value() {
                c if c.low > 0.0 => v(a),
                c if c.high <= 0.0 => v(b),
                _ => v(a).hull(v(b)),
            },
            Expr::Lookup(list, at) => {
                let (list, at) = (&self.compiled.sorted.model.lists[list.0 as usize], v(at).value());
                let last = list.len().saturating_sub(1) as f64;
                let [low, high] = [at.low, at.high].map(|place| place.round().clamp(0.0, last) as usize);
                let found = list.get(low..=high).unwrap_or_default();
                let hull = found.iter().map(|v| Interval::point(*v)).reduce(Interval::hull);
                Series::constant(hull.unwrap_or(Interval::ALL))
            }
        }
    }
}

/// A parameter was computed in doubles; a whole number is meant, so that it can be an exponent.
pub(super) fn parameter(value: f64) -> Interval {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => Interval::point(value),
        false => Interval::new(value.next_down(), value.next_up()),
    }
}

/// Of a quantity the derivative whose value is found somewhere, and how often it is to be differentiated to get the one that is
/// asked for.
pub(super) fn anchor(compiled: &Compiled, places: &[Place], quantity: usize, primes: u32) -> Option<(VarId, u32)> {
    let members = &compiled.sorted.model.quantities[quantity].members;
    (0..=primes).rev().find_map(|p| {
        let var = members.get(p as usize).copied().flatten()?;
        let found = p == 0 || !matches!(places[var.0 as usize], Place::Formula);
        found.then_some((var, primes - p))
    })
}

impl<const N: usize> Values<'_, N> {
    /// The value of a name, or of a call with a memory.
    pub fn known(&mut self, known: Known) -> Series<N> {
        match known {
            Known::Nothing => Series::UNKNOWN,
            Known::Variable(var, times) => (0..times).fold(self.of(var), |series, _| series.derivative()),
            Known::Expression(id) => self.evaluate(id),
            Known::Several(place) => {
                let names = self.names;
                let several = names.operators.get(&place).map_or(&[][..], Vec::as_slice);
                several.iter().map(|id| self.evaluate(*id)).reduce(Series::hull).unwrap_or(Series::UNKNOWN)
            }
        }
    }
}
